// SPDX-License-Identifier: Apache-2.0
// A region that nests is one of its thread's open ranges, found by its number. One that may end
// anywhere is a start/end range.
#include "collectors/program/regions.h"

#include <atomic>
#include <cstring>

#include "collectors/program/labels.h"
#include "inject/core/copied_names.h"
#include "inject/core/device_times.h"
#include "inject/core/owned_ranges.h"
#include "inject/core/start_end.h"
#include "inject/core/started_ranges.h"

namespace syncline::program {
namespace {

constexpr Source kSource = SYNCLINE_SOURCE_program;
constexpr OwnedDomain kDomain = {kSource, "region", uint64_t{kSource} << 32};
constexpr size_t kLongestName = 4096;

// Added to the ids of regions that end anywhere: those of start/end ranges have 63 bits at most.
constexpr uint64_t kAnywhere = uint64_t{1} << 63;

std::atomic<uint64_t> g_last;  // number of the last region that nests

struct Name {
  uint32_t id;
  uint8_t marks;
};

Name NameOf(ThreadLog& log, const char* text) {
  const size_t bytes = strnlen(text, kLongestName);
  NameCacheEntry* entry = CopiedName(log, text, bytes);
  if (entry == nullptr) return {0, 0};
  return {entry->id, MarksOfOwned(*entry, {text, bytes}, kDomain)};
}

// Where it cannot be followed, its number.
uint64_t FollowedId(ThreadLog& log, uint64_t number) {
  const uint64_t id = BeginDeviceTime(log, number);
  if (id == 0) CountLoss(kLoss_device_time);
  return id == 0 ? number : id;
}

void EndAnywhere(uint64_t id, uint64_t end) {
  const HookScope scope(HookKind::kEnds);
  if (!scope) return LoseEnd(id);
  EndStarted(scope.log(), id, end, {kSource, IdOfDomain(scope.log(), kDomain), 0});
}

}  // namespace

uint64_t Begin(const char* name, const syncline_label* labels, size_t count,
               bool asks_for_device_time) {
  const HookScope scope;
  if (!scope) return 0;
  ThreadLog& log = scope.log();
  const uint16_t domain = IdOfDomain(log, kDomain);
  const Name named = NameOf(log, name);
  const uint64_t number = g_last.fetch_add(1, std::memory_order_relaxed) + 1;
  const uint64_t id = asks_for_device_time ? FollowedId(log, number) : number;
  OpenRange* range = EnterOwned(log, kDomain, domain, named.id, id, named.marks);
  if (range == nullptr) return id;  // its end finds the stack full, too
  if (count != 0 && (range->flags & kBegunClosed) == 0 &&
      EmitLabels(log, domain, range->begin, labels, count)) {
    log.stack[log.depth - 1].flags |= kHasPayload;  // the stack may have moved
  }
  return id;
}

uint64_t BeginAnywhere(const char* name, const syncline_label* labels, size_t count) {
  const HookScope scope;
  if (!scope) return 0;
  ThreadLog& log = scope.log();
  const uint16_t domain = IdOfDomain(log, kDomain);
  const Name named = NameOf(log, name);
  const StartedRange range = StartRange(log, named.marks, named.id != 0, false);
  if (range.id == 0) return 0;
  if (range.is_told) {
    const uint64_t begin = Ticks();
    const bool has_labels = count != 0 && EmitLabels(log, domain, begin, labels, count);
    const uint8_t flags = has_labels ? kHasPayload : 0;
    TellStart(log, range.id, begin, {kSource, domain, named.id, flags});
  }
  return range.id | kAnywhere;
}

void End(uint64_t id) {
  const uint64_t end = Ticks();
  if ((id & kAnywhere) != 0) return EndAnywhere(id & ~kAnywhere, end);
  const HookScope scope(HookKind::kEnds);
  if (!scope) return;
  // First: the range may be the stage by which its thread is recorded.
  if (AsksForDeviceTime(scope.log())) EndDeviceTime(scope.log(), id);
  LeaveOwned(scope.log(), kSource, id, end);
}

void ForgetRegions() {
  ForgetAllRanges();
  ForgetDeviceTimes();
}

}  // namespace syncline::program
