// SPDX-License-Identifier: Apache-2.0
// What is written is read again, and of a damaged file what stands before the damage.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "base/text.h"
#include "model/run/host_samples.h"
#include "model/testing/test_directory.h"
#include "sampler/sample_writer.h"

namespace syncline {
namespace {

HostSample Sample(uint32_t tid, uint32_t stack, ThreadState state = ThreadState::kRunning) {
  HostSample sample{};
  sample.pid = 7;
  sample.tid = tid;
  sample.stack = stack;
  sample.system_call = kNoSystemCall;
  sample.state = static_cast<uint32_t>(state);
  return sample;
}

// Two threads: one that does two things, and one that holds the lock.
std::string Written() {
  TestDirectory directory;
  const std::string path = directory / "a.samples";
  SampleWriter writer;
  EXPECT_EQ(writer.Open(path, 100), 0);
  const uint32_t f = writer.Code("a.py", "f"), g = writer.Code("b.py", "g");
  EXPECT_EQ(writer.Code("a.py", "f"), f);
  const uint32_t one = writer.Stack({{f, 3}, {g, 9}}, false), two = writer.Stack({{g, 4}}, true);
  EXPECT_EQ(writer.Stack({{g, 4}}, true), two);
  for (uint64_t at = 100; at <= 500; at += 100) writer.Add(at, Sample(8, one));
  HostSample waits = Sample(8, two, ThreadState::kWaitsForGil);
  waits.holder = one;
  writer.Add(600, waits);
  writer.Add(600, Sample(9, two));
  SampleCounts counts{};
  counts.samples = 7;
  writer.Finish(counts);
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string TextOf(const HostSamples& samples, uint32_t tid, uint64_t begin, uint64_t end) {
  std::string text;
  samples.Each(7, tid, begin, end, [&](const HostSample& sample, uint64_t count) {
    text += Text(count, "x");
    const CodeStack* stack = samples.StackOf(sample.stack);
    for (size_t i = 0; stack != nullptr && i < stack->frames.size(); ++i) {
      const CodeStack::Frame* frame = stack->frames[i];
      text += Text(" ", frame->file, ":", frame->line, frame->function);
    }
    if (const CodeStack* holder = samples.StackOf(sample.holder);
        holder != nullptr && !holder->frames.empty())
      text += Text(" held by ", holder->frames[0]->function);
    text += "; ";
  });
  return text;
}

TEST(SampleFile, IsReadAsItWasWritten) {
  HostSamples samples;
  ASSERT_TRUE(samples.Add(Written()));
  EXPECT_EQ(samples.facts().hertz, 100u);
  EXPECT_TRUE(samples.facts().has_counts);
  EXPECT_EQ(samples.facts().counts.samples, 7u);
  EXPECT_EQ(TextOf(samples, 8, 0, 1000), "5x a.py:3f b.py:9g; 1x b.py:4g held by f; ");
  EXPECT_EQ(TextOf(samples, 9, 0, 1000), "1x b.py:4g; ");
  EXPECT_EQ(TextOf(samples, 10, 0, 1000), "");
}

TEST(SampleFile, OfARowThoseWithinTheTimeCount) {
  HostSamples samples;
  ASSERT_TRUE(samples.Add(Written()));
  EXPECT_EQ(TextOf(samples, 8, 150, 400), "2x a.py:3f b.py:9g; ");
  EXPECT_EQ(TextOf(samples, 8, 100, 101), "1x a.py:3f b.py:9g; ");
  EXPECT_EQ(TextOf(samples, 8, 101, 200), "");
  EXPECT_EQ(TextOf(samples, 8, 500, 601), "1x a.py:3f b.py:9g; 1x b.py:4g held by f; ");
}

TEST(SampleFile, NumbersOfTwoFilesAreTwo) {
  HostSamples samples;
  ASSERT_TRUE(samples.Add(Written()));
  ASSERT_TRUE(samples.Add(Written()));
  EXPECT_EQ(TextOf(samples, 9, 0, 1000), "1x b.py:4g; 1x b.py:4g; ");
}

TEST(SampleFile, DamageEndsIt) {
  const std::string whole = Written();
  for (size_t bytes = 0; bytes < whole.size(); ++bytes) {
    HostSamples samples;
    samples.Add(std::string_view(whole).substr(0, bytes));
    EXPECT_FALSE(samples.facts().has_counts);
  }
  std::minstd_rand random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = whole;
    for (int j = 0; j < 3; ++j)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    HostSamples samples;
    if (samples.Add(damaged)) TextOf(samples, 8, 0, UINT64_MAX);
  }
}

// As on a full disk: each sample is in the file or counted.
TEST(SampleFile, WhatHasNoRoomIsCounted) {
  constexpr uint64_t kSamples = 20000;
  constexpr rlim_t kRoom = 100000;
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small = {kRoom, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  TestDirectory directory;
  uint64_t left_out = 0;
  {
    SampleWriter writer;
    ASSERT_EQ(writer.Open(directory / "x.samples", 200), 0);
    setrlimit(RLIMIT_FSIZE, &small);
    for (uint64_t i = 0; i < kSamples; ++i) {
      HostSample sample{};
      sample.pid = sample.tid = 8;
      sample.system_call = static_cast<uint32_t>(i);  // none is like the one before
      writer.Add(i, sample);
    }
    writer.Finish({});
    setrlimit(RLIMIT_FSIZE, &before);
    left_out = writer.left_out();
  }
  std::signal(SIGXFSZ, SIG_DFL);
  HostSamples samples;
  ASSERT_TRUE(samples.AddFile(directory / "x.samples"));
  uint64_t there = 0;
  samples.Each(8, 8, 0, UINT64_MAX, [&](const HostSample&, uint64_t count) { there += count; });
  EXPECT_GT(there, 0u);
  EXPECT_GT(left_out, 0u);
  EXPECT_EQ(there + left_out, kSamples);
}

TEST(SampleFile, AnotherFileIsNone) {
  HostSamples samples;
  EXPECT_FALSE(samples.Add("SYNCSMP2 and more of what is no header"));
  EXPECT_FALSE(samples.AddFile("/no/such/file"));
  EXPECT_TRUE(samples.empty());
}

}  // namespace
}  // namespace syncline
