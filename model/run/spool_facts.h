// SPDX-License-Identifier: Apache-2.0
// Whose a spool is.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"

namespace syncline {

struct SpoolFacts {
  int32_t rank = -1;
  int32_t world_size = -1;
  uint32_t launcher = 0;  // LauncherKind that gave the rank
  int32_t attempt = -1;   // as in RankFacts
  int32_t spawned = -1;
  uint32_t job = 0;
  uint32_t starter = 0;
  int32_t pid = 0;      // as the consumer saw it
  int32_t own_pid = 0;  // these as the process saw them
  int32_t parent_pid = 0;
  uint64_t start_time = 0;
  uint64_t start_realtime_ns = 0;  // of the segment
  std::string host;
  std::string name;  // of the program
  uint64_t bytes = 0;
  bool complete = false;  // its end block is there
};

// Reads only the first block and the end. Not ok: not a spool, or its first block is damaged.
Status ReadSpoolFacts(const std::string& path, SpoolFacts* facts);

}  // namespace syncline
