// SPDX-License-Identifier: Apache-2.0
// What an operator was called with, as far as it can be told without calling anything of PyTorch's.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "inject/core/exported.h"

namespace syncline::torch {

enum class Inputs : uint32_t { kNotWanted, kUnknown, kLearning, kKnown, kUnreadable };
extern std::atomic<Inputs> g_inputs;

// From now on the first operator has their layout learnt. `library`: as for Listen. `without`: what
// a line says first if it cannot be.
void WantInputs(const Module& library, const char* without);

inline bool AreInputsKnown() { return g_inputs.load(std::memory_order_acquire) == Inputs::kKnown; }

// This thread runs the operator from which the layout is learnt: it is none of the program's.
bool IsLearning();
inline bool IsOperatorOfOurs() {
  return __builtin_expect(g_inputs.load(std::memory_order_relaxed) == Inputs::kLearning, 0) &&
         IsLearning();
}

// Before the program's first operator goes on: on a thread of our own, for which it waits a moment.
// Outside of hooks. If nothing is learnt a line says why.
void LearnInputs();
inline void LearnInputsFirst() {
  const Inputs now = g_inputs.load(std::memory_order_relaxed);
  if (__builtin_expect(now == Inputs::kUnknown || now == Inputs::kLearning, 0)) LearnInputs();
}

// Below: inside a callback, where AreInputsKnown.

// Writes at most kMostArgumentWords of argument_words.h; 0: it has no inputs. Follows no address
// but those of the arguments, which live as long as the operator.
size_t ReadInputs(const void* function, uint64_t* words);

// Negative: none.
int64_t SequenceOf(const void* function);
// 0: it is no backward function.
uint64_t ForwardThreadOf(const void* function);

}  // namespace syncline::torch
