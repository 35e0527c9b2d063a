// SPDX-License-Identifier: Apache-2.0
// Begins to record CUDA, once a process.
#include "collectors/cuda/cuda_entry.h"

#include <atomic>

#include "collectors/cuda/cuda_source.h"
#include "collectors/cuda/cupti_ownership.h"
#include "collectors/cuda/got_hooks.h"
#include "collectors/cuda/hidden_clients.h"
#include "collectors/cuda/subscription.h"
#include "inject/core/collector.h"
#include "inject/core/coverage_record.h"
#include "inject/core/emit.h"
#include "inject/core/helper_thread.h"
#include "inject/core/options.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline::cuda {
namespace {

constexpr uint64_t kLinkEveryNs = 1'000'000'000;

std::atomic<bool> g_began;
std::atomic<uint32_t> g_linked;

// A program that uses a GPU is recorded, if only to say what is missing.
void StartSession() { const HookScope starts_it; }

// On the helper thread: objects that were loaded since.
uint64_t LinkMore() {
  const uint32_t before = g_linked.load(std::memory_order_relaxed);
  g_linked.store(HookCalls(), std::memory_order_relaxed);
  if (before == 0 && g_linked.load(std::memory_order_relaxed) != 0)
    RecordCoverage(kSource, GpuCoverage::kCallsOnly, WhyNot());
  return kLinkEveryNs;
}

// CUPTI is refused.
void RecordCallsOnly() {
  TextBuffer why;
  why.Add(WhyNot());
  if (OptionNumber(OptionIndex("cuda.api")) == kNoCalls) {
    TellMissing("GPU work", why.text());
    return RecordCoverage(kSource, GpuCoverage::kNothing, WhyNot());
  }
  g_calls.BeginWatching(false);
  g_linked.store(HookCalls(), std::memory_order_relaxed);
  const bool some = g_linked.load(std::memory_order_relaxed) != 0;
  why.Add(some ? "; calls are recorded"
               : "; nor are calls: the program is linked to no CUDA library "
                 "(its runtime is static, or found by dlsym)");
  TellMissing("GPU work", why.text());
  RecordCoverage(kSource, some ? GpuCoverage::kCallsOnly : GpuCoverage::kNothing, WhyNot());
  if (!StartHelper(SYNCLINE_SOURCE_cuda, kHelperName, LinkMore))
    TellMissing("calls of libraries that are loaded later",
                "no thread could be started (ulimit -u)");
}

}  // namespace

void GiveWayToProfiler() {
  ErrnoKeeper keeper;
  if (const char* profiler = LoadedProfiler()) LeaveToProfiler(profiler);
}

void Arm() {
  ErrnoKeeper keeper;
  if (!CollectorEnabled("cuda")) return TellLeftOut(SYNCLINE_SOURCE_cuda);
  if (g_began.exchange(true)) return;
  StartSession();
  GiveWayToProfiler();
  if (!AcquireCupti()) RecordCallsOnly();
}

}  // namespace syncline::cuda
