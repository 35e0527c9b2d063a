// SPDX-License-Identifier: Apache-2.0
// Events, and the calls that wait for or ask about streams, events and contexts.
#include <cuda.h>

#include <atomic>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/faults.h"
#include "tests/simulated_gpu/engine/graph.h"
#include "tests/simulated_gpu/engine/stream_ops.h"

namespace simgpu {
namespace {

uint64_t next_sync_id = 1;  // under the engine lock
uint64_t records = 0;       // under the engine lock; for the fault that names one

void TellSynchronization(SynchronizationKind kind, Context* context, const Stream* stream,
                         const Event* event, uint64_t start_ns, int result) {
  if (!Observed(kSynchronizations)) return;
  const Observer* observer = CurrentObserver();
  if (observer == nullptr || observer->synchronized == nullptr) return;
  Synchronization sync{};
  sync.kind = kind;
  sync.result = result;
  sync.correlation = CurrentCorrelation();
  sync.device = context->device->ordinal;
  sync.context = context;
  sync.context_id = context->id;
  sync.stream = const_cast<Stream*>(stream);
  sync.stream_id = stream == nullptr ? 0 : stream->id;
  sync.event_id = event == nullptr ? 0 : event->id;
  sync.event_sync_id = event == nullptr ? 0 : event->sync_id;
  sync.start_ns = start_ns;
  sync.end_ns = Now();
  observer->synchronized(&sync);
}

// Under the lock: the stream is captured too from now on, behind what the event stands for.
int JoinCapture(Stream* stream, Event* event) {
  Capture* capture = event->capture;
  if (capture == nullptr || capture->id != event->capture_id) return CUDA_ERROR_CAPTURED_EVENT;
  if (stream->capture == nullptr) {
    if (stream->is_legacy) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    stream->capture = capture;
    stream->capture_tail.clear();
    capture->streams.push_back(stream);
  } else if (stream->capture != capture) {
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  for (Node* node : event->capture_nodes) {
    auto& tail = stream->capture_tail;
    bool there = false;
    for (const Node* known : tail) there = there || known == node;
    if (!there) tail.push_back(node);
  }
  return CUDA_SUCCESS;
}

bool NeverSignals() {  // under the lock
  static const Faults& faults = Faults::OfProcess();
  return faults.Find("event_never") != nullptr && ++records == faults.Number("event_never", 1);
}

}  // namespace

int RecordEvent(Event* event, Stream* stream, unsigned flags) {
  if (event->context != stream->context) return CUDA_ERROR_INVALID_HANDLE;
  AwaitQueue(stream, WaitClass::kQueueFull);
  Submitted submitted;
  {
    EngineLock lock(EngineMutex());
    if (const int error = CheckImplicitCapture(stream)) return error;
    Command command;
    command.kind = OperationKind::kEventRecord;
    command.event = event;
    if (stream->capture != nullptr) {
      if ((flags & CU_EVENT_RECORD_EXTERNAL) != 0) return CaptureCommand(stream, command, nullptr);
      event->capture = stream->capture;
      event->capture_id = stream->capture->id;
      event->capture_nodes = stream->capture_tail;
      return CUDA_SUCCESS;
    }
    Work work = MakeWork(command, stream);
    event->sync_id = next_sync_id++;
    event->stream = stream;
    event->capture = nullptr;
    event->recorded = true;
    work.op.event_id = event->id;
    work.op.event_sync_id = event->sync_id;
    if (NeverSignals()) {
      work.ending = Ending::kNever;
      event->point = submitted.Add(std::move(work), StreamOrder(stream)).end;
    } else {
      const Submitted::Placed placed = submitted.Add(std::move(work), StreamOrder(stream));
      event->point = placed.end;
      Advance(stream, placed.end);
      EnterQueue(stream, placed);
    }
  }
  submitted.Publish();
  return CUDA_SUCCESS;
}

int WaitEvent(Stream* stream, Event* event, unsigned flags) {
  const uint64_t start_ns = Now();
  AwaitQueue(stream, WaitClass::kQueueFull);
  Submitted submitted;
  {
    EngineLock lock(EngineMutex());
    Command command;
    command.kind = OperationKind::kStreamWait;
    command.event = event;
    if (stream->capture != nullptr && (flags & CU_EVENT_WAIT_EXTERNAL) != 0) {
      return CaptureCommand(stream, command, nullptr);
    }
    if (event->capture != nullptr) return JoinCapture(stream, event);
    if (stream->capture != nullptr) {
      stream->capture->invalid = true;
      return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (const int error = CheckImplicitCapture(stream)) return error;
    if (!event->recorded) return CUDA_SUCCESS;
    Work work = MakeWork(command, stream);
    work.op.event_id = event->id;
    work.op.event_sync_id = event->sync_id;
    Dependencies order = StreamOrder(stream);
    order.Add(event->point);
    const Submitted::Placed placed = submitted.Add(std::move(work), order);
    Advance(stream, placed.end);
    EnterQueue(stream, placed);
  }
  submitted.Publish();
  TellSynchronization(SynchronizationKind::kStreamWaitEvent, stream->context, stream, event,
                      start_ns, CUDA_SUCCESS);
  return CUDA_SUCCESS;
}

int QueryEvent(Event* event) {
  const uint64_t entry_ns = Now();
  bool over;
  Dependencies point;
  {
    EngineLock lock(EngineMutex());
    if (event->capture != nullptr) return CUDA_ERROR_CAPTURED_EVENT;
    over = !event->recorded || IsOver(&event->point, entry_ns);
    point.Add(event->point);
  }
  NoteQuery(event, over, entry_ns, point);
  return over ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

int SynchronizeEvent(Event* event) {
  const uint64_t entry_ns = Now();
  Dependencies point;
  {
    EngineLock lock(EngineMutex());
    if (event->capture != nullptr) return CUDA_ERROR_CAPTURED_EVENT;
    if (event->recorded) point.Add(event->point);
  }
  const bool blocks = (event->flags & CU_EVENT_BLOCKING_SYNC) != 0;
  HostWait(WaitClass::kEvent, point, entry_ns, Record::kAlways,
           blocks ? Waiting::kBlocks : WaitingOf(event->context));
  const int result = StickyError();
  TellSynchronization(SynchronizationKind::kEventSynchronize, event->context, event->stream, event,
                      entry_ns, result);
  return result;
}

int ElapsedTime(Event* start, Event* end, float* milliseconds) {
  if (((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0)
    return CUDA_ERROR_INVALID_HANDLE;
  EngineLock lock(EngineMutex());
  if (!start->recorded || !end->recorded) return CUDA_ERROR_INVALID_HANDLE;
  const uint64_t now = Now();
  if (!IsOver(&start->point, now) || !IsOver(&end->point, now)) return CUDA_ERROR_NOT_READY;
  *milliseconds = static_cast<float>(
      (static_cast<double>(end->point.ns) - static_cast<double>(start->point.ns)) / 1e6);
  return CUDA_SUCCESS;
}

int QueryStream(Stream* stream) {
  if (const int error = RefuseDuringCapture(stream)) return error;
  const uint64_t entry_ns = Now();
  Dependencies tail;
  {
    EngineLock lock(EngineMutex());
    tail = StreamTail(stream);
  }
  const bool over = tail.known() && tail.ns() <= entry_ns;
  NoteQuery(stream, over, entry_ns, tail);
  return over ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

int SynchronizeStream(Stream* stream) {
  if (const int error = RefuseDuringCapture(stream)) return error;
  const uint64_t entry_ns = Now();
  Dependencies tail;
  {
    EngineLock lock(EngineMutex());
    tail = StreamTail(stream);
  }
  HostWait(stream->is_legacy ? WaitClass::kLegacyStream : WaitClass::kStream, tail, entry_ns,
           Record::kAlways, WaitingOf(stream->context));
  ReleasePools(stream->context->device);
  const int result = StickyError();
  TellSynchronization(SynchronizationKind::kStreamSynchronize, stream->context, stream, nullptr,
                      entry_ns, result);
  return result;
}

int SynchronizeContext(Context* context) {
  const uint64_t entry_ns = Now();
  Dependencies work;
  {
    EngineLock lock(EngineMutex());
    for (const Stream* stream : context->streams) {
      if (stream->capture == nullptr) continue;
      stream->capture->invalid = true;
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    work = ContextWork(context, false);
  }
  HostWait(WaitClass::kDevice, work, entry_ns, Record::kAlways, WaitingOf(context));
  ReleasePools(context->device);
  const int result = StickyError();
  TellSynchronization(SynchronizationKind::kContextSynchronize, context, nullptr, nullptr, entry_ns,
                      result);
  return result;
}

}  // namespace simgpu
