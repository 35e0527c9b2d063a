// SPDX-License-Identifier: Apache-2.0
// Start/end ranges, with and without extended payloads.
#include "collectors/nvtx/chain.h"
#include "collectors/nvtx/event.h"
#include "collectors/nvtx/hooks.h"
#include "collectors/nvtx/payload.h"
#include "collectors/nvtx/text.h"
#include "inject/core/range_gate.h"
#include "inject/core/start_end.h"

namespace syncline::nvtx::hook {
namespace {

bool EndsGoToTool() {
  return HasNext(false, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangeEnd) ||
         HasNext(false, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangeEnd);
}

nvtxRangeId_t Start(ThreadLog& log, const void* domain_handle, uint16_t domain, Name name,
                    const Extras& extras) {
  const uint8_t marks = name.marks == 0 ? 0 : EnterMarked(log, name.marks, false);
  const bool closed = IsClosedFor(log);
  if (closed) CountGated(log, kGatedRanges);
  // The program gives back the tool's own id for a range that we do not know, which may be that of
  // one that we do.
  const bool is_kept = marks != 0 || (closed && EndsGoToTool());
  if ((closed || name.lost) && !is_kept) return UnrecordedRange();  // lost: counted as a definition
  uint16_t lane = 0;
  const uint64_t id = ClaimRange(&lane);
  if (id == 0) {
    if (!closed) CountLoss(kLoss_too_many_open);
    if (marks != 0) LeaveMarked(log, marks);
    return UnrecordedRange();
  }
  SetMarks(id, marks);
  if (closed || name.lost) {
    ForgetRange(id);
    return id;
  }
  const uint64_t begin = Ticks();
  uint8_t flags = extras.flags;
  if (extras.payload_count != 0 &&
      EmitPayloads(log, domain_handle, domain, begin, extras.payloads, extras.payload_count)) {
    flags |= kHasPayload;
  }
  if (!EmitMoment(log, RecordKind::kRangeStart, name.id, begin, id, domain, lane, flags,
                  &extras.attributes)) {
    CountLoss(kLoss_ring_full);
    ForgetRange(id);
  }
  return id;
}

// `end` was taken before the lane is given back, so that the next range in it cannot begin earlier.
void End(ThreadLog& log, nvtxRangeId_t id, uint64_t end, uint32_t name, uint16_t domain,
         uint8_t flags, const RangeAttributes* attributes) {
  uint8_t marks = 0;
  switch (ReleaseRange(id, &marks)) {
    case EndResult::kRecorded:
      if (!EmitMoment(log, RecordKind::kRangeEnd, name, end, id, domain, 0, flags, attributes))
        CountLoss(kLoss_ring_full);
      break;
    case EndResult::kForgotten:
      break;
    case EndResult::kUnknown:
      CountLoss(kLoss_unbalanced_pop);
      break;
  }
  if (marks != 0) LeaveMarked(log, marks);
}

// An end on a thread that cannot record now: the lane is free all the same.
void LoseEnd(nvtxRangeId_t id) {
  uint8_t marks = 0;  // of a stage: it stays open, so that too much is recorded, not too little
  if (ReleaseRange(id, &marks) == EndResult::kRecorded) {
    CountLoss(t_log != nullptr ? kLoss_nested_signal : kLoss_no_ring);
  }
}

nvtxRangeId_t StartNamed(const char* message, const wchar_t* wide) {
  HookScope scope;
  if (!scope) return UnrecordedRange();
  ThreadLog& log = scope.log();
  Name name = {0, false};
  if (message != nullptr) name = AsciiName(log, message, 0);
  if (wide != nullptr) name = WideName(log, wide, 0);
  return Start(log, nullptr, 0, name, {});
}

}  // namespace

nvtxRangeId_t RangeStartA(const char* message) { return StartNamed(message, nullptr); }

nvtxRangeId_t RangeStartW(const wchar_t* message) { return StartNamed(nullptr, message); }

nvtxRangeId_t DomainRangeStartEx(nvtxDomainHandle_t domain,
                                 const nvtxEventAttributes_t* attributes) {
  HookScope scope;
  if (!scope) return UnrecordedRange();
  ThreadLog& log = scope.log();
  const uint16_t domain_id = DomainId(log, domain);
  Extras extras = {};
  if (!IsUsable(attributes)) {
    CountLoss(kLoss_bad_attributes);
    return Start(log, domain, domain_id, {0, false}, extras);
  }
  ReadExtras(log, *attributes, &extras);
  return Start(log, domain, domain_id,
               NameOf(log, attributes->messageType, attributes->message, domain_id), extras);
}

nvtxRangeId_t RangeStartEx(const nvtxEventAttributes_t* attributes) {
  return DomainRangeStartEx(nullptr, attributes);
}

nvtxRangeId_t RangeStartPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads,
                                size_t count) {
  HookScope scope;
  if (!scope) return UnrecordedRange();
  ThreadLog& log = scope.log();
  const uint16_t domain_id = DomainId(log, domain);
  Name name = {0, false};
  Extras extras = {};
  if (ArePayloadsUsable(payloads, count)) {
    extras.payloads = payloads;
    extras.payload_count = count;
    ReadEventAttributes(log, domain, domain_id, payloads, count, &name, &extras);
  }
  return Start(log, domain, domain_id, name, extras);
}

void RangeEnd(nvtxRangeId_t id) {
  const uint64_t end = Ticks();
  HookScope scope(HookKind::kEnds);  // first: in a fork's child it forgets the parent's ranges
  if (!scope) {
    LoseEnd(id);
    return;
  }
  End(scope.log(), id, end, 0, 0, 0, nullptr);
}

void DomainRangeEnd(nvtxDomainHandle_t, nvtxRangeId_t id) { RangeEnd(id); }

void RangeEndPayload(nvtxDomainHandle_t domain, nvtxRangeId_t id, const nvtxPayloadData_t* payloads,
                     size_t count) {
  const uint64_t end = Ticks();
  HookScope scope(HookKind::kEnds);
  if (!scope) {
    LoseEnd(id);
    return;
  }
  ThreadLog& log = scope.log();
  Name name = {0, false};
  Extras extras = {};
  uint16_t domain_id = 0;
  if (ArePayloadsUsable(payloads, count)) {
    domain_id = DomainId(log, domain);
    ReadEventAttributes(log, domain, domain_id, payloads, count, &name, &extras);
    if (EmitPayloads(log, domain, domain_id, end, payloads, count)) extras.flags |= kHasPayload;
  }
  End(log, id, end, name.id, domain_id, extras.flags, &extras.attributes);
}

}  // namespace syncline::nvtx::hook
