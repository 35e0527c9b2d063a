// SPDX-License-Identifier: Apache-2.0
// /proc/PID/maps.
#include "launcher/record/mapped_memory.h"

#include <fstream>
#include <string>

namespace syncline {

bool MapsFile(int pid, ino_t inode) {
  std::ifstream maps("/proc/" + std::to_string(pid) + "/maps");
  if (!maps) return true;
  const std::string wanted = " " + std::to_string(inode) + " ";
  for (std::string line; std::getline(maps, line);) {
    if (line.find(wanted) != std::string::npos) return true;
  }
  return maps.bad();
}

}  // namespace syncline
