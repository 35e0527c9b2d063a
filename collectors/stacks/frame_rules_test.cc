// SPDX-License-Identifier: Apache-2.0
// Tables that are damaged lead nowhere, and expressions that do not end, end.
#include "collectors/stacks/frame_rules.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "collectors/stacks/frame_expression.h"

namespace syncline::stacks {
namespace {

// A copy of this program's tables at the same distance from code that is not there.
class CopiedTables : public ::testing::Test {
 protected:
  void SetUp() override {
    PrepareModules();
    const auto here = reinterpret_cast<uintptr_t>(&Damage);
    ASSERT_TRUE(FindModule(here, &module_));
    ASSERT_NE(module_.frame_index, 0u);
    FrameRules rules;
    ForeignTables memory;
    ASSERT_TRUE(RulesAt(module_, here, &memory, &rules));
    ASSERT_EQ(rules.function, here);
    // The index stands in front of the tables, and both are in one part of the file.
    size_ = std::min<size_t>(module_.end - module_.frame_index, 4 << 20);
    bytes_.reset(new uint8_t[size_]);
    ASSERT_TRUE(memory.Copy(module_.frame_index, bytes_.get(), size_));
    copy_ = module_;
    copy_.begin = copy_.frame_index = reinterpret_cast<uintptr_t>(bytes_.get());
    copy_.end = copy_.begin + size_;
    moved_ = copy_.begin - module_.frame_index;
  }

  static void Damage(uint8_t* byte, uint32_t random) {
    *byte = static_cast<uint8_t>(random % 3 == 0 ? 0xff : random >> 8);
  }

  LoadedModule module_, copy_;
  std::unique_ptr<uint8_t[]> bytes_;
  size_t size_ = 0;
  uintptr_t moved_ = 0;
};

TEST_F(CopiedTables, LeadNowhereWhereTheyAreDamaged) {
  std::mt19937 random(7);
  uint64_t found = 0;
  StackMemory memory;
  const uint64_t registers[kRegisters] = {};
  const auto code = reinterpret_cast<uintptr_t>(&Damage);
  for (int round = 0; round < 3000; ++round) {
    const size_t at = round % 2 == 0 ? random() % 64 : random() % size_;
    const uint8_t before = bytes_[at];
    if (round != 0) Damage(&bytes_[at], static_cast<uint32_t>(random()));
    for (int i = 0; i < 20; ++i) {
      FrameRules rules;
      memory.Begin({});
      const uintptr_t address = code + moved_ + random() % 4096 - 2048;
      if (!RulesAt(copy_, address, memory.foreign(), &rules)) continue;
      ++found;
      for (const Rule& rule : rules.of) {
        if (rule.how != How::kAtExpression && rule.how != How::kIsExpression) continue;
        uint64_t value;
        Evaluate(static_cast<uint64_t>(rule.value), copy_.end, registers, nullptr, &memory, &value);
      }
    }
    bytes_[at] = before;
  }
  EXPECT_GT(found, 1000u);
}

TEST_F(CopiedTables, EndWhereTheModuleEnds) {
  const auto code = reinterpret_cast<uintptr_t>(&Damage);
  uint32_t rows;
  std::memcpy(&rows, bytes_.get() + 8, sizeof(rows));
  const size_t index = 12 + size_t{rows} * 8;
  for (size_t bytes = 0; bytes < std::min<size_t>(index, 4096); ++bytes) {
    const std::unique_ptr<uint8_t[]> cut(new uint8_t[bytes]);
    std::memcpy(cut.get(), bytes_.get(), bytes);
    LoadedModule module = copy_;
    module.begin = module.frame_index = reinterpret_cast<uintptr_t>(cut.get());
    module.end = module.begin + bytes;
    FrameRules rules;
    const uintptr_t moved = module.begin - module_.frame_index;
    ForeignTables memory;
    EXPECT_FALSE(RulesAt(module, code + moved, &memory, &rules)) << bytes;
  }
}

// Tables of one function, written by hand. Its code is said to lie at the index's begin.
class WrittenTables : public ::testing::Test {
 protected:
  template <typename T>
  void Put(T value) {
    const auto* bytes = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), bytes, bytes + sizeof(value));
  }
  bool Rules(const std::vector<uint8_t>& common, const std::vector<uint8_t>& own,
             FrameRules* rules) {
    bytes_.clear();
    for (const int byte : {1, 0x03, 0x03, 0x3b})
      Put(static_cast<uint8_t>(byte));  // the index; its tables: anywhere
    Put(uint32_t{0});
    Put(uint32_t{1});
    Put(int32_t{0});
    const size_t row = bytes_.size();
    Put(int32_t{0});
    const size_t cie = bytes_.size();
    Put(static_cast<uint32_t>(13 + common.size()));
    Put(uint32_t{0});
    for (const int byte : {1, 0x7a, 0x52, 0, 1, 0x78, 16, 1, 0x00})  // "zR"
      Put(static_cast<uint8_t>(byte));
    bytes_.insert(bytes_.end(), common.begin(), common.end());
    const auto fde = static_cast<int32_t>(bytes_.size());
    Put(static_cast<uint32_t>(21 + own.size()));
    Put(static_cast<uint32_t>(bytes_.size() - cie));
    const size_t function = bytes_.size();
    Put(uint64_t{0});
    Put(uint64_t{64});
    Put(uint8_t{0});
    bytes_.insert(bytes_.end(), own.begin(), own.end());
    std::memcpy(&bytes_[row], &fde, sizeof(fde));
    const auto begin = reinterpret_cast<uintptr_t>(bytes_.data());
    std::memcpy(&bytes_[function], &begin, sizeof(begin));
    const LoadedModule module = {begin, begin + bytes_.size(), begin};
    ForeignTables memory;
    return RulesAt(module, begin + 4, &memory, rules);
  }

  std::vector<uint8_t> bytes_;
  const std::vector<uint8_t> usual_{0x0c, 7, 8, 0x90, 1};  // rsp + 8, the return address below
};

TEST_F(WrittenTables, AreRunUpToTheAddress) {
  FrameRules rules;
  // push rbp at 1; mov rsp, rbp at 4; what is said of 5 does not hold yet.
  ASSERT_TRUE(Rules(usual_, {0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x41, 0x0e, 99}, &rules));
  EXPECT_EQ(rules.frame_register, kRbp);
  EXPECT_EQ(rules.frame.value, 16);
  EXPECT_EQ(rules.of[kRbp].how, How::kAtOffset);
  EXPECT_EQ(rules.of[kRbp].value, -16);
  EXPECT_EQ(rules.of[kReturn].value, -8);
  EXPECT_EQ(rules.of[kRbx].how, How::kSame);
  EXPECT_EQ(rules.function_end - rules.function, 64u);
}

TEST_F(WrittenTables, RestoreWhatHeldAtTheFunctionsBegin) {
  FrameRules rules;
  ASSERT_TRUE(Rules(usual_, {0x83, 4, 0x0a, 0xc3, 0x0e, 32, 0x0b}, &rules));
  EXPECT_EQ(rules.of[kRbx].value, -32) << "remembered";
  EXPECT_EQ(rules.frame.value, 8);
  ASSERT_TRUE(Rules(usual_, {0x83, 4, 0xc3}, &rules));
  EXPECT_EQ(rules.of[kRbx].how, How::kSame);
}

TEST_F(WrittenTables, RestoreNothingBeforeTheFunctionsBegin) {
  FrameRules rules;
  std::memset(static_cast<void*>(&rules), 0x55, sizeof(rules));
  std::vector<uint8_t> common = usual_;
  for (const int byte : {0xc3, 0x06, 12}) common.push_back(static_cast<uint8_t>(byte));
  ASSERT_TRUE(Rules(common, {}, &rules));
  EXPECT_EQ(rules.of[kRbx].how, How::kSame);
  EXPECT_EQ(rules.of[kR12].how, How::kSame);
}

TEST_F(WrittenTables, AreLeftWhereTheyAreNotAsExpected) {
  FrameRules rules;
  EXPECT_FALSE(Rules(usual_, {0x0b}, &rules)) << "restores what was not remembered";
  EXPECT_FALSE(Rules(usual_, {0x0a, 0x0a, 0x0a}, &rules)) << "remembers without end";
  EXPECT_FALSE(Rules(usual_, {0x0d, 40}, &rules)) << "a register that is not there";
  EXPECT_FALSE(Rules(usual_, {0x16, 3, 100}, &rules)) << "an expression behind the end";
  EXPECT_FALSE(Rules(usual_, {0x3c}, &rules)) << "an instruction that is not known";
}

bool Work(std::vector<uint8_t> code, uint64_t* value, const uint64_t* first = nullptr) {
  uint64_t registers[kRegisters] = {};
  registers[kRbp] = 1000;
  code.insert(code.begin(), static_cast<uint8_t>(code.size()));
  StackMemory memory;
  memory.Begin({});
  const auto begin = reinterpret_cast<uintptr_t>(code.data());
  return Evaluate(begin, begin + code.size(), registers, first, &memory, value);
}

TEST(Expression, WorksOutWhatCompilersWrite) {
  uint64_t value = 0;
  const uint64_t first = 5;
  // As of a procedure linkage table: rsp + 8 + ((rip & 15) >= 11) << 3.
  EXPECT_TRUE(Work({0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}, &value));
  EXPECT_EQ(value, 8u);
  EXPECT_TRUE(Work({0x76, 0x78}, &value));  // rbp - 8
  EXPECT_EQ(value, 992u);
  EXPECT_TRUE(Work({0x23, 3}, &value, &first));
  EXPECT_EQ(value, 8u);
  uint64_t kept = 77;
  std::vector<uint8_t> load = {0x0e};
  const auto place = reinterpret_cast<uintptr_t>(&kept);
  for (int i = 0; i < 8; ++i) load.push_back(static_cast<uint8_t>(place >> (8 * i)));
  load.push_back(0x06);
  EXPECT_TRUE(Work(load, &value));
  EXPECT_EQ(value, 77u);
  EXPECT_TRUE(Work({0x31, 0x32, 0x33, 0x17, 0x1c}, &value));  // 1 2 3 rot minus
  EXPECT_EQ(value, static_cast<uint64_t>(1 - 2));
}

TEST(Expression, EndsWhereItCannotGoOn) {
  uint64_t value;
  EXPECT_FALSE(Work({}, &value));
  EXPECT_FALSE(Work({0x06}, &value)) << "of nothing";
  EXPECT_FALSE(Work({0x30, 0x06}, &value)) << "address 0";
  EXPECT_FALSE(Work({0x31, 0x2f, 0xfc, 0xff}, &value)) << "pushes without end";
  EXPECT_FALSE(Work({0x2f, 0xfd, 0xff}, &value)) << "loops without end";
  EXPECT_FALSE(Work({0x2f, 0x80, 0x00}, &value)) << "leaves the expression";
  EXPECT_FALSE(Work({0x8f, 0}, &value)) << "a register that is not there";
  EXPECT_FALSE(Work({0x0e, 1, 2}, &value)) << "half a number";
  EXPECT_FALSE(Work({0xf3}, &value)) << "an operation that is not known";
}

TEST(FrameBytes, NumbersOfAnyLengthEnd) {
  const uint8_t all_more[12] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
  ForeignTables memory;
  const auto more = reinterpret_cast<uintptr_t>(all_more);
  FrameBytes open(&memory, more, more + sizeof(all_more));
  open.TakeUleb();
  EXPECT_TRUE(open.failed());
  const uint8_t minus_two[] = {0x7e};
  memory.Forget();  // it was read before that was written
  const auto minus = reinterpret_cast<uintptr_t>(minus_two);
  FrameBytes small(&memory, minus, minus + 1);
  EXPECT_EQ(small.TakeSleb(), -2);
  EXPECT_TRUE(small.AtEnd());
  EXPECT_FALSE(small.failed());
}

}  // namespace
}  // namespace syncline::stacks
