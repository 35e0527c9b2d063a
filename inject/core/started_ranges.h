// SPDX-License-Identifier: Apache-2.0
// Start/end ranges from begin to end: what the gate and the options say of them, their rows, their
// records.
#pragma once

#include <cstdint>

#include "inject/core/emit.h"

namespace syncline {

// What a record of one moment says beside its time.
struct MomentFacts {
  Source source;
  uint16_t domain;
  uint32_t name;
  uint8_t flags = 0;
  const RangeAttributes* attributes = nullptr;  // with kHasAttributes in `flags`
};

// All below but the last: inside a HookScope.

// `end`, `lane` are as record.h says for the kind. False: lost; the caller counts.
bool EmitMoment(ThreadLog& log, RecordKind kind, const MomentFacts& facts, uint64_t begin,
                uint64_t end, uint16_t lane);

struct StartedRange {
  uint64_t id = 0;       // of start_end.h, for EndStarted or LoseEnd; 0: nothing is to be ended
  bool is_told = false;  // then take its begin, and give it to TellStart
};
// Opens a stage or a step by its `marks` (DomainMark), and claims a row. `has_name`: false: it
// could not be recorded, which was counted. `stays`: it has an id although the gate is closed.
StartedRange StartRange(ThreadLog& log, uint8_t marks, bool has_name, bool stays);
void TellStart(ThreadLog& log, uint64_t id, uint64_t begin, const MomentFacts& facts);

// `end` was taken before, so that the next range of this row cannot begin earlier. An id of none
// that is open is counted.
void EndStarted(ThreadLog& log, uint64_t id, uint64_t end, const MomentFacts& facts);

// Its end is on a thread that cannot record now: the row is free all the same. A stage stays open,
// so that too much is recorded, not too little.
void LoseEnd(uint64_t id);

}  // namespace syncline
