// SPDX-License-Identifier: Apache-2.0
// The native frames of the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/stacks/frame_recipes.h"
#include "collectors/stacks/known_modules.h"
#include "collectors/stacks/stack_memory.h"

namespace syncline::stacks {

#if defined(__x86_64__)
inline constexpr bool kWalksNative = true;
#else
inline constexpr bool kWalksNative = false;  // the seam for aarch64 is here and in frame_rules.h
#endif

// A function that called, and where the stack says so.
struct NativeFrame {
  uint64_t slot;  // address of the return address; kInterrupted: the kernel put it there
  uint64_t pc;    // of the instruction to be returned to

  static constexpr uint64_t kInterrupted = 1;  // slots are multiples of 8

  // An address of the instruction that called or was interrupted.
  uint64_t instruction() const { return (slot & kInterrupted) != 0 ? pc : pc - 1; }
};

struct Registers {
  uint64_t of[kRegisters];
};

// Of the function that this becomes a part of. What a caller may have changed is not of interest.
inline __attribute__((always_inline)) void TakeRegisters(Registers* registers) {
#if defined(__x86_64__)
  asm volatile(
      "movq %%rbx, 24(%0)\n\t"
      "movq %%rbp, 48(%0)\n\t"
      "movq %%rsp, 56(%0)\n\t"
      "movq %%r12, 96(%0)\n\t"
      "movq %%r13, 104(%0)\n\t"
      "movq %%r14, 112(%0)\n\t"
      "movq %%r15, 120(%0)\n\t"
      "leaq 0(%%rip), %%rax\n\t"
      "movq %%rax, 128(%0)"
      :
      : "r"(registers->of)
      : "rax", "memory");
#else
  (void)registers;
#endif
}

// What walks of one thread need. Begins as zeros, but for `memory`.
struct WalkRoom {
  FrameRecipes recipes;
  KnownModules modules;
  StackMemory memory;  // begun before each walk
};

struct NativeWalk {
  size_t count;
  uint64_t code;  // stands for the modules of the frames, one after the other
  bool whole;     // false: there are more, or the tables of a module do not say who called
};

// The callers of the function that took `registers` and is still running, the innermost first, at
// most `most`. In a hook: no lock, no heap; with signals blocked where LooksUpWithLock().
NativeWalk WalkNative(const Registers& registers, WalkRoom* room, NativeFrame* frames, size_t most);

}  // namespace syncline::stacks
