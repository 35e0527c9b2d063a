// SPDX-License-Identifier: Apache-2.0
// Reads the numbers of call frame tables. Never beyond an end, and nothing that cannot be read:
// from there on all is zero.
#pragma once

#include <cstdint>

#include "inject/core/foreign_memory.h"

namespace syncline::stacks {

class FrameBytes {
 public:
  FrameBytes() = default;
  FrameBytes(ForeignMemory* memory, uint64_t at, uint64_t end)
      : memory_(memory), at_(at), end_(end < at ? at : end) {}

  bool failed() const { return failed_; }
  bool AtEnd() const { return at_ == end_; }
  uint64_t at() const { return at_; }
  uint64_t end() const { return end_; }

  template <typename T>
  T Take() {
    T value{};
    if (end_ - at_ < sizeof(T) || !memory_->Read(at_, &value)) {
      Fail();
      return T{};
    }
    at_ += sizeof(T);
    return value;
  }
  uint64_t TakeUleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = Take<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  int64_t TakeSleb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = Take<uint8_t>();
      if (shift < 64) value |= uint64_t{byte & 0x7fu} << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if (shift < 64 && (byte & 0x40) != 0) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }
  // The bytes that follow; these are skipped.
  FrameBytes TakeBlock(uint64_t bytes) {
    if (bytes > end_ - at_) {
      Fail();
      return {memory_, at_, at_};
    }
    const FrameBytes block(memory_, at_, at_ + bytes);
    at_ += bytes;
    return block;
  }
  // Moves to `offset` from here, not before `begin`.
  void Skip(int64_t offset, uint64_t begin) {
    const uint64_t to = at_ + static_cast<uint64_t>(offset);
    if (to < begin || to > end_) {
      Fail();
    } else {
      at_ = to;
    }
  }
  void Fail() {
    failed_ = true;
    at_ = end_;
  }

 private:
  ForeignMemory* memory_ = nullptr;
  uint64_t at_ = 0;
  uint64_t end_ = 0;
  bool failed_ = false;
};

}  // namespace syncline::stacks
