// SPDX-License-Identifier: Apache-2.0
// Entries are gathered in a buffer, which is written when it is full or asked for.
#include "sampler/sample_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

namespace syncline {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10;

template <typename T>
std::string_view BytesOf(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

bool AreAlike(const HostSample& a, const HostSample& b) {
  return a.stack == b.stack && a.holder == b.holder && a.system_call == b.system_call &&
         a.state == b.state;
}

}  // namespace

SampleWriter::~SampleWriter() {
  if (fd_ >= 0) close(fd_);
}

int SampleWriter::Open(const std::string& path, uint32_t hertz) {
  fd_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd_ < 0) return errno;
  SampleHeader header{};
  std::memcpy(header.magic, kSampleMagic, sizeof(header.magic));
  header.version = kSampleVersion;
  header.hertz = hertz;
  buffer_.append(BytesOf(header));
  WriteOut();
  return is_broken_ ? EIO : 0;
}

void SampleWriter::WriteOut() {
  for (size_t done = 0; done < buffer_.size() && !is_broken_;) {
    const ssize_t bytes = write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) is_broken_ = true;
    if (bytes > 0) done += static_cast<size_t>(bytes);
  }
  if (is_broken_) {  // what a full disk took of it is not told, and counted
    left_out_ += buffered_;
    if (ftruncate(fd_, static_cast<off_t>(written_)) == 0) lseek(fd_, 0, SEEK_END);
  } else {
    written_ += buffer_.size();
  }
  buffered_ = 0;
  buffer_.clear();
}

// False: there is no room. The last entry has the room that is kept for it.
bool SampleWriter::Put(SampleEntry kind, std::string_view bytes, bool is_last) {
  constexpr uint64_t kRoomAtEnd = 4096;
  const SampleEntryHead head = {static_cast<uint32_t>(kind), static_cast<uint32_t>(bytes.size())};
  const uint64_t whole = written_ + buffer_.size() + sizeof(head) + bytes.size();
  if (is_broken_ || (!is_last && whole + kRoomAtEnd > kMostFileBytes)) return false;
  buffer_.append(BytesOf(head)).append(bytes);
  if (buffer_.size() >= kBufferBytes) WriteOut();
  return true;
}

// 0: it is new, and there is no room. Where it is new, the key's number is the last one.
uint32_t SampleWriter::Define(std::unordered_map<std::string, uint32_t>* known, std::string key) {
  constexpr size_t kOfEach = 64;
  if (kept_ + key.size() + kOfEach > kMostKeptBytes) return 0;
  kept_ += key.size() + kOfEach;
  const auto number = static_cast<uint32_t>(known->size() + 1);
  known->emplace(std::move(key), number);
  return number;
}

uint32_t SampleWriter::Code(const std::string& file, const std::string& function) {
  std::string key = file;
  key.append(1, '\0').append(function);
  const auto known = codes_.find(key);
  if (known != codes_.end()) return known->second;
  const uint32_t number = Define(&codes_, std::move(key));
  if (number == 0) return 0;
  const CodeDefinition code = {number, static_cast<uint32_t>(file.size()),
                               static_cast<uint32_t>(function.size())};
  std::string bytes(BytesOf(code));
  Put(SampleEntry::kCode, bytes.append(file).append(function));
  return number;
}

uint32_t SampleWriter::Stack(const std::vector<SampledFrame>& frames, bool is_cut) {
  std::string key(reinterpret_cast<const char*>(frames.data()),
                  frames.size() * sizeof(SampledFrame));
  key.append(1, is_cut ? '1' : '0');
  const auto known = stacks_.find(key);
  if (known != stacks_.end()) return known->second;
  std::string text = key.substr(0, key.size() - 1);
  const uint32_t number = Define(&stacks_, std::move(key));
  if (number == 0) return 0;
  const StackDefinition stack = {number, static_cast<uint32_t>(frames.size()), is_cut ? 1u : 0u};
  Put(SampleEntry::kStack, std::string(BytesOf(stack)).append(text));
  return number;
}

void SampleWriter::Put(const HostSample& sample) {
  buffered_ += sample.count;  // before the buffer may be written
  if (Put(SampleEntry::kSample, BytesOf(sample))) return;
  buffered_ -= sample.count;
  left_out_ += sample.count;
}

void SampleWriter::Add(uint64_t at_ns, HostSample sample) {
  sample.first_ns = sample.last_ns = at_ns;
  sample.count = 1;
  const auto [at, is_new] = pending_.try_emplace({sample.pid, sample.tid}, sample);
  if (is_new) return;
  HostSample& last = at->second;
  if (AreAlike(last, sample)) {
    last.last_ns = at_ns;
    ++last.count;
    return;
  }
  Put(last);
  last = sample;
}

void SampleWriter::Flush() {
  for (const auto& [thread, sample] : pending_) Put(sample);
  pending_.clear();
  WriteOut();
}

void SampleWriter::Finish(const SampleCounts& counts) {
  Flush();
  Put(SampleEntry::kCounts, BytesOf(counts), true);
  WriteOut();
}

}  // namespace syncline
