// SPDX-License-Identifier: Apache-2.0
// Compresses each write into one gzip member of its own, which any gzip reader takes as one file.
#pragma once

#include <cstdint>
#include <memory>

#include "writers/files/byte_sink.h"

namespace syncline {

enum class GzipCodec { kIsal, kZlib };

// Whether the codec can be used here (zlib always); the better one that can.
bool HasCodec(GzipCodec codec);
GzipCodec BestCodec();

// Independent members cost 1 % of size and buy crash safety, parallel work and concatenation. One
// thread.
class GzipSink : public ByteSink {
 public:
  // `below` takes the members. Without the codec: zlib.
  explicit GzipSink(ByteSink* below, GzipCodec codec = BestCodec());
  ~GzipSink() override;
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;

  Status Write(std::string_view bytes) override;

 private:
  class Compressor;
  class IsalCompressor;
  class ZlibCompressor;

  ByteSink* below_;
  std::unique_ptr<Compressor> compressor_;
};

}  // namespace syncline
