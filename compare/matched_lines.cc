// SPDX-License-Identifier: Apache-2.0
// First the lines that stayed, then by function and text, then by function alone.
#include "compare/matched_lines.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/findings/run_findings.h"

namespace syncline {
namespace {

using Lines = std::vector<std::string>;

uint64_t NumberOf(const std::string& where) {
  const size_t end = where.find(' '), colon = where.rfind(':', end);
  uint64_t number = 0;
  if (colon != std::string::npos)
    std::from_chars(where.data() + colon + 1, where.data() + where.size(), number);
  return number;
}

// Of lines that are not matched yet, by function, and by text if `texts`.
std::map<std::pair<std::string, std::string>, Lines> Grouped(const LineTexts& lines, bool texts) {
  std::map<std::pair<std::string, std::string>, Lines> groups;
  for (const auto& [where, text] : lines) {
    if (texts == text.empty()) continue;
    if (const std::string function = WithoutLine(where); !function.empty())
      groups[{function, text}].push_back(where);
  }
  for (auto& [key, group] : groups) {
    std::sort(group.begin(), group.end(),
              [](const auto& x, const auto& y) { return NumberOf(x) < NumberOf(y); });
  }
  return groups;
}

class Matcher {
 public:
  Matcher(const LineTexts& a, const LineTexts& b) : a_(a), b_(b) {}

  std::map<std::string, std::string> Match() {
    Stayed();
    ByFunction(true);
    ByFunction(false);
    return std::move(matched_);
  }

 private:
  void Take(const std::string& of_b, const std::string& of_a) {
    matched_[of_b] = of_a;
    b_.erase(of_b);
    a_.erase(of_a);
  }

  void Stayed() {
    std::vector<std::string> same;
    for (const auto& [where, text] : b_) {
      const auto before = a_.find(where);
      if (before == a_.end()) continue;
      const bool known = !text.empty() && !before->second.empty();
      if (!known || text == before->second) same.push_back(where);
    }
    for (const std::string& where : same) Take(where, where);
  }

  void ByFunction(bool texts) {
    const auto of_a = Grouped(a_, texts), of_b = Grouped(b_, texts);
    for (const auto& [key, lines] : of_b) {
      const auto others = of_a.find(key);
      if (others == of_a.end() || others->second.size() != lines.size()) continue;
      for (size_t i = 0; i < lines.size(); ++i) Take(lines[i], others->second[i]);
    }
  }

  LineTexts a_, b_;
  std::map<std::string, std::string> matched_;
};

}  // namespace

std::map<std::string, std::string> MatchedLines(const LineTexts& a, const LineTexts& b) {
  return Matcher(a, b).Match();
}

}  // namespace syncline
