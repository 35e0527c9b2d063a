// SPDX-License-Identifier: Apache-2.0
// What of spools of version 1 is not as it is now.
#pragma once

#include "inject/core/record.h"
#include "inject/core/spool_format.h"

// What is not here has in version 2 the same place and meaning as it had. All sizes are the same.
namespace syncline::spool_v1 {

inline constexpr uint16_t kSpoolVersion = 1;
inline constexpr uint32_t kLayoutVersion = 2;

// The two collectors that there were. Their numbers are in their CMakeLists.txt now.
inline constexpr Source kNvtx = 1;
inline constexpr Source kCuda = 2;

struct RangeRecord {
  RecordHead head;
  uint64_t begin;
  uint64_t end;
  uint16_t domain;
  uint16_t lane;
  uint16_t depth;
  uint8_t source;
  uint8_t reserved;
};

struct CallRecord {
  RecordHead head;
  uint64_t begin;
  uint64_t end;
  uint32_t correlation;
  uint16_t callback;  // the vendor's number of the call, in its API: the call's name has it now
  uint16_t result;
};

struct OpenRange {
  uint64_t begin;
  uint32_t name;
  uint16_t domain;
  uint8_t flags;
  uint8_t lost;  // a flag now
  RangeAttributes attributes;
  uint32_t level;
  uint32_t reserved[3];
};

struct SpoolOpenCall {
  uint64_t stream;
  uint32_t tid;
  uint32_t reserved;
  CallRecord call;
};

static_assert(sizeof(RangeRecord) == sizeof(syncline::RangeRecord));
static_assert(sizeof(CallRecord) == sizeof(syncline::CallRecord));
static_assert(sizeof(OpenRange) == sizeof(syncline::OpenRange));
static_assert(sizeof(SpoolOpenCall) == sizeof(syncline::SpoolOpenCall));

}  // namespace syncline::spool_v1
