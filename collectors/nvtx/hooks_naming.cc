// SPDX-License-Identifier: Apache-2.0
// Names that the program gives to devices, contexts, streams, events and other objects of CUDA and
// OpenCL.
#include <cstring>

#include "collectors/nvtx/domains.h"
#include "collectors/nvtx/hooks.h"
#include "collectors/nvtx/naming.h"
#include "collectors/nvtx/text.h"
#include "inject/core/emit.h"

namespace syncline::nvtx {

void NameResource(const void* domain_handle, uint32_t type, uint64_t key, const char* name,
                  size_t bytes) {
  HookScope scope;
  if (!scope) return;
  ThreadLog& log = scope.log();
  if (!EmitText(log, RecordKind::kResource, type, key, DomainId(log, domain_handle), 0, name,
                bytes)) {
    CountLoss(kLoss_definition);
  }
  if (type == NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE) NameThread(log, key, name, bytes);
}

void NameThread(ThreadLog& log, uint64_t thread, const char* name, size_t bytes) {
  constexpr uint64_t kEndOfThreads = 1 << 22;  // PID_MAX_LIMIT (include/linux/threads.h)
  if (thread == 0 || thread >= kEndOfThreads) {
    CountLoss(kLoss_bad_attributes);
  } else if (!EmitText(log, RecordKind::kThreadName, static_cast<uint32_t>(thread), 0, 0, 0, name,
                       bytes)) {
    CountLoss(kLoss_definition);
  }
}

namespace hook {
namespace {

// NVTX_RESOURCE_TYPE_CUDA_*, CUDART_* and OPENCL_*, which the vendor defines in headers that need
// CUDA's and OpenCL's.
enum ResourceType : uint32_t {
  kCuDevice = 0x40001,
  kCuContext,
  kCuStream,
  kCuEvent,
  kCudaDevice = 0x50000,
  kCudaStream,
  kCudaEvent,
  kClDevice = 0x60001,
  kClContext,
  kClCommandQueue,
  kClMemObject,
  kClSampler,
  kClProgram,
  kClEvent,
};

void NameObject(ResourceType type, uint64_t key, const char* name) {
  if (name != nullptr) NameResource(nullptr, type, key, name, std::strlen(name));
}

void NameObject(ResourceType type, uint64_t key, const wchar_t* name) {
  const Utf8 text(name);
  if (text.valid()) NameResource(nullptr, type, key, text.data(), text.bytes());
}

uint64_t Key(const void* object) { return reinterpret_cast<uintptr_t>(object); }
uint64_t Key(int device) { return static_cast<uint64_t>(device); }

}  // namespace

#define SYNCLINE_NVTX_NAMED(object, type)                    \
  void Name##object##A(type resource, const char* name) {    \
    NameObject(k##object, Key(resource), name);              \
  }                                                          \
  void Name##object##W(type resource, const wchar_t* name) { \
    NameObject(k##object, Key(resource), name);              \
  }
SYNCLINE_NVTX_NAMED(CuDevice, int)
SYNCLINE_NVTX_NAMED(CuContext, void*)
SYNCLINE_NVTX_NAMED(CuStream, void*)
SYNCLINE_NVTX_NAMED(CuEvent, void*)
SYNCLINE_NVTX_NAMED(CudaDevice, int)
SYNCLINE_NVTX_NAMED(CudaStream, void*)
SYNCLINE_NVTX_NAMED(CudaEvent, void*)
SYNCLINE_NVTX_NAMED(ClDevice, void*)
SYNCLINE_NVTX_NAMED(ClContext, void*)
SYNCLINE_NVTX_NAMED(ClCommandQueue, void*)
SYNCLINE_NVTX_NAMED(ClMemObject, void*)
SYNCLINE_NVTX_NAMED(ClSampler, void*)
SYNCLINE_NVTX_NAMED(ClProgram, void*)
SYNCLINE_NVTX_NAMED(ClEvent, void*)
#undef SYNCLINE_NVTX_NAMED

}  // namespace hook
}  // namespace syncline::nvtx
