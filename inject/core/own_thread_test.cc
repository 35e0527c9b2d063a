// SPDX-License-Identifier: Apache-2.0
// A process ends with its last thread that is not ours, as it would without ours. Each case in a
// process of its own, which is killed where the end is missing: an alarm would find nobody to take
// it.
#include "inject/core/own_thread.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "inject/core/sanitizer.h"
#include "inject/core/sys.h"

namespace syncline {
namespace {

constexpr size_t kStackBytes = 1 << 20;
constexpr int kLeftByHandler = 7;  // exit was called
constexpr int kMostSeconds = 20;
constexpr int kWentOn = 3;
constexpr int kCutOff = 4;   // exit was called while a handler of the program ran
constexpr int kStopped = 5;  // a handler waited for a thread of ours

std::atomic<int> g_status{kLeftByHandler};

std::atomic<int> g_rounds;

// A thread of ours that never ends.
void* Stay(void*) {
  for (;; ++g_rounds) {
    SysSleepNs(kLookForEndEveryNs / 10);
    if (MustLookForEnd()) EndProcessIfLast();
  }
}

void* ComeAndGo(void*) { return nullptr; }

void* EndSoon(void*) {
  SysSleepNs(kLookForEndEveryNs / 10);
  return nullptr;
}

void* WorkOn(void*) {
  usleep(50'000);
  return nullptr;
}

// As a vendor's threads end that do not return, and do not look.
void* Leave(void*) { pthread_exit(nullptr); }
void* SleepOn(void*) {
  for (;;) pause();
}

void Start(void* (*run)(void*)) { (void)StartOwnThread(run, nullptr, kStackBytes, 4096); }

void StartProgramsThread(void* (*run)(void*)) {
  pthread_t thread;
  if (pthread_create(&thread, nullptr, run, nullptr) == 0) pthread_detach(thread);
}

void StartVendors(void* (*run)(void*), bool cancel = false) {
  pthread_t thread;
  if (CreateUncounted(&thread, nullptr, run, nullptr) != 0) return;
  if (cancel) pthread_cancel(thread);
  if (cancel || run == Leave) {
    pthread_join(thread, nullptr);
  } else {
    pthread_detach(thread);
  }
}

// What the first thread does before it leaves.
void Two() {
  Start(Stay);
  Start(Stay);
}
void Worker() {
  Start(Stay);
  StartProgramsThread(WorkOn);
}
void ShortOnes() {
  for (int i = 0; i < 10; ++i) Start(ComeAndGo);
  usleep(20'000);
  Start(Stay);
}
void GoesOn() {
  Start(Stay);
  Start(ComeAndGo);
  StartVendors(Leave);
  StartVendors(SleepOn, true);
  StartProgramsThread([](void*) -> void* {
    usleep(300'000);
    _exit(kWentOn);
  });
}
void Hidden() {
  Two();
  Worker();
}

// The first thread leaves before what it starts has begun. The unwinder is there already.
void OnOneProcessor() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<size_t>(sched_getcpu()), &one);
  sched_setaffinity(0, sizeof(one), &one);
  StartVendors(Leave);
}
void Leaves() {
  OnOneProcessor();
  StartVendors(SleepOn);
}
void OursLeaves() {
  OnOneProcessor();
  Start([](void*) -> void* {
    StartVendors(SleepOn);
    return SleepOn(nullptr);
  });
}

// `main` has left, and its last line has run. What another thread locks of AddressSanitizer's
// allocator while one forks stays locked in the child.
void AwaitLeft() {
  char stat_line[1024];
  const char* state = nullptr;
  do {
    usleep(1'000);
    if (ReadSmallFile("/proc/self/stat", stat_line, sizeof(stat_line)) <= 0) _exit(kWentOn);
    state = std::strrchr(stat_line, ')');
  } while (state == nullptr || state[2] != 'Z');
}

// The thread that forks is the child's only one, and counted there.
std::atomic<bool> g_sleeps;
void* Fork(void*) {
  while (!g_sleeps) usleep(1'000);
  AwaitLeft();
  const pid_t child = fork();
  if (child == 0) return nullptr;
  int status = -1;
  waitpid(child, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
void VendorForks() {
  StartVendors(Fork);
  StartProgramsThread([](void*) -> void* {
    g_sleeps = true;
    return SleepOn(nullptr);
  });
}

// The loader's lock is held while its creator waits for it.
std::atomic<bool> g_began;
void Loads() {
  if (dlopen(SYNCLINE_TEST_LOADED, RTLD_NOW) == nullptr || !g_began) _exit(kWentOn);
}

// A handler during which threads of ours begin and end.
void Exits() {
  atexit([] {
    g_status = kCutOff;
    for (auto* run : {Stay, ComeAndGo, EndSoon}) Start(run);
    SysSleepNs(3 * kLookForEndEveryNs);
    g_status = kLeftByHandler;
  });
  Start(EndSoon);
  Start(Stay);
}

// A handler that waits for the one thread that can see the process's end.
void Helps() {
  atexit([] {
    const int before = g_rounds;
    g_status = kStopped;
    for (int i = 0; i < 100 && g_rounds < before + 2; ++i) SysSleepNs(kLookForEndEveryNs / 10);
    if (g_rounds >= before + 2) g_status = kLeftByHandler;
  });
  Start(Stay);
}

// Of the two processes the child leaves so.
void Forked() {
  Two();
  usleep(20'000);
  const pid_t child = fork();
  if (child == 0) {
    ForgetOwnThreads();
    return Start(Stay);
  }
  int status = -1;
  waitpid(child, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

struct Case {
  const char* name;
  void (*body)();
  bool hidden;  // the count, as in glibc before 2.34
} constexpr kCases[] = {{"two", Two, false},
                        {"worker", Worker, false},
                        {"short ones", ShortOnes, false},
                        {"goes on", GoesOn, false},
                        {"leaves", Leaves, false},
                        {"ours leaves", OursLeaves, false},
                        {"vendor forks", VendorForks, false},
                        {"loads", Loads, false},
                        {"exits", Exits, false},
                        {"hidden", Hidden, true},
                        {"forked", Forked, true},
                        {"hidden goes on", GoesOn, true},
                        {"hidden exits", Exits, true},
                        {"hidden helps", Helps, true}};

class OwnThread : public testing::Test {
 protected:
  void SetUp() override {
#if defined(SYNCLINE_TSAN)
    GTEST_SKIP() << "its programs do not end after `main` left, also without us";
#endif
  }
};

// How a process ends whose first thread leaves after the case's body.
int StatusOf(const char* name) {
  const pid_t child = fork();
  if (child == 0) {
    execl("/proc/self/exe", "own_thread_test", name, nullptr);
    _exit(1);
  }
  int status = -1;
  for (int i = 0; i < kMostSeconds * 100 && waitpid(child, &status, WNOHANG) == 0; ++i)
    usleep(10'000);
  if (status == -1) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -status;
}

TEST_F(OwnThread, DoesNotOutliveTheFirstThread) { EXPECT_EQ(StatusOf("two"), kLeftByHandler); }

TEST_F(OwnThread, DoesNotOutliveTheProgramsOtherThreads) {
  EXPECT_EQ(StatusOf("worker"), kLeftByHandler);
}

TEST_F(OwnThread, OneThatEndsIsCountedOffOnce) {
  EXPECT_EQ(StatusOf("short ones"), kLeftByHandler);
}

TEST_F(OwnThread, DoesNotEndAProcessWhoseThreadsGoOn) {
  EXPECT_EQ(StatusOf("goes on"), kWentOn);
  EXPECT_EQ(StatusOf("hidden goes on"), kWentOn);
}

TEST_F(OwnThread, EndsTheProcessWhoseLastThreadLeftBeforeItBegan) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_EQ(StatusOf("leaves"), kLeftByHandler);
    ASSERT_EQ(StatusOf("ours leaves"), kLeftByHandler);
  }
}

TEST_F(OwnThread, IsCountedInAChildThatItForks) {
  EXPECT_EQ(StatusOf("vendor forks"), kLeftByHandler);
}

TEST_F(OwnThread, BeginsWhileTheLoadersLockIsHeld) { EXPECT_EQ(StatusOf("loads"), kLeftByHandler); }

TEST_F(OwnThread, OfAParentIsNotTheChilds) { EXPECT_EQ(StatusOf("forked"), kLeftByHandler); }

TEST_F(OwnThread, LooksWhereTheCountIsNotShown) { EXPECT_EQ(StatusOf("hidden"), kLeftByHandler); }

TEST_F(OwnThread, DoesNotCutOffTheProgramsExitHandlers) {
  EXPECT_EQ(StatusOf("exits"), kLeftByHandler);
  EXPECT_EQ(StatusOf("hidden exits"), kLeftByHandler);
}

TEST_F(OwnThread, GoesOnWhileItsProcessEnds) {
  EXPECT_EQ(StatusOf("hidden helps"), kLeftByHandler);
}

}  // namespace
}  // namespace syncline

// Called by the library that Loads opens, while it is loaded.
extern "C" __attribute__((visibility("default"))) void OnLoad() {
  syncline::StartVendors([](void*) -> void* {
    syncline::g_began = true;
    return nullptr;
  });
  for (int i = 0; i < 500 && !syncline::g_began; ++i) usleep(10'000);
}

// Not in a test: gtest would catch what pthread_exit throws.
int main(int argc, char** argv) {
  for (const auto& one : syncline::kCases) {
    if (argc != 2 || std::strcmp(argv[1], one.name) != 0) continue;
    if (!one.hidden) syncline::PrepareOwnThreads();
    atexit([] { _exit(syncline::g_status); });
    one.body();
    pthread_exit(nullptr);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
