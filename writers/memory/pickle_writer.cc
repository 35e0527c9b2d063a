// SPDX-License-Identifier: Apache-2.0
// Lists come in batches, as Python's own pickler writes them: some readers take a batch at once.
#include "writers/memory/pickle_writer.h"

#include "base/utf8.h"

namespace syncline {
namespace {

constexpr size_t kFlushed = size_t{1} << 20;
constexpr uint32_t kBatch = 1000;

enum Opcode : char {
  kProtocol = '\x80',
  kTrue = '\x88',
  kFalse = '\x89',
  kLong = '\x8a',
  kEmptyDict = '}',
  kEmptyList = ']',
  kMark = '(',
  kSetItems = 'u',
  kAppends = 'e',
  kUnicode = 'X',
  kByte = 'K',
  kShort = 'M',
  kInt = 'J',
  kPut = 'r',
  kGet = 'j',
  kStop = '.',
};

std::string Utf8Of(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Utf8Char next = NextChar(text);
    out += next.code != kNoChar ? std::string(text.substr(0, next.bytes)) : "\xEF\xBF\xBD";
    text.remove_prefix(next.bytes);
  }
  return out;
}

}  // namespace

PickleWriter::PickleWriter(ByteSink* out) : out_(out) {
  Put(kProtocol);
  Put(2);
}

void PickleWriter::Flush(size_t from) {
  if (bytes_.size() < from || !status_.ok()) return;
  status_ = out_->Write(bytes_);
  bytes_.clear();
}

void PickleWriter::BeginItem() {
  Flush(kFlushed);
  if (levels_.empty() || !levels_.back().is_list) return;
  if (levels_.back().items++ < kBatch) return;
  Put(kAppends);
  Put(kMark);
  levels_.back().items = 1;
}

void PickleWriter::BeginDict() {
  BeginItem();
  Put(kEmptyDict);
  Put(kMark);
  levels_.push_back({false, 0});
}

void PickleWriter::BeginList() {
  BeginItem();
  Put(kEmptyList);
  Put(kMark);
  levels_.push_back({true, 0});
}

void PickleWriter::End(char batch) {
  Put(batch);
  levels_.pop_back();
}

void PickleWriter::EndDict() { End(kSetItems); }
void PickleWriter::EndList() { End(kAppends); }

void PickleWriter::Key(std::string_view key) {
  const auto known = keys_.find(key);
  if (known != keys_.end()) return Again(known->second);
  Text(key);
  keys_.emplace(key, Keep());
}

void PickleWriter::Text(std::string_view text) {
  BeginItem();
  const std::string valid = Utf8Of(text);
  Put(kUnicode);
  Number(static_cast<uint32_t>(valid.size()));
  bytes_ += valid;
}

void PickleWriter::Number(uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) Put(static_cast<char>(value >> shift));
}

void PickleWriter::Int(int64_t value) {
  BeginItem();
  if (value >= 0 && value <= UINT8_MAX) {
    Put(kByte);
    return Put(static_cast<char>(value));
  }
  if (value >= 0 && value <= UINT16_MAX) {
    Put(kShort);
    Put(static_cast<char>(value));
    return Put(static_cast<char>(value >> 8));
  }
  if (value >= INT32_MIN && value <= INT32_MAX) {
    Put(kInt);
    return Number(static_cast<uint32_t>(value));
  }
  Put(kLong);
  Put(sizeof(value));
  for (int shift = 0; shift < 64; shift += 8) Put(static_cast<char>(value >> shift));
}

void PickleWriter::Bool(bool value) {
  BeginItem();
  Put(value ? kTrue : kFalse);
}

uint32_t PickleWriter::Keep() {
  Put(kPut);
  Number(kept_);
  return kept_++;
}

void PickleWriter::Again(uint32_t number) {
  BeginItem();
  Put(kGet);
  Number(number);
}

Status PickleWriter::Finish() {
  Put(kStop);
  Flush(0);
  return status_;
}

}  // namespace syncline
