// SPDX-License-Identifier: Apache-2.0
// The rules of most functions in a few bytes, so that tables are read once for each caller.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/stacks/frame_rules.h"

namespace syncline::stacks {

// What a function must give back unchanged, but for the stack pointer.
inline constexpr unsigned kSaved[] = {kRbx, kRbp, kR12, kR12 + 1, kR12 + 2, kR12 + 3};
inline constexpr size_t kSavedCount = sizeof(kSaved) / sizeof(kSaved[0]);

// Of a frame whose address is a register and an offset, and that keeps registers below it.
struct FrameRecipe {
  uint64_t address;  // of the instruction; 0: empty
  uint64_t code;     // of its module: KnownModule
  int32_t frame_offset;
  uint32_t frame_register;
  int16_t saved[kSavedCount];  // in words from the frame's address; 0: the value is still there
};

// False: the rules are not that simple.
bool MakeRecipe(const FrameRules& rules, FrameRecipe* recipe);

// Begins as zeros, in the memory of one thread.
class FrameRecipes {
 public:
  // `code`: of the module that has the address now.
  const FrameRecipe* Find(uint64_t address, uint64_t code) const {
    const FrameRecipe& recipe = recipes_[PlaceOf(address)];
    return recipe.address == address && recipe.code == code ? &recipe : nullptr;
  }
  void Keep(uint64_t address, uint64_t code, const FrameRules& rules);

 private:
  static constexpr size_t kCount = 1024;
  static size_t PlaceOf(uint64_t address) { return address * 0x9E3779B97F4A7C15ull >> 54; }

  FrameRecipe recipes_[kCount];
};

}  // namespace syncline::stacks
