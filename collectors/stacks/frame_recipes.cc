// SPDX-License-Identifier: Apache-2.0
// A recipe is forgotten before it is overwritten: a handler may leave by a jump.
#include "collectors/stacks/frame_recipes.h"

#include <atomic>

namespace syncline::stacks {
namespace {

constexpr int64_t kWord = 8;

bool IsSaved(unsigned reg) {
  for (const unsigned saved : kSaved) {
    if (reg == saved) return true;
  }
  return reg == kRsp;
}

}  // namespace

bool MakeRecipe(const FrameRules& rules, FrameRecipe* recipe) {
  const Rule& return_address = rules.of[kReturn];
  if (rules.is_signal || rules.frame.how != How::kIsOffset || !IsSaved(rules.frame_register) ||
      rules.frame.value != static_cast<int32_t>(rules.frame.value) ||
      return_address.how != How::kAtOffset || return_address.value != -kWord ||
      rules.of[kRsp].how != How::kSame)
    return false;
  recipe->frame_offset = static_cast<int32_t>(rules.frame.value);
  recipe->frame_register = rules.frame_register;
  for (size_t i = 0; i < kSavedCount; ++i) {
    const Rule& rule = rules.of[kSaved[i]];
    const auto words = static_cast<int16_t>(rule.value / kWord);
    if (rule.how == How::kSame) {
      recipe->saved[i] = 0;
    } else if (rule.how == How::kAtOffset && words != 0 && words * kWord == rule.value) {
      recipe->saved[i] = words;
    } else {
      return false;
    }
  }
  return true;
}

void FrameRecipes::Keep(uint64_t address, uint64_t code, const FrameRules& rules) {
  FrameRecipe& recipe = recipes_[PlaceOf(address)];
  recipe.address = 0;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (!MakeRecipe(rules, &recipe)) return;
  recipe.code = code;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  recipe.address = address;
}

}  // namespace syncline::stacks
