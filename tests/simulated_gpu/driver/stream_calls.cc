// SPDX-License-Identifier: Apache-2.0
// The driver API: the calls that take a stream. Compiled twice: also as their _ptsz forms.
#include <cstring>

#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/counts.h"
#include "tests/simulated_gpu/engine/graph.h"
#include "tests/simulated_gpu/engine/interprocess.h"
#include "tests/simulated_gpu/engine/stream_ops.h"

using simgpu::AsEvent;
using simgpu::AsPointer;
using simgpu::AsResult;
using simgpu::Command;
using simgpu::Event;
using simgpu::FindStream;
using simgpu::Function;
using simgpu::Graph;
using simgpu::Node;
using simgpu::Pool;
using simgpu::Stream;

#define FIND_STREAM(stream, handle)    \
  Stream* stream = FindStream(handle); \
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE

namespace {

Command Kernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
               unsigned bz, unsigned shared) {
  Command command;
  command.function = reinterpret_cast<Function*>(function);
  const uint32_t grid[] = {gx, gy, gz}, block[] = {bx, by, bz};
  std::memcpy(command.grid, grid, sizeof grid);
  std::memcpy(command.block, block, sizeof block);
  command.shared = shared;
  const simgpu::ThreadState* thread = simgpu::CurrentThread();
  command.planned_ns = thread->planned_ns;
  if (thread->collective != nullptr) {
    command.kind = simgpu::OperationKind::kCollective;
    command.collective = *thread->collective;
  }
  return command;
}

const char* NameOf(CUfunction function) {
  return function == nullptr ? nullptr : reinterpret_cast<const Function*>(function)->name.c_str();
}

void ClearCountOf(CUfunction function, void** parameters) {
  if (function != nullptr)
    simgpu::ClearCount(reinterpret_cast<const Function*>(function)->name, parameters);
}

CUresult LaunchInto(CUstream handle, const Command& command) {
  FIND_STREAM(stream, handle);
  if (command.function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return AsResult(simgpu::Launch(stream, command));
}

// What the header promises of a stream callback: the stream, the state of it, the argument.
CUresult AddCallback(CUstream handle, CUstreamCallback callback, void* argument) {
  FIND_STREAM(stream, handle);
  if (callback == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Command command = simgpu::HostCommand(nullptr, nullptr);
  command.host_body = [=] { callback(handle, CUDA_SUCCESS, argument); };
  return AsResult(simgpu::Submit(stream, command));
}

CUresult Record(CUevent handle, CUstream stream_handle, unsigned flags) {
  FIND_STREAM(stream, stream_handle);
  Event* event = AsEvent(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const int error = simgpu::RecordEvent(event, stream, flags);
  if (error == CUDA_SUCCESS) simgpu::PublishRecord(event);
  return AsResult(error);
}

std::vector<Node*> NodesOf(const CUgraphNode* nodes, size_t count) {
  std::vector<Node*> all;
  for (size_t i = 0; i < count; ++i) all.push_back(reinterpret_cast<Node*>(nodes[i]));
  return all;
}

CUresult AllocateOrdered(CUdeviceptr* out, size_t bytes, Pool* pool, CUstream handle) {
  FIND_STREAM(stream, handle);
  if (out == nullptr || pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (bytes == 0) {
    *out = 0;
    return CUDA_SUCCESS;
  }
  void* address = nullptr;
  const std::optional<int> captured =
      simgpu::CaptureAllocation(stream, pool->device, bytes, &address);
  const int result = captured ? *captured : simgpu::AllocateFromPool(pool, stream, bytes, &address);
  *out = reinterpret_cast<CUdeviceptr>(address);
  return AsResult(result);
}

}  // namespace

SIMGPU_LAUNCH(cuLaunchKernel, NameOf(f),
              (CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
               unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
               unsigned int sharedMemBytes, CUstream hStream, void** kernelParams, void** extra),
              f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes,
              hStream, kernelParams, extra) {
  (void)extra;
  ClearCountOf(f, kernelParams);
  return LaunchInto(hStream, Kernel(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY,
                                    blockDimZ, sharedMemBytes));
}

SIMGPU_LAUNCH(cuLaunchKernelEx, NameOf(f),
              (const CUlaunchConfig* config, CUfunction f, void** kernelParams, void** extra),
              config, f, kernelParams, extra) {
  (void)extra;
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  ClearCountOf(f, kernelParams);
  Command command =
      Kernel(f, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
             config->blockDimY, config->blockDimZ, config->sharedMemBytes);
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    const CUlaunchAttribute& attribute = config->attrs[i];
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      command.cluster[0] = attribute.value.clusterDim.x;
      command.cluster[1] = attribute.value.clusterDim.y;
      command.cluster[2] = attribute.value.clusterDim.z;
    }
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
      command.cooperative = attribute.value.cooperative != 0;
  }
  return LaunchInto(config->hStream, command);
}

SIMGPU_LAUNCH(cuLaunchCooperativeKernel, NameOf(f),
              (CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
               unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
               unsigned int sharedMemBytes, CUstream hStream, void** kernelParams),
              f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes,
              hStream, kernelParams) {
  (void)kernelParams;
  Command command =
      Kernel(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes);
  command.cooperative = true;
  return LaunchInto(hStream, command);
}

SIMGPU_CALL(kContext, cuLaunchHostFunc, (CUstream hStream, CUhostFn fn, void* userData), hStream,
            fn, userData) {
  FIND_STREAM(stream, hStream);
  if (fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return AsResult(simgpu::Submit(stream, simgpu::HostCommand(fn, userData)));
}

SIMGPU_CALL(kContext, cuStreamAddCallback,
            (CUstream hStream, CUstreamCallback callback, void* userData, unsigned int flags),
            hStream, callback, userData, flags) {
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : AddCallback(hStream, callback, userData);
}

SIMGPU_CALL(kContext, cuStreamSynchronize, (CUstream hStream), hStream) {
  FIND_STREAM(stream, hStream);
  return AsResult(simgpu::SynchronizeStream(stream));
}

SIMGPU_QUERY(cuStreamQuery, (CUstream hStream), hStream) {
  FIND_STREAM(stream, hStream);
  return AsResult(simgpu::QueryStream(stream));
}

SIMGPU_CALL(kContext, cuStreamWaitEvent, (CUstream hStream, CUevent hEvent, unsigned int Flags),
            hStream, hEvent, Flags) {
  FIND_STREAM(stream, hStream);
  Event* event = AsEvent(hEvent);
  return event == nullptr ? CUDA_ERROR_INVALID_HANDLE
                          : AsResult(simgpu::WaitEvent(stream, event, Flags));
}

SIMGPU_CALL(kContext, cuEventRecord, (CUevent hEvent, CUstream hStream), hEvent, hStream) {
  return Record(hEvent, hStream, 0);
}

SIMGPU_CALL(kContext, cuEventRecordWithFlags,
            (CUevent hEvent, CUstream hStream, unsigned int flags), hEvent, hStream, flags) {
  return Record(hEvent, hStream, flags);
}

SIMGPU_CALL(kContext, cuStreamGetPriority, (CUstream hStream, int* priority), hStream, priority) {
  FIND_STREAM(stream, hStream);
  *priority = stream->priority;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuStreamGetFlags, (CUstream hStream, unsigned int* flags), hStream, flags) {
  FIND_STREAM(stream, hStream);
  *flags = stream->flags;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuStreamGetId, (CUstream hStream, unsigned long long* streamId), hStream,
            streamId) {
  FIND_STREAM(stream, hStream);
  *streamId = stream->id;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuStreamGetDevice, (CUstream hStream, CUdevice* device), hStream, device) {
  FIND_STREAM(stream, hStream);
  *device = static_cast<CUdevice>(stream->context->device->ordinal);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuStreamGetCtx, (CUstream hStream, CUcontext* pctx), hStream, pctx) {
  FIND_STREAM(stream, hStream);
  *pctx = reinterpret_cast<CUcontext>(stream->context);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuStreamAttachMemAsync,
            (CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags), hStream, dptr,
            length, flags) {
  (void)length, (void)flags;
  FIND_STREAM(stream, hStream);
  const auto memory = simgpu::FindMemory(AsPointer(dptr));
  return memory && memory->kind == simgpu::MemoryKind::kManaged ? CUDA_SUCCESS
                                                                : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_CALL(kContext, cuMemPrefetchAsync,
            (CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
             CUstream hStream),
            devPtr, count, location, flags, hStream) {
  (void)location, (void)flags;
  FIND_STREAM(stream, hStream);
  const auto memory = simgpu::FindMemory(AsPointer(devPtr));
  const bool managed = memory && memory->kind == simgpu::MemoryKind::kManaged && count != 0;
  return managed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_CALL(kContext, cuMemAllocAsync, (CUdeviceptr * dptr, size_t bytesize, CUstream hStream),
            dptr, bytesize, hStream) {
  return AllocateOrdered(dptr, bytesize, simgpu::CurrentPool(simgpu::CurrentContext()->device),
                         hStream);
}

SIMGPU_CALL(kContext, cuMemAllocFromPoolAsync,
            (CUdeviceptr * dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream), dptr,
            bytesize, pool, hStream) {
  return AllocateOrdered(dptr, bytesize, simgpu::AsPool(pool), hStream);
}

SIMGPU_CALL(kContext, cuMemFreeAsync, (CUdeviceptr dptr, CUstream hStream), dptr, hStream) {
  FIND_STREAM(stream, hStream);
  if (dptr == 0) return CUDA_SUCCESS;
  const std::optional<int> captured = simgpu::CaptureFree(stream, AsPointer(dptr));
  return AsResult(captured ? *captured : simgpu::FreeOrdered(AsPointer(dptr), stream));
}

// ---- graphs and capture
// ------------------------------------------------------------------------------------------------

SIMGPU_CALL(kContext, cuGraphLaunch, (CUgraphExec hGraphExec, CUstream hStream), hGraphExec,
            hStream) {
  FIND_STREAM(stream, hStream);
  simgpu::GraphExec* exec = simgpu::AsGraphExec(hGraphExec);
  return exec == nullptr ? CUDA_ERROR_INVALID_VALUE : AsResult(simgpu::LaunchGraph(exec, stream));
}

SIMGPU_CALL(kContext, cuGraphUpload, (CUgraphExec hGraphExec, CUstream hStream), hGraphExec,
            hStream) {
  FIND_STREAM(stream, hStream);
  return simgpu::AsGraphExec(hGraphExec) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuGraphInstantiateWithParams,
            (CUgraphExec * phGraphExec, CUgraph hGraph,
             CUDA_GRAPH_INSTANTIATE_PARAMS* instantiateParams),
            phGraphExec, hGraph, instantiateParams) {
  const Graph* graph = simgpu::AsGraph(hGraph);
  if (graph == nullptr || phGraphExec == nullptr || instantiateParams == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  const uint64_t entry_ns = simgpu::Now();
  simgpu::GraphExec* exec = nullptr;
  if (const int error = simgpu::Instantiate(graph, instantiateParams->flags, &exec)) {
    instantiateParams->result_out = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
    return AsResult(error);
  }
  instantiateParams->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  *phGraphExec = reinterpret_cast<CUgraphExec>(exec);
  if ((instantiateParams->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) == 0) return CUDA_SUCCESS;
  FIND_STREAM(stream, instantiateParams->hUploadStream);
  simgpu::Dependencies tail;
  {
    simgpu::EngineLock lock(simgpu::EngineMutex());
    tail = simgpu::StreamTail(stream);
  }
  simgpu::HostWait(simgpu::WaitClass::kGraph, tail, entry_ns,
                   simgpu::Record::kIfItWaited);  // row G4
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuStreamBeginCapture, (CUstream hStream, CUstreamCaptureMode mode), hStream,
            mode) {
  FIND_STREAM(stream, hStream);
  return AsResult(simgpu::BeginCapture(stream, mode, nullptr, {}));
}

SIMGPU_CALL(kContext, cuStreamBeginCaptureToGraph,
            (CUstream hStream, CUgraph hGraph, const CUgraphNode* dependencies,
             const CUgraphEdgeData* dependencyData, size_t numDependencies,
             CUstreamCaptureMode mode),
            hStream, hGraph, dependencies, dependencyData, numDependencies, mode) {
  (void)dependencyData;
  FIND_STREAM(stream, hStream);
  Graph* graph = simgpu::AsGraph(hGraph);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return AsResult(
      simgpu::BeginCapture(stream, mode, graph, NodesOf(dependencies, numDependencies)));
}

SIMGPU_CALL(kContext, cuStreamEndCapture, (CUstream hStream, CUgraph* phGraph), hStream, phGraph) {
  FIND_STREAM(stream, hStream);
  Graph* graph = nullptr;
  const int result = simgpu::EndCapture(stream, &graph);
  if (phGraph != nullptr) *phGraph = reinterpret_cast<CUgraph>(graph);
  return AsResult(result);
}

SIMGPU_CALL(kContext, cuStreamIsCapturing, (CUstream hStream, CUstreamCaptureStatus* captureStatus),
            hStream, captureStatus) {
  FIND_STREAM(stream, hStream);
  simgpu::EngineLock lock(simgpu::EngineMutex());
  if (const int refused = simgpu::CheckImplicitCapture(stream)) return AsResult(refused);
  *captureStatus = stream->capture == nullptr ? CU_STREAM_CAPTURE_STATUS_NONE
                   : stream->capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                              : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

namespace {

CUresult CaptureInfo(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                     const CUgraphNode** dependencies, size_t* count) {
  FIND_STREAM(stream, handle);
  if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  simgpu::EngineLock lock(simgpu::EngineMutex());
  if (const int refused = simgpu::CheckImplicitCapture(stream)) return AsResult(refused);
  const simgpu::Capture* capture = stream->capture;
  *status = capture == nullptr ? CU_STREAM_CAPTURE_STATUS_NONE
            : capture->invalid ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                               : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (capture == nullptr) return CUDA_SUCCESS;
  if (id != nullptr) *id = capture->id;
  if (graph != nullptr) *graph = reinterpret_cast<CUgraph>(capture->graph);
  if (dependencies != nullptr) {
    *dependencies = reinterpret_cast<const CUgraphNode*>(stream->capture_tail.data());
  }
  if (count != nullptr) *count = stream->capture_tail.size();
  return CUDA_SUCCESS;
}

}  // namespace

SIMGPU_CALL(kContext, cuStreamGetCaptureInfo,
            (CUstream hStream, CUstreamCaptureStatus* captureStatus_out, cuuint64_t* id_out,
             CUgraph* graph_out, const CUgraphNode** dependencies_out,
             const CUgraphEdgeData** edgeData_out, size_t* numDependencies_out),
            hStream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out,
            numDependencies_out) {
  if (edgeData_out != nullptr) *edgeData_out = nullptr;
  return CaptureInfo(hStream, captureStatus_out, id_out, graph_out, dependencies_out,
                     numDependencies_out);
}

SIMGPU_CALL(kContext, cuStreamUpdateCaptureDependencies,
            (CUstream hStream, CUgraphNode* dependencies, const CUgraphEdgeData* dependencyData,
             size_t numDependencies, unsigned int flags),
            hStream, dependencies, dependencyData, numDependencies, flags) {
  (void)dependencyData;
  FIND_STREAM(stream, hStream);
  simgpu::EngineLock lock(simgpu::EngineMutex());
  if (stream->capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  const std::vector<Node*> nodes = NodesOf(dependencies, numDependencies);
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) stream->capture_tail.clear();
  stream->capture_tail.insert(stream->capture_tail.end(), nodes.begin(), nodes.end());
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuStreamGetAttribute,
            (CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue* value_out), hStream, attr,
            value_out) {
  FIND_STREAM(stream, hStream);
  std::memset(value_out, 0, sizeof *value_out);
  if (attr == CU_LAUNCH_ATTRIBUTE_PRIORITY) value_out->priority = stream->priority;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuStreamSetAttribute,
            (CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue* value), hStream, attr,
            value) {
  (void)attr, (void)value;
  FIND_STREAM(stream, hStream);
  return CUDA_SUCCESS;
}
