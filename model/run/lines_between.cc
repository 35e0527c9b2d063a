// SPDX-License-Identifier: Apache-2.0
// The deepest function that both stacks are in, and the source text between its lines.
#include "model/run/lines_between.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "model/run/called_words.h"
#include "model/run/statements.h"

namespace syncline {
namespace {

constexpr size_t kNoFrame = SIZE_MAX;
constexpr size_t kMostLinesToACall = 200;
constexpr uint64_t kMuch = 4;  // times as long

bool IsOneFunction(const OwnFrame& a, const OwnFrame& b) {
  return a.function == b.function && a.file == b.file;
}

// "34", "34-35", "34,51-52"; of many the first and the last.
std::string LinesOf(const WayLines& way) {
  std::string text = std::to_string(way.first);
  uint32_t last = way.first;  // of those that follow each other
  const auto end_range = [&](uint32_t begin) {
    if (last != begin) text.append("-").append(std::to_string(last));
  };
  if (way.few.empty()) {
    last = way.last;
    end_range(way.first);
    return text;
  }
  uint32_t begin = way.first;
  for (const uint32_t line : way.few) {
    if (line > last + 1) {
      end_range(begin);
      begin = line;
      text.append(",").append(std::to_string(line));
    }
    last = line;
  }
  end_range(begin);
  return text;
}

// Of several lines nobody knows which one took the time.
bool MakesData(const WayLines& way) { return way.makes_values && way.first == way.last; }

// A loop leads back to `next`, and all that may have taken the time stands behind the call before,
// but for other calls of `next` itself.
bool IsTail(const WayLines& way, uint32_t before, uint32_t next) {
  const uint32_t from = way.works_on_read ? before : before + 1;
  if (!way.any || way.makes_values || before == 0 || next > before || way.last < from) return false;
  return way.first >= from ||
         (!way.few.empty() && std::all_of(way.few.begin(), way.few.end(), [=](uint32_t line) {
           return line >= from || line == next;
         }));
}

WayLines LineAlone(uint32_t line) {
  WayLines alone;
  alone.first = alone.last = line;
  alone.any = true;
  return alone;
}

// "ns::unpack(double*)" -> "unpack".
std::string_view NameAlone(std::string_view function) {
  function = function.substr(0, function.find_first_of("(<"));
  return function.substr(function.rfind(':') + 1);
}

}  // namespace

const LinesBetween& LinesTeller::Between(const OwnFrames* before, const OwnFrames* next) {
  const auto [known, is_new] = told_.try_emplace({before, next});
  if (is_new) known->second = Tell(before, next);
  return known->second;
}

LinesBetween LinesTeller::TailBetween(const OwnFrames* before, const OwnFrames* next, uint64_t ns) {
  if (before == nullptr || next == nullptr) return {};
  const auto [known, is_new] = tails_.try_emplace({before, next});
  if (is_new) known->second = TellTail(before, next);
  const Tail& tail = known->second;
  return tail.entered_ns <= ns / kMuch ? tail.lines : LinesBetween();
}

LinesTeller::Tail LinesTeller::TellTail(const OwnFrames* before, const OwnFrames* next) {
  const std::vector<OwnFrames::Step>&from = before->frames, &to = next->frames;
  const size_t shared = from.empty() || to.empty() ? kNoFrame : DeepestShared(from, to);
  if (shared == kNoFrame) return {};
  const OwnFrame &at_before = places_.FrameOf(from[shared].frame),
                 &at_next = places_.FrameOf(to[shared].frame);
  if (!IsOneFunction(at_before, at_next)) return {};
  const std::vector<std::string_view>& text = sources_.LinesOf(at_next.file);
  const Language language = LanguageOf(at_next.file);
  const LoopLines loop = LoopAround(text, language, at_before.line, at_next.line);
  const std::optional<uint64_t> entered = entries_.LongestInto(at_next, loop);
  if (!entered) return {};
  const WayLines rest = RestOfPass(text, language, loop, at_before.line, [&](uint32_t line) {
    return places_.HasCalls(at_next.file, line);
  });
  Tail tail{*entered, {}};
  LinesBetween& lines = tail.lines;
  lines.before = from[shared].frame == to[shared].frame && shared + 1 < from.size()
                     ? places_.FrameOf(from[shared + 1].frame).text
                     : at_before.text;
  lines.next = TextOf(from[shared].frame, rest);
  lines.statement = StatementAt(from[shared].frame, rest);
  lines.span = rest.awaits      ? HostSpan::kAwaits
               : rest.exchanges ? HostSpan::kExchange
                                : HostSpan::kTail;
  if (!AddRest(from, shared, !rest.any, &lines) && !rest.any) return {};
  return tail;
}

WayLines LinesTeller::RestOf(uint32_t frame) {
  const OwnFrame& at = places_.FrameOf(frame);
  return LinesToTheReturn(sources_.LinesOf(at.file), LanguageOf(at.file), at.line,
                          [&](uint32_t line) { return places_.HasCalls(at.file, line); });
}

bool LinesTeller::AddRest(const std::vector<OwnFrames::Step>& from, size_t shared, bool is_alone,
                          LinesBetween* lines) {
  for (size_t left = from.size(); --left > shared;) {
    const WayLines rest = RestOf(from[left].frame);
    if (!rest.any) continue;
    const std::string text = TextOf(from[left].frame, rest);
    const bool is_own = lines->span == HostSpan::kData || lines->span == HostSpan::kBetween;
    if (rest.works_on_read && is_own) lines->span = HostSpan::kTail;
    if (!rest.exchanges && lines->span == HostSpan::kExchange) lines->span = HostSpan::kBetween;
    if (!is_alone) {  // nobody knows which of the two it was
      lines->before = text;
      return true;
    }
    lines->before = places_.FrameOf(from[left].frame).text;
    lines->next = text;
    lines->below.clear();
    lines->statement = StatementAt(from[left].frame, rest);
    return true;
  }
  return false;
}

LinesBetween LinesTeller::Tell(const OwnFrames* before, const OwnFrames* next) {
  LinesBetween lines;
  if (before != nullptr) lines.before = *before->line;
  if (next == nullptr) return lines;
  lines.next = *next->line;
  if (before == nullptr || before->frames.empty() || next->frames.empty()) return lines;
  const std::vector<OwnFrames::Step>&from = before->frames, &to = next->frames;
  const size_t shared = DeepestShared(from, to);
  if (shared == kNoFrame) return lines;
  const OwnFrame& at_before = places_.FrameOf(from[shared].frame);
  // What was called before from the same line is told by where that led.
  const bool is_one_line = from[shared].frame == to[shared].frame;
  lines.before = is_one_line && shared + 1 < from.size()
                     ? places_.FrameOf(from[shared + 1].frame).text
                     : at_before.text;
  if (TellLastCall(*before, *next, shared, &lines)) return lines;
  if (GoesOnInALoopsHead(from[shared].frame, to[shared].frame)) {
    TellHead(*before, *next, shared, &lines);
  } else if (shared + 1 < to.size()) {
    TellEntered(*before, *next, shared, &lines);
  } else {
    TellInFunction(*before, *next, shared, &lines);
  }
  return lines;
}

uint32_t LinesTeller::LineThatCalls(const OwnFrame& frame, std::string_view called) {
  const std::vector<std::string_view>& lines = sources_.LinesOf(frame.file);
  if (called.empty()) return 0;
  const size_t last = std::min<size_t>(lines.size(), frame.line + kMostLinesToACall);
  for (size_t line = frame.line; line < last; ++line) {  // the first one behind the frame's
    if (lines[line].starts_with('}')) return 0;          // there the function ends
    const size_t at = lines[line].find(called);
    const bool is_whole_word =
        at == 0 || (at != lines[line].npos && !IsWordChar(lines[line][at - 1]));
    if (is_whole_word && lines[line].substr(at + called.size()).starts_with('('))
      return static_cast<uint32_t>(line + 1);
  }
  return 0;
}

// A compiler makes a jump of a function's last call: one call of the outer function then leads to
// two different ones, and the first of them, which called the second, is on no stack any more.
bool LinesTeller::TellLastCall(const OwnFrames& before, const OwnFrames& next, size_t shared,
                               LinesBetween* lines) {
  if (shared + 1 >= before.frames.size() || shared + 1 >= next.frames.size()) return false;
  const OwnFrames::Step &from = before.frames[shared], &to = next.frames[shared];
  const uint32_t jumper = before.frames[shared + 1].frame, callee = next.frames[shared + 1].frame;
  const OwnFrame &at = places_.FrameOf(jumper), &called = places_.FrameOf(callee);
  if (from.frame != to.frame || from.at != to.at || IsOneFunction(at, called) ||
      LanguageOf(at.file) == Language::kPython)
    return false;
  WayBetween way;
  way.before = at.line;
  way.next = LineThatCalls(at, NameAlone(called.function));
  if (way.next == 0) return false;
  way.is_direct = way.is_entered = true;
  const WayLines found =
      LinesOnTheWay(sources_.LinesOf(at.file), LanguageOf(at.file), way,
                    [&](uint32_t line) { return places_.HasCalls(at.file, line); });
  lines->before = at.text;
  lines->next = TextOf(jumper, found.any ? found : LineAlone(way.next));
  lines->statement = StatementAt(jumper, found.any ? found : LineAlone(way.next));
  if (found.awaits) lines->span = HostSpan::kAwaits;
  if (found.exchanges) lines->span = HostSpan::kExchange;
  return true;
}

// Of the head and what stands between it and the next call nobody knows which one took the time.
void LinesTeller::TellHead(const OwnFrames& before, const OwnFrames& next, size_t shared,
                           LinesBetween* lines) {
  const std::vector<OwnFrames::Step>& from = before.frames;
  const bool is_own = shared + 1 < from.size();
  const OwnFrame& deepest = places_.FrameOf(from.back().frame);
  lines->before = before.package != nullptr ? *before.package : is_own ? deepest.text : "";
  WayBetween way;
  way.before = places_.FrameOf(from[shared].frame).line;
  way.is_direct = true;
  WayLines found = WayTo(next.frames[shared].frame, way);
  found.first = way.before;
  if (!found.any) found.last = way.before;
  if (!found.any || !found.few.empty()) found.few.insert(found.few.begin(), way.before);
  found.any = true;
  lines->next = TextOf(from[shared].frame, found);
  lines->statement = StatementAt(from[shared].frame, found);
  lines->span = HostSpan::kData;
  if (!is_own) return;
  const WayLines rest = RestOf(from.back().frame);
  if (rest.any) lines->below = TextOf(from.back().frame, rest);
}

// A function that was left is entered anew, or goes on where it was left. Where nothing in it takes
// time before its call, what stands before the line that entered it did.
void LinesTeller::TellEntered(const OwnFrames& before, const OwnFrames& next, size_t shared,
                              LinesBetween* lines) {
  const std::vector<OwnFrames::Step>&from = before.frames, &to = next.frames;
  WayBetween inside, way;
  inside.is_direct = next.is_direct || next.on_behalf;
  size_t entered = to.size() - 1;
  WayLines within = WayTo(to[entered].frame, inside);
  inside.is_direct = true;
  for (size_t outer = entered; !within.any && --outer > shared;) {
    within = WayTo(to[outer].frame, inside);
    if (within.any) entered = outer;
  }
  way.before = places_.FrameOf(from[shared].frame).line;
  way.is_direct = !within.any;
  way.is_entered = true;
  const WayLines outside = WayTo(to[shared].frame, way);
  if (!within.any && IsTail(outside, way.before, places_.FrameOf(to[shared].frame).line))
    lines->span = HostSpan::kTail;
  lines->next = TextOf(to[shared].frame, outside);
  lines->statement = StatementAt(to[shared].frame, outside);
  if (within.any || !outside.any) lines->below = TextOf(to[entered].frame, within);
  if (MakesData(outside.any ? outside : within)) lines->span = HostSpan::kData;
  const bool in_either = within.any && outside.any;  // nobody knows in which
  if (in_either ? within.awaits && outside.awaits : within.any ? within.awaits : outside.awaits)
    lines->span = HostSpan::kAwaits;
  if (within.any ? within.exchanges : outside.exchanges) lines->span = HostSpan::kExchange;
  const bool is_alone = !within.any && !outside.any;
  if (AddRest(from, shared, is_alone, lines) || !is_alone || next.is_direct || outside.awaits)
    return;
  lines->before = lines->below;
  lines->span = HostSpan::kWithin;
}

void LinesTeller::TellInFunction(const OwnFrames& before, const OwnFrames& next, size_t shared,
                                 LinesBetween* lines) {
  const std::vector<OwnFrames::Step>&from = before.frames, &to = next.frames;
  const OwnFrame& at_before = places_.FrameOf(from[shared].frame);
  const bool is_one_line = from[shared].frame == to[shared].frame;
  WayBetween way;
  way.before = at_before.line;
  way.is_direct = next.is_direct || next.on_behalf;
  // On one line, a call further on or deeper in the same one is of the same pass. The very same
  // call comes again only in a loop, of this function or of one that calls it, unless what it calls
  // goes on.
  const bool again = from[shared].at == to[shared].at && next.is_direct && before.is_direct;
  way.is_same_pass = is_one_line && from[shared].at <= to[shared].at && !again;
  if (way.is_same_pass) {
    lines->span = HostSpan::kWithin;
    lines->before = at_before.text;
    if (before.package != nullptr && next.package != nullptr) {
      // A function of the program's own that the package called is told with its line.
      lines->before = shared + 1 < from.size() ? *before.where : *before.package;
      lines->below = *next.package;
    }
  }
  WayLines found = WayTo(to[shared].frame, way);
  size_t looped = shared;
  while (is_one_line && again && !found.any && looped > 0) {
    way.before = places_.FrameOf(to[--looped].frame).line;
    found = WayTo(to[looped].frame, way);
  }
  const uint32_t told = to[found.any ? looped : shared].frame;
  if (IsTail(found, way.before, places_.FrameOf(told).line)) lines->span = HostSpan::kTail;
  lines->next = TextOf(told, found);
  lines->statement = StatementAt(told, found);
  if (MakesData(found)) lines->span = HostSpan::kData;
  if (found.awaits) lines->span = HostSpan::kAwaits;
  if (found.exchanges) lines->span = HostSpan::kExchange;
  if (way.is_same_pass || AddRest(from, shared, !found.any, lines)) return;
  // A library's own way to its call: between the two lines nothing takes time.
  if (found.any || next.is_direct || found.awaits) return;
  lines->before = next.package != nullptr ? *next.package : lines->next;
  lines->below = next.package != nullptr ? *next.package : "";
  lines->span = HostSpan::kWithin;
}

// The deepest function that both are in, by its number in each; kNoFrame: there is none.
size_t LinesTeller::DeepestShared(const std::vector<OwnFrames::Step>& from,
                                  const std::vector<OwnFrames::Step>& to) {
  const size_t most = std::min(from.size(), to.size());
  size_t shared = 0;
  while (shared < most && from[shared].frame == to[shared].frame &&
         from[shared].at == to[shared].at)
    ++shared;
  const bool moved_on = shared < most && IsOneFunction(places_.FrameOf(from[shared].frame),
                                                       places_.FrameOf(to[shared].frame));
  if (!moved_on) return shared == 0 ? kNoFrame : shared - 1;  // one call led to both
  return CommonAfterReturn(from, to, shared);
}

// What a loop goes over gave the device something to do before it had its next value ready: the
// rest of it is more than what the loop's first statement does before its own work.
bool LinesTeller::GoesOnInALoopsHead(uint32_t before, uint32_t next) {
  const OwnFrame &head = places_.FrameOf(before), &body = places_.FrameOf(next);
  const std::vector<std::string_view>& lines = sources_.LinesOf(head.file);
  return IsOneFunction(head, body) && head.line < body.line && head.line != 0 &&
         head.line <= lines.size() && MakesNextValue(lines[head.line - 1], LanguageOf(head.file)) &&
         IsInBlockOf(lines, head.line, body.line);
}

// A statement runs its calls in the order of their code. An earlier one comes again in a loop only,
// which may be within the line.
bool LinesTeller::GoesBackInLine(const OwnFrames::Step& from, const OwnFrames::Step& to) {
  const OwnFrame& at = places_.FrameOf(to.frame);
  const std::vector<std::string_view>& lines = sources_.LinesOf(at.file);
  if (LanguageOf(at.file) != Language::kPython || to.at == 0 || to.at >= from.at || at.line == 0 ||
      at.line > lines.size())
    return false;
  const std::string code = CodeOf(lines[at.line - 1], Language::kPython);
  return !HasWord(code, "for") && !HasWord(code, "while");
}

// Where a function's later line comes before an earlier one without a loop, the function was left:
// the way goes through the nearest function outside of it that has a loop. Else as it was.
size_t LinesTeller::CommonAfterReturn(const std::vector<OwnFrames::Step>& from,
                                      const std::vector<OwnFrames::Step>& to, size_t shared) {
  for (size_t outer = shared;; --outer) {
    WayBetween way;
    way.before = places_.FrameOf(from[outer].frame).line;
    const bool is_back = way.before >= places_.FrameOf(to[outer].frame).line;
    const bool moved_on = !is_back || (from[outer].frame == to[outer].frame &&
                                       !GoesBackInLine(from[outer], to[outer]));
    if (outer == shared && moved_on) return shared;
    if (!WayTo(to[outer].frame, way).is_entered_anew) return outer;
    if (outer == 0) return shared;
  }
}

WayLines LinesTeller::WayTo(uint32_t frame, WayBetween way) {
  const OwnFrame& at = places_.FrameOf(frame);
  way.next = at.line;
  return LinesOnTheWay(sources_.LinesOf(at.file), LanguageOf(at.file), way,
                       [&](uint32_t line) { return places_.HasCalls(at.file, line); });
}

std::string LinesTeller::StatementOf(const OwnFrames& path) {
  if (path.frames.empty() || path.line == nullptr) return "";
  const uint32_t innermost = path.frames.back().frame;
  return places_.FrameOf(innermost).text == *path.line ? StatementAt(innermost, {}) : "";
}

std::string LinesTeller::StatementAt(uint32_t frame, const WayLines& way) {
  constexpr size_t kMostChars = 72;
  const OwnFrame& at = places_.FrameOf(frame);
  const uint32_t line = way.any ? way.first : at.line;
  const std::vector<std::string_view>& lines = sources_.LinesOf(at.file);
  if (line == 0 || line > lines.size() || (way.any && way.last != way.first)) return "";
  std::string_view text = lines[line - 1];
  text = text.substr(0, text.find(std::string(" ").append(CommentIn(LanguageOf(at.file))) + " "));
  const size_t begin = text.find_first_not_of(" \t");
  const size_t end = text.find_last_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  text = text.substr(begin, end - begin + 1);
  return text.size() <= kMostChars ? std::string(text)
                                   : std::string(text.substr(0, kMostChars)).append("...");
}

std::string LinesTeller::TextOf(uint32_t frame, const WayLines& way) const {
  const OwnFrame& at = places_.FrameOf(frame);
  const std::string line = ":" + std::to_string(at.line) + " ";  // "train.py:18 train()"
  const size_t place = at.text.find(line);
  if (at.line == 0 || place == std::string::npos || !way.any) return at.text;
  return std::string(at.text).replace(place, line.size(), ":" + LinesOf(way) + " ");
}

}  // namespace syncline
