// SPDX-License-Identifier: Apache-2.0
// Loops, Python's frames and native ones come out in the order of their calls.
#include "collectors/stacks/mixed_stack.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace syncline::stacks {
namespace {

// The interpreter's code lies from 1000 to 2000, its loop from 1500 to 1600.
constexpr uint64_t kLoop = 1510, kInterpreter = 1100, kOther = 5000;

// Of native frames as letters: L a loop, i the interpreter's, digits others. Of Python's frames as
// letters, upper case ones were called from C.
std::string Mixed(std::string_view native, std::string_view python, bool native_cut = false,
                  bool python_cut = false, bool knows_loop = true) {
  Python interpreter{};
  interpreter.begin = 1000;
  interpreter.end = 2000;
  if (knows_loop) {
    interpreter.loop_begin = 1500;
    interpreter.loop_end = 1600;
  }
  std::vector<NativeFrame> natives;
  for (const char c : native) {
    const uint64_t at = c == 'L'   ? kLoop
                        : c == 'i' ? kInterpreter
                                   : kOther + static_cast<uint64_t>(c);
    natives.push_back({8, at + 1});
  }
  std::vector<LiveFrame> pythons;
  for (const char& c : python) pythons.push_back({&c, 0, c < 'a'});
  std::vector<MixedFrame> out(native.size() + python.size());
  const MixedStack stack = MixFrames({&interpreter, pythons.data(), pythons.size(), python_cut},
                                     {natives.data(), natives.size(), 0, native_cut}, out.data());
  std::string text;
  for (size_t i = 0; i < stack.count; ++i)
    text += out[i].python != nullptr ? *out[i].python->code
                                     : static_cast<char>(out[i].native->instruction() - kOther);
  return text + (stack.cut ? "..." : "");
}

TEST(MixedStack, EachLoopStandsForItsFrames) {
  EXPECT_EQ(Mixed("12iLi3iL4", "abCdE"), "12abC3dE4");
  EXPECT_EQ(Mixed("1LLL", "ABC"), "1ABC") << "before 3.11 each frame has a loop";
  EXPECT_EQ(Mixed("LiL", "AB"), "AB");
}

TEST(MixedStack, OfWhatWasCutTheInnermostAreInOrder) {
  EXPECT_EQ(Mixed("1L2L3", "AbCdE", true), "1A2bC3dE") << "native frames end first";
  EXPECT_EQ(Mixed("1L2L3L4", "aBc", false, true), "1aB2c...") << "Python's end first";
  EXPECT_EQ(Mixed("1L2L", "AB", false, true), "1A2B...");
}

TEST(MixedStack, LoopsThatDoNotAgreeAreNotTrusted) {
  EXPECT_EQ(Mixed("1i2L3L", "abC"), "1abC") << "a loop too many";
  EXPECT_EQ(Mixed("1i2L3", "AbC"), "1AbC") << "one too few";
  EXPECT_EQ(Mixed("1L2LL", "AB", true), "1AB");
  EXPECT_EQ(Mixed("1L2", "AB", false, true), "1AB...");
  EXPECT_EQ(Mixed("1L2L3", "AB", true, true), "1AB...") << "nobody knows";
  EXPECT_EQ(Mixed("1L2", "Ab", false, false, false), "1Ab") << "the loop's place is not known";
}

TEST(MixedStack, WithoutPythonAllIsNative) {
  EXPECT_EQ(Mixed("123", ""), "123");
  EXPECT_EQ(Mixed("123", "", true), "123...");
  EXPECT_EQ(Mixed("", "Ab"), "Ab");
}

TEST(MixedStack, ThisLibrarysOwnFramesAreLeftOut) {
  const auto own = reinterpret_cast<uintptr_t>(&MixFrames);
  const NativeFrame frames[] = {{8, own + 1}, {8, kOther}, {8, own + 1}};
  MixedFrame out[3];
  const MixedStack stack = MixFrames({}, {frames, 3, 0, false}, out);
  ASSERT_EQ(stack.count, 1u);
  EXPECT_EQ(out[0].native, &frames[1]);
}

}  // namespace
}  // namespace syncline::stacks
