// SPDX-License-Identifier: Apache-2.0
// Lists of arguments as text, whole ones and bytes that are none.
#include "collectors/torch/facts/argument_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "collectors/torch/argument_words.h"

namespace syncline::torch {
namespace {

std::string TextOf(const std::vector<uint64_t>& words) {
  std::string text;
  AppendArguments({reinterpret_cast<const char*>(words.data()), words.size() * 8}, &text);
  return text;
}

uint64_t Bits(double value) { return std::bit_cast<uint64_t>(value); }

TEST(ArgumentText, HasAnEntryForEachArgument) {
  constexpr uint64_t kFloat = 6, kBFloat16 = 15;
  EXPECT_EQ(
      TextOf({HeadOf(Argument::kTensor, 2, kFloat) | kHasStrides,
              3,
              5,
              7,
              1,
              HeadOf(Argument::kTensor, 1, kBFloat16),
              4,
              HeadOf(Argument::kTensors, 2),
              HeadOf(Argument::kTensor, 0, kFloat) | kHasStrides,
              HeadOf(Argument::kTensor, 1, kFloat) | kHasStrides,
              9,
              1,
              HeadOf(Argument::kScalars, 3),
              HeadOf(Argument::kInt),
              ~uint64_t{0},
              HeadOf(Argument::kSymbol),
              HeadOf(Argument::kNone),
              HeadOf(Argument::kBool),
              1,
              HeadOf(Argument::kSymbol),
              HeadOf(Argument::kOther),
              HeadOf(Argument::kManyTensors, 31)}),
      ", \"Concrete Inputs\": [\"\", \"\", \"\", \"[-1, ?, None]\", \"True\", \"\", \"\", \"\"], "
      "\"Input type\": [\"float\", \"c10::BFloat16\", \"TensorList\", \"ScalarList\", \"Scalar\", "
      "\"Scalar\", \"\", \"TensorList\"], "
      "\"Input Strides\": [[7, 1], [], [[], [1]], [], [], [], [], []], "
      "\"Input Dims\": [[3, 5], [4], [[], [9]], [], [], [], [], []]");
}

TEST(ArgumentText, WritesNumbersAsPyTorchDoes) {
  for (const auto& [value, text] :
       std::vector<std::pair<double, std::string>>{{1, "1."},
                                                   {-3, "-3."},
                                                   {-0.0, "0."},
                                                   {0.1, "0.10000000000000001"},
                                                   {1e18, "1000000000000000000."},
                                                   {1e19, "1e+19"},
                                                   {INFINITY, "inf"},
                                                   {1e-5, "1.0000000000000001e-05"}})
    EXPECT_NE(TextOf({HeadOf(Argument::kDouble), Bits(value)}).find("[\"" + text + "\"]"),
              std::string::npos)
        << text;
  EXPECT_NE(TextOf({HeadOf(Argument::kComplex), Bits(1.5), Bits(-2.25)}).find("[\"1.5-2.25j\"]"),
            std::string::npos);
  EXPECT_NE(TextOf({HeadOf(Argument::kComplex), Bits(0), Bits(2)}).find("[\"0.+2.j\"]"),
            std::string::npos);
}

TEST(ArgumentText, SaysWhatIsCut) {
  const uint64_t one = HeadOf(Argument::kTensor, 1, 4) | kHasStrides;
  EXPECT_EQ(TextOf({HeadOf(Argument::kTensors, 3), one, 2, 1, HeadOf(Argument::kCut)}),
            ", \"Concrete Inputs\": [\"\"], \"Input type\": [\"TensorList\"], \"Input Strides\": "
            "[[[1]]], "
            "\"Input Dims\": [[[2]]], \"Inputs cut\": true");
  EXPECT_NE(
      TextOf({HeadOf(Argument::kInt), 1, HeadOf(Argument::kCut)}).find("\"Inputs cut\": true"),
      std::string::npos);
}

// Whatever they are, the text is a whole one, and not longer than the bytes give cause for.
TEST(ArgumentText, TakesAnyBytes) {
  EXPECT_NE(TextOf({0xff}).find("\"Inputs cut\": true"), std::string::npos);
  for (uint64_t kind = 0; kind < 14; ++kind) {
    for (uint64_t type : {0, 45, 46, 255}) {
      const uint64_t head = kind | type << 8 | uint64_t{0xffff} << 16 | kHasStrides;
      const std::string text = TextOf({head, head, 1, 2});
      EXPECT_LT(text.size(), 1000u);
      EXPECT_EQ(std::ranges::count(text, '['), std::ranges::count(text, ']'));
    }
  }
}

}  // namespace
}  // namespace syncline::torch
