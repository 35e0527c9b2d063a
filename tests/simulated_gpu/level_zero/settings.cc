// SPDX-License-Identifier: Apache-2.0
// Reads the Level Zero settings from the environment.
#include "tests/simulated_gpu/level_zero/settings.h"

#include <cstdlib>

#include "tests/simulated_gpu/engine/settings.h"

namespace simgpu::level_zero {
namespace {

// May be negative: a clock that runs slow.
int64_t Slew() {
  const char* text = std::getenv("SIMGPU_ZE_SLEW_PPM");
  const bool slow = text != nullptr && *text == '-';
  if (!slow) return static_cast<int64_t>(NumberSetting("SIMGPU_ZE_SLEW_PPM", 0, 0, 100'000));
  char* end = nullptr;
  const int64_t ppm = std::strtoll(text, &end, 10);
  if (*end != '\0' || ppm < -100'000)
    RefuseSetting("SIMGPU_ZE_SLEW_PPM", text, "from -100000 to 100000");
  return ppm;
}

Settings FromEnvironment() {
  Settings settings;
  const auto number = [](const char* name, uint64_t otherwise, uint64_t least, uint64_t most) {
    return NumberSetting(name, otherwise, least, most);
  };
  settings.sub_devices = static_cast<uint32_t>(number("SIMGPU_ZE_SUBDEVICES", 0, 0, 16));
  settings.timer_hz = number("SIMGPU_ZE_TIMER_HZ", settings.timer_hz, 1'000'000, 1'000'000'000);
  settings.kernel_timestamp_bits = static_cast<uint32_t>(
      number("SIMGPU_ZE_TIMESTAMP_BITS", settings.kernel_timestamp_bits, 16, 64));
  settings.timestamp_bits = static_cast<uint32_t>(
      number("SIMGPU_ZE_GLOBAL_TIMESTAMP_BITS", settings.timestamp_bits, 16, 64));
  settings.wrap_ms = number("SIMGPU_ZE_WRAP_MS", settings.wrap_ms, 0, 1'000'000);
  settings.slew_ppm = Slew();
  settings.build_ms = number("SIMGPU_ZE_BUILD_MS", settings.build_ms, 0, 60'000);
  settings.overlap = static_cast<uint32_t>(number("SIMGPU_ZE_OVERLAP", settings.overlap, 1, 128));
  return settings;
}

}  // namespace

const Settings& Settings::OfProcess() {
  static const Settings& settings = *new Settings(FromEnvironment());
  return settings;
}

}  // namespace simgpu::level_zero
