// SPDX-License-Identifier: Apache-2.0
// Which programs and libraries another process has mapped, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace syncline {

struct MappedFile {
  std::string path;     // in the process's own root directory
  uint64_t begin = 0;   // lowest address
  uint64_t offset = 0;  // in the file, of that
};

// Those whose file's name begins like an interpreter's, and the program itself, which may have one
// linked in.
std::vector<MappedFile> MappedInterpreters(int pid);

// The addresses of a file's symbols in the process, in their order; 0: it has none of that name.
// Empty: the file cannot be read, or is no ELF file.
std::vector<uint64_t> SymbolsIn(int pid, const MappedFile& file,
                                const std::vector<std::string>& names);

}  // namespace syncline
