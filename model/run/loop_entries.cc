// SPDX-License-Identifier: Apache-2.0
// The longest time of each pair of stacks that followed each other.
#include "model/run/loop_entries.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr size_t kMostPairs = 1 << 14;

}  // namespace

void LoopEntries::Note(const OwnFrames* from, const OwnFrames* to, uint64_t ns) {
  const auto known = longest_.find({from, to});
  if (known != longest_.end()) {
    known->second = std::max(known->second, ns);
  } else if (longest_.size() < kMostPairs) {
    longest_.emplace(std::pair(from, to), ns);
  } else {
    is_full_ = true;
  }
}

std::optional<uint64_t> LoopEntries::LongestInto(const OwnFrame& function,
                                                 const LoopLines& loop) const {
  std::optional<uint64_t> longest;
  if (is_full_ || loop.head == 0) return longest;
  for (const auto& [pair, ns] : longest_) {
    if (Enters(*pair.first, *pair.second, function, loop))
      longest = std::max(longest.value_or(0), ns);
  }
  return longest;
}

// Stacks without the thread's first function have lost more than that.
bool LoopEntries::Enters(const OwnFrames& from, const OwnFrames& to, const OwnFrame& function,
                         const LoopLines& loop) const {
  if (from.frames.empty() || to.frames.empty() || from.on_behalf || to.on_behalf) return false;
  const OwnFrame &first = places_.FrameOf(from.frames[0].frame),
                 &its_first = places_.FrameOf(to.frames[0].frame);
  return first.function == its_first.function && first.file == its_first.file &&
         IsWithin(to, function, loop) && !IsWithin(from, function, loop);
}

bool LoopEntries::IsWithin(const OwnFrames& path, const OwnFrame& function,
                           const LoopLines& loop) const {
  return std::any_of(path.frames.begin(), path.frames.end(), [&](const OwnFrames::Step& step) {
    const OwnFrame& frame = places_.FrameOf(step.frame);
    return frame.function == function.function && frame.file == function.file &&
           loop.Has(frame.line);
  });
}

}  // namespace syncline
