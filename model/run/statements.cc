// SPDX-License-Identifier: Apache-2.0
// Walks backwards from a line, out of the blocks that it is in, to the line before or to the head
// of the function; in a loop, then from the line before to the loop's end.
#include "model/run/statements.h"

#include <algorithm>
#include <set>
#include <string>

#include "model/run/awaits_others.h"
#include "model/run/called_words.h"

namespace syncline {
namespace {

constexpr uint32_t kMostLines = 200;  // that are looked at on the way
constexpr size_t kFewLines = 3;       // are told one by one

class Walk {
 public:
  Walk(const std::vector<std::string_view>& lines, Language language,
       const std::function<bool(uint32_t)>& has_calls)
      : lines_(lines), language_(language), has_calls_(has_calls) {}

  WayLines Find(const WayBetween& way);
  WayLines ToTheReturn(uint32_t line);
  LoopLines LoopAround(uint32_t one, uint32_t other) const;
  WayLines RestOfPass(const LoopLines& loop, uint32_t before);

 private:
  std::string At(uint32_t line) const { return CodeOf(lines_[line - 1], language_); }
  void AddIfItTakesTime(uint32_t line, std::string_view code);
  void Add(uint32_t line) {
    if (!has_calls_(line)) called_.push_back(line);
  }
  void AddDirective(uint32_t line, std::string_view code);
  void AddPlainLoop(uint32_t line, std::string_view code);
  void LeaveOutBlock(uint32_t head);
  bool IsNoStatement(std::string_view code) const {
    return FirstWord(code).empty() || IsDirective(code, language_);
  }
  HeadKind HeadAt(uint32_t line) const;
  // Of the block that the head begins, what is in it.
  uint32_t LastOfBlock(uint32_t head) const;
  bool GoesOnAsAFunction(uint32_t line) const;
  bool IsLoop(uint32_t line) const {
    const HeadKind head = HeadAt(line);
    return head == HeadKind::kLoop || head == HeadKind::kCondition;
  }
  void AddHead(uint32_t line);
  // False: no loop leads from `before`, which stands behind `next`, back to that.
  bool Backwards(uint32_t before, uint32_t next);
  size_t IndentOfFunction(uint32_t line) const;
  WayLines Itself(uint32_t line) const;
  WayLines Told(const std::vector<uint32_t>& told) const;
  bool AwaitsWithin(uint32_t line) const;
  void ToTheEndOfTheLoop(uint32_t before, uint32_t head);
  void AddOuterLoop(uint32_t before, uint32_t head);

  const std::vector<std::string_view>& lines_;
  const Language language_;
  const std::function<bool(uint32_t)>& has_calls_;
  std::vector<uint32_t> called_;  // lines that call something
  bool makes_values_ = false;
  bool leads_directly_ = false;                // nothing in the last line comes before its call
  uint32_t plain_from_ = 0, plain_until_ = 0;  // the last one of these
  std::vector<uint32_t> meetings_;             // of threads: told beside what is called
  std::vector<uint32_t> loops_;                // that call nothing: told where nothing else is
  std::vector<uint32_t> condition_;            // of a loop: told where not even that is
};

// Where OpenMP's threads come together, and what they share.
void Walk::AddDirective(uint32_t line, std::string_view code) {
  if (!IsDirective(code, language_) || CallsIn(code) == 0) return;
  (HasWord(code, "barrier") || HasWord(code, "taskwait") ? meetings_ : loops_).push_back(line);
}

// What is in brackets may have several lines: the head of a function and a call differ by what
// follows them.
bool Walk::GoesOnAsAFunction(uint32_t line) const {
  if (At(line).ends_with('{')) return true;  // a lambda's, too
  int open = 0;
  bool closed = false, returns = false;
  for (const uint32_t last = line + 20; line <= lines_.size() && line < last; ++line) {
    const std::string code = At(line);
    for (const char c : code) {
      if (c == '(') ++open;
      if (c == ')') closed = --open == 0;
      if (open > 0 || !closed || c == ')' || c == ' ' || c == '\t') continue;
      if (returns && c != '{' && c != ';') continue;
      returns = returns || c == '-';  // "-> int {", or "->next();"
      if (c != '-') return c == '{' || c == ':' || c == '&' || c == '[' || IsWordChar(c);
    }
  }
  return false;
}

HeadKind Walk::HeadAt(uint32_t line) const {
  HeadKind head = HeadOf(At(line), language_);
  if (head == HeadKind::kOther && line > 1 && language_ == Language::kBraces) {
    // What it takes stands in a line of its own, below its name.
    const std::string code = At(line);
    const size_t begin = code.find_first_not_of(" \t");
    if (begin != code.npos && code[begin] == '(') head = HeadOf(At(line - 1) + code, language_);
  }
  const bool may_be_a_call = head == HeadKind::kFunction && language_ == Language::kBraces;
  return may_be_a_call && !GoesOnAsAFunction(line) ? HeadKind::kOther : head;
}

// Of what a loop goes over, the next one may have to come.
void Walk::AddHead(uint32_t line) {
  const std::string code = At(line);
  const HeadKind head = HeadOf(code, language_);
  if (MakesNextValue(code, language_)) {
    called_.push_back(line);
    makes_values_ = true;
  }
  if (head != HeadKind::kCondition || CallsIn(code) == 0) return;
  (AwaitsOthers(code, language_) ? called_ : condition_).push_back(line);
}

// A loop takes as long as there are many values, also where it calls nothing; of loops in loops the
// outermost one is told.
void Walk::AddPlainLoop(uint32_t line, std::string_view code) {
  const bool within_a_line = language_ == Language::kPython && code.find(" for ") != code.npos &&
                             code.find(" in ") != code.npos;
  const size_t begin = code.find_first_not_of(" \t");
  if (begin != code.npos && code[begin] == '}') return;  // "} while (again);"
  if (!within_a_line && !IsLoop(line)) return;
  const size_t indent = IndentOf(code);
  uint32_t end = line + 1;
  for (const uint32_t last = line + kMostLines; end <= lines_.size() && end <= last; ++end) {
    const std::string inside = At(end);
    if (IsNoStatement(inside)) continue;
    if (IndentOf(inside) <= indent) break;
    if (CallsIn(inside) != 0) return;
  }
  std::erase_if(loops_, [&](uint32_t other) { return other > line && other < end; });
  if (plain_from_ < line && line < plain_until_) return;
  loops_.push_back(line);
  plain_from_ = line;
  plain_until_ = end;
}

void Walk::AddIfItTakesTime(uint32_t line, std::string_view code) {
  if (CallsIn(code) != 0) {
    Add(line);
  } else {
    AddPlainLoop(line, code);
  }
}

void Walk::LeaveOutBlock(uint32_t head) {
  const uint32_t last = LastOfBlock(head);
  const auto is_inside = [&](uint32_t line) { return line > head && line <= last; };
  std::erase_if(called_, is_inside);
  std::erase_if(loops_, is_inside);
}

bool Walk::Backwards(uint32_t before, uint32_t next) {
  const bool is_straight = before != 0 && before < next;
  if (IsWholeFunction(At(next), language_)) return before == 0;
  size_t indent = IndentOf(At(next));
  const uint32_t last = next > kMostLines ? next - kMostLines : 1;
  for (uint32_t line = next - 1; line >= last && line != 0; --line) {
    if (is_straight && line == before) return true;
    const std::string code = At(line);
    AddDirective(line, code);
    if (IsNoStatement(code)) continue;
    const size_t its_indent = IndentOf(code);
    // What is in Fortran's functions often stands no further right.
    if (language_ == Language::kFortran && HeadAt(line) == HeadKind::kFunction)
      return is_straight || before == 0;
    if (its_indent >= indent) {
      if (HeadAt(line) != HeadKind::kFunction) {
        AddIfItTakesTime(line, code);
      } else if (language_ == Language::kPython) {
        LeaveOutBlock(line);  // it is made, not called
      }
      continue;
    }
    indent = its_indent;
    if (HeadAt(line) == HeadKind::kFunction) return is_straight || before == 0;
    if (!IsLoop(line)) continue;
    AddHead(line);
    if (is_straight) continue;
    if (before != 0) ToTheEndOfTheLoop(before, line);
    const bool is_idle =
        called_.empty() && meetings_.empty() && loops_.empty() && condition_.empty();
    if (before != 0 && leads_directly_ && is_idle) AddOuterLoop(before, line);
    return true;
  }
  return true;
}

// The next pass may be the first one of the next pass of a loop around this one, too: where nothing
// in this one takes time, what is in that one may have.
void Walk::AddOuterLoop(uint32_t before, uint32_t head) {
  size_t indent = IndentOf(At(head));
  const uint32_t last = head > kMostLines ? head - kMostLines : 1;
  for (uint32_t line = head - 1; line >= last && line != 0; --line) {
    const std::string code = At(line);
    AddDirective(line, code);
    if (IsNoStatement(code)) continue;
    if (IndentOf(code) >= indent) {
      if (CallsIn(code) != 0) Add(line);
      continue;
    }
    indent = IndentOf(code);
    if (HeadAt(line) == HeadKind::kFunction) break;
    if (!IsLoop(line)) continue;
    AddHead(line);
    return ToTheEndOfTheLoop(before, line);
  }
  called_.clear();  // there is no such loop
  meetings_.clear();
  loops_.clear();
}

void Walk::ToTheEndOfTheLoop(uint32_t before, uint32_t head) {
  const size_t outer = IndentOf(At(head));
  for (uint32_t line = before + 1; line <= lines_.size() && line <= before + kMostLines; ++line) {
    const std::string code = At(line);
    AddDirective(line, code);
    if (IsNoStatement(code)) continue;
    if (IndentOf(code) <= outer) return;
    AddIfItTakesTime(line, code);
  }
}

// Nothing else is on the way.
WayLines Walk::Itself(uint32_t line) const {
  WayLines only;
  only.first = only.last = line;
  only.awaits = line != 0 && line <= lines_.size() && AwaitsOthers(At(line), language_);
  return only;
}

WayLines Walk::Find(const WayBetween& way) {
  if (way.is_same_pass || way.next == 0 || way.next > lines_.size() || way.before > lines_.size())
    return Itself(way.next);
  bool is_entered_anew = false;
  const bool works_on_read = way.before != 0 && WorksOnWhatItReads(At(way.before), language_);
  if (works_on_read) called_.push_back(way.before);
  leads_directly_ = way.is_direct && (way.is_entered || CallsIn(At(way.next)) <= 1);
  if (IsLoop(way.next) && way.before > way.next) {
    AddHead(way.next);
    ToTheEndOfTheLoop(way.before, way.next);
  } else {
    is_entered_anew = !Backwards(way.before, way.next);
    if (!called_.empty() && CallsIn(At(way.next)) > (way.is_direct ? 1 : 0))
      called_.push_back(way.next);
  }
  std::vector<uint32_t> told = called_;
  told.insert(told.end(), meetings_.begin(), meetings_.end());
  if (called_.empty()) {
    told.insert(told.end(), loops_.begin(), loops_.end());
    // In Python what is called takes time before its own call, too.
    const bool itself =
        language_ == Language::kPython || CallsIn(At(way.next)) > (way.is_direct ? 1 : 0);
    if (!told.empty() && itself) told.push_back(way.next);
    told.insert(told.end(), condition_.begin(), condition_.end());
  }
  if (told.empty()) {
    WayLines none = Itself(way.next);
    none.is_entered_anew = is_entered_anew;
    return none;
  }
  WayLines found = Told(told);
  found.makes_values = makes_values_ && !called_.empty();
  found.works_on_read = works_on_read;
  found.is_entered_anew = is_entered_anew;
  return found;
}

// Whether the line calls a function of this file that waits for others: "x = self.next_batch()".
bool Walk::AwaitsWithin(uint32_t line) const {
  if (language_ != Language::kPython) return false;
  const std::string code = At(line);
  for (uint32_t head = 1; head <= lines_.size(); ++head) {
    const size_t def = lines_[head - 1].find("def ");
    if (def == std::string_view::npos || HeadAt(head) != HeadKind::kFunction) continue;
    const std::string_view name = lines_[head - 1].substr(def + 4);
    const size_t at = code.find(std::string(name.substr(0, name.find('('))) + "(");
    if (at == std::string::npos || (at != 0 && IsWordChar(code[at - 1])) ||
        (at != 0 && code[at - 1] == '.' && !code.substr(0, at).ends_with("self.")))
      continue;
    for (uint32_t body = head + 1; body <= lines_.size() && body < head + kMostLines; ++body) {
      const std::string statement = At(body);
      if (IsNoStatement(statement)) continue;
      if (IndentOf(statement) <= IndentOf(At(head))) break;
      if (AwaitsOthers(statement, language_)) return true;
    }
  }
  return false;
}

WayLines Walk::Told(const std::vector<uint32_t>& told) const {
  const std::set<uint32_t> lines(told.begin(), told.end());
  WayLines found;
  found.first = *lines.begin();
  found.last = *lines.rbegin();
  found.any = true;
  if (lines.size() <= kFewLines) found.few.assign(lines.begin(), lines.end());
  // Beside an exchange with other ranks, "work.wait()" is for that.
  const auto exchanges = [this](uint32_t line) { return Exchanges(At(line)); };
  found.awaits = std::none_of(told.begin(), told.end(), exchanges) &&
                 std::any_of(told.begin(), told.end(), [this](uint32_t line) {
                   return AwaitsOthers(At(line), language_) || AwaitsWithin(line);
                 });
  found.exchanges = std::all_of(told.begin(), told.end(), exchanges);
  return found;
}

// Of the head of the function that the line is in; a file's own statements have none.
size_t Walk::IndentOfFunction(uint32_t line) const {
  size_t indent = IndentOf(At(line));
  for (const uint32_t last = line > kMostLines ? line - kMostLines : 1;
       --line >= last && line != 0;) {
    const std::string code = At(line);
    if (IsNoStatement(code) || IndentOf(code) >= indent) continue;
    indent = IndentOf(code);
    if (HeadAt(line) == HeadKind::kFunction) return indent;
  }
  return SIZE_MAX;
}

WayLines Walk::ToTheReturn(uint32_t line) {
  WayLines none;
  none.first = none.last = line;
  if (line == 0 || line > lines_.size()) return none;
  const bool works_on_read = WorksOnWhatItReads(At(line), language_);
  if (works_on_read) called_.push_back(line);
  const auto told = [&](const std::vector<uint32_t>& which) {
    WayLines found = which.empty() ? none : Told(which);
    found.works_on_read = works_on_read;
    return found;
  };
  const bool leaves = Leaves(FirstWord(At(line)));
  const size_t function = leaves ? SIZE_MAX : IndentOfFunction(line);
  if (function == SIZE_MAX) return told(called_);
  size_t indent = IndentOf(At(line));
  int open = OpenBrackets(At(line));  // what is in them came before
  bool skips = false;                 // what is in the other branch
  for (const uint32_t last = line + kMostLines; ++line <= lines_.size() && line <= last;) {
    const std::string code = At(line);
    const std::string_view word = FirstWord(code);
    if (open > 0 || IsNoStatement(code)) {
      open += open > 0 ? OpenBrackets(code) : 0;
      continue;
    }
    const size_t its_indent = IndentOf(code);
    if (its_indent <= function || HeadAt(line) == HeadKind::kFunction) break;
    if (its_indent <= indent)
      skips = its_indent < indent &&
              IsOneOf(word, {"else", "elif", "except", "catch", "case", "default", "elseif"});
    indent = std::min(indent, its_indent);
    if (skips) continue;
    AddIfItTakesTime(line, code);
    if (its_indent == indent && Leaves(word)) break;
  }
  return told(called_.empty() ? loops_ : called_);
}

uint32_t Walk::LastOfBlock(uint32_t head) const {
  const size_t indent = IndentOf(At(head));
  uint32_t last = head;
  for (uint32_t line = head + 1; line <= lines_.size() && line <= head + kMostLines; ++line) {
    const std::string code = At(line);
    if (IsNoStatement(code)) continue;
    if (IndentOf(code) <= indent) break;
    last = line;
  }
  return last;
}

LoopLines Walk::LoopAround(uint32_t one, uint32_t other) const {
  const auto [first, last] = std::minmax(one, other);
  if (first == 0 || last > lines_.size()) return {};
  size_t indent = IndentOf(At(first));
  const uint32_t top = first > kMostLines ? first - kMostLines : 1;
  for (uint32_t line = first - 1; line >= top && line != 0; --line) {
    const std::string code = At(line);
    if (IsNoStatement(code) || IndentOf(code) >= indent) continue;
    indent = IndentOf(code);
    if (HeadAt(line) == HeadKind::kFunction) return {};
    if (!IsLoop(line)) continue;
    const uint32_t end = LastOfBlock(line);
    if (end >= last) return {line, end};
  }
  return {};
}

WayLines Walk::RestOfPass(const LoopLines& loop, uint32_t before) {
  if (WorksOnWhatItReads(At(before), language_)) called_.push_back(before);
  ToTheEndOfTheLoop(before, loop.head);
  const std::vector<uint32_t>& told = called_.empty() ? loops_ : called_;
  return told.empty() ? Itself(before) : Told(told);
}

}  // namespace

LoopLines LoopAround(const std::vector<std::string_view>& lines, Language language, uint32_t one,
                     uint32_t other) {
  return Walk(lines, language, [](uint32_t) { return false; }).LoopAround(one, other);
}

WayLines RestOfPass(const std::vector<std::string_view>& lines, Language language,
                    const LoopLines& loop, uint32_t before,
                    const std::function<bool(uint32_t line)>& has_calls) {
  return Walk(lines, language, has_calls).RestOfPass(loop, before);
}

WayLines LinesToTheReturn(const std::vector<std::string_view>& lines, Language language,
                          uint32_t line, const std::function<bool(uint32_t line)>& has_calls) {
  return Walk(lines, language, has_calls).ToTheReturn(line);
}

WayLines LinesOnTheWay(const std::vector<std::string_view>& lines, Language language,
                       const WayBetween& way, const std::function<bool(uint32_t line)>& has_calls) {
  return Walk(lines, language, has_calls).Find(way);
}

}  // namespace syncline
