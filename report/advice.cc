// SPDX-License-Identifier: Apache-2.0
// The table.
#include "report/advice.h"

namespace syncline {

const Advice& AdviceOf(AnswerKind kind) {
  static constexpr Advice kRows[kAnswerKinds] = {
      {"read_back", "the host waits to read a value back from the GPU",
       "if the value is not needed there",
       "read it once in N steps, or add it up on the GPU and read it at the end"},
      {"pageable_copy", "a copy of pageable memory makes the host wait",
       "if the buffer is pinned and stays as it is until the copy is done",
       "pin the buffer (pin_memory=True, cudaMallocHost) and copy with non_blocking=True"},
      {"sync_copy", "a synchronous copy makes the host wait",
       "if the data is not needed before the next wait",
       "copy with cudaMemcpyAsync from or to pinned memory, and wait where the data is needed"},
      {"device_wait", "the host waits until the whole GPU is idle",
       "if nothing there needs the results",
       "leave it out, or wait for the one event whose result is needed (cudaEventSynchronize)"},
      {"stream_wait", "the host waits for a stream", "if nothing there needs the results",
       "leave it out, or submit the next work before it"},
      {"event_wait", "the host waits for an event", "if nothing there needs the results",
       "leave it out, or submit the next work before it"},
      {"legacy_stream_wait",
       "the host waits for the default stream, and so for all blocking streams",
       "if nothing there needs the results",
       "leave it out, or wait for the stream whose result is needed"},
      {"query_spin", "the host asks again and again whether the GPU is done",
       "if something else is to do meanwhile",
       "submit the next work instead, or wait once with cudaEventSynchronize"},
      {"queue_full", "the queue of launches is full", "if the queue had room",
       "fewer and larger kernels, or a CUDA graph: a full queue alone costs nothing"},
      {"module_load", "the host waits while code is loaded for the GPU",
       "if the code is loaded beforehand",
       "run each kernel once before the loop, or set CUDA_MODULE_LOADING=EAGER"},
      {"graph_wait", "the host waits in a call of a graph", "if the graph is ready beforehand",
       "instantiate and upload the graph once, before the loop"},
      {"allocation", "memory is taken and given back in the loop", "if it is taken once and kept",
       "allocate before the loop and use the memory again, or use cudaMallocAsync"},
      {"host_work", "the GPU has nothing to do while the host does something else",
       "if one other thread does it beforehand",
       "prepare it ahead: a DataLoader with num_workers and pin_memory, or a thread"},
      {"launch_bound", "the GPU is done with each kernel before the next is launched",
       "if what is launched without a wait between is launched at once",
       "fewer and larger kernels (torch.compile), or a CUDA graph"},
      {"copy_blocks", "copies keep kernels waiting", "if data is copied one step ahead",
       "copy in a stream of its own, from and to pinned memory, while the step before computes"},
      {"default_stream", "the default stream and the others wait for each other",
       "if their work is independent",
       "make streams with cudaStreamNonBlocking, or compile with --default-stream per-thread"},
      {"late_rank", "the other ranks wait for one that comes late to collectives",
       "if that rank comes when the others do",
       "look at what it does before its collectives, and at its data and its machine"},
      {"imbalance", "one rank has more to compute than the others", "if the work is shared evenly",
       "divide the work by its cost, not by its count"}};
  return kRows[static_cast<size_t>(kind)];
}

AnswerKind KindOfWait(WaitClass wait_class) {
  switch (wait_class) {
    case WaitClass::kDevice:
      return AnswerKind::kDeviceWait;
    case WaitClass::kStream:
      return AnswerKind::kStreamWait;
    case WaitClass::kEvent:
      return AnswerKind::kEventWait;
    case WaitClass::kLegacyStream:
      return AnswerKind::kDefaultStreamWait;
    case WaitClass::kSyncCopy:
      return AnswerKind::kSynchronousCopy;
    case WaitClass::kPageableCopy:
      return AnswerKind::kPageableCopy;
    case WaitClass::kAllocation:
      return AnswerKind::kAllocation;
    case WaitClass::kQuerySpin:
      return AnswerKind::kQuerySpin;
    case WaitClass::kQueueFull:
      return AnswerKind::kQueueFull;
    case WaitClass::kModuleLoad:
      return AnswerKind::kModuleLoad;
    case WaitClass::kGraph:
      return AnswerKind::kGraphWait;
  }
  return AnswerKind::kStreamWait;
}

}  // namespace syncline
