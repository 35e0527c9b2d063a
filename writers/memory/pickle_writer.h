// SPDX-License-Identifier: Apache-2.0
// Python objects of plain kinds as `pickle.load` reads them (protocol 2).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "writers/files/byte_sink.h"

namespace syncline {

// A dict takes a key and a value in turn. One thread. The format: Lib/pickletools.py of CPython.
class PickleWriter {
 public:
  explicit PickleWriter(ByteSink* out);

  void BeginDict();
  void EndDict();
  void BeginList();
  void EndList();
  void Key(std::string_view key);  // written once, however often it comes
  // Bytes that are no UTF-8 become U+FFFD.
  void Text(std::string_view text);
  void Int(int64_t value);
  void Bool(bool value);

  // The object that was written last, to be written again by its number.
  uint32_t Keep();
  void Again(uint32_t number);

  // Not ok: something could not be written.
  Status Finish();

 private:
  struct Level {
    bool is_list;
    uint32_t items;  // since the last batch
  };
  void BeginItem();
  void End(char batch);
  void Number(uint32_t value);
  void Put(char byte) { bytes_.push_back(byte); }
  void Flush(size_t from);

  ByteSink* const out_;
  std::string bytes_;
  std::vector<Level> levels_;
  std::map<std::string, uint32_t, std::less<>> keys_;
  uint32_t kept_ = 0;
  Status status_;
};

}  // namespace syncline
