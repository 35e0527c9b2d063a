// SPDX-License-Identifier: Apache-2.0
// Digits that say which of two values is larger.
#include "contract/told_apart.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace syncline {
namespace {

std::string Told(const char* measure, double measured, double bound) {
  const ToldApart told = TellApart(*FindMeasure(measure), measured, bound);
  return Text(told.measured, " | ", told.bound);
}

TEST(ToldApartTest, AsManyDigitsAsItTakes) {
  EXPECT_EQ(Told("step", 4.004e6, 4e6), "4.004 ms | 4.000 ms");
  EXPECT_EQ(Told("step", 1e9 + 1, 1e9), "1.000000001 s | 1.000000000 s");
  EXPECT_EQ(Told("step", 999'999, 1e6), "0.999999 ms | 1.000000 ms");
  EXPECT_EQ(Told("step", 1e6, 1e6 + 0.25), "1.0000000 ms | 1.0000003 ms");
  EXPECT_EQ(Told("peak_memory", 1073741825, 1073741824), "1.000000001 GiB | 1.000000000 GiB");
  EXPECT_EQ(Told("gpu_busy", 0.8049, 0.805), "80.49 % | 80.50 %");
  EXPECT_EQ(Told("waits_per_step", 0.0001, 0), "0.0001 | 0.0000");
  EXPECT_EQ(Told("waits_per_step", 1, 1.0004), "1.0000 | 1.0004");
}

TEST(ToldApartTest, NoMoreThanThat) {
  EXPECT_EQ(Told("step", 4e6, 4e6), "4.00 ms | 4.00 ms");
  EXPECT_EQ(Told("step", 10e6, 9e6), "10.0 ms | 9.00 ms");
  EXPECT_EQ(Told("waits_per_step", 3, 2), "3 | 2");
  EXPECT_EQ(Told("steps", 0, 0), "0 | 0");
}

}  // namespace
}  // namespace syncline
