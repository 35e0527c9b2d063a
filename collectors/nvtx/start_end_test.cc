// SPDX-License-Identifier: Apache-2.0
// Start/end ranges: ids, lanes, ends in other threads, misuse, fork.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <thread>

#include "collectors/nvtx/test_client.h"
#include "inject/core/start_end.h"

namespace syncline::test {
namespace {

class StartEnd : public NvtxTest {
 protected:
  void SetUp() override {
    NvtxTest::SetUp();
    ForgetAllRanges();
  }
};

TEST_F(StartEnd, RecordsBothEndsUnderOneId) {
  const nvtxRangeId_t a = nvtxRangeStartA("a");
  const nvtxRangeId_t b = nvtxRangeStartW(L"b");
  EXPECT_NE(a, 0u);
  EXPECT_NE(a, b);
  nvtxRangeEnd(a);
  nvtxRangeEnd(b);
  Trace trace = ReadTrace();
  const TraceEvent start_a = trace.One(RecordKind::kRangeStart, "a");
  const TraceEvent start_b = trace.One(RecordKind::kRangeStart, "b");
  EXPECT_EQ(start_a.end, a);
  EXPECT_EQ(start_b.end, b);
  EXPECT_EQ(start_a.lane, 0);
  EXPECT_EQ(start_b.lane, 1);
  const std::vector<TraceEvent> ends = trace.Of(RecordKind::kRangeEnd);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].end, a);
  EXPECT_GE(ends[0].begin, start_a.begin);
  EXPECT_EQ(trace.errors, std::vector<std::string>());
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(StartEnd, TakesTheLowestFreeLane) {
  const nvtxRangeId_t a = nvtxRangeStartA("a");
  nvtxRangeStartA("b");
  nvtxRangeEnd(a);
  nvtxRangeStartA("c");
  Trace trace = ReadTrace();
  EXPECT_EQ(trace.One(RecordKind::kRangeStart, "b").lane, 1);
  EXPECT_EQ(trace.One(RecordKind::kRangeStart, "c").lane, 0);
}

TEST_F(StartEnd, CarriesDomainAndAttributes) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("started");
  nvtxEventAttributes_t attributes = Attributes("with colour");
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = 0xff112233;
  nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &attributes));
  nvtxDomainRangeEnd(nullptr, nvtxRangeStartEx(&attributes));
  const std::vector<TraceEvent> starts = ReadTrace().Of(RecordKind::kRangeStart);
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_EQ(starts[0].domain, "started");
  EXPECT_EQ(starts[0].attributes.color, 0xff112233u);
  EXPECT_EQ(starts[1].domain, "");
}

TEST_F(StartEnd, EndsInAnotherThread) {
  const nvtxRangeId_t id = nvtxRangeStartA("handed over");
  std::thread([id] { nvtxRangeEnd(id); }).join();
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 2u);
  EXPECT_EQ(trace.events[1].kind, RecordKind::kRangeEnd);
  EXPECT_EQ(trace.events[1].end, id);
  EXPECT_NE(trace.events[1].tid, trace.events[0].tid);
}

TEST_F(StartEnd, CountsEndsThatAreNone) {
  const nvtxRangeId_t id = nvtxRangeStartA("once");
  nvtxRangeEnd(id);
  nvtxRangeEnd(id);
  const nvtxRangeId_t next = nvtxRangeStartA("same lane");
  EXPECT_NE(next, id);
  nvtxRangeEnd(id);  // stale: must not end the new range
  nvtxRangeEnd(0);
  nvtxRangeEnd(~nvtxRangeId_t{0} - 5);
  nvtxRangeEnd(12345);
  nvtxRangeEnd(next);
  EXPECT_EQ(ReadTrace().Of(RecordKind::kRangeEnd).size(), 2u);
  EXPECT_EQ(Losses(kLoss_unbalanced_pop), 5u);
}

TEST_F(StartEnd, CountsTooManyAndRecovers) {
  std::vector<nvtxRangeId_t> ids;
  for (uint32_t i = 0; i < kMaxOpen + 10; ++i) ids.push_back(nvtxRangeStartA("many"));
  EXPECT_EQ(std::set<nvtxRangeId_t>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 0u), 0);
  for (const nvtxRangeId_t id : ids) nvtxRangeEnd(id);
  const Trace trace = ReadTrace();
  EXPECT_EQ(trace.Of(RecordKind::kRangeStart).size(), kMaxOpen);
  EXPECT_EQ(trace.Of(RecordKind::kRangeEnd).size(), kMaxOpen);
  EXPECT_EQ(Losses(kLoss_too_many_open), 10u);
  EXPECT_EQ(AllLosses(), 10u);
}

TEST_F(StartEnd, NeverOverlapsInALane) {
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&go] {
      while (!go) {
      }
      for (int i = 0; i < 5000; ++i) {
        const nvtxRangeId_t a = nvtxRangeStartA("a");
        const nvtxRangeId_t b = nvtxRangeStartA("b");
        nvtxRangeEnd(a);
        nvtxRangeEnd(b);
      }
    });
  }
  go = true;
  for (std::thread& thread : threads) thread.join();
  const Trace trace = ReadTrace();
  std::map<uint64_t, uint64_t> ends;
  for (const TraceEvent& event : trace.Of(RecordKind::kRangeEnd)) ends[event.end] = event.begin;
  std::map<uint16_t, std::vector<std::pair<uint64_t, uint64_t>>> lanes;
  for (const TraceEvent& event : trace.Of(RecordKind::kRangeStart)) {
    ASSERT_EQ(ends.count(event.end), 1u);
    lanes[event.lane].push_back({event.begin, ends[event.end]});
  }
  EXPECT_EQ(ends.size(), 40000u);
  EXPECT_LE(lanes.size(), 8u);
  for (auto& [lane, ranges] : lanes) {
    std::sort(ranges.begin(), ranges.end());
    for (size_t i = 1; i < ranges.size(); ++i)
      ASSERT_LE(ranges[i - 1].second, ranges[i].first) << "lane " << lane;
  }
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(StartEnd, LosesBothEndsOrNone) {
  nvtxRangeStartA("known name");
  LimitRings(0);
  const nvtxRangeId_t lost = nvtxRangeStartA("known name");
  const nvtxRangeId_t unnamed = nvtxRangeStartA("new name");
  EXPECT_NE(lost, 0u);
  EXPECT_NE(unnamed, 0u);
  LimitRings(1 << 20);
  nvtxRangeEnd(lost);
  nvtxRangeEnd(unnamed);
  EXPECT_EQ(ReadTrace().Of(RecordKind::kRangeEnd).size(), 0u);
  EXPECT_EQ(Losses(kLoss_ring_full), 1u);
  EXPECT_EQ(Losses(kLoss_definition), 1u);
  EXPECT_EQ(Losses(kLoss_unbalanced_pop), 0u);
  nvtxRangeEnd(nvtxRangeStartA("known name"));  // in the lane of the lost one
  EXPECT_EQ(ReadTrace().Of(RecordKind::kRangeEnd).size(), 1u);
}

TEST_F(StartEnd, SurvivesBadAttributes) {
  const nvtxRangeId_t id = nvtxRangeStartEx(nullptr);
  EXPECT_NE(id, 0u);
  nvtxRangeEnd(id);
  EXPECT_EQ(Losses(kLoss_bad_attributes), 1u);
  SetRecording(false);
  const nvtxRangeId_t unseen = nvtxRangeStartA("unseen");
  EXPECT_NE(unseen, 0u);
  nvtxRangeEnd(unseen);
  SetRecording(true);
  nvtxRangeEnd(unseen);
  EXPECT_EQ(Losses(kLoss_unbalanced_pop), 0u);
  const nvtxRangeId_t seen = nvtxRangeStartA("its end is lost");
  SetRecording(false);
  const uint64_t before = Losses(kLoss_no_ring);
  nvtxRangeEnd(seen);
  nvtxRangeEnd(seen);
  EXPECT_EQ(Losses(kLoss_no_ring), before + 1);
}

TEST_F(StartEnd, BeginsEmptyInAForksChild) {
  const nvtxRangeId_t inherited = nvtxRangeStartA("the parent's");
  const pid_t child = fork();
  if (child == 0) {
    const nvtxRangeId_t own = nvtxRangeStartA("the child's");
    nvtxRangeEnd(inherited);
    nvtxRangeEnd(own);
    Trace trace = ReadTrace();
    const TraceEvent start = trace.One(RecordKind::kRangeStart, "the child's");
    const bool good = trace.errors.empty() && start.lane == 0 && own != inherited &&
                      trace.events.size() == 2 && Losses(kLoss_unbalanced_pop) == 1;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  nvtxRangeEnd(inherited);
  EXPECT_EQ(ReadTrace().events.size(), 2u);
}

}  // namespace
}  // namespace syncline::test
