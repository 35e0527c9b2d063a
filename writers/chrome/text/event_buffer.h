// SPDX-License-Identifier: Apache-2.0
// Collects the text of a trace and hands it on in pieces of 1 MiB that end at an event's end.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

#include "writers/files/byte_sink.h"

namespace syncline {

inline constexpr size_t kPieceBytes = 1 << 20;

// After an error everything is dropped; status() keeps the first one. One thread.
class EventBuffer {
 public:
  explicit EventBuffer(ByteSink* below);
  EventBuffer(const EventBuffer&) = delete;
  EventBuffer& operator=(const EventBuffer&) = delete;

  // Room for at least `bytes`, to be finished by Commit before the next call. Begins a new piece if
  // one is full, so one Reserve and Commit per event keeps events whole.
  char* Reserve(size_t bytes) {
    if (__builtin_expect(static_cast<size_t>(end_ - at_) < bytes || at_ >= full_, 0))
      MakeRoom(bytes);
    return at_;
  }
  void Commit(char* end) { at_ = end; }

  void Append(std::string_view text) {
    char* out = Reserve(text.size());
    std::memcpy(out, text.data(), text.size());
    Commit(out + text.size());
  }

  // Ends the piece.
  void Flush();

  // From this position on the text is kept when a piece becomes full, as long as it is shorter than
  // one, so that MoveBack can reach it. Positions are those of text_bytes().
  void KeepFrom(uint64_t position) { kept_from_ = position; }
  // Moves the text from `from` on before the text between `to` and `from`. Does nothing where that
  // was handed on already.
  void MoveBack(uint64_t from, uint64_t to);

  const Status& status() const { return status_; }
  uint64_t text_bytes() const { return flushed_ + static_cast<uint64_t>(at_ - memory_.get()); }

 private:
  void MakeRoom(size_t bytes);
  void HandOn(size_t bytes);

  ByteSink* below_;
  std::unique_ptr<char[]> memory_;
  char* at_ = nullptr;
  char* full_ = nullptr;
  char* end_ = nullptr;
  uint64_t flushed_ = 0;
  uint64_t kept_from_ = UINT64_MAX;
  Status status_;
};

}  // namespace syncline
