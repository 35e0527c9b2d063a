// SPDX-License-Identifier: Apache-2.0
// Two texts and the line table.
#include "collectors/stacks/code_record.h"

#include <algorithm>

#include "collectors/stacks/python_text.h"
#include "inject/core/python_text.h"
#include "inject/core/record.h"

namespace syncline::stacks {

bool CopyStr(const Python& python, const char* str, char* out, size_t room, size_t* length) {
  StrText str_text;
  if (!TextOf(python.layout, python.str_type, str, &str_text)) return false;
  const auto& [text, count, width] = str_text;
  size_t bytes = 0;
  for (uint64_t i = 0; i < count && bytes + kLongestUtf8 <= room; ++i)
    bytes += PutUtf8(CharacterAt(text, i, width), out + bytes);
  *length = bytes;
  return true;
}

size_t WriteCode(const Python& python, const char* code, char* out, uint32_t* first_line) {
  const auto* table = ReadAt<const char*>(code, python.code_table);
  if (table == nullptr || TypeOf(table) != python.bytes_type) return 0;
  size_t file, name;
  char* at = out + sizeof(CodeFacts);
  if (!CopyStr(python, ReadAt<const char*>(code, python.code_file), at, kMostFileBytes, &file))
    return 0;
  at += file;
  if (!CopyStr(python, ReadAt<const char*>(code, python.code_name), at, kMostNameBytes, &name))
    return 0;
  at += name;
  const auto all = ReadAt<uint64_t>(table, kSizeOffset);
  const size_t lines = std::min<uint64_t>(all, kMostTableBytes);
  std::memcpy(at, table + kBytesTextOffset, lines);
  const CodeFacts facts = {static_cast<uint32_t>(file), static_cast<uint32_t>(name),
                           static_cast<uint32_t>(lines), python.layout.python,
                           static_cast<uint16_t>(lines < all ? kTableCut : 0)};
  std::memcpy(out, &facts, sizeof(facts));
  *first_line = ReadAt<uint32_t>(code, python.code_first_line);
  return sizeof(facts) + file + name + lines;
}

}  // namespace syncline::stacks
