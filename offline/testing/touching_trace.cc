// SPDX-License-Identifier: Apache-2.0
// Writes the trace of slices that touch: touching_trace OUTPUT.json.gz LOG2_US STEP_NS RANGES
// ns|us. The process begins 2^LOG2_US microseconds after the base.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "offline/testing/touching_spool.h"

int main(int count, char** arguments) {
  using namespace syncline;
  if (count < 6) {
    std::fprintf(stderr, "usage: touching_trace OUTPUT.json.gz LOG2_US STEP_NS RANGES ns|us\n");
    return 2;
  }
  testing::TouchingSlices wanted;
  wanted.after_base_ns = static_cast<uint64_t>(std::exp2(std::atof(arguments[2])) * 1000);
  wanted.step_ns = std::strtoull(arguments[3], nullptr, 10);
  wanted.ranges = static_cast<uint32_t>(std::atoi(arguments[4]));
  const std::string output = arguments[1];
  TraceJob job = testing::WriteTouchingSpool(wanted, output + ".spool");
  job.output = output;
  if (std::string_view(arguments[5]) == "us") job.unit = TimeUnit::kUs;
  const RankResult result = WriteRankTrace(job);
  std::remove((output + ".spool").c_str());
  if (!result.status.ok()) std::fprintf(stderr, "%s\n", result.status.message().c_str());
  return result.status.ok() ? 0 : 1;
}
