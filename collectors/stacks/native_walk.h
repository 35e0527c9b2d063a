// SPDX-License-Identifier: Apache-2.0
// The native frames of the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/stacks/frame_recipes.h"

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

// The callers of the function that took `registers` and is still running, the innermost first, at
// most `most`. False: there are more, or the tables of a module do not say who called. In a hook:
// no lock, no heap; with signals blocked where LooksUpWithLock().
bool WalkNative(const Registers& registers, FrameRecipes* recipes, NativeFrame* frames, size_t most,
                size_t* count);

}  // namespace syncline::stacks
