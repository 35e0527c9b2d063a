// SPDX-License-Identifier: Apache-2.0
// The order of calls is that of CUPTI's "Recommended Initialization Workflow".
#include "collectors/cuda/cuda_entry.h"

#include <atomic>

#include "collectors/cuda/activity_buffers.h"
#include "collectors/cuda/activity_records.h"
#include "collectors/cuda/api_calls.h"
#include "collectors/cuda/cupti_library.h"
#include "collectors/cuda/device_clock.h"
#include "collectors/cuda/flush_thread.h"
#include "collectors/cuda/object_ids.h"
#include "inject/core/collector.h"
#include "inject/core/emit.h"
#include "inject/core/log.h"
#include "inject/core/options.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline::cuda {
namespace {

struct Kind {
  CUpti_ActivityKind kind;
  const char* records;  // what is missing without it
};
// CONCURRENT_KERNEL, never KERNEL, which makes kernels run one after the other.
constexpr Kind kKinds[] = {
    {CUPTI_ACTIVITY_KIND_DEVICE, "devices"},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "kernels"},
    {CUPTI_ACTIVITY_KIND_MEMCPY, "copies"},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, "copies between devices"},
    {CUPTI_ACTIVITY_KIND_MEMSET, "memsets"},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "synchronisations"},
    {CUPTI_ACTIVITY_KIND_CUDA_EVENT, "events"},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, "CUPTI's own overhead"},
    {CUPTI_ACTIVITY_KIND_CONTEXT, "contexts"},
    {CUPTI_ACTIVITY_KIND_STREAM, "streams"},
    {CUPTI_ACTIVITY_KIND_MEMORY2, "allocations"},
    {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "graphs as a whole"},
};

// The words of the options, in their order.
enum Calls { kShortList, kFullList, kNoCalls };
enum Graphs { kWholeGraphs, kNodesOfGraphs };

// With records of whole graphs CUPTI gives none of their nodes.
bool Wanted(const Kind& kind) {
  return kind.kind != CUPTI_ACTIVITY_KIND_GRAPH_TRACE ||
         OptionNumber(OptionIndex("cuda.graphs")) == kWholeGraphs;
}

Cupti g_cupti;
CUpti_SubscriberHandle g_subscriber;
std::atomic<bool> g_armed;
std::atomic<bool> g_began;

const char* NameOf(CUptiResult result) {
  const char* text = nullptr;
  if (g_cupti.cuptiGetResultString == nullptr ||
      g_cupti.cuptiGetResultString(result, &text) != CUPTI_SUCCESS || text == nullptr) {
    return "an unknown error";
  }
  return text;
}

void TellMissing(const char* what, const char* why) {
  TextBuffer text;
  text.Add("CUDA: ").Add(what).Add(" will not be recorded: ").Add(why);
  Log(LogLevel::kWarn, text.text());
}

const char* Remedy(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_MAX_LIMIT_REACHED:
      return "; another tool (a profiler or debugger) uses CUPTI: run without it";
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return "; ask the administrator to allow profiling (NVreg_RestrictProfilingToAdminUsers=0)";
    default:
      return "; `syncline doctor` tells which libcupti and driver are used";
  }
}

bool Refused(const char* call, CUptiResult result) {
  if (result == CUPTI_SUCCESS) return false;
  TextBuffer why;
  why.Add(call).Add(" answered ").AddNumber(static_cast<uint64_t>(result)).Add(" (");
  why.Add(NameOf(result)).Add(")").Add(Remedy(result));
  TellMissing("GPU work", why.text());
  return true;
}

// A CUPTI that is newer than the driver says that it is not initialised: an older one may work.
bool Subscribe() {
  const char* why = nullptr;
  CUptiResult result = CUPTI_SUCCESS;
  for (uint32_t version = 0; version < kCuptiVersions; ++version) {
    const char* missing = LoadCupti(version, &g_cupti);
    if (missing != nullptr) {
      if (why == nullptr) why = missing;
      continue;
    }
    why = "";
    result = g_cupti.cuptiSubscribe(&g_subscriber, OnCall, nullptr);
    if (result != CUPTI_ERROR_NOT_INITIALIZED) break;
  }
  if (*why != '\0') return TellMissing("GPU work", why), false;
  return !Refused("cuptiSubscribe", result);
}

void Unsubscribe() {
  if (g_cupti.cuptiUnsubscribe != nullptr) g_cupti.cuptiUnsubscribe(g_subscriber);
}

// Without buffers the subscription would only keep others away.
bool UseBuffers() {
  if (!PrepareBuffers(g_cupti)) {
    TellMissing("GPU work", "no memory for CUPTI's buffers");
  } else if (!Refused(
                 "cuptiActivityRegisterCallbacks",
                 g_cupti.cuptiActivityRegisterCallbacks(OnBufferRequested, OnBufferCompleted))) {
    return true;
  }
  Unsubscribe();
  return false;
}

// A program that uses a GPU is recorded, if only to say what is missing.
void StartSession() { const HookScope starts_it; }

void EnableKinds() {
  for (const Kind& kind : kKinds) {
    if (!Wanted(kind)) continue;
    const CUptiResult result = g_cupti.cuptiActivityEnable(kind.kind);
    if (result != CUPTI_SUCCESS) TellMissing(kind.records, NameOf(result));
  }
}

}  // namespace

void Arm() {
  ErrnoKeeper keeper;
  if (!CollectorEnabled("cuda") || g_began.exchange(true)) return;
  StartSession();
  if (!Subscribe() || !UseBuffers()) return;
  UseVersion(g_cupti.version);
  UseDeviceClock(g_cupti);
  RecordDeviceClock();
  RecordSettings();
  const int64_t calls = OptionNumber(OptionIndex("cuda.api"));
  if (calls != kNoCalls) WatchCalls(g_cupti, g_subscriber, calls == kFullList);
  WatchObjects(g_cupti, g_subscriber);
  EnableKinds();
  if (!StartFlushing(g_cupti))
    TellMissing("what CUPTI still holds at the end", "no thread could be started (ulimit -u)");
  g_armed.store(true, std::memory_order_release);
}

void GiveWay(const char* call) {
  if (!g_armed.exchange(false, std::memory_order_acq_rel)) return;
  FlushForTheLastTime();
  for (const Kind& kind : kKinds) {
    if (g_cupti.cuptiActivityDisable != nullptr) g_cupti.cuptiActivityDisable(kind.kind);
  }
  Unsubscribe();
  TextBuffer why;
  why.Add("the program, or a library in it, uses CUPTI itself (").Add(call);
  why.Add("); with --collect nvtx it has CUPTI from the beginning");
  TellMissing("GPU work from then on", why.text());
}

void Flush() {
  if (g_armed.load(std::memory_order_acquire)) FlushForTheLastTime();
}

void Forget() {
  g_armed.store(false, std::memory_order_release);
  ForgetFlushing();
}

}  // namespace syncline::cuda
