// SPDX-License-Identifier: Apache-2.0
// What PyTorch runs as ranges of two domains: operators, and what programs name.
#pragma once

#include "inject/core/exported.h"

namespace syncline::torch {

inline constexpr char kOperatorsDomain[] = "aten";

struct Wanted {
  bool operators = false;
  bool inputs = false;    // of operators: what each is called with, if it can be read
  bool sequence = false;  // ... by which number autograd finds it
  bool lines = false;     // ... the stack of those that are in no other one; with `sequence`
};

// From now on, as far as the gate is open: what programs name, with operators these, too. While
// the gate is shut PyTorch does not even call us for an operator. `library`: as for Listen. Null:
// so it is; else why not. Once a process, and its children inherit it.
const char* ListenToTorch(const Module& library, const Wanted& wanted);

}  // namespace syncline::torch
