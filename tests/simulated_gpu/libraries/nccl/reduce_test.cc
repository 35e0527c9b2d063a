// SPDX-License-Identifier: Apache-2.0
// Reductions of each kind and of the types that need care.
#include "tests/simulated_gpu/libraries/nccl/reduce.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace simgpu::nccl {
namespace {

template <typename T>
std::vector<T> Reduced(DataType type, Reduction reduction, std::vector<std::vector<T>> inputs) {
  std::vector<const char*> pointers;
  for (const std::vector<T>& input : inputs)
    pointers.push_back(reinterpret_cast<const char*>(input.data()));
  std::vector<T> output(inputs[0].size());
  Reduce(type, reduction, pointers, reinterpret_cast<char*>(output.data()), output.size());
  return output;
}

TEST(NcclReduce, DoesWhatTheReductionSays) {
  const std::vector<std::vector<float>> inputs{{1, -2, 3}, {4, 5, -6}};
  const auto of = [&](Reduction reduction) { return Reduced(kFloat32, reduction, inputs); };
  EXPECT_EQ(of(kSum), (std::vector<float>{5, 3, -3}));
  EXPECT_EQ(of(kProd), (std::vector<float>{4, -10, -18}));
  EXPECT_EQ(of(kMax), (std::vector<float>{4, 5, 3}));
  EXPECT_EQ(of(kMin), (std::vector<float>{1, -2, -6}));
  EXPECT_EQ(of(kAverage), (std::vector<float>{2.5f, 1.5f, -1.5f}));
}

TEST(NcclReduce, KeepsWideIntegersWhole) {
  const int64_t large = (int64_t{1} << 53) + 1;
  EXPECT_EQ(Reduced<int64_t>(kInt64, kSum, {{large}, {large}, {-large}})[0], large);
  EXPECT_EQ(Reduced<uint8_t>(kUint8, kMax, {{200}, {100}})[0], 200);
  EXPECT_EQ(Reduced<int8_t>(kInt8, kMax, {{-56}, {100}})[0], 100);
}

TEST(NcclReduce, RoundsHalfPrecisionToTheNearest) {
  const uint16_t one = 0x3c00, least = 0x0001, most = 0x7bff, infinity = 0x7c00, half_ulp = 0x1000;
  EXPECT_EQ(Reduced<uint16_t>(kFloat16, kSum, {{one, least, most}, {one, least, most}}),
            (std::vector<uint16_t>{0x4000, 0x0002, infinity}));
  EXPECT_EQ(Reduced<uint16_t>(kFloat16, kSum, {{one}, {half_ulp}})[0], one);       // a tie, to even
  EXPECT_EQ(Reduced<uint16_t>(kFloat16, kProd, {{0xc000}, {0x4200}})[0], 0xc600);  // -2 * 3
  EXPECT_EQ(Reduced<uint16_t>(kBfloat16, kSum, {{0x3f80, 0x3f80}, {0x4000, 0x3b80}}),
            (std::vector<uint16_t>{0x4040, 0x3f80}));
}

TEST(NcclReduce, ScalesByANumberOfTheSameType) {
  std::vector<double> data{2, 3};
  const double factor = 0.5;
  Scale(kFloat64, &factor, reinterpret_cast<char*>(data.data()), data.size());
  EXPECT_EQ(data, (std::vector<double>{1, 1.5}));
}

}  // namespace
}  // namespace simgpu::nccl
