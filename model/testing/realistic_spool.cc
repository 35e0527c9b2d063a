// SPDX-License-Identifier: Apache-2.0
// A long spool as an iterating program would leave it: threads, steps, phases, layers.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "model/testing/spool_builder.h"

namespace syncline::testing {
namespace {

constexpr size_t kBatchBytes = 256 << 10;

std::FILE* OpenToWrite(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file != nullptr) return file;
  std::perror(path.c_str());
  std::abort();
}

// The spool's end, a moment after `last_ticks`.
void Finish(SpoolBuilder* spool, uint64_t last_ticks, std::FILE* file) {
  const Anchor last = PlausibleAnchor(last_ticks + 1000);
  spool->Anchors({&last, 1}).End(last_ticks + 2000, true, 0);
  spool->Drain(file);
}

struct Random {
  uint64_t state;
  uint64_t Next() {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
  }
  // Log-uniform between 2^low and 2^high, the shape of durations in programs.
  uint64_t Span(int low, int high) {
    const auto shift = static_cast<int>(Next() % static_cast<uint64_t>(high - low)) + low;
    return (uint64_t{1} << shift) + Next() % (uint64_t{1} << shift);
  }
};

std::vector<std::string> Names() {
  std::vector<std::string> names = {"train_step", "forward",    "backward", "optimizer.step",
                                    "zero_grad",  "load_batch", "h2d_copy", "allreduce",
                                    "loss",       "checkpoint"};
  for (int i = 0; i < 12; ++i) names.push_back("layer" + std::to_string(i));
  for (const char* part :
       {"attention", "mlp", "norm", "embedding", "softmax", "dropout", "qkv_proj", "out_proj"}) {
    names.push_back(std::string("transformer.") + part);
  }
  for (int i = 0; static_cast<int>(names.size()) < 40; ++i)
    names.push_back("stage_" + std::to_string(i) + "::compute");
  return names;
}

// One thread that pushes and pops; writes each range when it is popped.
class Program {
 public:
  Program(uint64_t stream, uint32_t tid, bool main, bool attributes, bool unique)
      : random_{0x9E3779B97F4A7C15ull * (stream + 1)}, attributes_(attributes), unique_(unique) {
    now_ = kStartTicks + 1000000 + stream * 777;
    batch.Stream(stream, tid, main);
    if (!unique_) {
      for (const std::string& name : Names()) batch.Name(++last_name_, name);
    }
  }

  // From now on every eighth range is followed by a launch and its kernel.
  void UseGpu() {
    uses_gpu_ = true;
    call_name_ = ++last_name_;
    kernel_name_ = ++last_name_;
    batch.Device(0, PlausibleDevice(), "GPU").DeviceClock(now_, DeviceTime(now_), now_ + 40);
    batch.Name(call_name_, "cudaLaunchKernel", 211).Name(kernel_name_, "_Z6kernelPfi");
  }

  RecordBatch batch;
  uint64_t now() const { return now_; }

  // One finished range.
  void Step() {
    while (stack_.size() < 2 || (stack_.size() < 5 && random_.Next() % 3 != 0)) {
      stack_.push_back({NextName(), now_});
      now_ += random_.Span(7, 11);
    }
    now_ += random_.Span(10, 16);
    const Open open = stack_.back();
    stack_.pop_back();
    if (stack_.size() == 2 && random_.Next() % 4 == 0) now_ += random_.Span(12, 18);
    const RangeAttributes attributes{
        {open.name % 5}, {0xffu << (open.name % 3 * 8)}, 1, 0, 0, 0, 0};
    batch.Range(open.name, open.begin, now_, 0, 0, attributes_ ? &attributes : nullptr);
    if (uses_gpu_ && ++ranges_ % 8 == 0) Launch();
    now_ += random_.Span(7, 10);
  }

 private:
  // Kernels wait for each other in their stream.
  void Launch() {
    const uint32_t correlation = ranges_;
    batch.Call(PlausibleCall(CallRole::kLaunch, call_name_, now_, now_ + 300, correlation));
    now_ += 400;
    const uint64_t begin = std::max(DeviceTime(now_) + 2000, gpu_busy_until_);
    gpu_busy_until_ = begin + random_.Span(10, 14);
    DeviceOpRecord op = PlausibleOp(DeviceOpType::kKernel, 7, correlation, begin, gpu_busy_until_);
    op.head.id = kernel_name_;
    const KernelDetails kernel = PlausibleKernel();
    batch.DeviceOp(op, &kernel);
  }
  static uint64_t DeviceTime(uint64_t ticks) { return ticks - kStartTicks + kStartRealtime; }

  struct Open {
    uint32_t name;
    uint64_t begin;
  };
  uint32_t NextName() {
    if (unique_) {
      ++last_name_;
      batch.Name(last_name_, "iteration " + std::to_string(last_name_));
      return last_name_;
    }
    // A few names are most of what a program says.
    const uint64_t roll = random_.Next();
    return 1 + static_cast<uint32_t>(roll % 10 < 7 ? (roll >> 8) % 10 : (roll >> 8) % last_name_);
  }

  Random random_;
  bool attributes_;
  bool unique_;
  uint64_t now_;
  uint32_t last_name_ = 0;
  std::vector<Open> stack_;
  bool uses_gpu_ = false;
  uint32_t ranges_ = 0;
  uint32_t call_name_ = 0;
  uint32_t kernel_name_ = 0;
  uint64_t gpu_busy_until_ = 0;
};

}  // namespace

uint64_t WriteRealisticSpool(const std::string& path, uint64_t ranges, int threads, bool attributes,
                             bool unique_names, bool gpu) {
  std::FILE* file = OpenToWrite(path);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess());
  std::vector<Program> programs;
  for (int i = 0; i < threads; ++i) {
    programs.emplace_back(static_cast<uint64_t>(i) + 1, 4210 + static_cast<uint32_t>(i), i == 0,
                          attributes, unique_names);
  }
  if (gpu) programs[0].UseGpu();
  uint64_t end = 0;
  for (uint64_t done = 0; done < ranges; ++done) {
    const size_t index = done % programs.size();
    programs[index].Step();
    end = std::max(end, programs[index].now());
    if (programs[index].batch.bytes().size() < kBatchBytes) continue;
    spool.Records(static_cast<uint32_t>(index), programs[index].batch);
    programs[index].batch.Clear();
    spool.Drain(file);
  }
  for (size_t i = 0; i < programs.size(); ++i)
    spool.Records(static_cast<uint32_t>(i), programs[i].batch);
  Finish(&spool, end, file);
  const long bytes = std::ftell(file);
  std::fclose(file);
  return static_cast<uint64_t>(bytes);
}

namespace {

// A training loop on one thread: steps of 500 launches, five to an operator, each operator a range;
// a copy in each tenth operator, a wait at the end of each fifth of a step.
class TrainingLoop {
 public:
  // One of `loops` threads, each with a stream of its own on one device.
  explicit TrainingLoop(uint32_t index = 0, uint32_t loops = 1)
      : loops_(loops), gpu_stream_(7 + 6 * index), correlation_(index) {
    batch.Stream(index + 1, 4210 + index, index == 0).Name(kLaunch, "cudaLaunchKernel", 211);
    batch.Name(kCopy, "cudaMemcpyAsync", 41).Name(kSync, "cudaStreamSynchronize", 131);
    batch.Name(kStep, "step");
    for (uint32_t i = 0; i < kOperators; ++i)
      batch.Name(kFirstOperator + i, "aten::operator_" + std::to_string(i));
    for (uint32_t i = 0; i < kKernels; ++i)
      batch.Name(kFirstKernel + i, "_Z9kernel_" + std::to_string(10 + i) + "PfS_i");
    if (index == 0)
      batch.Device(0, PlausibleDevice(), "GPU").DeviceClock(now_, DeviceTime(now_), now_ + 40);
  }

  RecordBatch batch;
  uint64_t now() const { return std::max(now_, busy_until_ - kStartRealtime + kStartTicks); }

  void Launch() {
    const uint32_t in_step = launches_++ % 500;
    if (in_step == 0) step_ = now_;
    if (in_step % 5 == 0) operator_ = now_ += 300;
    const bool copy = in_step % 50 == 0;
    Submit(copy ? kCopy : kLaunch, copy);
    if (in_step % 5 == 4)
      batch.Raw(RecordKind::kRange, kFirstOperator + launches_ / 5 % kOperators, operator_,
                now_ += 400, 0, 0, 0, nullptr, 1);
    if (in_step % 100 == 99) Wait();
    if (in_step == 499) batch.Range(kStep, step_, now_ += 500);
  }

 private:
  enum Names : uint32_t { kLaunch = 1, kCopy, kSync, kStep, kFirstOperator, kFirstKernel = 1000 };
  static constexpr uint32_t kOperators = 60, kKernels = 40;
  static uint64_t DeviceTime(uint64_t ticks) { return ticks - kStartTicks + kStartRealtime; }

  void Submit(uint32_t call, bool copy) {
    correlation_ += loops_;
    CallRecord record = PlausibleCall(copy ? CallRole::kCopy : CallRole::kLaunch, call, now_,
                                      now_ + 2500, correlation_, 0, kGaveWork);
    if (copy) record.role |= kCallIsAsync;
    batch.Call(record);
    now_ += 3000;
    const uint64_t begin = std::max(DeviceTime(now_) + 2000, busy_until_ + 800);
    busy_until_ = begin + random_.Span(10, 13);
    DeviceOpRecord op = PlausibleOp(copy ? DeviceOpType::kCopy : DeviceOpType::kKernel, gpu_stream_,
                                    correlation_, begin, busy_until_);
    if (copy) {
      op.bytes = 4096;
      op.from = MemoryKind::kPinned;
      op.to = MemoryKind::kDevice;
      batch.DeviceOp(op);
      return;
    }
    op.head.id = kFirstKernel + launches_ % kKernels;
    const KernelDetails kernel = PlausibleKernel();
    batch.DeviceOp(op, &kernel);
  }

  void Wait() {
    correlation_ += loops_;
    const uint64_t begin = now_;
    now_ = std::max(now_ + 1000, busy_until_ - kStartRealtime + kStartTicks + 3000);
    batch.Call(PlausibleCall(CallRole::kSynchronizeQueue, kSync, begin, now_, correlation_));
    DeviceEventRecord note{};
    note.type = DeviceEventType::kSync;
    note.detail = static_cast<uint8_t>(DeviceSyncKind::kStream);
    note.begin = DeviceTime(begin + 500);
    note.end = DeviceTime(now_ - 200);
    note.correlation = correlation_;
    note.context = 1;
    note.stream = gpu_stream_;
    batch.DeviceEvent(note);
  }

  const uint32_t loops_, gpu_stream_;
  Random random_{7};
  uint64_t now_ = kStartTicks + 1000000;
  uint64_t busy_until_ = kStartRealtime;
  uint64_t step_ = 0;
  uint64_t operator_ = 0;
  uint32_t launches_ = 0;
  uint32_t correlation_;
};

}  // namespace

void WriteTrainingSpool(const std::string& path, uint64_t launches, uint32_t threads) {
  std::FILE* file = OpenToWrite(path);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess());
  std::vector<TrainingLoop> loops;
  for (uint32_t i = 0; i < threads; ++i) loops.emplace_back(i, threads);
  for (uint64_t i = 0; i < launches; ++i) {
    TrainingLoop& loop = loops[i % threads];
    loop.Launch();
    if (loop.batch.bytes().size() < kBatchBytes) continue;
    spool.Records(static_cast<uint32_t>(i % threads), loop.batch);
    loop.batch.Clear();
    spool.Drain(file);
  }
  uint64_t end = 0;
  for (uint32_t i = 0; i < threads; ++i) {
    spool.Records(i, loops[i].batch);
    end = std::max(end, loops[i].now());
  }
  Finish(&spool, end, file);
  std::fclose(file);
}

}  // namespace syncline::testing
