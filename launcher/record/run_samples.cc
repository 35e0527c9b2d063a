// SPDX-License-Identifier: Apache-2.0
// One file a launcher.
#include "launcher/record/run_samples.h"

#include <unistd.h>

#include "base/text.h"
#include "inject/core/options.h"
#include "launcher/host/held_directory.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/start/unrecorded.h"
#include "offline/rank_paths.h"

namespace syncline {
namespace {

constexpr uint64_t kFewUnreadable = 20, kManyUnreadable = 10;

}  // namespace

void RunSamples::Start(const std::string& directory, const std::string& node,
                       const Recorder* recorder) {
  const auto hertz = static_cast<uint32_t>(OptionNumber(OptionIndex("sample")));
  if (hertz == 0) return;
  path_ = SamplesPath(directory, node, getpid());
  int error = 0;
  sampler_ = HostSampler::Start(
      path_, hertz, [recorder] { return recorder->Recording(); }, &error);
  if (sampler_ == nullptr)
    SayWarning(Text("--sample takes no samples: ", ShellQuote(NameOfHeld(path_)), ": ",
                    ErrorText(error), "."));
}

void RunSamples::Finish(RecordedRun* run) {
  if (sampler_ == nullptr) return;
  const SampledRun sampled = sampler_->Finish();
  sampler_.reset();
  if (sampled.counts.samples == 0) {
    unlink(path_.c_str());  // a run of which nothing is left leaves no directory
  } else {
    run->samples.push_back(path_);
  }
  if (sampled.counts.left_out != 0)
    SayWarning(
        Text(CountText(sampled.counts.left_out),
             " samples of the host had no room: the disk is full, or the file has 512 MiB; give "
             "--sample a smaller number."));
  // Of these little is known, and of what is known the share is too large.
  if (sampled.counts.unreadable > kFewUnreadable &&
      sampled.counts.unreadable * kManyUnreadable > sampled.counts.samples)
    SayWarning(Text(CountText(sampled.counts.unreadable), " of ",
                    CountText(sampled.counts.samples + sampled.counts.unreadable),
                    " samples of the host could not be read."));
  if (sampled.counts.samples == 0 && std::string(OptionText(OptionIndex("consumer"))) == "process")
    SayWarning("--sample took no samples: with --consumer process the launcher knows no process.");
  for (const std::string& why : sampled.refusals)
    SayWarning(Text("--sample took no samples of a process: ", why, "."));
}

}  // namespace syncline
