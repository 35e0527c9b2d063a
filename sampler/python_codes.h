// SPDX-License-Identifier: Apache-2.0
// Names and lines of code objects in another process.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "sampler/python_place.h"
#include "sampler/python_threads.h"
#include "sampler/snapshot.h"

namespace syncline {

struct RemoteCode {
  std::string file;
  std::string function;
  uint32_t first_line = 0;
  std::string table;
  bool is_cut = false;  // the table's end is missing
  uint16_t python = 0;
  // Which object it was read from: an address comes again.
  uint64_t file_at = 0, function_at = 0, table_at = 0;
  std::unordered_map<int32_t, uint32_t> lines;  // by instruction
};

class PythonCodes {
 public:
  static constexpr size_t kMostCodes = 1 << 14;  // then all are forgotten
  // Of a round: codes that are read, and bytes of line tables that are looked through.
  static constexpr size_t kMostNew = 256, kMostLookedThrough = size_t{1} << 20;

  PythonCodes(const PythonPlace& place, RemoteMemory* memory) : place_(place), memory_(memory) {}

  // A round begins: what is left for the next one has no room in this.
  void Begin() { read_ = looked_through_ = 0; }
  // `head`: what a snapshot has of the object. Null: it cannot be read, or changed meanwhile, or
  // there is no room. Lives until the next call.
  RemoteCode* Of(uint64_t code, const char* head);
  // False: there is no room.
  bool FindLine(RemoteCode* code, int32_t instruction, uint32_t* line);

 private:
  bool Read(uint64_t code, const char* head, RemoteCode* out);
  bool CopyStr(uint64_t str, size_t most, std::string* out);
  bool CopyTable(uint64_t bytes, RemoteCode* out);

  const PythonPlace& place_;
  RemoteMemory* memory_;
  size_t read_ = 0, looked_through_ = 0;
  std::unordered_map<uint64_t, std::unique_ptr<RemoteCode>> codes_;
};

}  // namespace syncline
