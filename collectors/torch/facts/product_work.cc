// SPDX-License-Identifier: Apache-2.0
// Matrix products: m x k by k x n, once or in batches.
#include "collectors/torch/facts/operator_work.h"

namespace syncline::torch {
namespace {

constexpr size_t kNowhere = SIZE_MAX;

struct ProductRow {
  std::string_view name;
  size_t left;                 // where the left matrix stands; the right one is behind it
  size_t dims;                 // of both
  size_t out_type = kNowhere;  // where a type of the result may stand, else it is that of the left
  size_t beta = kNowhere;      // where the factor of what is added stands, which is the first input
  bool sums_batches = false;   // all of a batch are added up
};

constexpr ProductRow kProducts[] = {
    {"mm", 0, 2, 2},
    {"bmm", 0, 3, 2},
    {"addmm", 1, 2, kNowhere, 3},
    {"addmm_", 1, 2, kNowhere, 3},
    {"_addmm_activation", 1, 2, kNowhere, 3},
    {"baddbmm", 1, 3, kNowhere, 3},
    {"baddbmm_", 1, 3, kNowhere, 3},
    {"addbmm", 1, 3, kNowhere, 3, true},
    {"addbmm_", 1, 3, kNowhere, 3, true},
    {"_scaled_mm", 0, 2, 6},
};

// As a number: of a c10::ScalarType.
uint64_t TypeOfResult(const ProductRow& row, ArgumentValues inputs) {
  if (row.left != 0 && TensorAt(inputs, 0) != nullptr) return inputs[0].type;
  if (row.out_type < inputs.size() && inputs[row.out_type].kind == Argument::kInt)
    return static_cast<uint64_t>(inputs[row.out_type].values[0]);
  return inputs[row.left].type;
}

// With a factor of 0 it is not read.
bool ReadsAdded(const ProductRow& row, ArgumentValues inputs) {
  if (row.left == 0) return false;
  const bool told = row.beta < inputs.size() && (inputs[row.beta].kind == Argument::kInt ||
                                                 inputs[row.beta].kind == Argument::kDouble);
  return !told || inputs[row.beta].number != 0;
}

}  // namespace

std::optional<OperatorCost> WorkOfProduct(std::string_view name, std::string_view bytes) {
  constexpr uint64_t kTwoInOneByte = 45;  // Float4_e2m1fn_x2: its sizes are not those of numbers
  const ProductRow* const row = FindRow<ProductRow>(kProducts, name);
  if (row == nullptr) return std::nullopt;
  const std::vector<ArgumentValue> inputs = ReadArgumentValues(bytes);
  const ArgumentValue* const a = TensorAt(inputs, row->left, row->dims);
  const ArgumentValue* const b = TensorAt(inputs, row->left + 1, row->dims);
  if (a == nullptr || b == nullptr || a->type == kTwoInOneByte) return std::nullopt;
  const size_t rows = row->dims - 2, columns = row->dims - 1;
  const uint64_t batch = row->dims == 2 ? 1 : SizeOf(*a, 0);
  const uint64_t m = SizeOf(*a, rows), k = SizeOf(*a, columns), n = SizeOf(*b, columns);
  if (k != SizeOf(*b, rows) || (row->dims == 3 && batch != SizeOf(*b, 0))) return std::nullopt;
  ByteSum moved;
  moved.Read(a).Read(b).Add(Times({row->sums_batches ? 1 : batch, m, n}),
                            TypeOfResult(*row, inputs));
  if (ReadsAdded(*row, inputs)) moved.Read(TensorAt(inputs, 0));
  return OperatorCost{Times({2, batch, m, n, k}), moved.sum(), FormatOf(*a)};
}

}  // namespace syncline::torch
