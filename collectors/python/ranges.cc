// SPDX-License-Identifier: Apache-2.0
// Pushes and pops on the thread's stack of open ranges.
#include "collectors/python/ranges.h"

#include "inject/core/emit.h"
#include "inject/core/range_gate.h"
#include "inject/core/range_names.h"

namespace syncline::python {
namespace {

constexpr Source kSource = SYNCLINE_SOURCE_python;
constexpr char kDomainName[] = "py";
constexpr std::string_view kDomain = kDomainName;
// No other domain of the process has this number: NVTX's count from 1.
constexpr uint64_t kDomainKey = uint64_t{kSource} << 32;
// Of a stream whose table of domains is full: the last one that NVTX would give.
constexpr uint16_t kDomainBeyondTable = 0xfffe;

uint16_t DefineDomain(ThreadLog& log) {
  const bool fits = log.domain_count < kThreadDomains;
  const uint16_t id = fits ? static_cast<uint16_t>(log.domain_count + 1) : kDomainBeyondTable;
  if (!EmitText(log, RecordKind::kDomain, id, kDomainKey, 0, kSource, kDomain.data(),
                kDomain.size())) {
    CountLoss(kLoss_definition);
    return kDomainBeyondTable;
  }
  if (fits) log.domains[log.domain_count++] = kDomainName;
  return id;
}

// 0: the stream does not have it yet.
uint16_t KnownDomain(const ThreadLog& log) {
  for (uint64_t i = 0; i < log.domain_count; ++i) {
    if (log.domains[i] == kDomainName) return static_cast<uint16_t>(i + 1);
  }
  return 0;
}

bool Knows(const NameCacheEntry& entry, const Chosen& function) {
  return entry.key == &function && PlainBytes(entry) == kHandleName;
}

uint8_t MarksOf(NameCacheEntry& entry, std::string_view name) {
  if (entry.marks == kMarksUnknown) {
    entry.marks = MarksOfName(name);
    if (entry.marks != 0) entry.bytes |= kMarkedName;
  }
  return entry.marks == 0 ? uint8_t{0} : MarksOfRange(name, kDomain);
}

// Names are forgotten and defined again under other ids: by what a range is left, must stay.
uint64_t OwnerOf(const Chosen& function) { return reinterpret_cast<uintptr_t>(&function); }

bool IsOf(const OpenRange& range, const Chosen& function) {
  return range.source == kSource && range.owner == OwnerOf(function);
}

OpenRange* Push(ThreadLog& log, uint16_t domain, uint32_t name, const Chosen& function) {
  OpenRange* range = PushRange(log, kSource, name, domain, name == 0);
  if (range != nullptr) range->owner = OwnerOf(function);
  return range;
}

void PushMarked(ThreadLog& log, uint16_t domain, uint32_t name, const Chosen& function,
                uint8_t its_marks) {
  const uint8_t marks = EnterMarked(log, its_marks, true);
  OpenRange* range = Push(log, domain, name, function);
  if (range == nullptr) return LeaveMarked(log, marks);
  range->marks = marks;
  // After it: whoever leaves the range finds its marks.
  std::atomic_signal_fence(std::memory_order_release);
  range->flags |= kIsMarked;
}

// How many ranges are open below and with the innermost one of the function's, 0: none.
uint32_t FindOpen(const ThreadLog& log, const Chosen& function) {
  uint32_t at = log.depth;
  while (at > 0 && !IsOf(log.stack[at - 1], function)) --at;
  return at;
}

// Greenlets leave functions in another order than they enter them: what lies above ends with it.
__attribute__((noinline)) void PopDown(ThreadLog& log, const Chosen& function, uint64_t end) {
  const uint32_t found = FindOpen(log, function);
  if (found == 0) return;
  for (uint32_t at = log.depth; at >= found && log.depth >= found; --at) {
    const OpenRange& range = log.stack[at - 1];
    if (range.source == kSource) PopRange(log, range.domain, end);
  }
}

}  // namespace

void Enter(const Chosen& function) {
  const HookScope scope;
  if (!scope) return;
  ThreadLog& log = scope.log();
  uint16_t domain = KnownDomain(log);
  if (__builtin_expect(domain == 0, 0)) domain = DefineDomain(log);
  NameCacheEntry& entry = NameSlot(log, &function);
  const uint32_t name =
      __builtin_expect(Knows(entry, function), 1)
          ? entry.id
          : DefineName(log, entry, &function, function.name, function.bytes, true);
  const uint8_t marks =
      entry.marks == 0 ? uint8_t{0} : MarksOf(entry, {function.name, function.bytes});
  if (__builtin_expect(marks != 0, 0)) return PushMarked(log, domain, name, function, marks);
  Push(log, domain, name, function);
}

void Leave(const Chosen& function) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  if (!scope) return;
  ThreadLog& log = scope.log();
  if (__builtin_expect(log.over_depth != 0, 0)) {  // its enter found the stack full
    PopRange(log, 0, end);
    return;
  }
  if (__builtin_expect(log.depth == 0, 0)) return;
  const OpenRange& top = log.stack[log.depth - 1];
  if (__builtin_expect(!IsOf(top, function), 0)) return PopDown(log, function, end);
  PopRange(log, top.domain, end);
}

}  // namespace syncline::python
