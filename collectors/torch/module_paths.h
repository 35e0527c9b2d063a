// SPDX-License-Identifier: Apache-2.0
// The path of a module in its model ("Net.layers.3.attn"), found where it stands now.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/core/watched_method.h"

namespace syncline::torch {

// The attribute of a module that holds the modules below it by name.
inline constexpr char kChildren[] = "_modules";

// A path of the process's, never freed; the same text is the same path.
struct ModulePath {
  const char* text;
  const char* key;  // its last part, within `text`
  uint32_t bytes, key_bytes;
  uint32_t parent;  // number of the path without the last part, 0: none
  uint32_t number;
  ModulePath* next;  // of the same bucket
};

struct CalledModule {
  const void* object;
  uint32_t path;  // its number; 0: not looked for
};

// All below: with the interpreter's lock, outside of hooks. Keeps errno.

// The path of `module`, which is called within the calls of `around`, the outermost first. It is
// the way to it from the innermost of those, else from the outermost, by the first way that is
// found breadth first; else it begins anew with the module's class. Null: no more can be kept.
// Paths of `around` that were not looked for are written there.
const ModulePath* FindModulePath(const PythonObjects& python, CalledModule* around, size_t count,
                                 const void* module);

}  // namespace syncline::torch
