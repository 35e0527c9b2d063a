// SPDX-License-Identifier: Apache-2.0
// Functions of this program itself, found by address.
#include "model/native_symbols.h"

#include <gtest/gtest.h>
#include <link.h>

namespace syncline {

__attribute__((noinline)) int KnownToTheTestOfNativeSymbols(int value) { return value * 3; }

namespace {

uint64_t OwnBias() {
  uint64_t bias = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* module, size_t, void* to) {
        *static_cast<uint64_t*>(to) = module->dlpi_addr;
        return 1;  // the program is the first
      },
      &bias);
  return bias;
}

TEST(NativeSymbols, FindsAFunctionOfThisProgram) {
  NativeSymbols symbols;
  const auto address = reinterpret_cast<uint64_t>(&KnownToTheTestOfNativeSymbols) - OwnBias();
  const std::vector<NativeName>& names = symbols.At({"/proc/self/exe", ""}, address + 1);
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.back().function, "syncline::KnownToTheTestOfNativeSymbols");
  EXPECT_EQ(&names, &symbols.At({"/proc/self/exe", ""}, address + 1)) << "worked out once";
}

TEST(NativeSymbols, WithoutAFileTheOffsetIsSaid) {
  NativeSymbols symbols;
  EXPECT_EQ(symbols.At({"/no/such/libfoo.so", "\x01"}, 0x1234)[0].function, "libfoo.so+0x1234");
  EXPECT_EQ(symbols.At({"", ""}, 1)[0].function, "unknown+0x1");
  EXPECT_EQ(symbols.At({"/", ""}, 1)[0].function, "unknown+0x1");
  EXPECT_EQ(symbols.At({"/dev/zero", ""}, 1)[0].function, "zero+0x1");
}

TEST(NativeSymbols, AFileOfAnotherBuildIsNotUsed) {
  NativeSymbols symbols;
  const auto address = reinterpret_cast<uint64_t>(&KnownToTheTestOfNativeSymbols) - OwnBias();
  EXPECT_TRUE(symbols.At({"/proc/self/exe", "other"}, address)[0].function.starts_with("exe+0x"));
}

}  // namespace
}  // namespace syncline
