// SPDX-License-Identifier: Apache-2.0
// Collects facts; caps what a hostile spool could make grow.
#include "model/run/survey.h"

#include <algorithm>

#include "inject/core/domain_marks.h"
#include "inject/core/segment.h"
#include "model/spool/payload_walk.h"

namespace syncline {
namespace {

constexpr size_t kMaxAnchorsKept = 1 << 17;
constexpr size_t kMaxThreads = 1 << 20;
constexpr size_t kMaxCategories = 1 << 16;
constexpr size_t kMaxResources = 4096;
constexpr size_t kMostPayloadDomains = 256;
constexpr size_t kMaxLogKept = 1 << 16;

}  // namespace

void Survey::OnProcess(const SpoolProcess& value) {
  has_process = true;
  process = value;
}

void Survey::OnAnchors(std::span<const Anchor> more) {
  anchors.insert(anchors.end(), more.begin(), more.end());
  if (anchors.size() <= kMaxAnchorsKept) return;
  // A very long run: every second one will do.
  size_t kept = 0;
  for (size_t i = 0; i < anchors.size(); i += 2) anchors[kept++] = anchors[i];
  anchors.resize(kept);
}

void Survey::OnCounters(const SpoolCounters& value) {
  has_counters = true;
  counters = value;
}

void Survey::OnGated(const SpoolGate& counts) {
  std::copy(std::begin(counts.gated), std::end(counts.gated), gated);
  steps = counts.steps;
}

void Survey::OnLog(std::string_view text) {
  log.append(text.substr(0, kMaxLogKept - std::min(kMaxLogKept, log.size())));
}

void Survey::OnEnd(const SpoolEnd& value) {
  has_end = true;
  end = value;
}

void Survey::OnStream(Stream& stream, const StreamRecord& record) {
  if (threads.size() >= kMaxThreads && !threads.contains(stream.tid())) return;
  streams += record.part == 0;
  ThreadFacts& thread = threads[stream.tid()];
  if (!thread.recorded) thread.order = static_cast<uint32_t>(threads.size());
  thread.recorded = true;
  thread.main = thread.main || stream.main_thread();
}

void Survey::MarkHost(const Stream& stream) {
  last_host_ = stream.id();
  const auto thread = threads.find(stream.tid());
  if (thread != threads.end()) thread->second.host = true;
}

void Survey::MarkDevice(const Stream& stream) {
  last_device_ = stream.id();
  const auto thread = threads.find(stream.tid());
  if (thread != threads.end()) thread->second.device = true;
}

void Survey::CheckPayloads(const Stream& stream, const Payloads* payloads) {
  if (payloads == nullptr) return;
  PayloadVisitor nobody;
  for (const ExtendedPayload& payload : *payloads)
    bad_payloads += WalkPayload(stream, payload, &nobody) == PayloadShape::kBad;
}

void Survey::OnRange(const RangeEvent& event) {
  SeeHost(event.stream);
  ++ranges;
  last_ticks = std::max(last_ticks, event.record.end);
  if ((event.record.head.flags & (kCrossing | kHasPayload)) == 0) return;
  const DomainEntry* domain = event.stream.Domain(event.record.domain);
  if ((event.record.head.flags & kHasPayload) != 0 && domain != nullptr &&
      payload_domains.size() < kMostPayloadDomains)
    payload_domains.insert(domain->name);
  CheckPayloads(event.stream, event.payloads);
  if ((event.record.head.flags & kCrossing) == 0) return;
  const CrossingKey key{event.stream.tid(), domain == nullptr ? UINT64_MAX : domain->key};
  if (crossing_domains.contains(key)) return;
  uint32_t& used = crossing_of_thread_[key.first];
  if (used >= kMostCrossingDomains) return;
  crossing_domains[key] = {used++, domain == nullptr ? std::string() : domain->name};
}

void Survey::OnOperator(const RangeEvent& event) {
  ++operators;
  operators_have_lines = operators_have_lines || (event.stream.marks() & kOperatorsHaveLines) != 0;
  OnRange(event);
}

void Survey::OnModule(const RangeEvent& event) {
  ++modules;
  OnRange(event);
}

void Survey::OnRangeStart(const RangeEvent& event) {
  SeeHost(event.stream);
  ++started;
  last_ticks = std::max(last_ticks, event.record.begin);
  lanes.insert(event.record.lane);
  CheckPayloads(event.stream, event.payloads);
}

void Survey::OnRangeEnd(const RangeEvent& event) {
  last_ticks = std::max(last_ticks, event.record.begin);
}

void Survey::OnMemory(Stream& stream, const MemoryRecord& record) {
  SeeHost(stream);
  ++memory;
  last_ticks = std::max(last_ticks, record.ticks);
}

void Survey::OnMark(const RangeEvent& event) {
  SeeHost(event.stream);
  ++marks;
  last_ticks = std::max(last_ticks, event.record.begin);
  CheckPayloads(event.stream, event.payloads);
}

void Survey::OnOpenRange(const RangeEvent& event) {
  SeeHost(event.stream);
  ++open_ranges;
  last_ticks = std::max(last_ticks, event.record.begin);
  CheckPayloads(event.stream, event.payloads);
}

void Survey::OnCall(Stream& stream, const CallRecord& call) {
  SeeHost(stream);
  last_ticks = std::max(last_ticks, call.end);
  Of(call.source).calls.OnCall(call);
  CheckPayloads(stream, stream.arguments());
}

void Survey::OnOpenCall(Stream& stream, const CallRecord& call) {
  SeeHost(stream);
  last_ticks = std::max(last_ticks, call.begin);
  Of(call.source).calls.OnCall(call);
}

void Survey::OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* /*kernel*/) {
  if (stream.id() != last_device_) MarkDevice(stream);
  DevicesOf(op.source).OnDeviceOp(op);
  CheckPayloads(stream, stream.arguments());
}

void Survey::OnDeviceEvent(Stream& stream, const DeviceEventRecord& note) {
  if (stream.id() != last_device_) MarkDevice(stream);
  DevicesOf(note.source).OnDeviceEvent(note);
}

void Survey::OnDeviceClock(Stream& stream, const DeviceClockRecord& reading) {
  if (stream.id() != last_device_) MarkDevice(stream);
  DevicesOf(reading.head.flags).OnDeviceClock(reading);
}

void Survey::OnGpuCoverage(Stream& stream, const GpuCoverageRecord& record) {
  const std::string_view* why = record.head.id == 0 ? nullptr : stream.Name(record.head.id);
  DevicesOf(record.source).OnCoverage(record, why == nullptr ? std::string_view() : *why);
}

void Survey::OnDevice(Source source, uint64_t device, const DeviceFacts& facts,
                      std::string_view name) {
  DevicesOf(source).OnDevice(device, facts, name);
}

void Survey::OnThreadName(uint32_t tid, std::string_view name) {
  if (threads.size() >= kMaxThreads && !threads.contains(tid)) {
    ++names_left_out;
    return;
  }
  ThreadFacts& thread = threads[tid];
  if (!thread.recorded) thread.order = static_cast<uint32_t>(threads.size());
  thread.given_name = name;
}

void Survey::OnCategory(uint64_t domain_key, uint32_t category, std::string_view name) {
  if (categories.size() < kMaxCategories)
    categories[{domain_key, category}] = name;
  else
    ++names_left_out;
}

void Survey::OnResource(uint32_t type, uint64_t identifier, std::string_view name) {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const SourceFacts& facts = *kSourceFacts[i];
    const bool its_own = std::any_of(facts.devices.named.begin(), facts.devices.named.end(),
                                     [type](const ResourceRow& row) { return row.type == type; });
    if (its_own) DevicesOf(facts.source).names.OnResource(type, identifier, name);
  }
  if (resources.size() < kMaxResources)
    resources.push_back({type, identifier, std::string(name)});
  else
    ++names_left_out;
}

bool Survey::OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) {
  return !progress_ || progress_(bytes_read, bytes_total);
}

}  // namespace syncline
