// SPDX-License-Identifier: Apache-2.0
// Programs that lose time in one known way, and what they are without it: `twins CASE [--without]`. What a case loses time with is at
// its line `twin: CASE`, or in its range. tests/harness/twins.py has the table of the cases and the durations of their kernels.
#include <atomic>
#include <cstring>
#include <thread>

#include "measured_steps.h"

__global__ void Forward(float* x) { x[threadIdx.x] *= 2; }
__global__ void Backward(float* x) { x[threadIdx.x] *= 3; }
__global__ void Update(float* x) { x[threadIdx.x] -= 1; }
__global__ void Statistics(float* x) { x[threadIdx.x] += 1; }
__global__ void Small(float* x) { x[threadIdx.x] += 2; }

namespace {

constexpr int kPrepareUs = 500;
constexpr std::chrono::microseconds kArrival(300);  // of what another machine sends
constexpr std::chrono::microseconds kSaving(1000);
constexpr size_t kSize = 1 << 18;

class NewStream {
 public:
  explicit NewStream(unsigned flags = cudaStreamNonBlocking) {
    CUDA(cudaStreamCreateWithFlags(&stream_, flags));
  }
  ~NewStream() { cudaStreamDestroy(stream_); }
  NewStream(const NewStream&) = delete;
  NewStream& operator=(const NewStream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class NewEvent {
 public:
  NewEvent() { CUDA(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming)); }
  ~NewEvent() { cudaEventDestroy(event_); }
  NewEvent(const NewEvent&) = delete;
  NewEvent& operator=(const NewEvent&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

void Train(cudaStream_t stream, float* x) {
  Forward<<<64, 256, 0, stream>>>(x);
  Backward<<<64, 256, 0, stream>>>(x);
  Update<<<64, 256, 0, stream>>>(x);
}

void StreamSync(bool with) {
  const DeviceArray<float> x(kSize);
  const NewStream stream;
  Steps([&](int) {
    Compute(kPrepareUs);
    Train(stream, x.get());
    if (with) CUDA(cudaStreamSynchronize(stream));  // twin: stream_sync
  });
}

void DeviceSync(bool with) {
  const DeviceArray<float> x(kSize), y(kSize);
  const NewStream stream, side;
  Steps([&](int) {
    Compute(kPrepareUs);
    Train(stream, x.get());
    Statistics<<<64, 256, 0, side>>>(y.get());
    if (with) CUDA(cudaDeviceSynchronize());  // twin: device_sync
  });
}

void EventSync(bool with) {
  const DeviceArray<float> x(kSize);
  const NewStream stream;
  const NewEvent forward;
  Steps([&](int) {
    Forward<<<64, 256, 0, stream>>>(x.get());
    CUDA(cudaEventRecord(forward, stream));
    if (with) CUDA(cudaEventSynchronize(forward));  // twin: event_sync
    Compute(kPrepareUs);
    Backward<<<64, 256, 0, stream>>>(x.get());
  });
}

void QuerySpin(bool with) {
  const DeviceArray<float> x(kSize);
  const NewStream stream;
  const NewEvent done;
  Steps([&](int) {
    Compute(kPrepareUs);
    Train(stream, x.get());
    CUDA(cudaEventRecord(done, stream));
    while (with && cudaEventQuery(done) == cudaErrorNotReady) continue;  // twin: query_spin
  });
}

void PageableUpload(bool with) {
  constexpr size_t kBatch = kSize / 4;  // what the copy itself takes differs too, but little
  const DeviceArray<float> x(kBatch);
  const PinnedArray<float> pinned(kBatch);
  const std::vector<float> pageable = Counting(kBatch);
  const float* batch = with ? pageable.data() : pinned.get();
  const NewStream stream;
  Steps([&](int) {
    CUDA(cudaMemcpyAsync(x.get(), batch, x.bytes(), cudaMemcpyHostToDevice, stream));  // twin: pageable_upload
    Compute(kPrepareUs);
    Train(stream, x.get());
  });
}

void ReadBack(bool with) {
  const DeviceArray<float> x(kSize);
  const PinnedArray<float> losses(kWarmUp + kSteps);
  const NewStream stream(cudaStreamDefault);
  float loss = 0;
  Steps([&](int step) {
    Compute(kPrepareUs);
    Train(stream, x.get());
    if (with) {
      CUDA(cudaMemcpy(&loss, x.get(), sizeof loss, cudaMemcpyDeviceToHost));  // twin: read_back
    } else {
      CUDA(cudaMemcpyAsync(&losses[step], x.get(), sizeof loss, cudaMemcpyDeviceToHost, stream));
    }
  });
}

void Allocation(bool with) {
  const DeviceArray<float> x(kSize), kept(kSize);
  const NewStream stream;
  Steps([&](int) {
    Compute(kPrepareUs);
    float* scratch = kept.get();
    if (with) CUDA(cudaMalloc(&scratch, kept.bytes()));
    Train(stream, scratch);
    if (with) CUDA(cudaFree(scratch));  // twin: allocation
  });
}

// No wait of the host: blocking streams stand behind what is launched into the legacy stream.
void LegacyStream(bool with) {
  const DeviceArray<float> x(kSize), y(kSize), z(kSize);
  const unsigned flags = with ? cudaStreamDefault : cudaStreamNonBlocking;
  const NewStream one(flags), other(flags);
  const auto train = [&](cudaStream_t stream, float* data) {
    Train(stream, data);
    Small<<<1, 32>>>(z.get());  // twin: legacy_stream
  };
  Steps([&](int) {
    train(one, x.get());
    train(other, y.get());
  });
}

void TwoThreads(bool with) {
  const DeviceArray<float> x(kSize), y(kSize);
  const auto work = [with](float* data, int count, const char* name) {
    const NewStream stream;
    for (int i = 0; i < count; ++i) {
      const Range range(name);
      std::this_thread::sleep_for(kArrival);  // two computing threads might have but one processor
      Train(stream, data);
      if (with) CUDA(cudaStreamSynchronize(stream));  // twin: two_threads
    }
  };
  // The thread is there before the time is measured: a new one gets its first turn late on a busy machine.
  std::atomic<int> begun{0}, done{0};
  const auto wait = [](const std::atomic<int>& number, int value) {
    while (number < value) std::this_thread::yield();
  };
  std::thread other([&] {
    wait(begun, 1);
    work(y.get(), kWarmUp, "warm-up");
    ++done;
    wait(begun, 2);
    work(y.get(), kSteps, "step");
    ++done;
  });
  Measure([&](int count, const char* name) {
    const int round = ++begun;
    work(x.get(), count, name);
    wait(done, round);
  });
  other.join();
}

// The wait is for the step before: the device has the next one by then.
void BusyAnyway(bool with) {
  const DeviceArray<float> x(kSize);
  const NewStream stream;
  const NewEvent done[2];
  Steps([&](int step) {
    Compute(kPrepareUs);
    Train(stream, x.get());
    CUDA(cudaEventRecord(done[step % 2], stream));
    if (with && step > 0) CUDA(cudaEventSynchronize(done[(step - 1) % 2]));  // twin: busy_anyway
  });
}

void HostBound(bool with) {
  const DeviceArray<float> x(kSize);
  const NewStream stream;
  Steps([&](int) {
    Compute(3 * kPrepareUs);
    for (int i = 0; i < 3; ++i) Small<<<1, 256, 0, stream>>>(x.get());
    if (with) CUDA(cudaStreamSynchronize(stream));  // twin: host_bound
  });
}

// The batch goes up in the stream that computes, or in one of its own while the batch before is computed.
void UploadBlocks(bool with) {
  constexpr size_t kBatch = 8 * kSize;
  const PinnedArray<float> batch(kBatch);
  const DeviceArray<float> x[2]{DeviceArray<float>(kBatch), DeviceArray<float>(kBatch)};
  const NewStream compute, own;
  const cudaStream_t upload = with ? compute : own;
  const NewEvent ready[2], used[2];
  Steps([&](int step) {
    const int turn = step % 2;
    {
      const Range range("upload");
      CUDA(cudaStreamWaitEvent(upload, used[turn], 0));
      CUDA(cudaMemcpyAsync(x[turn].get(), batch.get(), batch.bytes(), cudaMemcpyHostToDevice, upload));  // twin: upload_blocks
      CUDA(cudaEventRecord(ready[turn], upload));
    }
    CUDA(cudaStreamWaitEvent(compute, ready[turn], 0));
    Train(compute, x[turn].get());
    CUDA(cudaEventRecord(used[turn], compute));
  });
}

// The range `load`, which is done ahead without it.
void LateLoading(bool with) {
  const DeviceArray<float> x(kSize);
  const PinnedArray<float> batch(kSize);
  const NewStream stream;
  Steps([&](int) {
    if (with) {
      const Range range("load");
      Compute(2 * kPrepareUs);  // twin: late_loading
    }
    CUDA(cudaMemcpyAsync(x.get(), batch.get(), batch.bytes(), cudaMemcpyHostToDevice, stream));
    Train(stream, x.get());
    CUDA(cudaStreamSynchronize(stream));
  });
}

// On a thread of the driver, while the stream stands still.
void Save(void*) { std::this_thread::sleep_for(kSaving); }

void HostFunction(bool with) {
  const DeviceArray<float> x(kSize);
  const NewStream stream;
  Steps([&](int) {
    Train(stream, x.get());
    if (with) CUDA(cudaLaunchHostFunc(stream, Save, nullptr));  // twin: host_function
  });
}

void WaitBehindFunction(bool with) {
  const DeviceArray<float> x(kSize);
  const NewStream stream;
  Steps([&](int) {
    Compute(3 * kPrepareUs);  // beside the function, which a thread of the driver begins a little late
    Train(stream, x.get());
    CUDA(cudaStreamAddCallback(stream, [](cudaStream_t, cudaError_t, void* data) { Save(data); }, nullptr, 0));
    if (with) CUDA(cudaStreamSynchronize(stream));  // twin: wait_behind_function
  });
}

struct Case {
  const char* name;
  void (*run)(bool with);
};

constexpr Case kCases[] = {
    {"stream_sync", StreamSync},   {"device_sync", DeviceSync},
    {"event_sync", EventSync},     {"query_spin", QuerySpin},
    {"pageable_upload", PageableUpload}, {"read_back", ReadBack},
    {"allocation", Allocation},    {"legacy_stream", LegacyStream},
    {"two_threads", TwoThreads},   {"busy_anyway", BusyAnyway},
    {"host_bound", HostBound},     {"upload_blocks", UploadBlocks},
    {"late_loading", LateLoading}, {"host_function", HostFunction},
    {"wait_behind_function", WaitBehindFunction},
};

}  // namespace

int main(int argc, char** argv) {
  const bool with = argc < 3 || std::strcmp(argv[2], "--without") != 0;
  for (const Case& one : kCases) {
    if (argc < 2) {
      std::puts(one.name);
    } else if (std::strcmp(argv[1], one.name) == 0) {
      one.run(with);
      return 0;
    }
  }
  return argc < 2 ? 0 : 2;
}
