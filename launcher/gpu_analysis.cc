// SPDX-License-Identifier: Apache-2.0
// What was found, as slices with Kineto-like arguments.
#include "launcher/gpu_analysis.h"

#include <algorithm>
#include <vector>

#include "analysis/idle.h"
#include "analysis/waits.h"
#include "inject/core/options.h"
#include "launcher/gpu_reading.h"
#include "launcher/range_stacks.h"
#include "launcher/text.h"
#include "writers/json.h"
#include "writers/json_object.h"
#include "writers/spool_reader.h"

namespace syncline {
namespace {

// An operation takes 48 bytes and a call 32, and 4 to 8 more while they are sorted.
constexpr uint64_t kBytesPerRecord = 64;
// A wait in three nested ranges takes 1.8 KiB: its slice, what its call's slice says, the ranges.
constexpr uint64_t kBytesPerFinding = 2048;

std::string Micros(uint64_t ns) {
  char text[kMaxNumberChars];
  return {text, PutMicros(text, ns)};
}

class Describer {
 public:
  Describer(const DeriveRequest& request, const GpuRecords& records,
            const std::vector<std::string>& names)
      : request_(request), records_(records), names_(names) {}

  std::string OpName(const Wait& wait) const {
    if (wait.op == kNoOp) return "";
    return names_[records_.ops[wait.op].kernel];
  }

  std::string WhatHappened(const Wait& wait) const {
    if (wait.open) return "did not return";
    if (wait.lost) return "what it waited for is not known";
    if (wait.op != kNoOp) return OpName(wait);
    return wait.waited_for == 0 ? "nothing was pending" : "a host function";
  }

  // What stands in the wait's slice and in that of its call.
  std::string Facts(const Wait& wait) const {
    JsonObject object;
    object.Text("class", WaitClassName(wait.wait_class));
    object.Raw("blocked_us", Micros(wait.end_ns - wait.begin_ns));
    const bool known = wait.waited_for != 0;
    object.Raw(
        "waited_for",
        known ? std::to_string(ShownCorrelation(request_.process, wait.waited_for)) : "null");
    if (wait.op != kNoOp) object.Text("waited_for_name", OpName(wait));
    const bool unknown = wait.lost || wait.open;
    object.Raw("already_done", unknown ? "null" : wait.already_done ? "true" : "false");
    if (wait.gpu_idle_after_ns != kNothingFollows)
      object.Raw("gpu_idle_after_us", Micros(wait.gpu_idle_after_ns));
    if (wait.count > 1) object.Uint("count", wait.count);
    if (wait.open) object.Raw("unfinished", "true");
    const std::string text = object.Take();
    return text.substr(1, text.size() - 2);
  }

  DerivedSlice Slice(const Wait& wait, const std::string& ranges) const {
    DerivedSlice slice;
    slice.begin_ns = wait.begin_ns;
    slice.end_ns = wait.end_ns;
    slice.id = wait.tid;
    slice.category = "sync_wait";
    // A full queue waits for an operation to begin.
    const bool for_end =
        wait.wait_class != WaitClass::kQueueFull && wait.wait_class != WaitClass::kGraph;
    if (wait.op != kNoOp && !wait.already_done && for_end) {
      const GpuOp& op = records_.ops[wait.op];
      slice.awaited = {op.correlation, {op.device, op.context, op.stream}, op.begin_ns};
    }
    const std::string& call = records_.call_names()[wait.name];
    slice.name = Text(call, ": ", WhatHappened(wait));
    JsonObject more;
    more.Text("call", call);
    if (!ranges.empty()) more.Text("ranges", ranges);
    const std::string text = more.Take();
    slice.arguments = Text(Facts(wait), ", ", text.substr(1, text.size() - 2));
    return slice;
  }

  // `ranges`: all that were open where the thread that submitted next was busy. They stand in an
  // argument: HTA takes each slice whose name contains a range's for that range.
  DerivedSlice Slice(const Gap& gap, const std::vector<Wait>& waits,
                     const std::string& ranges) const {
    DerivedSlice slice;
    slice.begin_ns = gap.begin_ns;
    slice.end_ns = gap.end_ns;
    slice.of_device = true;
    slice.id = gap.device;
    slice.category = "gpu_idle";
    slice.name = GapCauseName(gap.cause);
    JsonObject object;
    object.Text("cause", slice.name);
    if (gap.tid != 0) object.Uint("tid", gap.tid);
    if (gap.wait != kNoWait) {
      const Wait& wait = waits[gap.wait];
      slice.name = Text("host waited: ", records_.call_names()[wait.name]);
      object.Text("call", records_.call_names()[wait.name]);
      object.Text("class", WaitClassName(wait.wait_class));
    }
    if (!ranges.empty()) object.Text("ranges", ranges);
    const std::string text = object.Take();
    slice.arguments = text.substr(1, text.size() - 2);
    return slice;
  }

 private:
  const DeriveRequest& request_;
  const GpuRecords& records_;
  const std::vector<std::string>& names_;
};

uint64_t ShortestGapNs() {
  return static_cast<uint64_t>(std::max<int64_t>(OptionNumber(OptionIndex("cuda.gap")), 0));
}

// Where the thread was in the middle of the gap; of a wait, where it began to wait.
uint64_t MomentOf(const Gap& gap, const std::vector<Wait>& waits) {
  if (gap.wait != kNoWait) return waits[gap.wait].begin_ns;
  return gap.begin_ns + (gap.end_ns - gap.begin_ns) / 2;
}

}  // namespace

void AnalyseGpuWork(const DeriveRequest& request, uint64_t room, Derived* derived) {
  SpoolReader reader;
  if (!request.device.valid() || !reader.Open(request.spool).ok()) return;
  GpuRecords records;
  records.clock_error_ns = request.device_error_ns;
  records.end_ns = request.end_ns;
  records.device_records_lost = request.device_records_lost;
  for (const GpuPeriod& period : request.gpu_periods) {
    if (period.mode != GpuMode::kAll) records.unseen.push_back({period.begin_ns, period.end_ns});
  }
  const uint64_t most = room / kBytesPerRecord;
  GpuReading reading(request, most, &records);
  (void)reader.Read(&reading);  // what can be read of a damaged spool is analysed; the writer tells
  if (request.Stopped()) return;
  if (reading.too_many()) {
    derived->missing = Text("waits and gaps: more than ", CountText(most),
                            " calls and operations, too many for this machine's memory");
    return;
  }
  const std::vector<Wait> waits = FindWaits(records);
  const std::vector<Gap> gaps = FindGaps(records, waits, ShortestGapNs());
  const uint64_t left = room - (records.calls.size() + records.ops.size()) * kBytesPerRecord;
  if (waits.size() + gaps.size() > left / kBytesPerFinding) {
    derived->missing = Text("waits and gaps: ", CountText(waits.size() + gaps.size()),
                            ", too many for this machine's memory");
    return;
  }
  RangeStacks ranges(request);
  for (const Wait& wait : waits) ranges.Ask(wait.tid, wait.begin_ns);
  for (const Gap& gap : gaps) ranges.Ask(gap.tid, MomentOf(gap, waits));
  if (!ranges.empty()) (void)reader.Read(&ranges);

  const Describer describer(request, records, reading.names());
  size_t moment = 0;
  for (const Wait& wait : waits) {
    derived->slices.push_back(describer.Slice(wait, ranges.StackOf(moment++)));
    derived->of_calls.try_emplace(wait.correlation, describer.Facts(wait));
  }
  for (const Gap& gap : gaps) {
    derived->slices.push_back(describer.Slice(gap, waits, ranges.StackOf(moment++)));
  }
}

}  // namespace syncline
