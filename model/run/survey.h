// SPDX-License-Identifier: Apache-2.0
// First reading of a spool: all that a trace's head must say before its first event.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/devices/by_source.h"
#include "model/devices/call_survey.h"
#include "model/devices/device_survey.h"
#include "model/spool/record_sink.h"

namespace syncline {

struct ThreadFacts {
  bool main = false;
  bool recorded = false;   // it has a stream; otherwise only a name was given
  bool host = false;       // something of its own in that stream ...
  bool device = false;     // ... or what a GPU did, which a thread of the vendor's brought
  uint32_t order = 0;      // of appearance in the spool
  std::string given_name;  // by the program; the last one counts
};

// A domain whose ranges do not nest with the others of their thread.
struct CrossingDomain {
  uint32_t index = 0;  // of this thread's crossing domains
  std::string name;
};
inline constexpr uint32_t kMostCrossingDomains = 140;  // of one thread

struct NamedResource {
  uint32_t type;
  uint64_t identifier;
  std::string name;
};

// What one source told. A source without devices leaves `devices` empty.
struct SourceSurvey {
  explicit SourceSurvey(Source source,
                        std::shared_ptr<SurveyRoom> room = std::make_shared<SurveyRoom>())
      : calls(room), devices(source, std::move(room)) {}

  CallSurvey calls;
  DeviceSurvey devices;
};

// Sink of the first reading. Memory is bounded by the numbers of threads, categories and anchors,
// each capped.
class Survey : public RecordSink {
 public:
  // Called after each block; false stops the reading.
  using Progress = std::function<bool(uint64_t bytes_read, uint64_t bytes_total)>;
  explicit Survey(Progress progress = nullptr) : progress_(std::move(progress)) {}

  unsigned Interests() const override { return RecordSink::Interests() | kMemory; }
  void OnProcess(const SpoolProcess& value) override;
  void OnAnchors(std::span<const Anchor> anchors) override;
  void OnCounters(const SpoolCounters& value) override;
  void OnGated(const SpoolGate& counts) override;
  void OnLog(std::string_view text) override;
  void OnEnd(const SpoolEnd& value) override;
  void OnStream(Stream& stream, const StreamRecord& record) override;
  void OnRange(const RangeEvent& event) override;
  void OnRangeStart(const RangeEvent& event) override;
  void OnRangeEnd(const RangeEvent& event) override;
  void OnMark(const RangeEvent& event) override;
  void OnOpenRange(const RangeEvent& event) override;
  void OnOperator(const RangeEvent& event) override;
  void OnOpenOperator(const RangeEvent& event) override { OnOpenRange(event); }
  void OnModule(const RangeEvent& event) override;
  void OnOpenModule(const RangeEvent& event) override { OnOpenRange(event); }
  void OnCall(Stream& stream, const CallRecord& call) override;
  void OnOpenCall(Stream& stream, const CallRecord& call) override;
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) override;
  void OnDeviceEvent(Stream& stream, const DeviceEventRecord& note) override;
  void OnDeviceClock(Stream& stream, const DeviceClockRecord& reading) override;
  void OnMemory(Stream& stream, const MemoryRecord& record) override;
  void OnGpuCoverage(Stream& stream, const GpuCoverageRecord& record) override;
  void OnDevice(Source source, uint64_t device, const DeviceFacts& facts,
                std::string_view name) override;
  void OnThreadName(uint32_t tid, std::string_view name) override;
  void OnCategory(uint64_t domain_key, uint32_t category, std::string_view name) override;
  void OnResource(uint32_t type, uint64_t identifier, std::string_view name) override;
  bool OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) override;

  using CrossingKey = std::pair<uint32_t, uint64_t>;  // tid, domain's number
  using CategoryKey = std::pair<uint64_t, uint32_t>;  // domain's number, category

  bool has_process = false;
  bool has_counters = false;
  bool has_end = false;
  SpoolProcess process{};
  SpoolCounters counters{};
  SpoolEnd end{};
  std::vector<Anchor> anchors;
  std::string log;
  std::map<uint32_t, ThreadFacts> threads;  // by tid
  std::map<CrossingKey, CrossingDomain> crossing_domains;
  std::map<CategoryKey, std::string> categories;
  std::vector<NamedResource> resources;
  uint64_t names_left_out = 0;            // of threads, categories and resources, beyond the caps
  std::set<uint16_t> lanes;               // of start/end ranges
  std::set<std::string> payload_domains;  // whose ranges have extended payloads
  BySource<SourceSurvey> sources;
  uint64_t gated[kGatedKinds] = {};  // not recorded because the gate was closed
  uint64_t steps = 0;                // that a process with a gate counted
  uint64_t ranges = 0;
  uint64_t operators = 0;  // of these
  bool operators_have_lines = false;
  uint64_t modules = 0;  // and these
  uint64_t marks = 0;
  uint64_t memory = 0;  // blocks that allocators gave out or got back
  uint64_t open_ranges = 0;
  uint64_t started = 0;
  uint64_t bad_payloads = 0;
  uint64_t last_ticks = 0;  // of a record
  uint64_t streams = 0;

 private:
  SourceSurvey& Of(Source source) {
    SourceSurvey* survey = sources.Find(source);
    return survey != nullptr ? *survey : sources.Make(source, source, room_);
  }
  DeviceSurvey& DevicesOf(Source source) { return Of(source).devices; }
  void CheckPayloads(const Stream& stream, const Payloads* payloads);
  // Marks the thread of a record; one comparison for most records.
  void SeeHost(const Stream& stream) {
    if (stream.id() != last_host_) MarkHost(stream);
  }
  void MarkHost(const Stream& stream);
  void MarkDevice(const Stream& stream);

  std::shared_ptr<SurveyRoom> room_ = std::make_shared<SurveyRoom>();
  Progress progress_;
  std::map<uint32_t, uint32_t> crossing_of_thread_;
  uint64_t last_host_ = 0;    // stream of the last record that was the thread's own
  uint64_t last_device_ = 0;  // and of the last that was not
};

}  // namespace syncline
