// SPDX-License-Identifier: Apache-2.0
// Which start/end range is whose, by the function's address, which is its own until it ends.
#include "collectors/torch/async_ranges.h"

#include <atomic>
#include <cstdint>

#include "inject/core/copied_names.h"
#include "inject/core/start_end.h"
#include "inject/core/started_ranges.h"

namespace syncline::torch {
namespace {

constexpr size_t kPlaces = 2048;
constexpr size_t kMostLooks = 64;
constexpr uint64_t kBeingWritten = 1;  // no function has this address

struct AsyncPlace {
  std::atomic<uint64_t> function;  // 0: free
  uint64_t id;                     // written before `function` has the address
};
constinit AsyncPlace g_places[kPlaces] = {};

uint64_t AddressOfFunction(const void* function) { return reinterpret_cast<uintptr_t>(function); }

AsyncPlace& PlaceAt(uint64_t function, size_t look) {
  return g_places[((function * 0x9E3779B97F4A7C15ull >> 48) + look) % kPlaces];
}

// False: too many are open.
bool Keep(uint64_t function, uint64_t id) {
  for (size_t look = 0; look < kMostLooks; ++look) {
    AsyncPlace& place = PlaceAt(function, look);
    uint64_t free = 0;
    if (!place.function.compare_exchange_strong(free, kBeingWritten, std::memory_order_acquire))
      continue;
    place.id = id;
    place.function.store(function, std::memory_order_release);
    return true;
  }
  return false;
}

// 0: it has none.
uint64_t TakeBack(uint64_t function) {
  for (size_t look = 0; look < kMostLooks; ++look) {
    AsyncPlace& place = PlaceAt(function, look);
    if (place.function.load(std::memory_order_acquire) != function) continue;
    const uint64_t id = place.id;
    place.function.store(0, std::memory_order_release);
    return id;
  }
  return 0;
}

}  // namespace

// The program cannot give such a range a name: none is a stage or a step.
void BeginAsync(const void* function, std::string_view name, const OwnedDomain& domain) {
  const uint64_t address = AddressOfFunction(function);
  const HookScope scope;
  if (!scope) return;
  ThreadLog& log = scope.log();
  const uint16_t domain_id = IdOfDomain(log, domain);
  const NameCacheEntry* entry = CopiedName(log, name.data(), name.size());
  if (entry == nullptr) return;  // counted
  const StartedRange range = StartRange(log, 0, true, false);
  if (range.id == 0) return;
  if (Keep(address, range.id))
    return TellStart(log, range.id, Ticks(), {domain.source, domain_id, entry->id});
  uint8_t marks;
  ReleaseRange(range.id, &marks);
  CountLoss(kLoss_too_many_open);
}

void EndAsync(const void* function, const OwnedDomain& domain) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);  // first: in a fork's child it forgets the parent's
  const uint64_t id = TakeBack(AddressOfFunction(function));
  if (id == 0) return;
  if (!scope) return LoseEnd(id);
  ThreadLog& log = scope.log();
  EndStarted(log, id, end, {domain.source, IdOfDomain(log, domain), 0});
}

void TellStartAndEnd(ThreadLog& log, const OpenRange& range, uint64_t end, uint64_t row) {
  MomentFacts facts = {range.source, range.domain, range.name};
  bool is_told =
      EmitMoment(log, RecordKind::kRangeStart, facts, range.begin, row, LaneOfRange(row));
  facts.name = 0;
  is_told = is_told && EmitMoment(log, RecordKind::kRangeEnd, facts, end, row, 0);
  if (!is_told) CountLoss(kLoss_ring_full);
}

void ForgetAsync() {
  for (AsyncPlace& place : g_places) place.function.store(0, std::memory_order_relaxed);
  ForgetAllRanges();
}

}  // namespace syncline::torch
