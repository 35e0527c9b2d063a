// SPDX-License-Identifier: Apache-2.0
// Rows of GPUs: a number for each stream and lane, none twice on a device, all below 2^31.
#include "writers/chrome/layout/gpu_rows.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

using Tids = std::vector<uint32_t>;

DeviceLanes LanesFor(const std::vector<GpuStream>& streams, uint32_t overlapping = 1) {
  DeviceLanes lanes;
  for (const GpuStream& stream : streams) {
    DeviceOpRecord op{};
    op.begin = 100;
    op.end = 200;
    op.device = stream.device;
    op.context = stream.context;
    op.stream = stream.stream;
    for (uint32_t i = 0; i < overlapping; ++i) lanes.Place(op);
  }
  return lanes;
}

Tids LanesOf(const GpuRows& rows, uint32_t process, const GpuStream& stream) {
  const Tids* lanes = rows.Lanes(process, stream);
  return lanes == nullptr ? Tids() : *lanes;
}

constexpr Source kCuda = 2;

// Rows of one rank; each source's processes by number.
class Rows : public GpuRows {
 public:
  Rows() { AddSource(kCuda); }
  void Add(uint32_t number, const SourceSurvey& survey, const DeviceLanes& lanes,
           Source source = kCuda) {
    SourceRun run(source, survey);
    run.number = number;
    GpuRows::Add(run, lanes);
  }
  void Add(uint32_t number, const DeviceLanes& lanes) { Add(number, SourceSurvey(kCuda), lanes); }
};

TEST(GpuRows, AStreamHasItsOwnNumber) {
  Rows rows;
  rows.Add(0, LanesFor({{0, 1, 7}, {0, 1, 13}, {1, 2, 7}}));
  EXPECT_EQ(LanesOf(rows, 0, {0, 1, 7}), Tids{7});
  EXPECT_EQ(LanesOf(rows, 0, {0, 1, 13}), Tids{13});
  EXPECT_EQ(LanesOf(rows, 0, {1, 2, 7}), Tids{7});
  ASSERT_EQ(rows.rows().size(), 3u);
  EXPECT_EQ(rows.rows()[0].name, "stream 7");
  EXPECT_EQ(rows.rows()[2].pid, 1u);
  EXPECT_EQ(rows.Lanes(0, {0, 1, 8}), nullptr);
  EXPECT_EQ(rows.Lanes(1, {0, 1, 7}), nullptr);
}

TEST(GpuRows, TheSameNumberInTwoContextsAndTwoProcesses) {
  Rows rows;
  rows.Add(0, LanesFor({{0, 1, 7}, {0, 2, 7}}));
  rows.Add(1, LanesFor({{0, 1, 7}}));
  EXPECT_EQ(LanesOf(rows, 0, {0, 1, 7}), Tids{7});
  EXPECT_EQ(LanesOf(rows, 0, {0, 2, 7}), Tids{1000007});
  EXPECT_EQ(LanesOf(rows, 1, {0, 1, 7}), Tids{2000007});
  EXPECT_EQ(rows.rows()[0].name, "stream 7");
  EXPECT_EQ(rows.rows()[1].name, "stream 7 (context 2)");
  EXPECT_GT(rows.rows()[1].order, rows.rows()[0].order);
}

TEST(GpuRows, LanesStandBelowTheirStream) {
  Rows rows;
  rows.Add(0, LanesFor({{0, 1, 7}}, 3));
  EXPECT_EQ(LanesOf(rows, 0, {0, 1, 7}), (Tids{7, 1000007, 2000007}));
  EXPECT_EQ(rows.rows()[1].name, "stream 7 (lane 1)");
  EXPECT_LT(rows.rows()[0].order, rows.rows()[1].order);
  EXPECT_LT(rows.rows()[1].order, rows.rows()[2].order);
}

TEST(GpuRows, StreamZeroAndNoStreamAreNoRowZero) {
  Rows rows;
  rows.Add(0, LanesFor({{0, 1, 0}, {0, 1, 1000000}, {0, 1, UINT32_MAX}}));
  EXPECT_EQ(LanesOf(rows, 0, {0, 1, 0}), Tids{1000000});
  EXPECT_EQ(LanesOf(rows, 0, {0, 1, 1000000}), Tids{2000000});
  EXPECT_EQ(LanesOf(rows, 0, {0, 1, UINT32_MAX}), Tids{3000000});
  EXPECT_EQ(rows.rows()[0].name, "stream 0");
}

TEST(GpuRows, AllNumbersAreBelowTwoToTheThirtyFirst) {
  std::vector<GpuStream> streams;
  for (uint32_t context = 0; context < 3000; ++context) streams.push_back({0, context, 5});
  for (uint32_t bit = 0; bit < 32; ++bit) streams.push_back({3, 1, (1u << bit) - 1});
  for (uint32_t bit = 0; bit < 32; ++bit) streams.push_back({3, 1, 0u - (1u << bit)});
  Rows rows;
  rows.Add(0, LanesFor(streams, 2));
  EXPECT_GE(rows.rows().size(), 2 * 3000u);
  for (const GpuRows::Row& row : rows.rows()) {
    EXPECT_GT(row.tid, 0u);
    EXPECT_LT(row.tid, 1u << 31);
  }
}

TEST(GpuRows, DevicesAreKnownByTheFirstWhoTold) {
  SourceSurvey first(kCuda), second(kCuda);
  DeviceFacts facts{};
  facts.multiprocessors = 132;
  first.devices.OnDevice(0, facts, "A");
  second.devices.OnDevice(0, facts, "B");
  second.devices.OnDevice(1, facts, "C");
  second.devices.OnDevice(256, facts, "beyond");
  Rows rows;
  rows.Add(0, first, DeviceLanes());
  rows.Add(1, second, DeviceLanes());
  ASSERT_EQ(rows.devices().size(), 2u);
  EXPECT_EQ(rows.devices().at(0).name, "A");
  EXPECT_EQ(rows.devices().at(1).facts.multiprocessors, 132u);
  EXPECT_TRUE(rows.rows().empty());  // none of them worked
}

TEST(GpuRows, ManyContextsWithOneStreamNumber) {
  DeviceLanes lanes;
  for (uint32_t context = 0; context < 50000; ++context) {
    DeviceOpRecord op{};
    op.end = 1;
    op.context = context;
    op.stream = 7;
    lanes.Place(op);
  }
  Rows rows;
  rows.Add(0, lanes);
  EXPECT_EQ(rows.rows().size(), 50000u);
}

// HTA and Kineto's readers know a GPU by its number.
TEST(GpuRows, DevicesOfAnotherSourceStandApart) {
  constexpr Source kOther = 14;  // nobody's
  SourceSurvey cuda(kCuda), other(kOther);
  cuda.devices.OnDevice(0, DeviceFacts{}, "A");
  other.devices.OnDevice(0, DeviceFacts{}, "B");
  Rows rows;
  rows.AddSource(kOther);
  rows.Add(0, cuda, LanesFor({{0, 1, 7}}));
  rows.Add(5, other, LanesFor({{0, 1, 7}}), kOther);
  EXPECT_EQ(LanesOf(rows, 0, {0, 1, 7}), Tids{7});
  EXPECT_EQ(LanesOf(rows, 5, {0, 1, 7}), Tids{7});
  ASSERT_EQ(rows.rows().size(), 2u);
  const uint32_t pid = rows.rows()[1].pid;
  EXPECT_EQ(rows.rows()[0].pid, 0u);
  EXPECT_EQ(pid, kOtherDevices + kDevicesOfSource);
  EXPECT_EQ(rows.Label(0), "GPU 0");
  EXPECT_EQ(rows.Label(pid), "unknown GPU 0");
  EXPECT_EQ(rows.devices().at(pid).name, "B");
  EXPECT_NE(rows.OverheadRow(kCuda), rows.OverheadRow(kOther));
}

// A week of kernels: the rows are told still, the places would fill the memory.
TEST(DeviceLanes, PlacesAreBounded) {
  DeviceLanes lanes(3);
  DeviceOpRecord op{};
  for (uint64_t i = 1; i <= 100; ++i) {
    op.begin = op.end;
    op.end = op.begin + 1000;
    lanes.Place(op);
    EXPECT_EQ(lanes.places.size(), i <= 3 ? i : 0);
  }
  ASSERT_EQ(lanes.streams.size(), 1u);
  EXPECT_EQ(lanes.streams.begin()->second.lanes(), 1u);
}

}  // namespace
}  // namespace syncline
