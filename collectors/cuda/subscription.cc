// SPDX-License-Identifier: Apache-2.0
// The order of calls is that of CUPTI's "Recommended Initialization Workflow".
#include "collectors/cuda/subscription.h"

#include <ctime>

#include "collectors/cuda/activity_buffers.h"
#include "collectors/cuda/activity_records.h"
#include "collectors/cuda/api_calls.h"
#include "collectors/cuda/cuda_source.h"
#include "collectors/cuda/cupti_library.h"
#include "collectors/cuda/cupti_threads.h"
#include "collectors/cuda/device_addresses.h"
#include "collectors/cuda/device_clock.h"
#include "collectors/cuda/graph_nodes.h"
#include "collectors/cuda/hidden_clients.h"
#include "collectors/cuda/host_functions.h"
#include "collectors/cuda/profiler_gate.h"
#include "collectors/cuda/resource_callbacks.h"
#include "inject/core/clock.h"
#include "inject/core/exported.h"
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

// The words of the option, in their order; those of cuda.api are in subscription.h.
enum Graphs { kWholeGraphs, kNodesOfGraphs };

constexpr uint64_t kRetryNs = 500'000;
constexpr uint64_t kQuietNs = 20'000'000;

Cupti g_cupti;
CUpti_SubscriberHandle g_subscriber;
bool g_loaded;
bool g_told;  // of kinds that are missing
bool g_has_buffers;
TextBuffer g_why_not;

bool ShowsWholeGraphs() { return OptionNumber(OptionIndex("cuda.graphs")) == kWholeGraphs; }

// With records of whole graphs CUPTI gives none of their nodes.
bool Wanted(const Kind& kind) {
  return kind.kind != CUPTI_ACTIVITY_KIND_GRAPH_TRACE || ShowsWholeGraphs();
}

const char* NameOf(CUptiResult result) {
  const char* text = nullptr;
  if (g_cupti.cuptiGetResultString == nullptr ||
      g_cupti.cuptiGetResultString(result, &text) != CUPTI_SUCCESS || text == nullptr) {
    return "an unknown error";
  }
  return text;
}

const char* Remedy(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_MAX_LIMIT_REACHED:
      return "another tool (a profiler or debugger) uses CUPTI: run without it";
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return "ask the administrator to allow profiling (NVreg_RestrictProfilingToAdminUsers=0)";
    default:
      return "`syncline doctor` tells which libcupti and driver are used";
  }
}

bool Refused(const char* call, CUptiResult result, const char* owner = "") {
  if (result == CUPTI_SUCCESS) return false;
  g_why_not = TextBuffer();
  g_why_not.Add(call).Add(" answered ").AddNumber(static_cast<uint64_t>(result)).Add(" (");
  g_why_not.Add(NameOf(result)).Add("); ");
  if (*owner != '\0') g_why_not.Add("\"").Add(owner).Add("\" has it: ");
  g_why_not.Add(Remedy(result));
  return true;
}

bool Failed(const char* why) {
  g_why_not = TextBuffer();
  g_why_not.Add(why);
  return false;
}

void Unsubscribe() {
  if (g_cupti.cuptiUnsubscribe != nullptr) g_cupti.cuptiUnsubscribe(g_subscriber);
}

// Names the client that is in the way: the second form of cuptiSubscribe tells, and is refused like
// the first.
bool OwnerTold(char* owner, size_t bytes) {
  *owner = '\0';
  if (g_cupti.cuptiSubscribe_v2 == nullptr) return false;
  CUpti_SubscriberParams params = {};
  params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  params.subscriberName = "Syncline";
  params.oldSubscriberName = owner;
  params.oldSubscriberSize = bytes;
  // The other may have gone just now: then it is ours, which nobody asked for in this form.
  if (g_cupti.cuptiSubscribe_v2(&g_subscriber, OnCall, nullptr, &params) == CUPTI_SUCCESS)
    Unsubscribe();
  owner[bytes - 1] = '\0';
  return *owner != '\0';
}

// Once a library: a search of its slots takes longer than all else of a take-back, for which a
// client waits.
void UncountThreads(uint32_t version) {
  static const void* done[kCuptiVersions];
  const auto library = reinterpret_cast<const void*>(g_cupti.cuptiGetVersion);
  if (done[version] == library) return;
  UncountThreadsOf(library);
  done[version] = library;
}

// A CUPTI that is newer than the driver says that it is not initialised: an older one may work.
bool Subscribe() {
  const char* missing = nullptr;
  CUptiResult result = CUPTI_SUCCESS;
  g_loaded = false;
  for (uint32_t version = 0; version < kCuptiVersions; ++version) {
    const char* why = LoadCupti(version, &g_cupti);
    if (why != nullptr) {
      if (missing == nullptr) missing = why;
      continue;
    }
    g_loaded = true;
    UncountThreads(version);
    result = g_cupti.cuptiSubscribe(&g_subscriber, OnCall, nullptr);
    if (result != CUPTI_ERROR_NOT_INITIALIZED) break;
  }
  if (!g_loaded) return Failed(missing);
  char owner[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN + 1] = "";
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) OwnerTold(owner, sizeof(owner));
  return !Refused("cuptiSubscribe", result, owner);
}

uint64_t Realtime() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Another client's clock stays in force when the client is done, and CUPTI cannot be asked for its
// own again: ours is the one it has by default. Before any kind is enabled.
bool UseOurClock(const ClientSettings& others) {
  if (others.timestamp == nullptr) return true;
  return g_cupti.cuptiActivityRegisterTimestampCallback != nullptr &&
         !Refused("cuptiActivityRegisterTimestampCallback",
                  g_cupti.cuptiActivityRegisterTimestampCallback(Realtime));
}

bool UseBuffers() {
  if (!g_has_buffers) g_has_buffers = PrepareBuffers(g_cupti);
  if (!g_has_buffers) return Failed("no memory for CUPTI's buffers");
  return !Refused("cuptiActivityRegisterCallbacks",
                  g_cupti.cuptiActivityRegisterCallbacks(OnBufferRequested, OnBufferCompleted));
}

// Contexts and streams that were made while another client had CUPTI are told of, too.
CUptiResult Enable(CUpti_ActivityKind kind) {
  const bool lasts = kind == CUPTI_ACTIVITY_KIND_CONTEXT || kind == CUPTI_ACTIVITY_KIND_STREAM;
  if (lasts && g_told && g_cupti.cuptiActivityEnableAndDump != nullptr)
    return g_cupti.cuptiActivityEnableAndDump(kind);
  return g_cupti.cuptiActivityEnable(kind);
}

bool IsWork(CUpti_ActivityKind kind) {
  return kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || kind == CUPTI_ACTIVITY_KIND_MEMCPY ||
         kind == CUPTI_ACTIVITY_KIND_MEMCPY2 || kind == CUPTI_ACTIVITY_KIND_MEMSET;
}

// Whether all work of the GPU will have a record.
bool EnableKinds() {
  bool all = true;
  for (const Kind& kind : kKinds) {
    if (!Wanted(kind)) continue;
    const CUptiResult result = Enable(kind.kind);
    if (result == CUPTI_SUCCESS) continue;
    all = all && !IsWork(kind.kind);
    if (!g_told) TellMissing(kind.records, NameOf(result));
  }
  g_told = true;
  return all;
}

// Enables the kinds. Whether each call that gives a GPU work will have a record of it, and those
// that do not can be told apart.
bool WorkIsOwed() {
  const bool first = !g_told;
  const bool all = EnableKinds();
  const bool nodes = WatchNodes(g_cupti, g_subscriber);
  if (all && !nodes && first)
    TellMissing("how much is lost if the process is killed",
                "CUPTI does not tell of captured calls");
  return all && nodes;
}

void DisableKinds() {
  if (g_cupti.cuptiActivityDisable == nullptr) return;
  for (const Kind& kind : kKinds) {
    if (Wanted(kind)) g_cupti.cuptiActivityDisable(kind.kind);
  }
}

void Restore(const ClientSettings& others) {
  if (others.buffers.request != nullptr) {
    g_cupti.cuptiActivityRegisterCallbacks(
        others.buffers.request,
        reinterpret_cast<CUpti_BuffersCallbackCompleteFunc>(others.buffers.complete));
  }
  if (others.timestamp != nullptr && g_cupti.cuptiActivityRegisterTimestampCallback != nullptr)
    g_cupti.cuptiActivityRegisterTimestampCallback(others.timestamp);
}

}  // namespace

bool TakeCupti(const ClientSettings& others) {
  if (!Subscribe()) return false;
  // Without clock or buffers the subscription would only keep others away.
  if (!UseOurClock(others) || !UseBuffers()) return Unsubscribe(), false;
  UseVersion(g_cupti.version);
  FindDriver();
  UseDeviceClock(g_cupti);
  RecordDeviceClock();
  RecordSettings();
  // In this order, because asking for the callbacks takes a while: a call that is shown has its GPU
  // work.
  g_calls.MarkWork(WorkIsOwed());
  const int64_t calls = OptionNumber(OptionIndex("cuda.api"));
  if (calls != kNoCalls) WatchCalls(g_cupti, g_subscriber, calls == kFullList);
  WatchProfiler(g_cupti, g_subscriber);
  WatchResources(g_cupti, g_subscriber);
  WatchHostFunctions(g_cupti);
  if (!ShowsWholeGraphs()) WatchGraphNodes(g_cupti, g_subscriber);
  return true;
}

const char* WhyNot() { return g_why_not.text(); }

void GiveBack(const ClientSettings& others, bool flush) {
  Unsubscribe();
  DisableKinds();
  if (flush) FlushFinally();
  Restore(others);
}

void FlushSome() {
  if (g_loaded) g_cupti.cuptiActivityFlushAll(0);
}

// FlushAll(0) holds back a buffer in which one operation has no end yet, and CUPTI learns of ends a
// little after the program does. So it is asked until the last launch is there, or nothing comes
// any more; then for buffers with unfinished operations too.
void FlushFinally() {
  RecordDeviceClock();
  uint64_t last_change = MonotonicNs();
  Delivered before = DeliveredSoFar();
  for (;;) {
    FlushSome();
    const Delivered now = DeliveredSoFar();
    const uint64_t time = MonotonicNs();
    if (now.correlation >= g_calls.LastLaunch()) break;
    if (now.operations != before.operations) last_change = time;
    if (time - last_change > kQuietNs) break;
    before = now;
    SysSleepNs(kRetryNs);
  }
  g_cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  RecordDeviceClock();
}

void TellRefusedClients(uint64_t until_ns) {
  const auto tell = [](const char* library) {
    TextBuffer text;
    text.Add("CUDA: the GPU work that ").Add(library);
    text.Add(
        " wanted to see itself was not recorded by it, or is missing in the trace: it found CUPTI "
        "by dlsym, which refuses a second client (error 39) and gives records to whoever asked "
        "last; with --collect nvtx it has CUPTI from the beginning");
    Log(LogLevel::kWarn, text.text());
  };
  if (!g_loaded) return;
  // Where our names are not the first, those that are linked have CUPTI's own, used or not.
  constexpr char kSubscribe[] = "cuptiSubscribe";
  const auto subscribe = reinterpret_cast<const void*>(g_cupti.cuptiSubscribe);
  const bool shows_ours = Exported(ModuleThatShows(kSubscribe), kSubscribe) != subscribe;
  FindHolders({subscribe, reinterpret_cast<const void*>(g_cupti.cuptiActivityRegisterCallbacks)},
              shows_ours, until_ns, tell);
}

void TellMissing(const char* what, const char* why) {
  TextBuffer text;
  text.Add("CUDA: ").Add(what).Add(" will not be recorded: ").Add(why);
  Log(LogLevel::kWarn, text.text());
}

}  // namespace syncline::cuda
