// SPDX-License-Identifier: Apache-2.0
// The driver API: copies and memsets. Compiled twice: also as their _ptds and _ptsz forms.
#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/driver/copy_shapes.h"
#include "tests/simulated_gpu/engine/stream_ops.h"

using simgpu::AsPointer;
using simgpu::AsResult;
using simgpu::CopyRequest;
using simgpu::FillRequest;
using simgpu::FindStream;
using simgpu::Stream;

namespace {

CUresult CopyLine(CUstream handle, void* target, const void* source, size_t bytes, bool is_async) {
  Stream* stream = FindStream(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  CopyRequest copy;
  copy.target = target;
  copy.source = source;
  copy.width = bytes;
  return AsResult(simgpu::Copy(stream, copy, is_async));
}

CUresult CopyBox(CUstream handle, const CUDA_MEMCPY3D& box, bool is_async) {
  Stream* stream = FindStream(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  CopyRequest copy;
  const CUresult result = simgpu::ShapeOf(box, &copy);
  return result != CUDA_SUCCESS ? result : AsResult(simgpu::Copy(stream, copy, is_async));
}

CUresult FillRows(CUstream handle, CUdeviceptr target, uint32_t value, uint32_t element,
                  size_t width, size_t height, size_t pitch, bool is_async) {
  Stream* stream = FindStream(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (target % element != 0) return CUDA_ERROR_INVALID_VALUE;
  FillRequest fill;
  fill.target = AsPointer(target);
  fill.value = value;
  fill.element = element;
  fill.width = width;
  fill.height = height;
  fill.pitch = pitch;
  return AsResult(simgpu::Fill(stream, fill, is_async));
}

const void* AsSource(CUdeviceptr address) { return AsPointer(address); }

}  // namespace

SIMGPU_CALL(kContext, cuMemcpy, (CUdeviceptr dst, CUdeviceptr src, size_t ByteCount), dst, src,
            ByteCount) {
  return CopyLine(nullptr, AsPointer(dst), AsSource(src), ByteCount, false);
}
SIMGPU_CALL(kContext, cuMemcpyAsync,
            (CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream), dst, src,
            ByteCount, hStream) {
  return CopyLine(hStream, AsPointer(dst), AsSource(src), ByteCount, true);
}
SIMGPU_CALL(kContext, cuMemcpyHtoD, (CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount),
            dstDevice, srcHost, ByteCount) {
  return CopyLine(nullptr, AsPointer(dstDevice), srcHost, ByteCount, false);
}
SIMGPU_CALL(kContext, cuMemcpyHtoDAsync,
            (CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount, CUstream hStream),
            dstDevice, srcHost, ByteCount, hStream) {
  return CopyLine(hStream, AsPointer(dstDevice), srcHost, ByteCount, true);
}
SIMGPU_CALL(kContext, cuMemcpyDtoH, (void* dstHost, CUdeviceptr srcDevice, size_t ByteCount),
            dstHost, srcDevice, ByteCount) {
  return CopyLine(nullptr, dstHost, AsSource(srcDevice), ByteCount, false);
}
SIMGPU_CALL(kContext, cuMemcpyDtoHAsync,
            (void* dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream), dstHost,
            srcDevice, ByteCount, hStream) {
  return CopyLine(hStream, dstHost, AsSource(srcDevice), ByteCount, true);
}
SIMGPU_CALL(kContext, cuMemcpyDtoD,
            (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount), dstDevice, srcDevice,
            ByteCount) {
  return CopyLine(nullptr, AsPointer(dstDevice), AsSource(srcDevice), ByteCount, false);
}
SIMGPU_CALL(kContext, cuMemcpyDtoDAsync,
            (CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream),
            dstDevice, srcDevice, ByteCount, hStream) {
  return CopyLine(hStream, AsPointer(dstDevice), AsSource(srcDevice), ByteCount, true);
}
SIMGPU_CALL(kContext, cuMemcpyPeer,
            (CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
             CUcontext srcContext, size_t ByteCount),
            dstDevice, dstContext, srcDevice, srcContext, ByteCount) {
  if (simgpu::AsContext(dstContext) == nullptr || simgpu::AsContext(srcContext) == nullptr) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  return CopyLine(nullptr, AsPointer(dstDevice), AsSource(srcDevice), ByteCount, false);
}
SIMGPU_CALL(kContext, cuMemcpyPeerAsync,
            (CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
             CUcontext srcContext, size_t ByteCount, CUstream hStream),
            dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream) {
  if (simgpu::AsContext(dstContext) == nullptr || simgpu::AsContext(srcContext) == nullptr) {
    return CUDA_ERROR_INVALID_CONTEXT;
  }
  return CopyLine(hStream, AsPointer(dstDevice), AsSource(srcDevice), ByteCount, true);
}

// Copies of rows and slices. The stream of a blocking form is the default one.
#define COPY_BOX(name, type)                                                  \
  SIMGPU_CALL(kContext, name, (const type* pCopy), pCopy) {                   \
    return pCopy == nullptr ? CUDA_ERROR_INVALID_VALUE                        \
                            : CopyBox(nullptr, simgpu::AsBox(*pCopy), false); \
  }
#define COPY_BOX_ASYNC(name, type)                                                     \
  SIMGPU_CALL(kContext, name, (const type* pCopy, CUstream hStream), pCopy, hStream) { \
    return pCopy == nullptr ? CUDA_ERROR_INVALID_VALUE                                 \
                            : CopyBox(hStream, simgpu::AsBox(*pCopy), true);           \
  }
COPY_BOX(cuMemcpy2D, CUDA_MEMCPY2D)
COPY_BOX(cuMemcpy2DUnaligned, CUDA_MEMCPY2D)
COPY_BOX_ASYNC(cuMemcpy2DAsync, CUDA_MEMCPY2D)
COPY_BOX(cuMemcpy3D, CUDA_MEMCPY3D)
COPY_BOX_ASYNC(cuMemcpy3DAsync, CUDA_MEMCPY3D)
COPY_BOX(cuMemcpy3DPeer, CUDA_MEMCPY3D_PEER)
COPY_BOX_ASYNC(cuMemcpy3DPeerAsync, CUDA_MEMCPY3D_PEER)

#define FILL(name, type, element, value)                                                       \
  SIMGPU_CALL(kContext, name, (CUdeviceptr dstDevice, type value, size_t N), dstDevice, value, \
              N) {                                                                             \
    return FillRows(nullptr, dstDevice, value, element, N, 1, 0, false);                       \
  }
#define FILL_ASYNC(name, type, element, value)                                                 \
  SIMGPU_CALL(kContext, name, (CUdeviceptr dstDevice, type value, size_t N, CUstream hStream), \
              dstDevice, value, N, hStream) {                                                  \
    return FillRows(hStream, dstDevice, value, element, N, 1, 0, true);                        \
  }
#define FILL_2D(name, type, element, value)                                                      \
  SIMGPU_CALL(kContext, name,                                                                    \
              (CUdeviceptr dstDevice, size_t dstPitch, type value, size_t Width, size_t Height), \
              dstDevice, dstPitch, value, Width, Height) {                                       \
    return FillRows(nullptr, dstDevice, value, element, Width, Height, dstPitch, false);         \
  }
#define FILL_2D_ASYNC(name, type, element, value)                                               \
  SIMGPU_CALL(kContext, name,                                                                   \
              (CUdeviceptr dstDevice, size_t dstPitch, type value, size_t Width, size_t Height, \
               CUstream hStream),                                                               \
              dstDevice, dstPitch, value, Width, Height, hStream) {                             \
    return FillRows(hStream, dstDevice, value, element, Width, Height, dstPitch, true);         \
  }
FILL(cuMemsetD8, unsigned char, 1, uc)
FILL(cuMemsetD16, unsigned short, 2, us)
FILL(cuMemsetD32, unsigned int, 4, ui)
FILL_ASYNC(cuMemsetD8Async, unsigned char, 1, uc)
FILL_ASYNC(cuMemsetD16Async, unsigned short, 2, us)
FILL_ASYNC(cuMemsetD32Async, unsigned int, 4, ui)
FILL_2D(cuMemsetD2D8, unsigned char, 1, uc)
FILL_2D(cuMemsetD2D16, unsigned short, 2, us)
FILL_2D(cuMemsetD2D32, unsigned int, 4, ui)
FILL_2D_ASYNC(cuMemsetD2D8Async, unsigned char, 1, uc)
FILL_2D_ASYNC(cuMemsetD2D16Async, unsigned short, 2, us)
FILL_2D_ASYNC(cuMemsetD2D32Async, unsigned int, 4, ui)
