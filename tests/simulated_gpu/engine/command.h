// SPDX-License-Identifier: Apache-2.0
// What a program asks a device to do, without a time: given to a stream at once, or kept as a node
// of a graph.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulated_gpu/engine/memory.h"
#include "tests/simulated_gpu/engine/timeline.h"

namespace simgpu {

struct Module {
  bool alive = true;
  uint32_t id = 0;
  const void* image = nullptr;
  bool is_library = false;
};

// What a CUfunction and a CUkernel point to.
struct Function {
  std::string name;
  Module* module = nullptr;
  int64_t rule_ns = -1;             // by SIMGPU_DURATIONS, asked once; -1: the grid decides
  std::vector<uint32_t> loaded_in;  // ids of contexts; under the engine lock
  int max_dynamic_shared = 49152;
  int carveout = -1;
};

struct CopyRequest {
  void* target = nullptr;
  const void* source = nullptr;
  uint64_t width = 0, height = 1, depth = 1;  // bytes, rows, slices
  uint64_t target_pitch = 0, source_pitch = 0;
  uint64_t target_slice = 0, source_slice = 0;  // bytes from one slice to the next
  uint64_t bytes() const { return width * height * depth; }
};

struct FillRequest {
  void* target = nullptr;
  uint32_t value = 0, element = 1;            // bytes of one element: 1, 2 or 4
  uint64_t width = 0, height = 1, pitch = 0;  // elements, rows, bytes
  uint64_t bytes() const { return width * element * height; }
};

struct Command {
  OperationKind kind = OperationKind::kKernel;
  bool nothing = false;  // a graph's empty, allocation and free nodes
  bool is_async = true;
  // Kernels.
  Function* function = nullptr;
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {0, 0, 0}, shared = 0;
  bool cooperative = false;
  uint64_t planned_ns = 0;  // what a simulated library says it takes; 0: the grid decides
  std::shared_ptr<Collective> collective;
  // Copies and memsets.
  CopyRequest copy;
  FillRequest fill;
  CopyKind copy_kind = CopyKind::kUnknown;
  MemoryKind source_kind = MemoryKind::kUnknown, target_kind = MemoryKind::kUnknown;
  Context* source_context = nullptr;
  Context* target_context = nullptr;
  // Host functions.
  void (*host_function)(void*) = nullptr;
  void* host_argument = nullptr;
  std::function<void()> host_body;  // instead, where the driver needs to add something
  // Event records and waits.
  Event* event = nullptr;
};

// 0 or a CUresult: what is wrong with a launch of that shape.
int CheckLaunch(const Command& kernel);

// Looks up the memory kinds of both sides.
Command CopyCommand(const CopyRequest& request, bool is_async);
Command FillCommand(const FillRequest& request, bool is_async);
Command HostCommand(void (*function)(void*), void* argument);

// As the operation of one submission into `stream`. Under the engine lock.
Work MakeWork(const Command& command, Stream* stream);

}  // namespace simgpu
