// SPDX-License-Identifier: Apache-2.0
// Numbers become '#'.
#include "analysis/sums/name_folder.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>

#include "model/findings/run_findings.h"

namespace syncline {
namespace {

constexpr std::string_view kBetween = " > ";
constexpr size_t kMostFamilies = 1 << 14;
constexpr std::string_view kWithoutNumber[] = {"step", "trainstep", "trainingstep", "iteration",
                                               "trainiteration"};
constexpr std::string_view kWithNumber[] = {"globalstep", "profilerstep", "iter",
                                            "batch",      "minibatch",    "trainbatch"};
constexpr std::string_view kSeparators = " _-#:=([";
constexpr size_t kTwo = 2;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

template <size_t kCount>
bool IsOneOf(const std::string& word, const std::string_view (&words)[kCount]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool IsLetter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

// Letters of the word at `at`, in small; separators make no difference. Moves `at` behind it and
// them. Empty: something else stands there.
std::string TakeWord(std::string_view name, size_t* at) {
  std::string word;
  for (; *at < name.size() && !IsDigit(name[*at]); ++*at) {
    const char c = name[*at];
    if (IsLetter(c)) {
      word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    } else if (kSeparators.find(c) == std::string_view::npos) {
      return "";
    }
  }
  return word;
}

bool TakeNumber(std::string_view name, size_t* at, uint64_t* number) {
  const auto [end, error] = std::from_chars(name.data() + *at, name.data() + name.size(), *number);
  if (error != std::errc()) return false;
  *at = static_cast<size_t>(end - name.data());
  return true;
}

// Of what stands behind a number: "", ")", "/400", " of 400", ": loss 0.3". Not "_load", "a".
bool MayFollowCount(std::string_view rest) {
  const bool closes = !rest.empty() && (rest[0] == ')' || rest[0] == ']');
  if (closes) rest.remove_prefix(1);
  if (rest.empty()) return true;
  if (rest[0] == '/') return rest.size() > 1 && IsDigit(rest[1]);
  return std::string_view(" ,:;|[").find(rest[0]) != std::string_view::npos;
}

bool SaysMore(std::string_view rest) {
  if (rest.starts_with(" of ")) rest.remove_prefix(4);
  return std::any_of(rest.begin(), rest.end(), IsLetter);
}

}  // namespace

std::optional<StepName> StepOf(std::string_view name) {
  constexpr size_t kLongest = 200, kLongestWord = 40;
  if (name.size() > kLongest) return std::nullopt;
  size_t at = 0;
  std::string word = TakeWord(name.substr(0, kLongestWord), &at);
  uint64_t number = 0;
  StepName step;
  if (word == "epoch" && TakeNumber(name, &at, &number)) {
    while (at < name.size() && std::string_view(",)]/").find(name[at]) != std::string_view::npos)
      ++at;
    word = TakeWord(name.substr(0, at + kLongestWord), &at);
  }
  if (word.empty()) return std::nullopt;
  const size_t word_end = at;
  if (TakeNumber(name, &at, &number)) step.number = number;
  const bool is_step = IsOneOf(word, kWithoutNumber) || (step.number && IsOneOf(word, kWithNumber));
  if (!is_step) return std::nullopt;
  const std::string_view rest = name.substr(at);
  if (!step.number) {
    // A number that is too large is none.
    step.name = std::string(name.substr(0, word_end));
    return step;
  }
  if (!MayFollowCount(rest)) return std::nullopt;
  step.name = NumberFamily(name.substr(0, word_end));
  if (!step.name.ends_with('#')) step.name.push_back('#');
  step.name += NumberFamily(rest);
  step.needs_another = SaysMore(rest);
  return step;
}

std::string NameFolder::Folded(std::string_view name, bool count, size_t most_variants) {
  if (std::none_of(name.begin(), name.end(), IsDigit)) return std::string(name);
  const std::optional<StepName> step = StepOf(name);
  if (step && !step->needs_another) return step->name;
  std::string family = step ? step->name : NumberFamily(name);
  if (counters_.contains(family)) return family;
  if (step) most_variants = std::min(most_variants, kTwo - 1);
  if (count && (variants_.size() < kMostFamilies || variants_.contains(family))) {
    auto& variants = variants_[family];
    if (variants.size() <= kMostVariants) variants.emplace(name);
  }
  const auto found = variants_.find(family);
  const bool many = found != variants_.end() && found->second.size() > most_variants;
  return many ? family : std::string(name);
}

bool NameFolder::IsFolded(std::string_view name) const {
  if (std::none_of(name.begin(), name.end(), IsDigit)) return false;
  const std::optional<StepName> step = StepOf(name);
  if (step && !step->needs_another) return true;
  const auto found = variants_.find(step ? step->name : NumberFamily(name));
  return found != variants_.end() && found->second.size() > (step ? kTwo - 1 : kMostVariants);
}

std::string NameFolder::FoldedPath(std::string_view path) {
  return FoldedParts(path, kMostVariants);
}

std::string NameFolder::FamilyPath(std::string_view path) { return FoldedParts(path, 1); }

std::string NameFolder::FoldedParts(std::string_view path, size_t most_variants) {
  std::string folded;
  for (size_t at = 0;;) {
    const size_t end = path.find(kBetween, at);
    folded += Folded(path.substr(at, end - at), false, most_variants);
    if (end == std::string_view::npos) return folded;
    folded += kBetween;
    at = end + kBetween.size();
  }
}

}  // namespace syncline
