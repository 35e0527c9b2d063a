// SPDX-License-Identifier: Apache-2.0
// Work of operators against numbers that were worked out by hand, and against inputs that are none.
#include "collectors/torch/facts/operator_work.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>
#include <vector>

#include "collectors/torch/facts/argument_text.h"

namespace syncline::torch {
namespace {

constexpr uint64_t kTypeHalf = 5, kTypeFloat = 6, kTypeFloat8 = 24, kTypeFloat4 = 45;

using Words = std::vector<uint64_t>;

Words TensorOf(std::initializer_list<uint64_t> sizes, uint64_t type = kTypeFloat) {
  Words words = {HeadOf(Argument::kTensor, sizes.size(), type)};
  words.insert(words.end(), sizes);
  return words;
}
Words Strided(std::initializer_list<uint64_t> sizes, std::initializer_list<uint64_t> strides) {
  Words words = TensorOf(sizes);
  words[0] |= kHasStrides;
  words.insert(words.end(), strides);
  return words;
}
Words IntOf(int64_t value) { return {HeadOf(Argument::kInt), static_cast<uint64_t>(value)}; }
Words FlagOf(bool value) { return {HeadOf(Argument::kBool), value ? 1u : 0u}; }
Words IntsOf(std::initializer_list<int64_t> values) {
  Words words = {HeadOf(Argument::kScalars, values.size())};
  for (const int64_t value : values) {
    words.push_back(HeadOf(Argument::kInt));
    words.push_back(static_cast<uint64_t>(value));
  }
  return words;
}
Words FlagsOf(std::initializer_list<bool> values) {
  Words words = {HeadOf(Argument::kScalars, values.size())};
  for (const bool value : values) {
    words.push_back(HeadOf(Argument::kBool));
    words.push_back(value ? 1 : 0);
  }
  return words;
}
const Words kNothing = {HeadOf(Argument::kOther)};

std::optional<OperatorCost> WorkOf(const char* name, std::initializer_list<Words> inputs) {
  std::string bytes;
  for (const Words& words : inputs)
    bytes.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint64_t));
  return WorkOfOperator(name, bytes);
}

uint64_t Flops(const char* name, std::initializer_list<Words> inputs) {
  const auto work = WorkOf(name, inputs);
  return work ? work->flops : 12345;  // what none of them has
}

TEST(OperatorWork, OfProducts) {
  const auto work = WorkOf("aten::mm", {TensorOf({8, 16}), TensorOf({16, 4})});
  ASSERT_TRUE(work);
  EXPECT_EQ(work->flops, 2u * 8 * 16 * 4);
  EXPECT_EQ(work->bytes, 4u * (8 * 16 + 16 * 4 + 8 * 4));
  EXPECT_EQ(work->format, NumberFormat::kFp32);
  EXPECT_EQ(Flops("aten::bmm", {TensorOf({3, 8, 16}), TensorOf({3, 16, 4})}), 3u * 1024);
  EXPECT_EQ(Flops("aten::addmm", {TensorOf({4}), TensorOf({8, 16}), TensorOf({16, 4})}), 1024u);
  EXPECT_EQ(WorkOf("aten::bmm", {TensorOf({3, 8, 16}, kTypeHalf), TensorOf({3, 16, 4}, kTypeHalf),
                                 IntOf(kTypeFloat)})
                ->bytes,
            2u * 3 * (8 * 16 + 16 * 4) + 4u * 3 * 8 * 4)
      << "the type of the result is told";
  EXPECT_EQ(WorkOf("aten::_scaled_mm",
                   {TensorOf({8, 16}, kTypeFloat8), TensorOf({16, 4}, kTypeFloat8), TensorOf({}),
                    TensorOf({}), kNothing, kNothing, IntOf(15), FlagOf(false)})
                ->bytes,
            8u * 16 + 16 * 4 + 2 * 8 * 4);
}

TEST(OperatorWork, WhatIsAddedIsReadOnceAndOnlyWhereItCounts) {
  const Words bias = Strided({8, 4}, {0, 1});
  const auto with = [&](const Words& beta) {
    return WorkOf("aten::addmm", {bias, TensorOf({8, 16}), TensorOf({16, 4}), beta, IntOf(1)})
        ->bytes;
  };
  const uint64_t product = 4u * (8 * 16 + 16 * 4 + 8 * 4);
  EXPECT_EQ(with(IntOf(1)), product + 4 * 4);
  EXPECT_EQ(with(IntOf(0)), product);
  EXPECT_EQ(with({HeadOf(Argument::kDouble), std::bit_cast<uint64_t>(0.0)}), product);
}

TEST(OperatorWork, OfConvolutions) {
  const Words x = TensorOf({2, 4, 21, 19}), w = TensorOf({8, 2, 3, 3});
  const auto work =
      WorkOf("aten::convolution", {x, w, TensorOf({8}), IntsOf({2}), IntsOf({1, 1}), IntsOf({1, 1}),
                                   FlagOf(false), IntsOf({0, 0}), IntOf(2)});
  ASSERT_TRUE(work);
  constexpr uint64_t kPoints = 11 * 10;
  EXPECT_EQ(work->flops, 2u * 2 * kPoints * 8 * 2 * 9);
  EXPECT_EQ(work->bytes, 4u * (2 * 4 * 21 * 19 + 8 * 2 * 9 + 8 + 2 * 8 * kPoints));
  EXPECT_EQ(Flops("aten::cudnn_convolution",
                  {x, w, IntsOf({1, 1}), IntsOf({2, 2}), IntsOf({1, 1}), IntOf(2)}),
            work->flops);
  EXPECT_EQ(Flops("aten::mkldnn_convolution",
                  {x, w, kNothing, IntsOf({1, 1}), IntsOf({2, 2}), IntsOf({1, 1}), IntOf(2)}),
            work->flops);
  const auto transposed =
      WorkOf("aten::convolution",
             {TensorOf({2, 4, 7, 5}), TensorOf({4, 3, 4, 4}), kNothing, IntsOf({3, 3}),
              IntsOf({1, 1}), IntsOf({1, 1}), FlagOf(true), IntsOf({1, 1}), IntOf(2)});
  ASSERT_TRUE(transposed);
  EXPECT_EQ(transposed->flops, 2u * 2 * 35 * 4 * 3 * 16) << "by the points of the input";
  EXPECT_EQ(transposed->bytes, 4u * (2 * 4 * 35 + 4 * 3 * 16 + 2 * 6 * 21 * 15));
  EXPECT_EQ(
      Flops("aten::convolution", {TensorOf({1, 1, 2}), TensorOf({1, 1, 5}), kNothing, IntsOf({1}),
                                  IntsOf({0}), IntsOf({1}), FlagOf(false), IntsOf({0}), IntOf(1)}),
      0u)
      << "the weights reach beyond";
}

TEST(OperatorWork, OfGradientsOfConvolutions) {
  const auto of = [](std::initializer_list<bool> mask) {
    return Flops("aten::convolution_backward",
                 {TensorOf({2, 8, 11, 10}), TensorOf({2, 4, 21, 19}), TensorOf({8, 2, 3, 3}),
                  IntsOf({8}), IntsOf({2, 2}), IntsOf({1, 1}), IntsOf({1, 1}), FlagOf(false),
                  IntsOf({0, 0}), IntOf(2), FlagsOf(mask)});
  };
  constexpr uint64_t kOnce = 2u * 2 * 110 * 8 * 2 * 9;
  EXPECT_EQ(of({true, true, true}), 2 * kOnce);
  EXPECT_EQ(of({true, false, true}), kOnce);
  EXPECT_EQ(of({false, true, false}), kOnce);
  EXPECT_EQ(of({false, false, true}), 0u);
  EXPECT_EQ(of({true, true}), 12345u);
}

TEST(OperatorWork, OfAttention) {
  const Words q = TensorOf({2, 8, 16, 4}, kTypeHalf), k = TensorOf({2, 2, 24, 4}, kTypeHalf),
              v = TensorOf({2, 2, 24, 6}, kTypeHalf), grad = TensorOf({2, 8, 16, 6}, kTypeHalf);
  constexpr uint64_t kScores = 2u * 2 * 8 * 16 * 24;
  EXPECT_EQ(Flops("aten::_scaled_dot_product_flash_attention", {q, k, v}), kScores * (4 + 6));
  EXPECT_EQ(Flops("aten::_scaled_dot_product_flash_attention_backward", {grad, q, k, v}),
            kScores * (3 * 4 + 2 * 6));
  EXPECT_EQ(WorkOf("aten::_scaled_dot_product_flash_attention", {q, k, v})->bytes,
            2u * (2 * 8 * 16 * 4 + 2 * 2 * 24 * 4 + 2 * 2 * 24 * 6 + 2 * 8 * 16 * 6));
  const Words lengths = TensorOf({3}, 3);
  const Words q2 = TensorOf({2, 16, 8, 4}), k2 = TensorOf({2, 24, 8, 4});
  EXPECT_EQ(Flops("aten::_flash_attention_forward", {q2, k2, k2, kNothing, kNothing}),
            kScores * (4 + 4))
      << "heads stand behind the sequence";
  EXPECT_FALSE(WorkOf("aten::_flash_attention_forward", {q2, k2, k2, lengths, lengths}));
  EXPECT_FALSE(WorkOf("aten::_scaled_dot_product_flash_attention", {k, q, v}));
}

TEST(OperatorWork, WhatDoesNotFitIsNotKnown) {
  EXPECT_FALSE(WorkOf("aten::mm", {}));
  EXPECT_FALSE(WorkOf("aten::mm", {TensorOf({8, 16})}));
  EXPECT_FALSE(WorkOf("aten::mm", {TensorOf({8, 16}), TensorOf({15, 4})}));
  EXPECT_FALSE(WorkOf("aten::mm", {TensorOf({8, 16}), TensorOf({16})}));
  EXPECT_FALSE(WorkOf("aten::mm", {TensorOf({8, 16}), {HeadOf(Argument::kTensor, 2), 16}}));
  EXPECT_FALSE(WorkOf("aten::mm", {TensorOf({8, ~uint64_t{0}}), TensorOf({~uint64_t{0}, 4})}));
  EXPECT_FALSE(WorkOf("aten::mm", {kNothing, TensorOf({16, 4})})) << "a symbolic size";
  EXPECT_FALSE(WorkOf("aten::mm", {{HeadOf(Argument::kCut)}}));
  EXPECT_FALSE(
      WorkOf("aten::_scaled_mm", {TensorOf({8, 16}, kTypeFloat4), TensorOf({16, 4}, kTypeFloat4)}));
  EXPECT_FALSE(WorkOf("mm", {TensorOf({8, 16}), TensorOf({16, 4})}));
  EXPECT_FALSE(WorkOf("aten::relu", {TensorOf({8, 16})}));
  EXPECT_FALSE(
      WorkOf("aten::convolution", {TensorOf({1, 1, 9}), TensorOf({1, 1, 3}), kNothing, IntsOf({0}),
                                   IntsOf({0}), IntsOf({1}), FlagOf(false), IntsOf({0}), IntOf(1)}))
      << "a stride of nothing";
  EXPECT_EQ(WorkOf("aten::mm", {TensorOf({8, 16}, 200), TensorOf({16, 4}, 200)})->bytes,
            std::nullopt);
}

TEST(OperatorWork, IsNoMoreThanANumberHolds) {
  const uint64_t huge = uint64_t{1} << 40;
  const auto work = WorkOf("aten::mm", {TensorOf({huge, huge}), TensorOf({huge, huge})});
  ASSERT_TRUE(work);
  EXPECT_EQ(work->flops, UINT64_MAX);
  EXPECT_EQ(work->bytes, UINT64_MAX);
  EXPECT_EQ(Flops("aten::mm", {TensorOf({huge, 0}), TensorOf({0, huge})}), 0u);
  EXPECT_FALSE(
      WorkOf("aten::convolution",
             {TensorOf({1, 1, uint64_t{1} << 62}), TensorOf({1, 1, 3}), kNothing, IntsOf({1}),
              IntsOf({INT64_MAX}), IntsOf({INT64_MAX}), FlagOf(false), IntsOf({0}), IntOf(1)}));
}

// Any words: the sanitizers watch.
TEST(OperatorWork, OfBytesThatAreNone) {
  std::mt19937_64 random(7);
  constexpr const char* kNames[] = {"aten::mm",
                                    "aten::baddbmm_",
                                    "aten::convolution",
                                    "aten::convolution_backward",
                                    "aten::slow_conv_transpose2d",
                                    "aten::_flash_attention_backward"};
  for (int i = 0; i < 20000; ++i) {
    std::string bytes;
    const size_t words = random() % 60;
    for (size_t at = 0; at < words; ++at) {
      uint64_t word = random() % 3 == 0 ? random() : random() % 9;
      if (random() % 3 == 0)
        word = HeadOf(static_cast<Argument>(random() % 13), random() % 5, random() % 50) |
               (random() % 2 << 32);
      bytes.append(reinterpret_cast<const char*>(&word), sizeof(word));
    }
    bytes.resize(bytes.size() - std::min<size_t>(bytes.size(), random() % 8));
    for (const char* name : kNames) WorkOfOperator(name, bytes);
    const std::string shapes = ShapesText(bytes);
    EXPECT_TRUE(shapes.starts_with('[') && shapes.ends_with(']')) << shapes;
  }
}

TEST(OperatorWork, ShapesAreThoseOfAllInputs) {
  std::string bytes;
  for (const Words& words : {TensorOf({8, 16}), IntOf(3), TensorOf({})})
    bytes.append(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint64_t));
  EXPECT_EQ(ShapesText(bytes), "[[8, 16], [], []]");
}

}  // namespace
}  // namespace syncline::torch
