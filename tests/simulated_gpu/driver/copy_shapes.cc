// SPDX-License-Identifier: Apache-2.0
// Copies of rows and slices.
#include "tests/simulated_gpu/driver/copy_shapes.h"

namespace simgpu {
namespace {

// One side of a copy of rows and slices. Null: an array, which is not modelled.
char* Side(CUmemorytype type, const void* host, CUdeviceptr device) {
  if (type == CU_MEMORYTYPE_HOST) return static_cast<char*>(const_cast<void*>(host));
  if (type == CU_MEMORYTYPE_DEVICE || type == CU_MEMORYTYPE_UNIFIED)
    return static_cast<char*>(reinterpret_cast<void*>(device));
  return nullptr;
}

size_t OrElse(size_t value, size_t otherwise) { return value != 0 ? value : otherwise; }

}  // namespace

CUresult ShapeOf(const CUDA_MEMCPY3D& box, CopyRequest* copy) {
  const char* source = Side(box.srcMemoryType, box.srcHost, box.srcDevice);
  char* target = Side(box.dstMemoryType, box.dstHost, box.dstDevice);
  if (source == nullptr || target == nullptr) {
    if (box.srcMemoryType == CU_MEMORYTYPE_ARRAY || box.dstMemoryType == CU_MEMORYTYPE_ARRAY) {
      simgpu_unsupported("libcuda.so.1", "copies from and to arrays");
      return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_ERROR_INVALID_VALUE;
  }
  copy->width = box.WidthInBytes;
  copy->height = box.Height;
  copy->depth = box.Depth;
  copy->source_pitch = OrElse(box.srcPitch, box.WidthInBytes);
  copy->target_pitch = OrElse(box.dstPitch, box.WidthInBytes);
  if (copy->source_pitch < copy->width || copy->target_pitch < copy->width)
    return CUDA_ERROR_INVALID_VALUE;
  copy->source_slice = copy->source_pitch * OrElse(box.srcHeight, box.Height);
  copy->target_slice = copy->target_pitch * OrElse(box.dstHeight, box.Height);
  copy->source =
      source + box.srcXInBytes + box.srcY * copy->source_pitch + box.srcZ * copy->source_slice;
  copy->target =
      target + box.dstXInBytes + box.dstY * copy->target_pitch + box.dstZ * copy->target_slice;
  return CUDA_SUCCESS;
}

CUDA_MEMCPY3D AsBox(const CUDA_MEMCPY2D& plane) {
  CUDA_MEMCPY3D box{};
  box.srcXInBytes = plane.srcXInBytes;
  box.srcY = plane.srcY;
  box.srcMemoryType = plane.srcMemoryType;
  box.srcHost = plane.srcHost;
  box.srcDevice = plane.srcDevice;
  box.srcPitch = plane.srcPitch;
  box.dstXInBytes = plane.dstXInBytes;
  box.dstY = plane.dstY;
  box.dstMemoryType = plane.dstMemoryType;
  box.dstHost = plane.dstHost;
  box.dstDevice = plane.dstDevice;
  box.dstPitch = plane.dstPitch;
  box.WidthInBytes = plane.WidthInBytes;
  box.Height = plane.Height;
  box.Depth = 1;
  return box;
}

CUDA_MEMCPY3D AsBox(const CUDA_MEMCPY3D_PEER& peer) {
  CUDA_MEMCPY3D box{};
  box.srcXInBytes = peer.srcXInBytes;
  box.srcY = peer.srcY;
  box.srcZ = peer.srcZ;
  box.srcMemoryType = peer.srcMemoryType;
  box.srcHost = peer.srcHost;
  box.srcDevice = peer.srcDevice;
  box.srcPitch = peer.srcPitch;
  box.srcHeight = peer.srcHeight;
  box.dstXInBytes = peer.dstXInBytes;
  box.dstY = peer.dstY;
  box.dstZ = peer.dstZ;
  box.dstMemoryType = peer.dstMemoryType;
  box.dstHost = peer.dstHost;
  box.dstDevice = peer.dstDevice;
  box.dstPitch = peer.dstPitch;
  box.dstHeight = peer.dstHeight;
  box.WidthInBytes = peer.WidthInBytes;
  box.Height = peer.Height;
  box.Depth = peer.Depth;
  return box;
}

}  // namespace simgpu
