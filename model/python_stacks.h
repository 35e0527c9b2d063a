// SPDX-License-Identifier: Apache-2.0
// The Python stacks of one spool, each distinct one once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inject/core/record.h"

namespace syncline {

struct PythonCode {
  std::string file;      // as the code says: relative, absolute, or "<frozen importlib>"
  std::string function;  // qualified from 3.11 on; "<module>"
  uint32_t first_line = 0;
  uint16_t python = 0;
  std::string table;
  bool table_cut = false;
};

struct PythonStack {
  struct Frame {
    const PythonCode* code;  // null: lost
    uint32_t line;           // 0: unknown
  };
  std::vector<Frame> frames;  // the innermost first
  bool cut = false;           // the outermost are missing
};

// Definitions come from streams, and are the same for many of them. What is given out lives as long
// as this. One thread.
class PythonStacks {
 public:
  struct Place {
    const PythonCode* code;
    int32_t instruction;
  };

  // The bytes of a kCode record. Null: damaged, or too much is held.
  const PythonCode* Code(uint32_t first_line, std::string_view bytes);
  // Null: too much is held.
  const PythonStack* Stack(const std::vector<Place>& places, bool cut);

 private:
  static constexpr uint64_t kMostBytes = uint64_t{64} << 20;
  // A line costs a look through its table; beyond this, lines are not known.
  static constexpr uint64_t kMostLookedThrough = uint64_t{4} << 30;

  bool TakeRoom(uint64_t bytes);

  uint64_t bytes_ = 0;
  uint64_t looked_through_ = 0;                                         // bytes of line tables
  std::unordered_map<std::string, std::unique_ptr<PythonCode>> codes_;  // by what they are made of
  std::unordered_map<std::string, std::unique_ptr<PythonStack>> stacks_;
};

}  // namespace syncline
