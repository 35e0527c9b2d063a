// SPDX-License-Identifier: Apache-2.0
// The tables of record layouts by version.
#include "tests/simulated_gpu/cupti/layouts.h"

#include "tests/simulated_gpu/cupti/engine.h"

namespace simgpu::cupti {
namespace {

// X(kind, first toolkit that has this form, size). The last row that the version reaches is the one
// in force. Sources: deprecation notes in cupti_activity_deprecated.h and CUPTI's release notes;
// README.md lists what is not confirmed.
#define SIMGPU_CUPTI_LAYOUTS(X)                                            \
  X(MEMCPY, 1200, sizeof(CUpti_ActivityMemcpy5))                           \
  X(MEMCPY, 1208, sizeof(CUpti_ActivityMemcpy6))                           \
  X(MEMCPY, 1304, sizeof(MemcpyRecord))                                    \
  X(MEMSET, 1200, sizeof(CUpti_ActivityMemset4))                           \
  X(MEMSET, 1304, sizeof(MemsetRecord))                                    \
  X(KERNEL, 1200, sizeof(CUpti_ActivityKernel9))                           \
  X(KERNEL, 1300, sizeof(CUpti_ActivityKernel10))                          \
  X(KERNEL, 1301, offsetof(KernelRecord, execution_model))                 \
  X(KERNEL, 1303, offsetof(KernelRecord, source_graph_id))                 \
  X(KERNEL, 1304, sizeof(KernelRecord))                                    \
  X(DRIVER, 1200, sizeof(CUpti_ActivityAPI))                               \
  X(RUNTIME, 1200, sizeof(CUpti_ActivityAPI))                              \
  X(DEVICE, 1200, sizeof(CUpti_ActivityDevice4))                           \
  X(DEVICE, 1204, sizeof(CUpti_ActivityDevice5))                           \
  X(DEVICE, 1302, sizeof(DeviceRecord))                                    \
  X(CONTEXT, 1200, sizeof(CUpti_ActivityContext))                          \
  X(CONTEXT, 1204, sizeof(CUpti_ActivityContext2))                         \
  X(CONTEXT, 1205, sizeof(CUpti_ActivityContext3))                         \
  X(CONTEXT, 1302, sizeof(ContextRecord))                                  \
  X(CONCURRENT_KERNEL, 1200, sizeof(CUpti_ActivityKernel9))                \
  X(CONCURRENT_KERNEL, 1300, sizeof(CUpti_ActivityKernel10))               \
  X(CONCURRENT_KERNEL, 1301, offsetof(KernelRecord, execution_model))      \
  X(CONCURRENT_KERNEL, 1303, offsetof(KernelRecord, source_graph_id))      \
  X(CONCURRENT_KERNEL, 1304, sizeof(KernelRecord))                         \
  X(NAME, 1200, sizeof(CUpti_ActivityName))                                \
  X(OVERHEAD, 1200, sizeof(CUpti_ActivityOverhead))                        \
  X(OVERHEAD, 1202, sizeof(CUpti_ActivityOverhead2))                       \
  X(OVERHEAD, 1204, sizeof(CUpti_ActivityOverhead3))                       \
  X(MEMCPY2, 1200, sizeof(CUpti_ActivityMemcpyPtoP4))                      \
  X(MODULE, 1200, sizeof(CUpti_ActivityModule))                            \
  X(CUDA_EVENT, 1200, sizeof(CUpti_ActivityCudaEvent))                     \
  X(CUDA_EVENT, 1208, sizeof(CUpti_ActivityCudaEvent2))                    \
  X(CUDA_EVENT, 1305, sizeof(EventRecord))                                 \
  X(STREAM, 1200, sizeof(CUpti_ActivityStream))                            \
  X(SYNCHRONIZATION, 1200, sizeof(CUpti_ActivitySynchronization))          \
  X(SYNCHRONIZATION, 1208, sizeof(CUpti_ActivitySynchronization2))         \
  X(EXTERNAL_CORRELATION, 1200, sizeof(CUpti_ActivityExternalCorrelation)) \
  X(MEMORY2, 1200, sizeof(CUpti_ActivityMemory3))                          \
  X(MEMORY2, 1206, sizeof(CUpti_ActivityMemory4))                          \
  X(MEMORY_POOL, 1200, sizeof(CUpti_ActivityMemoryPool2))                  \
  X(MEMORY_POOL, 1300, sizeof(CUpti_ActivityMemoryPool3))                  \
  X(GRAPH_TRACE, 1200, sizeof(CUpti_ActivityGraphTrace))                   \
  X(GRAPH_TRACE, 1203, sizeof(CUpti_ActivityGraphTrace2))

struct LayoutRow {
  uint32_t kind;
  Version since;
  size_t size;
};

constexpr LayoutRow kLayouts[] = {
#define SIMGPU_CUPTI_LAYOUT_ROW(kind, since, size) {CUPTI_ACTIVITY_KIND_##kind, since, size},
    SIMGPU_CUPTI_LAYOUTS(SIMGPU_CUPTI_LAYOUT_ROW)
#undef SIMGPU_CUPTI_LAYOUT_ROW
};

// Kinds that came after 12.0, with the first toolkit that knows them.
struct KindRow {
  uint32_t kind;
  Version since;
};
constexpr KindRow kLaterKinds[] = {{53, 1208}, {54, 1208}, {55, 1300}, {56, 1301},
                                   {57, 1301}, {58, 1301}, {59, 1302}};
constexpr uint32_t kLastKindOf1200 = CUPTI_ACTIVITY_KIND_JIT;

struct TimesRow {
  uint32_t kind;
  TimeFields fields;
};

#define SIMGPU_CUPTI_TIMES(kind, record)                                              \
  {                                                                                   \
    CUPTI_ACTIVITY_KIND_##kind, { offsetof(record, start), offsetof(record, end), 0 } \
  }
constexpr TimesRow kTimes[] = {
    {CUPTI_ACTIVITY_KIND_KERNEL,
     {offsetof(CUpti_ActivityKernel10, start), offsetof(CUpti_ActivityKernel10, end),
      offsetof(CUpti_ActivityKernel10, completed)}},
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
     {offsetof(CUpti_ActivityKernel10, start), offsetof(CUpti_ActivityKernel10, end),
      offsetof(CUpti_ActivityKernel10, completed)}},
    SIMGPU_CUPTI_TIMES(MEMCPY, CUpti_ActivityMemcpy6),
    SIMGPU_CUPTI_TIMES(MEMCPY2, CUpti_ActivityMemcpyPtoP4),
    SIMGPU_CUPTI_TIMES(MEMSET, CUpti_ActivityMemset4),
    SIMGPU_CUPTI_TIMES(GRAPH_TRACE, CUpti_ActivityGraphTrace2),
    SIMGPU_CUPTI_TIMES(SYNCHRONIZATION, CUpti_ActivitySynchronization2),
    SIMGPU_CUPTI_TIMES(OVERHEAD, CUpti_ActivityOverhead3),
    {CUPTI_ACTIVITY_KIND_MEMORY2, {offsetof(CUpti_ActivityMemory4, timestamp), 0, 0}},
    {CUPTI_ACTIVITY_KIND_MEMORY_POOL, {offsetof(CUpti_ActivityMemoryPool3, timestamp), 0, 0}},
    {CUPTI_ACTIVITY_KIND_CUDA_EVENT, {offsetof(CUpti_ActivityCudaEvent2, deviceTimestamp), 0, 0}},
};

}  // namespace

size_t RecordSize(uint32_t kind, Version version) {
  if (kind == kGarbageKind && Fault("garbage") != nullptr) return kGarbageSize;
  size_t size = 0;
  for (const LayoutRow& row : kLayouts) {
    if (row.kind == kind && row.since <= version) size = row.size;
  }
  return size;
}

bool KindExists(uint32_t kind, Version version) {
  if (kind == CUPTI_ACTIVITY_KIND_INVALID) return false;
  if (kind <= kLastKindOf1200) return true;
  for (const KindRow& row : kLaterKinds) {
    if (row.kind == kind) return row.since <= version;
  }
  return false;
}

TimeFields TimesOf(uint32_t kind) {
  for (const TimesRow& row : kTimes) {
    if (row.kind == kind) return row.fields;
  }
  return {0, 0, 0};
}

}  // namespace simgpu::cupti
