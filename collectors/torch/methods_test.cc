// SPDX-License-Identifier: Apache-2.0
// Methods are found in what is writable of a library, by their name, flags and form.
#include "collectors/torch/methods.h"

#include <gnu/libc-version.h>
#include <gtest/gtest.h>

#include <cstring>

namespace syncline::torch {
namespace {

constexpr int kNoArguments = 4;

void* Called(void* self) { return self; }
void* CalledInstead(void*) { return nullptr; }

// A library's parts, made up: constants, code, and what is writable.
class Methods : public ::testing::Test {
 protected:
  void SetUp() override {
    std::memcpy(names_, "xx_run_backward\0queue_callback", 30);
    image_.parts[0] = {Address(names_), Address(names_) + sizeof(names_), false, false};
    const auto code = reinterpret_cast<uintptr_t>(code_);
    image_.parts[1] = {code, code + 1, false, true};
    image_.parts[2] = {Address(words_), Address(words_) + sizeof(words_), true, false};
    image_.count = 3;
  }
  template <typename T>
  static uintptr_t Address(T* pointer) {
    return reinterpret_cast<uintptr_t>(pointer);
  }
  // At a word of what is writable.
  Method* Put(size_t word, const Method& method) {
    std::memcpy(words_ + word, &method, sizeof(method));
    return reinterpret_cast<Method*>(words_ + word);
  }
  Method RunBackward() const { return {names_ + 3, code_, kArgumentsAndKeywords, nullptr}; }
  size_t Find() { return FindMethod(image_, "run_backward", kArgumentsAndKeywords, &found_); }

  char names_[64] = {};
  void* code_ = reinterpret_cast<void*>(&Called);
  uintptr_t words_[64] = {};
  Image image_;
  Method* found_ = nullptr;
};

TEST_F(Methods, AreFoundAtAnyWord) {
  EXPECT_EQ(Find(), 0u);
  for (const size_t word : {0, 1, 7, 60}) {
    std::memset(words_, 0, sizeof(words_));
    Method* put = Put(word, RunBackward());
    EXPECT_EQ(Find(), 1u) << word;
    EXPECT_EQ(found_, put);
  }
  std::memset(words_, 0, sizeof(words_));
  const Method method = RunBackward();
  std::memcpy(words_ + 61, &method, 3 * sizeof(uintptr_t));
  EXPECT_EQ(Find(), 0u) << "not beyond its end";
}

TEST_F(Methods, TwoAreToldAsTwo) {
  Put(3, RunBackward());
  Put(30, RunBackward());
  EXPECT_EQ(Find(), 2u);
}

TEST_F(Methods, OthersAreNot) {
  const char elsewhere[] = "run_backward";
  const Method right = RunBackward();
  Method wrong = right;
  const auto finds = [&] {
    Put(10, wrong);
    const size_t count = Find();
    wrong = right;
    return count;
  };
  EXPECT_EQ(finds(), 1u);
  wrong.name = names_;
  EXPECT_EQ(finds(), 0u) << "another name";
  wrong.name = names_ + sizeof(names_) - 5;
  EXPECT_EQ(finds(), 0u) << "a name that would end behind the library";
  wrong.name = elsewhere;
  EXPECT_EQ(finds(), 0u) << "a name of another library";
  wrong.flags = kNoArguments;
  EXPECT_EQ(finds(), 0u) << "other arguments";
  wrong.function = names_;
  EXPECT_EQ(finds(), 0u) << "no code";
  wrong.function = nullptr;
  EXPECT_EQ(finds(), 0u) << "no function";
  image_.parts[2].writable = false;
  EXPECT_EQ(finds(), 0u) << "what cannot be written";
}

TEST_F(Methods, CallsGoWhereTheyAreTold) {
  Method* method = Put(4, RunBackward());
  ASSERT_TRUE(ReplaceMethod(image_, method, reinterpret_cast<void*>(&CalledInstead)));
  EXPECT_EQ(method->function, reinterpret_cast<void*>(&CalledInstead));
  EXPECT_EQ(method->flags, kArgumentsAndKeywords);
}

TEST(Images, AreOfLoadedLibraries) {
  Image image;
  ASSERT_TRUE(FindImage("libc.so.6", &image));
  const auto in = [&](const void* address) {
    for (size_t i = 0; i < image.count; ++i) {
      const auto at = reinterpret_cast<uintptr_t>(address);
      if (at >= image.parts[i].begin && at < image.parts[i].end) return true;
    }
    return false;
  };
  EXPECT_TRUE(in(reinterpret_cast<const void*>(&gnu_get_libc_version)));
  EXPECT_FALSE(in(&image));
  EXPECT_GT(image.relro_end, image.relro_begin);
  EXPECT_FALSE(FindImage("libnowhere.so", &image));
  EXPECT_FALSE(FindImage("libc", &image));
}

}  // namespace
}  // namespace syncline::torch
