// SPDX-License-Identifier: Apache-2.0
// Lines are worked out once a stack.
#include "model/code_stacks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/code_origin.h"
#include "model/native_names.h"
#include "model/python_lines.h"

namespace syncline {
namespace {

// As long as a library writes them.
constexpr uint64_t kMostCodeBytes = 64 << 10;
constexpr uint64_t kMostModuleBytes = 64 + 4096;

template <typename T>
void AppendBytes(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Of "main() < __libc_start_call_main() < __libc_start_main() < _start()" the first is of interest.
// A program without symbols has an address instead of _start.
void LeaveOutThreadsBeginning(std::vector<CodeStack::Frame>* frames) {
  const size_t count = frames->size();
  if (count > 2 && (*frames)[count - 2].function.starts_with("__libc_start_main"))
    frames->pop_back();
  const auto begins = [](const CodeStack::Frame& frame) {
    return frame.kind == FrameKind::kNative &&
           (IsCLibrary(frame.module) || frame.function == "_start");
  };
  while (frames->size() > 1 && begins(frames->back())) frames->pop_back();
}

}  // namespace

CodeStacks::CodeStacks() : CodeStacks(NativeNamesAt) {}

bool CodeStacks::TakeRoom(uint64_t bytes) {
  if (bytes_ + bytes > kMostBytes) return false;
  bytes_ += bytes;
  return true;
}

const PythonCode* CodeStacks::Code(uint32_t first_line, std::string_view bytes) {
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

const NativeModule* CodeStacks::Module(size_t build_id_bytes, std::string_view bytes) {
  if (build_id_bytes > bytes.size() || bytes.size() > kMostModuleBytes) return nullptr;
  std::string key(bytes);
  AppendBytes(build_id_bytes, &key);
  const auto known = modules_.find(key);
  if (known != modules_.end()) return known->second.get();
  if (!TakeRoom(2 * key.size() + sizeof(NativeModule))) return nullptr;
  auto module = std::make_unique<NativeModule>();
  module->build_id = bytes.substr(0, build_id_bytes);
  module->path = bytes.substr(build_id_bytes);
  return modules_.emplace(std::move(key), std::move(module)).first->second.get();
}

void CodeStacks::AddPython(const Place& place, CodeStack* stack) {
  const PythonCode* code = place.code;
  if (code == nullptr) {
    stack->frames.emplace_back();
    return;
  }
  uint32_t line = 0;
  if (looked_through_ < kMostLookedThrough) {
    looked_through_ += code->table.size();
    line =
        PythonLine(code->python, code->first_line, code->table, code->table_cut, place.instruction);
  }
  stack->frames.push_back({FrameKind::kPython, code->file, code->function, line, {}});
}

void CodeStacks::AddNative(const Place& place, CodeStack* stack) {
  if (place.module == &no_module_) {
    stack->frames.push_back({FrameKind::kNative, {}, "unknown", 0, {}});
    return;
  }
  for (const NativeName& name : name_(*place.module, place.address))
    stack->frames.push_back(
        {FrameKind::kNative, name.file, name.function, name.line, place.module->path});
}

void CodeStacks::Add(const Place& place, CodeStack* stack) {
  place.module == nullptr ? AddPython(place, stack) : AddNative(place, stack);
}

const CodeStack* CodeStacks::Stack(const std::vector<Place>& places, bool cut, size_t lent) {
  std::string key(cut ? "1" : "0");
  AppendBytes(lent, &key);
  for (const Place& place : places) {
    AppendBytes(place.code, &key);
    AppendBytes(place.instruction, &key);
    AppendBytes(place.module, &key);
    AppendBytes(place.address, &key);
  }
  const auto known = stacks_.find(key);
  if (known != stacks_.end()) return known->second.get();
  const uint64_t room = key.size() + sizeof(CodeStack) + places.size() * sizeof(CodeStack::Frame);
  if (!TakeRoom(room)) return nullptr;
  auto stack = std::make_unique<CodeStack>();
  stack->cut = cut;
  const auto first_lent = places.end() - static_cast<ptrdiff_t>(std::min(lent, places.size()));
  for (auto place = places.begin(); place != first_lent; ++place) Add(*place, stack.get());
  if (!cut || lent != 0) LeaveOutThreadsBeginning(&stack->frames);
  if (lent != 0) stack->frames.push_back({FrameKind::kOnBehalf, {}, {}, 0, {}});
  for (auto place = first_lent; place != places.end(); ++place) Add(*place, stack.get());
  // Those that are inlined are more.
  if (stack->frames.size() > places.size() &&
      !TakeRoom((stack->frames.size() - places.size()) * sizeof(CodeStack::Frame)))
    return nullptr;
  return stacks_.emplace(std::move(key), std::move(stack)).first->second.get();
}

}  // namespace syncline
