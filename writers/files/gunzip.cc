// SPDX-License-Identifier: Apache-2.0
// Members by ISA-L (twice as fast) or zlib; both check the sums of what they read.
#include "writers/files/gunzip.h"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/run_file.h"
#include "writers/files/isal.h"

namespace syncline {
namespace {

constexpr size_t kBuffer = 1 << 17;
constexpr unsigned char kMagic[] = {0x1f, 0x8b};

}  // namespace

class GunzipFile::Decoder {
 public:
  enum class State { kMore, kMemberEnds, kDamaged };
  virtual ~Decoder() = default;
  virtual void BeginMember() = 0;
  // Takes from `*in` and gives to `*out`, and moves both.
  virtual State Decode(const char** in, size_t* in_bytes, char** out, size_t* out_bytes) = 0;
};

#if SYNCLINE_HAVE_ISAL
class GunzipFile::IsalDecoder : public GunzipFile::Decoder {
 public:
  explicit IsalDecoder(const IsalFunctions& isal) : isal_(isal) { isal_.inflate_init(&state_); }

  void BeginMember() override {
    isal_.inflate_reset(&state_);
    state_.crc_flag = ISAL_GZIP;
  }
  State Decode(const char** in, size_t* in_bytes, char** out, size_t* out_bytes) override {
    // The library does not write through next_in.
    state_.next_in = const_cast<uint8_t*>(reinterpret_cast<const uint8_t*>(*in));
    state_.avail_in = static_cast<uint32_t>(*in_bytes);
    state_.next_out = reinterpret_cast<uint8_t*>(*out);
    state_.avail_out = static_cast<uint32_t>(*out_bytes);
    const int result = isal_.inflate(&state_);
    AfterIsal();
    *in += *in_bytes - state_.avail_in;
    *in_bytes = state_.avail_in;
    *out += *out_bytes - state_.avail_out;
    *out_bytes = state_.avail_out;
    if (result != ISAL_DECOMP_OK && result != ISAL_END_INPUT) return State::kDamaged;
    return state_.block_state == ISAL_BLOCK_FINISH ? State::kMemberEnds : State::kMore;
  }

 private:
  const IsalFunctions& isal_;
  inflate_state state_{};
};
#endif

class GunzipFile::ZlibDecoder : public GunzipFile::Decoder {
 public:
  ZlibDecoder() { ready_ = inflateInit2(&stream_, 15 + 16) == Z_OK; }
  ~ZlibDecoder() override {
    if (ready_) inflateEnd(&stream_);
  }
  void BeginMember() override { ready_ = ready_ && inflateReset(&stream_) == Z_OK; }
  State Decode(const char** in, size_t* in_bytes, char** out, size_t* out_bytes) override {
    if (!ready_) return State::kDamaged;
    stream_.next_in = const_cast<Bytef*>(reinterpret_cast<const Bytef*>(*in));
    stream_.avail_in = static_cast<uInt>(*in_bytes);
    stream_.next_out = reinterpret_cast<Bytef*>(*out);
    stream_.avail_out = static_cast<uInt>(*out_bytes);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    *in += *in_bytes - stream_.avail_in;
    *in_bytes = stream_.avail_in;
    *out += *out_bytes - stream_.avail_out;
    *out_bytes = stream_.avail_out;
    if (result == Z_STREAM_END) return State::kMemberEnds;
    return result == Z_OK || result == Z_BUF_ERROR ? State::kMore : State::kDamaged;
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

GunzipFile::GunzipFile() = default;

GunzipFile::~GunzipFile() {
  if (file_ >= 0) close(file_);
}

Status GunzipFile::Damaged() const {
  return Status::Error("cannot read " + path_ + ": it is damaged, or not all of it is there");
}

Status GunzipFile::Open(const std::string& path, [[maybe_unused]] GzipCodec codec) {
  path_ = path;
  uint64_t bytes = 0;
  std::string why;
  file_ = OpenRunFile(path, &bytes, &why);
  if (file_ < 0) return Status::Error("cannot read " + path + ": " + why);
  buffer_ = std::make_unique_for_overwrite<char[]>(kBuffer);
  Status status = Fill();
  if (!status.ok()) return status;
  plain_ = left_ < sizeof(kMagic) || std::memcmp(next_, kMagic, sizeof(kMagic)) != 0;
  if (plain_) return status;
#if SYNCLINE_HAVE_ISAL
  const IsalFunctions* isal = codec == GzipCodec::kIsal ? Isal() : nullptr;
  if (isal != nullptr) decoder_ = std::make_unique<IsalDecoder>(*isal);
#endif
  if (!decoder_) decoder_ = std::make_unique<ZlibDecoder>();
  return status;
}

// The rest stands before what is read.
Status GunzipFile::Fill() {
  if (left_ != 0) std::memmove(buffer_.get(), next_, left_);
  next_ = buffer_.get();
  while (!at_end_ && left_ < kBuffer) {
    const ssize_t got = read(file_, buffer_.get() + left_, kBuffer - left_);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Status::Error("cannot read " + path_ + ": " + std::strerror(errno));
    at_end_ = got == 0;
    left_ += static_cast<size_t>(got);
  }
  return Status();
}

Status GunzipFile::Read(char* out, size_t most, size_t* got) {
  *got = 0;
  most = std::min<size_t>(most, 1u << 30);  // both libraries count in 32 bits
  if (plain_) {
    if (left_ == 0) {
      Status status = Fill();
      if (!status.ok()) return status;
    }
    *got = std::min(most, left_);
    std::memcpy(out, next_, *got);
    next_ += *got;
    left_ -= *got;
    return Status();
  }
  char* to = out;
  size_t room = most;
  while (to == out && !done_) {
    if (left_ == 0 || (!in_member_ && left_ < sizeof(kMagic))) {
      Status status = Fill();
      if (!status.ok()) return status;
    }
    if (!in_member_) {
      done_ = left_ < sizeof(kMagic) || std::memcmp(next_, kMagic, sizeof(kMagic)) != 0;
      if (done_) break;
      decoder_->BeginMember();
      in_member_ = true;
    }
    const size_t before = left_;
    const Decoder::State state = decoder_->Decode(&next_, &left_, &to, &room);
    if (state == Decoder::State::kDamaged) return Damaged();
    if (state == Decoder::State::kMemberEnds) {
      in_member_ = false;
    } else if (to == out && left_ == before && at_end_) {
      return Damaged();  // it ends in the middle
    }
  }
  *got = static_cast<size_t>(to - out);
  return Status();
}

}  // namespace syncline
