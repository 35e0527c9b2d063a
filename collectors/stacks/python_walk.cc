// SPDX-License-Identifier: Apache-2.0
// From the thread's state along its frames.
#include "collectors/stacks/python_walk.h"

#include <array>
#include <iterator>
#include <utility>

#include "collectors/stacks/python_text.h"

namespace syncline::stacks {
namespace {

// Between frames of Python stand those of calls from C; a chain without end is damage.
constexpr size_t kMostOthers = 4096;
constexpr uint8_t kOwnedByC = 3;  // FRAME_OWNED_BY_CSTACK
// From 3.13 on each interpreter counts versions from 1: those of one that ended come again.
constexpr uint16_t kVersionsOfInterpreters = 0x30d;

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
    const auto* frame = ReadAt<const char*>(state, kLayout.state_frame);
    if (frame != nullptr && kLayout.cframe_frame != kNone)
      frame = ReadAt<const char*>(frame, kLayout.cframe_frame);
    return WalkFrom(frame, frames, most, count, key);
  }

  uint64_t Fingerprint(const char* code) {
    const Words words = WordsOf(code);
    return Mix(words.first, words.second);
  }

 private:
  static constexpr const PythonLayout& kLayout = kPythonLayouts[kNumber];

  // What tells code apart. Each is a sum of products: what differs in one of them differs, and the
  // processor works on all at a time.
  struct Words {
    uint64_t first, second;
  };

  static bool IsCs(const char* frame) {
    return kLayout.frame_owner != kNone && ReadAt<uint8_t>(frame, kLayout.frame_owner) == kOwnedByC;
  }

  // Before 3.11 each frame has a loop of its own, from 3.12 on a frame of C's stands in the chain.
  static bool IsFromC(const char* frame) {
    if (kLayout.frame_owner != kNone) return false;
    return kLayout.frame_entry == kNone || ReadAt<uint8_t>(frame, kLayout.frame_entry) != 0;
  }

  // From 3.12 on frames of calls from C stand in the chain, whose code is none.
  bool IsPythons(const char* frame, const char* code) const {
    if (kLayout.frame_owner == kNone) return true;
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
      const Words words = WordsOf(code);
      // A sum again. What is mixed differs by place.
      sum += Mix(words.first + known * kPlace,
                 words.second + static_cast<uint32_t>(instruction) * 0xD1B54A32D192ED03ull);
      frames[known++] = {code, instruction, IsFromC(frame)};
    }
    *count = known;
    *key = sum;
    return walked;
  }

  // Its address, its size, its first line, and its version. Where no version tells it apart, its
  // line table, file and name: of two pieces of code that are made and dropped one after the other
  // all else may be the same.
  Words WordsOf(const char* code) {
    uint64_t own = ReadAt<uint32_t>(code, python_.code_first_line);
    if (kLayout.code_begin != kNone) own |= ReadAt<uint64_t>(code, kSizeOffset) << 32;
    Words words = {reinterpret_cast<uintptr_t>(code), own * 0x8CB92BA72F3D8DD7ull};
    if constexpr (kLayout.code_version != kNone) {
      const auto version = ReadAt<uint32_t>(code, kLayout.code_version);
      if (__builtin_expect(version != 0, 1)) {
        words.first += uint64_t{version} << 32;
        if (kLayout.python >= kVersionsOfInterpreters) words.second += OfTable(code);
        return words;
      }
    }
    const auto* table = ReadAt<const char*>(code, python_.code_table);
    // A bytes object has a NUL behind its text, and its memory is a multiple of 16.
    const auto end = kBytesTextOffset + ReadAt<int64_t>(table, kSizeOffset);
    words.first += OfTable(code);
    words.second += ReadAt<uint64_t>(table, end - 8) * 0xD6E8FEB86659FD93ull +
                    OfFile(ReadAt<const char*>(code, python_.code_file)) +
                    SampleOf(ReadAt<const char*>(code, python_.code_name)) * 0xBEA225F9EB34556Dull;
    return words;
  }

  // Where its line table is, its size and its first bytes.
  uint64_t OfTable(const char* code) const {
    const auto* table = ReadAt<const char*>(code, python_.code_table);
    return reinterpret_cast<uintptr_t>(table) * 0xA24BAED4963EE407ull +
           ReadAt<uint64_t>(table, kSizeOffset) * 0xC2B2AE3D27D4EB4Full +
           ReadAt<uint64_t>(table, kBytesTextOffset);
  }

  uint64_t OfFile(const char* file) {
    if (file != file_) {
      sample_ = SampleOf(file);
      file_ = file;
    }
    return sample_;
  }

  // Where it is, its length and its last bytes, which before the text are the rest of the object.
  uint64_t SampleOf(const char* str) const {
    StrText text;
    if (!TextOf(kLayout, python_.str_type, str, &text)) return 0;
    const auto bytes = static_cast<int64_t>(text.count * text.width);
    return reinterpret_cast<uintptr_t>(str) * 0x9FB21C651E98DF25ull +
           text.count * 0xA24BAED4963EE407ull +
           ReadAt<uint64_t>(text.text, bytes - 16) * 0x9FB21C651E98DF27ull +
           ReadAt<uint64_t>(text.text, bytes - 8) * 0xC2B2AE3D27D4EB4Full;
  }

  const Python python_;  // a copy, which the compiler knows that no frame is written over
  // Frames that follow each other are often of one file.
  const char* file_ = nullptr;
  uint64_t sample_ = 0;
};

template <size_t kNumber>
Walked WalkVersion(const Python& python, LiveFrame* frames, size_t most, size_t* count,
                   uint64_t* key) {
  return Version<kNumber>(python).Walk(frames, most, count, key);
}

template <size_t kNumber>
uint64_t FingerprintOfVersion(const Python& python, const char* code) {
  return Version<kNumber>(python).Fingerprint(code);
}

struct Functions {
  decltype(&WalkPython) walk;
  decltype(&FingerprintOf) fingerprint;
};

template <size_t... kNumbers>
constexpr std::array<Functions, kLayouts> EachVersion(std::index_sequence<kNumbers...>) {
  return {{{WalkVersion<kNumbers>, FingerprintOfVersion<kNumbers>}...}};
}

constexpr std::array<Functions, kLayouts> kFunctions =
    EachVersion(std::make_index_sequence<kLayouts>());

const Functions& FunctionsOf(const Python& python) {
  return kFunctions[python.layout.python - kFirst];
}

}  // namespace

Walked WalkPython(const Python& python, LiveFrame* frames, size_t most, size_t* count,
                  uint64_t* key) {
  return FunctionsOf(python).walk(python, frames, most, count, key);
}

uint64_t FingerprintOf(const Python& python, const char* code) {
  return FunctionsOf(python).fingerprint(python, code);
}

}  // namespace syncline::stacks
