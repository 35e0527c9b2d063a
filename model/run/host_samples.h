// SPDX-License-Identifier: Apache-2.0
// The samples of the host that the launchers of a run took, by thread and time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "inject/core/segment.h"
#include "model/run/sample_format.h"
#include "model/spool/code_stacks.h"

namespace syncline {

struct SampleFacts {
  uint32_t hertz = 0;       // 0: nothing was sampled
  bool has_counts = false;  // false: the launcher was killed
  SampleCounts counts{};
};

class HostSamples {
 public:
  static constexpr uint64_t kMostBytes = uint64_t{1} << 30;  // of a file

  // Adds a file's. False: it is none, or of another version; what is damaged ends it.
  bool Add(std::string_view file);
  // Of the file at `path`, where there is one.
  bool AddFile(const std::string& path);
  bool empty() const { return threads_.empty(); }
  const SampleFacts& facts() const { return facts_; }

  // Those of the thread within the time (CLOCK_MONOTONIC), and how many samples of each.
  void Each(uint32_t pid, uint32_t tid, uint64_t begin_ns, uint64_t end_ns,
            const std::function<void(const HostSample& sample, uint64_t count)>& visit) const;
  // Null: not known. Lives as long as this.
  const CodeStack* StackOf(uint32_t stack) const;

 private:
  struct Code {
    std::string file, function;
  };

  bool Take(SampleEntry kind, std::string_view bytes);
  bool TakeCode(std::string_view bytes);
  bool TakeStack(std::string_view bytes);
  bool TakeSample(std::string_view bytes);

  SampleFacts facts_;
  std::deque<Code> codes_;
  std::map<std::pair<uint32_t, uint32_t>, CodeStack::Frame> frames_;  // by code and line
  std::deque<CodeStack> stacks_;
  size_t first_code_ = 0, first_stack_ = 0;                                   // of the file at hand
  std::map<std::pair<uint32_t, uint32_t>, std::vector<HostSample>> threads_;  // by pid and tid
};

}  // namespace syncline
