// SPDX-License-Identifier: Apache-2.0
// How long it took from outside of a loop until its first pass made a call: as long at most took
// the loop's next value, and what stands before that call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "model/run/code_location.h"
#include "model/run/statements.h"

namespace syncline {

class LoopEntries {
 public:
  // `places`: whose stacks they are; outlives this.
  explicit LoopEntries(const CodeLocations& places) : places_(places) {}

  // A thread's calls with a stack, one after the other; `ns`: from the end of the one to the begin
  // of the other.
  void Note(const OwnFrames* from, const OwnFrames* to, uint64_t ns);

  // The longest of all times that the loop of this function was entered; none: that is not known.
  std::optional<uint64_t> LongestInto(const OwnFrame& function, const LoopLines& loop) const;

 private:
  bool Enters(const OwnFrames& from, const OwnFrames& to, const OwnFrame& function,
              const LoopLines& loop) const;
  bool IsWithin(const OwnFrames& path, const OwnFrame& function, const LoopLines& loop) const;

  const CodeLocations& places_;
  std::map<std::pair<const OwnFrames*, const OwnFrames*>, uint64_t> longest_;
  bool is_full_ = false;
};

}  // namespace syncline
