// SPDX-License-Identifier: Apache-2.0
// A file that appears under its name only when it is whole: written as NAME.tmp, then renamed.
#pragma once

#include <cstdint>
#include <string>

#include "writers/files/byte_sink.h"

namespace syncline {

// Without Commit the temporary file is removed by the destructor.
class FileSink : public ByteSink {
 public:
  FileSink() = default;
  ~FileSink() override;
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  // Creates `path`.tmp; a leftover of a writer that died is replaced.
  Status Open(const std::string& path);
  Status Write(std::string_view bytes) override;
  // Brings the bytes to the disk, renames the file and brings the name to the disk.
  Status Commit();

  uint64_t bytes() const { return bytes_; }

 private:
  Status Fail(const char* what, int error);

  int fd_ = -1;
  std::string path_;
  std::string temporary_;
  uint64_t bytes_ = 0;
};

// Writes a whole small file in that way.
Status WriteWholeFile(const std::string& path, std::string_view bytes);

}  // namespace syncline
