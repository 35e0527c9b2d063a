// SPDX-License-Identifier: Apache-2.0
// NVTX's extensions: payloads, scopes, time domains; counters and deferred events are accepted but
// not recorded.
#include <atomic>

#include "collectors/nvtx/event.h"
#include "collectors/nvtx/hooks.h"
#include "collectors/nvtx/payload.h"
#include "collectors/nvtx/registry.h"
#include "collectors/nvtx/schema.h"

namespace syncline::nvtx::hook {
namespace {

std::atomic<uint64_t> g_next_id;  // of scopes, time domains and counters

uint64_t AskedOrNewId(uint64_t asked) {
  if (asked != 0) return asked;
  return (uint64_t{1} << 32) + g_next_id.fetch_add(1, std::memory_order_relaxed);
}

uint32_t DomainOfSchema(nvtxDomainHandle_t domain) {
  const uint32_t number = DomainNumber(domain);
  return number != kNoIndex ? number : 0;
}

}  // namespace

uint64_t PayloadSchemaRegister(nvtxDomainHandle_t domain,
                               const nvtxPayloadSchemaAttr_t* attributes) {
  return RegisterSchema(DomainOfSchema(domain), attributes, 0);
}

uint64_t PayloadEnumRegister(nvtxDomainHandle_t domain, const nvtxPayloadEnumAttr_t* attributes) {
  return RegisterEnum(DomainOfSchema(domain), attributes, 0);
}

void MarkPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, size_t count) {
  HookScope scope;
  if (!scope || !ArePayloadsUsable(payloads, count)) return;
  ThreadLog& log = scope.log();
  const uint16_t domain_id = DomainId(log, domain);
  Name name = {0, false};
  Extras extras = {};
  extras.payloads = payloads;
  extras.payload_count = count;
  ReadEventAttributes(log, domain, domain_id, payloads, count, &name, &extras);
  MarkWithExtras(log, domain, domain_id, name, extras);
}

int RangePushPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, size_t count) {
  HookScope scope;
  if (!scope) return -1;
  ThreadLog& log = scope.log();
  const uint16_t domain_id = DomainId(log, domain);
  Name name = {0, false};
  Extras extras = {};
  if (ArePayloadsUsable(payloads, count)) {
    extras.payloads = payloads;
    extras.payload_count = count;
    ReadEventAttributes(log, domain, domain_id, payloads, count, &name, &extras);
  }
  return PushWithExtras(log, domain, domain_id, name, extras);
}

// What the payloads say of name, colour and category replaces what the push said; the rest is
// added.
int RangePopPayload(nvtxDomainHandle_t domain, const nvtxPayloadData_t* payloads, size_t count) {
  const uint64_t end = Ticks();
  HookScope scope(HookKind::kEnds);
  if (!scope) return -1;
  ThreadLog& log = scope.log();
  const uint16_t domain_id = PoppedDomainId(log, domain);
  uint32_t at = log.depth;
  while (at > 0 && log.stack[at - 1].domain != domain_id) --at;
  const bool recorded = at != 0 && (log.stack[at - 1].flags & kBegunClosed) == 0;
  if (recorded && log.over_depth == 0 && ArePayloadsUsable(payloads, count)) {
    Name name = {log.stack[at - 1].name, false};
    Extras extras = {};
    if ((log.stack[at - 1].flags & kHasAttributes) != 0)
      extras.attributes = log.stack[at - 1].attributes;
    ReadEventAttributes(log, domain, domain_id, payloads, count, &name, &extras);
    const bool any = EmitPayloads(log, domain, domain_id, log.stack[at - 1].begin, payloads, count);
    OpenRange& range = log.stack[at - 1];  // again: recording payloads may have moved the stack
    if (name.id != 0) range.name = name.id;
    range.attributes = extras.attributes;
    range.flags |= static_cast<uint8_t>(extras.flags | (any ? kHasPayload : 0));
  }
  return PopRange(log, domain_id, end);
}

uint8_t DomainIsEnabled(nvtxDomainHandle_t) { return 1; }

// Nanoseconds of CLOCK_MONOTONIC, to which the anchors of a trace tie all its times.
int64_t TimestampGet() { return static_cast<int64_t>(MonotonicNs()); }

uint64_t TimeDomainRegister(nvtxDomainHandle_t, const nvtxTimeDomainAttr_t* attributes) {
  return attributes != nullptr ? AskedOrNewId(attributes->timeDomainId) : NVTX_TIME_DOMAIN_ID_NONE;
}

uint64_t ScopeRegister(nvtxDomainHandle_t, const nvtxScopeAttr_t* attributes) {
  if (attributes == nullptr || attributes->structSize < sizeof(nvtxScopeAttr_t))
    return NVTX_SCOPE_NONE;
  return AskedOrNewId(attributes->scopeId);
}

// Their times are of clocks that may be anybody's, so they have no place on our timeline.
void EventSubmit(nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t) {
  CountLoss(kLoss_unsupported);
}
void EventBatchSubmit(nvtxDomainHandle_t, const nvtxEventBatch_t*) { CountLoss(kLoss_unsupported); }

uint64_t CounterRegister(nvtxDomainHandle_t, const nvtxCounterAttr_t* attributes) {
  return attributes != nullptr && attributes->structSize >= sizeof(nvtxCounterAttr_t)
             ? AskedOrNewId(attributes->counterId)
             : 0;
}

void CounterSampleInt64(nvtxDomainHandle_t, uint64_t, int64_t) { CountLoss(kLoss_unsupported); }
void CounterSampleFloat64(nvtxDomainHandle_t, uint64_t, double) { CountLoss(kLoss_unsupported); }
void CounterSample(nvtxDomainHandle_t, uint64_t, const void*, size_t) {
  CountLoss(kLoss_unsupported);
}
void CounterSampleNoValue(nvtxDomainHandle_t, uint64_t, uint8_t) { CountLoss(kLoss_unsupported); }
void CounterBatchSubmit(nvtxDomainHandle_t, const nvtxCounterBatch_t*) {
  CountLoss(kLoss_unsupported);
}

}  // namespace syncline::nvtx::hook
