// SPDX-License-Identifier: Apache-2.0
// What each kind of finding means, on what its gain depends, and what to do: one row a kind.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/findings/findings.h"

namespace syncline {

enum class AnswerKind : uint8_t {
  kReadBack,
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
  kAllocation,
  kHostWork,
  kLaunchBound,
  kCopyBlocks,
  kDefaultStream,
  kLateRank,
  kImbalance
};
inline constexpr size_t kAnswerKinds = 18;

struct Advice {
  const char* kind;        // for programs: "read_back"
  const char* problem;     // for people
  const char* assumption;  // the gain holds so far as this does: "if ..."
  const char* advice;
};
const Advice& AdviceOf(AnswerKind kind);

// Of a wait that reads nothing back.
AnswerKind KindOfWait(WaitClass wait_class);

}  // namespace syncline
