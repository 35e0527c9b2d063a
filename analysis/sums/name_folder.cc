// SPDX-License-Identifier: Apache-2.0
// Runs of digits become '#'.
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
constexpr std::string_view kWithNumber[] = {"globalstep", "profilerstep", "iter", "batch"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

template <size_t kCount>
bool IsOneOf(const std::string& word, const std::string_view (&words)[kCount]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

}  // namespace

std::optional<StepName> StepOf(std::string_view name) {
  constexpr size_t kLongest = 40;
  if (name.size() > kLongest) return std::nullopt;
  size_t letters_end = name.size();
  while (letters_end > 0 && IsDigit(name[letters_end - 1])) --letters_end;
  StepName step;
  uint64_t number = 0;
  if (letters_end < name.size() &&
      std::from_chars(name.data() + letters_end, name.data() + name.size(), number).ec ==
          std::errc()) {
    step.number = number;
  }
  std::string word;
  for (const char c : name.substr(0, letters_end)) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    } else if (std::string_view(" _-#:=").find(c) == std::string_view::npos) {
      return std::nullopt;
    }
  }
  const bool is_step = IsOneOf(word, kWithoutNumber) || (step.number && IsOneOf(word, kWithNumber));
  if (!is_step) return std::nullopt;
  step.name = std::string(name.substr(0, letters_end));
  if (step.number && !step.name.ends_with('#')) step.name.push_back('#');
  return step;
}

std::string NameFolder::Folded(std::string_view name, bool count, size_t most_variants) {
  if (std::none_of(name.begin(), name.end(), IsDigit)) return std::string(name);
  if (const std::optional<StepName> step = StepOf(name)) return step->name;
  std::string family = NumberFamily(name);
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
  const auto found = variants_.find(NumberFamily(name));
  return found != variants_.end() && found->second.size() > kMostVariants;
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
