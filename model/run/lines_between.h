// SPDX-License-Identifier: Apache-2.0
// What a thread did between two stacks, in lines of the user's code.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "model/findings/findings.h"
#include "model/run/code_location.h"
#include "model/run/loop_entries.h"
#include "model/run/source_files.h"
#include "model/run/statements.h"

namespace syncline {

class LinesTeller {
 public:
  // `places`: whose stacks they are; outlives this.
  explicit LinesTeller(const CodeLocations& places)
      : places_(places), sources_(places.own().directory), entries_(places) {}

  // Null: that stack is not known.
  const LinesBetween& Between(const OwnFrames* before, const OwnFrames* next);

  // The source text of the user's line that a stack is at, without a comment behind it; empty: not
  // known.
  std::string StatementOf(const OwnFrames& path);

  // For TailBetween: the calls with a stack of each thread, in their order.
  void NoteWay(const OwnFrames* from, const OwnFrames* to, uint64_t ns) {
    entries_.Note(from, to, ns);
  }
  // The rest of a loop's pass, where that took `ns` and not the loop's next value: each time that
  // the loop was entered, that was there much sooner. Without `next`: nobody knows. After the last
  // NoteWay.
  LinesBetween TailBetween(const OwnFrames* before, const OwnFrames* next, uint64_t ns);

 private:
  struct Tail {
    uint64_t entered_ns =
        UINT64_MAX;  // the longest time until the loop's first call; else: unknown
    LinesBetween lines;
  };
  Tail TellTail(const OwnFrames* before, const OwnFrames* next);
  LinesBetween Tell(const OwnFrames* before, const OwnFrames* next);
  size_t DeepestShared(const std::vector<OwnFrames::Step>& from,
                       const std::vector<OwnFrames::Step>& to);
  // `shared`: the deepest function that both are in, by its number in each.
  void TellHead(const OwnFrames& before, const OwnFrames& next, size_t shared, LinesBetween* lines);
  void TellEntered(const OwnFrames& before, const OwnFrames& next, size_t shared,
                   LinesBetween* lines);
  void TellInFunction(const OwnFrames& before, const OwnFrames& next, size_t shared,
                      LinesBetween* lines);
  // False: what was called before did not end with a jump to what is called now.
  bool TellLastCall(const OwnFrames& before, const OwnFrames& next, size_t shared,
                    LinesBetween* lines);
  // Of the function `called`, in what follows the frame's line; 0: it is not there.
  uint32_t LineThatCalls(const OwnFrame& frame, std::string_view called);
  WayLines RestOf(uint32_t frame);
  // What was called from the frame `shared` went on, too. False: nothing in it takes time.
  bool AddRest(const std::vector<OwnFrames::Step>& from, size_t shared, bool is_alone,
               LinesBetween* lines);
  bool GoesOnInALoopsHead(uint32_t before, uint32_t next);
  bool GoesBackInLine(const OwnFrames::Step& from, const OwnFrames::Step& to);
  size_t CommonAfterReturn(const std::vector<OwnFrames::Step>& from,
                           const std::vector<OwnFrames::Step>& to, size_t shared);
  // `way.next` is the frame's line.
  WayLines WayTo(uint32_t frame, WayBetween way);
  // The source text of the one line on the way, or of the frame's, without a comment behind it;
  // empty: there are several, or none.
  std::string StatementAt(uint32_t frame, const WayLines& way);
  // The frame's text, with these lines in place of its own.
  std::string TextOf(uint32_t frame, const WayLines& way) const;

  const CodeLocations& places_;
  SourceFiles sources_;
  LoopEntries entries_;
  std::map<std::pair<const OwnFrames*, const OwnFrames*>, LinesBetween> told_;
  std::map<std::pair<const OwnFrames*, const OwnFrames*>, Tail> tails_;
};

}  // namespace syncline
