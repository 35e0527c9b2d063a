// SPDX-License-Identifier: Apache-2.0
// What an executable file says about itself before it runs: format, machine, loader, needed
// libraries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace syncline {

enum class FileFormat { kElf, kScript, kOther };

struct ElfFacts {
  FileFormat format = FileFormat::kOther;
  std::string script_interpreter;  // kScript: the word after #!
  std::string script_argument;     // kScript: the rest of the line, "" if none
  // The rest only for kElf.
  bool damaged = false;  // it begins like ELF but its tables are not readable
  bool is_64_bit = false;
  bool little_endian = false;
  uint16_t machine = 0;             // EM_*
  std::string interpreter;          // PT_INTERP, "": statically linked
  std::string soname;               // DT_SONAME
  std::vector<std::string> needed;  // DT_NEEDED

  bool IsStatic() const { return format == FileFormat::kElf && interpreter.empty(); }
  bool IsMusl() const;
  bool IsLoader() const { return soname.starts_with("ld-linux") || soname.starts_with("ld64.so"); }
  bool Needs(const char* library_prefix) const;  // "libasan.so"
};

// Reads the file behind `fd` by pread; never fails: what is not readable is left at its default and
// `damaged` is set. The file is untrusted.
ElfFacts ReadElfFacts(int fd);

// The machine that this launcher was built for: EM_X86_64, ...
uint16_t OwnMachine();

}  // namespace syncline
