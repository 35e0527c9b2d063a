// SPDX-License-Identifier: Apache-2.0
// The driver API: contexts.
#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/engine/memory.h"
#include "tests/simulated_gpu/engine/stream_ops.h"

using simgpu::AsResult;
using simgpu::Context;
using simgpu::CurrentContext;
using simgpu::CurrentThread;
using simgpu::Device;
using simgpu::DeviceAt;
using simgpu::ThreadState;

namespace {

CUresult Push(Context* context) {
  ThreadState* thread = CurrentThread();
  if (thread->depth == simgpu::kMostContextsPushed) return CUDA_ERROR_INVALID_VALUE;
  thread->contexts[thread->depth++] = context;
  return CUDA_SUCCESS;
}

CUcontext Handle(const Context* context) {
  return reinterpret_cast<CUcontext>(const_cast<Context*>(context));
}

// The context goes, after its work; a sticky error goes with it.
void Destroy(Context* context) {
  if (simgpu::StickyError() == 0) simgpu::SynchronizeContext(context);
  simgpu::FreeContextMemory(context);
  simgpu::DestroyContext(context);
  simgpu::ClearStickyError();
}

CUresult Create(CUcontext* pctx, unsigned int flags, CUdevice dev) {
  Device* device = DeviceAt(dev);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (pctx == nullptr || !simgpu::IsSchedule(flags)) return CUDA_ERROR_INVALID_VALUE;
  Context* context = simgpu::CreateContext(device, flags, false);
  *pctx = Handle(context);
  return Push(context);
}

}  // namespace

SIMGPU_CALL(kDriver, cuCtxCreate,
            (CUcontext * pctx, CUctxCreateParams* ctxCreateParams, unsigned int flags,
             CUdevice dev),
            pctx, ctxCreateParams, flags, dev) {
  (void)ctxCreateParams;
  return Create(pctx, flags, dev);
}

SIMGPU_CALL(kDriver, cuCtxCreate_v2, (CUcontext * pctx, unsigned int flags, CUdevice dev), pctx,
            flags, dev) {
  return Create(pctx, flags, dev);
}

SIMGPU_CALL(kDriver, cuCtxCreate_v3,
            (CUcontext * pctx, CUexecAffinityParam* paramsArray, int numParams, unsigned int flags,
             CUdevice dev),
            pctx, paramsArray, numParams, flags, dev) {
  (void)paramsArray, (void)numParams;  // shares of the multiprocessors
  return Create(pctx, flags, dev);
}

SIMGPU_CALL(kDriver, cuCtxDestroy, (CUcontext ctx), ctx) {
  Context* context = simgpu::AsContext(ctx);
  if (context == nullptr || context->primary) return CUDA_ERROR_INVALID_CONTEXT;
  Destroy(context);
  ThreadState* thread = CurrentThread();
  if (thread->depth > 0 && thread->contexts[thread->depth - 1] == context) --thread->depth;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuCtxPushCurrent, (CUcontext ctx), ctx) {
  Context* context = simgpu::AsContext(ctx);
  return context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : Push(context);
}

SIMGPU_CALL(kDriver, cuCtxPopCurrent, (CUcontext * pctx), pctx) {
  ThreadState* thread = CurrentThread();
  if (thread->depth == 0) return CUDA_ERROR_INVALID_CONTEXT;
  const Context* context = CurrentContext();
  --thread->depth;
  if (pctx != nullptr) *pctx = Handle(context);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuCtxSetCurrent, (CUcontext ctx), ctx) {
  ThreadState* thread = CurrentThread();
  if (ctx == nullptr) {
    if (thread->depth > 0) --thread->depth;
    return CUDA_SUCCESS;
  }
  Context* context = simgpu::AsContext(ctx);
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (thread->depth == 0) return Push(context);
  thread->contexts[thread->depth - 1] = context;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuCtxGetCurrent, (CUcontext * pctx), pctx) {
  if (pctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *pctx = Handle(CurrentContext());
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuCtxGetDevice, (CUdevice * device), device) {
  if (CurrentContext() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *device = static_cast<CUdevice>(CurrentContext()->device->ordinal);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuCtxGetFlags, (unsigned int* flags), flags) {
  if (CurrentContext() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *flags = CurrentContext()->flags;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuCtxSetFlags, (unsigned int flags), flags) {
  if (CurrentContext() == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (!simgpu::IsSchedule(flags)) return CUDA_ERROR_INVALID_VALUE;
  simgpu::EngineLock lock(simgpu::EngineMutex());
  CurrentContext()->flags = flags;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuCtxGetId, (CUcontext ctx, unsigned long long* ctxId), ctx, ctxId) {
  const Context* context = ctx == nullptr ? CurrentContext() : simgpu::AsContext(ctx);
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *ctxId = context->id;
  return CUDA_SUCCESS;
}

SIMGPU_CALL_NO_STRUCT(kContext, cuCtxSynchronize, (), ()) {
  return AsResult(simgpu::SynchronizeContext(CurrentContext()));
}

SIMGPU_CALL(kContext, cuCtxGetApiVersion, (CUcontext ctx, unsigned int* version), ctx, version) {
  (void)ctx;
  *version = 3020;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuCtxSetLimit, (CUlimit limit, size_t value), limit, value) {
  (void)value;
  return limit < CU_LIMIT_MAX ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_CALL(kContext, cuCtxGetLimit, (size_t * pvalue, CUlimit limit), pvalue, limit) {
  if (pvalue == nullptr || limit >= CU_LIMIT_MAX) return CUDA_ERROR_INVALID_VALUE;
  *pvalue = limit == CU_LIMIT_STACK_SIZE         ? 1024
            : limit == CU_LIMIT_PRINTF_FIFO_SIZE ? 1 << 20
                                                 : 8 << 20;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuCtxSetCacheConfig, (CUfunc_cache config), config) {
  (void)config;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuCtxGetCacheConfig, (CUfunc_cache * pconfig), pconfig) {
  *pconfig = CU_FUNC_CACHE_PREFER_NONE;
  return CUDA_SUCCESS;
}

SIMGPU_CALL_NO_STRUCT(kContext, cuCtxResetPersistingL2Cache, (), ()) { return CUDA_SUCCESS; }

SIMGPU_CALL(kContext, cuCtxGetStreamPriorityRange, (int* leastPriority, int* greatestPriority),
            leastPriority, greatestPriority) {
  if (leastPriority != nullptr) *leastPriority = 0;
  if (greatestPriority != nullptr) *greatestPriority = -5;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuCtxEnablePeerAccess, (CUcontext peerContext, unsigned int Flags),
            peerContext, Flags) {
  Context* peer = simgpu::AsContext(peerContext);
  if (peer == nullptr || Flags != 0)
    return peer == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_ERROR_INVALID_VALUE;
  if (peer->device == CurrentContext()->device) return CUDA_ERROR_INVALID_DEVICE;
  simgpu::EngineLock lock(simgpu::EngineMutex());
  const bool added = CurrentContext()->peers.insert(peer).second;
  return added ? CUDA_SUCCESS : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

SIMGPU_CALL(kContext, cuCtxDisablePeerAccess, (CUcontext peerContext), peerContext) {
  Context* peer = simgpu::AsContext(peerContext);
  if (peer == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  simgpu::EngineLock lock(simgpu::EngineMutex());
  return CurrentContext()->peers.erase(peer) != 0 ? CUDA_SUCCESS
                                                  : CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
}

SIMGPU_CALL(kDriver, cuDevicePrimaryCtxRetain, (CUcontext * pctx, CUdevice dev), pctx, dev) {
  Device* device = DeviceAt(dev);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *pctx = Handle(simgpu::PrimaryContext(device));
  simgpu::EngineLock lock(simgpu::EngineMutex());
  ++device->primary_users;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDevicePrimaryCtxRelease, (CUdevice dev), dev) {
  Device* device = DeviceAt(dev);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  Context* last = nullptr;
  {
    simgpu::EngineLock lock(simgpu::EngineMutex());
    if (device->primary_users == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--device->primary_users == 0) last = device->primary;
  }
  if (last != nullptr) Destroy(last);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDevicePrimaryCtxReset, (CUdevice dev), dev) {
  Device* device = DeviceAt(dev);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  Context* context;
  {
    simgpu::EngineLock lock(simgpu::EngineMutex());
    context = device->primary;
  }
  if (context != nullptr) Destroy(context);
  ThreadState* thread = CurrentThread();
  if (thread->depth > 0 && CurrentContext() == context) --thread->depth;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDevicePrimaryCtxSetFlags, (CUdevice dev, unsigned int flags), dev, flags) {
  Device* device = DeviceAt(dev);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (!simgpu::IsSchedule(flags)) return CUDA_ERROR_INVALID_VALUE;
  simgpu::EngineLock lock(simgpu::EngineMutex());
  device->primary_flags = flags;
  if (device->primary != nullptr) device->primary->flags = flags;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDevicePrimaryCtxGetState, (CUdevice dev, unsigned int* flags, int* active),
            dev, flags, active) {
  const Device* device = DeviceAt(dev);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  simgpu::EngineLock lock(simgpu::EngineMutex());
  if (flags != nullptr) *flags = device->primary_flags;
  if (active != nullptr) *active = device->primary != nullptr;
  return CUDA_SUCCESS;
}
