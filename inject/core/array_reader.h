// SPDX-License-Identifier: Apache-2.0
// Arrays of a library, as Python's objects hold them: whoever knows the library's memory tells
// whoever looks at Python's objects.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace syncline {

inline constexpr size_t kMostArrayDims = 16;

struct ArrayFacts {
  const char* dtype;   // a constant: "float32"
  const char* device;  // a constant: "cuda"
  int device_number;   // negative: it has none
  size_t dims;         // at most kMostArrayDims
  int64_t sizes[kMostArrayDims];
  bool needs_gradient;
};

struct ArrayReader {
  // What the class, or one that it is made of, calls itself (tp_name). Classes of that name that
  // are made in C are the library's.
  const char* const* classes;  // ends with null
  // Of an object of such a class, under the interpreter's lock. Runs nothing of the program's,
  // waits for no device, keeps errno. False: this one cannot be read.
  bool (*read)(const void* object, ArrayFacts* out);
  // The same of objects that stand for a type of elements, or for a device: of the latter only the
  // two fields that say which. What their classes, which are made in C, call themselves.
  const char* type_class;
  bool (*read_type)(const void* object, const char** dtype);
  const char* device_class;
  bool (*read_device)(const void* object, ArrayFacts* out);
  // Whether gradients are kept of what the calling thread computes. False: nobody knows.
  bool (*gradients)(bool* on);
};

// Written before any collector is started. Null: nobody knows a library.
inline constinit std::atomic<const ArrayReader*> g_array_reader = nullptr;

}  // namespace syncline
