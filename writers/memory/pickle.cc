// SPDX-License-Identifier: Apache-2.0
// The opcodes of pickletools.py.
#include "writers/memory/pickle.h"

namespace syncline {
namespace {

constexpr size_t kPiece = 1 << 16;
constexpr size_t kMostTexts = 1 << 20;

}  // namespace

Pickle::Pickle(ByteSink* out) : out_(out) { text_ = "\x80\x02"; }

void Pickle::Number(uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) Byte(static_cast<char>(value >> (8 * i)));
}

// A long one has a byte more than it needs, so that it is not negative.
void Pickle::Int(uint64_t value) {
  if (value <= UINT8_MAX) {
    Byte('K');
    Number(value, 1);
  } else if (value <= UINT16_MAX) {
    Byte('M');
    Number(value, 2);
  } else if (value <= INT32_MAX) {
    Byte('J');
    Number(value, 4);
  } else {
    size_t bytes = 4;
    while (bytes < 8 && value >> (8 * bytes - 1) != 0) ++bytes;
    const bool more = bytes == 8 && value >> 63 != 0;
    Byte('\x8a');
    Byte(static_cast<char>(bytes + (more ? 1 : 0)));
    Number(value, bytes);
    if (more) Byte('\0');
  }
  Flush(kPiece);
}

void Pickle::Bool(bool value) { Byte(value ? '\x88' : '\x89'); }

void Pickle::Text(std::string_view text) {
  const auto known = texts_.find(text);
  if (known != texts_.end()) return Again(known->second);
  Byte('X');
  Number(text.size(), 4);
  text_.append(text);
  const uint32_t place = Remember();
  if (texts_.size() < kMostTexts) texts_.emplace(text, place);
  Flush(kPiece);
}

void Pickle::BeginDict() { text_.append("}("); }
void Pickle::EndDict() { Byte('u'); }
void Pickle::BeginList() { text_.append("]("); }
void Pickle::EndList() { Byte('e'); }

uint32_t Pickle::Remember() {
  const uint32_t place = remembered_++;
  if (place <= UINT8_MAX) {
    Byte('q');
    Number(place, 1);
  } else {
    Byte('r');
    Number(place, 4);
  }
  return place;
}

void Pickle::Again(uint32_t remembered) {
  if (remembered <= UINT8_MAX) {
    Byte('h');
    Number(remembered, 1);
  } else {
    Byte('j');
    Number(remembered, 4);
  }
}

void Pickle::Flush(size_t from) {
  if (text_.size() < from) return;
  if (status_.ok()) status_ = out_->Write(text_);
  text_.clear();
}

Status Pickle::Finish() {
  Byte('.');
  Flush(0);
  return status_;
}

}  // namespace syncline
