// SPDX-License-Identifier: Apache-2.0
// Which statements of a source text a thread ran on its way to a line, as far as their order in the
// text tells: by indentation, which Python means and others' formatters make.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "model/run/line_code.h"

namespace syncline {

// From a call to the next one, of one function; lines count from 1 on.
struct WayBetween {
  uint32_t before = 0;  // 0: not known, or the function was entered since
  uint32_t next = 0;
  // It goes on within its line: what it calls there took the time.
  bool is_same_pass = false;
  // What `next` calls did nothing before that call: only its other calls may have taken time.
  bool is_direct = false;
  // What `next` calls is the program's own, too: the line's other calls come behind that.
  bool is_entered = false;
};

struct WayLines {
  uint32_t first = 0;
  uint32_t last = 0;
  bool any = false;           // there are such lines
  std::vector<uint32_t> few;  // these alone, where they are at most three
  bool makes_values = false;  // among them is the head of a loop whose next value had to come
  // No loop leads from the one line back to the other: the function was left and entered anew.
  bool is_entered_anew = false;
  bool works_on_read = false;  // the line before is among them: it goes on with what it read back
  bool awaits = false;         // one of them waits for others (awaits_others.h)
  bool exchanges = false;      // each of them exchanges data with other processes: MPI_Sendrecv()
};

// What a function may have done behind this line of it until it returned, without going back in a
// loop.
WayLines LinesToTheReturn(const std::vector<std::string_view>& lines, Language language,
                          uint32_t line, const std::function<bool(uint32_t line)>& has_calls);

// A loop's lines; `head` 0: there is none.
struct LoopLines {
  uint32_t head = 0;
  uint32_t last = 0;
  bool Has(uint32_t line) const { return head != 0 && line >= head && line <= last; }
};
// The innermost loop in whose block both lines are.
LoopLines LoopAround(const std::vector<std::string_view>& lines, Language language, uint32_t one,
                     uint32_t other);
// Those of the loop's pass behind `before` that may have taken time.
WayLines RestOfPass(const std::vector<std::string_view>& lines, Language language,
                    const LoopLines& loop, uint32_t before,
                    const std::function<bool(uint32_t line)>& has_calls);

// The lines on the way that may have taken the time. Those that call nothing take none, nor does
// the head of a loop over numbers, nor a line for which `has_calls`: one of its calls would have
// ended the way. The first and the last of them; both are `next` where there is none, or nothing is
// known.
WayLines LinesOnTheWay(const std::vector<std::string_view>& lines, Language language,
                       const WayBetween& way, const std::function<bool(uint32_t line)>& has_calls);

}  // namespace syncline
