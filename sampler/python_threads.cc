// SPDX-License-Identifier: Apache-2.0
// From the runtime along its interpreters, their threads and their frames.
#include "sampler/python_threads.h"

#include <unordered_set>

namespace syncline {
namespace {

constexpr size_t kMostInterpreters = 16;
constexpr size_t kStateBytes = 192;  // the fields of a thread's state that are looked at
// A frame may end where its memory does.
constexpr size_t FrameBytes(const PythonLayout& layout) {
  return layout.python >= 0x30b ? 72 : 112;
}
// Between frames of Python stand those of calls from C; a chain without end is damage.
constexpr size_t kMostOtherFrames = 1024;
constexpr uint8_t kOwnedByC = 3;  // FRAME_OWNED_BY_CSTACK

// Whether the chain of frames does not come back to itself.
bool AreApart(const std::vector<RemoteFrame>& frames) {
  std::unordered_set<uint64_t> seen;
  for (const RemoteFrame& frame : frames) {
    if (!seen.insert(frame.frame).second) return false;
  }
  return true;
}

}  // namespace

uint64_t PythonThreads::WordAt(uint64_t address) {
  const char* at = snapshot_->At(address, sizeof(uint64_t));
  return at == nullptr ? 0 : ReadAt<uint64_t>(at, 0);
}

bool PythonThreads::List(std::vector<RemoteThread>* threads) {
  threads->clear();
  uint64_t interpreter =
      WordAt(place_.runtime + static_cast<uint64_t>(place_.remote.runtime_interpreters));
  for (size_t i = 0; interpreter != 0 && i < kMostInterpreters; ++i) {
    if (!AddThreadsOf(interpreter, threads)) return false;
    interpreter = WordAt(interpreter + static_cast<uint64_t>(place_.remote.interpreter_next));
  }
  return true;
}

bool PythonThreads::AddThreadsOf(uint64_t interpreter, std::vector<RemoteThread>* threads) {
  uint64_t state = WordAt(interpreter + static_cast<uint64_t>(place_.remote.interpreter_threads));
  const uint64_t gil = GilOf(interpreter);
  while (state != 0) {
    if (threads->size() == kMostRemoteThreads) return false;
    const char* text = snapshot_->At(state, kStateBytes);
    if (text == nullptr) return true;
    RemoteThread thread;
    thread.state = state;
    thread.number = NumberOf(text);
    thread.gil = gil;
    threads->push_back(std::move(thread));
    state = ReadAt<uint64_t>(text, place_.remote.thread_next);
  }
  return true;
}

uint64_t PythonThreads::GilOf(uint64_t interpreter) {
  const auto offset = static_cast<uint64_t>(place_.remote.gil);
  return place_.remote.has_own_gil ? WordAt(interpreter + offset) : place_.runtime + offset;
}

uint32_t PythonThreads::NumberOf(const char* state) {
  if (place_.remote.thread_number != kNoOffset)
    return static_cast<uint32_t>(ReadAt<uint64_t>(state, place_.remote.thread_number));
  const uint64_t pthread = ReadAt<uint64_t>(state, layout_.state_thread);
  const char* number =
      pthread == 0 ? nullptr : snapshot_->At(pthread + kPthreadNumberOffset, sizeof(uint32_t));
  return number == nullptr ? 0 : ReadAt<uint32_t>(number, 0);
}

uint64_t PythonThreads::HolderOf(uint64_t gil) {
  const char* text = gil == 0 ? nullptr : snapshot_->At(gil, kGilLockedOffset + sizeof(int32_t));
  if (text == nullptr || ReadAt<int32_t>(text, kGilLockedOffset) != 1) return 0;
  return ReadAt<uint64_t>(text, kGilHolderOffset);
}

uint64_t PythonThreads::InnermostOf(const RemoteThread& thread) {
  const char* state = snapshot_->At(thread.state, kStateBytes);
  if (state == nullptr) return 0;
  const auto frame = ReadAt<uint64_t>(state, layout_.state_frame);
  if (frame == 0 || layout_.cframe_frame == kNoOffset) return frame;
  return WordAt(frame + static_cast<uint64_t>(layout_.cframe_frame));
}

bool PythonThreads::IsCode(uint64_t code) {
  const char* text = code == 0 ? nullptr : snapshot_->At(code, kCodeHeadBytes);
  return text != nullptr && ReadAt<uint64_t>(text, kTypeOffset) == place_.code_type &&
         ReadAt<int64_t>(text, 0) != 0;  // in 3.11 a frame that ends may have code that is gone
}

// From 3.12 on frames of calls from C stand in the chain, whose code is none.
bool PythonThreads::IsPythons(const char* frame, uint64_t code) {
  const bool is_cs = layout_.shows_c() && ReadAt<uint8_t>(frame, layout_.frame_owner) == kOwnedByC;
  return !is_cs && IsCode(code);
}

// While it is suspended, its frame has none before it.
bool PythonThreads::IsSuspendable(uint64_t code) {
  constexpr uint32_t kGenerators = 0x20 | 0x80 | 0x200;  // of CO_GENERATOR and its like
  const char* text = snapshot_->At(code, kCodeHeadBytes);
  return text != nullptr && (ReadAt<uint32_t>(text, place_.code_flags) & kGenerators) != 0;
}

int32_t PythonThreads::InstructionOf(const char* frame, uint64_t code) const {
  int64_t offset;
  if (layout_.bytes_per_position != 0) {
    offset = int64_t{ReadAt<int32_t>(frame, layout_.frame_position)} * layout_.bytes_per_position;
  } else {
    const auto at = ReadAt<uint64_t>(frame, layout_.frame_position);
    offset = static_cast<int64_t>(at - (code + static_cast<uint64_t>(layout_.code_begin)));
  }
  return offset < -1 || offset > INT32_MAX ? -1 : static_cast<int32_t>(offset);
}

void PythonThreads::Walk(RemoteThread* thread) {
  thread->frames.clear();
  thread->is_cut = false;
  thread->is_readable = true;
  size_t others = 0;
  for (uint64_t at = InnermostOf(*thread); at != 0;) {
    if (thread->frames.size() == kMostRemoteFrames) {
      thread->is_cut = true;
      thread->is_readable = AreApart(thread->frames);
      return;
    }
    const char* frame = snapshot_->At(at, FrameBytes(layout_));
    if (frame == nullptr || others > kMostOtherFrames) {
      thread->is_readable = false;
      return;
    }
    const auto code = ReadAt<uint64_t>(frame, layout_.frame_code);
    if (IsPythons(frame, code)) {
      thread->frames.push_back({at, code, InstructionOf(frame, code)});
    } else if (layout_.shows_c() || thread->frames.empty()) {
      ++others;
    } else {  // before 3.12 each frame has code
      thread->is_readable = false;
      return;
    }
    at = ReadAt<uint64_t>(frame, layout_.frame_previous);
  }
  // No stack ends there: it was suspended, and begun again, while it was read.
  if (!thread->frames.empty() && IsSuspendable(thread->frames.back().code))
    thread->is_readable = false;
}

}  // namespace syncline
