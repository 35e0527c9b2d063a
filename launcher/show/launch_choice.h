// SPDX-License-Identifier: Apache-2.0
// The kernels that took most of the devices' time, and of each the launch that stands for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/show/kernel_launches.h"
#include "writers/findings/manifest.h"

namespace syncline {

struct RankLaunches {
  std::string name;  // of its trace: "rank-3"
  RankManifest manifest;
  KernelLaunches found;
};

struct ChosenLaunch {
  std::string kernel;    // as the trace has it
  std::string function;  // without namespaces, templates and parameters; empty: `kernel` is mangled
  size_t rank = 0;       // in the ranks that were given
  uint64_t process = 0;
  uint64_t total_ns = 0;  // of the kernel in all ranks, within the stage
  double share = 0;       // of the time of all kernels there
  size_t launches = 0;
  uint64_t length_ns = 0;  // of the launch
  // Launches of the function in the process, within calls of the stage that have one name, and how
  // many of these come before the launch.
  size_t fitting = 0;
  size_t before = 0;
  std::optional<StageCall> within;  // the call of the stage; none: no stage was asked for
  bool is_helped = false;           // launched by a thread that worked for the one of that call
  bool several_threads = false;     // those that fit come from more than one
  bool has_whole_graphs = false;  // the process launched graphs whose kernels are not in the trace
  bool without_calls = false;     // counted by when they began on the device
  std::string problem;            // why no launch was chosen; empty: one was
};

// Ranges of these domains are made for us, not by NVTX: no other tool sees them.
bool IsOwnDomain(const std::string& domain);

// "void at::native::foo<int>(float*)" -> "foo". Empty: a mangled name.
std::string FunctionOfKernel(const std::string& kernel);

// `in_stage`: only what calls of the stage launched. At most `most`, the costliest first. Of a
// kernel the launch of median length is chosen, in the process that gave it most time.
// `only_recorded`: the stages to which alone the recording was limited (--stages); empty: it was
// not, or by something else, too.
std::vector<ChosenLaunch> ChooseLaunches(const std::vector<RankLaunches>& ranks, bool in_stage,
                                         size_t most, const std::string& only_recorded = "");

}  // namespace syncline
