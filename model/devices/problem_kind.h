// SPDX-License-Identifier: Apache-2.0
// Kinds of problems that a report knows. What to do about one depends on the source and the
// framework.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline {

enum class ProblemKind : uint8_t {
  kReadBack,
  kCopyBack,
  kPageableCopy,
  kSynchronousCopy,
  kDeviceWait,
  kStreamWait,
  kEventWait,
  kDefaultStreamWait,
  kQuerySpin,
  kQueueFull,
  kModuleLoad,
  kGraphWait,
  kPeerWait,
  kFileWait,
  kSaving,
  kAllocation,
  kHostWork,
  kDataWork,
  kAwaitsOthers,
  kSlowLaunch,
  kExchange,
  kFirstUse,
  kOtherDevice,
  kHostFunction,
  kSharedDevice,
  kLaunchBound,
  kCopyBlocks,
  kDefaultStream,
  kCommunication,
  kLateRank,
  kLateSender,
  kImbalance,
  kSlowRank
};
inline constexpr size_t kProblemKinds = 33;

// What to do about it, in the words of a vendor's users.
struct AdviceRow {
  ProblemKind kind;
  const char* advice;
  const char* in = "";  // only in ranges whose names begin so; such rows stand first
};

}  // namespace syncline
