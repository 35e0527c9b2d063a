// SPDX-License-Identifier: Apache-2.0
// Threads with ranges and calls, domains that cross, start/end ranges, kernels, waits.
#include "offline/testing/touching_spool.h"

#include <random>
#include <vector>

#include "model/testing/spool_builder.h"

namespace syncline::testing {
namespace {

enum Names : uint32_t { kFirstOfEight = 1, kCall = 9, kKernel, kStarted, kDeep };
constexpr uint64_t kBegin = kStartTicks + 1000000;

class Spool {
 public:
  explicit Spool(const TouchingSlices& wanted) : wanted_(wanted) {}

  SpoolBuilder Build() {
    SpoolBuilder spool;
    spool.Process(PlausibleProcess());
    spool.Records(0, Touching()).Records(1, Nested()).Records(2, Crossing()).Records(3, Started());
    return spool.End(kStartTicks + 100000000, true, 0);
  }
  Findings Waits();

 private:
  // Lengths of 0 and 1 step are frequent.
  uint64_t Length() {
    return (random_() % 4 == 0 ? random_() % 2 : random_() % 30) * wanted_.step_ns;
  }
  static RecordBatch Thread(uint64_t stream, uint32_t tid) {
    RecordBatch batch;
    batch.Stream(stream, tid, stream == 1);
    for (uint32_t i = 0; i < 8; ++i) batch.Name(kFirstOfEight + i, "touching " + std::to_string(i));
    batch.Name(kCall, "cudaLaunchKernel").Name(kKernel, "add(float*, int)");
    return batch.Name(kStarted, "started").Name(kDeep, "deep");
  }

  RecordBatch Touching();
  RecordBatch Nested();
  RecordBatch Crossing();
  RecordBatch Started();

  TouchingSlices wanted_;
  std::mt19937_64 random_{7};
};

RecordBatch Spool::Touching() {
  RecordBatch batch = Thread(1, 4210);
  uint64_t at = kBegin;
  for (uint32_t i = 0; i < wanted_.ranges; ++i) {
    const uint64_t end = at + Length();
    batch.Range(kFirstOfEight + i % 8, at, end);
    at = end;
  }
  return batch;
}

// Each with a call of the same begin and end; kernels that follow each other; and ranges in each
// other that begin together or one after the other, and end together.
RecordBatch Spool::Nested() {
  RecordBatch batch = Thread(2, 4300);
  batch.Device(0, PlausibleDevice(), "Model");
  batch.DeviceClock(kStartTicks, kStartRealtime + 20, kStartTicks + 40);
  uint64_t at = kBegin, device_at = kStartRealtime + 2000000;
  for (uint32_t i = 1; i <= wanted_.ranges / 10; ++i) {
    const uint64_t end = at + Length();
    batch.Call(PlausibleCall(CallRole::kLaunch, kCall, at, end, i));
    batch.Range(kFirstOfEight, at, end).Range(kFirstOfEight + 1, at, end);
    at = end;
    DeviceOpRecord op = PlausibleOp(DeviceOpType::kKernel, 7, i, device_at, device_at + Length());
    op.head.id = kKernel;
    device_at = op.end;
    batch.DeviceOp(op);
  }
  const uint64_t end = at + 2000 * wanted_.step_ns;
  for (uint32_t depth = wanted_.deep; depth-- > 0;)
    batch.Range(kDeep, at + uint64_t{depth / 2} * wanted_.step_ns, end);
  return batch;
}

// push A, push B, pop A, pop B: B stands on a row of its domain, and touches the next one there.
RecordBatch Spool::Crossing() {
  RecordBatch batch = Thread(3, 4400);
  batch.Domain(1, 11, "solver");
  const uint64_t step = 4 * wanted_.step_ns;
  for (uint64_t i = 0; i < wanted_.ranges / 10; ++i) {
    const uint64_t at = kBegin + i * 2 * step;
    batch.Range(kFirstOfEight, at, at + 2 * step);
    batch.Range(kFirstOfEight + 1, at + step, at + 3 * step, 1, kCrossing);
  }
  return batch;
}

RecordBatch Spool::Started() {
  RecordBatch batch = Thread(4, 4500);
  uint64_t at = kBegin;
  for (uint64_t id = 1; id <= wanted_.ranges / 10; ++id) {
    batch.Start(kStarted, at, id);
    at += Length();
    batch.End(at, id);
  }
  return batch;
}

Findings Spool::Waits() {
  Findings findings;
  findings.call_names = {"wait"};
  uint64_t at = kStartRealtime + 1000000;
  for (uint32_t i = 0; i < wanted_.ranges / 10; ++i) {
    Wait& wait = findings.waits.emplace_back();
    wait.tid = 4300;
    wait.begin_ns = at;
    wait.end_ns = at += Length();
    Gap& gap = findings.gaps.emplace_back();
    gap.begin_ns = wait.begin_ns;
    gap.end_ns = wait.end_ns;
  }
  return findings;
}

}  // namespace

TraceJob WriteTouchingSpool(const TouchingSlices& wanted, const std::string& path) {
  Spool spool(wanted);
  TraceJob job;
  job.rank = 0;
  job.processes.emplace_back().spool = spool.Build().Save(path);
  job.base = BaseTime{kStartRealtime - wanted.after_base_ns, BaseFrom::kInherited};
  job.plant = [findings = spool.Waits()](const RankModel& model) {
    model.runs[0]->sources.Find(kSource)->findings = findings;
  };
  return job;
}

}  // namespace syncline::testing
