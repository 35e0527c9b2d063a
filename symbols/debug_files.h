// SPDX-License-Identifier: Apache-2.0
// Where the symbols and lines lie that a stripped file lacks.
#pragma once

#include <memory>
#include <string>

#include "symbols/elf_file.h"

namespace syncline {

struct DebugFile {
  std::unique_ptr<ElfFile> file;  // null: none was found
  std::string path;
};

// As gdb does: by the build id below `root`, else by the name in .gnu_debuglink, beside `path`, in
// .debug there, and below `root`. Only one that belongs to the file: by the build id, or by the
// checksum that the link says. `file`: null if it is not there.
DebugFile FindDebugFile(const ElfFile* file, const std::string& path, const std::string& build_id,
                        const std::string& root = "/usr/lib/debug");

// The small file that distributions pack into .gnu_debugdata: symbols of functions that .dynsym
// lacks. Null: there is none, or no liblzma.
std::unique_ptr<ElfFile> PackedDebugFile(const ElfFile& file);

// Whether it has the sections that lines are made of.
bool HasLines(const ElfFile& file);

}  // namespace syncline
