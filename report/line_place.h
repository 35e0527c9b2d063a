// SPDX-License-Identifier: Apache-2.0
// The parts of a line's name, as findings have it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace syncline {

// "src/train.py:38 main(), in lightning/fabric.py:9 batch()": of the user's line.
struct LinePlace {
  std::string file;      // empty: not known
  std::string lines;     // "38", "15-26"; empty: not known
  std::string function;  // "main()", "Device::read()"
  std::string within;    // the rest without its lines: "lightning/fabric.py batch()"
  uint64_t line = 0;     // the first one; 0: not known
};
LinePlace PlaceOf(std::string_view where);

}  // namespace syncline
