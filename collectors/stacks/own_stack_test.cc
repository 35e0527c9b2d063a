// SPDX-License-Identifier: Apache-2.0
// A thread's own stack is known on each kind of thread, and no other stack is taken for it.
#include "collectors/stacks/own_stack.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace syncline::stacks {
namespace {

uint64_t StackPointer() {
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) & ~uint64_t{7};
}

// What the C library says, which no hook may ask.
StackPart Told() {
  pthread_attr_t attributes;
  void* low;
  size_t bytes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &low, &bytes);
  pthread_attr_destroy(&attributes);
  return {reinterpret_cast<uintptr_t>(low), bytes};
}

__attribute__((noinline)) void ExpectOwn() {
  OwnStack own = {};
  own.Begin();
  const StackPart part = own.Above(StackPointer()), told = Told();
  EXPECT_TRUE(part.Has(StackPointer()));
  EXPECT_TRUE(told.Has(part.low));
  // The first thread's arguments lie above what the C library calls its stack.
  EXPECT_LT(part.low + part.bytes, told.low + told.bytes + (4 << 20));
  EXPECT_GT(part.low + part.bytes, StackPointer());
  EXPECT_EQ(own.Above(8).bytes, 0u);
  const auto elsewhere = std::make_unique<uint64_t>();
  EXPECT_EQ(own.Above(reinterpret_cast<uintptr_t>(elsewhere.get())).bytes, 0u);
}

void* OnThread(void*) {
  ExpectOwn();
  return nullptr;
}

TEST(OwnStack, IsKnownOfEachThread) {
  ExpectOwn();
  std::thread(ExpectOwn).join();
  std::vector<char> room(1 << 18);
  pthread_attr_t attributes;
  pthread_t thread;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstack(&attributes, room.data(), room.size()), 0);
  ASSERT_EQ(pthread_create(&thread, &attributes, OnThread, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

__attribute__((noinline)) uint64_t Deep(OwnStack* own, int depth) {
  volatile char room[4096];
  __asm__ volatile("" ::"r"(room) : "memory");  // all of it is there
  room[0] = static_cast<char>(depth);
  const uint64_t bytes = depth == 0 ? own->Above(StackPointer()).bytes : Deep(own, depth - 1);
  return bytes + static_cast<uint64_t>(room[0] != static_cast<char>(depth));
}

// Where the loader found the program's arguments: frames begin right below.
extern "C" void* __libc_stack_end;  // NOLINT: the C library's name

TEST(OwnStack, OfTheFirstThreadGrows) {
  OwnStack own = {};
  own.Begin();
  EXPECT_TRUE(own.Above(StackPointer()).Has(reinterpret_cast<uintptr_t>(__libc_stack_end)));
  const uint64_t before = own.Above(StackPointer()).bytes;
  EXPECT_GT(Deep(&own, 400), before + 400 * 4096);
}

ucontext_t g_main, g_other;
void OnOtherStack() {
  OwnStack own = {};
  own.Begin();
  EXPECT_EQ(own.Above(StackPointer()).bytes, 0u);
}

TEST(OwnStack, IsNoCoroutines) {
  for (const bool on_thread : {false, true}) {
    const auto run = [] {
      const size_t bytes = 1 << 17;
      void* stack =
          mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      ASSERT_NE(stack, MAP_FAILED);
      getcontext(&g_other);
      g_other.uc_stack.ss_sp = stack;
      g_other.uc_stack.ss_size = bytes;
      g_other.uc_link = &g_main;
      makecontext(&g_other, OnOtherStack, 0);
      swapcontext(&g_main, &g_other);
      munmap(stack, bytes);
    };
    on_thread ? std::thread(run).join() : run();
  }
}

}  // namespace
}  // namespace syncline::stacks
