// SPDX-License-Identifier: Apache-2.0
// Tests of what a log says is missing.
#include "model/run/log_lines.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(LogLinesTest, WarningsOfWhatIsMissing) {
  constexpr char kLog[] =
      "info: GPU work will not be recorded: at another level\n"
      "warn: CUDA: GPU work will not be recorded: no CUPTI\n"
      "warn: another thing\n"
      "warn: CUDA: GPU work was not recorded by libx.so: why\n"
      "warn: cut off: kernels were not recorded by";
  const std::vector<std::string> lost = {"CUDA: GPU work was not recorded by libx.so: why"};
  EXPECT_EQ(LostByLog(kLog), lost);
  const std::vector<std::string> missing = {"CUDA: GPU work will not be recorded: no CUPTI",
                                            lost[0]};
  EXPECT_EQ(MissingByLog(kLog), missing);
  EXPECT_TRUE(MissingByLog("").empty());
}

}  // namespace
}  // namespace syncline
