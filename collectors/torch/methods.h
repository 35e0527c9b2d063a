// SPDX-License-Identifier: Apache-2.0
// Methods that a library gives to Python, found in its memory by their name: PyTorch exports none
// of them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline::torch {

// PyMethodDef (Include/methodobject.h), the same in all versions of Python.
struct Method {
  const char* name;
  void* function;
  int flags;
  const char* doc;
};
inline constexpr int kArgumentsAndKeywords = 3;  // METH_VARARGS | METH_KEYWORDS

// What a library's file has in memory.
struct Image {
  struct Part {
    uintptr_t begin, end;
    bool writable, executable;
  };
  static constexpr size_t kMostParts = 16;
  Part parts[kMostParts] = {};
  size_t count = 0;
  uintptr_t relro_begin = 0, relro_end = 0;  // what the loader has made read-only
};

// Of the first loaded library whose file has this name. False: there is none, or it is not as
// libraries are.
bool FindImage(const char* file, Image* out);

// How many methods of this name and these flags stand in what is writable, and one of them. The
// library stays as it is meanwhile.
size_t FindMethod(const Image& image, const char* name, int flags, Method** found);

// Calls of the method go to `function` from now on. False: it cannot be written.
bool ReplaceMethod(const Image& image, Method* method, void* function);

}  // namespace syncline::torch
