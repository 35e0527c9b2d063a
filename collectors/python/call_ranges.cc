// SPDX-License-Identifier: Apache-2.0
// A row of start/end ranges is held for each call, so that calls which wait for each other or take
// turns on a thread do not mix.
#include "collectors/python/call_ranges.h"

#include <sys/mman.h>

#include <cstring>

#include "collectors/python/open_calls.h"
#include "inject/core/defined_contents.h"
#include "inject/core/owned_ranges.h"
#include "inject/core/start_end.h"
#include "inject/core/started_ranges.h"
#include "inject/core/sys.h"

namespace syncline::python {
namespace {

constexpr Source kCallSource = SYNCLINE_SOURCE_python;
constexpr OwnedDomain kCallDomain = {kCallSource, "py.call", (uint64_t{kCallSource} << 32) + 1};

constinit OpenCalls g_open = {};

// By the row that an open call holds; null: no call had any yet. Memory is taken from the system
// and kept.
using Labels = uint64_t[kMostLabelWords];
Labels* g_labels;
uint16_t g_label_counts[kMaxOpen];

// What a record says of the call's details, if it has any: in `*attributes`, which it points at.
MomentFacts FactsOf(ThreadLog& log, uint32_t name, const CallDetails* details,
                    RangeAttributes* attributes) {
  MomentFacts facts = {kCallSource, IdOfDomain(log, kCallDomain), name};
  if (details == nullptr || details->count == 0) return facts;
  *attributes = {};
  attributes->payload_type = static_cast<uint32_t>(PayloadType::kDetails);
  attributes->arguments = ContentId(log, details->words, details->count);
  if (attributes->arguments == 0) return facts;  // lost, counted
  facts.flags = kHasAttributes;
  facts.attributes = attributes;
  return facts;
}

bool MakeLabels() {
  if (g_labels == nullptr) {
    g_labels = static_cast<Labels*>(
        SysMap(sizeof(Labels) * kMaxOpen, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1));
  }
  return g_labels != nullptr;
}

void KeepLabels(uint64_t id, const CallDetails* details) {
  const uint16_t lane = LaneOfRange(id);
  const size_t count = details == nullptr ? 0 : details->label_count;
  const bool is_kept = count != 0 && count <= kMostLabelWords && MakeLabels();
  g_label_counts[lane] = is_kept ? static_cast<uint16_t>(count) : uint16_t{0};
  if (is_kept) std::memcpy(g_labels[lane], details->words, count * sizeof(uint64_t));
}

// The function's name, as of its stretches. Null: it could not be recorded (counted).
NameCacheEntry* NameOfCall(ThreadLog& log, const Chosen& function) {
  NameCacheEntry& entry = NameSlot(log, &function);
  const bool known = entry.key == &function && PlainBytes(entry) == kHandleName;
  if (!known && DefineName(log, entry, &function, function.name, function.bytes, true) == 0)
    return nullptr;
  return &entry;
}

// 0: the call is not recorded, and opens no stage.
uint64_t BeginRange(ThreadLog& log, const Chosen& function, const CallDetails* details) {
  NameCacheEntry* name = NameOfCall(log, function);
  if (name == nullptr) return 0;
  const uint8_t marks = MarksOfOwned(*name, {function.name, function.bytes}, kCallDomain);
  // Stretches of it that are recorded later bear its labels.
  const bool has_labels = details != nullptr && details->label_count != 0;
  const StartedRange range = StartRange(log, marks, true, has_labels);
  if (!range.is_told) return range.id;
  RangeAttributes attributes;
  const MomentFacts facts = FactsOf(log, name->id, details, &attributes);
  TellStart(log, range.id, Ticks(), facts);
  return range.id;
}

// `function`: null: not known, and there are no details.
void EndRange(ThreadLog& log, uint64_t id, uint64_t end, const Chosen* function = nullptr,
              const CallDetails* details = nullptr) {
  const NameCacheEntry* name = details == nullptr ? nullptr : NameOfCall(log, *function);
  RangeAttributes attributes;
  EndStarted(log, id, end, FactsOf(log, name == nullptr ? 0 : name->id, details, &attributes));
}

}  // namespace

bool BeginCall(const Chosen& function, const void* frame, const CallDetails* details) {
  const HookScope scope;  // first: in a fork's child it forgets the parent's calls
  const uint64_t stale = g_open.Remove(frame);
  if (!scope) return LoseEnd(stale), false;
  if (stale != 0) EndRange(scope.log(), stale, Ticks());
  const uint64_t id = BeginRange(scope.log(), function, details);
  if (id == 0) return false;
  KeepLabels(id, details);
  if (g_open.Add(frame, id)) return !IsClosedFor(scope.log());
  EndRange(scope.log(), id, Ticks());
  return false;
}

void EndCall(const Chosen& function, const void* frame, const CallDetails* details) {
  const uint64_t end = Ticks();
  const HookScope scope(HookKind::kEnds);
  const uint64_t id = g_open.Remove(frame);
  if (!scope) return LoseEnd(id);
  if (id != 0) EndRange(scope.log(), id, end, &function, details);
}

LabelWords LabelsOfCall(const void* frame) {
  const uint64_t id = g_open.Find(frame);
  if (id == 0) return {nullptr, 0};
  const uint16_t lane = LaneOfRange(id);
  if (g_label_counts[lane] == 0) return {nullptr, 0};
  return {g_labels[lane], g_label_counts[lane]};
}

void ForgetCalls() {
  g_open.Clear();
  ForgetAllRanges();
}

}  // namespace syncline::python
