// SPDX-License-Identifier: Apache-2.0
// From what says most to what says least: each round matches what is left of those before.
#include "compare/matched_lines.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "report/line_place.h"

namespace syncline {
namespace {

// What lines have to share in a round; empty: the line takes no part in the round.
using KeyOfLine = std::function<std::string(const std::string& where, const SeenLine& line)>;

std::map<std::string, std::vector<std::string>> Grouped(const SeenLines& lines,
                                                        const KeyOfLine& key_of) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const auto& [where, line] : lines) {
    if (std::string key = key_of(where, line); !key.empty())
      groups[std::move(key)].push_back(where);
  }
  for (auto& [key, group] : groups) {
    std::stable_sort(group.begin(), group.end(), [](const auto& x, const auto& y) {
      return PlaceOf(x).line < PlaceOf(y).line;
    });
  }
  return groups;
}

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += part + '\n';
  return text;
}

// Of lines with a text: with these parts of their places.
KeyOfLine WithText(std::string LinePlace::*first, std::string LinePlace::*second) {
  return [first, second](const std::string& where, const SeenLine& line) {
    const LinePlace place = PlaceOf(where);
    std::vector<std::string> parts = {line.text, place.within};
    if (first != nullptr) parts.push_back(place.*first);
    if (second != nullptr) parts.push_back(place.*second);
    return line.text.empty() ? "" : Joined(parts);
  };
}

// Lines of a function that wait and work the same way.
std::string DoneThere(const std::string& where, const SeenLine& line) {
  const LinePlace place = PlaceOf(where);
  if (!line.text.empty() || place.file.empty()) return "";
  return Joined(
      {place.file, place.function, place.within, Joined({line.does.begin(), line.does.end()})});
}

// Lines of a function that wait and work the same way, whose texts were edited.
std::string DoneThereByText(const std::string& where, const SeenLine& line) {
  return line.text.empty() ? "" : DoneThere(where, {"", line.does});
}

// Whether at least half of their pairs of neighbouring characters are the same (Dice's
// coefficient).
bool IsAlike(const std::string& a, const std::string& b) {
  std::map<std::string_view, int> pairs;
  const std::string_view first = a, second = b;
  for (size_t i = 0; i + 1 < first.size(); ++i) ++pairs[first.substr(i, 2)];
  size_t shared = 0;
  for (size_t i = 0; i + 1 < second.size(); ++i) shared += pairs[second.substr(i, 2)]-- > 0 ? 1 : 0;
  return a == b || 4 * shared + 2 >= a.size() + b.size();
}

class Matcher {
 public:
  Matcher(const SeenLines& a, const SeenLines& b) : a_(a), b_(b) {}

  std::map<std::string, std::string> Match() {
    Stayed(true);
    ByKey(WithText(&LinePlace::file, &LinePlace::function));
    ByKey(WithText(&LinePlace::file, nullptr));
    ByKey(WithText(&LinePlace::function, nullptr));
    ByKey(WithText(nullptr, nullptr));
    ByKey(DoneThereByText);
    Stayed(false);
    ByKey(DoneThere);
    return std::move(matched_);
  }

 private:
  void Take(const std::string& of_b, const std::string& of_a) {
    matched_[of_b] = of_a;
    b_.erase(of_b);
    a_.erase(of_a);
  }

  // `texts`: with one text; else where a side does not know its text.
  void Stayed(bool texts) {
    std::vector<std::string> same;
    for (const auto& [where, line] : b_) {
      const auto before = a_.find(where);
      if (before == a_.end()) continue;
      const bool known = !line.text.empty() && !before->second.text.empty();
      if (known == texts && (!known || line.text == before->second.text)) same.push_back(where);
    }
    for (const std::string& where : same) Take(where, where);
  }

  void ByKey(const KeyOfLine& key_of) {
    const auto of_a = Grouped(a_, key_of), of_b = Grouped(b_, key_of);
    for (const auto& [key, lines] : of_b) {
      const auto others = of_a.find(key);
      if (others == of_a.end() || others->second.size() != lines.size()) continue;
      for (size_t i = 0; i < lines.size(); ++i) {
        if (IsAlike(b_[lines[i]].text, a_[others->second[i]].text))
          Take(lines[i], others->second[i]);
      }
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
