// SPDX-License-Identifier: Apache-2.0
// What debug information says of an address, and how it goes from one process to another.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace syncline {

struct LineFrame {
  std::string function;  // "": unknown
  bool mangled = false;  // the function's name is one for linkers
  std::string file;      // "": unknown
  uint32_t line = 0;     // 0: unknown
};

// Frames that would make more than 128 KiB are left out, the outermost first.
std::string EncodeFrames(const std::vector<LineFrame>& frames);

// From any bytes: false if they are damaged.
bool DecodeFrames(std::string_view bytes, std::vector<LineFrame>* frames);

}  // namespace syncline
