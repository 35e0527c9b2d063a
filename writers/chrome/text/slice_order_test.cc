// SPDX-License-Identifier: Apache-2.0
// Slices that look alike stand in the file from the outer one on.
#include "writers/chrome/text/slice_order.h"

#include <gtest/gtest.h>

#include <string>

namespace syncline {
namespace {

class StringSink : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    text += bytes;
    return Status();
  }
  std::string text;
};

class SliceOrderTest : public ::testing::Test {
 protected:
  void Slice(const std::string& name, uint64_t begin, uint64_t end, SliceOrder::Row row = {1, 0}) {
    const uint64_t at = out.text_bytes();
    out.Append(name + " ");
    order.OnSlice(row, begin, end, at);
  }
  std::string Text() {
    out.Flush();
    return sink.text;
  }

  StringSink sink;
  EventBuffer out{&sink};
  SliceOrder order{TimeText{}, &out};
};

TEST_F(SliceOrderTest, TheOuterOfThoseThatLookAlikeComesFirst) {
  Slice("c", 10, 20);
  out.Append("arrow ");
  Slice("b", 10, 20);
  Slice("a", 10, 20);
  Slice("outer", 5, 30);
  EXPECT_EQ(Text(), "a b c arrow outer ");
}

TEST_F(SliceOrderTest, WhatHasNoLengthMayLieBetween) {
  Slice("inner", 10, 20);
  Slice("nothing", 20, 20);
  Slice("outer", 10, 20);
  EXPECT_EQ(Text(), "outer inner nothing ");
}

TEST_F(SliceOrderTest, OthersStayWhereTheyAre) {
  Slice("a", 10, 20);
  Slice("other row", 10, 20, {2, 0});
  Slice("other domain", 10, 20, {2, 1});
  Slice("nothing", 30, 30);
  Slice("nothing again", 30, 30);
  Slice("ends alike", 25, 30);
  Slice("begins alike", 25, 31);
  EXPECT_EQ(Text(), "a other row other domain nothing nothing again ends alike begins alike ");
}

TEST_F(SliceOrderTest, AlikeIsWhatReadersSee) {
  order = SliceOrder(TimeText{TimeUnit::kUs, 0}, &out);
  Slice("inner", 5100, 6100);
  Slice("nothing", 6200, 6900);
  Slice("outer", 5000, 6950);
  EXPECT_EQ(Text(), "outer inner nothing ");
}

TEST_F(SliceOrderTest, AlsoWhereAPieceOfTextEnds) {
  std::string expected;
  for (int i = 0; i < 40; ++i) {
    const std::string name = std::to_string(i) + std::string(50000, '.');
    Slice("inner" + name, 100 * i, 100 * i + 50);
    Slice("outer" + name, 100 * i, 100 * i + 50);
    expected += "outer" + name + " inner" + name + " ";
  }
  EXPECT_EQ(Text(), expected);
}

TEST_F(SliceOrderTest, MoreThanAPieceOfTextThatLooksAlikeIsStillAllThere) {
  size_t bytes = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string name = std::to_string(i) + std::string(50000, '.');
    Slice(name, 10, 20);
    bytes += name.size() + 1;
  }
  EXPECT_EQ(Text().size(), bytes);
}

}  // namespace
}  // namespace syncline
