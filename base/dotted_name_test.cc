// SPDX-License-Identifier: Apache-2.0
// Which part of a name is left, how wide it may be, and which texts are no such names.
#include "base/dotted_name.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace syncline {
namespace {

constexpr char kStep[] = "diffusers.schedulers.ddim.DDIMScheduler.step (py)";

TEST(DottedName, LosesItsBeginning) {
  EXPECT_EQ(ShortenedName(kStep, 60), kStep);
  EXPECT_EQ(ShortenedName(kStep, 35), "...ddim.DDIMScheduler.step (py)");
  EXPECT_EQ(ShortenedName(kStep, 26), "...DDIMScheduler.step (py)");
  EXPECT_EQ(ShortenedName(kStep, 25), "...step (py)");
  EXPECT_EQ(ShortenedName("`pipelines.sd.Pipeline.__call__`:", 25), "`...Pipeline.__call__`:");
  EXPECT_EQ(ShortenedName("module.f.<locals>.g", 18), "...f.<locals>.g");
  EXPECT_EQ(ShortenedName("4, diffusers.sd.Pipeline.step (py)", 25), "4, ...Pipeline.step (py)");
}

TEST(DottedName, WithoutRoomLosesItsEnd) {
  EXPECT_EQ(ShortenedName(kStep, 11), "diffuser...");
  EXPECT_EQ(ShortenedName(kStep, 2), "..");
}

TEST(DottedName, OtherTextsLoseTheirEnd) {
  EXPECT_EQ(ShortenedName("train.py:4 forward()", 12), "train.py:...");
  EXPECT_EQ(ShortenedName("void at::native::f<1.5>(float)", 10), "void at...");
  EXPECT_EQ(ShortenedName("a.b/c.d/e.f", 8), "a.b/c...");
  EXPECT_EQ(ShortenedName("aten::mm, train.py:4 forward()", 14), "aten::mm, t...");
  EXPECT_EQ(ShortenedName("", 0), "");
}

TEST(DottedName, NeedsItsLastTwoNames) {
  EXPECT_EQ(LeastColumnsOf(kStep), ColumnsOf("...DDIMScheduler.step (py)"));
  EXPECT_EQ(LeastColumnsOf("module.function"), ColumnsOf("module.function"));
  EXPECT_EQ(LeastColumnsOf("training step"), 13U);
  EXPECT_EQ(LeastColumnsOf(""), 0U);
}

}  // namespace
}  // namespace syncline
