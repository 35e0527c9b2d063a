// SPDX-License-Identifier: Apache-2.0
// From the thread's state along its frames.
#include "collectors/stacks/python_walk.h"

namespace syncline::stacks {
namespace {

// Between frames of Python stand those of calls from C; a chain without end is damage.
constexpr size_t kMostOthers = 4096;
constexpr uint8_t kOwnedByC = 3;  // FRAME_OWNED_BY_CSTACK

int32_t InstructionOf(const PythonLayout& layout, const char* frame, const char* code) {
  if (layout.bytes_per_position != 0)
    return ReadAt<int32_t>(frame, layout.frame_position) * layout.bytes_per_position;
  const auto* at = ReadAt<const char*>(frame, layout.frame_position);
  const int64_t offset = at - (code + layout.code_begin);
  return offset < -1 || offset > INT32_MAX ? -1 : static_cast<int32_t>(offset);
}

// From 3.12 on frames of calls from C stand in the chain, whose code is none.
bool IsPythons(const Python& python, const char* frame, const char* code) {
  if (python.layout.frame_owner == kNone) return true;
  return code != nullptr && TypeOf(code) == python.code_type &&
         ReadAt<uint8_t>(frame, python.layout.frame_owner) != kOwnedByC;
}

}  // namespace

Walked WalkPython(const Python& python, LiveFrame* frames, size_t most, size_t* count) {
  const PythonLayout& layout = python.layout;
  *count = 0;
  if (python.is_finalizing != nullptr && python.is_finalizing() != 0) return Walked::kWhole;
  const auto* state = static_cast<const char*>(python.this_thread_state());
  if (state == nullptr) return Walked::kWhole;
  if (!IsThisThreads(python, state)) return Walked::kOther;
  const auto* frame = ReadAt<const char*>(state, layout.state_frame);
  if (frame != nullptr && layout.cframe_frame != kNone)
    frame = ReadAt<const char*>(frame, layout.cframe_frame);
  size_t others = 0;
  for (; frame != nullptr; frame = ReadAt<const char*>(frame, layout.frame_previous)) {
    const auto* code = ReadAt<const char*>(frame, layout.frame_code);
    if (!IsPythons(python, frame, code)) {
      if (++others > kMostOthers) return Walked::kWrong;
      continue;
    }
    if (*count == most) return Walked::kCut;
    if (code == nullptr || TypeOf(code) != python.code_type) return Walked::kWrong;
    frames[(*count)++] = {code, InstructionOf(layout, frame, code)};
  }
  return Walked::kWhole;
}

// Its address, its size, its first line and, of its line table, address, size and first bytes; from
// 3.12 on its version too.
uint64_t FingerprintOf(const Python& python, const char* code) {
  const PythonLayout& layout = python.layout;
  const auto* table = ReadAt<const char*>(code, python.code_table);
  uint64_t own = ReadAt<uint32_t>(code, python.code_first_line);
  if (layout.code_begin != kNone) own |= ReadAt<uint64_t>(code, kSizeOffset) << 32;
  uint64_t of_table = ReadAt<uint64_t>(table, kSizeOffset);
  if (layout.code_version != kNone)
    of_table ^= uint64_t{ReadAt<uint32_t>(code, layout.code_version)} << 32;
  // A bytes object has a NUL behind its text, and its memory is a multiple of 16.
  const auto first = ReadAt<uint64_t>(table, kBytesTextOffset);
  return Mix(Mix(reinterpret_cast<uintptr_t>(code), own) ^ reinterpret_cast<uintptr_t>(table),
             Mix(of_table, first));
}

}  // namespace syncline::stacks
