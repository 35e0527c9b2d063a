// SPDX-License-Identifier: Apache-2.0
// PyTorch announces what it runs (at::RecordFunction) to whoever registered a callback. Registers
// without its headers.
#pragma once

namespace syncline::torch {

// `begins` and `ends` are called by the thread that runs it, nested, with an address that is the
// function's until it ends. Neither may throw, nor call PyTorch.
struct Listener {
  void (*begins)(const void* function, const char* name);
  void (*ends)(const void* function);
};

// What PyTorch's profiler records: operators, forward and backward, and what programs name by
// record_function(). From the libtorch_cpu behind `library`, a handle of dlopen. Null: both are
// called from now on; else why not. Once a process; a fork's child inherits it.
const char* Listen(void* library, const Listener& operators, const Listener& named);

}  // namespace syncline::torch
