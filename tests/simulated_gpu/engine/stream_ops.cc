// SPDX-License-Identifier: Apache-2.0
// Submission of kernels, copies and memsets, with the waits of each.
#include "tests/simulated_gpu/engine/stream_ops.h"

#include <cuda.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/faults.h"
#include "tests/simulated_gpu/engine/graph.h"
#include "tests/simulated_gpu/engine/settings.h"

namespace simgpu {
namespace {

constexpr uint64_t kSmallCopy = 65536;  // docs/waits.md, "small"

// Launches so far, for the faults that name one.
std::atomic<uint64_t> launches{0};

void TellOverhead(OverheadKind kind, const Stream& stream, uint64_t start_ns, uint64_t end_ns) {
  if (!Observed(kOverheads)) return;
  const Observer* observer = CurrentObserver();
  if (observer == nullptr || observer->overhead == nullptr) return;
  Overhead overhead{};
  overhead.kind = kind;
  overhead.correlation = CurrentCorrelation();
  overhead.thread = CurrentTid();
  overhead.pthread = static_cast<uint64_t>(pthread_self());
  overhead.device = stream.context->device->ordinal;
  overhead.context_id = stream.context->id;
  overhead.stream_id = stream.id;
  overhead.start_ns = start_ns;
  overhead.end_ns = end_ns;
  observer->overhead(&overhead);
}

// Under the lock: forgets what has started. True if there is room.
bool QueueHasRoom(Stream* stream) {
  const uint64_t now = Now();
  while (!stream->queue.empty() && IsOver(&stream->queue.front(), now)) stream->queue.pop_front();
  return stream->queue.size() < Settings::OfProcess().queue_depth;
}

// The faults that a kernel launch can meet; `work` is about to be submitted.
void ApplyKernelFaults(Work* work) {
  static const Faults& faults = Faults::OfProcess();
  static const bool any =
      faults.Find("kernel_never") != nullptr || faults.Find("sticky_error") != nullptr;
  if (!any) return;
  const uint64_t number = launches.fetch_add(1, std::memory_order_relaxed) + 1;
  if (faults.Find("kernel_never") != nullptr && number == faults.Number("kernel_never", 1)) {
    work->ending = Ending::kNever;
  }
  if (faults.Find("sticky_error") != nullptr && number == faults.Number("sticky_error", 1)) {
    ArmStickyError(CUDA_ERROR_ILLEGAL_ADDRESS, Now() + 1000);
  }
}

// What a blocking copy or memset waits for beyond its own place in the stream.
enum class CopyWait { kNothing, kStreamFirst, kEnd };
struct CopyRule {
  CopyWait wait;
  WaitClass wait_class;
};

// docs/waits.md, rows C1 to C9 and A1 to A7.
CopyRule RuleOf(const Command& copy) {
  const MemoryKind from = copy.source_kind, to = copy.target_kind;
  const bool pageable = from == MemoryKind::kPageable || to == MemoryKind::kPageable;
  const bool managed = from == MemoryKind::kManaged || to == MemoryKind::kManaged;
  const bool small = copy.copy.bytes() <= kSmallCopy;
  const bool on_device = IsOnDevice(from) && IsOnDevice(to);
  const bool host_only = !IsOnDevice(from) && !IsOnDevice(to);
  if (copy.is_async) {
    if (host_only)
      return {CopyWait::kEnd, pageable ? WaitClass::kPageableCopy : WaitClass::kSyncCopy};
    if (!pageable) return {CopyWait::kNothing, WaitClass::kPageableCopy};
    if (IsOnDevice(from)) return {CopyWait::kEnd, WaitClass::kPageableCopy};
    return {small ? CopyWait::kNothing : CopyWait::kStreamFirst, WaitClass::kPageableCopy};
  }
  if (managed) return {CopyWait::kEnd, WaitClass::kSyncCopy};
  if (on_device) return {CopyWait::kNothing, WaitClass::kSyncCopy};
  if (pageable && IsOnDevice(to)) {
    return {small ? CopyWait::kNothing : CopyWait::kStreamFirst, WaitClass::kSyncCopy};
  }
  return {CopyWait::kEnd, WaitClass::kSyncCopy};
}

// A blocking copy between devices comes after and before all work of both.
int PeerCopy(Stream* stream, const Command& command) {
  Device* const devices[] = {command.source_context->device, command.target_context->device};
  Dependencies both;
  {
    EngineLock lock(EngineMutex());
    for (Device* device : devices) both.Merge(DeviceWork(device));
  }
  Point end;
  if (const int error = Submit(stream, command, &end, &both)) return error;
  EngineLock lock(EngineMutex());
  for (Context* context : Contexts()) {
    if (context->device != devices[0] && context->device != devices[1]) continue;
    for (Stream* other : context->streams) Advance(other, end);
  }
  return CUDA_SUCCESS;
}

}  // namespace

void AwaitQueue(Stream* stream, WaitClass wait_class) {
  for (;;) {
    Dependencies oldest;
    {
      EngineLock lock(EngineMutex());
      if (QueueHasRoom(stream)) return;
      oldest.Add(stream->queue.front());
    }
    const uint64_t entry_ns = Now();
    const uint64_t end_ns = HostWait(wait_class, oldest, entry_ns, Record::kIfItWaited);
    if (wait_class == WaitClass::kQueueFull)
      TellOverhead(OverheadKind::kQueueFull, *stream, entry_ns, end_ns);
  }
}

void EnterQueue(Stream* stream, const Submitted::Placed& placed) {
  Point start = placed.end;
  if (placed.end.pending == nullptr) start.ns = placed.start_ns;
  stream->queue.push_back(start);
}

int Submit(Stream* stream, const Command& command, Point* end, const Dependencies* also_after) {
  Submitted submitted;
  for (;;) {
    EngineLock lock(EngineMutex());
    if (stream->capture != nullptr) return CaptureCommand(stream, command, nullptr);
    if (const int error = CheckImplicitCapture(stream)) return error;
    if (!QueueHasRoom(stream)) {
      lock.unlock();
      AwaitQueue(stream, WaitClass::kQueueFull);
      continue;
    }
    Work work = MakeWork(command, stream);
    if (command.kind == OperationKind::kKernel) ApplyKernelFaults(&work);
    Dependencies order = StreamOrder(stream);
    if (also_after != nullptr) order.Merge(*also_after);
    const Submitted::Placed placed = submitted.Add(std::move(work), order);
    Advance(stream, placed.end);
    EnterQueue(stream, placed);
    if (end != nullptr) *end = placed.end;
    break;
  }
  submitted.Publish();
  return CUDA_SUCCESS;
}

void LoadFunction(Context* context, Function* function) {
  if (context == nullptr) return;
  const uint64_t entry_ns = Now();
  Dependencies work;
  {
    EngineLock lock(EngineMutex());
    auto& loaded = function->loaded_in;
    if (std::find(loaded.begin(), loaded.end(), context->id) != loaded.end()) return;
    loaded.push_back(context->id);
    if (!Settings::OfProcess().lazy_loading) return;
    work = ContextWork(context, false);
  }
  const uint64_t end_ns = HostWait(WaitClass::kModuleLoad, work, entry_ns, Record::kIfItWaited);
  TellOverhead(OverheadKind::kLazyFunctionLoading, *context->legacy, entry_ns, end_ns);
}

int Launch(Stream* stream, const Command& kernel) {
  if (const int error = CheckLaunch(kernel)) return error;
  const uint64_t entry_ns = Now();
  bool capturing;
  {
    EngineLock lock(EngineMutex());
    capturing = stream->capture != nullptr;
  }
  // NCCL loads its kernels when a communicator is made.
  if (!capturing && kernel.collective == nullptr) LoadFunction(stream->context, kernel.function);
  Point end;
  if (const int error = Submit(stream, kernel, &end)) return error;
  if (Settings::OfProcess().launch_blocking && !capturing) {
    Dependencies kernel_end;
    {
      EngineLock lock(EngineMutex());
      kernel_end.Add(end);
    }
    HostWait(WaitClass::kStream, kernel_end, entry_ns, Record::kIfItWaited);
  }
  return CUDA_SUCCESS;
}

int Copy(Stream* stream, const CopyRequest& request, bool is_async) {
  if (request.bytes() == 0) return CUDA_SUCCESS;
  if (request.source == nullptr || request.target == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const uint64_t entry_ns = Now();
  const Command command = CopyCommand(request, is_async);
  bool capturing;
  {
    EngineLock lock(EngineMutex());
    capturing = stream->capture != nullptr;
  }
  if (capturing) return Submit(stream, command);
  if (!is_async && command.copy_kind == CopyKind::kPeerToPeer) return PeerCopy(stream, command);
  const CopyRule rule = RuleOf(command);
  if (rule.wait == CopyWait::kStreamFirst) {
    Dependencies tail;
    {
      EngineLock lock(EngineMutex());
      if (const int error = CheckImplicitCapture(stream)) return error;
      tail = StreamTail(stream);
    }
    HostWait(rule.wait_class, tail, entry_ns, Record::kAlways);
  }
  Point end;
  if (const int error = Submit(stream, command, &end)) return error;
  if (rule.wait == CopyWait::kEnd) {
    Dependencies copy_end;
    {
      EngineLock lock(EngineMutex());
      copy_end.Add(end);
    }
    HostWait(rule.wait_class, copy_end, entry_ns, Record::kAlways);
  }
  return CUDA_SUCCESS;
}

int Fill(Stream* stream, const FillRequest& request, bool is_async) {
  if (request.bytes() == 0) return CUDA_SUCCESS;
  const uint64_t entry_ns = Now();
  const Command command = FillCommand(request, is_async);
  if (command.target_kind == MemoryKind::kPageable) return CUDA_ERROR_INVALID_VALUE;
  Point end;
  if (const int error = Submit(stream, command, &end)) return error;
  const bool blocks = !is_async && command.target_kind != MemoryKind::kDevice;
  if (!blocks) return CUDA_SUCCESS;
  Dependencies fill_end;
  {
    EngineLock lock(EngineMutex());
    fill_end.Add(end);
  }
  HostWait(WaitClass::kSyncCopy, fill_end, entry_ns, Record::kAlways);
  return CUDA_SUCCESS;
}

}  // namespace simgpu
