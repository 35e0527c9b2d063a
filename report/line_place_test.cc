// SPDX-License-Identifier: Apache-2.0
// Names of lines as Python, C++ and libraries without lines have them.
#include "report/line_place.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(LinePlace, HasAFileLinesAndAFunction) {
  const LinePlace python = PlaceOf("my folder/train.py:38 main()");
  EXPECT_EQ(python.file, "my folder/train.py");
  EXPECT_EQ(python.line, 38u);
  EXPECT_EQ(python.function, "main()");
  const LinePlace cpp = PlaceOf("solver.cu:15-26 ns::Device::{unnamed}::operator()");
  EXPECT_EQ(cpp.file, "solver.cu");
  EXPECT_EQ(cpp.lines, "15-26");
  EXPECT_EQ(cpp.line, 15u);
  EXPECT_EQ(cpp.function, "ns::Device::{unnamed}::operator()");
}

TEST(LinePlace, IsOfTheUser) {
  const LinePlace place = PlaceOf("a.py:7 <module>, in lightning/fabric.py:9 batch()");
  EXPECT_EQ(place.file, "a.py");
  EXPECT_EQ(place.function, "<module>");
  EXPECT_EQ(place.within, "lightning/fabric.py batch()");
}

TEST(LinePlace, MayHaveNoLine) {
  EXPECT_EQ(PlaceOf("libsolver.so ns::relax()").file, "");
  EXPECT_EQ(PlaceOf("libsolver.so ns::relax()").function, "libsolver.so ns::relax()");
  EXPECT_EQ(PlaceOf("").function, "");
  EXPECT_EQ(PlaceOf("a:b c").line, 0u);
}

}  // namespace
}  // namespace syncline
