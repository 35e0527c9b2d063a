// SPDX-License-Identifier: Apache-2.0
// Finds the simulated driver and reads the fault switches.
#include "tests/simulated_gpu/cupti/engine.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>

#include "tests/simulated_gpu/cupti/not_modelled.h"
#include "tests/simulated_gpu/cupti/version.h"
#include "tests/simulated_gpu/engine/faults.h"

namespace simgpu::cupti {
namespace {

std::atomic<const Engine*> g_engine{nullptr};
std::atomic<const Faults*> g_faults{nullptr};
std::atomic<bool> g_forked{false};

const Engine* Open() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  static Engine& engine = *new Engine;
  bool complete = true;
#define SIMGPU_CUPTI_ENGINE_FIND(name)                                                    \
  engine.name = reinterpret_cast<decltype(engine.name)>(dlsym(library, "simgpu_" #name)); \
  complete = complete && engine.name != nullptr;
  SIMGPU_CUPTI_ENGINE_FUNCTIONS(SIMGPU_CUPTI_ENGINE_FIND)
#undef SIMGPU_CUPTI_ENGINE_FIND
  return complete ? &engine : nullptr;
}

const Faults& TheFaults() {
  const Faults* faults = g_faults.load(std::memory_order_acquire);
  return faults != nullptr ? *faults : Faults::OfProcess();
}

}  // namespace

const Engine* FindEngine() {
  if (g_forked.load(std::memory_order_relaxed)) return nullptr;
  const Engine* engine = g_engine.load(std::memory_order_acquire);
  if (engine != nullptr) return engine;
  static std::once_flag once;
  std::call_once(once, [] {
    // CUPTI, like CUDA, is dead in a child that was forked without exec.
    pthread_atfork(nullptr, nullptr, [] { g_forked.store(true, std::memory_order_relaxed); });
    if (Fault("no_libcuda") == nullptr) g_engine.store(Open(), std::memory_order_release);
  });
  return g_engine.load(std::memory_order_acquire);
}

CUptiResult DriverState() {
  if (FindEngine() == nullptr) return CUPTI_ERROR_UNKNOWN;
  if (Fault("old_driver") != nullptr || Fault("no_device") != nullptr) {
    return Presented() >= 1300 ? CUPTI_ERROR_UNKNOWN : CUPTI_ERROR_NOT_INITIALIZED;
  }
  return CUPTI_SUCCESS;
}

const char* Fault(const char* name) { return TheFaults().Find(name); }

uint64_t FaultNumber(const char* name, uint64_t otherwise) {
  return TheFaults().Number(name, otherwise);
}

int AnswerNotModelled(const char* function) {
  if (const Engine* engine = FindEngine()) engine->unsupported("libcupti", function);
  return CUPTI_ERROR_NOT_SUPPORTED;
}

void UseEngineForTest(const Engine* engine) {
  FindEngine();  // the one search happens before, so that it cannot overwrite
  g_engine.store(engine, std::memory_order_release);
}

void UseFaultsForTest(const char* faults) {
  std::string error;
  const std::optional<Faults> parsed = Faults::Parse(faults, &error);
  if (!parsed) std::abort();
  static auto& all_there_were =
      *new std::deque<Faults>;  // others may still look at the ones before
  g_faults.store(&all_there_were.emplace_back(*parsed), std::memory_order_release);
}

}  // namespace simgpu::cupti
