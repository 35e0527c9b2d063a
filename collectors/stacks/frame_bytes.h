// SPDX-License-Identifier: Apache-2.0
// Reads the numbers of call frame tables. Never beyond an end: from there on all is zero.
#pragma once

#include <cstdint>
#include <cstring>

namespace syncline::stacks {

class FrameBytes {
 public:
  FrameBytes() = default;
  FrameBytes(const uint8_t* at, const uint8_t* end) : at_(at), end_(end < at ? at : end) {}

  bool failed() const { return failed_; }
  bool AtEnd() const { return at_ == end_; }
  const uint8_t* at() const { return at_; }
  const uint8_t* end() const { return end_; }

  template <typename T>
  T Take() {
    T value{};
    if (static_cast<uint64_t>(end_ - at_) < sizeof(T)) {
      Fail();
    } else {
      std::memcpy(&value, at_, sizeof(T));
      at_ += sizeof(T);
    }
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
    if (bytes > static_cast<uint64_t>(end_ - at_)) {
      Fail();
      return {at_, at_};
    }
    const FrameBytes block(at_, at_ + bytes);
    at_ += bytes;
    return block;
  }
  // Moves to `offset` from here.
  void Skip(int64_t offset, const uint8_t* begin) {
    if (offset > end_ - at_ || offset < begin - at_) {
      Fail();
    } else {
      at_ += offset;
    }
  }
  void Fail() {
    failed_ = true;
    at_ = end_;
  }

 private:
  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  bool failed_ = false;
};

}  // namespace syncline::stacks
