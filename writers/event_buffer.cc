// SPDX-License-Identifier: Apache-2.0
// The slow side of EventBuffer.
#include "writers/event_buffer.h"

namespace syncline {
namespace {

constexpr size_t kSlack =
    64 << 10;  // events up to this size fit behind a piece that is almost full

}  // namespace

EventBuffer::EventBuffer(ByteSink* below) : below_(below) { Allocate(kPieceBytes + kSlack); }

void EventBuffer::Allocate(size_t bytes) {
  memory_.reset(new char[bytes]);
  at_ = memory_.get();
  full_ = at_ + kPieceBytes;
  end_ = at_ + bytes;
}

void EventBuffer::Flush() {
  const auto bytes = static_cast<size_t>(at_ - memory_.get());
  if (bytes == 0) return;
  if (status_.ok()) status_ = below_->Write({memory_.get(), bytes});
  flushed_ += bytes;
  at_ = memory_.get();
}

void EventBuffer::MakeRoom(size_t bytes) {
  Flush();
  if (static_cast<size_t>(end_ - at_) < bytes) Allocate(bytes + kPieceBytes + kSlack);
}

}  // namespace syncline
