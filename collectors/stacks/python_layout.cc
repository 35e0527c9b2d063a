// SPDX-License-Identifier: Apache-2.0
// Read off the headers of each version (Include/cpython/code.h, pystate.h, unicodeobject.h and
// Include/internal/pycore_frame.h, before 3.11 Include/cpython/frameobject.h), whose structs do not
// change after a version's first release.
#include "collectors/stacks/python_layout.h"

namespace syncline::stacks {
namespace {

// python, state: frame, cframe's, thread, frame: previous, code, position, owner, entry, code:
// begin, version, str: ascii, other, bytes per position
constexpr PythonLayout kLayouts[] = {
    {0x308, 24, kNone, 176, 24, 32, 104, kNone, kNone, kNone, kNone, 48, 72, 1},
    {0x309, 24, kNone, 176, 24, 32, 104, kNone, kNone, kNone, kNone, 48, 72, 1},
    {0x30a, 24, kNone, 176, 24, 32, 96, kNone, kNone, kNone, kNone, 48, 72, 2},
    {0x30b, 56, 8, 152, 48, 32, 56, kNone, 68, 184, kNone, 48, 72, 0},
    {0x30c, 56, 0, 136, 8, 0, 56, 70, kNone, 192, 92, 40, 56, 0},
    {0x30d, 72, kNone, 152, 8, 0, 56, 70, kNone, 200, 92, 40, 56, 0},
};

}  // namespace

const PythonLayout* LayoutOfPython(uint16_t python) {
  for (const PythonLayout& layout : kLayouts) {
    if (layout.python == python) return &layout;
  }
  return nullptr;
}

}  // namespace syncline::stacks
