// SPDX-License-Identifier: Apache-2.0
// Push/pop ranges and marks through the vendor's headers: names, nesting, attributes, misuse.
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <string>
#include <thread>

#include "collectors/nvtx/test_client.h"
#include "inject/core/clock.h"

namespace syncline::test {
namespace {

// Before main, as libraries do.
struct StaticRange {
  StaticRange() {
    level = nvtxRangePushA("from a static initialiser");
    nvtxRangePop();
    trace = ReadTrace();
  }
  int level = -99;
  Trace trace;
} g_static_range;

class PushPop : public NvtxTest {};

TEST_F(PushPop, WorksInStaticInitialisers) {
  EXPECT_EQ(g_static_range.level, 0);
  EXPECT_EQ(g_static_range.trace.errors, std::vector<std::string>());
  g_static_range.trace.One(RecordKind::kRange, "from a static initialiser");
  EXPECT_EQ(g_static_range.trace.errors, std::vector<std::string>());
}

TEST_F(PushPop, NestsAndReturnsLevels) {
  const uint64_t before = Ticks();
  EXPECT_EQ(nvtxRangePushA("outer"), 0);
  EXPECT_EQ(nvtxRangePushA("inner"), 1);
  EXPECT_EQ(nvtxRangePop(), 1);
  EXPECT_EQ(nvtxRangePushA("second"), 1);
  EXPECT_EQ(nvtxRangePop(), 1);
  EXPECT_EQ(nvtxRangePop(), 0);
  const uint64_t after = Ticks();
  Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 3u);
  const TraceEvent outer = trace.One(RecordKind::kRange, "outer");
  const TraceEvent inner = trace.One(RecordKind::kRange, "inner");
  const TraceEvent second = trace.One(RecordKind::kRange, "second");
  EXPECT_LE(before, outer.begin);
  EXPECT_LE(outer.begin, inner.begin);
  EXPECT_LE(inner.begin, inner.end);
  EXPECT_LE(inner.end, second.begin);
  EXPECT_LE(second.end, outer.end);
  EXPECT_LE(outer.end, after);
  EXPECT_EQ(outer.depth, 0);
  EXPECT_EQ(inner.depth, 1);
  EXPECT_EQ(inner.domain, "");
  EXPECT_EQ(inner.tid, static_cast<uint32_t>(gettid()));
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(PushPop, KeepsDomainsApart) {
  nvtxDomainHandle_t one = nvtxDomainCreateA("one");
  nvtxDomainHandle_t two = nvtxDomainCreateW(L"zw\u00f6lf");
  nvtxDomainHandle_t twin = nvtxDomainCreateA("one");
  ASSERT_NE(one, nullptr);
  EXPECT_NE(one, twin);
  const nvtxEventAttributes_t attributes = Attributes("range");
  for (int i = 0; i < 3; ++i) {  // the first time defines, the others find
    EXPECT_EQ(nvtxDomainRangePushEx(one, &attributes), 0);
    EXPECT_EQ(nvtxDomainRangePushEx(two, &attributes), 0);
    EXPECT_EQ(nvtxDomainRangePushEx(two, &attributes), 1);
    EXPECT_EQ(nvtxDomainRangePop(two), 1);
    EXPECT_EQ(nvtxRangePushA("default"), 0);
    EXPECT_EQ(nvtxDomainRangePushEx(one, &attributes), 1);
    EXPECT_EQ(nvtxDomainRangePushEx(twin, &attributes), 0);
    EXPECT_EQ(nvtxDomainRangePop(twin), 0);
    EXPECT_EQ(nvtxDomainRangePop(one), 1);
    EXPECT_EQ(nvtxDomainRangePop(two), 0);  // crosses the default domain's range
    EXPECT_EQ(nvtxRangePop(), 0);
    EXPECT_EQ(nvtxDomainRangePop(one), 0);
  }
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 18u);
  for (size_t i = 6; i < 18; ++i) {
    EXPECT_EQ(trace.events[i].name, trace.events[i - 6].name);
    EXPECT_EQ(trace.events[i].domain_number, trace.events[i - 6].domain_number);
  }
  EXPECT_EQ(trace.events[1].domain, "one");
  EXPECT_EQ(trace.events[2].domain, "one");
  EXPECT_NE(trace.events[1].domain_number, trace.events[2].domain_number);
  EXPECT_EQ(trace.events[3].domain, "zw\xc3\xb6lf");
  EXPECT_EQ(trace.events[3].flags, kCrossing);
  EXPECT_EQ(trace.events[4].name, "default");
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(PushPop, RecordsMoreDomainsThanAThreadRemembers) {
  std::vector<nvtxDomainHandle_t> domains;
  for (int i = 0; i < 100; ++i)
    domains.push_back(nvtxDomainCreateA(("domain " + std::to_string(i)).c_str()));
  const nvtxEventAttributes_t attributes = Attributes("in many");
  for (nvtxDomainHandle_t domain : domains)
    EXPECT_EQ(nvtxDomainRangePushEx(domain, &attributes), 0);
  for (nvtxDomainHandle_t domain : domains) EXPECT_EQ(nvtxDomainRangePop(domain), 0);
  for (nvtxDomainHandle_t domain : domains) EXPECT_LT(nvtxDomainRangePop(domain), 0);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 100u);
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(trace.events[static_cast<size_t>(i)].domain, "domain " + std::to_string(i));
  EXPECT_EQ(Losses(kLoss_unbalanced_pop), 100u);
  EXPECT_EQ(AllLosses(), 100u);
}

TEST_F(PushPop, CountsUnbalancedPops) {
  EXPECT_LT(nvtxRangePop(), 0);
  EXPECT_NE(nvtxRangePop(), NVTX_NO_PUSH_POP_TRACKING);
  nvtxRangePushA("here");
  std::thread([] {
    EXPECT_LT(nvtxRangePop(), 0);
    EXPECT_LT(nvtxDomainRangePop(nvtxDomainCreateA("never pushed")), 0);
  }).join();
  EXPECT_EQ(nvtxRangePop(), 0);
  EXPECT_LT(nvtxRangePop(), 0);
  EXPECT_EQ(Losses(kLoss_unbalanced_pop), 5u);
  EXPECT_EQ(ReadTrace().events.size(), 1u);
}

TEST_F(PushPop, BoundsTheDepth) {
  for (uint32_t i = 0; i < kMaxOpenRanges; ++i)
    ASSERT_EQ(nvtxRangePushA("deep"), static_cast<int>(i));
  EXPECT_LT(nvtxRangePushA("too deep"), 0);
  nvtxRangePop();
  for (int i = kMaxOpenRanges - 1; i >= 0; --i) ASSERT_EQ(nvtxRangePop(), i);
  EXPECT_EQ(ReadTrace().events.size(), kMaxOpenRanges);
  EXPECT_EQ(Losses(kLoss_too_deep), 1u);
  EXPECT_EQ(AllLosses(), 1u);
}

TEST_F(PushPop, CountsWhatAFullRingLoses) {
  nvtxRangePushA("recorded");
  nvtxRangePop();
  LimitRings(0);
  EXPECT_EQ(nvtxRangePushA("recorded"), 0);
  EXPECT_EQ(nvtxRangePop(), 0);  // no room for the range
  EXPECT_EQ(nvtxRangePushA("a new name"), 0);
  EXPECT_EQ(nvtxRangePop(), 0);  // no room for its name
  nvtxMarkA("recorded");
  nvtxMarkA("another new name");
  LimitRings(1 << 20);
  nvtxRangePushA("a new name");
  nvtxRangePop();
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.events[1].name, "a new name");
  EXPECT_EQ(Losses(kLoss_ring_full), 3u);
  EXPECT_EQ(Losses(kLoss_definition), 2u);
}

TEST_F(PushPop, KeepsAPopWithItsPushWhenADomainCannotBeDefined) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("late");
  const nvtxEventAttributes_t attributes = Attributes();
  nvtxRangePushA("outside");
  LimitRings(0);
  EXPECT_EQ(nvtxDomainRangePushEx(domain, &attributes), 0);
  LimitRings(1 << 20);
  EXPECT_EQ(nvtxDomainRangePushEx(domain, &attributes), 0);
  EXPECT_EQ(nvtxDomainRangePop(domain), 0);
  EXPECT_EQ(nvtxRangePop(), 0);
  EXPECT_EQ(Losses(kLoss_unbalanced_pop), 0u);
  ResetSession();
}

TEST_F(PushPop, ReturnsAnErrorWhereNothingIsRecorded) {
  SetRecording(false);
  EXPECT_EQ(nvtxRangePushA("unseen"), -1);
  EXPECT_EQ(nvtxRangePop(), -1);
  const nvtxEventAttributes_t attributes = Attributes("unseen");
  EXPECT_EQ(nvtxDomainRangePushEx(nullptr, &attributes), -1);
  EXPECT_EQ(nvtxDomainRangePop(nullptr), -1);
  nvtxMarkA("unseen");
  EXPECT_EQ(ReadTrace().events.size(), 0u);
  EXPECT_EQ(Losses(kLoss_no_ring), 3u);  // the beginnings, not the ends
}

TEST_F(PushPop, KeepsErrno) {
  errno = 4711;
  nvtxRangePushA("first of the thread");
  nvtxRangePushW(std::wstring(10000, L'x').c_str());
  nvtxDomainCreateA("errno");
  nvtxDomainRegisterStringA(nullptr, std::string(100000, 'y').c_str());
  nvtxRangePop();
  nvtxRangePop();
  EXPECT_EQ(errno, 4711);
}

TEST_F(PushPop, RecordsThreadsApart) {
  std::vector<std::thread> threads;
  nvtxDomainHandle_t domain = nvtxDomainCreateA("shared");
  nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain, "shared string");
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([t, domain, string] {
      const std::string name = "thread " + std::to_string(t);
      const nvtxEventAttributes_t attributes = Registered(string);
      for (int i = 0; i < 1000; ++i) {
        nvtxRangePushA(name.c_str());
        nvtxDomainRangePushEx(domain, &attributes);
        nvtxDomainRangePop(domain);
        nvtxRangePop();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Trace trace = ReadTrace();
  EXPECT_EQ(trace.events.size(), 16000u);
  EXPECT_EQ(trace.definitions, 8 * 3);
  for (size_t i = 0; i < trace.events.size(); i += 2) {
    ASSERT_EQ(trace.events[i].name, "shared string");
    ASSERT_EQ(trace.events[i].domain, "shared");
    ASSERT_EQ(trace.events[i + 1].name, trace.events[i / 2000 * 2000 + 1].name);
  }
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(PushPop, DefinesAllAgainInAForksChild) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("inherited");
  nvtxStringHandle_t string = nvtxDomainRegisterStringA(domain, "inherited string");
  const nvtxEventAttributes_t attributes = Registered(string);
  nvtxDomainRangePushEx(domain, &attributes);
  const pid_t child = fork();
  if (child == 0) {
    const bool popped = nvtxDomainRangePop(domain) >= 0;  // the parent's range is not the child's
    const bool pushed =
        nvtxDomainRangePushEx(domain, &attributes) == 0 && nvtxDomainRangePop(domain) == 0;
    Trace trace = ReadTrace();
    const TraceEvent event = trace.One(RecordKind::kRange, "inherited string");
    _exit(!popped && pushed && trace.errors.empty() && event.domain == "inherited" &&
                  trace.events.size() == 1
              ? 0
              : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(nvtxDomainRangePop(domain), 0);
}

TEST_F(PushPop, SignalHandlersMayAnnotate) {
  static int handled;
  struct sigaction action = {};
  action.sa_handler = [](int) {
    nvtxRangePushA("handler");
    nvtxRangePop();
    ++handled;
  };
  sigaction(SIGUSR1, &action, nullptr);
  for (int i = 0; i < 100; ++i) {
    nvtxRangePushA("interrupted");
    raise(SIGUSR1);
    nvtxRangePop();
  }
  EXPECT_EQ(handled, 100);
  EXPECT_EQ(ReadTrace().events.size(), 200u);
}

// Handlers that come in the middle of a hook of their own thread must not disturb it.
TEST_F(PushPop, SignalHandlersMayInterruptHooks) {
  static std::atomic<uint64_t> accepted;
  static std::atomic<uint64_t> refused;
  struct sigaction action = {};
  action.sa_handler = [](int) {
    if (nvtxRangePushA("handler") >= 0) {
      ++accepted;
      nvtxRangePop();
    } else {
      ++refused;
    }
  };
  sigaction(SIGALRM, &action, nullptr);
  nvtxMarkA("the thread's first");  // the test's session takes a lock in it, unlike the product's
  const itimerval often = {{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  uint64_t pairs = 0;
  for (; pairs < 500000 && refused < 50; ++pairs) {
    nvtxRangePushA(pairs % 2 == 0 ? "even" : "odd");
    nvtxRangePop();
  }
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  std::map<std::string, uint64_t> seen;
  for (const TraceEvent& event : ReadTrace().Of(RecordKind::kRange)) ++seen[event.name];
  EXPECT_EQ(seen["handler"], accepted);
  EXPECT_EQ(seen["even"] + seen["odd"], pairs);
  EXPECT_EQ(seen["even"], (pairs + 1) / 2);
  EXPECT_EQ(Losses(kLoss_nested_signal), refused);
  EXPECT_EQ(AllLosses(), refused);
}

}  // namespace
}  // namespace syncline::test
