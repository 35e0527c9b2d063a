// SPDX-License-Identifier: Apache-2.0
// API calls: their thread, forks, lost devices.
#include "tests/simulated_gpu/level_zero/call.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

#include "tests/simulated_gpu/engine/faults.h"
#include "tests/simulated_gpu/engine/settings.h"
#include "tests/simulated_gpu/engine/truth.h"
#include "tests/simulated_gpu/level_zero/device_clock.h"
#include "tests/simulated_gpu/level_zero/objects.h"
#include "tests/simulated_gpu/level_zero/truth_lines.h"
#include "tests/simulated_gpu/level_zero/waits.h"

namespace simgpu::level_zero {
namespace {

enum class Phase : uint8_t { kNew, kReady, kLost, kForked };
std::atomic<Phase> phase{Phase::kNew};
std::atomic<bool> hang_armed{false};

thread_local const char* current_call = "";
thread_local uint32_t thread_id = 0;

void AfterForkInChild() {
  phase.store(Phase::kForked);
  thread_id = 0;
  ForgetTruth();  // its lines would be taken for the parent's
}

ze_result_t Refusal(Phase now) {
  switch (now) {
    case Phase::kReady:
      return ZE_RESULT_SUCCESS;
    case Phase::kLost:
      return ZE_RESULT_ERROR_DEVICE_LOST;
    default:
      return ZE_RESULT_ERROR_UNINITIALIZED;
  }
}

}  // namespace

Call::Call(const char* name, Kind kind) {
  current_call = name;
  const Phase now = phase.load(std::memory_order_acquire);
  if (now == Phase::kForked || kind != kAlways) refusal_ = Refusal(now);
  if (refusal_ != ZE_RESULT_SUCCESS) return;
  if (kind != kQuery) EndSpin();
  if (!hang_armed.load(std::memory_order_relaxed)) return;
  const char* hangs = Faults::OfProcess().Find("hang");
  while (hangs != nullptr && std::strcmp(hangs, name) == 0) pause();
}

const char* CurrentCall() { return current_call; }

uint32_t CurrentThreadId() {
  if (thread_id == 0) thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
  return thread_id;
}

ze_result_t InitializeDriver() {
  EngineLock lock(EngineMutex());
  if (phase.load() != Phase::kNew) return Refusal(phase.load());
  const Faults& faults = Faults::OfProcess();
  const uint32_t devices = simgpu::Settings::OfProcess().devices;
  if (devices == 0 || faults.Find("no_device") != nullptr) return ZE_RESULT_ERROR_UNINITIALIZED;
  hang_armed.store(faults.Find("hang") != nullptr, std::memory_order_relaxed);
  StartClocks();
  OpenTruth({kDeviceName, devices, "level_zero"});
  MakeMachine();
  Hooks() = {WriteOperation, WriteSubmitted, WakeHostWaits};
  pthread_atfork(nullptr, nullptr, AfterForkInChild);
  phase.store(Phase::kReady, std::memory_order_release);
  return ZE_RESULT_SUCCESS;
}

void LoseDevice() {
  phase.store(Phase::kLost, std::memory_order_release);
  WakeHostWaits();
}

bool DeviceIsLost() { return phase.load(std::memory_order_acquire) == Phase::kLost; }

void SayUnsupported(const char* function) {
  {
    static std::mutex& mutex = *new std::mutex;
    static auto& said = *new std::set<std::string>;
    std::lock_guard<std::mutex> lock(mutex);
    if (!said.insert(function).second) return;
  }
  std::fprintf(stderr, "simulated GPU: %s is not modelled\n", function);
  if (!TruthIsOn()) return;
  TruthLine("unsupported")
      .Text("name", function)
      .Text("library", "libze_intel_gpu.so.1")
      .Number("thread", CurrentThreadId())
      .Write();
}

}  // namespace simgpu::level_zero
