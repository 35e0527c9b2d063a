// SPDX-License-Identifier: Apache-2.0
// Python's pickle, protocol 2, of numbers, texts, lists and dicts: as much as PyTorch's own writer
// uses, and its viewer reads.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/status.h"
#include "writers/files/byte_sink.h"

namespace syncline {

// What is written between BeginDict and EndDict: a text and a value, again and again; between
// BeginList and EndList values. Texts that came before are referred to. One thread.
class Pickle {
 public:
  explicit Pickle(ByteSink* out);

  void Int(uint64_t value);
  void Bool(bool value);
  void Text(std::string_view text);
  void BeginDict();
  void EndDict();
  void BeginList();
  void EndList();

  // Refers to the value that has just ended, again by Again.
  uint32_t Remember();
  void Again(uint32_t remembered);

  void Key(std::string_view key, uint64_t value) {
    Text(key);
    Int(value);
  }
  void Key(std::string_view key, std::string_view value) {
    Text(key);
    Text(value);
  }

  // What was written so far is good.
  Status Finish();

 private:
  void Byte(char byte) { text_.push_back(byte); }
  void Number(uint64_t value, size_t bytes);
  void Flush(size_t from);

  ByteSink* const out_;
  std::string text_;
  Status status_;
  uint32_t remembered_ = 0;
  std::map<std::string, uint32_t, std::less<>> texts_;
};

}  // namespace syncline
