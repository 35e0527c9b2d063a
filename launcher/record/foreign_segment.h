// SPDX-License-Identifier: Apache-2.0
// Which segments of other users are mapped: memory that stays, and not so much of it that no
// address space is left. A sealed file without pages may be 8 EiB and costs its owner nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "launcher/record/hand_over_server.h"

namespace syncline {

// The default of --memory-process is 256 MiB.
inline constexpr uint64_t kMostOfForeignSegment = uint64_t{64} << 30;
// For all of them; the rest of the 128 TiB that a process has is our own user's.
inline constexpr uint64_t kMostOfForeignSegments = uint64_t{32} << 40;

// One segment's part of what all of them may have. Thread: of any number that release, one admits.
class ForeignSegment {
 public:
  ForeignSegment() = default;
  ~ForeignSegment() { Release(); }
  ForeignSegment(const ForeignSegment&) = delete;
  ForeignSegment& operator=(const ForeignSegment&) = delete;

  // Takes its part of `all`. Not empty: why it is not to be mapped, as a sentence for the user.
  std::string Admit(const OfferedSegment& offer, uint64_t bytes, std::atomic<uint64_t>* all);
  void Release();

 private:
  std::atomic<uint64_t>* all_ = nullptr;
  uint64_t bytes_ = 0;
};

}  // namespace syncline
