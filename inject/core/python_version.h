// SPDX-License-Identifier: Apache-2.0
// Which Python an interpreter says that it is.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace syncline {

// 0x30c of Py_GetVersion()'s "3.12.1 (main ..."; 0: it says nothing like that. Null is nothing.
inline uint16_t PythonVersion(const char* text) {
  if (text == nullptr) return 0;
  char* end = nullptr;
  const unsigned long major = std::strtoul(text, &end, 10);
  if (*end != '.') return 0;
  const unsigned long minor = std::strtoul(end + 1, nullptr, 10);
  return major > 255 || minor > 255 ? 0 : static_cast<uint16_t>(major << 8 | minor);
}

}  // namespace syncline
