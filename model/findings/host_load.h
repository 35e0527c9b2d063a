// SPDX-License-Identifier: Apache-2.0
// How busy a machine was while a launcher recorded there, and with whose work.
#pragma once

#include <cstdint>

namespace syncline {

struct HostLoad {
  int32_t launcher_pid = 0;
  uint64_t whole_ns = 0;  // of all processors, while the launcher recorded; 0: not known
  uint64_t busy_ns = 0;   // of that, with anybody's work
  uint64_t own_ns = 0;    // with the launcher's, and of its processes that have ended
  bool operator==(const HostLoad&) const = default;
};

}  // namespace syncline
