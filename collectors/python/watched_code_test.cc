// SPDX-License-Identifier: Apache-2.0
// A table of code, held against one of the standard library's.
#include "collectors/python/watched_code.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace syncline::python {
namespace {

Object* At(uintptr_t address) { return reinterpret_cast<Object*>(address); }  // NOLINT

TEST(WatchedCodesTest, KnowsNothingAtFirst) {
  WatchedCodes codes;
  EXPECT_EQ(codes.Find(At(64)), nullptr);
  EXPECT_EQ(codes.Remove(At(64)), nullptr);
}

TEST(WatchedCodesTest, FindsWhatIsThereAndNothingElse) {
  constexpr Chosen kFunctions[7] = {};
  std::mt19937 random(7);
  WatchedCodes codes;
  std::map<uintptr_t, const Chosen*> wanted;
  for (int turn = 0; turn < 200000; ++turn) {
    const uintptr_t code = 0x7f0000000000 + random() % 3000 * 16;
    const auto known = wanted.find(code);
    ASSERT_EQ(codes.Find(At(code)), known == wanted.end() ? nullptr : known->second);
    if (known != wanted.end()) {
      ASSERT_EQ(codes.Remove(At(code)), At(code + 1));
      wanted.erase(known);
    } else if (random() % 4 != 0) {
      const Chosen* function = &kFunctions[random() % 7];
      ASSERT_TRUE(codes.Add({At(code), At(code + 1), function}));
      wanted[code] = function;
    }
    ASSERT_EQ(codes.size(), wanted.size());
  }
  for (const auto& [code, function] : wanted) EXPECT_EQ(codes.Find(At(code)), function);
}

}  // namespace
}  // namespace syncline::python
