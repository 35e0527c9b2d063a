// SPDX-License-Identifier: Apache-2.0
// A machine since its boot, in a time namespace.
#include "offline/clock_line.h"

#include <unistd.h>

#include <fstream>

#include "base/text.h"
#include "inject/core/options.h"
#include "inject/core/rank.h"

namespace syncline {
namespace {

// Equal for all who share CLOCK_MONOTONIC.
std::string MachineName() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  if (std::string boot; std::getline(file, boot) && !boot.empty()) {
    char space[64];
    const ssize_t bytes = readlink("/proc/self/ns/time", space, sizeof(space));
    return bytes > 0 ? Text(boot, " ", std::string_view(space, static_cast<size_t>(bytes))) : boot;
  }
  char node[64];
  FindNodeName(Environment, node, sizeof(node));
  return node;
}

}  // namespace

ClockLine LineOf(const Anchor& job_anchor, const std::string& host) {
  char node[64];
  FindNodeName(Environment, node, sizeof(node));
  return {host == node ? MachineName() : host,
          static_cast<int64_t>(job_anchor.realtime_ns - job_anchor.monotonic_ns)};
}

}  // namespace syncline
