// SPDX-License-Identifier: Apache-2.0
// Members by ISA-L (1.2 GB/s) or zlib, both at level 1.
#include "writers/files/gzip_sink.h"

#include <string>
#include <vector>

#include <zlib.h>

#include "writers/files/isal.h"

namespace syncline {
bool HasCodec(GzipCodec codec) {
#if SYNCLINE_HAVE_ISAL
  return codec == GzipCodec::kZlib || Isal() != nullptr;
#else
  return codec == GzipCodec::kZlib;
#endif
}

GzipCodec BestCodec() { return HasCodec(GzipCodec::kIsal) ? GzipCodec::kIsal : GzipCodec::kZlib; }

class GzipSink::Compressor {
 public:
  virtual ~Compressor() = default;
  // One member for `in`; empty: failed. Valid until the next call.
  virtual std::string_view Compress(std::string_view in) = 0;

 protected:
  // Incompressible input grows by stored blocks' heads and the member's own.
  char* Room(size_t input) {
    const size_t bytes = input + input / 64 + 4096;
    if (out_.size() < bytes) out_.resize(bytes);
    return out_.data();
  }
  size_t room() const { return out_.size(); }

 private:
  std::vector<char> out_;
};

#if SYNCLINE_HAVE_ISAL
class GzipSink::IsalCompressor : public GzipSink::Compressor {
 public:
  explicit IsalCompressor(const IsalFunctions& isal) : isal_(isal) {}

  std::string_view Compress(std::string_view in) override {
    char* out = Room(in.size());
    isal_.init(&stream_);
    stream_.level = 1;
    stream_.level_buf = work_.data();
    stream_.level_buf_size = static_cast<uint32_t>(work_.size());
    stream_.gzip_flag = IGZIP_GZIP;
    stream_.end_of_stream = 1;
    stream_.flush = NO_FLUSH;
    // The library does not write through next_in.
    stream_.next_in = const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(in.data()));
    stream_.avail_in = static_cast<uint32_t>(in.size());
    stream_.next_out = reinterpret_cast<uint8_t*>(out);
    stream_.avail_out = static_cast<uint32_t>(room());
    const int result = isal_.deflate(&stream_);
    AfterIsal();
    if (result != COMP_OK || stream_.internal_state.state != ZSTATE_END) return {};
    return {out, stream_.total_out};
  }

 private:
  const IsalFunctions& isal_;
  isal_zstream stream_{};  // what it held before would show in the compressed bytes
  std::vector<uint8_t> work_ = std::vector<uint8_t>(ISAL_DEF_LVL1_DEFAULT);
};
#endif

class GzipSink::ZlibCompressor : public GzipSink::Compressor {
 public:
  ZlibCompressor() {
    ready_ = deflateInit2(&stream_, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~ZlibCompressor() override {
    if (ready_) deflateEnd(&stream_);
  }
  std::string_view Compress(std::string_view in) override {
    if (!ready_ || deflateReset(&stream_) != Z_OK) return {};
    char* out = Room(in.size());
    // The library does not write through next_in.
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out);
    stream_.avail_out = static_cast<uInt>(room());
    if (deflate(&stream_, Z_FINISH) != Z_STREAM_END) return {};
    return {out, stream_.total_out};
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

GzipSink::GzipSink(ByteSink* below, [[maybe_unused]] GzipCodec codec) : below_(below) {
#if SYNCLINE_HAVE_ISAL
  const IsalFunctions* isal = Isal();
  if (codec == GzipCodec::kIsal && isal != nullptr) {
    compressor_ = std::make_unique<IsalCompressor>(*isal);
  }
#endif
  if (!compressor_) compressor_ = std::make_unique<ZlibCompressor>();
}

GzipSink::~GzipSink() = default;

Status GzipSink::Write(std::string_view bytes) {
  constexpr size_t kMostAtOnce = 1u << 30;  // both libraries count in 32 bits
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kMostAtOnce);
    const std::string_view member = compressor_->Compress(part);
    if (member.empty()) {
      return Status::Error(
          "cannot compress the trace: the compression library failed; "
          "free memory and run `syncline recover`, or report it");
    }
    Status status = below_->Write(member);
    if (!status.ok()) return status;
    bytes.remove_prefix(part.size());
  }
  return Status();
}

}  // namespace syncline
