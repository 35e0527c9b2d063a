// SPDX-License-Identifier: Apache-2.0
// What is there is read as it is, what is not is not, whoever maps and unmaps meanwhile.
#include "inject/core/foreign_memory.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <string>
#include <thread>

#include "inject/core/sys.h"

namespace syncline {
namespace {

constexpr size_t kPage = 4096;

class Foreign : public ::testing::Test {
 protected:
  // Three pages, of which the last cannot be read.
  void SetUp() override {
    pages_ = static_cast<char*>(
        mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(pages_, MAP_FAILED);
    for (size_t i = 0; i < 2 * kPage; ++i) pages_[i] = static_cast<char>('a' + i % 23);
    mprotect(pages_ + 2 * kPage, kPage, PROT_NONE);
    begin_ = reinterpret_cast<uintptr_t>(pages_);
  }
  void TearDown() override { munmap(pages_, 3 * kPage); }

  char* pages_ = nullptr;
  uint64_t begin_ = 0;
  ForeignWindows<512, 4> memory_;
};

TEST_F(Foreign, IsReadWhereItIs) {
  char out[kPage] = {};
  ASSERT_TRUE(memory_.Copy(begin_ + kPage - 700, out, 1400));
  EXPECT_EQ(std::string(out, 1400), std::string(pages_ + kPage - 700, 1400));
  EXPECT_TRUE(memory_.Copy(begin_ + 2 * kPage - 1, out, 1));
  EXPECT_FALSE(memory_.Copy(begin_ + 2 * kPage - 1, out, 2));
  EXPECT_FALSE(memory_.Copy(begin_ + 2 * kPage, out, 1));
  for (const uint64_t wrong : {uint64_t{0}, uint64_t{1} << 47, ~uint64_t{0}, ~uint64_t{0} - 4095})
    EXPECT_FALSE(memory_.Copy(wrong, out, 8)) << wrong;
}

TEST_F(Foreign, IsReadAgainAfterForget) {
  char byte = 0;
  ASSERT_TRUE(memory_.Read(begin_, &byte));
  pages_[0] = 'Z';
  memory_.Forget();
  ASSERT_TRUE(memory_.Read(begin_, &byte));
  EXPECT_EQ(byte, 'Z');
}

TEST_F(Foreign, TextsEndAtTheirNulOrWhereNothingCanBeRead) {
  char out[64];
  size_t bytes;
  std::strcpy(pages_ + 505, "across two windows");
  ASSERT_TRUE(memory_.CopyText(begin_ + 505, out, sizeof(out), &bytes));
  EXPECT_EQ(std::string(out, bytes), "across two windows");
  EXPECT_TRUE(memory_.IsText(begin_ + 505, "across two windows"));
  EXPECT_FALSE(memory_.IsText(begin_ + 505, "across two windowsills"));
  EXPECT_FALSE(memory_.CopyText(begin_ + 505, out, 6, &bytes));
  EXPECT_EQ(bytes, 6u);
  EXPECT_FALSE(memory_.CopyText(begin_ + 2 * kPage - 3, out, sizeof(out), &bytes));
  EXPECT_FALSE(memory_.IsText(begin_ + 2 * kPage - 3, "abcdef"));
}

TEST_F(Foreign, MayComeAndGoMeanwhile) {
  std::atomic<bool> done{false};
  std::thread mapper([&] {
    while (!done.load(std::memory_order_relaxed)) {
      mmap(pages_, kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      mmap(pages_, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    }
  });
  int read = 0, refused = 0;
  for (int i = 0; i < 200'000 && (i < 2000 || read == 0 || refused == 0); ++i) {
    uint64_t word = 1;
    memory_.Forget();
    if (!memory_.Read(begin_, &word)) {
      ++refused;
    } else {
      ++read;
    }
  }
  done.store(true, std::memory_order_relaxed);
  mapper.join();
  EXPECT_GT(read, 0);
  EXPECT_GT(refused, 0);
}

// As a container's filter does.
bool Refuse(unsigned call, unsigned other) {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, other, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int InChild(void (*check)(uint64_t place)) {
  static uint64_t place;
  place = 42;
  const pid_t child = fork();
  if (child == 0) {
    check(reinterpret_cast<uintptr_t>(&place));
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(ForeignMemory, IsReadByTheFileWhereTheCallIsRefused) {
  EXPECT_EQ(InChild([](uint64_t place) {
              uint64_t word = 0;
              if (!Refuse(SYS_process_vm_readv, SYS_process_vm_readv)) _exit(0);
              if (!ReadForeign(place, &word, sizeof(word)) || word != 42) _exit(1);
              if (ReadForeign(8, &word, sizeof(word))) _exit(2);
              if (IsForeignMemoryClosed()) _exit(3);
            }),
            0);
}

TEST(ForeignMemory, IsClosedWhereBothAreRefused) {
  EXPECT_EQ(InChild([](uint64_t place) {
              uint64_t word = 0;
              if (!Refuse(SYS_process_vm_readv, SYS_openat)) _exit(0);
              if (ReadForeign(place, &word, sizeof(word))) _exit(1);
              if (!IsForeignMemoryClosed()) _exit(2);
            }),
            0);
}

}  // namespace
}  // namespace syncline
