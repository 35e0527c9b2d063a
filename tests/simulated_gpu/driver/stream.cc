// SPDX-License-Identifier: Apache-2.0
// The driver API: streams and events, the calls without a per-thread form.
#include "tests/simulated_gpu/engine/graph.h"
#include "tests/simulated_gpu/engine/stream_ops.h"

#include "tests/simulated_gpu/driver/api.h"

using simgpu::AsEvent;
using simgpu::AsResult;
using simgpu::CurrentContext;
using simgpu::Event;
using simgpu::Stream;

namespace {

CUresult MakeStream(CUstream* out, unsigned flags, int priority) {
  if (out == nullptr || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
  const int clamped = priority > 0 ? 0 : priority < -5 ? -5 : priority;
  *out = reinterpret_cast<CUstream>(simgpu::CreateStream(CurrentContext(), flags, clamped));
  return CUDA_SUCCESS;
}

}  // namespace

SIMGPU_CALL(kContext, cuStreamCreate, (CUstream * phStream, unsigned int Flags), phStream, Flags) {
  return MakeStream(phStream, Flags, 0);
}

SIMGPU_CALL(kContext, cuStreamCreateWithPriority,
            (CUstream * phStream, unsigned int flags, int priority), phStream, flags, priority) {
  return MakeStream(phStream, flags, priority);
}

SIMGPU_CALL(kContext, cuStreamDestroy, (CUstream hStream), hStream) {
  Stream* stream = simgpu::FindStream(hStream);
  if (stream == nullptr || stream->is_legacy || stream->is_per_thread)
    return CUDA_ERROR_INVALID_HANDLE;
  simgpu::DestroyStream(stream);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuEventCreate, (CUevent * phEvent, unsigned int Flags), phEvent, Flags) {
  if (phEvent == nullptr || Flags > 7) return CUDA_ERROR_INVALID_VALUE;
  *phEvent = reinterpret_cast<CUevent>(simgpu::CreateEvent(CurrentContext(), Flags));
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuEventDestroy, (CUevent hEvent), hEvent) {
  Event* event = AsEvent(hEvent);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  simgpu::DestroyEvent(event);
  return CUDA_SUCCESS;
}

SIMGPU_QUERY(cuEventQuery, (CUevent hEvent), hEvent) {
  Event* event = AsEvent(hEvent);
  return event == nullptr ? CUDA_ERROR_INVALID_HANDLE : AsResult(simgpu::QueryEvent(event));
}

SIMGPU_CALL(kContext, cuEventSynchronize, (CUevent hEvent), hEvent) {
  Event* event = AsEvent(hEvent);
  return event == nullptr ? CUDA_ERROR_INVALID_HANDLE : AsResult(simgpu::SynchronizeEvent(event));
}

namespace {

CUresult Elapsed(float* milliseconds, CUevent start, CUevent end) {
  Event *first = AsEvent(start), *last = AsEvent(end);
  if (first == nullptr || last == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return AsResult(simgpu::ElapsedTime(first, last, milliseconds));
}

}  // namespace

SIMGPU_CALL(kContext, cuEventElapsedTime, (float* pMilliseconds, CUevent hStart, CUevent hEnd),
            pMilliseconds, hStart, hEnd) {
  return Elapsed(pMilliseconds, hStart, hEnd);
}

#undef cuEventElapsedTime  // the form of CUDA 12.7 and before
SIMGPU_CALL(kContext, cuEventElapsedTime, (float* pMilliseconds, CUevent hStart, CUevent hEnd),
            pMilliseconds, hStart, hEnd) {
  return Elapsed(pMilliseconds, hStart, hEnd);
}

SIMGPU_CALL(kDriver, cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode), mode) {
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  int& current = simgpu::CurrentThread()->capture_mode;
  const int before = current;
  current = *mode;
  *mode = static_cast<CUstreamCaptureMode>(before);
  return CUDA_SUCCESS;
}
