// SPDX-License-Identifier: Apache-2.0
// Paths of modules that are a few structs of ours, with dicts that keep the places of what they
// had, as Python's do.
#include "collectors/torch/module_paths.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/fake_session/fake_session.h"

namespace syncline::torch {
namespace {

struct Made {
  struct Entry {
    std::string key;
    const Made* value;  // null: it was taken out
  };
  std::string of_class;
  bool has_children = true;
  std::vector<Entry> children;

  Made* Put(const char* key, const Made* child) {
    children.push_back({key, child});
    return this;
  }
  void Take(const char* key) {
    for (Entry& entry : children) {
      if (entry.key == key) entry.value = nullptr;
    }
  }
};

int g_dicts;    // that were asked for
int g_entries;  // of them

const PythonObjects kMade = {
    [](const void* object) { return static_cast<const Made*>(object)->of_class.c_str(); },
    [](const void* object) -> const void* {
      ++g_dicts;
      const auto* made = static_cast<const Made*>(object);
      return made->has_children ? &made->children : nullptr;
    },
    [](const void* dict, ptrdiff_t* at, std::string_view* key, const void** value) {
      ++g_entries;
      const auto& all = *static_cast<const std::vector<Made::Entry>*>(dict);
      auto i = static_cast<size_t>(*at);
      while (i < all.size() && all[i].value == nullptr) ++i;
      if (i >= all.size()) return false;
      *key = all[i].key;
      *value = all[i].value;
      *at = static_cast<ptrdiff_t>(i + 1);
      return true;
    }};

class ModulePaths : public ::testing::Test {
 protected:
  Made* New(const char* of_class) {
    all_.push_back(std::make_unique<Made>());
    all_.back()->of_class = of_class;
    return all_.back().get();
  }
  // Called within these, the outermost first.
  static std::string PathOf(const std::vector<const Made*>& around, const Made* module) {
    std::vector<CalledModule> called;
    for (const Made* one : around) called.push_back({one, 0});
    const ModulePath* path = FindModulePath(kMade, called.data(), called.size(), module);
    return path == nullptr ? "(none)" : std::string(path->text, path->bytes);
  }

  std::vector<std::unique_ptr<Made>> all_;
};

TEST_F(ModulePaths, BeginWithTheClassAndGoThroughListsThatNobodyCalls) {
  Made *net = New("Net"), *list = New("ModuleList"), *block = New("Block"), *linear = New("Linear");
  net->Put("layers", list);
  list->Put("0", New("Block"))->Put("1", block);
  block->Put("qkv", linear);
  EXPECT_EQ(PathOf({}, net), "Net");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(PathOf({net}, block), "Net.layers.1");
    EXPECT_EQ(PathOf({net, block}, linear), "Net.layers.1.qkv");
    EXPECT_EQ(PathOf({net}, linear), "Net.layers.1.qkv");
  }
  EXPECT_EQ(PathOf({block}, linear), "Block.qkv");
}

TEST_F(ModulePaths, AKnownWayIsAskedAgainAndNotLookedForAgain) {
  Made *net = New("Net"), *wanted = New("Linear");
  for (int i = 0; i < 100; ++i) net->Put(("c" + std::to_string(i)).c_str(), New("Linear"));
  net->Put("last", wanted);
  CalledModule around = {net, FindModulePath(kMade, nullptr, 0, net)->number};
  FindModulePath(kMade, &around, 1, wanted);
  g_dicts = 0;
  EXPECT_STREQ(FindModulePath(kMade, &around, 1, wanted)->text, "Net.last");
  EXPECT_EQ(g_dicts, 1);
}

TEST_F(ModulePaths, AreThoseOfNowWhereModulesAreReplaced) {
  Made *net = New("Net"), *one = New("Linear"), *other = New("Conv");
  net->Put("a", one);
  EXPECT_EQ(PathOf({net}, one), "Net.a");
  net->Take("a");
  EXPECT_EQ(PathOf({net}, one), "Linear");
  net->Put("b", one)->Put("a", other);
  EXPECT_EQ(PathOf({net}, one), "Net.b") << "it stands near, and is found at once";
  EXPECT_EQ(PathOf({net}, other), "Net.a");
  net->children[0] = {"renamed", one};  // in the place that it had
  net->Take("b");
  EXPECT_EQ(PathOf({net}, one), "Net.renamed");
}

TEST_F(ModulePaths, AnAddressThatComesAgainIsAnotherModule) {
  Made *net = New("Net"), *one = New("Linear"), *list = New("ModuleList");
  net->Put("a", list);
  list->Put("0", one);
  EXPECT_EQ(PathOf({net}, one), "Net.a.0");
  list->Take("0");
  one->of_class = "Conv";
  net->Put("conv", one);
  EXPECT_EQ(PathOf({net}, one), "Net.conv");
}

TEST_F(ModulePaths, OfTwoTheFirstBelowTheInnermostCounts) {
  Made *net = New("Net"), *block = New("Block"), *shared = New("Norm");
  net->Put("block", block)->Put("norm", shared);
  block->Put("first", shared)->Put("second", shared);
  EXPECT_EQ(PathOf({net}, shared), "Net.norm");
  EXPECT_EQ(PathOf({net, block}, shared), "Net.block.first");
}

TEST_F(ModulePaths, WhatIsNotBelowTheInnermostMayBeBelowTheOutermost) {
  Made *net = New("Net"), *loss = New("Loss"), *head = New("Head");
  net->Put("head", head);
  EXPECT_EQ(PathOf({net, loss}, head), "Net.head");
  EXPECT_EQ(PathOf({net}, loss), "Loss");
  EXPECT_EQ(PathOf({net, loss}, loss), "Loss") << "one that calls itself";
}

TEST_F(ModulePaths, WhatIsNotThereIsLookedForEverLessOften) {
  Made *net = New("Net"), *deep = net, *absent = New("Loss");
  for (int i = 0; i < 4; ++i) {
    Made* next = New("Block");
    deep->Put("b", next);
    for (int k = 0; k < 100; ++k) deep->Put(("c" + std::to_string(k)).c_str(), New("Linear"));
    deep = next;
  }
  g_dicts = 0;
  for (int i = 0; i < 1000; ++i) PathOf({net}, absent);
  EXPECT_LT(g_dicts, 15 * 405 + 1000 * 65);
  deep->Put("late", absent);
  std::string path;
  int calls = 0;
  do path = PathOf({net}, absent);
  while (path == "Loss" && ++calls < 3000);
  EXPECT_EQ(path, "Net.b.b.b.b.late");
}

TEST_F(ModulePaths, CirclesAndObjectsWithoutChildrenEnd) {
  Made *net = New("Net"), *plain = New("int"), *absent = New("Loss");
  plain->has_children = false;
  net->Put("self", net)->Put("plain", plain);
  EXPECT_EQ(PathOf({net}, absent), "Loss");
  EXPECT_EQ(PathOf({net}, net), "Net");
  EXPECT_EQ(PathOf({plain}, net), "Net");
}

TEST_F(ModulePaths, ManyAreKnownAtATime) {
  constexpr int kBlocks = 50, kInBlock = 100;
  Made* net = New("Net");
  std::vector<const Made*> blocks, leaves;
  for (int i = 0; i < kBlocks; ++i) {
    Made* block = New("Block");
    net->Put(std::to_string(i).c_str(), block);
    blocks.push_back(block);
    for (int k = 0; k < kInBlock; ++k) {
      leaves.push_back(New("Linear"));
      block->Put(std::to_string(k).c_str(), leaves.back());
    }
  }
  const auto run = [&] {
    g_entries = 0;
    for (int i = 0; i < kBlocks * kInBlock; ++i) {
      const std::string path = PathOf({net, blocks[i / kInBlock]}, leaves[i]);
      EXPECT_EQ(path, "Net." + std::to_string(i / kInBlock) + "." + std::to_string(i % kInBlock));
    }
    return g_entries;
  };
  EXPECT_GT(run(), kBlocks * kInBlock * kInBlock / 2);
  for (int i = 0; i < 12; ++i) run();
  EXPECT_LT(run(), kBlocks * kInBlock * 10) << "most were asked where they stood before";
}

TEST_F(ModulePaths, WhatWouldBeTooLongBeginsAnew) {
  Made* net = New(std::string(990, 'N').c_str());
  Made *one = New("Linear"), *other = New("Linear");
  net->Put("short", one)->Put("a long key", other);
  EXPECT_EQ(PathOf({net}, one).size(), 996u);
  EXPECT_EQ(PathOf({net}, other), "Linear");
}

}  // namespace
}  // namespace syncline::torch
