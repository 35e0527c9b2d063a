// SPDX-License-Identifier: Apache-2.0
// The stack that a thread was given, of which what is in use cannot go while the thread runs: it is
// read as it is. Of a signal's stack or a coroutine's nobody can say that.
#pragma once

#include <cstdint>

namespace syncline::stacks {

struct StackPart {
  uint64_t low = 0;
  uint64_t bytes = 0;  // 0: nothing is known

  bool Has(uint64_t address) const { return address - low < bytes; }
};

// Begins as zeros, in the memory of one thread.
class OwnStack {
 public:
  // On the thread that has the memory from here on.
  void Begin();

  // What lies above `place`, where the calling thread's stack pointer is or was in this hook.
  // Nothing if that is on another stack. In a hook.
  StackPart Above(uint64_t place) {
    if (__builtin_expect(place - low_ < high_ - low_, 1)) return {place, high_ - place};
    return grows_ && place < low_ && GrowTo(place) ? StackPart{place, high_ - place} : StackPart{};
  }

 private:
  bool GrowTo(uint64_t place);

  uint64_t low_;
  uint64_t high_;
  bool grows_;  // the first thread's: its lower end is where it was last looked for
};

}  // namespace syncline::stacks
