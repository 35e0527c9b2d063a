// SPDX-License-Identifier: Apache-2.0
// Reads the settings from the environment.
#include "tests/simulated_gpu/engine/settings.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simgpu {
namespace {

double Fraction(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return 0;
  char* end = nullptr;
  const double number = std::strtod(value, &end);
  if (*end != '\0' || !(number >= 0 && number < 1))
    RefuseSetting(name, value, "from 0 up to below 1");
  return number;
}

std::string Text(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string WithPid(std::string path) {
  for (size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at)) {
    path.replace(at, 2, std::to_string(getpid()));
  }
  return path;
}

}  // namespace

void RefuseSetting(const char* name, const char* value, const char* wanted) {
  std::fprintf(stderr, "simulated GPU: %s is '%s', but must be %s\n", name, value, wanted);
  std::_Exit(125);
}

uint64_t NumberSetting(const char* name, uint64_t otherwise, uint64_t least, uint64_t most) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return otherwise;
  char* end = nullptr;
  const uint64_t number = std::strtoull(value, &end, 10);
  if (*end != '\0' || *value == '-' || number < least || number > most) {
    const std::string wanted =
        "a number from " + std::to_string(least) + " to " + std::to_string(most);
    RefuseSetting(name, value, wanted.c_str());
  }
  return number;
}

void DeviceUuid(uint32_t physical, unsigned char uuid[16]) {
  std::memcpy(uuid, "Simulated GPU", 13);
  uuid[13] = uuid[14] = 0;
  uuid[15] = static_cast<unsigned char>(physical);
}

std::vector<uint32_t> VisibleDevices(const char* text, uint32_t devices) {
  std::vector<uint32_t> visible;
  if (text == nullptr) {
    for (uint32_t i = 0; i < devices; ++i) visible.push_back(i);
    return visible;
  }
  std::string rest = text;
  while (!rest.empty()) {
    const std::string item = rest.substr(0, rest.find(','));
    rest.erase(0, item.size() < rest.size() ? item.size() + 1 : rest.size());
    uint32_t number = devices;
    if (item.rfind("GPU-", 0) == 0) {
      // Only the last byte tells our devices apart.
      number =
          static_cast<uint32_t>(std::strtoul(item.substr(item.size() - 2).c_str(), nullptr, 16));
    } else {
      char* end = nullptr;
      const unsigned long parsed = std::strtoul(item.c_str(), &end, 10);
      if (end != item.c_str() && *end == '\0' && item[0] != '-' && parsed < devices) {
        number = static_cast<uint32_t>(parsed);
      }
    }
    if (number >= devices) break;
    if (std::find(visible.begin(), visible.end(), number) != visible.end()) return {};  // as CUDA
    visible.push_back(number);
  }
  return visible;
}

Settings Settings::FromEnvironment() {
  Settings settings;
  settings.devices =
      static_cast<uint32_t>(NumberSetting("SIMGPU_DEVICES", settings.devices, 0, 64));
  settings.seed = NumberSetting("SIMGPU_SEED", settings.seed, 0, UINT64_MAX);
  settings.jitter = Fraction("SIMGPU_JITTER");
  settings.durations = Text("SIMGPU_DURATIONS");
  settings.truth = WithPid(Text("SIMGPU_TRUTH"));
  settings.memory_bytes =
      NumberSetting("SIMGPU_MEMORY_MB", settings.memory_bytes >> 20, 1, 1u << 24) << 20;
  settings.queue_depth =
      static_cast<uint32_t>(NumberSetting("SIMGPU_QUEUE", settings.queue_depth, 1, 1u << 20));
  settings.concurrent_kernels = static_cast<uint32_t>(
      NumberSetting("SIMGPU_CONCURRENT_KERNELS", settings.concurrent_kernels, 1, 4096));
  settings.driver_version = static_cast<int>(NumberSetting(
      "SIMGPU_DRIVER_VERSION", static_cast<uint64_t>(settings.driver_version), 1000, 99999));
  const std::string blocking = Text("CUDA_LAUNCH_BLOCKING");
  settings.launch_blocking = !blocking.empty() && blocking != "0";
  settings.lazy_loading = Text("CUDA_MODULE_LOADING") != "EAGER";
  settings.visible = VisibleDevices(std::getenv("CUDA_VISIBLE_DEVICES"), settings.devices);
  return settings;
}

const Settings& Settings::OfProcess() {
  static const Settings& settings = *new Settings(FromEnvironment());
  return settings;
}

}  // namespace simgpu
