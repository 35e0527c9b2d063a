// SPDX-License-Identifier: Apache-2.0
// What is said of a run that recorded nothing: what was looked for, and what was there but left
// out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace syncline {

struct LookedFor {
  std::string list;            // of --collect
  bool on_line = false;        // it was given there, not by SYNCLINE_COLLECT
  uint32_t left_out = 0;       // bits of sources that some process used and the list leaves out
  std::string processes = {};  // of --processes; empty: all
  std::string skip = {};       // of --skip; empty: none
  // Of --preset each: its name, and its part of --python-ranges.
  std::vector<std::pair<std::string, std::string>> presets = {};
  size_t ranks_left_out = 0;       // by --ranks: all that there were
  std::string lost_programs = {};  // what is said of programs without our variables; "": none
  bool refused = false;            // some process was not recorded, which was told
  std::vector<std::string> servers = {};  // that run without us, and that the program talked to
  std::string preload = {};               // one of the two sentences below, or ""
  std::string stays = {};  // why the run's directory is still there; empty: it is gone
};

inline constexpr const char* kNoPreloadMisses =
    "--no-preload: processes were seen from their first use of NVTX or CUDA on; missing are Level "
    "Zero calls and, maybe, GPU work just before `_exit`";
// Of a program that failed, and whose user preloads something of his own.
inline constexpr const char* kPreloadIsAList =
    "LD_PRELOAD named the program's library and Syncline's: if it is read as one path, record with "
    "--no-preload";

// Whether the list wants the collector of this name.
bool LooksFor(const LookedFor& looked_for, std::string_view collector);

// "nothing was recorded: the launcher saw no process with NVTX ranges, CUDA calls or Level Zero
// calls; ...". Pure.
std::string NothingRecordedLine(const LookedFor& looked_for);

}  // namespace syncline
