// SPDX-License-Identifier: Apache-2.0
// Tests of work on a few threads: all of it is done, failures come out, limits are borne.
#include "offline/parallel_for.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

namespace syncline {
namespace {

const std::atomic<bool> kNoStop{false};

TEST(ParallelForTest, EachPartIsDoneOnce) {
  std::vector<std::atomic<int>> done(100);
  ParallelFor(done.size(), kNoStop, [&](size_t i) { ++done[i]; });
  for (const auto& count : done) EXPECT_EQ(count.load(), 1);
  ParallelFor(0, kNoStop, [](size_t) { FAIL(); });
  EXPECT_EQ(ThreadsFor(0), 0u);
  EXPECT_EQ(ThreadsFor(1), 1u);
  EXPECT_LE(ThreadsFor(1000), 8u);
}

TEST(ParallelForTest, NoneIsBegunAfterAStop) {
  std::atomic<bool> stop{false};
  std::atomic<size_t> begun{0};
  ParallelFor(1000, stop, [&](size_t) {
    ++begun;
    stop = true;
  });
  EXPECT_GE(begun.load(), 1u);
  EXPECT_LE(begun.load(), ThreadsFor(1000));
}

// Each part fails, on whichever thread it is.
TEST(ParallelForTest, WhatAPartThrowsComesOut) {
  std::atomic<size_t> begun{0};
  const auto fail = [&](size_t) {
    ++begun;
    throw std::runtime_error("the disk burns");
  };
  EXPECT_THROW(ParallelFor(1000, kNoStop, fail), std::runtime_error);
  EXPECT_LE(begun.load(), ThreadsFor(1000));
}

// The child may map less than a thread's stack. A sanitizer maps for itself.
#ifndef SYNCLINE_SANITIZED
void WorkWithoutMoreThreads() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (1 << 20);
  const rlimit limit = {most, most};
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(2);
  try {
    std::thread([] {}).join();
    _exit(3);  // the limit holds nobody
  } catch (const std::system_error&) {
  }
  std::atomic<int> done{0};
  ParallelFor(50, kNoStop, [&](size_t) { ++done; });
  _exit(done == 50 ? 0 : 1);
}

TEST(ParallelForDeathTest, WhereNoThreadCanBeMadeThisOneDoesAll) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a new program: no stack is left from before
  EXPECT_EXIT(WorkWithoutMoreThreads(), ::testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace syncline
