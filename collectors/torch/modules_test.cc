// SPDX-License-Identifier: Apache-2.0
// Calls of modules as whoever watches Python's functions tells them: nested, left out of order, and
// with a closed gate.
#include "collectors/torch/modules.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "inject/core/emit.h"
#include "inject/core/watched_method.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/trace.h"

namespace syncline::torch {
namespace {

using test::ReadTrace;
using test::Trace;
using test::TraceEvent;

struct Child {
  const char* key;
  const void* module;
};
struct Small {
  const char* of_class;
  std::array<Child, 2> children;
};

constexpr PythonObjects kSmall = {
    [](const void* object) { return static_cast<const Small*>(object)->of_class; },
    [](const void* object) -> const void* {
      return static_cast<const Small*>(object)->children.data();
    },
    [](const void* dict, ptrdiff_t* at, std::string_view* key, const void** value) {
      const auto* children = static_cast<const Child*>(dict);
      if (*at >= 2 || children[*at].module == nullptr) return false;
      *key = children[*at].key;
      *value = children[*at].module;
      ++*at;
      return true;
    }};

constexpr Small kLeaf = {"Linear", {}};
constexpr Small kOther = {"Linear", {}};
constexpr Small kNet = {"Net", {Child{"a", &kLeaf}, Child{"b", &kOther}}};

class Modules : public ::testing::Test {
 protected:
  void SetUp() override {
    test::ResetSession();
    WatchModules();
    method_ = MethodToWatch();
    ASSERT_NE(method_, nullptr);
  }
  void TearDown() override {
    EXPECT_EQ(ReadTrace().errors, std::vector<std::string>());
    EXPECT_EQ(test::AllLosses(), 0u);
    uint32_t depth;
    test::OpenRanges(&depth);
    EXPECT_EQ(depth, 0u);
  }
  void Enter(const Small& module) { method_->begins(kSmall, &module); }
  void Leave(const Small& module) { method_->ends(&module); }
  static std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const TraceEvent& event : ReadTrace().Of(RecordKind::kRange)) names.push_back(event.name);
    return names;
  }

  const WatchedMethod* method_ = nullptr;
};

TEST_F(Modules, NestInTheirDomain) {
  Enter(kNet);
  Enter(kLeaf);
  Leave(kLeaf);
  Enter(kOther);
  Leave(kOther);
  Leave(kNet);
  EXPECT_EQ(Names(), (std::vector<std::string>{"Net.a", "Net.b", "Net"}));
  Trace trace = ReadTrace();
  const TraceEvent leaf = trace.One(RecordKind::kRange, "Net.a");
  EXPECT_EQ(leaf.domain, kModulesDomain);
  EXPECT_EQ(leaf.depth, 1u);
  EXPECT_EQ(leaf.attributes.payload_type, static_cast<uint32_t>(PayloadType::kModule));
  const TraceEvent net = trace.One(RecordKind::kRange, "Net");
  EXPECT_NE(net.attributes.payload, leaf.attributes.payload);
  EXPECT_NE(net.attributes.arguments, leaf.attributes.arguments) << "other classes";
  EXPECT_EQ(leaf.attributes.arguments, trace.One(RecordKind::kRange, "Net.b").attributes.arguments);
}

TEST_F(Modules, WhatWasNotLeftEndsWithTheModuleAroundIt) {
  Enter(kNet);
  Enter(kLeaf);
  Leave(kNet);
  Leave(kLeaf);  // as a greenlet does that was switched away from
  EXPECT_EQ(Names(), (std::vector<std::string>{"Net.a", "Net"}));
}

TEST_F(Modules, ARecursionDeeperThanTheStackComesBack) {
  for (uint32_t i = 0; i < kMaxOpenRanges + 3; ++i) Enter(kNet);
  for (uint32_t i = 0; i < kMaxOpenRanges + 3; ++i) Leave(kNet);
  EXPECT_EQ(Names(), std::vector<std::string>(kMaxOpenRanges, "Net"));
  EXPECT_EQ(test::Losses(kLoss_too_deep), 3u);
  test::ResetSession();
}

}  // namespace
}  // namespace syncline::torch
