// SPDX-License-Identifier: Apache-2.0
// The one way by which Python asks autograd for gradients: backward() and grad() end there.
#pragma once

#include "collectors/torch/methods.h"

namespace syncline::torch {

// Each call of it is told as one that other threads work for (inject/core/helped_calls.h), and has
// a range if that is wanted. Null: so it is from now on; else why not. Once a process, and its
// children inherit it.
const char* WatchBackward(const Image& image, bool with_range);

}  // namespace syncline::torch
