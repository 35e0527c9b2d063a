// SPDX-License-Identifier: Apache-2.0
// Which part of a trace is meant, and that it is served.
#include "launcher/show/part_source.h"

#include <gtest/gtest.h>

#include "launcher/host/files.h"
#include "model/testing/test_directory.h"

namespace syncline::part_source_test {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

RankManifest TwentySeconds() {
  RankManifest manifest;
  manifest.begin_ns = 100 * kSecond;
  manifest.end_ns = 120 * kSecond;
  return manifest;
}

struct Chosen {
  Chosen(const std::string& last, const std::string& around, const std::string& at)
      : ok(ChoosePart(last, around, at, TwentySeconds(), &part, &error)) {}
  PartOfRank part;
  std::string error;
  bool ok;
};

TEST(PartSourceTest, TheLastOfARank) {
  const Chosen last("5s", "", "");
  EXPECT_TRUE(last.ok);
  EXPECT_EQ(last.part.begin_ns, 15 * kSecond);
  EXPECT_EQ(last.part.end_ns, 20 * kSecond);
  EXPECT_EQ(Chosen("100", "", "").part.begin_ns, 0u);
}

TEST(PartSourceTest, AroundAMoment) {
  const Chosen around("", "4s", "3s");
  EXPECT_TRUE(around.ok);
  EXPECT_EQ(around.part.begin_ns, 1 * kSecond);
  EXPECT_EQ(around.part.end_ns, 5 * kSecond);
  EXPECT_EQ(Chosen("", "10s", "1s").part.begin_ns, 0u);
  EXPECT_EQ(Chosen("", "10s", "19s").part.end_ns, 20 * kSecond);
}

TEST(PartSourceTest, WhatMeansNothingIsRefused) {
  EXPECT_NE(Chosen("x", "", "").error, "");
  EXPECT_NE(Chosen("0", "", "").error, "");
  EXPECT_NE(Chosen("", "5s", "").error, "");
  EXPECT_NE(Chosen("5s", "5s", "1s").error, "");
  const Chosen nothing("", "", "1s");
  EXPECT_FALSE(nothing.ok);
  EXPECT_EQ(nothing.error, "");
}

TEST(PartSourceTest, APartIsServedWithItsLength) {
  const TestDirectory directory;
  const std::string path = directory.Write(
      "rank-0.trace.json",
      "{\n\"baseTimeNanoseconds\": 0,\n\"traceEvents\": [\n"
      "{\"ph\": \"X\", \"name\": \"a\", \"ts\": 101000000.0, \"dur\": 1.0},\n"
      "{\"ph\": \"X\", \"name\": \"b\", \"ts\": 119000000.0, \"dur\": 1.0}\n]\n}\n");
  std::string error;
  const auto sent = [&](const PartOfRank& part) {
    const auto source = OpenTracePart(path, TwentySeconds(), part, &error);
    std::string bytes;
    EXPECT_NE(source, nullptr) << error;
    if (source == nullptr) return bytes;
    EXPECT_EQ(source->name(), "part-of-rank-0.trace.json");
    EXPECT_TRUE(source->Send([&](const char* data, size_t count) {
      bytes.append(data, count);
      return true;
    }));
    EXPECT_EQ(bytes.size(), source->bytes());
    return bytes;
  };
  const std::string some = sent({15 * kSecond, 20 * kSecond}), all = sent({0, 20 * kSecond});
  EXPECT_TRUE(some.starts_with("\x1f\x8b"));
  EXPECT_LT(some.size(), all.size());
  EXPECT_EQ(OpenTracePart(directory.Write("no.json", "{}\n"), TwentySeconds(), {}, &error),
            nullptr);
  EXPECT_NE(error.find("no trace of ours"), std::string::npos) << error;
}

}  // namespace
}  // namespace syncline::part_source_test
