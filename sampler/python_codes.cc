// SPDX-License-Identifier: Apache-2.0
// Read once, and again where the object at the address is another one.
#include "sampler/python_codes.h"

#include <algorithm>
#include <cstring>

#include "inject/core/python_text.h"
#include "model/spool/python_lines.h"

namespace syncline {
namespace {

constexpr size_t kMostFileBytes = 1024, kMostFunctionBytes = 512, kMostTable = 1 << 16;
constexpr size_t kMostLines = 1 << 12;  // of one code that are kept

}  // namespace

bool PythonCodes::FindLine(RemoteCode* code, int32_t instruction, uint32_t* line) {
  const auto known = code->lines.find(instruction);
  if (known != code->lines.end()) {
    *line = known->second;
    return true;
  }
  looked_through_ += code->table.size();
  if (looked_through_ > kMostLookedThrough) return false;
  if (code->lines.size() >= kMostLines) code->lines.clear();
  *line = PythonLine(code->python, code->first_line, code->table, code->is_cut, instruction);
  code->lines[instruction] = *line;
  return true;
}

// At most `most` bytes of it.
bool PythonCodes::CopyStr(uint64_t str, size_t most, std::string* out) {
  char head[kStrStateOffset + sizeof(uint32_t)];
  if (!memory_->Read(str, head, sizeof(head)) ||
      ReadAt<uint64_t>(head, kTypeOffset) != place_.str_type)
    return false;
  const StrState state = StateOfStr(ReadAt<uint32_t>(head, kStrStateOffset));
  if (state.width == 0) return false;
  const auto count = std::min<uint64_t>(ReadAt<uint64_t>(head, kStrLengthOffset), most);
  char text[kMostFileBytes * 4];
  const auto begin = str + static_cast<uint64_t>(TextOffsetOf(place_.layout, state));
  if (!memory_->Read(begin, text, count * state.width)) return false;
  out->clear();
  for (uint64_t i = 0; i < count && out->size() + kLongestUtf8 <= most; ++i) {
    char utf8[kLongestUtf8];
    out->append(utf8, PutUtf8(CharacterAt(text, i, state.width), utf8));
  }
  return true;
}

bool PythonCodes::CopyTable(uint64_t bytes, RemoteCode* out) {
  char head[kSizeOffset + sizeof(uint64_t)];
  if (!memory_->Read(bytes, head, sizeof(head)) ||
      ReadAt<uint64_t>(head, kTypeOffset) != place_.bytes_type)
    return false;
  const auto size = ReadAt<uint64_t>(head, kSizeOffset);
  out->is_cut = size > kMostTable;
  out->table.resize(std::min<uint64_t>(size, kMostTable));
  return out->table.empty() ||
         memory_->Read(bytes + kBytesTextOffset, out->table.data(), out->table.size());
}

bool PythonCodes::Read(uint64_t code, const char* head, RemoteCode* out) {
  out->python = place_.layout.python;
  out->first_line = ReadAt<uint32_t>(head, place_.code_first_line);
  out->file_at = ReadAt<uint64_t>(head, place_.code_file);
  out->function_at = ReadAt<uint64_t>(head, place_.code_name);
  out->table_at = ReadAt<uint64_t>(head, place_.code_table);
  if (!CopyStr(out->file_at, kMostFileBytes, &out->file) ||
      !CopyStr(out->function_at, kMostFunctionBytes, &out->function) ||
      !CopyTable(out->table_at, out))
    return false;
  // Whether it is the same object still, so that what it referred to was its own.
  char again[kCodeHeadBytes];
  return memory_->Read(code, again, sizeof(again)) &&
         ReadAt<uint64_t>(again, kTypeOffset) == place_.code_type &&
         ReadAt<uint64_t>(again, place_.code_file) == out->file_at &&
         ReadAt<uint64_t>(again, place_.code_name) == out->function_at &&
         ReadAt<uint64_t>(again, place_.code_table) == out->table_at;
}

RemoteCode* PythonCodes::Of(uint64_t code, const char* head) {
  const auto known = codes_.find(code);
  if (known != codes_.end()) {
    const RemoteCode& was = *known->second;
    if (was.file_at == ReadAt<uint64_t>(head, place_.code_file) &&
        was.function_at == ReadAt<uint64_t>(head, place_.code_name) &&
        was.table_at == ReadAt<uint64_t>(head, place_.code_table) &&
        was.first_line == ReadAt<uint32_t>(head, place_.code_first_line))
      return known->second.get();
  }
  if (++read_ > kMostNew) return nullptr;
  if (codes_.size() >= kMostCodes) codes_.clear();
  auto read = std::make_unique<RemoteCode>();
  if (!Read(code, head, read.get())) return nullptr;
  return (codes_[code] = std::move(read)).get();
}

}  // namespace syncline
