// SPDX-License-Identifier: Apache-2.0
// Tests of when collectors are called: two made-up ones, in processes of their own.
#include "inject/runtime/collector_calls.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "inject/core/clock.h"
#include "inject/core/collect_list.h"
#include "inject/core/helper_thread.h"
#include "inject/core/sys.h"
#include "inject/runtime/in_process_consumer.h"
#include "inject/runtime/mapped_libraries.h"
#include "inject/runtime/test_support.h"

namespace syncline {
namespace {

// Of glibc, without an initialiser, and nothing that the test is linked to.
constexpr char kLibrary[] = "libBrokenLocale.so.1";

std::atomic<int> g_starts[2];
int g_forks;

CollectorDescription& One(StartAt at) {
  CollectorDescription& one = g_test_collectors[0];
  one.start_at = at;
  one.start = [] {
    ++g_starts[0];
    errno = EBADF;
  };
  one.fork_child = [] { ++g_forks; };
  return one;
}

// What a library's appearance starts runs on a thread of its own.
void AwaitStart() {
  while (g_starts[0] == 0) std::this_thread::yield();
}

TEST(CollectorCalls, AtTheFirstRecordOnceAProcess) {
  Recorded([](Recording&) {
    One(StartAt::kFirstRecord);
    StartCollectorsOfProcess();
    EXPECT_EQ(g_starts[0], 0);
    EXPECT_EQ(FindProcess(), nullptr) << "a process that records nothing has nothing";
    errno = 0;
    ASSERT_TRUE(Push("first"));
    EXPECT_EQ(errno, 0);
    std::thread([] { Push("of another thread"); }).join();
    EXPECT_EQ(g_starts[0], 1);
  });
}

TEST(CollectorCalls, AtTheProcessesStart) {
  Recorded([](Recording& recording) {
    One(StartAt::kProcessStart);
    StartCollectorsOfProcess();
    EXPECT_EQ(g_starts[0], 1);
    EXPECT_EQ(recording.process()->state.load(), SessionState::kOff) << "nothing is recorded yet";
    ASSERT_TRUE(Push("first"));
    EXPECT_EQ(g_starts[0], 1);
  });
}

TEST(CollectorCalls, WhenTheLibraryIsLoaded) {
  Recorded([](Recording&) {
    One(StartAt::kFirstRecord).at_load = [] { ++g_starts[1]; };
    StartCollectorsOfProcess();
    EXPECT_EQ(g_starts[1], 1);
    EXPECT_EQ(FindProcess(), nullptr) << "nothing is made for it";
    ASSERT_TRUE(Push("first"));
    EXPECT_EQ(g_starts[1], 1);
  });
}

TEST(CollectorCalls, NotWhenTheLibraryIsLoadedIfTheUserChoseOthers) {
  InOwnProcess([] {
    Recording recording({"SYNCLINE_COLLECT=two"});
    One(StartAt::kFirstRecord).at_load = [] { ++g_starts[1]; };
    StartCollectorsOfProcess();
    EXPECT_EQ(g_starts[1], 0);
  });
}

TEST(CollectorCalls, NotIfTheUserChoseOthers) {
  InOwnProcess([] {
    Recording recording({"SYNCLINE_COLLECT=two"});
    One(StartAt::kProcessStart).flush = [](uint64_t) { ++g_starts[0]; };
    StartCollectorsOfProcess();
    ASSERT_TRUE(Push("first"));
    FlushCollectors();
    EXPECT_EQ(g_starts[0], 0);
  });
}

TEST(CollectorCalls, ListsOfNames) {
  struct {
    const char* list;
    bool one, two;
  } const lists[] = {
      {"", true, true},         {"one", true, false},        {"one,two", true, true},
      {" two , ", false, true}, {"two,two", false, true},    {"two, one", true, true},
      {"all", true, true},      {"two,all", true, true},     {",", true, true},
      {"tow", true, true},      {"tow,two", false, true},    {"one two", true, true},
      {"onetwo", true, true},   {"one,\tnone", true, false}, {"ONE,two", false, true},
  };
  for (const auto& [list, one, two] : lists) {
    EXPECT_EQ(IsCollected(list, "one"), one) << list;
    EXPECT_EQ(IsCollected(list, "two"), two) << list;
  }
}

TEST(CollectorCalls, WhatNoCollectorIsCalledIsToldInTheLog) {
  InOwnProcess([] {
    Recording recording({"SYNCLINE_COLLECT=tow,one, three"});
    ASSERT_TRUE(Push("first"));
    const SegmentHeader* header = recording.header();
    const std::string log(header->log, header->log_bytes.load());
    EXPECT_NE(
        log.find("ignored in SYNCLINE_COLLECT, because no collector has this name: tow, three"),
        std::string::npos)
        << log;
  });
}

TEST(CollectorCalls, WhenALibraryIsThereAtTheStart) {
  Recorded([](Recording&) {
    One(StartAt::kLibrary).libraries[0] = "libnowhere.so.1";
    StartCollectorsOfProcess();
    EXPECT_EQ(g_starts[0], 0);
    g_test_collectors[0].libraries[1] = "libc.so.6";
    StartCollectorsOfProcess();
    EXPECT_EQ(g_starts[0], 1);
  });
}

TEST(CollectorCalls, WhenALibraryIsOpenedAndAThreadBeginsToRecord) {
  Recorded([](Recording&) {
    One(StartAt::kLibrary).libraries[0] = kLibrary;
    StartCollectorsOfProcess();
    ASSERT_TRUE(Push("first"));
    ASSERT_NE(dlopen(kLibrary, RTLD_LAZY), nullptr);
    EXPECT_EQ(g_starts[0], 0) << "nobody has looked";
    std::thread([] { Push("of another thread"); }).join();
    AwaitStart();
    std::thread([] { Push("of a third thread"); }).join();
    EXPECT_EQ(g_starts[0], 1);
  });
}

TEST(CollectorCalls, WhenALibraryIsOpenedAndHalfARingIsUsed) {
  Recorded([](Recording& recording) {
    One(StartAt::kLibrary).libraries[0] = kLibrary;
    ASSERT_TRUE(Push("first"));
    ASSERT_NE(dlopen(kLibrary, RTLD_LAZY), nullptr);
    const uint64_t half_ring = kMinRingBytes / 2 / sizeof(RangeRecord);
    for (uint64_t i = 0; i < half_ring; ++i) {
      Push("more");
      Pop();
      recording.Drain();
    }
    AwaitStart();
    EXPECT_EQ(g_starts[0], 1);
    EXPECT_EQ(recording.Lost(kLoss_nested_signal), 0u);
  });
}

// The loader may be busy on behalf of the very thread whose hook noticed the library.
TEST(CollectorCalls, AStartThatWaitsForTheLoaderHoldsUpNobody) {
  InOwnProcess([] {
    static std::atomic<bool> g_go_on;
    Recording recording;
    One(StartAt::kLibrary).libraries[0] = kLibrary;
    g_test_collectors[0].start = [] {
      while (!g_go_on) std::this_thread::yield();
      ++g_starts[0];
    };
    ASSERT_TRUE(Push("first"));
    ASSERT_NE(dlopen(kLibrary, RTLD_LAZY), nullptr);
    std::thread([] { EXPECT_TRUE(Push("of another thread")); }).join();
    EXPECT_EQ(g_starts[0], 0);
    g_go_on = true;
    AwaitStart();
  });
}

TEST(CollectorCalls, AForksChildStartsWhatItsParentFound) {
  InOwnProcess([] {
    RememberLoadingProcess();
    Recording recording;
    One(StartAt::kLibrary).libraries[0] = "libc.so.6";
    StartCollectorsOfProcess();
    g_test_collectors[1].start_at = StartAt::kLibrary;
    g_test_collectors[1].libraries[0] = kLibrary;
    g_test_collectors[1].start = [] { ++g_starts[1]; };
    ASSERT_NE(dlopen(kLibrary, RTLD_LAZY), nullptr);
    ExpectInChild([] { return static_cast<long>(fork()); },
                  [] {
                    if (!Push("of the child")) return false;
                    while (g_starts[0] < 2) std::this_thread::yield();
                    return g_starts[1] == 0;  // it does not look
                  });
  });
}

TEST(CollectorCalls, LibrariesAreKnownBySoname) {
  const char* const names[] = {"libc.so.6", nullptr, "libnowhere.so.1"};
  EXPECT_TRUE(IsMapped(names, 3));
  EXPECT_FALSE(IsMapped(names + 1, 2)) << "the list ends at the first null";
  EXPECT_FALSE(IsMapped(names + 2, 1));
  const char* const part[] = {"libc.so"};
  EXPECT_FALSE(IsMapped(part, 1));
}

// A child's global variables are its own copies.
TEST(CollectorCalls, AForksChildForgetsAndStartsAgain) {
  Recorded([](Recording&) {
    One(StartAt::kProcessStart);
    StartCollectorsOfProcess();
    ExpectInChild([] { return static_cast<long>(fork()); },
                  [] {
                    const bool told = g_forks == 1 && g_starts[0] == 1;
                    return Push("of the child") && told && g_starts[0] == 2;
                  });
    EXPECT_EQ(g_forks, 0);
    ASSERT_TRUE(Push("first"));
    EXPECT_EQ(g_starts[0], 1);
  });
}

uint64_t g_until[2];

TEST(CollectorCalls, AllShareOneSecondAtExit) {
  Recorded([](Recording&) {
    g_test_collectors[0].flush = [](uint64_t until_ns) { g_until[0] = until_ns; };
    g_test_collectors[1].flush = [](uint64_t until_ns) { g_until[1] = until_ns; };
    const uint64_t before = MonotonicNs();
    FlushCollectors();
    EXPECT_GE(g_until[0], before + 1'000'000'000);
    EXPECT_LE(g_until[0], MonotonicNs() + 1'000'000'000);
    EXPECT_EQ(g_until[1], g_until[0]) << "what one takes the next one lacks";
  });
}

TEST(CollectorCalls, AHelperEndsAtExit) {
  InOwnProcess([] {
    ASSERT_TRUE(StartHelper(1, "test", [] { return kAtTheBell; }));
    FlushCollectors();
    while (HelperRuns(1)) std::this_thread::yield();
  });
}

}  // namespace
}  // namespace syncline
