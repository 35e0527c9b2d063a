// SPDX-License-Identifier: Apache-2.0
// aten::amax.out of a tensor of ours. All of it is read through the one door to foreign memory.
#include "collectors/torch/input_layout.h"

#include <cstring>

#include "collectors/torch/inputs.h"
#include "collectors/torch/record_function.h"
#include "inject/core/foreign_memory.h"

namespace syncline::torch {
namespace {

constexpr int64_t kSizes[] = {3, 5}, kStrides[] = {7, 1}, kOnes[] = {1, 1};
constexpr int64_t kAxes[] = {1, 0};
constexpr int64_t kElements = 15;
constexpr int32_t kDouble = 7;  // c10::ScalarType
constexpr size_t kInputs = 4;   // the tensor, the axes, whether they are kept, the result
constexpr char kOperatorName[] = "aten::amax";
constexpr size_t kFunctionWords = 48, kTensorWords = 20, kListWords = 8;

using Tensor = void*;  // at::Tensor: the address of its c10::TensorImpl
struct HelperFunctions {
  int32_t (*make)(int64_t dims, const int64_t* sizes, const int64_t* strides, int32_t type,
                  int32_t device, int32_t index, Tensor** out);
  int32_t (*destroy)(Tensor*);
  Tensor& (*amax)(const Tensor& self, const int64_t* axes, size_t count, bool keep, Tensor& out);
  const void* const& (*tensor_type)();  // a std::shared_ptr, whose first word is the pointer
  const void* (*int_type)();            // a c10::SingletonTypePtr: a pointer
  const void* undefined;
};

struct Value {
  uint64_t held;
  uint32_t tag;
  uint32_t reserved;
};
static_assert(sizeof(Value) == 16);

// Written by the thread that learns alone.
struct Lesson {
  Tensor self, result;
  const void* int_type;
  InputLayout* out;
  const char* why_not;
};
Lesson* g_lesson;

template <typename T>
bool Read(uint64_t address, T* out) {
  return ReadForeign(address, out, sizeof(*out));
}

uint64_t AddressOf(const void* object) { return reinterpret_cast<uintptr_t>(object); }

bool FindHelpers(const Module& library, HelperFunctions* out) {
  const Module base = ModuleOfFile("libc10.so", nullptr, 0);
  constexpr const char* kUndefined = "_ZN3c1019UndefinedTensorImpl10_singletonE";
  out->undefined = Exported(base.symbols == 0 ? library : base, kUndefined);
  return FindFunction(library, "aoti_torch_empty_strided", &out->make) &&
         FindFunction(library, "aoti_torch_delete_tensor_object", &out->destroy) &&
         FindFunction(library, "_ZN2at4_ops8amax_out4callERKNS_6TensorEN3c108ArrayRefIlEEbRS2_",
                      &out->amax) &&
         FindFunction(library, "_ZN3c1010TensorType3getEv", &out->tensor_type) &&
         FindFunction(library, "_ZN3c107IntType3getEv", &out->int_type) &&
         out->undefined != nullptr;
}

// The four arguments, which are known.
bool AreInputs(uint64_t address, const Lesson& lesson, Value (&values)[kInputs]) {
  if (!Read(address, &values)) return false;
  const bool is_bool = values[2].tag == kBoolTags[0] || values[2].tag == kBoolTags[1];
  return values[0].tag == kTensorTag && values[0].held == AddressOf(lesson.self) &&
         values[3].tag == kTensorTag && values[3].held == AddressOf(lesson.result) && is_bool &&
         (values[2].held & 0xff) == 1 && values[1].tag == values[2].tag + kListBehindBool;
}

// Behind the inputs: a std::unordered_map and a std::vector, both empty, and the thread.
bool IsRestOfFunction(const uint64_t* words, size_t inputs, uint64_t function) {
  const uint64_t* const rest = words + inputs + 2;
  const uint64_t sequence = words[inputs - 1];
  const uint64_t bucket = function + (inputs + 2 + 6) * sizeof(uint64_t);
  return (sequence == 0 || sequence == ~uint64_t{0}) && rest[0] == bucket && rest[1] == 1 &&
         rest[3] == 0 && (rest[7] | rest[8] | rest[9] | rest[10]) == 0;
}

const char* LearnFunction(uint64_t function, Lesson* lesson, Value (&values)[kInputs]) {
  constexpr const char* kUnknown = "its operators are not as they are known";
  uint64_t words[kFunctionWords];
  if (!Read(function, &words)) return kUnknown;
  for (size_t i = 1; i + 13 <= kFunctionWords; ++i) {
    if (words[i + 1] != kInputs || !AreInputs(words[i], *lesson, values)) continue;
    if (!IsRestOfFunction(words, i, function)) return kUnknown;
    lesson->out->inputs = i * sizeof(uint64_t);
    lesson->out->forward_thread = (i + 12) * sizeof(uint64_t);
    lesson->out->bool_tag = values[2].tag;
    lesson->out->list_tag = values[1].tag;
    return nullptr;
  }
  return kUnknown;
}

// What stands before an object's own fields is a table of functions and one count of references or
// two.
const char* LearnList(const Value& value, const Lesson& lesson) {
  uint64_t words[kListWords];
  if (!Read(value.held, &words)) return "its lists are not as they are known";
  for (size_t i = 2; i <= 3; ++i) {
    Value axes[2];
    if (words[i + 1] - words[i] != sizeof(axes) || words[i + 2] < words[i + 1] ||
        words[i + 3] != AddressOf(lesson.int_type) || !Read(words[i], &axes))
      continue;
    if (axes[0].tag != kIntTag || axes[1].tag != kIntTag || axes[0].held != kAxes[0] ||
        axes[1].held != kAxes[1])
      continue;
    lesson.out->list = i * sizeof(uint64_t);
    lesson.out->complex = i == 2 ? 16 : 32;  // aligned by its own size
    return nullptr;
  }
  return "its lists are not as they are known";
}

struct Bits {
  uint8_t bits, more;
};

uint32_t PolicyOf(const Bits& bits) { return bits.more >> 2 & 3u; }

// `sizes`: where they begin in the tensor. Everything that is read of any tensor is looked at.
bool IsTensor(const Tensor& tensor, size_t sizes, const int64_t* wanted_sizes,
              const int64_t* wanted_strides, int64_t elements, bool contiguous) {
  const uint64_t at = AddressOf(tensor) + sizes;
  uint64_t dims, size[2], stride[2];
  int64_t count[2];
  uint16_t type;
  Bits bits;
  return Read(at, &dims) && dims == 2 && Read(at + 8, &size) &&
         std::memcmp(size, wanted_sizes, sizeof(size)) == 0 &&
         Read(at + kStridesBehindSizes, &stride) &&
         std::memcmp(stride, wanted_strides, sizeof(stride)) == 0 &&
         Read(at + kCountBehindSizes - 8, &count) && count[0] == 0 && count[1] == elements &&
         Read(at + kTypeBehindSizes, &type) && type == kDouble &&
         Read(at + kBitsBehindSizes, &bits) && ((bits.bits & 1) != 0) == contiguous &&
         PolicyOf(bits) == kPlain;
}

const char* LearnTensor(const Lesson& lesson, const void* undefined) {
  constexpr const char* kUnknown = "its tensors are not as they are known";
  Bits bits;
  for (size_t sizes = 16; sizes < kTensorWords * sizeof(uint64_t); sizes += sizeof(uint64_t)) {
    if (!IsTensor(lesson.self, sizes, kSizes, kStrides, kElements, false)) continue;
    if (!IsTensor(lesson.result, sizes, kOnes, kOnes, 1, true)) return kUnknown;
    // The one tensor that is known to have no strides.
    if (!Read(AddressOf(undefined) + sizes + kBitsBehindSizes, &bits) ||
        PolicyOf(bits) != kCustomStrides)
      return kUnknown;
    lesson.out->sizes = sizes;
    lesson.out->undefined = undefined;
    return nullptr;
  }
  return kUnknown;
}

// Whichever thread runs something meanwhile: only the one that learns has our tensors.
void** LookAtInputs(void** context, const void* function) {
  *context = nullptr;
  if (!IsLearning()) return context;
  Lesson* const lesson = g_lesson;
  if (lesson->why_not == nullptr || std::strcmp(NameOf(function), kOperatorName) != 0)
    return context;
  Value values[kInputs];
  lesson->why_not = LearnFunction(AddressOf(function), lesson, values);
  if (lesson->why_not == nullptr) lesson->why_not = LearnList(values[1], *lesson);
  return context;
}

void LookAtNoEnd(const void*, void*) {}

}  // namespace

const char* LearnInputLayout(const Module& library, InputLayout* out) {
  HelperFunctions torch;
  if (!FindHelpers(library, &torch)) return "it lacks functions as they are known";
  Tensor *self = nullptr, *result = nullptr;
  const bool made = torch.make(2, kSizes, kStrides, kDouble, 0, -1, &self) == 0 &&
                    torch.make(2, kOnes, kOnes, kDouble, 0, -1, &result) == 0;
  const char* why_not = "it makes no tensor";
  if (made) {
    Lesson lesson = {*self, *result, torch.int_type(), out, "it does not announce an operator"};
    g_lesson = &lesson;
    const uint64_t handle = BeginListening({LookAtInputs, LookAtNoEnd});
    torch.amax(*self, kAxes, 2, true, *result);
    EndListening(handle);
    why_not = lesson.why_not;
    if (why_not == nullptr) why_not = LearnTensor(lesson, torch.undefined);
    out->tensor_type = torch.tensor_type();
  }
  if (self != nullptr) torch.destroy(self);
  if (result != nullptr) torch.destroy(result);
  return why_not;
}

}  // namespace syncline::torch
