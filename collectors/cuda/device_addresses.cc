// SPDX-License-Identifier: Apache-2.0
// One note for each GPU, from three attributes that the driver tells without a context.
#include "collectors/cuda/device_addresses.h"

#include <cuda.h>
#include <dlfcn.h>

#include <atomic>

#include "collectors/cuda/cuda_source.h"
#include "inject/core/emit.h"
#include "inject/core/emit_device.h"
#include "inject/core/sys.h"

namespace syncline::cuda {
namespace {

constexpr CUdevice kMostDevices = 64;

// Release: what the driver's mapping needs is there. Pairs with the acquire of the helper thread.
std::atomic<decltype(&cuDeviceGetAttribute)> g_attribute;
// The thread that asks, 0: none does. Only that thread has to see its own number: relaxed.
std::atomic<uint32_t> g_asks;
bool g_done;  // of the helper thread

bool Attribute(CUdevice_attribute attribute, CUdevice device, uint32_t* value) {
  int answer = 0;
  const auto ask = g_attribute.load(std::memory_order_acquire);
  if (ask(&answer, attribute, device) != CUDA_SUCCESS || answer < 0) return false;
  *value = static_cast<uint32_t>(answer);
  return true;
}

// False: there is no such device.
bool AddressOf(CUdevice device, uint32_t* address) {
  uint32_t domain = 0, bus = 0, slot = 0;
  if (!Attribute(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, device, &domain) ||
      !Attribute(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, device, &bus) ||
      !Attribute(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, device, &slot))
    return false;
  *address = PciAddress(domain, bus, slot, 0);  // a GPU's other functions are sound and ports
  return true;
}

void Write(CUdevice device, uint32_t address) {
  HookScope scope;
  if (!scope) return;
  DeviceEventRecord note = NewDeviceEvent(kSource, DeviceEventType::kDeviceAddress, 0, 0);
  note.device = static_cast<uint32_t>(device);
  note.address = address;
  if (!Emit(scope.log(), note)) CountLoss(kLoss_ring_full);
}

}  // namespace

void FindDriver() {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (driver == nullptr) return;
  g_attribute.store(
      reinterpret_cast<decltype(&cuDeviceGetAttribute)>(dlsym(driver, "cuDeviceGetAttribute")),
      std::memory_order_release);
  dlclose(driver);  // CUPTI needs it as long as we do
}

void RecordAddresses() {
  if (g_done || g_attribute.load(std::memory_order_acquire) == nullptr) return;
  g_asks.store(SysTid(), std::memory_order_relaxed);
  for (CUdevice device = 0; device < kMostDevices; ++device) {
    uint32_t address = 0;
    if (!AddressOf(device, &address)) break;
    if (address != 0) Write(device, address);
    g_done = true;
  }
  g_asks.store(0, std::memory_order_relaxed);
}

bool IsAskingForAddresses() {
  const uint32_t asks = g_asks.load(std::memory_order_relaxed);
  return asks != 0 && asks == SysTid();
}

}  // namespace syncline::cuda
