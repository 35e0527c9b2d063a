// SPDX-License-Identifier: Apache-2.0
// From frame to frame by the tables of the modules that the code lies in.
#include "collectors/stacks/native_walk.h"

#include "collectors/stacks/frame_expression.h"
#include "collectors/stacks/python_walk.h"

namespace syncline::stacks {
namespace {

enum class Next : uint8_t { kCaller, kOutermost, kUnknown };

// Stacks go to and fro between a few modules.
class RecentModules {
 public:
  explicit RecentModules(WalkRoom* room) : room_(room) {}

  const KnownModule* Find(uint64_t address) {
    for (const KnownModule& known : modules_) {
      if (known.module.Has(address)) return &known;
    }
    const KnownModule* found = room_->modules.Find(address, room_->memory.foreign());
    if (found == nullptr) return nullptr;
    KnownModule& slot = modules_[next_++ % kCount];
    slot = *found;
    return &slot;
  }

 private:
  static constexpr size_t kCount = 4;
  WalkRoom* room_;
  KnownModule modules_[kCount] = {};
  size_t next_ = 0;
};

class Walker {
 public:
  Walker(const Registers& registers, WalkRoom* room)
      : registers_(registers), room_(room), modules_(room) {}

  Next ToCaller(NativeFrame* caller) {
    const uint64_t pc = registers_.of[kReturn];
    const uint64_t address = interrupted_ ? pc : pc - 1;
    module_ = modules_.Find(address);
    if (module_ == nullptr) return Next::kUnknown;
    code_ = Mix(code_, module_->code);
    const FrameRecipe* recipe = room_->recipes.Find(address, module_->code);
    uint64_t slot;
    const Next next = recipe != nullptr ? ByRecipe(*recipe, &slot) : ByRules(address, &slot);
    if (next != Next::kCaller) return next;
    if (registers_.of[kReturn] == 0) return Next::kOutermost;
    *caller = {slot | (interrupted_ ? NativeFrame::kInterrupted : 0), registers_.of[kReturn]};
    return Next::kCaller;
  }

  uint64_t code() const { return code_; }

 private:
  Next ByRecipe(const FrameRecipe& recipe, uint64_t* slot) {
    const uint64_t frame =
        registers_.of[recipe.frame_register] + static_cast<uint64_t>(int64_t{recipe.frame_offset});
    if (frame <= registers_.of[kRsp] || frame % sizeof(uint64_t) != 0) return Next::kUnknown;
    for (size_t i = 0; i < kSavedCount; ++i) {
      const uint64_t place = frame + static_cast<uint64_t>(int64_t{recipe.saved[i]}) * 8;
      if (place != frame && !room_->memory.Read(place, &registers_.of[kSaved[i]]))
        return Next::kUnknown;
    }
    *slot = frame - sizeof(uint64_t);
    if (!room_->memory.Read(*slot, &registers_.of[kReturn])) return Next::kUnknown;
    registers_.of[kRsp] = frame;
    interrupted_ = false;
    return Next::kCaller;
  }

  Next ByRules(uint64_t address, uint64_t* slot) {
    if (!RulesAt(module_->module, address, room_->memory.foreign(), &rules_)) return Next::kUnknown;
    if (rules_.of[kReturn].how == How::kLost) return Next::kOutermost;
    if (!FindFrame()) return Next::kUnknown;
    // Stacks grow down; the kernel may have changed the stack for a signal.
    if (!rules_.is_signal && frame_ <= registers_.of[kRsp]) return Next::kUnknown;
    if (!PlaceOf(rules_.of[kReturn], slot)) return Next::kUnknown;
    Registers next = registers_;
    next.of[kRsp] = frame_;
    for (unsigned i = 0; i < kRegisters; ++i) {
      if (!Restore(rules_.of[i], i, &next.of[i])) return Next::kUnknown;
    }
    registers_ = next;
    interrupted_ = rules_.is_signal;
    room_->recipes.Keep(address, module_->code, rules_);
    return Next::kCaller;
  }

  bool Work(const Rule& rule, const uint64_t* first, uint64_t* value) {
    return Evaluate(static_cast<uint64_t>(rule.value), module_->module.end, registers_.of, first,
                    &room_->memory, value);
  }

  bool FindFrame() {
    if (rules_.frame.how == How::kIsExpression) return Work(rules_.frame, nullptr, &frame_);
    frame_ = registers_.of[rules_.frame_register] + static_cast<uint64_t>(rules_.frame.value);
    return true;
  }

  // Where a register is kept.
  bool PlaceOf(const Rule& rule, uint64_t* place) {
    if (rule.how == How::kAtExpression) return Work(rule, &frame_, place);
    *place = frame_ + static_cast<uint64_t>(rule.value);
    return rule.how == How::kAtOffset && *place % sizeof(uint64_t) == 0;
  }

  bool Restore(const Rule& rule, unsigned number, uint64_t* value) {
    uint64_t place;
    switch (rule.how) {
      case How::kSame:
        return number != kReturn;
      case How::kLost:
        *value = 0;
        return true;
      case How::kIsOffset:
        *value = frame_ + static_cast<uint64_t>(rule.value);
        return true;
      case How::kIsExpression:
        return Work(rule, &frame_, value);
      case How::kInRegister:
        if (rule.value < 0 || rule.value >= int64_t{kRegisters}) return false;
        *value = registers_.of[rule.value];
        return true;
      case How::kAtOffset:
      case How::kAtExpression:
        return PlaceOf(rule, &place) && room_->memory.Read(place, value);
    }
    return false;
  }

  Registers registers_;
  WalkRoom* room_;
  bool interrupted_ = false;
  uint64_t frame_ = 0;  // the canonical frame address
  const KnownModule* module_ = nullptr;
  uint64_t code_ = 0;
  FrameRules rules_;
  RecentModules modules_;
};

}  // namespace

NativeWalk WalkNative(const Registers& registers, WalkRoom* room, NativeFrame* frames,
                      size_t most) {
  Walker walker(registers, room);
  for (size_t count = 0;; ++count) {
    NativeFrame caller;
    const Next next = walker.ToCaller(&caller);
    if (next != Next::kCaller || count == most)
      return {count, walker.code(), next == Next::kOutermost};
    frames[count] = caller;
  }
}

}  // namespace syncline::stacks
