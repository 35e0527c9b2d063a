// SPDX-License-Identifier: Apache-2.0
// Calls of run_backward are told from their begin to their end, whatever they return.
#include "collectors/torch/backward.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "inject/core/helped_calls.h"

namespace {

std::string g_told;  // in order

}  // namespace

// As the interpreter's.
extern "C" {
void* PyEval_SaveThread();
void PyEval_RestoreThread(void* state);
}
void* PyEval_SaveThread() {
  g_told += "save ";
  return &g_told;
}
void PyEval_RestoreThread(void* state) {
  g_told += state == &g_told ? "restore " : "restore another ";
}

namespace syncline::torch {
namespace {

// A null is an exception of Python's.
void* RunOriginal(void* self, void* arguments, void* keywords) {
  g_told += "run ";
  return arguments == nullptr || keywords == nullptr ? nullptr : self;
}

uint64_t TellBegin(const HelperCode& helpers) {
  const auto code = reinterpret_cast<uintptr_t>(&RunOriginal);
  g_told += code >= helpers.begin && code < helpers.end ? "begin " : "begin elsewhere ";
  return 7;
}
uint64_t TellNothing(const HelperCode&) {
  g_told += "nothing ";
  return 0;
}
bool TellEnd(uint64_t call) {
  g_told += "end " + std::to_string(call) + " ";
  return false;
}
bool TellHeldUp(uint64_t call) { return !TellEnd(call); }

constexpr char kNames[] = "run_backward";
uintptr_t g_table[8];

class Backward : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto* method = reinterpret_cast<Method*>(g_table + 2);
    *method = {kNames, reinterpret_cast<void*>(&RunOriginal), kArgumentsAndKeywords, nullptr};
    Image image;
    const auto part = [&](const void* begin, size_t bytes, bool writable, bool executable) {
      const auto at = reinterpret_cast<uintptr_t>(begin);
      image.parts[image.count++] = {at, at + bytes, writable, executable};
    };
    part(kNames, sizeof(kNames), false, false);
    part(reinterpret_cast<const void*>(&RunOriginal), 1, false, true);
    EXPECT_NE(WatchBackward(image, false), nullptr) << "nothing is writable";
    part(g_table, sizeof(g_table), true, false);
    EXPECT_EQ(WatchBackward(image, false), nullptr);
    ASSERT_NE(method->function, reinterpret_cast<void*>(&RunOriginal));
    EXPECT_NE(WatchBackward(image, false), nullptr)
        << "what stands there now is no function of its own";
  }
  void SetUp() override { g_told.clear(); }
  void TearDown() override { TellHelpedCalls(nullptr, nullptr); }

  static void* Call(void* self, void* arguments, void* keywords) {
    auto* method = reinterpret_cast<Method*>(g_table + 2);
    return reinterpret_cast<decltype(&RunOriginal)>(method->function)(self, arguments, keywords);
  }
  char object_ = 0;
};

TEST_F(Backward, IsCalledAlsoWhereNobodyAsks) {
  EXPECT_EQ(Call(&object_, this, this), &object_);
  EXPECT_EQ(g_told, "run ");
}

TEST_F(Backward, IsToldFromBeginToEnd) {
  TellHelpedCalls(TellBegin, TellEnd);
  EXPECT_EQ(Call(&object_, this, this), &object_);
  EXPECT_EQ(g_told, "begin run end 7 ");
}

TEST_F(Backward, EndsAlsoWithAnException) {
  TellHelpedCalls(TellBegin, TellEnd);
  EXPECT_EQ(Call(&object_, this, nullptr), nullptr);
  EXPECT_EQ(g_told, "begin run end 7 ");
}

TEST_F(Backward, GivesWayToAThreadThatWasHeldUp) {
  TellHelpedCalls(TellBegin, TellHeldUp);
  EXPECT_EQ(Call(&object_, this, this), &object_);
  EXPECT_EQ(g_told, "begin run end 7 save restore ");
}

TEST_F(Backward, WhatDidNotBeginDoesNotEnd) {
  TellHelpedCalls(TellNothing, TellEnd);
  EXPECT_EQ(Call(&object_, this, this), &object_);
  EXPECT_EQ(g_told, "nothing run ");
}

}  // namespace
}  // namespace syncline::torch
