// SPDX-License-Identifier: Apache-2.0
// A small profiler for the tests, as CUDA_INJECTION64_PATH loads it: everything on, every record as
// a line of JSON in the file that CUPTI_CLIENT_OUT names. Against CUPTI's public API only.
#include <cupti.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace {

#define INJECTION_CLIENT_FUNCTIONS(X)  \
  X(cuptiSubscribe)                    \
  X(cuptiEnableDomain)                 \
  X(cuptiGetCallbackName)              \
  X(cuptiActivityRegisterCallbacks)    \
  X(cuptiActivityEnable)               \
  X(cuptiActivityGetNextRecord)        \
  X(cuptiActivityGetNumDroppedRecords) \
  X(cuptiActivityFlushAll)

struct Functions {
#define INJECTION_CLIENT_FIELD(name) decltype(&::name) name = nullptr;
  INJECTION_CLIENT_FUNCTIONS(INJECTION_CLIENT_FIELD)
#undef INJECTION_CLIENT_FIELD
};

// Of the headers that this was built with.
constexpr const char* kLibrary = CUDA_VERSION >= 13000 ? "libcupti.so.13" : "libcupti.so.12";

Functions g_cupti;
FILE* g_out = nullptr;
std::mutex& g_mutex = *new std::mutex;
unsigned long g_enters = 0, g_exits = 0;  // of callbacks

constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_RUNTIME,           CUPTI_ACTIVITY_KIND_DRIVER,
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_CUDA_EVENT,        CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
    CUPTI_ACTIVITY_KIND_CONTEXT,           CUPTI_ACTIVITY_KIND_STREAM,
    CUPTI_ACTIVITY_KIND_MEMORY2,           CUPTI_ACTIVITY_KIND_DEVICE,
    CUPTI_ACTIVITY_KIND_OVERHEAD,
};

void CUPTIAPI OnCallback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
  std::lock_guard lock(g_mutex);
  (static_cast<const CUpti_CallbackData*>(data)->callbackSite == CUPTI_API_ENTER ? g_enters
                                                                                 : g_exits) += 1;
}

void CUPTIAPI Request(uint8_t** buffer, size_t* size, size_t* max_records) {
  *size = 64 << 10;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *max_records = 0;
}

// The fields that every operation of a device has, and no newline.
template <typename Record>
void Operation(const char* kind, const Record& record) {
  std::fprintf(
      g_out,
      "{\"kind\": \"%s\", \"device\": %u, \"context\": %u, \"stream\": %u, \"correlation\": %u, "
      "\"start\": %llu, \"end\": %llu",
      kind, record.deviceId, record.contextId, record.streamId, record.correlationId,
      static_cast<unsigned long long>(record.start), static_cast<unsigned long long>(record.end));
}

void Call(const char* kind, CUpti_CallbackDomain domain, const CUpti_ActivityAPI& call) {
  const char* name = "";
  g_cupti.cuptiGetCallbackName(domain, call.cbid, &name);
  std::fprintf(g_out,
               "{\"kind\": \"%s\", \"name\": \"%s\", \"correlation\": %u, \"start\": %llu, "
               "\"end\": %llu, \"result\": %u, \"thread\": %u}\n",
               kind, name, call.correlationId, static_cast<unsigned long long>(call.start),
               static_cast<unsigned long long>(call.end), call.returnValue, call.threadId);
}

// What devices did. False: it is nothing of the sort.
bool WriteOperation(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel9*>(record);
      Operation("kernel", kernel);
      std::fprintf(g_out, ", \"name\": \"%s\", \"grid\": %d, \"graph\": %u}\n", kernel.name,
                   kernel.gridX, kernel.graphId);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy5*>(record);
      Operation("memcpy", copy);
      std::fprintf(
          g_out, ", \"bytes\": %llu, \"copy_kind\": %u, \"from\": %u, \"to\": %u, \"graph\": %u}\n",
          static_cast<unsigned long long>(copy.bytes), copy.copyKind, copy.srcKind, copy.dstKind,
          copy.graphId);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpyPtoP4*>(record);
      Operation("peer_copy", copy);
      std::fprintf(g_out, ", \"bytes\": %llu}\n", static_cast<unsigned long long>(copy.bytes));
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& set = *reinterpret_cast<const CUpti_ActivityMemset4*>(record);
      Operation("memset", set);
      std::fprintf(g_out, ", \"bytes\": %llu, \"to\": %u, \"graph\": %u}\n",
                   static_cast<unsigned long long>(set.bytes), set.memoryKind, set.graphId);
      return true;
    }
    default:
      return false;
  }
}

// What streams and events wait for, and what it cost.
bool WriteDependency(const CUpti_Activity* record) {
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
      const auto& sync = *reinterpret_cast<const CUpti_ActivitySynchronization*>(record);
      std::fprintf(g_out,
                   "{\"kind\": \"synchronization\", \"type\": %d, \"correlation\": %u, \"start\": "
                   "%llu, \"end\": %llu, \"context\": %u, \"stream\": %u, \"event\": %u}\n",
                   sync.type, sync.correlationId, static_cast<unsigned long long>(sync.start),
                   static_cast<unsigned long long>(sync.end), sync.contextId, sync.streamId,
                   sync.cudaEventId);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_CUDA_EVENT: {
      const auto& event = *reinterpret_cast<const CUpti_ActivityCudaEvent*>(record);
      std::fprintf(g_out,
                   "{\"kind\": \"event\", \"correlation\": %u, \"context\": %u, \"stream\": %u, "
                   "\"event\": %u}\n",
                   event.correlationId, event.contextId, event.streamId, event.eventId);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_STREAM: {
      const auto& stream = *reinterpret_cast<const CUpti_ActivityStream*>(record);
      std::fprintf(g_out,
                   "{\"kind\": \"stream\", \"correlation\": %u, \"context\": %u, \"stream\": %u, "
                   "\"flag\": %d}\n",
                   stream.correlationId, stream.contextId, stream.streamId, stream.flag);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MEMORY2: {
      const auto& memory = *reinterpret_cast<const CUpti_ActivityMemory3*>(record);
      std::fprintf(g_out, "{\"kind\": \"memory\", \"correlation\": %u, \"device\": %u}\n",
                   memory.correlationId, memory.deviceId);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_OVERHEAD: {
      const auto& overhead = *reinterpret_cast<const CUpti_ActivityOverhead2*>(record);
      std::fprintf(g_out,
                   "{\"kind\": \"overhead\", \"type\": %d, \"correlation\": %u, \"thread\": %u, "
                   "\"start\": %llu, \"end\": %llu}\n",
                   overhead.overheadKind, overhead.correlationId, overhead.objectId.pt.threadId,
                   static_cast<unsigned long long>(overhead.start),
                   static_cast<unsigned long long>(overhead.end));
      return true;
    }
    default:
      return false;
  }
}

void Write(const CUpti_Activity* record) {
  if (WriteOperation(record) || WriteDependency(record)) return;
  switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_RUNTIME:
      return Call("runtime", CUPTI_CB_DOMAIN_RUNTIME_API,
                  *reinterpret_cast<const CUpti_ActivityAPI*>(record));
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return Call("driver", CUPTI_CB_DOMAIN_DRIVER_API,
                  *reinterpret_cast<const CUpti_ActivityAPI*>(record));
    default:
      std::fprintf(g_out, "{\"kind\": \"%d\"}\n", record->kind);
  }
}

void CUPTIAPI Complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  std::lock_guard lock(g_mutex);
  CUpti_Activity* record = nullptr;
  while (g_cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) Write(record);
  std::free(buffer);
}

void AtExit() {
  g_cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  size_t dropped = 0;
  g_cupti.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  std::lock_guard lock(g_mutex);
  std::fprintf(g_out, "{\"kind\": \"end\", \"dropped\": %zu, \"enters\": %lu, \"exits\": %lu}\n",
               dropped, g_enters, g_exits);
  std::fflush(g_out);
}

bool Load() {
  void* library = dlopen(kLibrary, RTLD_NOW);
  if (library == nullptr) return false;
  bool complete = true;
#define INJECTION_CLIENT_FIND(name)                                               \
  g_cupti.name = reinterpret_cast<decltype(g_cupti.name)>(dlsym(library, #name)); \
  complete = complete && g_cupti.name != nullptr;
  INJECTION_CLIENT_FUNCTIONS(INJECTION_CLIENT_FIND)
#undef INJECTION_CLIENT_FIND
  return complete;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) {
  const char* out = std::getenv("CUPTI_CLIENT_OUT");
  CUpti_SubscriberHandle subscriber = nullptr;
  if (out == nullptr || (g_out = std::fopen(out, "w")) == nullptr || !Load()) return 0;
  if (g_cupti.cuptiSubscribe(&subscriber, OnCallback, nullptr) != CUPTI_SUCCESS) return 0;
  g_cupti.cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API);
  g_cupti.cuptiActivityRegisterCallbacks(Request, Complete);
  for (const CUpti_ActivityKind kind : kKinds) g_cupti.cuptiActivityEnable(kind);
  std::atexit(AtExit);
  return 1;
}
