// SPDX-License-Identifier: Apache-2.0
// PyTorch announces what it runs (at::RecordFunction) to whoever registered a callback. Registers
// without its headers.
#pragma once

#include "inject/core/exported.h"

namespace syncline::torch {

// Called by the thread that runs `function`, nested; its address is the function's until it ends.
// Neither may throw. `begins` writes null to `*context` and returns `context`: so a function gives
// back the std::unique_ptr<at::ObserverContext> that PyTorch expects.
struct Callback {
  void** (*begins)(void** context, const void* function);
  void (*ends)(const void* function, void* context);
};

// `operators` hears what PyTorch's profiler calls so: operators, forward and backward, and
// functions of TorchScript; null: nobody does, which costs them nothing. `named` hears what
// programs name by record_function(). From libtorch_cpu, whose layout is known and which stays.
// Null: both hear from now on; else why not. Once a process; a fork's child inherits it.
// `with_inputs`: PyTorch keeps an operator's inputs at hand while `operators` hears that it begins.
const char* Listen(const Module& library, const Callback* operators, bool with_inputs,
                   const Callback& named);

// After that, for a moment: whoever hears of operators with their inputs, and its number.
uint64_t BeginListening(const Callback& callback);
void EndListening(uint64_t number);

// Inputs are at hand for it from now on, too; it hears whatever it was told by HearOperators.
void HearInputs();

// Whether `operators` hears of what begins from now on, in whatever thread; what it has heard of
// ends for it in any case. Takes a lock of PyTorch's for a moment, and calls no callback.
void HearOperators(bool hears);

// Inside a callback. The name lives as long as the function.
const char* NameOf(const void* function);
// It may end on another thread.
bool IsAsync(const void* function);

// The number by which PyTorch knows the calling thread, which it gives where there is none; 0: it
// does not say. After Listen.
uint64_t NumberOfThread();

// Null: the module does not show a function of this name.
template <typename Function>
bool FindFunction(const Module& module, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(const_cast<void*>(Exported(module, name)));  // NOLINT: code
  return *out != nullptr;
}

}  // namespace syncline::torch
