// SPDX-License-Identifier: Apache-2.0
// From the thread's state along its frames.
#include "collectors/stacks/python_walk.h"

#include <array>
#include <iterator>
#include <utility>

#include "collectors/stacks/code_deaths.h"

namespace syncline::stacks {
namespace {

// Between frames of Python stand those of calls from C; a chain without end is damage.
constexpr size_t kMostOthers = 4096;
constexpr uint8_t kOwnedByC = 3;  // FRAME_OWNED_BY_CSTACK

constexpr uint16_t kFirst = kPythonLayouts[0].python;
constexpr size_t kLayouts = std::size(kPythonLayouts);
static_assert(kPythonLayouts[kLayouts - 1].python == kFirst + kLayouts - 1, "one after the other");

// A version's walk, compiled for its layout: offsets that the compiler knows are a third of the
// instructions.
template <size_t kNumber>
class Version {
 public:
  explicit Version(const Python& python) : python_(python) {}

  Walked Walk(LiveFrame* frames, size_t most, size_t* count, uint64_t* key) {
    *count = 0;
    *key = 0;
    if (python_.is_finalizing != nullptr && python_.is_finalizing() != 0) return Walked::kWhole;
    const auto* state = static_cast<const char*>(python_.this_thread_state());
    if (state == nullptr) return Walked::kWhole;
    if (!IsThisThreads(python_, state)) return Walked::kOther;
    if (!CountsDeaths(python_.code_type)) return Walked::kUncounted;
    const auto* frame = ReadAt<const char*>(state, kLayout.state_frame);
    if (frame != nullptr && kLayout.cframe_frame != kNoOffset)
      frame = ReadAt<const char*>(frame, kLayout.cframe_frame);
    return WalkFrom(frame, frames, most, count, key);
  }

 private:
  static constexpr const PythonLayout& kLayout = kPythonLayouts[kNumber];

  static bool IsCs(const char* frame) {
    return kLayout.shows_c() && ReadAt<uint8_t>(frame, kLayout.frame_owner) == kOwnedByC;
  }

  // Before 3.11 each frame has a loop of its own, from 3.12 on a frame of C's stands in the chain.
  static bool IsFromC(const char* frame) {
    if (kLayout.shows_c()) return false;
    return kLayout.frame_entry == kNoOffset || ReadAt<uint8_t>(frame, kLayout.frame_entry) != 0;
  }

  // From 3.12 on frames of calls from C stand in the chain, whose code is none.
  bool IsPythons(const char* frame, const char* code) const {
    if (!kLayout.shows_c()) return true;
    return code != nullptr && TypeOf(code) == python_.code_type && !IsCs(frame);
  }

  // In 3.11 the frame that ends is still the innermost one while it gives up its code, which may
  // call what weak references ask for: parts of the code are gone then. Code that runs is referred
  // to.
  static bool IsGoing(const char* code) { return code != nullptr && ReadAt<int64_t>(code, 0) == 0; }

  static int32_t InstructionOf(const char* frame, const char* code) {
    if constexpr (kLayout.bytes_per_position != 0) {
      return ReadAt<int32_t>(frame, kLayout.frame_position) * kLayout.bytes_per_position;
    } else {
      const auto* at = ReadAt<const char*>(frame, kLayout.frame_position);
      const int64_t offset = at - (code + kLayout.code_begin);
      return offset < -1 || offset > INT32_MAX ? -1 : static_cast<int32_t>(offset);
    }
  }

  Walked WalkFrom(const char* frame, LiveFrame* frames, size_t most, size_t* count, uint64_t* key) {
    constexpr uint64_t kPlace = 0x9FB21C651E98DF25ull;
    size_t others = 0, known = 0;
    uint64_t sum = 0;
    Walked walked = Walked::kWhole;
    for (; frame != nullptr; frame = ReadAt<const char*>(frame, kLayout.frame_previous)) {
      const auto* code = ReadAt<const char*>(frame, kLayout.frame_code);
      if (!IsPythons(frame, code) || IsGoing(code)) {
        if (++others > kMostOthers) {
          walked = Walked::kWrong;
          break;
        }
        if (known != 0 && IsCs(frame)) frames[known - 1].from_c = true;
        continue;
      }
      if (known == most) {
        walked = Walked::kCut;
        break;
      }
      if (code == nullptr || TypeOf(code) != python_.code_type) {
        walked = Walked::kWrong;
        break;
      }
      const int32_t instruction = InstructionOf(frame, code);
      // A sum, so that the processor works on all at a time. What is mixed differs by place.
      sum += Mix(reinterpret_cast<uintptr_t>(code) + known * kPlace,
                 uint64_t{DeathsAt(code)} << 32 | static_cast<uint32_t>(instruction));
      frames[known++] = {code, instruction, IsFromC(frame)};
    }
    *count = known;
    *key = sum;
    return walked;
  }

  const Python python_;  // a copy, which the compiler knows that no frame is written over
};

template <size_t kNumber>
Walked WalkVersion(const Python& python, LiveFrame* frames, size_t most, size_t* count,
                   uint64_t* key) {
  return Version<kNumber>(python).Walk(frames, most, count, key);
}

template <size_t... kNumbers>
constexpr std::array<decltype(&WalkPython), kLayouts> EachVersion(
    std::index_sequence<kNumbers...>) {
  return {{WalkVersion<kNumbers>...}};
}

constexpr auto kWalks = EachVersion(std::make_index_sequence<kLayouts>());

}  // namespace

Walked WalkPython(const Python& python, LiveFrame* frames, size_t most, size_t* count,
                  uint64_t* key) {
  return kWalks[python.layout.python - kFirst](python, frames, most, count, key);
}

uint64_t FingerprintOf(const char* code) {
  return Mix(reinterpret_cast<uintptr_t>(code), DeathsAt(code));
}

}  // namespace syncline::stacks
