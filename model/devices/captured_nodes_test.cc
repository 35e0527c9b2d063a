// SPDX-License-Identifier: Apache-2.0
// Nodes and their clones, and spools that lie about them.
#include "model/devices/captured_nodes.h"

#include <gtest/gtest.h>

#include "inject/core/domain_marks.h"
#include "model/spool/spool_reader.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

using testing::kRangeSource;
using testing::kSource;
using testing::RecordBatch;
using testing::SpoolBuilder;

class Captured : public ::testing::Test {
 protected:
  // The operators' domain is 1, `forward` and `aten::mm` are names.
  static RecordBatch Begun() {
    RecordBatch batch;
    batch.Stream(1, 4210, true);
    batch.Text(RecordKind::kDomain, 1, 77, "aten", kDomainOfOperators, kRangeSource);
    batch.Name(1, "forward").Name(2, "aten::linear").Name(3, "aten::mm");
    return batch;
  }

  SpoolDamage Read(const RecordBatch& batch) {
    const testing::Scratch scratch;
    const std::string path = scratch.path() + "/a.spool";
    SpoolBuilder().Process(testing::PlausibleProcess()).Records(0, batch).Save(path);
    SpoolReader reader;
    EXPECT_TRUE(reader.Open(path).ok());
    EXPECT_TRUE(reader.Read(&nodes).ok());
    return reader.damage();
  }

  CapturedNodes nodes;
};

constexpr NodeRange kForward{1, 0, 0, kRangeSource, {}};
constexpr NodeRange kLinear{2, 0, 1, kRangeSource, {}};
constexpr NodeRange kProduct{3, 0, 1, kRangeSource, {}};

TEST_F(Captured, ACloneOfACloneDoesWhatTheFirstOneDoes) {
  const NodeRange ranges[] = {kForward, kLinear, kProduct};
  RecordBatch batch = Begun();
  batch.GraphNode(13, 12).GraphNode(11, 0, ranges).GraphNode(12, 11);
  EXPECT_EQ(Read(batch).records_damaged, 0u);
  const CapturedNodes::Node* clone = nodes.Find(kSource, 13);
  ASSERT_NE(clone, nullptr);
  EXPECT_EQ(clone->made, 11u);
  EXPECT_EQ(clone->work, nodes.Find(kSource, 11)->work);
  EXPECT_EQ(clone->work->ranges, std::vector<std::string>{"forward"});
  ASSERT_EQ(clone->work->operators.size(), 2u);
  EXPECT_EQ(clone->work->operators[1].name, "aten::mm");
  EXPECT_EQ(clone->work->operators[1].domain, "aten");
  EXPECT_EQ(nodes.Find(kRangeSource, 13), nullptr) << "another source's";
}

TEST_F(Captured, NodesThatSayTheSameShareIt) {
  RecordBatch batch = Begun();
  batch.GraphNode(11, 0, std::span(&kForward, 1)).GraphNode(12, 0, std::span(&kForward, 1));
  Read(batch);
  EXPECT_EQ(nodes.Find(kSource, 11)->work, nodes.Find(kSource, 12)->work);
}

TEST_F(Captured, TheLastNodeOfANumberCounts) {
  RecordBatch batch = Begun();
  batch.GraphNode(11, 0, std::span(&kForward, 1)).GraphNode(11, 0, std::span(&kProduct, 1));
  batch.GraphNode(12, 0).GraphNode(12, 99).GraphNode(14, 15).GraphNode(15, 14);
  Read(batch);
  EXPECT_TRUE(nodes.Find(kSource, 11)->work->ranges.empty());
  EXPECT_EQ(nodes.Find(kSource, 12), nullptr) << "a clone of what nobody knows";
  EXPECT_EQ(nodes.Find(kSource, 14), nullptr) << "a clone of itself";
}

TEST_F(Captured, WhatIsDamagedIsCounted) {
  RecordBatch batch = Begun();
  batch.GraphNode(0, 0).GraphNode(11, 0, std::span(&kForward, 1));
  const std::vector<NodeRange> many(kMostNodeRanges + 1, kForward);
  batch.GraphNode(12, 0, many);
  NodeRange of_nobody = kForward;
  of_nobody.source = 255;
  batch.GraphNode(13, 0, std::span(&of_nobody, 1));
  EXPECT_EQ(Read(batch).records_damaged, 3u);
  EXPECT_NE(nodes.Find(kSource, 11), nullptr);
  EXPECT_EQ(nodes.Find(kSource, 13), nullptr);
}

}  // namespace
}  // namespace syncline
