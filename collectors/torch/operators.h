// SPDX-License-Identifier: Apache-2.0
// What PyTorch runs as ranges of two domains: operators, and what programs name.
#pragma once

#include "inject/core/exported.h"

namespace syncline::torch {

inline constexpr char kOperatorsDomain[] = "aten";

// From now on, as far as the gate is open: what programs name, with `operators` these, too. While
// the gate is shut PyTorch does not even call us for an operator. `library`: as for Listen. Null:
// so it is; else why not. Once a process, and its children inherit it.
// `inputs`: what each operator is called with, too, if it can be read; `sequence`: by which number
// autograd finds it.
const char* ListenToTorch(const Module& library, bool operators, bool inputs, bool sequence);

}  // namespace syncline::torch
