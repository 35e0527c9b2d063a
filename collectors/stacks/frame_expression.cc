// SPDX-License-Identifier: Apache-2.0
// DWARF 5, 2.5.1: what needs no more than registers and memory.
#include "collectors/stacks/frame_expression.h"

namespace syncline::stacks {
namespace {

constexpr int kDeepest = 16;
constexpr int kMostSteps = 256;  // an expression may loop

class Expression {
 public:
  Expression(FrameBytes code, const uint64_t* registers, StackMemory* memory)
      : code_(code), begin_(code.at()), registers_(registers), memory_(memory) {}

  void Push(uint64_t value) {
    if (depth_ == kDeepest) {
      code_.Fail();
    } else {
      stack_[depth_++] = value;
    }
  }
  bool Run(uint64_t* value) {
    for (int steps = 0; !code_.AtEnd(); ++steps) {
      if (steps == kMostSteps || !Step(code_.Take<uint8_t>())) return false;
    }
    if (code_.failed() || depth_ == 0) return false;
    *value = stack_[depth_ - 1];
    return true;
  }

 private:
  uint64_t Pop() {
    if (depth_ == 0) {
      code_.Fail();
      return 0;
    }
    return stack_[--depth_];
  }
  bool PushAnd(uint64_t value) {
    Push(value);
    return true;
  }
  bool PushRegister(uint64_t reg, int64_t offset) {
    return reg < kRegisters && PushAnd(registers_[reg] + static_cast<uint64_t>(offset));
  }
  bool PushDeref(unsigned bytes) {
    const uint64_t address = Pop();
    uint64_t word = 0;
    if (bytes == 0 || bytes > 8 || address % 8 + bytes > 8 ||
        !memory_->Read(address & ~uint64_t{7}, &word))
      return false;
    word >>= 8 * (address % 8);
    return PushAnd(bytes == 8 ? word : word & ((uint64_t{1} << (8 * bytes)) - 1));
  }
  bool PushFrom(int below_top) {
    return below_top < depth_ && PushAnd(stack_[depth_ - 1 - below_top]);
  }
  bool Branch(bool taken) {
    const auto offset = code_.Take<int16_t>();
    if (taken) code_.Skip(offset, begin_);
    return true;
  }

  bool Step(uint8_t op) {
    if (op >= 0x30 && op <= 0x4f) return PushAnd(op - 0x30u);  // DW_OP_lit0 to 31
    if (op >= 0x70 && op <= 0x8f)                              // DW_OP_breg0 to 31
      return PushRegister(op - 0x70u, code_.TakeSleb());
    switch (op) {
      case 0x06:  // DW_OP_deref
        return PushDeref(8);
      case 0x94:  // DW_OP_deref_size
        return PushDeref(code_.Take<uint8_t>());
      case 0x92: {  // DW_OP_bregx
        const uint64_t reg = code_.TakeUleb();
        return PushRegister(reg, code_.TakeSleb());
      }
      case 0x28:  // DW_OP_bra
        return Branch(Pop() != 0);
      case 0x2f:  // DW_OP_skip
        return Branch(true);
      case 0x96:  // DW_OP_nop
        return true;
      default:
        return op < 0x12 ? StepConstant(op) : op < 0x18 ? StepStack(op) : StepNumber(op);
    }
  }

  bool StepConstant(uint8_t op) {
    switch (op) {
      case 0x03:  // DW_OP_addr
      case 0x0e:  // DW_OP_const8u
      case 0x0f:  // DW_OP_const8s
        return PushAnd(code_.Take<uint64_t>());
      case 0x08:  // DW_OP_const1u
        return PushAnd(code_.Take<uint8_t>());
      case 0x09:  // DW_OP_const1s
        return PushAnd(static_cast<uint64_t>(int64_t{code_.Take<int8_t>()}));
      case 0x0a:  // DW_OP_const2u
        return PushAnd(code_.Take<uint16_t>());
      case 0x0b:  // DW_OP_const2s
        return PushAnd(static_cast<uint64_t>(int64_t{code_.Take<int16_t>()}));
      case 0x0c:  // DW_OP_const4u
        return PushAnd(code_.Take<uint32_t>());
      case 0x0d:  // DW_OP_const4s
        return PushAnd(static_cast<uint64_t>(int64_t{code_.Take<int32_t>()}));
      case 0x10:  // DW_OP_constu
        return PushAnd(code_.TakeUleb());
      case 0x11:  // DW_OP_consts
        return PushAnd(static_cast<uint64_t>(code_.TakeSleb()));
      default:
        return false;
    }
  }

  bool StepStack(uint8_t op) {
    switch (op) {
      case 0x12:  // DW_OP_dup
        return PushFrom(0);
      case 0x13:  // DW_OP_drop
        Pop();
        return true;
      case 0x14:  // DW_OP_over
        return PushFrom(1);
      case 0x15:  // DW_OP_pick
        return PushFrom(code_.Take<uint8_t>());
      case 0x16: {  // DW_OP_swap
        const uint64_t top = Pop(), second = Pop();
        Push(top);
        return PushAnd(second);
      }
      default: {  // DW_OP_rot
        const uint64_t top = Pop(), second = Pop(), third = Pop();
        Push(top);
        Push(third);
        return PushAnd(second);
      }
    }
  }

  bool StepNumber(uint8_t op) {
    if (op == 0x1f) return PushAnd(uint64_t{0} - Pop());       // DW_OP_neg
    if (op == 0x20) return PushAnd(~Pop());                    // DW_OP_not
    if (op == 0x23) return PushAnd(Pop() + code_.TakeUleb());  // DW_OP_plus_uconst
    const uint64_t right = Pop(), left = Pop();
    const auto signed_left = static_cast<int64_t>(left), signed_right = static_cast<int64_t>(right);
    switch (op) {
      case 0x1a:  // DW_OP_and
        return PushAnd(left & right);
      case 0x1c:  // DW_OP_minus
        return PushAnd(left - right);
      case 0x1e:  // DW_OP_mul
        return PushAnd(left * right);
      case 0x21:  // DW_OP_or
        return PushAnd(left | right);
      case 0x22:  // DW_OP_plus
        return PushAnd(left + right);
      case 0x24:  // DW_OP_shl
        return PushAnd(right < 64 ? left << right : 0);
      case 0x25:  // DW_OP_shr
        return PushAnd(right < 64 ? left >> right : 0);
      case 0x26:  // DW_OP_shra
        return PushAnd(static_cast<uint64_t>(signed_left >> (right < 64 ? right : 63)));
      case 0x27:  // DW_OP_xor
        return PushAnd(left ^ right);
      case 0x29:  // DW_OP_eq
        return PushAnd(left == right ? 1 : 0);
      case 0x2a:  // DW_OP_ge
        return PushAnd(signed_left >= signed_right ? 1 : 0);
      case 0x2b:  // DW_OP_gt
        return PushAnd(signed_left > signed_right ? 1 : 0);
      case 0x2c:  // DW_OP_le
        return PushAnd(signed_left <= signed_right ? 1 : 0);
      case 0x2d:  // DW_OP_lt
        return PushAnd(signed_left < signed_right ? 1 : 0);
      case 0x2e:  // DW_OP_ne
        return PushAnd(left != right ? 1 : 0);
      default:
        return false;
    }
  }

  FrameBytes code_;
  uint64_t begin_;
  const uint64_t* registers_;
  StackMemory* memory_;
  uint64_t stack_[kDeepest];
  int depth_ = 0;
};

}  // namespace

bool Evaluate(uint64_t expression, uint64_t end, const uint64_t* registers, const uint64_t* first,
              StackMemory* memory, uint64_t* value) {
  FrameBytes bytes(memory->foreign(), expression, end);
  const FrameBytes code = bytes.TakeBlock(bytes.TakeUleb());
  if (bytes.failed()) return false;
  Expression run(code, registers, memory);
  if (first != nullptr) run.Push(*first);
  return run.Run(value);
}

}  // namespace syncline::stacks
