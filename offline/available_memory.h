// SPDX-License-Identifier: Apache-2.0
// How much memory may still be taken here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace syncline {

// Bytes that this machine, and this process's control group (of either version), have free; 1 GiB
// if neither tells.
uint64_t AvailableMemory();

// Bytes free below the limits of a process's control groups and of those above them; empty: no
// limits. `membership`: as /proc/PID/cgroup; `mounts`: where the groups are seen, /sys/fs/cgroup.
std::optional<uint64_t> FreeInGroups(const std::string& membership, const std::string& mounts);

}  // namespace syncline
