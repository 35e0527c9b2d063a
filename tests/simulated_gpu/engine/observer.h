// SPDX-License-Identifier: Apache-2.0
// What the simulated driver tells whoever observes it (the simulated CUPTI): API calls, operations,
// waits, memory, resources.
//
// Everything is exported by the simulated libcuda.so.1 under `simgpu_` names; a CUPTI finds it by
// dlopen("libcuda.so.1") and dlsym, as libcudart does. All times are CLOCK_MONOTONIC nanoseconds
// (simgpu_now). Ids count from 1; 0 means none. Costs: an API call that nobody observes reads one
// byte (`ApiSwitches`), everything else one word (`categories`). An observer is called on the
// thread that makes the call, at submission; only `completed` may come from another thread. An
// observer never throws, and may call any simgpu_ function from within a hook.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#define SIMGPU_EXPORT extern "C" __attribute__((visibility("default")))

namespace simgpu {

inline constexpr uint32_t kObserverVersion = 1;

// As CUpti_CallbackDomain numbers them.
enum class Domain : uint8_t { kDriver = 1, kRuntime = 2 };
inline constexpr uint32_t kMostCbids = 1024;

// One call of a public function. Lives on the caller's stack from enter to exit.
struct ApiCall {
  Domain domain;
  uint32_t cbid;         // of cupti_driver_cbid.h or cupti_runtime_cbid.h
  const char* function;  // the exported name, such as "cuMemAlloc_v2" or "cudaMemcpyAsync_ptsz"
  const void*
      params;  // the struct of generated_cuda_*_meta.h, or null where those headers have none
  const int* result;   // CUresult or cudaError_t: read it at exit
  const char* symbol;  // the mangled kernel name of a launch, else null
  void* context;       // the CUcontext that is current, null before there is one
  uint32_t context_id;
  uint32_t device;
  uint32_t correlation;       // a runtime call and the driver calls inside it share it
  uint32_t thread;            // gettid
  uint64_t pthread;           // pthread_self
  uint64_t start_ns, end_ns;  // end_ns is 0 at enter
  uint64_t correlation_data;  // the observer's, kept from enter to exit
  bool observed;              // whether enter was told; exit is told exactly then
  bool traced_by_activity;    // the observer's own flag, kept from enter to exit
  const ApiCall* outer;       // the observed call this one was made inside of, or null
};

// One byte per function: not 0 where enter and exit of it are to be told. The observer writes,
// relaxed.
struct ApiSwitches {
  std::atomic<uint8_t> on[3][kMostCbids];  // [domain][cbid]
};

enum class OperationKind : uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kCollective,
  kGraphLaunch,
  kHostFunction,
  kEventRecord,
  kStreamWait,
};

// As CUpti_ActivityMemoryKind numbers them.
enum class MemoryKind : uint8_t {
  kUnknown = 0,
  kPageable = 1,
  kPinned = 2,
  kDevice = 3,
  kArray = 4,
  kManaged = 5,
  kDeviceStatic = 6,
  kManagedStatic = 7,
};

// As CUpti_ActivityMemcpyKind numbers them.
enum class CopyKind : uint8_t {
  kUnknown = 0,
  kHostToDevice = 1,
  kDeviceToHost = 2,
  kHostToArray = 3,
  kArrayToHost = 4,
  kArrayToArray = 5,
  kArrayToDevice = 6,
  kDeviceToArray = 7,
  kDeviceToDevice = 8,
  kHostToHost = 9,
  kPeerToPeer = 10,
};

struct Operation {
  uint64_t id = 0;  // unique in the process; joins `submitted` and `completed`
  OperationKind kind = OperationKind::kKernel;
  bool end_known =
      true;  // false at submission: `completed` follows (or never does, if the operation hangs)
  bool is_async = true;  // whether the call was an Async one (copies and memsets)
  uint32_t correlation = 0;
  uint32_t device = 0, context_id = 0, stream_id = 0;
  void* context = nullptr;
  void* stream = nullptr;
  int32_t priority = 0;
  uint64_t queued_ns = 0, start_ns = 0, end_ns = 0;
  const char* name = "";  // kernels and collectives: mangled; valid as long as the process
  // Kernels.
  uint32_t grid[3] = {0, 0, 0}, block[3] = {0, 0, 0}, cluster[3] = {0, 0, 0};
  uint32_t registers = 0, static_shared = 0, dynamic_shared = 0;
  bool cooperative = false;
  // Copies and memsets.
  CopyKind copy_kind = CopyKind::kUnknown;
  MemoryKind source_kind = MemoryKind::kUnknown,
             target_kind = MemoryKind::kUnknown;  // a memset has a target only
  uint32_t source_device = 0, target_device = 0;  // peer copies
  uint32_t source_context_id = 0, target_context_id = 0;
  uint64_t bytes = 0;
  uint32_t value = 0;
  // Graphs: of the executable graph; the node is 0 for the launch as a whole.
  uint32_t graph_id = 0, graph_exec_id = 0;
  uint64_t graph_node_id = 0;         // of the executable graph
  uint64_t source_graph_node_id = 0;  // of the graph that it was made from
  // Events: the event of a record or wait, and which of its records it is (counts from 1 in the
  // process).
  uint32_t event_id = 0;
  uint64_t event_sync_id = 0;
  uint64_t observer_data = 0;  // the observer's, kept from `submitted` to `completed`
};

// As CUpti_ActivitySynchronizationType numbers them.
enum class SynchronizationKind : uint8_t {
  kEventSynchronize = 1,
  kStreamWaitEvent = 2,
  kStreamSynchronize = 3,
  kContextSynchronize = 4,
};

// A call that synchronises; told when it returns. Implicit waits (a blocking copy, cudaFree) are
// not among them.
struct Synchronization {
  SynchronizationKind kind;
  int result;
  uint32_t correlation;
  uint32_t device, context_id, stream_id, event_id;
  uint64_t event_sync_id;
  void* context;
  void* stream;
  uint64_t start_ns, end_ns;
};

enum class MemoryAction : uint8_t {
  kAllocate = 1,
  kRelease = 2
};  // as CUpti_ActivityMemoryOperationType

struct MemoryEvent {
  MemoryAction action;
  MemoryKind kind;
  bool is_async;
  uint32_t correlation, device, context_id, stream_id;  // stream_id: of the stream-ordered calls
  uint64_t address, bytes, time_ns;
  uint64_t pool;  // the pool's address, 0 outside of pools; and how it stood after the call
  bool pool_is_imported;
  uint64_t pool_release_threshold, pool_bytes, pool_used_bytes;
};

enum class PoolAction : uint8_t {
  kCreated = 1,
  kDestroyed = 2,
  kTrimmed = 3
};  // as CUpti_ActivityMemoryPoolOperationType

struct PoolEvent {
  PoolAction action;
  uint32_t correlation, device;
  uint64_t pool, bytes, used_bytes, release_threshold, least_bytes_to_keep, time_ns;
};

struct ModuleEvent {
  bool loaded;  // else unloaded
  uint32_t module_id, context_id, device;
  void* context;
  const void* image;
  size_t image_bytes;  // 0 where unknown
  uint64_t time_ns;
};

enum class ResourceKind : uint8_t {
  kDevice,
  kContext,
  kStream,
  kEvent,
  kGraph,
  kGraphNode,
  kGraphExec
};

struct Resource {
  ResourceKind kind;
  uint32_t id;  // the context, stream, event or graph id
  uint32_t device, context_id;
  void* handle;
  void* context;
  uint32_t flags;           // of the creating call
  int32_t priority;         // streams
  uint32_t default_stream;  // streams: 1 legacy, 2 per-thread, 0 created; contexts: the id of the
                            // legacy stream
  uint32_t original_id;     // graphs cloned and executable graphs: the graph they came from
  uint64_t node_id;         // graph nodes; `id` is then the graph's
  uint32_t node_type;       // graph nodes: CUgraphNodeType
  void* original;           // graph nodes that are clones: the handle they came from
};

// Work of the driver that delays the program; the numbers are CUpti_ActivityOverheadKind's where it
// has one.
enum class OverheadKind : uint8_t { kQueueFull, kLazyFunctionLoading, kModuleLoading };

struct Overhead {
  OverheadKind kind;
  uint32_t correlation, thread, device, context_id, stream_id;
  uint64_t pthread;
  uint64_t start_ns, end_ns;
};

// Bits of `categories`.
enum Category : uint32_t {
  kOperations = 1u << 0,
  kSynchronizations = 1u << 1,
  kMemory = 1u << 2,
  kPools = 1u << 3,
  kModules = 1u << 4,
  kResources = 1u << 5,
  kOverheads = 1u << 6,
};

// A hook that is null is not called. The object must live as long as the process.
struct Observer {
  uint32_t version = kObserverVersion;
  void (*api_enter)(ApiCall*) = nullptr;
  void (*api_exit)(ApiCall*) = nullptr;
  void (*submitted)(Operation*) = nullptr;        // on the submitting thread, inside the API call
  void (*completed)(const Operation*) = nullptr;  // for those told with end_known == false
  void (*synchronized)(const Synchronization*) = nullptr;
  void (*memory)(const MemoryEvent*) = nullptr;
  void (*pool)(const PoolEvent*) = nullptr;
  void (*module)(const ModuleEvent*) = nullptr;
  void (*resource)(const Resource*, bool created) = nullptr;
  void (*overhead)(const Overhead*) = nullptr;
};

// What a CUPTI's device record and queries need.
struct DeviceInfo {
  uint32_t ordinal;  // as the program counts (CUDA_VISIBLE_DEVICES applied)
  char name[96];
  unsigned char uuid[16];
  uint64_t total_memory, memory_bandwidth_kb_s;
  uint32_t compute_major, compute_minor, multiprocessors, core_clock_khz, l2_bytes, constant_bytes;
  uint32_t warps_per_multiprocessor, blocks_per_multiprocessor, threads_per_block,
      registers_per_block;
  uint32_t shared_per_block, shared_per_multiprocessor, registers_per_multiprocessor,
      memory_bus_bits, pci_bus;
};

}  // namespace simgpu

// There is one observer. Returns the one before; null stops the telling (calls in progress may
// still be told).
SIMGPU_EXPORT const simgpu::Observer* simgpu_set_observer(const simgpu::Observer* observer);
// The switches the observer writes: which calls, and which categories (an OR of simgpu::Category).
SIMGPU_EXPORT simgpu::ApiSwitches* simgpu_api_switches();
SIMGPU_EXPORT std::atomic<uint32_t>* simgpu_categories();
// CLOCK_MONOTONIC in nanoseconds.
SIMGPU_EXPORT uint64_t simgpu_now();
SIMGPU_EXPORT uint32_t simgpu_device_count();
SIMGPU_EXPORT bool simgpu_device_info(uint32_t device, simgpu::DeviceInfo* info);
// 0 where the handle is unknown. A null context means the current one, a null stream its legacy
// default stream.
SIMGPU_EXPORT uint32_t simgpu_context_id(void* context);
SIMGPU_EXPORT uint32_t simgpu_stream_id(void* context, void* stream, bool per_thread);
SIMGPU_EXPORT uint32_t simgpu_device_of(void* context);
SIMGPU_EXPORT uint32_t simgpu_graph_id(void* graph);
SIMGPU_EXPORT uint32_t simgpu_graph_exec_id(void* graph_exec);
SIMGPU_EXPORT uint64_t simgpu_graph_node_id(void* node);
// Tells what exists now (devices, contexts, streams): for an observer that comes late.
SIMGPU_EXPORT void simgpu_for_each_resource(void (*tell)(const simgpu::Resource*, void* user),
                                            void* user);
// Makes every call of this thread until the matching leave invisible: for calls that a CUPTI makes
// itself.
SIMGPU_EXPORT void simgpu_hide_calls(bool hide);
// The value of a fault switch of SIMGPU_FAULT (engine/faults.h): null when off, "" when on without
// a value.
SIMGPU_EXPORT const char* simgpu_fault(const char* name);
// The innermost call of this thread that is in progress, observed or not, or null; and its
// correlation id (0).
SIMGPU_EXPORT uint32_t simgpu_current_correlation();
// Writes one line to the truth file: for libraries that refuse a call that is not modelled, and
// says so once on fd 2.
SIMGPU_EXPORT void simgpu_unsupported(const char* library, const char* function);
