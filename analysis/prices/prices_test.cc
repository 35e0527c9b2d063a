// SPDX-License-Identifier: Apache-2.0
// Which changes have a price, and of what each is the sum.
#include "analysis/prices/prices.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "analysis/waits/testing.h"

namespace syncline {
namespace {

using testing::FindGaps;
using testing::FindWaits;
using testing::kStream;
using testing::Process;

struct PricedLife {
  explicit PricedLife(Process* process, size_t most = ReplayGraph::kMostOps) {
    Findings& found = run.findings;
    found.waits = FindWaits(process->records);
    found.host_functions = FindHostFunctions(process->records, testing::Rules(), found.waits);
    found.function_where.resize(found.host_functions.size());
    found.gaps = FindGaps(process->records, found.waits, 20'000);
    found.call_names.assign(process->records.call_names().begin(),
                            process->records.call_names().end());
    found.wait_where.resize(found.waits.size());
    found.wait_ranges.resize(found.waits.size());
    graph = MakeReplayGraph(process->records, {}, testing::Rules(), found.waits, found.gaps,
                            found.host_functions, most);
  }

  void Price() { PriceChanges(&graph, run, places, steps_ns, &names, &prices, &facts, &joint_ns); }

  PriceKey Key(Change change, const std::string& where = "", const std::string& ranges = "",
               const std::string& call = "") const {
    PriceKey key;
    key.source = run.facts.name;
    key.change = change;
    key.where = where;
    key.ranges = ranges;
    key.call = call;
    return key;
  }
  PriceKey OfClass(WaitClass wait_class) const {
    PriceKey key = Key(Change::kWaitsOfClass);
    key.wait_class = wait_class;
    return key;
  }
  uint64_t Count(Change change) const {
    uint64_t count = 0;
    for (const auto& [key, sums] : prices) count += key.change == change ? 1 : 0;
    return count;
  }

  uint64_t steps_ns = 0;
  SourceSurvey survey{Source{2}};
  SourceRun run{Source{2}, survey};
  ReplayGraph graph;
  ReplayPlaces places;
  NameFolder names;
  std::map<PriceKey, PriceSums> prices;
  ReplayFacts facts;
  std::vector<uint64_t> joint_ns;
};

// Steps of 100 µs on the device, each waited for; the host needs 30 µs for the next launch.
Process Waiting(uint64_t steps, uint64_t apart_us = 140, uint64_t longer_us = 0) {
  Process process;
  for (uint64_t step = 0; step < steps; ++step) {
    const uint64_t at = apart_us * step, end = at + 110 + longer_us * step;
    process.Kernel(at, at + 10, end);
    process.Call("cudaStreamSynchronize", at + 5, end + 5);
    process.Sync(GpuSyncKind::kStream, kStream);
  }
  return process;
}

TEST(PricesTest, OfLinesAndOfClasses) {
  Process process = Waiting(10);
  PricedLife life(&process);
  for (size_t i = 0; i < 10; ++i) life.run.findings.wait_where[i] = i < 4 ? "a.py:1" : "a.py:2";
  life.Price();
  const PriceSums& all = life.prices.at(life.OfClass(WaitClass::kStream));
  const PriceSums& one = life.prices.at(life.Key(Change::kWaitsOfLine, "a.py:1"));
  const PriceSums& other = life.prices.at(life.Key(Change::kWaitsOfLine, "a.py:2"));
  EXPECT_EQ(all.count, 10u);
  EXPECT_EQ(all.removed_ns, 1'100'000u);
  EXPECT_EQ(all.gain.gain_ns / 1000, (9u * 140 + 110) - (10 + 10 * 100));
  EXPECT_EQ(one.count, 4u);
  EXPECT_EQ(other.count, 6u);
  EXPECT_GT(one.gain.gain_ns, 0u);
  EXPECT_GT(other.gain.gain_ns, one.gain.gain_ns);
  EXPECT_LT(other.gain.gain_ns, all.gain.gain_ns);
  EXPECT_EQ(life.Count(Change::kWaitsOfCall), 0u) << "the lines are known";
  EXPECT_EQ(life.Count(Change::kWaitsOfRange), 0u) << "no range is open";
  EXPECT_EQ(life.facts.windows, 1u);
  EXPECT_EQ(life.facts.replayed_ns, life.facts.whole_ns);
}

TEST(PricesTest, WhatBringsMuchIsTriedTogether) {
  Process process = Waiting(10);
  PricedLife life(&process);
  for (size_t i = 0; i < 10; ++i) life.run.findings.wait_where[i] = i < 4 ? "a.py:1" : "a.py:2";
  life.Price();
  const RankGain one = life.prices.at(life.Key(Change::kWaitsOfLine, "a.py:1")).gain;
  const RankGain other = life.prices.at(life.Key(Change::kWaitsOfLine, "a.py:2")).gain;
  const RankGain all = life.prices.at(life.OfClass(WaitClass::kStream)).gain;
  EXPECT_EQ(all.joint, 0u) << "no finding is about a class";
  ASSERT_NE(one.joint, 0u);
  ASSERT_NE(other.joint, 0u);
  EXPECT_EQ(life.joint_ns.at(0), 0u);
  EXPECT_EQ(life.joint_ns.at(one.joint), one.gain_ns);
  EXPECT_EQ(life.joint_ns.at(other.joint), other.gain_ns);
  EXPECT_EQ(life.joint_ns.at(one.joint | other.joint), all.gain_ns);
}

TEST(PricesTest, OfManyChangesThoseThatBringMostAreTriedTogether) {
  Process process = Waiting(20, 300, 5);
  PricedLife life(&process);
  for (size_t i = 0; i < 20; ++i)
    life.run.findings.wait_where[i] = "a.py:" + std::to_string(i % 10);
  life.Price();
  EXPECT_EQ(life.joint_ns.size(), size_t{1} << kMostJoint);
  size_t told = 0;
  for (const auto& [key, sums] : life.prices) told += sums.gain.joint != 0 ? 1 : 0;
  EXPECT_EQ(told, kMostJoint);
}

TEST(PricesTest, OfCallersWhereThereAreSeveral) {
  Process process = Waiting(10);
  PricedLife life(&process);
  Findings& found = life.run.findings;
  for (size_t i = 0; i < 10; ++i) {
    found.wait_where[i] = i < 8 ? "a.py:1 read()" : "a.py:9 other()";
    found.wait_callers.push_back(i < 6 ? "a.py:20 f()" : "a.py:30 g()");
  }
  life.Price();
  PriceKey f = life.Key(Change::kWaitsOfCaller, "a.py:1 read()");
  f.caller = "a.py:20 f()";
  PriceKey g = f;
  g.caller = "a.py:30 g()";
  EXPECT_EQ(life.prices.at(f).count, 6u);
  EXPECT_EQ(life.prices.at(g).count, 2u);
  EXPECT_GT(life.prices.at(f).gain.gain_ns, life.prices.at(g).gain.gain_ns);
  EXPECT_EQ(life.Count(Change::kWaitsOfCaller), 2u) << "other() has one";
}

TEST(PricesTest, OfAFunctionThatWaitsAtSeveralLines) {
  Process process = Waiting(9);
  PricedLife life(&process);
  for (size_t i = 0; i < 9; ++i)
    life.run.findings.wait_where[i] = "a.cu:" + std::to_string(10 + i % 3) + " step()";
  life.Price();
  PriceKey key = life.Key(Change::kWaitsOfFunction, "a.cu step()");
  key.wait_class = WaitClass::kStream;
  const PriceSums& sums = life.prices.at(key);
  EXPECT_EQ(sums.count, 9u);
  EXPECT_EQ(sums.gain.gain_ns, life.prices.at(life.OfClass(WaitClass::kStream)).gain.gain_ns);
  for (size_t i = 0; i < 9; ++i)
    life.run.findings.wait_where[i] = i % 2 == 0 ? "a.cu:1 step()" : "b.cu:1 step()";
  life.prices.clear();
  life.Price();
  EXPECT_EQ(life.Count(Change::kWaitsOfFunction), 0u);
}

TEST(PricesTest, WithoutALineOfCallsAndTheirRanges) {
  Process process = Waiting(10);
  PricedLife life(&process);
  for (size_t i = 0; i < 10; ++i)
    life.run.findings.wait_ranges[i] = "step " + std::to_string(i) + " > log";
  life.Price();
  PriceKey call = life.Key(Change::kWaitsOfCall, "", "step # > log", "cudaStreamSynchronize");
  call.wait_class = WaitClass::kStream;
  const uint64_t gain = life.prices.at(life.OfClass(WaitClass::kStream)).gain.gain_ns;
  EXPECT_EQ(life.prices.at(call).count, 10u);
  EXPECT_EQ(life.prices.at(call).gain.gain_ns, gain);
  for (const char* ranges : {"step #", "step # > log"}) {
    const PriceSums& sums = life.prices.at(life.Key(Change::kWaitsOfRange, "", ranges));
    EXPECT_EQ(sums.count, 10u) << ranges;
    EXPECT_EQ(sums.gain.gain_ns, gain) << ranges;
  }
}

TEST(PricesTest, RangesAreTriedFourDeep) {
  Process process = Waiting(2);
  PricedLife life(&process);
  life.run.findings.wait_ranges = {"a > b > c > d > e > f", "a > x"};
  life.Price();
  EXPECT_EQ(life.Count(Change::kWaitsOfRange), 5u);
  EXPECT_EQ(life.prices.at(life.Key(Change::kWaitsOfRange, "", "a")).count, 2u);
  EXPECT_EQ(life.prices.at(life.Key(Change::kWaitsOfRange, "", "a > x")).count, 1u);
  EXPECT_EQ(life.prices.at(life.Key(Change::kWaitsOfRange, "", "a > b > c > d")).count, 1u);
}

TEST(PricesTest, WhatTakesAThousandthIsTried) {
  Process process = Waiting(10);
  process.Call("cudaStreamSynchronize", 1998, 1999);
  process.Call("cudaStreamSynchronize", 1999, 2001);
  PricedLife life(&process);
  ASSERT_EQ(life.run.findings.waits.size(), 12u);
  life.run.findings.wait_where[10] = "short.py:1";
  life.run.findings.wait_where[11] = "long.py:1";
  life.Price();
  EXPECT_EQ(life.facts.whole_ns, 1'996'000u) << "from the first wait on";
  EXPECT_FALSE(life.prices.contains(life.Key(Change::kWaitsOfLine, "short.py:1")));
  EXPECT_TRUE(life.prices.contains(life.Key(Change::kWaitsOfLine, "long.py:1")));
}

TEST(PricesTest, WaitsThatAreNotKnownToEndAreNotPriced) {
  Process process = Waiting(4);
  PricedLife life(&process);
  life.run.findings.waits[1].lost = true;
  life.run.findings.waits[3].open = true;
  life.Price();
  EXPECT_EQ(life.prices.at(life.OfClass(WaitClass::kStream)).count, 2u);
}

TEST(PricesTest, TheLargestAreTriedAndTheOthersCounted) {
  Process process = Waiting(20, 200, 1);
  PricedLife life(&process);
  for (size_t i = 0; i < 20; ++i) life.run.findings.wait_where[i] = "a.py:" + std::to_string(i);
  life.Price();
  EXPECT_EQ(life.Count(Change::kWaitsOfLine), kMostPriced);
  EXPECT_EQ(life.facts.unpriced, 20 - kMostPriced);
  EXPECT_FALSE(life.prices.contains(life.Key(Change::kWaitsOfLine, "a.py:3")));
  EXPECT_TRUE(life.prices.contains(life.Key(Change::kWaitsOfLine, "a.py:4")));
}

TEST(PricesTest, OfWindowsForTheWhole) {
  Process process = Waiting(4000);
  PricedLife whole(&process), parts(&process, 800);
  whole.Price();
  parts.Price();
  EXPECT_EQ(parts.facts.windows, ReplayGraph::kWindows);
  EXPECT_LT(parts.facts.replayed_ns, parts.facts.whole_ns / 2);
  EXPECT_EQ(parts.facts.whole_ns, whole.facts.whole_ns);
  const PriceSums& all = whole.prices.at(whole.OfClass(WaitClass::kStream));
  const PriceSums& some = parts.prices.at(parts.OfClass(WaitClass::kStream));
  EXPECT_EQ(some.count, 4000u);
  EXPECT_EQ(some.removed_ns, all.removed_ns);
  EXPECT_NEAR(static_cast<double>(some.gain.gain_ns), static_cast<double>(all.gain.gain_ns),
              static_cast<double>(all.gain.gain_ns) / 50);
  const PriceSums& launches = parts.prices.at(parts.Key(Change::kLaunches));
  EXPECT_NEAR(static_cast<double>(launches.count), 4000, 40);
}

TEST(PricesTest, TimeThatWasNotRecordedIsNoPartOfTheWhole) {
  Process process = Waiting(4000), gated = Waiting(4000);
  gated.Kernel(10'000'000, 10'000'010, 10'000'110);
  gated.records.unseen.push_back({600'000'000, 9'999'000'000});
  PricedLife life(&process, 800), of_gated(&gated, 800);
  life.Price();
  of_gated.Price();
  EXPECT_LT(of_gated.facts.whole_ns, 603'000'000u);
  const auto gain =
      static_cast<double>(life.prices.at(life.OfClass(WaitClass::kStream)).gain.gain_ns);
  EXPECT_NEAR(
      static_cast<double>(of_gated.prices.at(life.OfClass(WaitClass::kStream)).gain.gain_ns), gain,
      gain / 10);
}

TEST(PricesTest, ReadBacks) {
  Process process;
  for (uint64_t step = 0; step < 4; ++step) {
    const uint64_t at = 200 * step;
    process.Kernel(at, at + 10, at + 110);
    if (step != 2) {
      process.Call("cudaMemcpyAsync", at + 5, at + 9);
      process.Copy(at + 110, at + 120, MemoryKind::kDevice, MemoryKind::kPinned, 4, kStream);
    }
    process.Call("cudaStreamSynchronize", at + 12, at + 125);
    process.Sync(GpuSyncKind::kStream, kStream);
  }
  PricedLife life(&process);
  life.Price();
  const PriceSums& sums = life.prices.at(life.OfClass(WaitClass::kStream));
  EXPECT_EQ(sums.count, 4u);
  EXPECT_EQ(sums.read_backs, 3u);
  EXPECT_EQ(sums.known_ns, sums.removed_ns);
  EXPECT_EQ(sums.read_ns, 3u * 113'000);
  EXPECT_EQ(sums.read_bytes, 12u);
  EXPECT_EQ(sums.sends, 0u);
  EXPECT_EQ(life.prices.at(life.Key(Change::kCopies)).count, 3u);
  EXPECT_EQ(life.prices.at(life.Key(Change::kLaunches)).count, 4u);
  EXPECT_EQ(life.Count(Change::kDefaultStream), 0u) << "none is used beside others";
}

TEST(PricesTest, WaitsForCopiesToTheDevice) {
  Process process;
  for (uint64_t step = 0; step < 4; ++step) {
    const uint64_t at = 300 * step;
    process.Call("cudaMemcpyAsync", at, at + 4);
    process.Copy(at + 10, at + 100, MemoryKind::kPageable, MemoryKind::kDevice, 4096, kStream);
    process.Call("cudaStreamSynchronize", at + 12, at + 105);
    process.Sync(GpuSyncKind::kStream, kStream);
    process.Kernel(at + 110, at + 120, at + 220);
  }
  PricedLife life(&process);
  life.Price();
  EXPECT_EQ(life.prices.at(life.OfClass(WaitClass::kStream)).sends, 4u);
  EXPECT_EQ(life.prices.at(life.OfClass(WaitClass::kStream)).pinned_sends, 0u);
  EXPECT_EQ(life.prices.at(life.OfClass(WaitClass::kStream)).read_backs, 0u);
}

// x.cuda() of pageable memory: the call waits for the kernel before, copies, and is waited for.
TEST(PricesTest, ACopyWhoseCallWaitedBeforeIsOneWithTheWaitBehindIt) {
  Process process;
  for (uint64_t step = 0; step < 4; ++step) {
    const uint64_t at = 300 * step;
    process.Call("cudaMemcpyAsync", at, at + 60);
    process.Copy(at + 40, at + 100, MemoryKind::kPageable, MemoryKind::kDevice, 1 << 23, kStream);
    process.Call("cudaStreamSynchronize", at + 62, at + 105);
    process.Sync(GpuSyncKind::kStream, kStream);
    process.Kernel(at + 110, at + 120, at + 330);
  }
  PricedLife life(&process);
  life.Price();
  EXPECT_EQ(life.prices.at(life.OfClass(WaitClass::kPageableCopy)).sends, 4u);
  const PriceSums& behind = life.prices.at(life.OfClass(WaitClass::kStream));
  EXPECT_EQ(behind.count, 4u);
  EXPECT_EQ(behind.send_ns, behind.known_ns);
  EXPECT_EQ(behind.sends, 0u) << "they are counted before";
}

TEST(PricesTest, AllocationsOfALineOrOfACall) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 500 * step;
    process.Call("cudaMalloc", at, at + 100);
    process.Kernel(at + 110, at + 120, at + 320);
    process.Call("cudaFree", at + 130, at + 400);
  }
  PricedLife life(&process);
  for (size_t i = 0; i < life.graph.allocations.size(); ++i) {
    life.places.allocation_where.emplace_back(i % 2 == 1 ? "a.py:1" : "");
    life.places.allocation_ranges.emplace_back(i % 2 == 1 ? "" : "load");
  }
  life.Price();
  const PriceSums& taken = life.prices.at(life.Key(Change::kAllocations, "a.py:1"));
  const PriceSums& given = life.prices.at(life.Key(Change::kAllocations, "", "load", "cudaFree"));
  EXPECT_EQ(taken.count, 9u) << "the first one comes before all work";
  EXPECT_EQ(taken.removed_ns, 900'000u);
  EXPECT_EQ(given.count, 10u);
  EXPECT_GT(given.gain.gain_ns, taken.gain.gain_ns);
}

TEST(PricesTest, HostWorkOfRangesAndLines) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 1000 * step;
    process.Kernel(at, at + 10, at + 710);
    process.Call("cudaDeviceSynchronize", at + 5, at + 715);
  }
  PricedLife life(&process);
  ASSERT_EQ(life.run.findings.gaps.size(), 9u);
  life.run.findings.gap_ranges.assign(9, "load");
  life.run.findings.gap_lines.assign(9, {"a.py:1", "a.py:2", "b.py:3", HostSpan::kData});
  life.run.findings.gaps[8].host_until_ns = life.run.findings.gaps[8].host_from_ns;
  life.Price();
  PriceKey key = life.Key(Change::kHostWork, "a.py:2", "load");
  key.before = "a.py:1";
  key.below = "b.py:3";
  key.span = HostSpan::kData;
  EXPECT_EQ(life.Count(Change::kHostWork), 1u);
  EXPECT_EQ(life.prices.at(key).count, 8u) << "in the last one the host did nothing";
  EXPECT_EQ(life.prices.at(key).removed_ns, 8u * 300'000);
  EXPECT_EQ(life.prices.at(key).gain.gain_ns, 8u * 285'000);
  EXPECT_EQ(life.prices.at(key).gain.ahead_ns, 7u * 285'000)
      << "nobody makes the first one earlier";
}

// A server that does not wait for its answer waits longer for the next request.
TEST(PricesTest, WhatOthersHandOverComesWhenItDoes) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 1000 * step;
    process.Kernel(at, at + 10, at + 110);
    process.Call("cudaDeviceSynchronize", at + 5, at + 115);
  }
  PricedLife life(&process), served(&process);
  served.run.findings.gap_lines.assign(9, {"a.py:1", "a.py:2", "", HostSpan::kAwaits});
  life.Price();
  served.Price();
  const PriceKey wait = life.OfClass(WaitClass::kDevice);
  EXPECT_GT(life.prices.at(wait).gain.gain_ns, 900'000u);
  EXPECT_LT(served.prices.at(wait).gain.gain_ns, 120'000u) << "the last one's";
  PriceKey key = served.Key(Change::kHostWork, "a.py:2");
  key.before = "a.py:1";
  key.span = HostSpan::kAwaits;
  EXPECT_EQ(served.prices.at(key).gain.gain_ns, 9u * 885'000);
}

// What the host does takes longer than what the device has meanwhile: another thread is busy, too.
TEST(PricesTest, HostWorkAheadIsLimitedByTheThreadThatDoesIt) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 1000 * step;
    process.Kernel(at, at + 10, at + 110);
    process.Call("cudaDeviceSynchronize", at + 5, at + 115);
  }
  PricedLife life(&process);
  life.run.findings.gap_lines.assign(9, {"a.py:1", "a.py:2"});
  life.Price();
  PriceKey key = life.Key(Change::kHostWork, "a.py:2");
  key.before = "a.py:1";
  EXPECT_EQ(life.prices.at(key).gain.gain_ns, 9u * 885'000);
  EXPECT_EQ(life.prices.at(key).gain.ahead_ns, 8u * 115'000) << "the device's time is saved";
}

// Kernels are launched long before: what one of them takes less, the process does.
TEST(PricesTest, OfARankThatWaitsForOthersItIsKnownForHowLong) {
  Process process;
  std::vector<uint32_t> met;
  for (uint64_t step = 0; step < 6; ++step)
    met.push_back(process.Kernel(3 * step, 100 * step + 10, 100 * step + 110));
  process.Call("cudaDeviceSynchronize", 20, 615);
  PricedLife life(&process);
  for (uint32_t i = 0; i < 6; ++i) {
    const int last = i < 3 ? 3 : i < 5 ? 1 : -1;  // of the last one it is not known
    life.run.findings.collectives[met[i]] = {1, 60'000, i + 1, last};
  }
  life.Price();
  EXPECT_EQ(life.facts.waited_ns, 360'000u);
}

TEST(PricesTest, CommunicationByWhatItIsAndAmongHowMany) {
  Process process;
  std::vector<uint32_t> met;
  for (uint64_t step = 0; step < 6; ++step) {
    process.Kernel(4 * step, 200 * step + 10, 200 * step + 110);
    met.push_back(process.Kernel(4 * step + 2, 200 * step + 110, 200 * step + 210));
    process.records.ops.back().kernel = 1;
  }
  process.Call("cudaDeviceSynchronize", 30, 1215);
  PricedLife life(&process);
  life.graph = MakeReplayGraph(process.records, {"", "AllGather"}, testing::Rules(),
                               life.run.findings.waits, life.run.findings.gaps, {});
  for (uint32_t i = 0; i < 6; ++i)
    life.run.findings.collectives[met[i]] = {1, i == 3 ? 40'000u : 0u, i, -1, 8};
  constexpr auto kKind = static_cast<size_t>(Submitted::kCommunication);
  life.places.sample_where[kKind] = {"a.py:7", "a.py:7"};
  life.places.sample_ranges[kKind] = {"step > backward", "step > backward", ""};
  life.Price();
  const PriceSums& sums = life.prices.at(
      life.Key(Change::kCommunication, "a.py:7", "step > backward", "AllGather of 8 ranks"));
  EXPECT_EQ(sums.count, 5u) << "at the first one ranks wait for each other's start";
  EXPECT_EQ(sums.removed_ns, 460'000u) << "without what it waited for a late rank";
  EXPECT_EQ(sums.gain.gain_ns, 360'000u) << "all but the last one";
}

// Processes do not start at one time, and then they meet for the first time.
TEST(PricesTest, TheFirstCollectiveOfACommunicatorIsNoWaiting) {
  Process process;
  const uint32_t met = process.Kernel(3, 10, 900);
  process.Call("cudaDeviceSynchronize", 20, 915);
  PricedLife life(&process);
  life.run.findings.collectives[met] = {1, 600'000, 0, 3};
  life.Price();
  EXPECT_EQ(life.facts.waited_ns, 0u);
}

TEST(PricesTest, WithoutDeviceWorkThereIsNone) {
  Process process;
  PricedLife life(&process);
  life.Price();
  EXPECT_TRUE(life.prices.empty());
  EXPECT_EQ(life.facts, ReplayFacts{});
}

// Before the steps it waits as often as in them.
TEST(PricesTest, GainsCountFromTheFirstStepOn) {
  Process process = Waiting(20);
  PricedLife whole(&process), steps(&process);
  whole.Price();
  steps.steps_ns = 10 * 140'000;
  steps.Price();
  const PriceKey key = whole.OfClass(WaitClass::kStream);
  EXPECT_NEAR(static_cast<double>(steps.prices.at(key).gain.gain_ns),
              static_cast<double>(whole.prices.at(key).gain.gain_ns) / 2, 20'000);
}

// What it gains by itself: others may hold it up, of which the job's ranks together tell.
TEST(PricesTest, WaitingForOthersHidesNoGain) {
  Process process;
  for (uint64_t step = 0; step < 10; ++step) {
    const uint64_t at = 1000 * step;
    process.Kernel(at, at + 10, at + 110);
    process.Call("cudaStreamSynchronize", at + 5, at + 115);
    process.Sync(GpuSyncKind::kStream, testing::kStream);
    process.Kernel(at + 300, at + 310, at + 900);  // the collective
  }
  const auto gain_of = [&](uint64_t waited_us) {
    PricedLife life(&process);
    for (const GpuOp& op : process.records.ops) {
      if (op.end_ns - op.begin_ns > 500'000)
        life.run.findings.collectives[op.correlation] = {1, waited_us * 1000, 1, 1};
    }
    life.Price();
    return life.prices.at(life.OfClass(WaitClass::kStream)).gain.gain_ns;
  };
  EXPECT_GT(gain_of(0), 500'000u);
  EXPECT_GT(gain_of(500), 500'000u);
}

TEST(PricesTest, ChangesOfOperationsStandWhereMostAreSubmitted) {
  Process process = Waiting(4);
  PricedLife life(&process);
  const auto kernels = static_cast<size_t>(Submitted::kKernel);
  life.places.sample_where[kernels] = {"a.py:1 f()", "a.py:1 f()", "b.py:1 g()", ""};
  life.places.sample_ranges[kernels] = {"step > infer", "step > infer", "step > train", ""};
  life.Price();
  EXPECT_TRUE(life.prices.contains(life.Key(Change::kLaunches, "a.py:1 f()", "step > infer")));
}

}  // namespace
}  // namespace syncline
