// SPDX-License-Identifier: Apache-2.0
// The state of the simulated driver: initialisation, threads, the observer and the seam for
// libcudart.
#include "tests/simulated_gpu/engine/driver_state.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/device_facts.h"
#include "tests/simulated_gpu/engine/faults.h"
#include "tests/simulated_gpu/engine/seam.h"
#include "tests/simulated_gpu/engine/settings.h"
#include "tests/simulated_gpu/engine/timeline.h"
#include "tests/simulated_gpu/engine/truth.h"
#include "tests/simulated_gpu/engine/waits.h"

namespace simgpu {
namespace {

// The numbers of CUresult that this file answers with.
constexpr int kSuccess = 0, kErrorNotInitialized = 3, kErrorNoDevice = 100,
              kErrorInvalidDevice = 101;

std::atomic<DriverPhase> phase{DriverPhase::kNotInitialized};
std::atomic<const Observer*> current_observer{nullptr};
std::atomic<uint32_t> categories{0};
ApiSwitches switches;
std::atomic<uint32_t> next_correlation{1};
std::atomic<bool> hang_armed{false};  // relaxed: set by cuInit, before any call that could hang

std::atomic<uint64_t> sticky_from_ns{UINT64_MAX};
std::atomic<int> sticky_error{0};

// initial-exec: plain data that no destructor ends, so that calls from static destructors find it.
thread_local ThreadState thread_state;

void AfterForkInChild() {
  thread_state.tid = 0;
  if (phase.load(std::memory_order_relaxed) != DriverPhase::kReady) return;
  // CUDA does not survive a fork; the parent's engine thread and locks are not here.
  phase.store(DriverPhase::kForked, std::memory_order_relaxed);
  current_observer.store(nullptr, std::memory_order_relaxed);
  ForgetTruth();
}

// CUDA_INJECTION64_PATH: loaded and called before the check for devices; called again by the next
// cuInit if it answers 0.
void RunInjection() {
  static bool done = false;
  const char* path = std::getenv("CUDA_INJECTION64_PATH");
  if (done || path == nullptr || *path == '\0') return;
  void* library = dlopen(path, RTLD_LAZY);
  using Entry = int (*)();
  const auto entry =
      library == nullptr ? nullptr : reinterpret_cast<Entry>(dlsym(library, "InitializeInjection"));
  done = entry == nullptr || entry() != 0;
}

void Enter(ApiFrame* frame, const void* params, const int* result) {
  if (hang_armed.load(std::memory_order_relaxed) &&
      std::strcmp(Faults::OfProcess().Find("hang"), frame->function) == 0) {
    for (;;) pause();
  }
  ThreadState* thread = CurrentThread();
  const Observer* observer = current_observer.load(std::memory_order_acquire);
  if (observer == nullptr || observer->api_enter == nullptr || thread->hidden != 0) return;
  if (switches.on[static_cast<int>(frame->domain)][frame->cbid].load(std::memory_order_relaxed) ==
      0)
    return;
  const Context* context = CurrentContext();
  const ApiFrame* outer = frame->outer;
  while (outer != nullptr && !outer->told) outer = outer->outer;
  frame->call = ApiCall{.domain = frame->domain,
                        .cbid = frame->cbid,
                        .function = frame->function,
                        .params = params,
                        .result = result,
                        .symbol = frame->symbol,
                        .context = const_cast<Context*>(context),
                        .context_id = context == nullptr ? 0 : context->id,
                        .device = context == nullptr ? 0 : context->device->ordinal,
                        .correlation = frame->correlation,
                        .thread = CurrentTid(),
                        .pthread = static_cast<uint64_t>(pthread_self()),
                        .start_ns = Now(),
                        .end_ns = 0,
                        .correlation_data = 0,
                        .observed = true,
                        .traced_by_activity = false,
                        .outer = outer == nullptr ? nullptr : &outer->call};
  frame->told = true;
  observer->api_enter(&frame->call);
}

void Exit(ApiFrame* frame) {
  frame->call.end_ns = Now();
  const Observer* observer = current_observer.load(std::memory_order_acquire);
  if (observer == nullptr || observer->api_exit == nullptr) return;
  const Context* context = CurrentContext();  // a first call may have made it
  if (context != nullptr) {
    frame->call.context = const_cast<Context*>(context);
    frame->call.context_id = context->id;
    frame->call.device = context->device->ordinal;
  }
  observer->api_exit(&frame->call);
}

int BindPrimary(int ordinal) {
  if (Phase() != DriverPhase::kReady) return kErrorNotInitialized;
  Device* device = DeviceAt(ordinal);
  if (device == nullptr) return kErrorInvalidDevice;
  ThreadState* thread = CurrentThread();
  if (thread->depth == 0) thread->depth = 1;
  thread->contexts[thread->depth - 1] = RuntimeContext(device);
  return kSuccess;
}

int PrimaryHandle(int ordinal, void** context) {
  if (Phase() != DriverPhase::kReady) return kErrorNotInitialized;
  Device* device = DeviceAt(ordinal);
  if (device == nullptr) return kErrorInvalidDevice;
  *context = RuntimeContext(device);
  return kSuccess;
}

int CurrentDevice() {
  const Context* context = CurrentContext();
  return context == nullptr || !context->alive ? -1 : static_cast<int>(context->device->ordinal);
}

const Seam the_seam{.version = kSeamVersion,
                    .thread = CurrentThread,
                    .switches = &switches,
                    .hang_armed = &hang_armed,
                    .next_correlation = &next_correlation,
                    .enter = Enter,
                    .exit = Exit,
                    .end_spin = EndSpin,
                    .bind_primary = BindPrimary,
                    .primary_context = PrimaryHandle,
                    .current_device = CurrentDevice,
                    .unsupported = simgpu_unsupported,
                    .finish_collective = FinishCollective};

}  // namespace

DriverPhase Phase() { return phase.load(std::memory_order_acquire); }

int InitializeDriver() {
  static std::recursive_mutex& mutex =
      *new std::recursive_mutex;  // an injection library may call cuInit
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (Phase() == DriverPhase::kForked) return kErrorNotInitialized;
  static bool running = false;
  if (running) return kSuccess;
  running = true;
  RunInjection();
  running = false;
  if (Phase() == DriverPhase::kReady) return kSuccess;
  if (Devices().empty() || Faults::OfProcess().Find("no_device") != nullptr) return kErrorNoDevice;
  OpenTruth({DeviceName(), Settings::OfProcess().visible.size(), nullptr});
  hang_armed.store(Faults::OfProcess().Find("hang") != nullptr, std::memory_order_relaxed);
  static std::once_flag once;
  std::call_once(once, [] { pthread_atfork(nullptr, nullptr, AfterForkInChild); });
  phase.store(DriverPhase::kReady, std::memory_order_release);
  for (const Device* device : Devices()) TellResource(Describe(device), true);
  return kSuccess;
}

const Observer* CurrentObserver() { return current_observer.load(std::memory_order_acquire); }
std::atomic<uint32_t>& Categories() { return categories; }

ThreadState* CurrentThread() { return &thread_state; }

uint32_t CurrentTid() {
  if (thread_state.tid == 0) thread_state.tid = static_cast<uint32_t>(syscall(SYS_gettid));
  return thread_state.tid;
}

const char* OutermostCall() {
  const ApiFrame* frame = thread_state.top;
  if (frame == nullptr) return "";
  while (frame->outer != nullptr) frame = frame->outer;
  return frame->function;
}

uint32_t CurrentCorrelation() {
  return thread_state.top == nullptr ? 0 : thread_state.top->correlation;
}

uint64_t SeenFromNs() {
  uint64_t ns = 0;
  for (const ApiFrame* frame = thread_state.top; frame != nullptr; frame = frame->outer) {
    if (frame->told) ns = frame->call.start_ns;
  }
  return ns;
}

Context* CurrentContext() {
  const ThreadState& thread = thread_state;
  return thread.depth == 0 ? nullptr : static_cast<Context*>(thread.contexts[thread.depth - 1]);
}

int StickyError() {
  const uint64_t from_ns = sticky_from_ns.load(std::memory_order_relaxed);
  return from_ns != UINT64_MAX && Now() >= from_ns ? sticky_error.load(std::memory_order_relaxed)
                                                   : 0;
}

void ArmStickyError(int error, uint64_t from_ns) {
  sticky_error.store(error, std::memory_order_relaxed);
  sticky_from_ns.store(from_ns, std::memory_order_relaxed);
}

void ClearStickyError() { sticky_from_ns.store(UINT64_MAX, std::memory_order_relaxed); }

}  // namespace simgpu

SIMGPU_EXPORT const simgpu::Observer* simgpu_set_observer(const simgpu::Observer* observer) {
  return simgpu::current_observer.exchange(observer, std::memory_order_acq_rel);
}
SIMGPU_EXPORT simgpu::ApiSwitches* simgpu_api_switches() { return &simgpu::switches; }
SIMGPU_EXPORT std::atomic<uint32_t>* simgpu_categories() { return &simgpu::categories; }
SIMGPU_EXPORT uint64_t simgpu_now() { return simgpu::Now(); }
SIMGPU_EXPORT const char* simgpu_fault(const char* name) {
  return simgpu::Faults::OfProcess().Find(name);
}
SIMGPU_EXPORT uint32_t simgpu_current_correlation() { return simgpu::CurrentCorrelation(); }
SIMGPU_EXPORT const simgpu::Seam* simgpu_seam() { return &simgpu::the_seam; }

SIMGPU_EXPORT void simgpu_hide_calls(bool hide) {
  if (hide) {
    ++simgpu::thread_state.hidden;
  } else {
    --simgpu::thread_state.hidden;
  }
}

SIMGPU_EXPORT void simgpu_unsupported(const char* library, const char* function) {
  static std::mutex& mutex = *new std::mutex;
  static auto& seen = *new std::set<std::string>;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!seen.insert(function).second) return;
  }
  std::fprintf(stderr, "simulated GPU: %s: %s is not modelled; it answers \"not supported\"\n",
               library, function);
  simgpu::TruthLine("unsupported")
      .Text("name", function)
      .Text("library", library)
      .Number("thread", simgpu::CurrentTid())
      .Write();
}
