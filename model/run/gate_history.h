// SPDX-License-Identifier: Apache-2.0
// When a process recorded: the changes of its gate, and which device work was launched meanwhile.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/devices/by_source.h"
#include "model/devices/coverage_gaps.h"
#include "model/devices/device_clocks.h"
#include "model/run/step_costs.h"
#include "model/run/survey.h"
#include "model/spool/record_sink.h"
#include "model/spool/timeline.h"

namespace syncline {

// A time in which the gate was open, in ticks.
struct OpenWindow {
  uint64_t begin = 0;
  uint64_t end = UINT64_MAX;  // UINT64_MAX: until the process ended
};

// Fed by a reading before the others, of spools whose process says that it has a gate. Changes
// that were lost (damage, full rings) behind the first that is there make windows shorter, never
// longer.
class GateHistory : public RecordSink {
 public:
  // `most_calls`: with more, all device work counts as recorded. 16 bytes a call.
  explicit GateHistory(uint64_t most_calls) : most_calls_(most_calls) {}

  unsigned Interests() const override { return kFacts | kCalls | kDevices | kRangeNames; }
  void OnProcess(const SpoolProcess& process) override { facts_.OnProcess(process); }
  void OnAnchors(std::span<const Anchor> anchors) override { facts_.OnAnchors(anchors); }
  void OnGated(const SpoolGate& counts) override { calls_left_out_ = counts.gated[kGatedCalls]; }
  void OnGate(const GateRecord& change) override;
  void OnCall(Stream& stream, const CallRecord& call) override;
  void OnOpenCall(Stream& stream, const CallRecord& call) override { OnCall(stream, call); }
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) override;
  void OnDeviceClock(Stream& stream, const DeviceClockRecord& reading) override {
    facts_.OnDeviceClock(stream, reading);
  }
  void OnName(std::string_view name) override;

  // After the reading.
  void Finish();

  const std::vector<OpenWindow>& windows() const { return windows_; }
  // Nothing that begins from here on was asked for: the last step that was to be recorded was the
  // program's last. UINT64_MAX: all was.
  uint64_t end_ticks() const { return end_ticks_; }
  // That is because there are more changes than are kept.
  bool is_cut() const { return too_many_changes_; }
  // Some of the names that ranges had, recorded or not.
  const std::set<std::string>& range_names() const { return names_; }
  // When the gate was opened for the first time after its `changes`th change; 0: never.
  uint64_t OpenedAfter(uint64_t changes) const;
  // Whether the call that caused this was recorded.
  bool IsRecorded(Source source, uint32_t correlation) const;
  // The same of a device's work. Where no calls are recorded at all (--cuda-api none) the time of
  // its begin decides.
  bool IsRecorded(const DeviceOpRecord& op) const;
  bool IsRecorded(const DeviceEventRecord& note) const;
  // What recording cost the steps, if that shows; all 0 also where there are too many calls.
  RecordingCost CostOfRecording(Timeline* line) const {
    return too_many_ ? RecordingCost() : steps_.Cost(line);
  }
  // Whether the work ran while the gate was open, or ended at most a millisecond before.
  bool IsNear(const DeviceOpRecord& op) const;

 private:
  struct Change {
    int64_t number;  // without wrapping
    GateRecord record;
  };
  struct OfSource {
    explicit OfSource(Source) {}
    std::vector<std::pair<uint32_t, uint64_t>> calls;  // correlation, begin
    DeviceClocks clocks;
  };

  bool CallsAreSeen() const { return too_many_ || calls_ != 0 || calls_left_out_ != 0; }
  bool BeganInWindow(const DeviceTimeline& clock, uint64_t begin) const;
  void NumberChanges();
  void FindWindows();
  void Apply(const GateRecord& record, bool* process_open, std::set<uint32_t>* threads);

  const uint64_t most_calls_;
  bool too_many_ = false;
  bool too_many_changes_ = false;
  uint64_t calls_ = 0;
  uint64_t calls_left_out_ = 0;  // by the process
  Survey facts_;                 // the process, its clocks
  std::vector<Change> changes_;  // by number
  std::vector<OpenWindow> windows_;
  StepCosts steps_;
  std::vector<CoverageGap> windows_ns_, near_ns_;  // on a line of their own
  uint64_t end_ticks_ = UINT64_MAX;
  std::set<std::string> names_;
  std::set<std::string> work_names_;  // of kernels
  Timeline line_;
  BySource<OfSource> sources_;
};

// `windows` on a process's line, clipped to its life: the times in which nothing was recorded.
std::vector<CoverageGap> ClosedTimes(const GateHistory& gate, Timeline* line, uint64_t begin_ns,
                                     uint64_t end_ns);

}  // namespace syncline
