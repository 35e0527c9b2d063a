// SPDX-License-Identifier: Apache-2.0
// Lines are worked out once a stack.
#include "model/python_stacks.h"

#include <cstring>
#include <utility>

#include "model/python_lines.h"

namespace syncline {
namespace {

constexpr uint64_t kMostCodeBytes = 64 << 10;  // as long as a library writes it

template <typename T>
void AppendBytes(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

bool PythonStacks::TakeRoom(uint64_t bytes) {
  if (bytes_ + bytes > kMostBytes) return false;
  bytes_ += bytes;
  return true;
}

const PythonCode* PythonStacks::Code(uint32_t first_line, std::string_view bytes) {
  CodeFacts facts;
  if (bytes.size() < sizeof(facts)) return nullptr;
  std::memcpy(&facts, bytes.data(), sizeof(facts));
  const uint64_t told =
      uint64_t{facts.file_bytes} + uint64_t{facts.name_bytes} + uint64_t{facts.table_bytes};
  if (told > bytes.size() - sizeof(facts) || told > kMostCodeBytes) return nullptr;
  std::string key(bytes);
  AppendBytes(first_line, &key);
  const auto known = codes_.find(key);
  if (known != codes_.end()) return known->second.get();
  if (!TakeRoom(2 * key.size() + sizeof(PythonCode))) return nullptr;
  auto code = std::make_unique<PythonCode>();
  bytes.remove_prefix(sizeof(facts));
  code->file = bytes.substr(0, facts.file_bytes);
  code->function = bytes.substr(facts.file_bytes, facts.name_bytes);
  code->table = bytes.substr(facts.file_bytes + facts.name_bytes, facts.table_bytes);
  code->first_line = first_line;
  code->python = facts.python;
  code->table_cut = (facts.flags & kTableCut) != 0;
  return codes_.emplace(std::move(key), std::move(code)).first->second.get();
}

const PythonStack* PythonStacks::Stack(const std::vector<Place>& places, bool cut) {
  std::string key(cut ? "1" : "0");
  for (const Place& place : places) {
    AppendBytes(place.code, &key);
    AppendBytes(place.instruction, &key);
  }
  const auto known = stacks_.find(key);
  if (known != stacks_.end()) return known->second.get();
  if (!TakeRoom(key.size() + places.size() * sizeof(PythonStack::Frame) + sizeof(PythonStack)))
    return nullptr;
  auto stack = std::make_unique<PythonStack>();
  stack->cut = cut;
  for (const auto& [code, instruction] : places) {
    const bool readable = code != nullptr && looked_through_ < kMostLookedThrough;
    if (readable) looked_through_ += code->table.size();
    const uint32_t line = readable ? PythonLine(code->python, code->first_line, code->table,
                                                code->table_cut, instruction)
                                   : 0;
    stack->frames.push_back({code, line});
  }
  return stacks_.emplace(std::move(key), std::move(stack)).first->second.get();
}

}  // namespace syncline
