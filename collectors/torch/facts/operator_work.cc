// SPDX-License-Identifier: Apache-2.0
// What the kinds of operators share: products that do not overflow, tensors' types and bytes.
#include "collectors/torch/facts/operator_work.h"

#include <algorithm>
#include <array>

namespace syncline::torch {
namespace {

// By c10::ScalarType; 0: not whole bytes, or not known.
constexpr std::array<uint8_t, 45> kBytesOfType = {1, 1, 2, 4, 8, 2, 4, 8, 4, 8, 16, 1, 1, 1, 4,
                                                  2, 0, 0, 0, 0, 0, 1, 2, 1, 1, 1,  1, 2, 4, 8,
                                                  0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 1};

constexpr uint64_t kHalf = 5, kFloat = 6, kDouble = 7, kBFloat16 = 15;
constexpr uint64_t kFirstFloat8 = 23, kLastFloat8 = 26;

}  // namespace

uint64_t Times(std::initializer_list<uint64_t> factors) {
  uint64_t product = 1;
  bool more = false;
  for (const uint64_t factor : factors) {
    if (factor == 0) return 0;
    more = __builtin_mul_overflow(product, factor, &product) || more;
  }
  return more ? UINT64_MAX : product;
}

uint64_t Plus(uint64_t a, uint64_t b) {
  uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

const ArgumentValue* TensorAt(ArgumentValues inputs, size_t at, size_t dims) {
  if (at >= inputs.size() || inputs[at].kind != Argument::kTensor) return nullptr;
  const std::vector<int64_t>& sizes = inputs[at].values;
  const bool are_sizes = std::ranges::all_of(sizes, [](int64_t size) { return size >= 0; });
  return are_sizes && (dims == 0 || sizes.size() == dims) ? &inputs[at] : nullptr;
}

uint64_t SizeOf(const ArgumentValue& tensor, size_t dim) {
  return static_cast<uint64_t>(tensor.values[dim]);
}

NumberFormat FormatOf(const ArgumentValue& tensor) {
  if (tensor.type >= kFirstFloat8 && tensor.type <= kLastFloat8) return NumberFormat::kFp8;
  switch (tensor.type) {
    case kDouble:
      return NumberFormat::kFp64;
    case kFloat:
      return NumberFormat::kFp32;
    case kHalf:
      return NumberFormat::kFp16;
    case kBFloat16:
      return NumberFormat::kBf16;
    default:
      return NumberFormat::kOther;
  }
}

ByteSum& ByteSum::Read(const ArgumentValue* tensor) {
  if (tensor == nullptr) return *this;
  uint64_t elements = 1;
  for (size_t i = 0; i < tensor->values.size(); ++i) {
    const bool repeats = !tensor->strides.empty() && tensor->strides[i] == 0;
    elements = Times({elements, repeats && tensor->values[i] != 0 ? 1 : SizeOf(*tensor, i)});
  }
  return Add(elements, tensor->type);
}

ByteSum& ByteSum::Add(uint64_t elements, uint64_t type) {
  const uint64_t bytes = type < kBytesOfType.size() ? kBytesOfType[type] : 0;
  known_ = known_ && bytes != 0;
  sum_ = Plus(sum_, Times({elements, bytes}));
  return *this;
}

std::optional<OperatorCost> WorkOfOperator(std::string_view name, std::string_view bytes) {
  constexpr std::string_view kNamespace = "aten::";
  if (!name.starts_with(kNamespace)) return std::nullopt;
  name.remove_prefix(kNamespace.size());
  for (const auto& work : {WorkOfProduct, WorkOfConvolution, WorkOfAttention}) {
    if (const auto cost = work(name, bytes)) return cost;
  }
  return std::nullopt;
}

}  // namespace syncline::torch
