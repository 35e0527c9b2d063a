// SPDX-License-Identifier: Apache-2.0
// Loops of the interpreter are counted before they are trusted.
#include "collectors/stacks/mixed_stack.h"

// Of the linker: the beginning and the end of this library.
extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));  // NOLINT: its name
extern const char _end[] __attribute__((visibility("hidden")));          // NOLINT
}

namespace syncline::stacks {
namespace {

bool IsOurs(uintptr_t address) {
  return address >= reinterpret_cast<uintptr_t>(__ehdr_start) &&
         address < reinterpret_cast<uintptr_t>(_end);
}

bool IsLoop(const Python& python, uintptr_t address) {
  return address >= python.loop_begin && address < python.loop_end;
}

bool IsInterpreters(const Python& python, uintptr_t address) {
  return address >= python.begin && address < python.end;
}

class Mixer {
 public:
  Mixer(const PythonPart& python, const NativeStack& native, MixedFrame* out)
      : python_(python), native_(native), out_(out) {}

  MixedStack Native() {
    for (size_t i = 0; i < native_.count; ++i) AddNative(native_.frames[i]);
    return {count_, native_.cut};
  }

  bool LoopsAgree() const {
    size_t loops = 0, called = 0;
    for (size_t i = 0; i < native_.count; ++i)
      loops += IsLoop(*python_.python, native_.frames[i].instruction()) ? 1 : 0;
    for (size_t i = 0; i < python_.count; ++i) called += python_.frames[i].from_c ? 1 : 0;
    if (native_.cut) return !python_.cut && loops <= called;
    return python_.cut ? loops >= called : loops == called;
  }

  MixedStack InOrder() {
    for (size_t i = 0; i < native_.count; ++i) {
      const uintptr_t address = native_.frames[i].instruction();
      if (IsLoop(*python_.python, address)) {
        AddLoop();
        if (python_.cut && next_ == python_.count) break;
      } else if (!IsInterpreters(*python_.python, address)) {
        AddNative(native_.frames[i]);
      }
    }
    return AddRest();
  }

  MixedStack PythonBehindNative() {
    for (size_t i = 0; i < native_.count; ++i) {
      if (IsInterpreters(*python_.python, native_.frames[i].instruction())) break;
      AddNative(native_.frames[i]);
    }
    return AddRest();
  }

 private:
  void AddNative(const NativeFrame& frame) {
    if (!IsOurs(frame.instruction())) out_[count_++] = {nullptr, &frame};
  }
  void AddPython() { out_[count_++] = {&python_.frames[next_++], nullptr}; }
  void AddLoop() {
    while (next_ < python_.count) {
      AddPython();
      if (python_.frames[next_ - 1].from_c) return;
    }
  }
  MixedStack AddRest() {
    while (next_ < python_.count) AddPython();
    return {count_, python_.cut};
  }

  const PythonPart& python_;
  const NativeStack& native_;
  MixedFrame* out_;
  size_t count_ = 0;
  size_t next_ = 0;  // of Python's frames
};

}  // namespace

MixedStack MixFrames(const PythonPart& python, const NativeStack& native, MixedFrame* out) {
  Mixer mixer(python, native, out);
  if (python.count == 0) return mixer.Native();
  // Without the interpreter's place, what is native cannot be told from what is its own.
  if (python.python->begin == 0) return Mixer(python, {}, out).PythonBehindNative();
  return mixer.LoopsAgree() ? mixer.InOrder() : mixer.PythonBehindNative();
}

}  // namespace syncline::stacks
