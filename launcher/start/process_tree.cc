// SPDX-License-Identifier: Apache-2.0
// By /proc: who was given to another parent meanwhile is not found any more.
#include "launcher/start/process_tree.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <string>

#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

struct Place {
  pid_t parent = 0;
  uint64_t started = 0;  // 0: there is no such process
};

Place PlaceOf(pid_t pid) {
  char stat[1024];
  if (ReadSmallFile(("/proc/" + std::to_string(pid) + "/stat").c_str(), stat, sizeof(stat)) <= 0)
    return {};
  constexpr int kStarted = 22;
  return {ParentOfStat(stat), StatField(stat, kStarted)};
}

std::string ExecutableOf(const std::string& process) {
  char path[4096];
  const ssize_t length = readlink(("/proc/" + process + "/exe").c_str(), path, sizeof(path));
  return length <= 0 ? "" : std::string(path, static_cast<size_t>(length));
}

std::map<pid_t, Place> AllProcesses() {
  std::map<pid_t, Place> all;
  DIR* const directory = opendir("/proc");
  if (directory == nullptr) return all;
  while (const dirent* entry = readdir(directory)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    if (const Place place = PlaceOf(pid); place.started != 0) all[pid] = place;
  }
  closedir(directory);
  return all;
}

}  // namespace

std::vector<LivingProcess> ProcessesBelow(pid_t root) {
  const std::map<pid_t, Place> all = AllProcesses();
  const std::string ours = ExecutableOf("self");
  std::vector<LivingProcess> below;
  std::vector<pid_t> parents = {root};
  while (!parents.empty()) {
    const pid_t parent = parents.back();
    parents.pop_back();
    for (const auto& [pid, place] : all) {
      if (place.parent != parent) continue;
      parents.push_back(pid);
      if (ExecutableOf(std::to_string(pid)) != ours) below.push_back({pid, place.started});
    }
  }
  return below;
}

size_t SignalAll(const std::vector<LivingProcess>& processes, int signal) {
  return static_cast<size_t>(
      std::count_if(processes.begin(), processes.end(), [&](const LivingProcess& process) {
        return PlaceOf(process.pid).started == process.started && kill(process.pid, signal) == 0;
      }));
}

}  // namespace syncline
