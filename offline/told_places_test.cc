// SPDX-License-Identifier: Apache-2.0
// Ranks that say themselves which they are.
#include "offline/told_places.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/text.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

using testing::kStartTicks;
using testing::RecordBatch;

constexpr uint64_t kInt = 5, kUint64 = 18;  // types of fields, as NVTX numbers them

struct Place {
  uint64_t communicator;
  uint32_t ranks, rank;
};

class ToldPlacesTest : public ::testing::Test {
 protected:
  // A process that makes these communicators.
  std::string Save(int pid, int ppid, const std::vector<Place>& places,
                   std::string arguments = {}) {
    RecordBatch batch;
    batch.Stream(1, static_cast<uint32_t>(pid), true)
        .Domain(1, 9, "NCCL")
        .Name(2, "ncclCommInitRank");
    const testing::SchemaField fields[] = {
        {"NCCL communicator ID", kUint64}, {"No. of ranks", kInt, 8}, {"Rank", kInt, 12}};
    batch.Text(RecordKind::kSchema, 1, 1, testing::SerialiseSchema("r", 16, fields), 1,
               kStructSchema);
    uint64_t at = kStartTicks;
    for (const Place& place : places) {
      char bytes[16];
      std::memcpy(bytes, &place.communicator, 8);
      std::memcpy(bytes + 8, &place.ranks, 4);
      std::memcpy(bytes + 12, &place.rank, 4);
      batch.Text(RecordKind::kPayload, 1, at, {bytes, 16}, 1, kSchemaPayload);
      batch.Range(2, at, at + 10, 1, kHasPayload);
      at += 20;
    }
    SpoolProcess process = testing::PlausibleProcess(pid, -1, -1);
    process.facts.ppid = ppid;
    std::memcpy(process.facts.command_line, arguments.data(), arguments.size());
    process.facts.command_line_bytes = static_cast<uint32_t>(arguments.size());
    testing::SpoolBuilder spool;
    spool.Process(process).Records(0, batch).End(kStartTicks + 1000, true, 0);
    return spool.Save(scratch_ / Text(pid));
  }

  // "0/2 - 1/2": ranks and sizes, as told.
  static std::string Told(const std::vector<std::string>& spools) {
    std::string text;
    for (const auto& place : FindToldPlaces(spools))
      text += Text(text.empty() ? "" : " ", place ? Text(place->rank, "/", place->ranks) : "-");
    return text;
  }

  testing::Scratch scratch_;
};

TEST_F(ToldPlacesTest, TheLargestCommunicatorTells) {
  const std::string parent = Save(10, 1, {});
  const std::string first = Save(11, 10, {{77, 4, 2}, {5, 2, 0}});
  const std::string second = Save(12, 10, {{5, 2, 1}, {77, 4, 3}});
  EXPECT_EQ(Told({parent, second, first, ""}), "- 3/4 2/4 -");
}

TEST_F(ToldPlacesTest, WhatARankStartsIsOfThatRank) {
  const std::string parent = Save(10, 1, {});
  const std::string first = Save(11, 10, {{77, 2, 0}});
  const std::string second = Save(12, 10, {{77, 2, 1}});
  const std::string worker = Save(13, 12, {}), its_child = Save(14, 13, {});
  EXPECT_EQ(Told({its_child, worker, parent, first, second}), "1/2 1/2 - 0/2 1/2");
}

TEST_F(ToldPlacesTest, OneProcessOfManyDevicesIsNoRank) {
  const std::string all = Save(11, 10, {{77, 2, 0}, {77, 2, 1}});
  EXPECT_EQ(Told({all, Save(12, 10, {})}), "- -");
  EXPECT_EQ(Told({Save(13, 10, {{78, 1, 0}}), Save(14, 10, {{79, 1, 0}})}), "- -")
      << "each by itself";
}

TEST_F(ToldPlacesTest, WhatIsNoJobsSizeIsNoPlace) {
  EXPECT_EQ(Told({Save(11, 10, {{77, 1 << 21, 0}}), Save(12, 10, {{77, 1 << 21, 1}})}), "- -");
}

TEST_F(ToldPlacesTest, SeveralRunsAfterEachOtherAreNotTakenApart) {
  EXPECT_EQ(Told({Save(11, 10, {{77, 2, 0}}), Save(12, 10, {{77, 2, 0}})}), "- -")
      << "the same place of one communicator twice";
}

TEST_F(ToldPlacesTest, ArgumentsTell) {
  using namespace std::string_literals;
  const std::string first = Save(11, 10, {},
                                 "python\0t.py\0--rank\0"
                                 "0"s);
  const std::string second = Save(12, 10, {}, "python\0t.py\0--local_rank=1\0--x"s);
  const std::string node = Save(13, 10, {},
                                "python\0t.py\0--node_rank\0"
                                "1\0--rank\0x"s);
  EXPECT_EQ(Told({first, second, node}), "0/-1 1/-1 -");
  const std::string twice = Save(14, 10, {}, "python\0t.py\0--rank=1"s);
  EXPECT_EQ(Told({first, second, twice}), "- - -") << "two that call themselves rank 1";
  const std::string far = Save(16, 10, {}, "python\0t.py\0--rank=1048576"s);
  EXPECT_EQ(Told({first, far}), "- -") << "no job has so many";
  const std::string cut = Save(15, 10, {}, "python\0t.py\0--rank"s);
  EXPECT_EQ(Told({first, cut}), "- -");
}

TEST_F(ToldPlacesTest, WhatCannotBeReadHasNone) {
  EXPECT_EQ(Told({"/nowhere", ""}), "- -");
  EXPECT_EQ(Told({}), "");
}

}  // namespace
}  // namespace syncline
