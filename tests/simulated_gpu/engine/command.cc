// SPDX-License-Identifier: Apache-2.0
// Turns commands into operations with a duration and, where bytes move, a body.
#include "tests/simulated_gpu/engine/command.h"

#include <cuda.h>
#include <sys/mman.h>

#include <cstring>

#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/durations.h"
#include "tests/simulated_gpu/engine/faults.h"
#include "tests/simulated_gpu/engine/memory.h"

namespace simgpu {
namespace {

constexpr uint64_t kHostFunctionNs = 3000, kLargeZeroFill = 1 << 20;

void MoveBytes(const CopyRequest& copy) {
  for (uint64_t slice = 0; slice < copy.depth; ++slice) {
    char* target = static_cast<char*>(copy.target) + slice * copy.target_slice;
    const char* source = static_cast<const char*>(copy.source) + slice * copy.source_slice;
    for (uint64_t row = 0; row < copy.height; ++row) {
      std::memmove(target + row * copy.target_pitch, source + row * copy.source_pitch, copy.width);
    }
  }
}

// Zeros over whole pages of device memory give the pages back instead of touching them.
void FillZero(char* target, uint64_t bytes) {
  const uintptr_t begin = reinterpret_cast<uintptr_t>(target), end = begin + bytes;
  const uintptr_t first = (begin + kPage - 1) / kPage * kPage, last = end / kPage * kPage;
  std::memset(target, 0, first - begin);
  madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  std::memset(reinterpret_cast<void*>(last), 0, end - last);
}

void FillBytes(const FillRequest& fill, MemoryKind kind) {
  for (uint64_t row = 0; row < fill.height; ++row) {
    char* target = static_cast<char*>(fill.target) + row * fill.pitch;
    const uint64_t bytes = fill.width * fill.element;
    if (fill.value == 0 && bytes > kLargeZeroFill && kind == MemoryKind::kDevice) {
      FillZero(target, bytes);
    } else if (fill.element == 1) {
      std::memset(target, static_cast<int>(fill.value), bytes);
    } else {
      for (uint64_t i = 0; i < fill.width; ++i) {
        std::memcpy(target + i * fill.element, &fill.value, fill.element);  // little endian
      }
    }
  }
}

CopyKind KindOf(MemoryKind source, const Context* from, MemoryKind target, const Context* to) {
  const bool source_device = IsOnDevice(source), target_device = IsOnDevice(target);
  if (source_device && target_device) {
    return from->device == to->device ? CopyKind::kDeviceToDevice : CopyKind::kPeerToPeer;
  }
  if (target_device) return CopyKind::kHostToDevice;
  return source_device ? CopyKind::kDeviceToHost : CopyKind::kHostToHost;
}

uint64_t KernelDuration(Function* function, const Command& command) {
  if (function->rule_ns >= 0) return static_cast<uint64_t>(function->rule_ns);
  if (command.planned_ns != 0) return command.planned_ns;
  const uint64_t blocks = uint64_t{command.grid[0]} * command.grid[1] * command.grid[2];
  return Durations::OfGrid(blocks,
                           uint64_t{command.block[0]} * command.block[1] * command.block[2]);
}

void FillKernel(const Command& command, Work* work) {
  Operation& op = work->op;
  op.name = command.function->name.c_str();
  std::memcpy(op.grid, command.grid, sizeof op.grid);
  std::memcpy(op.block, command.block, sizeof op.block);
  std::memcpy(op.cluster, command.cluster, sizeof op.cluster);
  op.registers = 32;
  op.dynamic_shared = command.shared;
  op.cooperative = command.cooperative;
  work->duration_ns = KernelDuration(command.function, command);
}

void FillCopy(const Command& command, Work* work) {
  Operation& op = work->op;
  op.name = "memcpy";
  op.copy_kind = command.copy_kind;
  op.source_kind = command.source_kind;
  op.target_kind = command.target_kind;
  if (command.source_context != nullptr) {
    op.source_device = command.source_context->device->ordinal;
    op.source_context_id = command.source_context->id;
  }
  if (command.target_context != nullptr) {
    op.target_device = command.target_context->device->ordinal;
    op.target_context_id = command.target_context->id;
  }
  op.bytes = command.copy.bytes();
  const bool pageable =
      command.source_kind == MemoryKind::kPageable || command.target_kind == MemoryKind::kPageable;
  work->duration_ns = Durations::OfCopy(command.copy_kind, pageable, op.bytes);
  work->body = [copy = command.copy] { MoveBytes(copy); };
}

void FillFill(const Command& command, Work* work) {
  Operation& op = work->op;
  op.name = "memset";
  op.target_kind = command.target_kind;
  op.bytes = command.fill.bytes();
  op.value = command.fill.value;
  work->duration_ns = Durations::OfMemset(op.bytes);
  work->body = [fill = command.fill, kind = command.target_kind] { FillBytes(fill, kind); };
}

}  // namespace

int CheckLaunch(const Command& kernel) {
  const uint64_t threads = uint64_t{kernel.block[0]} * kernel.block[1] * kernel.block[2];
  const uint64_t blocks = uint64_t{kernel.grid[0]} * kernel.grid[1] * kernel.grid[2];
  if (threads == 0 || blocks == 0 || threads > 1024) return CUDA_ERROR_INVALID_VALUE;
  if (kernel.block[0] > 1024 || kernel.block[1] > 1024 || kernel.block[2] > 64)
    return CUDA_ERROR_INVALID_VALUE;
  if (kernel.grid[0] > 2147483647u || kernel.grid[1] > 65535 || kernel.grid[2] > 65535)
    return CUDA_ERROR_INVALID_VALUE;
  if (kernel.shared > static_cast<uint32_t>(kernel.function->max_dynamic_shared))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

Command CopyCommand(const CopyRequest& request, bool is_async) {
  Command command;
  command.kind = OperationKind::kMemcpy;
  command.is_async = is_async;
  command.copy = request;
  const std::optional<Allocation> source = FindMemory(request.source),
                                  target = FindMemory(request.target);
  command.source_kind = source ? source->kind : MemoryKind::kPageable;
  command.target_kind = target ? target->kind : MemoryKind::kPageable;
  command.source_context = source ? source->context : nullptr;
  command.target_context = target ? target->context : nullptr;
  command.copy_kind = KindOf(command.source_kind, command.source_context, command.target_kind,
                             command.target_context);
  return command;
}

Command FillCommand(const FillRequest& request, bool is_async) {
  Command command;
  command.kind = OperationKind::kMemset;
  command.is_async = is_async;
  command.fill = request;
  const std::optional<Allocation> target = FindMemory(request.target);
  command.target_kind = target ? target->kind : MemoryKind::kPageable;
  command.target_context = target ? target->context : nullptr;
  return command;
}

Command HostCommand(void (*function)(void*), void* argument) {
  Command command;
  command.kind = OperationKind::kHostFunction;
  command.host_function = function;
  command.host_argument = argument;
  return command;
}

Work MakeWork(const Command& command, Stream* stream) {
  Work work;
  Operation& op = work.op;
  op.kind = command.kind;
  op.is_async = command.is_async;
  op.correlation = CurrentCorrelation();
  op.context = stream->context;
  op.context_id = stream->context->id;
  op.stream = stream;
  op.stream_id = stream->id;
  op.priority = stream->priority;
  work.device = stream->context->device;
  work.call = OutermostCall();
  work.thread = CurrentTid();
  work.silent = command.nothing;
  if (command.nothing) {
    op.kind = OperationKind::kStreamWait;
    return work;
  }
  switch (command.kind) {
    case OperationKind::kKernel:
      FillKernel(command, &work);
      break;
    case OperationKind::kCollective:
      FillKernel(command, &work);
      work.ending = Ending::kExternal;
      work.collective = command.collective;
      break;
    case OperationKind::kMemcpy:
      FillCopy(command, &work);
      break;
    case OperationKind::kMemset:
      FillFill(command, &work);
      break;
    case OperationKind::kHostFunction:
      op.name = "host function";
      work.ending = Ending::kHostFunction;
      work.duration_ns = kHostFunctionNs;
      if (command.host_body) {
        work.body = command.host_body;
      } else {
        work.body = [function = command.host_function, argument = command.host_argument] {
          function(argument);
        };
      }
      break;
    default:
      op.name = command.kind == OperationKind::kEventRecord ? "event record" : "stream wait";
      break;
  }
  if (work.duration_ns != 0) {
    work.duration_ns = Durations::OfProcess().Vary(work.duration_ns, work.device->physical,
                                                   op.stream_id, stream->sequence++);
  }
  return work;
}

}  // namespace simgpu
