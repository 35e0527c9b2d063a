// SPDX-License-Identifier: Apache-2.0
// The launcher's thread that samples the processes of a run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "model/run/sample_format.h"

namespace syncline {

struct SampledRun {
  SampleCounts counts{};
  std::vector<std::string> refusals;  // why processes were not sampled, for the user; each once
};

class HostSampler {
 public:
  // `processes`: those that record now, as the launcher sees them; called on the sampling thread.
  // Null: *error is the errno of the file. Throws std::system_error where no thread can be had.
  static std::unique_ptr<HostSampler> Start(const std::string& path, uint32_t hertz,
                                            std::function<std::vector<int>()> processes,
                                            int* error);
  // Ends the thread, and the file.
  virtual SampledRun Finish() = 0;
  virtual ~HostSampler() = default;
};

}  // namespace syncline
