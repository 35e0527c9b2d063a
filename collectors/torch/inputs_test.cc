// SPDX-License-Identifier: Apache-2.0
// Inputs of operators in a small PyTorch, laid out as the real one, and otherwise: that is noticed
// before anything is read.
#include "collectors/torch/inputs.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "collectors/torch/argument_words.h"
#include "collectors/torch/groups.h"
#include "collectors/torch/record_function.h"

#define SHOWN __attribute__((visibility("default"), noinline))

namespace {

// How this PyTorch differs.
struct Twist {
  uint32_t bool_tag = 10, list_behind_bool = 4;
  size_t counts = 1;  // of references, at the beginning of each object
  size_t before_sizes = 4;
  uint8_t policy_of_none = 1;
  size_t outputs = 0;  // of an operator, where it has none yet
  bool silent = false;
  bool odd_lists = false;
  bool numbers_twice = false;  // of a process group
};
Twist g_twist;

}  // namespace

namespace c10 {

template <typename T>
struct ArrayRef {
  const T* data;
  size_t size;
};

// One object for all layouts: words, of which the twist says what they are.
struct TensorImpl {
  uint64_t words[40] = {};
};
struct UndefinedTensorImpl : TensorImpl {
  __attribute__((visibility("default"))) static UndefinedTensorImpl _singleton;
};
UndefinedTensorImpl UndefinedTensorImpl::_singleton;

struct TensorType {
  SHOWN static const std::shared_ptr<TensorType>& get();
};
struct IntType {
  SHOWN static IntType* get();
};
const std::shared_ptr<TensorType>& TensorType::get() {
  static const auto* type = new std::shared_ptr<TensorType>(new TensorType);
  return *type;
}
IntType* IntType::get() {
  static IntType type;
  return &type;
}

}  // namespace c10

namespace at {

struct IValue {
  uint64_t held;
  uint32_t tag;
  uint32_t unused = 0;
};

struct Tensor {
  c10::TensorImpl* impl;
};

struct RecordFunction {
  uint64_t before[5] = {};
  std::string text;
  int64_t sequence = 0;
  const IValue* inputs = nullptr;
  size_t count = 0;
  std::unordered_map<std::string, int> kwinputs;
  std::vector<int> outputs;
  uint64_t forward_thread = 0;
  uint64_t behind[40] = {};
  SHOWN const char* name() const;
  SHOWN bool isAsync() const;
};
const char* RecordFunction::name() const { return text.c_str(); }
bool RecordFunction::isAsync() const { return false; }

struct RecordFunctionCallback {
  void** (*start)(void** context, const RecordFunction& function);
  void (*end)(const RecordFunction& function, void* context);
  double sampling_prob;
  std::array<bool, 10> scopes;
  bool needs_inputs, needs_outputs, needs_ids;
};
SHOWN uint64_t addGlobalCallback(RecordFunctionCallback callback);
SHOWN void removeCallback(unsigned long handle);
SHOWN void reenableCallback(unsigned long handle);
SHOWN void disableCallback(unsigned long handle);

std::vector<RecordFunctionCallback>* g_registered = new std::vector<RecordFunctionCallback>;

uint64_t addGlobalCallback(RecordFunctionCallback callback) {
  g_registered->push_back(callback);
  return g_registered->size();
}
void removeCallback(unsigned long) { g_registered->pop_back(); }
void reenableCallback(unsigned long) {}
void disableCallback(unsigned long) {}

// An object of PyTorch's: a table of functions, counts of references, and its own words.
std::vector<uint64_t> ObjectOf(std::initializer_list<uint64_t> own) {
  std::vector<uint64_t> words(1 + g_twist.counts, 0x1111);
  words.insert(words.end(), own);
  words.resize(words.size() + 8);
  return words;
}

std::vector<uint64_t> ListOf(const std::vector<IValue>& values, const void* type) {
  const auto begin = reinterpret_cast<uintptr_t>(values.data());
  const uintptr_t end = begin + values.size() * sizeof(IValue);
  if (g_twist.odd_lists) return ObjectOf({values.size(), begin, end, end});
  return ObjectOf({begin, end, end, reinterpret_cast<uintptr_t>(type)});
}

uint64_t Address(const void* object) { return reinterpret_cast<uintptr_t>(object); }

namespace _ops {
struct amax_out {
  SHOWN static Tensor& call(const Tensor& self, c10::ArrayRef<long> axes, bool keep, Tensor& out);
};
Tensor& amax_out::call(const Tensor& self, c10::ArrayRef<long> axes, bool keep, Tensor& out) {
  std::vector<IValue> elements;
  for (size_t i = 0; i < axes.size; ++i)
    elements.push_back({static_cast<uint64_t>(axes.data[i]), 5});
  const auto list = ListOf(elements, c10::IntType::get());
  const IValue inputs[] = {{Address(self.impl), 1},
                           {Address(list.data()), g_twist.bool_tag + g_twist.list_behind_bool},
                           {uint64_t{keep}, g_twist.bool_tag},
                           {Address(out.impl), 1}};
  RecordFunction function;
  function.text = "aten::amax";
  function.inputs = inputs;
  function.count = 4;
  function.outputs.resize(g_twist.outputs);
  void* context = nullptr;
  for (const auto& callback : *g_registered) {
    if (callback.needs_inputs && !g_twist.silent) callback.start(&context, function);
  }
  return out;
}
}  // namespace _ops

// As torch lays out sizes and what is behind them.
c10::TensorImpl* MakeTensor(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides,
                            uint16_t type, uint8_t policy = 0) {
  auto* made = new c10::TensorImpl;
  uint64_t* at = made->words + g_twist.before_sizes;
  uint64_t elements = 1;
  for (const int64_t size : sizes) elements *= static_cast<uint64_t>(size);
  at[0] = sizes.size();
  std::memcpy(at + 1, sizes.data(), sizes.size() * 8);
  std::memcpy(at + 6, strides.data(), strides.size() * 8);
  at[12] = elements;
  const bool contiguous = sizes.empty() || strides[0] != 7;
  const uint8_t bytes[] = {static_cast<uint8_t>(type),           0, 0, 0, 1, contiguous,
                           static_cast<uint8_t>(1 | policy << 2)};
  std::memcpy(at + 13, bytes, sizeof(bytes));
  return made;
}

}  // namespace at

extern "C" SHOWN int32_t aoti_torch_empty_strided(int64_t dims, const int64_t* sizes,
                                                  const int64_t* strides, int32_t type, int32_t,
                                                  int32_t, at::Tensor** out) {
  *out = new at::Tensor{at::MakeTensor({sizes, sizes + dims}, {strides, strides + dims},
                                       static_cast<uint16_t>(type))};
  return 0;
}
extern "C" SHOWN int32_t aoti_torch_delete_tensor_object(at::Tensor* tensor) {
  delete tensor->impl;
  delete tensor;
  return 0;
}

namespace c10d {

// Its own numbers stand somewhere behind others: they are read from outside.
class ProcessGroup {
 public:
  SHOWN ProcessGroup(int rank, int ranks);
  SHOWN virtual ~ProcessGroup();

 private:
  [[maybe_unused]] uint64_t before_[4] = {};
  [[maybe_unused]] int rank_, ranks_;
  [[maybe_unused]] int again_[2];
};
ProcessGroup::ProcessGroup(int rank, int ranks)
    : rank_(rank), ranks_(ranks), again_{g_twist.numbers_twice ? rank : 0, ranks} {}
ProcessGroup::~ProcessGroup() = default;

// As a program may derive its own: nobody knows what it says.
class OtherGroup : public ProcessGroup {
 public:
  using ProcessGroup::ProcessGroup;
  ~OtherGroup() override = default;
};

}  // namespace c10d

namespace syncline::torch {
namespace {

void** Nothing(void** context, const void*) { return context; }
void NothingEnds(const void*, void*) {}

Inputs Learn(const Twist& twist) {
  static const Module here =
      ModuleThatShows("_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE");
  static const char* const why_not = Listen(here, nullptr, false, {Nothing, NothingEnds});
  EXPECT_EQ(why_not, nullptr);
  g_twist = twist;
  auto& none = c10::UndefinedTensorImpl::_singleton;
  std::memset(none.words, 0, sizeof(none.words));
  const uint8_t bits[] = {2, static_cast<uint8_t>(1 | twist.policy_of_none << 2)};
  std::memcpy(reinterpret_cast<char*>(none.words + twist.before_sizes) + 109, bits, sizeof(bits));
  WantInputs(here, "");
  LearnInputs();
  EXPECT_EQ(at::g_registered->size(), 1u) << "nobody listens any more";
  return g_inputs.load();
}

std::vector<uint64_t> Read(const std::vector<at::IValue>& inputs) {
  at::RecordFunction function;
  function.inputs = inputs.data();
  function.count = inputs.size();
  function.sequence = 12;
  function.forward_thread = 3;
  EXPECT_EQ(SequenceOf(&function), 12);
  EXPECT_EQ(ForwardThreadOf(&function), 3u);
  uint64_t words[kMostArgumentWords];
  const size_t count = ReadInputs(&function, words);
  EXPECT_LE(count, kMostArgumentWords);
  return {words, words + count};
}

TEST(TorchInputs, AreReadInEachKnownLayout) {
  for (const Twist& twist :
       {Twist{}, Twist{.bool_tag = 9, .counts = 2}, Twist{.before_sizes = 7}}) {
    ASSERT_EQ(Learn(twist), Inputs::kKnown);
    const std::unique_ptr<c10::TensorImpl> plain(at::MakeTensor({2, 3}, {3, 1}, 6));
    const std::unique_ptr<c10::TensorImpl> sparse(at::MakeTensor({4}, {1}, 7, 1));
    const std::unique_ptr<c10::TensorImpl> symbolic(at::MakeTensor({4}, {1}, 7, 2));
    const std::vector<at::IValue> tensors = {{at::Address(plain.get()), 1},
                                             {at::Address(sparse.get()), 1}};
    const auto list = at::ListOf(tensors, c10::TensorType::get().get());
    const uint64_t two_by_three = HeadOf(Argument::kTensor, 2, 6) | kHasStrides;
    const uint64_t four = HeadOf(Argument::kTensor, 1, 7), other = HeadOf(Argument::kOther);
    const uint32_t list_tag = twist.bool_tag + 4;
    EXPECT_EQ(Read({{at::Address(plain.get()), 1},
                    {at::Address(sparse.get()), 1},
                    {at::Address(symbolic.get()), 1},
                    {at::Address(&c10::UndefinedTensorImpl::_singleton), 1},
                    {7, 5},
                    {1, twist.bool_tag},
                    {99, twist.bool_tag - 3},
                    {99, list_tag - 2},
                    {at::Address(list.data()), list_tag}}),
              (std::vector<uint64_t>{two_by_three,
                                     2,
                                     3,
                                     3,
                                     1,
                                     four,
                                     4,
                                     other,
                                     other,
                                     HeadOf(Argument::kInt),
                                     7,
                                     HeadOf(Argument::kBool),
                                     1,
                                     HeadOf(Argument::kSymbol),
                                     other,
                                     HeadOf(Argument::kTensors, 2),
                                     two_by_three,
                                     2,
                                     3,
                                     3,
                                     1,
                                     four,
                                     4}));
  }
}

TEST(TorchInputs, AreCutWhereThereIsNoRoom) {
  ASSERT_EQ(Learn({}), Inputs::kKnown);
  const std::vector<at::IValue> many(1000, {7, 5});
  const std::vector<uint64_t> words = Read(many);
  EXPECT_EQ(words.back(), HeadOf(Argument::kCut));
  EXPECT_EQ(words[words.size() - 2], 7u);
  EXPECT_GT(words.size(), kMostArgumentWords - 4);
}

TEST(TorchInputs, AreLeftAloneInAnUnknownLayout) {
  for (const Twist& twist :
       {Twist{.bool_tag = 11}, Twist{.list_behind_bool = 5}, Twist{.counts = 3},
        Twist{.before_sizes = 22}, Twist{.policy_of_none = 0}, Twist{.outputs = 1},
        Twist{.silent = true}, Twist{.odd_lists = true}})
    EXPECT_EQ(Learn(twist), Inputs::kUnreadable);
}

// What an operator is given: an object of TorchScript's with one value, which holds the group.
class GivenGroup {
 public:
  explicit GivenGroup(const void* group)
      : slot_{Address(group), g_twist.bool_tag + 13},
        object_(
            at::ObjectOf({7, 7, 7, Address(&slot_), Address(&slot_ + 1), Address(&slot_ + 1)})) {}
  at::IValue value() const { return {Address(object_.data()), g_twist.bool_tag + 10}; }

 private:
  static uint64_t Address(const void* object) { return reinterpret_cast<uintptr_t>(object); }
  at::IValue slot_;
  std::vector<uint64_t> object_;
};

TEST(TorchInputs, GroupsThatTheProgramHasMade) {
  ASSERT_EQ(Learn({}), Inputs::kKnown);
  const c10d::ProcessGroup world(2, 5), pair(0, 2), unknown(0, 2);
  const c10d::OtherGroup other(0, 2);
  NoteGroup(&pair, "older", 5);
  NoteGroup(&world, "default_pg", 10);
  NoteGroup(&pair, "pair", 4);
  NoteGroup(&other, "other", 5);
  const auto read = [](const void* group) {
    const GivenGroup given(group);
    return Read({given.value()});
  };
  const std::vector<uint64_t> of_world = read(&world);
  ASSERT_EQ(of_world.size(), 4u);
  EXPECT_EQ(of_world[0], HeadOf(Argument::kGroup, 10));
  EXPECT_EQ(of_world[1], 2 | uint64_t{5} << 32);
  EXPECT_EQ(std::memcmp(&of_world[2], "default_pg", 10), 0);
  EXPECT_EQ(std::memcmp(&read(&pair)[2], "pair", 4), 0) << "the last name counts";
  const std::vector<uint64_t> nothing = {HeadOf(Argument::kOther)};
  EXPECT_EQ(read(&unknown), nothing);
  EXPECT_EQ(read(&other), nothing);
  EXPECT_EQ(read(nullptr), nothing);
  const std::string long_name(kMostGroupName + 1, 'n');
  NoteGroup(&pair, long_name.data(), long_name.size());
  EXPECT_EQ(read(&pair), nothing) << "the older name is not the new group's";
}

TEST(TorchInputs, GroupsThatAreOtherwiseAreNotRead) {
  Twist twist;
  twist.numbers_twice = true;
  ASSERT_EQ(Learn(twist), Inputs::kKnown);
  const c10d::ProcessGroup world(2, 5);
  NoteGroup(&world, "0", 1);
  const GivenGroup given(&world);
  EXPECT_EQ(Read({given.value()}), std::vector<uint64_t>{HeadOf(Argument::kOther)});
}

}  // namespace
}  // namespace syncline::torch
