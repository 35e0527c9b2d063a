// SPDX-License-Identifier: Apache-2.0
// Writes the number by which the interpreter knows a function in the code that it specialised.
#include "collectors/python/function_versions.h"

#include <cstring>

#include "collectors/python/remembered_code.h"
#include "inject/core/python_layout.h"

namespace syncline::python {
namespace {

// PyFunctionObject of 3.11 (Include/cpython/funcobject.h).
constexpr int64_t kType = 8;
constexpr int64_t kCode = 48;
constexpr int64_t kVersion = 128;
constexpr uint32_t kSmallVersions = 0x10000;
// Python counts from 1 up, so the two do not meet.
constexpr uint32_t kLastVersion = 0x80000000;

uint32_t g_next_version = 0xffffffff;

}  // namespace

void GiveLargeVersion(Object* function, const Object* code) {
  if (function == nullptr || ReadAt<Object*>(function, kType) != g_api->function_type ||
      ReadAt<Object*>(function, kCode) != code)
    return;
  if (ReadAt<uint32_t>(function, kVersion) >= kSmallVersions || g_next_version == kLastVersion)
    return;
  std::memcpy(reinterpret_cast<char*>(function) + kVersion, &g_next_version,
              sizeof(g_next_version));
  --g_next_version;
}

void GiveLargeVersionInClass(Object* names) {
  if (names == nullptr) return;
  Object* method = g_api->PyDict_GetItemString(names, "__getitem__");  // borrowed
  if (method == nullptr || ReadAt<Object*>(method, kType) != g_api->function_type) return;
  const auto* code = ReadAt<Object*>(method, kCode);
  if (g_watched.Find(code) != nullptr) GiveLargeVersion(method, code);
}

}  // namespace syncline::python
