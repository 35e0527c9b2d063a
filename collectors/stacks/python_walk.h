// SPDX-License-Identifier: Apache-2.0
// The Python frames of the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/stacks/python_state.h"

namespace syncline::stacks {

// At most so many frames are asked for.
inline constexpr size_t kMostDepth = 1024;

// Valid while the hook lasts that the thread is in: its frames keep their code alive.
struct LiveFrame {
  const char* code;     // PyCodeObject
  int32_t instruction;  // byte offset; negative: not begun
  bool from_c;          // C called it: an interpreter's loop begins with it
};

enum class Walked : uint8_t {
  kWhole,
  kCut,        // there are more than `most`
  kOther,      // the thread's state says that it is another thread's: nothing was read
  kWrong,      // not as the layout says: nothing more may be read
  kUncounted,  // code may have died unnoticed: keys stand for nothing, nothing was read
};

// The innermost frame first, at most `most`. `*key` stands for them all: for their order, for where
// each is in its code, and for what that code is. Changes none of them; 0 frames: the thread runs
// no Python, or the interpreter ends. In a hook of the thread.
Walked WalkPython(const Python& python, LiveFrame* frames, size_t most, size_t* count,
                  uint64_t* key);

// Stands for the code of a frame that was walked in this hook: other code that comes to its address
// has another one, and it has another one itself once code has died that shares its count.
uint64_t FingerprintOf(const char* code);

// Mixes two words into one, all of whose bits depend on all of theirs.
inline uint64_t Mix(uint64_t a, uint64_t b) {
  const unsigned __int128 product =
      static_cast<unsigned __int128>(a ^ 0x9E3779B97F4A7C15ull) * (b ^ 0xD6E8FEB86659FD93ull);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace syncline::stacks
