// SPDX-License-Identifier: Apache-2.0
// Tests of memory that is cut short while it is read.
#include "inject/consumer/guarded_mapping.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "inject/core/sys.h"

namespace syncline {
namespace {

constexpr size_t kBytes = 16 << 12;

class Memory {
 public:
  Memory() : fd_(static_cast<int>(SysCall(SYS_memfd_create, AsLong("guarded"), 1))) {
    Resize(kBytes);
    EXPECT_EQ(mapping.Map(fd_, kBytes), 0);
    std::memset(mapping.memory(), 'x', kBytes);
  }
  ~Memory() { close(fd_); }
  void Resize(off_t bytes) const { EXPECT_EQ(ftruncate(fd_, bytes), 0); }
  char At(size_t offset) const {
    return static_cast<const volatile char*>(mapping.memory())[offset];
  }

  GuardedMapping mapping;

 private:
  int fd_;
};

TEST(GuardedMapping, WhatIsCutOffReadsAsZeros) {
  const Memory memory;
  memory.Resize(2 << 12);
  EXPECT_FALSE(memory.mapping.broken()) << "nobody has looked there";
  EXPECT_EQ(memory.At(3 << 12), 0);
  EXPECT_TRUE(memory.mapping.broken());
  EXPECT_EQ(memory.At(kBytes - 1), 0);
  EXPECT_EQ(memory.At(1 << 12), 'x') << "before the cut all is as it was";
}

TEST(GuardedMapping, OneThatIsCutBreaksNoOther) {
  const Memory whole;
  const Memory cut;
  cut.Resize(0);
  EXPECT_EQ(cut.At(0), 0);
  EXPECT_TRUE(cut.mapping.broken());
  EXPECT_FALSE(whole.mapping.broken());
  EXPECT_EQ(whole.At(0), 'x');
}

TEST(GuardedMapping, ThePlaceOfABrokenOneIsUsedAgain) {
  {
    const Memory cut;
    cut.Resize(0);
    EXPECT_EQ(cut.At(0), 0);
  }
  const Memory whole;
  EXPECT_FALSE(whole.mapping.broken());
  EXPECT_EQ(whole.At(0), 'x');
}

TEST(GuardedMappingDeathTest, AFaultOutsideOfThemIsDeadly) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const Memory known;
        const int fd = static_cast<int>(SysCall(SYS_memfd_create, AsLong("other"), 1));
        const auto* other =
            static_cast<const volatile char*>(mmap(nullptr, 4096, PROT_READ, MAP_SHARED, fd, 0));
        _exit(other[0]);
      },
      testing::KilledBySignal(SIGBUS), "");
}

TEST(GuardedMappingDeathTest, ASignalThatSomebodySentIsDeadly) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const Memory known;
        kill(getpid(), SIGBUS);
        pause();
      },
      testing::KilledBySignal(SIGBUS), "");
}

}  // namespace
}  // namespace syncline
