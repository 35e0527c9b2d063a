// SPDX-License-Identifier: Apache-2.0
// Patterns in their order; the first that fits.
#include "report/kernel_classes.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "inject/core/glob.h"

namespace syncline {
namespace {

struct Row {
  KernelClass kernel_class;
  std::string_view pattern;
};
constexpr Row kRows[] = {
#define SYNCLINE_KERNELS(kernel_class, pattern) {KernelClass::kernel_class, pattern},
#include "report/kernel_classes.def"
#undef SYNCLINE_KERNELS
};

constexpr std::string_view kBlanks = " \t\r";

std::string SmallLetters(std::string_view text) {
  std::string small(text);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return small;
}

std::string_view Trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

bool FindClass(std::string_view word, KernelClass* kernel_class) {
  for (size_t i = 0; i < kKernelClasses; ++i) {
    if (word != KernelClassName(static_cast<KernelClass>(i))) continue;
    *kernel_class = static_cast<KernelClass>(i);
    return true;
  }
  return false;
}

std::string ClassNames() {
  std::vector<std::string> names;
  for (size_t i = 0; i < kKernelClasses; ++i)
    names.emplace_back(KernelClassName(static_cast<KernelClass>(i)));
  return JoinNames(names);
}

// A whole line that says something; "" or what is wrong with it, and what to do.
std::string ReadLine(std::string_view line, KernelClass* kernel_class, std::string* pattern) {
  const size_t end = line.find_first_of(kBlanks);
  const std::string_view word = line.substr(0, end);
  if (!FindClass(word, kernel_class)) {
    return Text("there is no class \"", PrintableText(word.substr(0, 40)), "\": write one of ",
                ClassNames(), ", a blank and a pattern");
  }
  *pattern = SmallLetters(end == std::string_view::npos ? "" : Trimmed(line.substr(end)));
  if (pattern->empty())
    return Text("the class has no pattern: write one behind it, as in \"", word, " *my_kernel*\"");
  if (pattern->size() > KernelPatterns::kLongestPattern) {
    return Text("the pattern is longer than ", KernelPatterns::kLongestPattern,
                " characters: shorten it with *");
  }
  return "";
}

}  // namespace

Status KernelPatterns::Take(std::string_view text, const std::string& name) {
  std::vector<Pattern> taken;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = Trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line[0] == '#') continue;
    Pattern pattern;
    const std::string wrong = ReadLine(line, &pattern.kernel_class, &pattern.text);
    if (!wrong.empty()) return Status::Error(Text(name, ":", number, ": ", wrong));
    if (patterns_.size() + taken.size() == kMostPatterns) {
      return Status::Error(Text(name, ":", number, ": there are more than ",
                                CountText(kMostPatterns), " patterns: join some with *"));
    }
    taken.push_back(std::move(pattern));
  }
  std::move(taken.begin(), taken.end(), std::back_inserter(patterns_));
  return Status();
}

KernelClass KernelPatterns::ClassOf(std::string_view kernel) const {
  const std::string name = SmallLetters(kernel);
  for (const Pattern& pattern : patterns_) {
    if (MatchesGlob(pattern.text, name)) return pattern.kernel_class;
  }
  for (const Row& row : kRows) {
    if (MatchesGlob(row.pattern, name)) return row.kernel_class;
  }
  return KernelClass::kOther;
}

}  // namespace syncline
