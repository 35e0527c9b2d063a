// SPDX-License-Identifier: Apache-2.0
// How a function's frame leads to its caller's, as the compiler's tables (.eh_frame) tell it.
#pragma once

#include <cstdint>

#include "collectors/stacks/frame_bytes.h"
#include "collectors/stacks/loaded_modules.h"

namespace syncline::stacks {

// Of x86-64, as the System V ABI numbers them for DWARF (figure 3.36).
inline constexpr unsigned kRbx = 3, kRbp = 6, kRsp = 7, kR12 = 12, kReturn = 16;
inline constexpr unsigned kRegisters = 17;

enum class How : uint8_t {
  kSame,      // the caller's value is still there
  kLost,      // undefined; of the return address: there is no caller
  kAtOffset,  // in memory, `offset` from the frame's address
  kIsOffset,  // the frame's address and `offset`
  kInRegister,
  kAtExpression,  // in memory, where the expression says
  kIsExpression,
};

// Zeros are rules too: each register is the caller's still.
struct Rule {
  How how;
  int64_t value;  // an offset, a register, or where the expression is, its length in front
};

struct FrameRules {
  // The frame's address (CFA): a register and an offset, or what an expression says.
  unsigned frame_register;
  Rule frame;  // kIsOffset or kIsExpression
  Rule of[kRegisters];
  uintptr_t function;  // where the code begins that these hold for: one part of a function
  uintptr_t function_end;
  bool is_signal;  // the kernel made the frame: its caller did not call
};

// Of the instruction at `address` in `module`. False: its tables say nothing of the address, or are
// not as expected, or cannot be read. No lock, no heap.
bool RulesAt(const LoadedModule& module, uintptr_t address, ForeignMemory* memory,
             FrameRules* rules);

}  // namespace syncline::stacks
