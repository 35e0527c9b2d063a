// SPDX-License-Identifier: Apache-2.0
// /proc/meminfo and the limits of the control groups, whichever leaves less.
#include "offline/available_memory.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace syncline {
namespace {

std::optional<uint64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;  // no such file, or "max"
}

// The number in a line "key 123 ..." of the file.
std::optional<uint64_t> NumberAfter(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    uint64_t number = 0;
    if (words >> first >> number && first == key) return number;
  }
  return std::nullopt;
}

// How the versions of control groups name the same things.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* cache;  // in memory.stat: pages of files that nobody used lately, given back at need
};
constexpr GroupFiles kVersion1 = {"/memory.limit_in_bytes", "/memory.usage_in_bytes",
                                  "total_inactive_file"};
constexpr GroupFiles kVersion2 = {"/memory.max", "/memory.current", "inactive_file"};

std::optional<uint64_t> FreeIn(const std::string& group, const GroupFiles& files) {
  const auto most = NumberIn(group + files.limit);
  const auto used = NumberIn(group + files.used);
  if (!most || !used) return std::nullopt;
  const uint64_t cache = NumberAfter(group + "/memory.stat", files.cache).value_or(0);
  return *most - std::min(*most, *used - std::min(*used, cache));
}

// The limits of the groups above hold too. In a container the path may be the host's: then only
// the topmost folder is there.
uint64_t FreeUpwards(const std::string& mount, std::string group, const GroupFiles& files) {
  uint64_t least = UINT64_MAX;
  for (;; group.resize(std::min(group.rfind('/'), group.size()))) {
    least = std::min(least, FreeIn(mount + group, files).value_or(UINT64_MAX));
    if (group.empty()) return least;
  }
}

}  // namespace

// "0::/user.slice/..." is the line of version 2, "4:memory:/..." one of version 1.
std::optional<uint64_t> FreeInGroups(const std::string& membership, const std::string& mounts) {
  std::ifstream file(membership);
  uint64_t least = UINT64_MAX;
  for (std::string line; std::getline(file, line);) {
    const size_t kind = line.find(':'), path = line.find(':', kind + 1);
    if (kind == std::string::npos || path == std::string::npos) continue;
    const std::string controllers = "," + line.substr(kind + 1, path - kind - 1) + ",";
    const std::string group = line.substr(path + 1);
    if (line.starts_with("0::")) {
      least = std::min(least, FreeUpwards(mounts, group, kVersion2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      least = std::min(least, FreeUpwards(mounts + "/memory", group, kVersion1));
    }
  }
  return least == UINT64_MAX ? std::nullopt : std::optional(least);
}

uint64_t AvailableMemory() {
  const auto kib = NumberAfter("/proc/meminfo", "MemAvailable:");
  const auto groups = FreeInGroups("/proc/self/cgroup", "/sys/fs/cgroup");
  if (!kib && !groups) return uint64_t{1} << 30;
  return std::min(kib ? *kib * 1024 : UINT64_MAX, groups.value_or(UINT64_MAX));
}

}  // namespace syncline
