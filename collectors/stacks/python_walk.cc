// SPDX-License-Identifier: Apache-2.0
// From the thread's state along its frames.
#include "collectors/stacks/python_walk.h"

#include "collectors/stacks/python_text.h"

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

bool IsCs(const Python& python, const char* frame) {
  return python.layout.frame_owner != kNone &&
         ReadAt<uint8_t>(frame, python.layout.frame_owner) == kOwnedByC;
}

// Before 3.11 each frame has a loop of its own, from 3.12 on a frame of C's stands in the chain.
bool IsFromC(const PythonLayout& layout, const char* frame) {
  if (layout.frame_owner != kNone) return false;
  return layout.frame_entry == kNone || ReadAt<uint8_t>(frame, layout.frame_entry) != 0;
}

// From 3.12 on frames of calls from C stand in the chain, whose code is none.
bool IsPythons(const Python& python, const char* frame, const char* code) {
  if (python.layout.frame_owner == kNone) return true;
  return code != nullptr && TypeOf(code) == python.code_type && !IsCs(python, frame);
}

// Where it is, its length and its last bytes, which before the text are the rest of the object. A
// sum of products: what differs in one of them differs, and the processor works on all at a time.
inline __attribute__((always_inline)) uint64_t SampleOf(const Python& python, const char* str) {
  StrText text;
  if (!TextOf(python, str, &text)) return 0;
  const auto bytes = static_cast<int64_t>(text.count * text.width);
  return reinterpret_cast<uintptr_t>(str) * 0x9FB21C651E98DF25ull +
         text.count * 0xA24BAED4963EE407ull +
         ReadAt<uint64_t>(text.text, bytes - 16) * 0x9FB21C651E98DF27ull +
         ReadAt<uint64_t>(text.text, bytes - 8) * 0xC2B2AE3D27D4EB4Full;
}

// In 3.11 the frame that ends is still the innermost one while it gives up its code, which may call
// what weak references ask for: parts of the code are gone then. Code that runs is referred to.
bool IsGoing(const char* code) { return code != nullptr && ReadAt<int64_t>(code, 0) == 0; }

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
    if (!IsPythons(python, frame, code) || IsGoing(code)) {
      if (++others > kMostOthers) return Walked::kWrong;
      if (*count != 0 && IsCs(python, frame)) frames[*count - 1].from_c = true;
      continue;
    }
    if (*count == most) return Walked::kCut;
    if (code == nullptr || TypeOf(code) != python.code_type) return Walked::kWrong;
    frames[(*count)++] = {code, InstructionOf(layout, frame, code), IsFromC(layout, frame)};
  }
  return Walked::kWhole;
}

uint64_t Fingerprints::OfFile(const char* file) {
  if (file != file_) {
    sample_ = SampleOf(python_, file);
    file_ = file;
  }
  return sample_;
}

// Its address, its size, its first line and, of its line table, address, size and first bytes.
// Where no version tells them apart, file, name and the table's end too: of two pieces of code that
// are made and dropped one after the other all else may be the same.
uint64_t Fingerprints::Of(const char* code) {
  const Python& python = python_;
  const PythonLayout& layout = python.layout;
  const auto* table = ReadAt<const char*>(code, python.code_table);
  uint64_t own = ReadAt<uint32_t>(code, python.code_first_line);
  if (layout.code_begin != kNone) own |= ReadAt<uint64_t>(code, kSizeOffset) << 32;
  uint64_t of_table = ReadAt<uint64_t>(table, kSizeOffset);
  const uint32_t version =
      layout.code_version == kNone ? 0 : ReadAt<uint32_t>(code, layout.code_version);
  // A bytes object has a NUL behind its text, and its memory is a multiple of 16.
  auto text = ReadAt<uint64_t>(table, kBytesTextOffset);
  if (version == 0) {
    const auto end = kBytesTextOffset + static_cast<int64_t>(of_table);
    text += ReadAt<uint64_t>(table, end - 8) * 0xD6E8FEB86659FD93ull +
            OfFile(ReadAt<const char*>(code, python.code_file)) +
            SampleOf(python, ReadAt<const char*>(code, python.code_name)) * 3;
  }
  of_table ^= uint64_t{version} << 32;
  return Mix(Mix(reinterpret_cast<uintptr_t>(code), own) ^ reinterpret_cast<uintptr_t>(table),
             Mix(of_table, text));
}

}  // namespace syncline::stacks
