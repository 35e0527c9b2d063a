// SPDX-License-Identifier: Apache-2.0
// By pread: the writer's place in the file is its own.
#include "launcher/record/spool_tail.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "inject/core/crc32c.h"

namespace syncline {
namespace {

constexpr uint32_t kLongestBlock = 8u << 20;

bool ReadAll(int fd, void* out, size_t bytes, uint64_t at) {
  return pread(fd, out, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
}

bool IsWhole(BlockHead head, std::string_view payload) {
  const uint32_t told = std::exchange(head.checksum, 0);
  return Crc32c(Crc32c(0, &head, sizeof(head)), payload.data(), payload.size()) == told;
}

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : fd_(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {}
  ~OpenFile() {
    if (fd_ >= 0) close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace

void SpoolTail::Read(const TakeBlock& take) {
  const OpenFile file(path_);
  const int fd = file.fd();
  if (fd < 0) return;
  std::string payload;
  for (BlockHead head; ReadAll(fd, &head, sizeof(head), at_);) {
    if (head.magic != kBlockMagic || head.version != kSpoolVersion || head.bytes > kLongestBlock)
      return;
    payload.resize(head.bytes);
    if (!ReadAll(fd, payload.data(), payload.size(), at_ + sizeof(head)) || !IsWhole(head, payload))
      return;
    take(head, payload);
    at_ += sizeof(head) + (uint64_t{head.bytes} + 7) / 8 * 8;
  }
}

}  // namespace syncline
