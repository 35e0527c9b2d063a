// SPDX-License-Identifier: Apache-2.0
// Which line a place is, and what a run's lines do in a step.
#include "contract/run_measures.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(RunMeasuresTest, ALineIsNamedByWhatIsKnownOfIt) {
  constexpr char kWhere[] = "src/train.py:38 main()";
  for (const char* wanted : {"train.py:38", "src/train.py:38", "train.py", "main()", "main",
                             "train.py main()", "train.py:38 main()", "src/train.py:38 main"})
    EXPECT_TRUE(IsLine(kWhere, wanted)) << wanted;
  for (const char* wanted : {"train.py:3", "train.py:380", "rain.py:38", "", "mai", "train.py f()",
                             ":38", "other/train.py:38", "38", " main()"})
    EXPECT_FALSE(IsLine(kWhere, wanted)) << wanted;
  EXPECT_TRUE(IsLine("a.py:7 f(), in lib/b.py:9 g()", "a.py:7"));
  EXPECT_FALSE(IsLine("a.py:7 f(), in lib/b.py:9 g()", "b.py:9")) << "the user's line is another";
}

}  // namespace
}  // namespace syncline
