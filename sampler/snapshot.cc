// SPDX-License-Identifier: Apache-2.0
// What was wanted last time is read first: most of it is wanted again.
#include "sampler/snapshot.h"

#include <algorithm>

namespace syncline {

void Snapshot::Begin(size_t most_reads) {
  most_reads_ = most_reads;
  reads_ = 0;
  std::deque<Piece> wanted;
  for (const Piece& piece : pieces_) {
    if (piece.is_wanted) wanted.push_back(piece);
  }
  pieces_ = std::move(wanted);
  by_address_.clear();
  batch_.clear();
  for (Piece& piece : pieces_) {
    piece.is_read = piece.is_wanted = false;
    by_address_[piece.address] = &piece;
    batch_.push_back({piece.address, piece.text, piece.bytes});
  }
  // What is gone ends a call: those behind it are read by the next one.
  size_t done = 0;
  for (size_t failures = 0; done < batch_.size() && failures < 4; ++failures) {
    const size_t read = memory_->Read(std::span(batch_).subspan(done));
    for (size_t i = done; i < done + read; ++i) pieces_[i].is_read = true;
    done += read + 1;
  }
}

const char* Snapshot::At(uint64_t address, size_t bytes) {
  bytes = std::min(bytes, kMostBytes);
  const auto known = by_address_.find(address);
  Piece* piece = known == by_address_.end() ? nullptr : known->second;
  if (piece != nullptr && piece->is_read && piece->bytes >= bytes) {
    piece->is_wanted = true;
    return piece->text;
  }
  if (address == 0 || reads_ >= most_reads_) return nullptr;
  ++reads_;
  if (piece == nullptr) {
    if (pieces_.size() >= kMostPieces) return nullptr;
    piece = &pieces_.emplace_back();
    piece->address = address;
    by_address_[address] = piece;
  }
  piece->bytes = static_cast<uint32_t>(bytes);
  piece->is_wanted = piece->is_read = memory_->Read(address, piece->text, bytes);
  return piece->is_read ? piece->text : nullptr;
}

}  // namespace syncline
