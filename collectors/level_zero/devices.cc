// SPDX-License-Identifier: Apache-2.0
// Devices are asked for once; their clocks are read by the helper thread.
#include "collectors/level_zero/devices.h"

#include <algorithm>
#include <cstring>

#include "collectors/level_zero/level_zero_source.h"
#include "inject/core/coverage_record.h"
#include "inject/core/emit.h"
#include "inject/core/text.h"

namespace syncline::level_zero {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kSlackNs = 2'000'000;  // what an extrapolated clock may be wrong by
constexpr int kTries = 3;
constexpr size_t kMaxName = 255;

constinit Device g_devices[kMaxDevices] = {};
std::atomic<bool> g_shared_clock_told;

uint64_t MaskOf(uint32_t bits) {
  return bits == 0 || bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

uint64_t ToNs(uint64_t ticks, uint64_t hertz) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(ticks) * kSecond / hertz);
}
uint64_t ToTicks(uint64_t ns, uint64_t hertz) {
  return static_cast<uint64_t>(static_cast<unsigned __int128>(ns) * hertz / kSecond);
}

// What the whole count is at a time near the last reading. Readings are a second apart, so that the
// place that is read is not written meanwhile.
uint64_t TicksAt(const Device& device, uint64_t at_ns) {
  const uint64_t hertz = device.hertz.load(std::memory_order_relaxed);
  const uint64_t readings = device.readings.load(std::memory_order_acquire);
  const Device::Reading& last = device.reading[readings % 2];
  const uint64_t last_ns = last.at_ns.load(std::memory_order_relaxed);
  const uint64_t ticks = last.ticks.load(std::memory_order_relaxed);
  if (at_ns < last_ns) return ticks - ToTicks(last_ns - at_ns, hertz);
  return ticks + ToTicks(at_ns - last_ns, hertz);
}

// The whole count whose low bits these are, next to what is expected.
uint64_t Nearest(uint64_t low, uint64_t mask, uint64_t expected) {
  if (mask == ~uint64_t{0}) return low;
  const uint64_t ahead = (low - expected) & mask;  // at or after what is expected
  const uint64_t behind = (expected - low) & mask;
  return ahead <= behind ? expected + ahead : expected - behind;
}

// By one thread at a time: the first to ask, then the helper.
uint64_t KeepReading(Device* device, uint64_t at_ns, uint64_t low) {
  const uint64_t readings = device->readings.load(std::memory_order_relaxed);
  const uint64_t ticks =
      readings == 0 ? low : Nearest(low, device->clock_mask, TicksAt(*device, at_ns));
  Device::Reading& next = device->reading[(readings + 1) % 2];
  next.at_ns.store(at_ns, std::memory_order_relaxed);
  next.ticks.store(ticks, std::memory_order_relaxed);
  device->readings.store(readings + 1, std::memory_order_release);
  return ticks;
}

void EmitClock(uint32_t clock, uint64_t before, uint64_t device_ns, uint64_t after) {
  HookScope scope;
  if (!scope) return;
  const DeviceClockRecord record = {
      {static_cast<uint8_t>(RecordKind::kDeviceClock), kSource, 1, clock},
      before,
      device_ns,
      after};
  if (!Emit(scope.log(), record)) CountLoss(kLoss_ring_full);
}

void TellSharedClock() {
  if (!HookScope()) return;  // starts the session where there is none: which clock ticks
  g_shared_clock_told.store(true, std::memory_order_relaxed);
  const uint64_t before = Ticks();
  const uint64_t now_ns = MonotonicNs();
  EmitClock(0, before, now_ns, Ticks());
}

// The closest of a few tries.
void ReadClock(Device* device, uint64_t hertz) {
  uint64_t before = 0, after = UINT64_MAX, low = 0, at_ns = 0;
  for (int i = 0; i < kTries; ++i) {
    uint64_t host = 0, ticks = 0;
    const uint64_t first = Ticks();
    const uint64_t now_ns = MonotonicNs();
    if (g_api.DeviceGetGlobalTimestamps(device->handle.load(std::memory_order_relaxed), &host,
                                        &ticks) != ZE_RESULT_SUCCESS) {
      return;
    }
    const uint64_t second = Ticks();
    if (second - first >= after - before) continue;
    before = first;
    after = second;
    low = ticks & device->clock_mask;
    at_ns = now_ns;
  }
  if (after == UINT64_MAX) return;
  const uint64_t whole = KeepReading(device, at_ns, low);
  EmitClock(NumberOf(*device) + 1, before, ToNs(whole, hertz), after);
}

uint32_t PciOf(const Device& device) {
  ze_pci_ext_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES;
  if (g_api.DevicePciGetPropertiesExt == nullptr ||
      g_api.DevicePciGetPropertiesExt(device.handle.load(std::memory_order_relaxed), &properties) !=
          ZE_RESULT_SUCCESS) {
    return 0;
  }
  const ze_pci_address_ext_t& at = properties.address;
  return PciAddress(at.domain, at.bus, at.device, at.function);
}

void EmitFacts(const Device& device, const ze_device_properties_t& properties) {
  DeviceFacts facts{};
  facts.memory = properties.maxMemAllocSize;
  facts.multiprocessors =
      properties.numSlices * properties.numSubslicesPerSlice * properties.numEUsPerSubslice;
  facts.pci = PciOf(device);
  static_assert(sizeof(properties.uuid.id) == sizeof(facts.uuid));
  std::memcpy(facts.uuid, properties.uuid.id, sizeof(facts.uuid));
  TextBuffer name;
  name.Add(properties.name);
  if ((properties.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE) != 0)
    name.Add(" sub-device ").AddNumber(properties.subdeviceId);
  char text[sizeof(facts) + kMaxName];
  const size_t bytes = std::min(std::strlen(name.text()), kMaxName);
  std::memcpy(text, &facts, sizeof(facts));
  std::memcpy(text + sizeof(facts), name.text(), bytes);
  HookScope scope;
  if (!scope) return;
  if (!EmitText(scope.log(), RecordKind::kDevice, 0, NumberOf(device), 0, kSource, text,
                sizeof(facts) + bytes))
    CountLoss(kLoss_definition);
}

// At the first device: a program that only looks what there is leaves no record.
void TellWayIn() {
  static std::atomic<bool> told;
  static char words[48];
  if (told.exchange(true, std::memory_order_relaxed)) return;
  const uint32_t version = g_version.load(std::memory_order_relaxed);
  TextBuffer text;
  text.Add("the loader's tables of API ").AddNumber(version >> 16).Add(".");
  text.AddNumber(version & 0xffff);
  CopyText(words, sizeof(words), text.text());
  RecordCoverage(kSource, GpuCoverage::kAll, words);
}

// The form of 1.2 says the frequency; the older one whole nanoseconds a tick, which are wrong for
// most devices.
void Ask(Device* device) {
  const ErrnoKeeper keeper;
  ze_device_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
  if (g_api.DeviceGetProperties == nullptr ||
      g_api.DeviceGetProperties(device->handle.load(std::memory_order_relaxed), &properties) !=
          ZE_RESULT_SUCCESS) {
    return;
  }
  TellWayIn();
  EmitFacts(*device, properties);
  device->clock_mask = MaskOf(properties.timestampValidBits);
  device->stamp_mask = MaskOf(properties.kernelTimestampValidBits);
  if (g_api.DeviceGetGlobalTimestamps == nullptr || properties.timerResolution == 0) return;
  ReadClock(device, properties.timerResolution);
  device->hertz.store(properties.timerResolution, std::memory_order_release);
}

// Threads that add the same devices at once find the same places.
Device* Place(ze_device_handle_t handle) {
  for (Device& device : g_devices) {
    ze_device_handle_t here = nullptr;
    if (device.handle.compare_exchange_strong(here, handle, std::memory_order_acq_rel) ||
        here == handle) {
      return &device;
    }
  }
  return nullptr;
}

// So that numbers are zeDeviceGet's and not those of first use.
void PlaceAll() {
  const ErrnoKeeper keeper;
  constexpr uint32_t kMostDrivers = 16;
  ze_driver_handle_t drivers[kMostDrivers];
  uint32_t driver_count = kMostDrivers;
  if (g_api.DriverGet == nullptr || g_api.DeviceGet == nullptr ||
      g_api.DriverGet(&driver_count, drivers) != ZE_RESULT_SUCCESS) {
    return;
  }
  for (uint32_t i = 0; i < driver_count && i < kMostDrivers; ++i) {
    ze_device_handle_t devices[kMaxDevices];
    uint32_t count = kMaxDevices;
    if (g_api.DeviceGet(drivers[i], &count, devices) != ZE_RESULT_SUCCESS) continue;
    for (uint32_t d = 0; d < count && d < kMaxDevices; ++d) Place(devices[d]);
  }
}

}  // namespace

uint32_t NumberOf(const Device& device) { return static_cast<uint32_t>(&device - g_devices); }

void KeepParts(ze_device_handle_t whole, uint32_t count, const ze_device_handle_t* parts) {
  if (g_devices[0].handle.load(std::memory_order_acquire) == nullptr) PlaceAll();
  const Device* of = Place(whole);
  for (uint32_t i = 0; of != nullptr && i < count; ++i) {
    Device* part = Place(parts[i]);
    if (part != nullptr && part != of) part->whole.store(of, std::memory_order_relaxed);
  }
}

Device* DeviceOf(ze_device_handle_t handle) {
  if (handle == nullptr) return nullptr;
  if (g_devices[0].handle.load(std::memory_order_acquire) == nullptr) PlaceAll();
  Device* device = Place(handle);
  if (device != nullptr && !device->asked.exchange(true, std::memory_order_acq_rel)) Ask(device);
  return device;
}

uint64_t SharedNow() {
  if (__builtin_expect(!g_shared_clock_told.load(std::memory_order_relaxed), 0)) TellSharedClock();
  return MonotonicNs();
}

void ForgetSharedClock() { g_shared_clock_told.store(false, std::memory_order_relaxed); }

void ReadDeviceClocks() {
  TellSharedClock();
  for (Device& device : g_devices) {
    const uint64_t hertz = device.hertz.load(std::memory_order_acquire);
    if (hertz != 0) ReadClock(&device, hertz);
  }
}

uint64_t NowOf(const Device& device) {
  const uint64_t hertz = device.hertz.load(std::memory_order_acquire);
  return hertz == 0 ? 0 : ToNs(TicksAt(device, MonotonicNs()), hertz);
}

bool WholeTime(const Device& device, uint64_t stamp, uint64_t submitted_ns, uint64_t* ns) {
  const uint64_t hertz = device.hertz.load(std::memory_order_acquire);
  if (hertz == 0) return false;
  const uint64_t latest = TicksAt(device, MonotonicNs() + kSlackNs);
  const uint64_t whole = latest - ((latest - stamp) & device.stamp_mask);
  const uint64_t since_submitted = whole + ToTicks(kSlackNs, hertz) - TicksAt(device, submitted_ns);
  if (static_cast<int64_t>(since_submitted) < 0 || since_submitted > device.stamp_mask)
    return false;
  *ns = ToNs(whole, hertz);
  return true;
}

}  // namespace syncline::level_zero
