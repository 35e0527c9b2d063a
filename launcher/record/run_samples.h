// SPDX-License-Identifier: Apache-2.0
// --sample: the samples of the host of a run, from its first process to its last.
#pragma once

#include <memory>
#include <string>

#include "launcher/record/rank_groups.h"
#include "launcher/record/recorder.h"
#include "sampler/host_sampler.h"

namespace syncline {

class RunSamples {
 public:
  // Where the option is given. `recorder` outlives the sampling. Throws std::system_error where no
  // thread can be had.
  void Start(const std::string& directory, const std::string& node, const Recorder* recorder);
  // Before the recorder ends. Tells of processes that could not be sampled.
  void Finish(RecordedRun* run);
  void Abandon() { sampler_.reset(); }

 private:
  std::string path_;
  std::unique_ptr<HostSampler> sampler_;  // null: not asked for
};

}  // namespace syncline
