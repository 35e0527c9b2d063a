// SPDX-License-Identifier: Apache-2.0
// /proc/meminfo and the group's memory.max, whichever leaves less.
#include "launcher/memory_room.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace syncline {
namespace {

std::optional<uint64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // no such file, or "max"
}

std::optional<uint64_t> FreeOnMachine() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  uint64_t kib = 0;
  while (file >> key >> kib) {
    if (key == "MemAvailable:") return kib * 1024;
    file.ignore(64, '\n');
  }
  return std::nullopt;
}

// "0::/user.slice/..." is the line of version 2; limits of the groups above hold too.
std::optional<uint64_t> FreeInGroup() {
  std::ifstream file("/proc/self/cgroup");
  std::optional<uint64_t> least;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("0::")) continue;
    for (std::string group = line.substr(3); !group.empty();
         group.resize(std::min(group.rfind('/'), group.size()))) {
      const std::string folder = "/sys/fs/cgroup" + group;
      const auto most = NumberIn(folder + "/memory.max");
      const auto used = NumberIn(folder + "/memory.current");
      if (most && used)
        least = std::min(least.value_or(UINT64_MAX), *most - std::min(*most, *used));
    }
  }
  return least;
}

}  // namespace

uint64_t MemoryRoom() {
  const auto machine = FreeOnMachine();
  const auto group = FreeInGroup();
  if (!machine && !group) return uint64_t{1} << 30;
  return std::min(machine.value_or(UINT64_MAX), group.value_or(UINT64_MAX));
}

}  // namespace syncline
