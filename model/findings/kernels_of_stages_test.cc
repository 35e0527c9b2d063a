// SPDX-License-Identifier: Apache-2.0
// Merging kernels of stages in any order gives one result.
#include "model/findings/kernels_of_stages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace syncline {
namespace {

using ByName = std::map<RangeKey, std::map<OpKey, StageKernel>>;

const OpKey kFirstKernel{"x", "first"}, kSecondKernel{"x", "second"};

StageKernel Kernel(uint64_t launches) {
  return {{launches, 10 * launches, 3 * launches}, {1, 10, 3}};
}

// Each names its kernels in another order, and has another one of its own.
KernelsOfStages OfRank(uint64_t rank) {
  KernelsOfStages stages;
  const OpKey own{"x", "own " + std::to_string(rank)};
  std::vector<OpKey> kernels = {kFirstKernel, kSecondKernel, own};
  std::rotate(kernels.begin(), kernels.begin() + static_cast<ptrdiff_t>(rank % 3), kernels.end());
  KernelList list;
  for (const OpKey& kernel : kernels)
    list.kernels.emplace_back(stages.NumberOf(kernel), Kernel(rank + 1));
  stages.Add({"r", "", "step"}, list);
  stages.Add({"r", "", rank % 2 == 0 ? "even" : "odd"},
             {{{stages.NumberOf(kSecondKernel), Kernel(7)}}});
  return stages;
}

TEST(KernelsOfStagesTest, TheOrderOfMergingDoesNotMatter) {
  std::vector<uint64_t> ranks = {0, 1, 2, 3};
  KernelsOfStages first;
  for (const uint64_t rank : ranks) first.Add(OfRank(rank));
  const ByName whole = first.ByName();
  const auto& step = whole.at({"r", "", "step"});
  EXPECT_EQ(step.size(), 6u);
  EXPECT_EQ(step.at(kFirstKernel), (StageKernel{{10, 100, 30}, {4, 40, 12}}));
  EXPECT_EQ(step.at({"x", "own 3"}), Kernel(4));
  EXPECT_EQ(whole.at({"r", "", "odd"}).at(kSecondKernel).all.launches, 14u);
  while (std::next_permutation(ranks.begin(), ranks.end())) {
    KernelsOfStages sums;
    for (const uint64_t rank : ranks) sums.Add(OfRank(rank));
    EXPECT_EQ(sums.ByName(), whole);
  }
}

TEST(KernelsOfStagesTest, NamesThatAreFoldedSomewhereAreFolded) {
  KernelsOfStages stages;
  for (const char* name : {"layer 1", "layer #", "layer 23", "tail 4"})
    stages.Add({"r", "", name}, {{{stages.NumberOf(kFirstKernel), Kernel(2)}}});
  stages.FoldNames();
  const ByName folded = stages.ByName();
  EXPECT_EQ(folded.size(), 2u);
  EXPECT_EQ(folded.at({"r", "", "layer #"}).at(kFirstKernel).all.launches, 6u);
  EXPECT_EQ(folded.at({"r", "", "tail 4"}).at(kFirstKernel).all.launches, 2u);
}

}  // namespace
}  // namespace syncline
