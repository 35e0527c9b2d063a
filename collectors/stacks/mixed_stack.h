// SPDX-License-Identifier: Apache-2.0
// Frames of Python and of native code in the order of their calls.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/stacks/native_memo.h"
#include "collectors/stacks/python_walk.h"

namespace syncline::stacks {

struct PythonPart {
  const Python* python = nullptr;  // null: none is known in this process
  const LiveFrame* frames = nullptr;
  size_t count = 0;
  bool cut = false;
};

// One of both is null.
struct MixedFrame {
  const LiveFrame* python;
  const NativeFrame* native;
};

struct MixedStack {
  size_t count;
  bool cut;  // outermost frames are missing
};

// Each loop of the interpreter stands for the Python frames that run in it; other frames of the
// interpreter's own code and of this library are left out. Where loops and Python frames do not
// agree (a loop's part is elsewhere, another evaluator runs frames), the native frames inside the
// interpreter come first and then all of Python's. `out` has room for all frames of both.
MixedStack MixFrames(const PythonPart& python, const NativeStack& native, MixedFrame* out);

}  // namespace syncline::stacks
