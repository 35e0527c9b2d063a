// SPDX-License-Identifier: Apache-2.0
// The launches of kernels that a trace shows, in the order in which their processes made them, and
// the calls of a stage, with what other threads launched for them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace syncline {

struct KernelLaunch {
  uint32_t name = 0;  // in KernelLaunches::names
  uint32_t thread = 0;
  uint64_t process = 0;      // its pid in the trace; 0: not known
  uint64_t call_ns = 0;      // when it was launched; without a call when it began
  uint64_t begin_ns = 0;     // on the device
  uint64_t length_ns = 0;    // on the device
  uint64_t correlation = 0;  // 0: none
  int32_t stage = -1;        // the innermost call of the stage around it; -1: none
  bool has_call = false;
  bool is_helped = false;  // the call of the stage is another thread's, which had this one work
  bool is_graph = false;   // a whole graph, whose kernels the trace does not show

  bool IsBefore(const KernelLaunch& other) const;
};

// One call of the stage.
struct StageCall {
  uint64_t process = 0;
  uint64_t thread = 0;
  bool any_thread = false;  // a start/end range: the whole process is in it
  std::string name;
  std::string domain;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;

  bool Holds(uint64_t of_process, uint64_t of_thread, uint64_t ns) const {
    return of_process == process && (any_thread || of_thread == thread) && ns >= begin_ns &&
           ns < end_ns;
  }
  bool Holds(const KernelLaunch& launch) const {
    return Holds(launch.process, launch.thread, launch.call_ns);
  }
};

struct KernelLaunches {
  std::vector<std::string> names;
  std::vector<KernelLaunch> launches;    // in the order of their calls
  std::vector<StageCall> stage_calls;    // in the order of their begin
  std::vector<std::string> other_names;  // of ranges, some: where no range fits the stage
};

// `stage`: a name, a pattern with * and ?, or a name with its numbers as '#'; empty: no stage.
// Not ok: the trace cannot be read to its end.
Status ReadKernelLaunches(const std::string& trace, const std::string& stage,
                          KernelLaunches* launches);

}  // namespace syncline
