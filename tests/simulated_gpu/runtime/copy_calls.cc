// SPDX-License-Identifier: Apache-2.0
// The runtime API: copies and memsets. Compiled twice: also as their _ptds and _ptsz forms.
#include "tests/simulated_gpu/runtime/api.h"
#include "tests/simulated_gpu/runtime/copy_shapes.h"
#include "tests/simulated_gpu/runtime/registration.h"

using simgpu::runtime::AsDevice;
using simgpu::runtime::AsError;
using simgpu::runtime::BoxOf;
using simgpu::runtime::FindVariable;
using simgpu::runtime::Plane;
using simgpu::runtime::PlaneOf;

namespace {

void* AsHost(const void* address) { return const_cast<void*>(address); }

cudaError_t Copy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return AsError(SIMGPU_DRIVER(cuMemcpyHtoD)(AsDevice(dst), src, count));
    case cudaMemcpyDeviceToHost:
      return AsError(SIMGPU_DRIVER(cuMemcpyDtoH)(dst, AsDevice(src), count));
    case cudaMemcpyDeviceToDevice:
      return AsError(SIMGPU_DRIVER(cuMemcpyDtoD)(AsDevice(dst), AsDevice(src), count));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return AsError(SIMGPU_DRIVER(cuMemcpy)(AsDevice(dst), AsDevice(src), count));
    default:
      return cudaErrorInvalidMemcpyDirection;
  }
}

cudaError_t CopyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                      cudaStream_t stream) {
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return AsError(SIMGPU_DRIVER(cuMemcpyHtoDAsync)(AsDevice(dst), src, count, stream));
    case cudaMemcpyDeviceToHost:
      return AsError(SIMGPU_DRIVER(cuMemcpyDtoHAsync)(dst, AsDevice(src), count, stream));
    case cudaMemcpyDeviceToDevice:
      return AsError(SIMGPU_DRIVER(cuMemcpyDtoDAsync)(AsDevice(dst), AsDevice(src), count, stream));
    case cudaMemcpyHostToHost:
    case cudaMemcpyDefault:
      return AsError(SIMGPU_DRIVER(cuMemcpyAsync)(AsDevice(dst), AsDevice(src), count, stream));
    default:
      return cudaErrorInvalidMemcpyDirection;
  }
}

// The part of a variable that a symbol copy means; its end must lie in the variable.
cudaError_t SymbolPart(const void* symbol, size_t offset, size_t count, char** out) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  if (const cudaError_t error = FindVariable(symbol, &address, &bytes)) return error;
  if (offset > bytes || count > bytes - offset) return cudaErrorInvalidValue;
  *out = reinterpret_cast<char*>(address) + offset;
  return cudaSuccess;
}

}  // namespace

SIMGPU_RUNTIME(kContext, cudaMemcpy,
               (void* dst, const void* src, size_t count, enum cudaMemcpyKind kind), dst, src,
               count, kind) {
  return Copy(dst, src, count, kind);
}

SIMGPU_RUNTIME(kContext, cudaMemcpyAsync,
               (void* dst, const void* src, size_t count, enum cudaMemcpyKind kind,
                cudaStream_t stream),
               dst, src, count, kind, stream) {
  return CopyAsync(dst, src, count, kind, stream);
}

SIMGPU_RUNTIME(kContext, cudaMemcpyToSymbol,
               (const void* symbol, const void* src, size_t count, size_t offset,
                enum cudaMemcpyKind kind),
               symbol, src, count, offset, kind) {
  char* part = nullptr;
  if (const cudaError_t error = SymbolPart(symbol, offset, count, &part)) return error;
  return Copy(part, src, count, kind);
}

SIMGPU_RUNTIME(kContext, cudaMemcpyFromSymbol,
               (void* dst, const void* symbol, size_t count, size_t offset,
                enum cudaMemcpyKind kind),
               dst, symbol, count, offset, kind) {
  char* part = nullptr;
  if (const cudaError_t error = SymbolPart(symbol, offset, count, &part)) return error;
  return Copy(dst, part, count, kind);
}

SIMGPU_RUNTIME(kContext, cudaMemcpyToSymbolAsync,
               (const void* symbol, const void* src, size_t count, size_t offset,
                enum cudaMemcpyKind kind, cudaStream_t stream),
               symbol, src, count, offset, kind, stream) {
  char* part = nullptr;
  if (const cudaError_t error = SymbolPart(symbol, offset, count, &part)) return error;
  return CopyAsync(part, src, count, kind, stream);
}

SIMGPU_RUNTIME(kContext, cudaMemcpyFromSymbolAsync,
               (void* dst, const void* symbol, size_t count, size_t offset,
                enum cudaMemcpyKind kind, cudaStream_t stream),
               dst, symbol, count, offset, kind, stream) {
  char* part = nullptr;
  if (const cudaError_t error = SymbolPart(symbol, offset, count, &part)) return error;
  return CopyAsync(dst, part, count, kind, stream);
}

SIMGPU_RUNTIME(kContext, cudaMemcpy2D,
               (void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                size_t height, enum cudaMemcpyKind kind),
               dst, dpitch, src, spitch, width, height, kind) {
  if (kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (width > dpitch || width > spitch) return cudaErrorInvalidPitchValue;
  const CUDA_MEMCPY2D plane = PlaneOf(Plane{dst, dpitch, AsHost(src), spitch, width, height}, kind);
  return AsError(SIMGPU_DRIVER(cuMemcpy2DUnaligned)(&plane));
}

SIMGPU_RUNTIME(kContext, cudaMemcpy2DAsync,
               (void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                size_t height, enum cudaMemcpyKind kind, cudaStream_t stream),
               dst, dpitch, src, spitch, width, height, kind, stream) {
  if (kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  if (width > dpitch || width > spitch) return cudaErrorInvalidPitchValue;
  const CUDA_MEMCPY2D plane = PlaneOf(Plane{dst, dpitch, AsHost(src), spitch, width, height}, kind);
  return AsError(SIMGPU_DRIVER(cuMemcpy2DAsync)(&plane, stream));
}

SIMGPU_RUNTIME(kContext, cudaMemcpy3D, (const struct cudaMemcpy3DParms* p), p) {
  CUDA_MEMCPY3D box;
  if (const cudaError_t error = BoxOf(p, &box)) return error;
  return AsError(SIMGPU_DRIVER(cuMemcpy3D)(&box));
}

SIMGPU_RUNTIME(kContext, cudaMemcpy3DAsync,
               (const struct cudaMemcpy3DParms* p, cudaStream_t stream), p, stream) {
  CUDA_MEMCPY3D box;
  if (const cudaError_t error = BoxOf(p, &box)) return error;
  return AsError(SIMGPU_DRIVER(cuMemcpy3DAsync)(&box, stream));
}

SIMGPU_RUNTIME(kContext, cudaMemset, (void* devPtr, int value, size_t count), devPtr, value,
               count) {
  return AsError(
      SIMGPU_DRIVER(cuMemsetD8)(AsDevice(devPtr), static_cast<unsigned char>(value), count));
}

SIMGPU_RUNTIME(kContext, cudaMemsetAsync,
               (void* devPtr, int value, size_t count, cudaStream_t stream), devPtr, value, count,
               stream) {
  return AsError(SIMGPU_DRIVER(cuMemsetD8Async)(AsDevice(devPtr), static_cast<unsigned char>(value),
                                                count, stream));
}

SIMGPU_RUNTIME(kContext, cudaMemset2D,
               (void* devPtr, size_t pitch, int value, size_t width, size_t height), devPtr, pitch,
               value, width, height) {
  const auto byte = static_cast<unsigned char>(value);
  return AsError(SIMGPU_DRIVER(cuMemsetD2D8)(AsDevice(devPtr), pitch, byte, width, height));
}

SIMGPU_RUNTIME(kContext, cudaMemset2DAsync,
               (void* devPtr, size_t pitch, int value, size_t width, size_t height,
                cudaStream_t stream),
               devPtr, pitch, value, width, height, stream) {
  const auto byte = static_cast<unsigned char>(value);
  return AsError(
      SIMGPU_DRIVER(cuMemsetD2D8Async)(AsDevice(devPtr), pitch, byte, width, height, stream));
}

SIMGPU_RUNTIME(kContext, cudaMemset3D,
               (struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent),
               pitchedDevPtr, value, extent) {
  const auto byte = static_cast<unsigned char>(value);
  return AsError(SIMGPU_DRIVER(cuMemsetD2D8)(AsDevice(pitchedDevPtr.ptr), pitchedDevPtr.pitch, byte,
                                             extent.width, extent.height * extent.depth));
}

SIMGPU_RUNTIME(kContext, cudaMemset3DAsync,
               (struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                cudaStream_t stream),
               pitchedDevPtr, value, extent, stream) {
  const auto byte = static_cast<unsigned char>(value);
  return AsError(SIMGPU_DRIVER(cuMemsetD2D8Async)(AsDevice(pitchedDevPtr.ptr), pitchedDevPtr.pitch,
                                                  byte, extent.width, extent.height * extent.depth,
                                                  stream));
}

#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM  // peer copies have no per-thread form in the runtime

namespace {

// The primary contexts of the two devices of a peer copy.
struct Peers {
  CUcontext target = nullptr, source = nullptr;
};

cudaError_t PeersOf(int target, int source, Peers* peers) {
  if (const cudaError_t error = simgpu::runtime::PrimaryContext(target, &peers->target)) {
    return error;
  }
  return simgpu::runtime::PrimaryContext(source, &peers->source);
}

}  // namespace

SIMGPU_RUNTIME(kContext, cudaMemcpyPeer,
               (void* dst, int dstDevice, const void* src, int srcDevice, size_t count), dst,
               dstDevice, src, srcDevice, count) {
  Peers peers;
  if (const cudaError_t error = PeersOf(dstDevice, srcDevice, &peers)) return error;
  return AsError(
      SIMGPU_DRIVER(cuMemcpyPeer)(AsDevice(dst), peers.target, AsDevice(src), peers.source, count));
}

SIMGPU_RUNTIME(kContext, cudaMemcpyPeerAsync,
               (void* dst, int dstDevice, const void* src, int srcDevice, size_t count,
                cudaStream_t stream),
               dst, dstDevice, src, srcDevice, count, stream) {
  Peers peers;
  if (const cudaError_t error = PeersOf(dstDevice, srcDevice, &peers)) return error;
  return AsError(SIMGPU_DRIVER(cuMemcpyPeerAsync)(AsDevice(dst), peers.target, AsDevice(src),
                                                  peers.source, count, stream));
}

#endif
