// SPDX-License-Identifier: Apache-2.0
// Lines are worked out once a stack.
#include "model/spool/code_stacks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "model/spool/code_origin.h"
#include "model/spool/python_lines.h"
#include "symbols/native_names.h"

namespace syncline {
namespace {

// As long as a library writes them.
constexpr uint64_t kMostCodeBytes = 64 << 10;
constexpr uint64_t kMostModuleBytes = 64 + 4096;

template <typename T>
void AppendBytes(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

constexpr CodeStack::Frame kLostFrame{};
constexpr CodeStack::Frame kOnBehalfFrame{FrameKind::kOnBehalf, {}, {}, 0, {}, false};

// What a container takes for an element, beside the element.
constexpr uint64_t kNode = 4 * sizeof(void*);

size_t Mixed(size_t hash, uint64_t value) {
  return (hash ^ value) * 0x9E3779B97F4A7C15u ^ hash >> 29;
}

// Of "main() < __libc_start_call_main() < __libc_start_main() < _start()" the first is of interest.
// A program without symbols has an address instead of _start.
void LeaveOutThreadsBeginning(std::vector<const CodeStack::Frame*>* frames) {
  const size_t count = frames->size();
  if (count > 2 && (*frames)[count - 2]->function.starts_with("__libc_start_main"))
    frames->pop_back();
  const auto begins = [](const CodeStack::Frame& frame) {
    return frame.kind == FrameKind::kNative &&
           (IsCLibrary(frame.module) || frame.function == "_start");
  };
  while (frames->size() > 1 && begins(*frames->back())) frames->pop_back();
}

}  // namespace

size_t CodeStacks::Hash::operator()(const Place& place) const {
  size_t hash = Mixed(0, reinterpret_cast<uintptr_t>(place.code));
  hash = Mixed(hash, static_cast<uint64_t>(place.instruction));
  return Mixed(Mixed(hash, reinterpret_cast<uintptr_t>(place.module)), place.address);
}

size_t CodeStacks::Hash::operator()(const CodeStack& stack) const {
  size_t hash = stack.cut;
  for (const CodeStack::Frame* frame : stack.frames)
    hash = Mixed(hash, reinterpret_cast<uintptr_t>(frame));
  return hash;
}

CodeStacks::CodeStacks(uint64_t room) : CodeStacks(NativeNamesAt, room) {}

bool CodeStacks::TakeRoom(uint64_t bytes) {
  full_ = full_ || bytes > room_;
  if (bytes > room_) return false;
  room_ -= bytes;
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
  if (known != codes_.end()) return &known->second;
  if (!TakeRoom(key.size() + sizeof(PythonCode) + kNode)) return nullptr;
  const auto added = codes_.try_emplace(std::move(key)).first;
  PythonCode& code = added->second;
  bytes = added->first;
  bytes.remove_prefix(sizeof(facts));
  code.file = bytes.substr(0, facts.file_bytes);
  code.function = bytes.substr(facts.file_bytes, facts.name_bytes);
  code.table = bytes.substr(facts.file_bytes + facts.name_bytes, facts.table_bytes);
  code.first_line = first_line;
  code.python = facts.python;
  code.table_cut = (facts.flags & kTableCut) != 0;
  return &code;
}

const NativeModule* CodeStacks::Module(size_t build_id_bytes, std::string_view bytes,
                                       uint64_t mark) {
  if (build_id_bytes > bytes.size() || bytes.size() > kMostModuleBytes) return nullptr;
  std::string key(bytes);
  AppendBytes(build_id_bytes, &key);
  AppendBytes(mark, &key);
  const auto known = modules_.find(key);
  if (known != modules_.end()) return known->second.get();
  if (!TakeRoom(2 * key.size() + sizeof(NativeModule))) return nullptr;
  auto module = std::make_unique<NativeModule>();
  module->build_id = bytes.substr(0, build_id_bytes);
  module->path = bytes.substr(build_id_bytes);
  module->mark = mark;
  return modules_.emplace(std::move(key), std::move(module)).first->second.get();
}

CodeStack::Frame CodeStacks::PythonFrame(const Place& place) {
  const PythonCode& code = *place.code;
  looked_through_ += code.table.size();
  const uint32_t line =
      PythonLine(code.python, code.first_line, code.table, code.table_cut, place.instruction);
  return {FrameKind::kPython,
          code.file,
          code.function,
          line,
          {},
          false,
          static_cast<uint64_t>(place.instruction)};
}

CodeStacks::Frames CodeStacks::NativeFrames(const Place& place) {
  if (place.module == &no_module_) return {{FrameKind::kNative, {}, "unknown", 0, {}, false}};
  Frames frames;
  for (const NativeName& name : name_(*place.module, place.address))
    frames.push_back({FrameKind::kNative, name.file, name.function, name.line, place.module->path,
                      name.gone, place.address});
  return frames;
}

// Null: there is no room.
const CodeStacks::Frames* CodeStacks::FramesOf(const Place& place) {
  const auto known = places_.find(place);
  if (known != places_.end()) return &known->second;
  if (looked_through_ >= kMostLookedThrough) return nullptr;
  Frames frames = place.module == nullptr ? Frames{PythonFrame(place)} : NativeFrames(place);
  if (!TakeRoom(kNode + sizeof(*known) + frames.size() * sizeof(CodeStack::Frame))) return nullptr;
  return &places_.emplace(place, std::move(frames)).first->second;
}

bool CodeStacks::Add(const Place& place, CodeStack* stack) {
  if (place.module == nullptr && place.code == nullptr) {
    stack->frames.push_back(&kLostFrame);
    return true;
  }
  const Frames* frames = FramesOf(place);
  if (frames == nullptr) return false;
  for (const CodeStack::Frame& frame : *frames) stack->frames.push_back(&frame);
  return true;
}

const CodeStack* CodeStacks::Stack(const std::vector<Place>& places, bool cut, size_t lent) {
  CodeStack stack;
  stack.cut = cut;
  const size_t own = places.size() - std::min(lent, places.size());
  for (size_t i = 0; i < own; ++i) {
    if (!Add(places[i], &stack)) return nullptr;
  }
  if (!cut || lent != 0) LeaveOutThreadsBeginning(&stack.frames);
  if (lent != 0) stack.frames.push_back(&kOnBehalfFrame);
  for (size_t i = own; i < places.size(); ++i) {
    if (!Add(places[i], &stack)) return nullptr;
  }
  const auto known = stacks_.find(stack);
  if (known != stacks_.end()) return &*known;
  stack.frames.shrink_to_fit();
  if (!TakeRoom(kNode + sizeof(stack) + stack.frames.size() * sizeof(stack.frames[0])))
    return nullptr;
  return &*stacks_.insert(std::move(stack)).first;
}

}  // namespace syncline
