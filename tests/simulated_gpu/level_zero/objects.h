// SPDX-License-Identifier: Apache-2.0
// What the handles of the API stand for.
#pragma once

#include <level_zero/ze_api.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulated_gpu/level_zero/timeline.h"

namespace simgpu::level_zero {

enum class ObjectType : uint8_t {
  kDriver,
  kDevice,
  kContext,
  kQueue,
  kList,
  kEventPool,
  kEvent,
  kFence,
  kModule,
  kBuildLog,
  kKernel,
};

struct Object {
  explicit Object(ObjectType object_type) : type(object_type) {}
  virtual ~Object() = default;
  const ObjectType type;
};

template <ObjectType object_type>
struct ObjectOf : Object {
  static constexpr ObjectType kType = object_type;
  ObjectOf() : Object(object_type) {}
};

inline constexpr uint32_t kComputeOrdinal = 0, kCopyOrdinal = 1, kOrdinals = 2;

struct Driver : ObjectOf<ObjectType::kDriver> {};

struct Device : ObjectOf<ObjectType::kDevice> {
  uint32_t number = 0;  // of the root device
  int sub_device = -1;
  void* handle = nullptr;
  Device* root = nullptr;  // itself for a root device
  std::vector<Device*> sub_devices;
  std::array<std::shared_ptr<Engine>, kOrdinals> engines;
  std::vector<std::weak_ptr<Stream>> streams;  // of a root device: its own and its sub-devices'
  uint64_t used_bytes = 0;
};

struct Context : ObjectOf<ObjectType::kContext> {
  uint64_t id = 0;
  std::vector<std::shared_ptr<Stream>> streams;
};

struct Queue : ObjectOf<ObjectType::kQueue> {
  std::shared_ptr<Stream> stream;
  bool synchronous = false;
};

struct List : ObjectOf<ObjectType::kList> {
  uint64_t id = 0;
  Device* device = nullptr;
  uint32_t ordinal = 0;
  bool in_order = false, closed = false;
  std::vector<std::shared_ptr<const Command>> commands;
  // Of an immediate list only.
  std::shared_ptr<List> graph;  // that records what is appended
  std::shared_ptr<Stream> stream;
  bool synchronous = false;
};

struct EventPool : ObjectOf<ObjectType::kEventPool> {
  ze_event_pool_flags_t flags = 0;
  uint32_t count = 0;
  bool counter_based = false;
  uint32_t counter_lists = 0;  // as that of its events
};

// Which lists may signal a counter-based event; as the bits of the API's flags.
inline constexpr uint32_t kOfImmediateLists = 0x1, kOfRegularLists = 0x2;

struct Event : ObjectOf<ObjectType::kEvent> {
  std::shared_ptr<Semaphore> semaphore = std::make_shared<Semaphore>();
  bool timed = false;          // the pool has timestamps
  uint32_t counter_lists = 0;  // of a counter-based event only
};
// Complete from the start; signaled by lists in order only; needs no reset. Without a kind of lists
// it is for immediate ones.
void MakeCounterBased(Event* event, uint32_t lists);

struct Fence : ObjectOf<ObjectType::kFence> {
  std::shared_ptr<Semaphore> semaphore = std::make_shared<Semaphore>();
};

struct Module : ObjectOf<ObjectType::kModule> {
  std::vector<std::string> kernel_names;  // empty: kernels may have any name
};

struct BuildLog : ObjectOf<ObjectType::kBuildLog> {
  std::string text;
};

struct Kernel : ObjectOf<ObjectType::kKernel> {
  std::string name;
  uint32_t group_size[3] = {1, 1, 1};
  uint32_t arguments = 0;
  ze_kernel_indirect_access_flags_t indirect_access = 0;
  uint64_t rule_ns = 0;  // of SIMGPU_DURATIONS
  bool has_rule = false, hangs = false;
};
// False: no group is like that. Under the lock.
bool SetGroupSize(Kernel* kernel, uint32_t x, uint32_t y, uint32_t z);

// The handles. Guarded by the engine lock. As with a real driver, the handle of a destroyed object
// is soon given to another one; memory behind a handle cannot be read.
void* NewHandle(std::shared_ptr<Object> object);
std::shared_ptr<Object> FindObject(const void* handle);
bool ReleaseHandle(const void* handle, ObjectType type);

template <class T>
std::shared_ptr<T> Find(const void* handle) {
  std::shared_ptr<Object> object = FindObject(handle);
  if (object == nullptr || object->type != T::kType) return nullptr;
  return std::static_pointer_cast<T>(object);
}

template <class T>
ze_result_t Destroy(const void* handle) {
  EngineLock lock(EngineMutex());
  const bool released = ReleaseHandle(handle, T::kType);
  return released ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

// The devices of the machine; made by zeInit, they live on.
const std::vector<Device*>& Devices();
void* DriverHandle();
void MakeMachine();  // under the lock

}  // namespace simgpu::level_zero
