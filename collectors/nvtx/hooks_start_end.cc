// SPDX-License-Identifier: Apache-2.0
// Start/end ranges, with and without extended payloads.
#include "collectors/nvtx/chain.h"
#include "collectors/nvtx/event.h"
#include "collectors/nvtx/hooks.h"
#include "collectors/nvtx/payload.h"
#include "collectors/nvtx/text.h"
#include "inject/core/start_end.h"
#include "inject/core/started_ranges.h"

namespace syncline::nvtx::hook {
namespace {

bool EndsGoToTool() {
  return HasNext(false, NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangeEnd) ||
         HasNext(false, NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangeEnd);
}

nvtxRangeId_t Start(ThreadLog& log, const void* domain_handle, uint16_t domain, Name name,
                    const Extras& extras) {
  // The program gives back the tool's own id for a range that we do not know, which may be that of
  // one that we do.
  const StartedRange range = StartRange(log, name.marks, !name.lost, EndsGoToTool());
  if (range.id == 0) return UnrecordedRange();
  if (!range.is_told) return range.id;
  const uint64_t begin = Ticks();
  uint8_t flags = extras.flags;
  if (extras.payload_count != 0 &&
      EmitPayloads(log, domain_handle, domain, begin, extras.payloads, extras.payload_count)) {
    flags |= kHasPayload;
  }
  TellStart(log, range.id, begin, {kSource, domain, name.id, flags, &extras.attributes});
  return range.id;
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
  if (!scope) return LoseEnd(id);
  EndStarted(scope.log(), id, end, {kSource, 0, 0});
}

void DomainRangeEnd(nvtxDomainHandle_t, nvtxRangeId_t id) { RangeEnd(id); }

void RangeEndPayload(nvtxDomainHandle_t domain, nvtxRangeId_t id, const nvtxPayloadData_t* payloads,
                     size_t count) {
  const uint64_t end = Ticks();
  HookScope scope(HookKind::kEnds);
  if (!scope) return LoseEnd(id);
  ThreadLog& log = scope.log();
  Name name = {0, false};
  Extras extras = {};
  uint16_t domain_id = 0;
  if (ArePayloadsUsable(payloads, count)) {
    domain_id = DomainId(log, domain);
    ReadEventAttributes(log, domain, domain_id, payloads, count, &name, &extras);
    if (EmitPayloads(log, domain, domain_id, end, payloads, count)) extras.flags |= kHasPayload;
  }
  EndStarted(log, id, end, {kSource, domain_id, name.id, extras.flags, &extras.attributes});
}

}  // namespace syncline::nvtx::hook
