// SPDX-License-Identifier: Apache-2.0
// What PyTorch's matrix products, convolutions and attentions compute, by their inputs.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "collectors/torch/facts/argument_values.h"
#include "model/devices/operator_cost.h"

namespace syncline::torch {

// As torch.utils.flop_counter counts: two for a multiplication and the addition behind it, bias and
// masks left out. Nothing: no such operator, or its inputs do not tell. `bytes`: argument_words.h.
std::optional<OperatorCost> WorkOfOperator(std::string_view name, std::string_view bytes);

// Its kinds; of names without "aten::".
std::optional<OperatorCost> WorkOfProduct(std::string_view name, std::string_view bytes);
std::optional<OperatorCost> WorkOfConvolution(std::string_view name, std::string_view bytes);
std::optional<OperatorCost> WorkOfAttention(std::string_view name, std::string_view bytes);

using ArgumentValues = std::span<const ArgumentValue>;

// The row of an operator in a kind's table; null: it is none of that kind.
template <typename Row>
const Row* FindRow(std::span<const Row> table, std::string_view name) {
  for (const Row& row : table) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// Never more than UINT64_MAX, which stands for all that is more.
uint64_t Times(std::initializer_list<uint64_t> factors);
uint64_t Plus(uint64_t a, uint64_t b);

// Null: there is none, or it is no tensor with so many sizes (0: any number).
const ArgumentValue* TensorAt(ArgumentValues inputs, size_t at, size_t dims = 0);
uint64_t SizeOf(const ArgumentValue& tensor, size_t dim);
NumberFormat FormatOf(const ArgumentValue& tensor);

// Adds up bytes; one that is not known makes the sum unknown.
class ByteSum {
 public:
  // What it has in memory: a dimension with the stride 0 is there once.
  ByteSum& Read(const ArgumentValue* tensor);
  ByteSum& Add(uint64_t elements, uint64_t type);
  std::optional<uint64_t> sum() const { return known_ ? std::optional(sum_) : std::nullopt; }

 private:
  uint64_t sum_ = 0;
  bool known_ = true;
};

}  // namespace syncline::torch
