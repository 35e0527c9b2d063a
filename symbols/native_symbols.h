// SPDX-License-Identifier: Apache-2.0
// Functions, files and lines of addresses in programs and libraries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbols/native_lines.h"

namespace syncline {

class ElfFile;

struct NativeModule {
  std::string path;
  std::string build_id;  // the bytes of it that were recorded; empty: none
  uint64_t mark = 0;     // FileMark of its file as it was; 0: not known
};

struct NativeName {
  std::string function;  // bare: "ns::Class<int>::step", or "libfoo.so+0x1234"
  std::string file;      // empty: unknown
  uint32_t line = 0;     // 0: unknown
  bool gone = false;     // the file that ran is not there any more: nothing is known of it
};

// A module's files are opened once, and what an address is called is kept.
class NativeSymbols {
 public:
  NativeSymbols();
  ~NativeSymbols();
  NativeSymbols(const NativeSymbols&) = delete;
  NativeSymbols& operator=(const NativeSymbols&) = delete;

  // The functions at `address`, the innermost inlined one first; an outer one's line is that of the
  // call. `address` is the file's (the load bias subtracted), and of the calling instruction, not
  // of the one behind. Never empty: "libfoo.so+0x1234" if nothing is known, "libfoo.so
  // (deleted)+0x1234" if the file is no longer the one that was recorded; "unknown" after a million
  // addresses. Lives as long as this.
  const std::vector<NativeName>& At(const NativeModule& module, uint64_t address);
  // Why lines are missing, each once, as sentences: no libdw, or damaged debug information.
  std::vector<std::string> problems() const;

 private:
  struct Known;
  Known& Open(const NativeModule& module);
  static void AddSymbols(const std::shared_ptr<const ElfFile>& file,
                         const std::shared_ptr<const ElfFile>& debug, Known* known);
  std::vector<NativeName> Work(const Known& known, uint64_t address);

  static constexpr uint64_t kMostAddresses = 1 << 20;

  NativeLines lines_;
  uint64_t addresses_ = 0;
  std::unordered_map<std::string, std::unique_ptr<Known>> modules_;  // by path and build id
};

}  // namespace syncline
