// SPDX-License-Identifier: Apache-2.0
// How a list of an operator's arguments stands in a kArguments record: 64-bit words, argument after
// argument, each a head and what its kind has behind it.
#pragma once

#include <cstdint>

namespace syncline::torch {

enum class Argument : uint8_t {
  kOther,        // nothing that is told, or that can be read
  kTensor,       // `count` sizes; kHasStrides: as many strides
  kTensors,      // `count` arguments follow, one for each tensor
  kScalars,      // `count` arguments follow, one for each scalar
  kInt,          // a word
  kDouble,       // a word
  kComplex,      // two words
  kBool,         // a word
  kNone,         // within kScalars only
  kSymbol,       // a scalar whose value only Python knows
  kManyTensors,  // `count` of them, too many to be told
  kGroup,        // of processes: `count` bytes of its name; a word: from the low end this process's
                 // rank in it (32 bits) and how many ranks it has; the name, in whole words
  kCut,          // there was no room for this argument, nor for those behind it
};

// Longer lists are not told, as torch.profiler does not.
inline constexpr uint64_t kMostListed = 30;
inline constexpr uint64_t kMostDims = 64;  // no tensor of PyTorch has more
inline constexpr uint64_t kMostArgumentWords = 480;

inline constexpr uint64_t kHasStrides = uint64_t{1} << 32;

// A head: from the low end the kind (8 bits), of a tensor its c10::ScalarType (8), the count (16),
// kHasStrides.
constexpr uint64_t HeadOf(Argument kind, uint64_t count = 0, uint64_t type = 0) {
  return static_cast<uint64_t>(kind) | type << 8 | count << 16;
}
constexpr Argument KindOf(uint64_t head) { return static_cast<Argument>(head & 0xff); }
constexpr uint64_t TypeOf(uint64_t head) { return head >> 8 & 0xff; }
constexpr uint64_t CountOf(uint64_t head) { return head >> 16 & 0xffff; }
// Behind the head of a kGroup.
constexpr uint64_t WordsOfGroup(uint64_t head) { return 1 + (CountOf(head) + 7) / 8; }

}  // namespace syncline::torch
