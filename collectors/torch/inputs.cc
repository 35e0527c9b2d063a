// SPDX-License-Identifier: Apache-2.0
// IValues, tensors and lists as c10 lays them out. Sizes that a tensor's class or Python would have
// to be asked for are not told.
#include "collectors/torch/inputs.h"

#include <algorithm>
#include <cstring>

#include "collectors/torch/argument_words.h"
#include "collectors/torch/groups.h"
#include "collectors/torch/input_layout.h"
#include "inject/core/futex.h"
#include "inject/core/log.h"
#include "inject/core/own_thread.h"
#include "inject/core/sys.h"

namespace syncline::torch {

std::atomic<Inputs> g_inputs;

namespace {

constexpr size_t kStackBytes = 2 << 20;  // PyTorch runs on it
constexpr size_t kGuardBytes = 4096;
constexpr size_t kValueBytes = 16;

Module g_library;  // written before g_inputs is kUnknown, as the next one
const char* g_without;
std::atomic<uint32_t> g_learner;
InputLayout g_layout;  // written before g_inputs is kKnown

template <typename T>
T Load(const void* object, size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(object) + offset, sizeof(value));
  return value;
}

class Words {
 public:
  explicit Words(uint64_t* to) : begin_(to), at_(to) {}

  // Whether so many fit, one more being left for kCut. The caller then puts them.
  bool Fit(uint64_t count) {
    if (cut_) return false;
    if (count < kMostArgumentWords - static_cast<uint64_t>(at_ - begin_)) return true;
    cut_ = true;
    *at_++ = HeadOf(Argument::kCut);
    return false;
  }
  void Put(uint64_t word) { *at_++ = word; }
  void Copy(const void* from, uint64_t count) {
    std::memcpy(at_, from, count * sizeof(*at_));
    at_ += count;
  }
  // In whole words.
  void PutText(const char* text, size_t bytes) {
    const size_t words = (bytes + sizeof(*at_) - 1) / sizeof(*at_);
    if (words != 0) at_[words - 1] = 0;
    std::memcpy(at_, text, bytes);
    at_ += words;
  }
  void PutOne(uint64_t word) {
    if (Fit(1)) Put(word);
  }
  bool cut() const { return cut_; }
  size_t count() const { return static_cast<size_t>(at_ - begin_); }

 private:
  uint64_t* begin_;
  uint64_t* at_;
  bool cut_ = false;
};

void PutTensor(const void* tensor, Words* words) {
  const auto policy = Load<uint8_t>(tensor, g_layout.sizes + kPolicyBehindSizes) >> 2 & 3u;
  const auto dims = Load<uint64_t>(tensor, g_layout.sizes);
  if (tensor == g_layout.undefined || policy >= kCustomSizes || dims > kMostDims)
    return words->PutOne(HeadOf(Argument::kOther));
  const auto type = Load<uint16_t>(tensor, g_layout.sizes + kTypeBehindSizes);
  const uint64_t strides = policy == kPlain ? kHasStrides : 0;
  const uint64_t in_all = strides == 0 ? dims : 2 * dims;
  if (!words->Fit(1 + in_all)) return;
  words->Put(HeadOf(Argument::kTensor, dims, type & 0xff) | strides);
  const char* sizes = static_cast<const char*>(tensor) + g_layout.sizes + sizeof(uint64_t);
  if (dims > kInlineDims) return words->Copy(Load<const void*>(sizes, 0), in_all);
  for (uint64_t i = 0; i < dims; ++i) words->Put(Load<uint64_t>(sizes, i * sizeof(uint64_t)));
  if (strides == 0) return;
  sizes += kInlineDims * sizeof(uint64_t);
  for (uint64_t i = 0; i < dims; ++i) words->Put(Load<uint64_t>(sizes, i * sizeof(uint64_t)));
}

bool IsSymbol(uint32_t tag) { return tag < g_layout.bool_tag && tag + 3 >= g_layout.bool_tag; }

bool IsScalar(uint32_t tag) {
  return tag == kIntTag || tag == kDoubleTag || tag == kComplexTag || tag == g_layout.bool_tag ||
         IsSymbol(tag);
}

void PutScalar(const void* value, uint32_t tag, Words* words) {
  if (!words->Fit(3)) return;
  if (tag == kIntTag || tag == kDoubleTag) {
    words->Put(HeadOf(tag == kIntTag ? Argument::kInt : Argument::kDouble));
    words->Put(Load<uint64_t>(value, 0));
  } else if (tag == kComplexTag) {
    words->Put(HeadOf(Argument::kComplex));
    words->Copy(Load<const char*>(value, 0) + g_layout.complex, 2);
  } else if (tag == g_layout.bool_tag) {
    words->Put(HeadOf(Argument::kBool));
    words->Put(Load<uint8_t>(value, 0));
  } else {
    words->Put(HeadOf(IsSymbol(tag)     ? Argument::kSymbol
                      : tag == kNoneTag ? Argument::kNone
                                        : Argument::kOther));
  }
}

void PutList(const void* list, Words* words) {
  const auto* const begin = Load<const char*>(list, g_layout.list);
  const auto* const end = Load<const char*>(list, g_layout.list + 8);
  const auto* const type = Load<const void*>(list, g_layout.list + 24);
  const uint64_t count = static_cast<uint64_t>(end - begin) / kValueBytes;
  if (type == g_layout.tensor_type) {
    const bool told = count <= kMostListed;
    words->PutOne(HeadOf(told ? Argument::kTensors : Argument::kManyTensors,
                         std::min<uint64_t>(count, 0xffff)));
    for (uint64_t i = 0; told && i < count && !words->cut(); ++i)
      PutTensor(Load<const void*>(begin, i * kValueBytes), words);
    return;
  }
  if (count > kMostListed || (count != 0 && !IsScalar(Load<uint32_t>(begin, 8))))
    return words->PutOne(HeadOf(Argument::kOther));
  words->PutOne(HeadOf(Argument::kScalars, count));
  for (uint64_t i = 0; i < count && !words->cut(); ++i) {
    const char* const value = begin + i * kValueBytes;
    PutScalar(value, Load<uint32_t>(value, 8), words);
  }
}

void PutGroup(const void* object, Words* words) {
  Group group;
  if (!ReadGroup(object, &group)) return words->PutOne(HeadOf(Argument::kOther));
  const uint64_t head = HeadOf(Argument::kGroup, group.bytes);
  if (!words->Fit(1 + WordsOfGroup(head))) return;
  words->Put(head);
  words->Put(group.rank | uint64_t{group.ranks} << 32);
  words->PutText(group.name, group.bytes);
}

void* Learn(void*) {
  g_learner.store(SysTid());
  const char* const why_not = LearnInputLayout(g_library, &g_layout);
  if (why_not != nullptr) Log(LogLevel::kError, g_without, why_not);
  const char* const no_groups = why_not == nullptr ? LearnGroups(g_library) : nullptr;
  if (no_groups != nullptr) Log(LogLevel::kInfo, "collectives have no group:", no_groups);
  g_inputs.store(why_not == nullptr ? Inputs::kKnown : Inputs::kUnreadable);
  WakeAll(&g_inputs);
  return nullptr;
}

}  // namespace

void WantInputs(const Module& library, const char* without) {
  g_library = library;
  g_without = without;
  g_inputs.store(Inputs::kUnknown);
}

bool IsLearning() { return g_learner.load(std::memory_order_relaxed) == SysTid(); }

void LearnInputs() {
  const ErrnoKeeper keeper;
  Inputs unknown = Inputs::kUnknown;
  if (g_inputs.compare_exchange_strong(unknown, Inputs::kLearning) &&
      !StartOwnThread(Learn, nullptr, kStackBytes, kGuardBytes)) {
    Log(LogLevel::kError, g_without, "no thread could be started");
    g_inputs.store(Inputs::kUnreadable);
  }
  // It waits for nothing of the program's, unless the program holds the loader's lock.
  for (int i = 0; i < 4 && g_inputs.load() == Inputs::kLearning; ++i)
    WaitWhile(&g_inputs, static_cast<uint32_t>(Inputs::kLearning), kOneWaitNs);
  // Nobody waits twice; what is learnt later counts from then on.
  Inputs learning = Inputs::kLearning;
  g_inputs.compare_exchange_strong(learning, Inputs::kUnreadable);
}

size_t ReadInputs(const void* function, uint64_t* to) {
  const auto* value = Load<const char*>(function, g_layout.inputs);
  const auto count = Load<uint64_t>(function, g_layout.inputs + 8);
  Words words(to);
  for (uint64_t i = 0; i < count && !words.cut(); ++i, value += kValueBytes) {
    const auto tag = Load<uint32_t>(value, 8);
    if (tag == kTensorTag) {
      PutTensor(Load<const void*>(value, 0), &words);
    } else if (IsScalar(tag)) {
      PutScalar(value, tag, &words);
    } else if (tag == g_layout.list_tag) {
      PutList(Load<const void*>(value, 0), &words);
    } else if (tag == g_layout.list_tag + kObjectBehindList) {
      PutGroup(Load<const void*>(value, 0), &words);
    } else {
      words.PutOne(HeadOf(Argument::kOther));
    }
  }
  return words.count();
}

int64_t SequenceOf(const void* function) {
  return Load<int64_t>(function, g_layout.inputs - kSequenceBeforeInputs);
}

uint64_t ForwardThreadOf(const void* function) {
  return Load<uint64_t>(function, g_layout.forward_thread);
}

}  // namespace syncline::torch
