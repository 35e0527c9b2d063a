// SPDX-License-Identifier: Apache-2.0
// The slow side of EventBuffer.
#include "writers/chrome/text/event_buffer.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr size_t kSlack =
    64 << 10;  // events up to this size fit behind a piece that is almost full

}  // namespace

EventBuffer::EventBuffer(ByteSink* below)
    : below_(below),
      memory_(new char[kPieceBytes + kSlack]),
      at_(memory_.get()),
      full_(at_ + kPieceBytes),
      end_(full_ + kSlack) {}

void EventBuffer::HandOn(size_t bytes) {
  if (bytes == 0) return;
  if (status_.ok()) status_ = below_->Write({memory_.get(), bytes});
  flushed_ += bytes;
  at_ = std::copy(memory_.get() + bytes, at_, memory_.get());
}

void EventBuffer::Flush() { HandOn(static_cast<size_t>(at_ - memory_.get())); }

void EventBuffer::MakeRoom(size_t bytes) {
  const auto held = static_cast<size_t>(at_ - memory_.get());
  const bool keeps = kept_from_ > flushed_ && kept_from_ < flushed_ + held;
  HandOn(keeps ? static_cast<size_t>(kept_from_ - flushed_) : held);
  if (at_ >= full_) Flush();  // what is kept would fill a piece
  if (static_cast<size_t>(end_ - at_) >= bytes) return;
  const auto left = static_cast<size_t>(at_ - memory_.get());
  std::unique_ptr<char[]> larger(new char[bytes + left + kPieceBytes + kSlack]);
  at_ = std::copy(memory_.get(), at_, larger.get());
  memory_ = std::move(larger);
  full_ = memory_.get() + kPieceBytes;
  end_ = at_ + bytes + kPieceBytes + kSlack;
}

void EventBuffer::MoveBack(uint64_t from, uint64_t to) {
  if (to < flushed_) return;
  std::rotate(memory_.get() + (to - flushed_), memory_.get() + (from - flushed_), at_);
}

}  // namespace syncline
