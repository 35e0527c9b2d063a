// SPDX-License-Identifier: Apache-2.0
// Three formats: CPython's Objects/lnotab_notes.txt (to 3.9 and 3.10) and, from 3.11 on,
// Objects/locations.md (later InternalDocs/code_objects.md).
#include "model/spool/python_lines.h"

#include <cstddef>

namespace syncline {
namespace {

constexpr int kNoLine310 = -128;

uint32_t Valid(int64_t line) {
  return line < 0 || line > UINT32_MAX ? 0 : static_cast<uint32_t>(line);
}

// Pairs of bytes: so many bytes of code further on, so many lines on.
// The last line is that of all code behind.
uint32_t LineTo39(int64_t line, std::string_view table, bool cut, int32_t instruction) {
  int64_t begin = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    begin += static_cast<uint8_t>(table[i]);
    if (begin > instruction) return Valid(line);
    line += static_cast<int8_t>(table[i + 1]);
  }
  return cut ? 0 : Valid(line);
}

// Pairs of bytes: the length of a piece of code, and its line less that of the piece before.
uint32_t LineIn310(int64_t line, std::string_view table, int32_t instruction) {
  int64_t end = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    end += static_cast<uint8_t>(table[i]);
    const auto delta = static_cast<int8_t>(table[i + 1]);
    if (delta != kNoLine310) line += delta;
    if (end > instruction) return delta == kNoLine310 ? 0 : Valid(line);
  }
  return 0;
}

// Entries of a head byte (a set high bit, four bits of form, length in code units less one) and
// what the form says.
class Locations {
 public:
  Locations(int64_t first_line, std::string_view table) : line_(first_line), table_(table) {}

  uint32_t LineOf(int32_t instruction) {
    constexpr int64_t kUnit = 2;
    int64_t end = 0;
    while (at_ < table_.size()) {
      const uint8_t head = Next();
      end += ((head & 7) + 1) * kUnit;
      const bool has_line = ReadEntry(head >> 3 & 15);
      if (end > instruction) return has_line ? Valid(line_) : 0;
    }
    return 0;
  }

 private:
  enum Form : unsigned { kOneLine0 = 10, kOneLine2 = 12, kNoColumns = 13, kLong = 14, kNone = 15 };

  uint8_t Next() { return at_ < table_.size() ? static_cast<uint8_t>(table_[at_++]) : 0; }

  uint64_t Varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 60; shift += 6) {
      const uint8_t byte = Next();
      value |= uint64_t{byte & 63u} << shift;
      if ((byte & 64) == 0) break;
    }
    return value;
  }

  void AddLines() {
    const uint64_t value = Varint();
    const auto lines = static_cast<int64_t>(value >> 1);
    line_ += (value & 1) != 0 ? -lines : lines;
  }

  bool ReadEntry(unsigned form) {
    if (form == kNone) return false;
    if (form == kNoColumns || form == kLong) {
      AddLines();
      for (int i = 0; form == kLong && i < 3; ++i) Varint();
    } else {
      const bool one_line = form >= kOneLine0 && form <= kOneLine2;
      if (one_line) line_ += form - kOneLine0;
      at_ += one_line ? 2 : 1;
    }
    return true;
  }

  int64_t line_;
  std::string_view table_;
  size_t at_ = 0;
};

}  // namespace

uint32_t PythonLine(uint16_t python, uint32_t first_line, std::string_view table, bool cut,
                    int32_t instruction) {
  if (instruction < 0) return first_line;
  if (python >= 0x30b) return Locations(first_line, table).LineOf(instruction);
  if (python == 0x30a) return LineIn310(first_line, table, instruction);
  return LineTo39(first_line, table, cut, instruction);
}

}  // namespace syncline
