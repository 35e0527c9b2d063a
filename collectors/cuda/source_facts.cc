// SPDX-License-Identifier: Apache-2.0
// CUDA's words. What its calls wait for stands in wait_rules.cc.
#include "model/devices/source_facts.h"

#include "collectors/cuda/facts/device_datasheets.h"

namespace syncline {

extern const WaitRules kWaitRules_cuda;

namespace {

// NVTX_RESOURCE_TYPE_*, which the vendor defines beside CUDA's own types.
constexpr ResourceRow kNamed[] = {
    {0x40001, NamedObject::kDevice}, {0x40002, NamedObject::kContext},
    {0x40003, NamedObject::kQueue},  {0x50000, NamedObject::kDevice},
    {0x50001, NamedObject::kQueue},
};

constexpr AdviceRow kAdvice[] = {
    {ProblemKind::kCopyBack,
     "copy with cudaMemcpyAsync into pinned memory (cudaMallocHost), and wait where the data is "
     "needed"},
    {ProblemKind::kPageableCopy,
     "pin the buffer (cudaMallocHost, cudaHostRegister) and copy with cudaMemcpyAsync"},
    {ProblemKind::kSynchronousCopy,
     "copy with cudaMemcpyAsync from or to pinned memory, and wait where the data is needed"},
    {ProblemKind::kDeviceWait,
     "leave it out, or wait for the one event whose result is needed (cudaEventSynchronize)"},
    {ProblemKind::kQuerySpin,
     "submit the next work instead, or wait once with cudaEventSynchronize"},
    {ProblemKind::kQueueFull,
     "fewer and larger kernels, or a CUDA graph: a full queue alone costs nothing"},
    {ProblemKind::kModuleLoad,
     "run each kernel once before the loop, or set CUDA_MODULE_LOADING=EAGER"},
    {ProblemKind::kAllocation,
     "allocate before the loop and use the memory again, or use cudaMallocAsync"},
    {ProblemKind::kSharedDevice,
     "give each rank a GPU of its own: cudaSetDevice with the rank's number on its machine"},
    {ProblemKind::kLaunchBound, "fewer and larger kernels, or a CUDA graph"},
    {ProblemKind::kDefaultStream,
     "make streams with cudaStreamNonBlocking, or compile with --default-stream per-thread"},
};

constexpr DeviceWords kDevices = {
    .interface = "cupti",
    .overhead = "CUPTI overhead",
    .named = kNamed,
    .default_queue_handles = 1,  // cudaStreamLegacy; 0 means it as a rule
    .other_queue_handle = 2,     // cudaStreamPerThread
    .vendor = "NVIDIA ",
    .peaks = kDatasheets,
};

}  // namespace

extern const SourceFacts kSourceFacts_cuda;
const SourceFacts kSourceFacts_cuda = {
    .source = SYNCLINE_SOURCE_cuda,
    .name = "cuda",
    .has_devices = true,
    .devices = kDevices,
    .call_category = "cuda_runtime",
    .lower_call_category = "cuda_driver",
    .waits = &kWaitRules_cuda,
    .range_category = "cuda",
    .advice = kAdvice,
};

}  // namespace syncline
