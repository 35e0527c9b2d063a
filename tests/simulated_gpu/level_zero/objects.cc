// SPDX-License-Identifier: Apache-2.0
// Handles, and the machine's devices.
#include "tests/simulated_gpu/level_zero/objects.h"

#include <sys/mman.h>

#include "tests/simulated_gpu/engine/settings.h"
#include "tests/simulated_gpu/level_zero/settings.h"

namespace simgpu::level_zero {
namespace {

constexpr size_t kHandleBytes = 64, kMostHandles = size_t{1} << 26;

struct Table {
  uintptr_t base = 0;
  std::vector<std::shared_ptr<Object>> slots;
  std::vector<uint32_t> released;  // the last one is used again first
};
Table& Handles() {
  static Table& table = *new Table;
  return table;
}

size_t SlotOf(const void* handle) {
  const Table& table = Handles();
  const uintptr_t at = reinterpret_cast<uintptr_t>(handle);
  if (at < table.base || (at - table.base) % kHandleBytes != 0) return table.slots.size();
  return (at - table.base) / kHandleBytes;
}

std::vector<Device*>& MutableDevices() {
  static auto& devices = *new std::vector<Device*>;
  return devices;
}

void* driver_handle = nullptr;

Device* NewDevice(uint32_t number, int sub_device, Device* root) {
  auto device = std::make_shared<Device>();
  device->number = number;
  device->sub_device = sub_device;
  device->root = root == nullptr ? device.get() : root;
  const uint32_t slots = Settings::OfProcess().overlap;
  device->engines = {std::make_shared<Engine>(slots), std::make_shared<Engine>(1)};
  Device* made = device.get();
  made->handle = NewHandle(std::move(device));
  return made;
}

}  // namespace

void* NewHandle(std::shared_ptr<Object> object) {
  Table& table = Handles();
  if (table.base == 0) {
    // Address space without memory: whoever looks behind a handle dies.
    table.base =
        reinterpret_cast<uintptr_t>(mmap(nullptr, kHandleBytes * kMostHandles, PROT_NONE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  size_t slot = table.slots.size();
  if (!table.released.empty()) {
    slot = table.released.back();
    table.released.pop_back();
    table.slots[slot] = std::move(object);
  } else {
    table.slots.push_back(std::move(object));
  }
  return reinterpret_cast<void*>(table.base + slot * kHandleBytes);
}

std::shared_ptr<Object> FindObject(const void* handle) {
  const size_t slot = SlotOf(handle);
  return slot < Handles().slots.size() ? Handles().slots[slot] : nullptr;
}

bool ReleaseHandle(const void* handle, ObjectType type) {
  Table& table = Handles();
  const size_t slot = SlotOf(handle);
  if (slot >= table.slots.size() || table.slots[slot] == nullptr) return false;
  if (table.slots[slot]->type != type) return false;
  table.slots[slot] = nullptr;
  table.released.push_back(static_cast<uint32_t>(slot));
  return true;
}

void MakeCounterBased(Event* event, uint32_t lists) {
  const uint32_t kinds = lists & (kOfImmediateLists | kOfRegularLists);
  event->counter_lists = kinds == 0 ? kOfImmediateLists : kinds;
  event->semaphore->counter_based = true;
  event->semaphore->line.SignalAt({});
}

const std::vector<Device*>& Devices() { return MutableDevices(); }

void* DriverHandle() { return driver_handle; }

void MakeMachine() {
  if (driver_handle != nullptr) return;
  driver_handle = NewHandle(std::make_shared<Driver>());
  const uint32_t devices = simgpu::Settings::OfProcess().devices;
  const uint32_t sub_devices = Settings::OfProcess().sub_devices;
  for (uint32_t i = 0; i < devices; ++i) {
    Device* root = NewDevice(i, -1, nullptr);
    for (uint32_t j = 0; j < sub_devices; ++j)
      root->sub_devices.push_back(NewDevice(i, static_cast<int>(j), root));
    MutableDevices().push_back(root);
  }
}

}  // namespace simgpu::level_zero
