// SPDX-License-Identifier: Apache-2.0
// Reads a file that may be compressed by gzip, of one or many members, piece by piece.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/status.h"
#include "writers/files/gzip_sink.h"

namespace syncline {

// A file that does not begin as gzip's do is taken as it is.
class GunzipFile {
 public:
  GunzipFile();
  ~GunzipFile();
  GunzipFile(const GunzipFile&) = delete;
  GunzipFile& operator=(const GunzipFile&) = delete;

  // Messages name `path`. Without the codec: zlib.
  Status Open(const std::string& path, GzipCodec codec = BestCodec());
  // `*got` bytes of text, at most `most`, which is not 0; 0: there are no more. Not ok: the file is
  // damaged, or ends too early; what was read before is what it says.
  Status Read(char* out, size_t most, size_t* got);

 private:
  class Decoder;
  class IsalDecoder;
  class ZlibDecoder;

  Status Fill();
  Status Damaged() const;

  std::string path_;
  int file_ = -1;
  std::unique_ptr<char[]> buffer_;
  const char* next_ = nullptr;
  size_t left_ = 0;  // bytes of the buffer from `next_` on
  bool at_end_ = false;
  bool plain_ = false;
  bool in_member_ = false;
  bool done_ = false;  // what follows the last member is no text
  std::unique_ptr<Decoder> decoder_;
};

}  // namespace syncline
