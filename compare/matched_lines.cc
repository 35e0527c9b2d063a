// SPDX-License-Identifier: Apache-2.0
// First the lines that stayed, then by function and text, then by function and what they do.
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

using Group = std::pair<std::string, std::set<std::string>>;  // a function, and more

// Of lines that are not matched yet, by function, and by text if `texts`, else by what they do.
std::map<Group, Lines> Grouped(const SeenLines& lines, bool texts) {
  std::map<Group, Lines> groups;
  for (const auto& [where, line] : lines) {
    if (texts == line.text.empty()) continue;
    if (const std::string function = WithoutLine(where); !function.empty())
      groups[{function, texts ? std::set<std::string>{line.text} : line.does}].push_back(where);
  }
  for (auto& [key, group] : groups) {
    std::sort(group.begin(), group.end(),
              [](const auto& x, const auto& y) { return NumberOf(x) < NumberOf(y); });
  }
  return groups;
}

class Matcher {
 public:
  Matcher(const SeenLines& a, const SeenLines& b) : a_(a), b_(b) {}

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
    for (const auto& [where, line] : b_) {
      const auto before = a_.find(where);
      if (before == a_.end()) continue;
      const bool known = !line.text.empty() && !before->second.text.empty();
      if (!known || line.text == before->second.text) same.push_back(where);
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

  SeenLines a_, b_;
  std::map<std::string, std::string> matched_;
};

}  // namespace

std::map<std::string, std::string> MatchedLines(const SeenLines& a, const SeenLines& b) {
  return Matcher(a, b).Match();
}

}  // namespace syncline
