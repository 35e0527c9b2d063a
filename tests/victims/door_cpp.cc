// SPDX-License-Identifier: Apache-2.0
// The door of syncline.h in C++: regions that end with their block, also by an exception.
#include <stdexcept>

#include "collectors/program/syncline.h"

int main() {
  try {
    const syncline::Region outer("outer",
                                 {SYNCLINE_INTEGER("batch", 8), SYNCLINE_TEXT("kind", "eval")});
    const syncline::Region inner("inner");
    throw std::runtime_error("out");
  } catch (const std::runtime_error&) {
  }
  const syncline::Region last("last");
  return 0;
}
