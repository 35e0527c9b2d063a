// SPDX-License-Identifier: Apache-2.0
// Where the arguments of an operator stand in PyTorch's memory: found and checked by an operator
// of ours whose arguments are known, before any other is looked at.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/core/exported.h"

namespace syncline::torch {

// Offsets in bytes. An IValue has 16: what it holds, and behind that its tag.
struct InputLayout {
  // at::RecordFunction.
  size_t inputs;          // address and count of IValues; before them the sequence number
  size_t forward_thread;  // of a backward function: the number of the forward function's thread
  // c10::TensorImpl: how many sizes, then up to five sizes and up to five strides, or the address
  // of more of both; behind them what else of it is read.
  size_t sizes;
  // c10::detail::ListImpl: begin and end of its IValues, the end of their room, their type.
  size_t list;
  size_t complex;  // of c10::ivalue::ComplexHolder, the value
  uint32_t bool_tag, list_tag;
  const void* tensor_type;  // of a list of tensors
  const void* undefined;    // the c10::TensorImpl of no tensor
};
inline constexpr size_t kSequenceBeforeInputs = 8;
inline constexpr size_t kInlineDims = 5;
inline constexpr size_t kStridesBehindSizes = 48;  // inline ones
inline constexpr size_t kCountBehindSizes = 96;    // of elements
inline constexpr size_t kTypeBehindSizes = 104;    // c10::ScalarType, 16 bits
inline constexpr size_t kBitsBehindSizes = 109;    // of the tensor's: it is contiguous, ...
inline constexpr size_t kPolicyBehindSizes = 110;  // bits 2 and 3: whether sizes stand there
inline constexpr uint32_t kBoolTags[] = {9, 10};   // before and since PyTorch has unsigned scalars
inline constexpr uint32_t kListBehindBool = 4;
inline constexpr uint32_t kObjectBehindList = 6;

// Tags that all versions have.
enum Tag : uint32_t { kNoneTag, kTensorTag, kDoubleTag = 3, kComplexTag = 4, kIntTag = 5 };

// c10::impl::SizesStridesPolicy.
enum Policy : uint32_t { kPlain, kCustomStrides, kCustomSizes };

// Runs the operator, on the calling thread, which must be one of ours: no mode or transformation
// of the program's is in force there. PyTorch is initialised. Null: `out` is what was found; else
// why not.
const char* LearnInputLayout(const Module& library, InputLayout* out);

}  // namespace syncline::torch
