// SPDX-License-Identifier: Apache-2.0
// The runtime's descriptions of copies.
#include "tests/simulated_gpu/runtime/copy_shapes.h"

#include "tests/simulated_gpu/runtime/api.h"
#include "tests/simulated_gpu/runtime/load.h"
#include "tests/simulated_gpu/stubs/unsupported.h"

namespace simgpu::runtime {
namespace {

CUmemorytype SourceType(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) return CU_MEMORYTYPE_UNIFIED;
  const bool host = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost;
  return host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

CUmemorytype TargetType(cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault) return CU_MEMORYTYPE_UNIFIED;
  const bool host = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost;
  return host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

}  // namespace

CUDA_MEMCPY2D PlaneOf(const Plane& plane, cudaMemcpyKind kind) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = SourceType(kind);
  copy.srcHost = plane.source;
  copy.srcDevice = AsDevice(plane.source);
  copy.srcPitch = plane.source_pitch;
  copy.dstMemoryType = TargetType(kind);
  copy.dstHost = plane.target;
  copy.dstDevice = AsDevice(plane.target);
  copy.dstPitch = plane.target_pitch;
  copy.WidthInBytes = plane.width;
  copy.Height = plane.height;
  return copy;
}

cudaError_t BoxOf(const cudaMemcpy3DParms* parameters, CUDA_MEMCPY3D* box) {
  if (parameters == nullptr || parameters->kind > cudaMemcpyDefault) return cudaErrorInvalidValue;
  if (parameters->srcArray != nullptr || parameters->dstArray != nullptr) {
    SayUnsupported("libcudart.so", "copies from and to arrays");
    return cudaErrorNotSupported;
  }
  const cudaPitchedPtr &source = parameters->srcPtr, &target = parameters->dstPtr;
  *box = CUDA_MEMCPY3D{};
  box->srcXInBytes = parameters->srcPos.x;
  box->srcY = parameters->srcPos.y;
  box->srcZ = parameters->srcPos.z;
  box->srcMemoryType = SourceType(parameters->kind);
  box->srcHost = source.ptr;
  box->srcDevice = AsDevice(source.ptr);
  box->srcPitch = source.pitch;
  box->srcHeight = source.ysize;
  box->dstXInBytes = parameters->dstPos.x;
  box->dstY = parameters->dstPos.y;
  box->dstZ = parameters->dstPos.z;
  box->dstMemoryType = TargetType(parameters->kind);
  box->dstHost = target.ptr;
  box->dstDevice = AsDevice(target.ptr);
  box->dstPitch = target.pitch;
  box->dstHeight = target.ysize;
  box->WidthInBytes = parameters->extent.width;
  box->Height = parameters->extent.height;
  box->Depth = parameters->extent.depth;
  return cudaSuccess;
}

CUDA_MEMCPY3D LineOf(void* target, const void* source, size_t bytes, cudaMemcpyKind kind) {
  CUDA_MEMCPY3D box{};
  box.srcMemoryType = SourceType(kind);
  box.srcHost = source;
  box.srcDevice = AsDevice(source);
  box.dstMemoryType = TargetType(kind);
  box.dstHost = target;
  box.dstDevice = AsDevice(target);
  box.WidthInBytes = bytes;
  box.Height = 1;
  box.Depth = 1;
  return box;
}

}  // namespace simgpu::runtime
