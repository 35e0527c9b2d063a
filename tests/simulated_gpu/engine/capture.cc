// SPDX-License-Identifier: Apache-2.0
// Stream capture: the work of capturing streams becomes nodes of a graph.
#include <cuda.h>

#include <algorithm>
#include <set>

#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/graph.h"
#include "tests/simulated_gpu/engine/graph_memory.h"

namespace simgpu {
namespace {

uint64_t next_capture_id = 1;  // under the engine lock

std::set<Capture*>& Captures() {  // in progress; under the engine lock
  static auto& captures = *new std::set<Capture*>;
  return captures;
}

// Whether the other streams of the capture have been joined: their last nodes come before the
// origin's.
bool AllJoined(const Capture& capture) {
  std::set<const Node*> before(capture.origin->capture_tail.begin(),
                               capture.origin->capture_tail.end());
  std::vector<const Node*> open(before.begin(), before.end());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    for (const Node* earlier : node->after) {
      if (before.insert(earlier).second) open.push_back(earlier);
    }
  }
  for (const Stream* stream : capture.streams) {
    for (const Node* node : stream->capture_tail) {
      if (before.count(node) == 0) return false;
    }
  }
  return true;
}

// The capture is over. Kept: an event recorded in it still points to it.
void Leave(Capture* capture) {
  static auto& over = *new std::vector<Capture*>;
  over.push_back(capture);
  for (Stream* stream : capture->streams) {
    stream->capture = nullptr;
    stream->capture_tail.clear();
  }
  Captures().erase(capture);
}

}  // namespace

int BeginCapture(Stream* stream, int mode, Graph* into, const std::vector<Node*>& after) {
  if (stream->is_legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  {
    EngineLock lock(EngineMutex());
    if (stream->capture != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  }
  auto* capture = new Capture;
  capture->graph = into != nullptr ? into : CreateGraph();
  capture->into_given_graph = into != nullptr;
  capture->origin = stream;
  capture->mode = mode;
  capture->thread = CurrentTid();
  capture->streams.push_back(stream);
  EngineLock lock(EngineMutex());
  capture->id = next_capture_id++;
  stream->capture = capture;
  stream->capture_tail = after;
  Captures().insert(capture);
  return CUDA_SUCCESS;
}

int EndCapture(Stream* stream, Graph** graph) {
  *graph = nullptr;
  EngineLock lock(EngineMutex());
  Capture* capture = stream->capture;
  if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != CurrentTid()) {
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  const bool joined = AllJoined(*capture), valid = !capture->invalid;
  Leave(capture);
  if (!valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!joined) return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  *graph = capture->graph;
  return CUDA_SUCCESS;
}

int RefuseDuringCapture(Stream* stream) {
  EngineLock lock(EngineMutex());
  if (stream->capture != nullptr) {
    stream->capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return CheckImplicitCapture(stream);
}

int RefuseUnsafeCall() {
  EngineLock lock(EngineMutex());
  const int thread_mode = CurrentThread()->capture_mode;
  for (Capture* capture : Captures()) {
    const bool mine = capture->thread == CurrentTid();
    const bool concerns_me =
        thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL
            ? capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL ||
                  (mine && capture->mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)
            : thread_mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL && mine &&
                  capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED;
    if (!concerns_me) continue;
    capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return CUDA_SUCCESS;
}

int CheckImplicitCapture(Stream* stream) {
  if (!stream->is_legacy) return CUDA_SUCCESS;
  for (Capture* capture : Captures()) {
    for (const Stream* other : capture->streams) {
      if (other->context != stream->context || !other->blocking) continue;
      capture->invalid = true;
      return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    }
  }
  return CUDA_SUCCESS;
}

int CaptureCommand(Stream* stream, const Command& command, Node** out) {
  Capture* capture = stream->capture;
  if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  const std::vector<Node*> after = stream->capture_tail;
  EngineMutex().unlock();  // AddNode takes it; the stream belongs to this thread while it captures
  Node* node = AddNode(capture->graph, TypeOf(command), command, after);
  EngineMutex().lock();
  stream->capture_tail = {node};
  if (out != nullptr) *out = node;
  return CUDA_SUCCESS;
}

namespace {

// What `add` makes of the stream's last nodes becomes its last node.
template <class Add>
std::optional<int> CaptureMemory(Stream* stream, Add add) {
  Capture* capture = nullptr;
  {
    EngineLock lock(EngineMutex());
    capture = stream->capture;
    if (capture == nullptr) {
      const int refused = CheckImplicitCapture(stream);
      return refused == CUDA_SUCCESS ? std::nullopt : std::optional<int>(refused);
    }
    if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  }
  Node* node = nullptr;  // without the lock: the stream belongs to this thread while it captures
  const int error = add(capture->graph, stream->capture_tail, &node);
  EngineLock lock(EngineMutex());
  if (error != CUDA_SUCCESS) {
    capture->invalid = true;
    return error;
  }
  stream->capture_tail = {node};
  return CUDA_SUCCESS;
}

}  // namespace

std::optional<int> CaptureAllocation(Stream* stream, Device* device, uint64_t bytes,
                                     void** address) {
  return CaptureMemory(stream, [&](Graph* graph, const std::vector<Node*>& after, Node** node) {
    const int error = AddAllocationNode(graph, device, after, bytes, node);
    if (error == CUDA_SUCCESS) *address = reinterpret_cast<void*>((*node)->address);
    return error;
  });
}

std::optional<int> CaptureFree(Stream* stream, void* address) {
  return CaptureMemory(stream, [&](Graph* graph, const std::vector<Node*>& after, Node** node) {
    return AddFreeNode(graph, after, reinterpret_cast<uintptr_t>(address), node);
  });
}

}  // namespace simgpu
