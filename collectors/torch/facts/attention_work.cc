// SPDX-License-Identifier: Apache-2.0
// Attention: two products forward, five backward. What a mask leaves out counts as if it were
// computed.
#include "collectors/torch/facts/operator_work.h"

namespace syncline::torch {
namespace {

constexpr size_t kNeverTold = SIZE_MAX;

struct AttentionRow {
  std::string_view name;
  size_t query;                 // where it stands; key and value are behind it
  bool backward;                // the gradient of the output is the first input
  bool heads_behind = false;    // sizes are batch, sequence, heads, width
  size_t lengths = kNeverTold;  // where sequences of different lengths are told, if they are
};

constexpr AttentionRow kAttentions[] = {
    {"_scaled_dot_product_flash_attention", 0, false},
    {"_scaled_dot_product_flash_attention_for_cpu", 0, false},
    {"_scaled_dot_product_efficient_attention", 0, false},
    {"_scaled_dot_product_cudnn_attention", 0, false},
    {"_scaled_dot_product_fused_attention_overrideable", 0, false},
    {"_scaled_dot_product_flash_attention_backward", 1, true},
    {"_scaled_dot_product_flash_attention_for_cpu_backward", 1, true},
    {"_scaled_dot_product_efficient_attention_backward", 1, true},
    {"_scaled_dot_product_cudnn_attention_backward", 1, true},
    {"_scaled_dot_product_fused_attention_overrideable_backward", 1, true},
    {"_flash_attention_forward", 0, false, true, 3},
    {"_flash_attention_backward", 1, true, true, 6},
    {"_efficient_attention_forward", 0, false, true, 4},
    {"_efficient_attention_backward", 1, true, true, 6},
};

struct Sizes {
  uint64_t batch, heads, length, width;
};

Sizes SizesOf(const ArgumentValue& tensor, bool heads_behind) {
  return {SizeOf(tensor, 0), SizeOf(tensor, heads_behind ? 2 : 1),
          SizeOf(tensor, heads_behind ? 1 : 2), SizeOf(tensor, 3)};
}

// Several heads of the query may share one of key and value.
bool DoFit(const Sizes& query, const Sizes& key, const Sizes& value) {
  const bool shared = query.heads == key.heads || (key.heads != 0 && query.heads % key.heads == 0);
  return query.batch == key.batch && key.batch == value.batch && key.heads == value.heads &&
         shared && query.width == key.width && key.length == value.length;
}

}  // namespace

std::optional<OperatorCost> WorkOfAttention(std::string_view name, std::string_view bytes) {
  constexpr size_t kDims = 4;
  const AttentionRow* const row = FindRow<AttentionRow>(kAttentions, name);
  if (row == nullptr) return std::nullopt;
  const std::vector<ArgumentValue> inputs = ReadArgumentValues(bytes);
  const ArgumentValue *const query = TensorAt(inputs, row->query, kDims),
                             *const key = TensorAt(inputs, row->query + 1, kDims),
                             *const value = TensorAt(inputs, row->query + 2, kDims);
  if (query == nullptr || key == nullptr || value == nullptr) return std::nullopt;
  // How long each sequence is stands in a tensor's contents, which are not recorded.
  if (row->lengths != kNeverTold && TensorAt(inputs, row->lengths) != nullptr) return std::nullopt;
  const Sizes q = SizesOf(*query, row->heads_behind), k = SizesOf(*key, row->heads_behind),
              v = SizesOf(*value, row->heads_behind);
  if (!DoFit(q, k, v)) return std::nullopt;
  // Forward: scores and output. Backward: scores again, and the gradients of scores, value, query
  // and key.
  const uint64_t widths =
      row->backward ? Plus(Times({3, q.width}), Times({2, v.width})) : Plus(q.width, v.width);
  ByteSum moved;
  moved.Read(query).Read(key).Read(value);
  const uint64_t results = Times({q.batch, q.heads, q.length, v.width});
  moved.Add(results, query->type);  // the output, or its gradient
  if (row->backward) {
    for (const ArgumentValue* const each : {query, key, value}) {
      const Sizes sizes = SizesOf(*each, row->heads_behind);
      moved.Add(Times({sizes.batch, sizes.heads, sizes.length, sizes.width}), each->type);
    }
  }
  return OperatorCost{Times({2, q.batch, q.heads, q.length, k.length, widths}), moved.sum(),
                      FormatOf(*query)};
}

}  // namespace syncline::torch
