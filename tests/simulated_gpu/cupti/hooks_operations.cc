// SPDX-License-Identifier: Apache-2.0
// Operations of the device, and what the host waited for, allocated and was delayed by: their
// records.
#include "tests/simulated_gpu/cupti/client.h"
#include "tests/simulated_gpu/cupti/clock.h"
#include "tests/simulated_gpu/cupti/cost.h"
#include "tests/simulated_gpu/cupti/hooks.h"
#include "tests/simulated_gpu/cupti/records.h"
#include "tests/simulated_gpu/cupti/settings.h"
#include "tests/simulated_gpu/cupti/subscribers.h"

namespace simgpu::cupti {
namespace {

RecordTimes TimesOfOperation(const Operation& operation) {
  return {operation.id, operation.end_known, operation.start_ns, operation.end_ns};
}

template <typename Record>
void PutWithTimes(const Operation& operation, const Record& record) {
  const RecordTimes times = TimesOfOperation(operation);
  Client::Get().Put(&record, &times);
}

void PutKernel(const Operation& operation) {
  const Kinds& kinds = Client::Get().kinds();
  uint32_t kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  if (!kinds.On(kind, operation.context_id)) kind = CUPTI_ACTIVITY_KIND_KERNEL;
  if (!kinds.On(kind, operation.context_id)) return;
  Spend();
  KernelRecord record = MakeKernel(kind, operation);
  if (Settings::Get().latency_timestamps) {
    Clock& clock = TheClock();
    record.known.queued = record.known.submitted =
        clock.has_callback() ? clock.Now() : clock.FromEngine(operation.queued_ns);
  }
  PutWithTimes(operation, record);
}

void PutEvent(const Operation& operation) {
  const EventRecord record = MakeEvent(operation);
  if (!Settings::Get().event_device_timestamps) return Client::Get().Put(&record, nullptr);
  // The device's stamp is taken at the end of the operation.
  RecordTimes times = TimesOfOperation(operation);
  times.start_ns = times.end_ns;
  Client::Get().Put(&record, &times);
}

bool IsOfGraph(const Operation& operation) {
  return operation.graph_exec_id != 0 && operation.kind != OperationKind::kGraphLaunch;
}

}  // namespace

// Which records an operation gets is decided here, at its submission, on the submitting thread:
// clients disable the kinds before they flush.
void OnSubmitted(Operation* operation) {
  const Kinds& kinds = Client::Get().kinds();
  const auto on = [&](uint32_t kind) { return kinds.On(kind, operation->context_id); };
  // One record for the whole graph, or one for each node.
  if (IsOfGraph(*operation) && on(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) return;
  switch (operation->kind) {
    case OperationKind::kKernel:
    case OperationKind::kCollective:
      return PutKernel(*operation);
    case OperationKind::kMemcpy:
      if (operation->copy_kind == CopyKind::kPeerToPeer) {
        if (on(CUPTI_ACTIVITY_KIND_MEMCPY2)) PutWithTimes(*operation, MakePeerCopy(*operation));
      } else if (on(CUPTI_ACTIVITY_KIND_MEMCPY)) {
        PutWithTimes(*operation, MakeMemcpy(*operation));
      }
      return;
    case OperationKind::kMemset:
      if (on(CUPTI_ACTIVITY_KIND_MEMSET)) PutWithTimes(*operation, MakeMemset(*operation));
      return;
    case OperationKind::kGraphLaunch:
      if (on(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)) PutWithTimes(*operation, MakeGraphTrace(*operation));
      return;
    case OperationKind::kEventRecord:
      if (on(CUPTI_ACTIVITY_KIND_CUDA_EVENT)) PutEvent(*operation);
      return;
    case OperationKind::kHostFunction:
    case OperationKind::kStreamWait:  // told as a synchronization
      return;
  }
}

void OnCompleted(const Operation* operation) {
  Client::Get().Complete(operation->id, operation->start_ns, operation->end_ns);
}

void OnSynchronized(const Synchronization* synchronization) {
  const bool failed = synchronization->result != 0;
  const bool wanted = !failed || Settings::Get().all_sync_records;
  if (wanted &&
      Client::Get().kinds().On(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, synchronization->context_id)) {
    const CUpti_ActivitySynchronization2 record = MakeSynchronization(*synchronization);
    const RecordTimes times{0, true, synchronization->start_ns, synchronization->end_ns};
    Client::Get().Put(&record, &times);
  }
  if (failed) return;
  CUpti_SynchronizeData data{static_cast<CUcontext>(synchronization->context),
                             static_cast<CUstream>(synchronization->stream)};
  if (synchronization->kind == SynchronizationKind::kStreamSynchronize) {
    CallAll(CUPTI_CB_DOMAIN_SYNCHRONIZE, CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED, &data);
  } else if (synchronization->kind == SynchronizationKind::kContextSynchronize) {
    CallAll(CUPTI_CB_DOMAIN_SYNCHRONIZE, CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED, &data);
  }
}

void OnMemory(const MemoryEvent* event) {
  if (!Client::Get().kinds().On(CUPTI_ACTIVITY_KIND_MEMORY2, event->context_id)) return;
  const CUpti_ActivityMemory4 record = MakeMemory(*event);
  const RecordTimes times{0, true, event->time_ns, event->time_ns};
  Client::Get().Put(&record, &times);
}

void OnPool(const PoolEvent* event) {
  if (!Client::Get().kinds().On(CUPTI_ACTIVITY_KIND_MEMORY_POOL)) return;
  const CUpti_ActivityMemoryPool3 record = MakePool(*event);
  const RecordTimes times{0, true, event->time_ns, event->time_ns};
  Client::Get().Put(&record, &times);
}

void OnOverhead(const Overhead* overhead) {
  // Each came to CUPTI in its own version.
  constexpr Version kQueueFullSince = 1204, kLoadingSince = 1203;
  const Version since =
      overhead->kind == OverheadKind::kQueueFull ? kQueueFullSince : kLoadingSince;
  if (Presented() < since || !Client::Get().kinds().On(CUPTI_ACTIVITY_KIND_OVERHEAD)) return;
  const CUpti_ActivityOverhead3 record = MakeOverhead(*overhead);
  const RecordTimes times{0, true, overhead->start_ns, overhead->end_ns};
  Client::Get().Put(&record, &times);
}

}  // namespace simgpu::cupti
