// SPDX-License-Identifier: Apache-2.0
// Block output of the consumer.
#include "inject/consumer/spool_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>

#include <cstring>

#include "inject/core/crc32c.h"
#include "inject/core/network_file_system.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

constexpr uint64_t kFreeCheckBytes =
    4u << 20;  // how much is written between two looks at the file system's free space

}  // namespace

bool SpoolFile::Create(const char* path, DiskBudget* budget) {
  budget_ = budget;
  bytes_ = free_checked_at_ = 0;
  sequence_ = 0;
  const int fd = SysOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (fd < 0) {
    error_ = -fd;
    return false;
  }
  // A sign of life that ends with the writer, whatever pids its reader sees. Not over the network,
  // where even a try may wait for a server.
  struct statfs system = {};
  if (SysCall(SYS_fstatfs, fd, AsLong(&system)) == 0 &&
      !IsNetworkFileSystemType(static_cast<uint32_t>(system.f_type)))
    SysCall(SYS_flock, fd, LOCK_EX | LOCK_NB);
  fd_ = fd;
  struct stat info;
  SysCall(SYS_fstat, fd_, AsLong(&info));
  device_ = info.st_dev;
  inode_ = info.st_ino;
  CopyText(path_, sizeof(path_), path);
  return true;
}

bool SpoolFile::Continue(const char* path, DiskBudget* budget, uint64_t* ring_bytes) {
  budget_ = budget;
  const int fd = SysOpen(path, O_RDWR | O_NOFOLLOW);
  if (fd < 0) {
    error_ = -fd;
    return false;
  }
  std::memset(ring_bytes, 0, kMaxRings * sizeof(uint64_t));
  struct stat info;
  SysCall(SYS_fstat, fd, AsLong(&info));
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  uint64_t at = 0;
  BlockHead head;
  // The last block may be torn, but its head was written with it: lengths suffice, readers check
  // the sums.
  while (SysCall(SYS_pread64, fd, AsLong(&head), sizeof(head), static_cast<long>(at)) ==
         sizeof(head)) {
    const uint64_t total = sizeof(head) + (uint64_t{head.bytes} + 7) / 8 * 8;
    if (head.magic != kBlockMagic || head.version != kSpoolVersion || head.bytes > kMaxBlockBytes ||
        at + total > size)
      break;
    if (head.type == static_cast<uint16_t>(BlockType::kRecords) && head.ring < kMaxRings)
      ring_bytes[head.ring] += head.bytes;
    at += total;
    sequence_ = head.sequence + 1;
  }
  if (at == 0) {
    SysClose(fd);
    error_ = EINVAL;
    return false;
  }
  SysCall(SYS_ftruncate, fd, static_cast<long>(at));
  fd_ = fd;
  device_ = info.st_dev;
  inode_ = info.st_ino;
  bytes_ = free_checked_at_ = at;
  CopyText(path_, sizeof(path_), path);
  return true;
}

void SpoolFile::Close() {
  struct stat info;
  if (fd_ >= 0 && SysCall(SYS_fstat, fd_, AsLong(&info)) == 0 && info.st_dev == device_ &&
      info.st_ino == inode_)
    SysClose(fd_);
  fd_ = -1;
  path_[0] = '\0';
}

bool SpoolFile::Descriptor() {
  struct stat info;
  if (fd_ >= 0 && SysCall(SYS_fstat, fd_, AsLong(&info)) == 0 && info.st_dev == device_ &&
      info.st_ino == inode_)
    return true;
  fd_ = -1;
  const int fd = SysOpen(path_, O_WRONLY | O_NOFOLLOW);
  if (fd < 0) {
    error_ = -fd;
    return false;
  }
  if (SysCall(SYS_fstat, fd, AsLong(&info)) != 0 || info.st_dev != device_ ||
      info.st_ino != inode_) {
    SysClose(fd);
    error_ = ESTALE;
    return false;
  }
  fd_ = fd;
  return true;
}

bool SpoolFile::WithinBudget(uint64_t bytes) {
  if (bytes_ + bytes > budget_->process_bytes ||
      budget_->node_used.load(std::memory_order_relaxed) + bytes > budget_->node_bytes) {
    error_ = 0;
    return false;
  }
  if (bytes_ - free_checked_at_ + bytes > kFreeCheckBytes || bytes_ == 0) {
    struct statfs system;
    if (SysCall(SYS_fstatfs, fd_, AsLong(&system)) == 0) {
      const uint64_t available =
          static_cast<uint64_t>(system.f_bavail) * static_cast<uint64_t>(system.f_bsize);
      // A file system smaller than the reserve is used to a tenth of its size.
      const uint64_t total =
          static_cast<uint64_t>(system.f_blocks) * static_cast<uint64_t>(system.f_bsize);
      const uint64_t reserve =
          budget_->reserve_bytes < total / 10 ? budget_->reserve_bytes : total / 10;
      if (available < reserve + bytes) {
        error_ = ENOSPC;
        return false;
      }
    }
    free_checked_at_ = bytes_;
  }
  return true;
}

bool SpoolFile::Append(BlockType type, uint32_t ring, const void* a, uint64_t a_bytes,
                       const void* b, uint64_t b_bytes) {
  const uint64_t payload = a_bytes + b_bytes;
  const uint64_t padding = (8 - payload % 8) % 8;
  const uint64_t total = sizeof(BlockHead) + payload + padding;
  if (!is_open()) error_ = EBADF;
  if (!is_open() || !Descriptor()) return false;
  // The few small blocks that tell of losses are always tried.
  if (type == BlockType::kRecords && (refused_ || !WithinBudget(total))) {
    if (!IsFull()) refused_ = true;
    return false;
  }

  BlockHead head = {kBlockMagic,
                    static_cast<uint16_t>(type),
                    kSpoolVersion,
                    static_cast<uint32_t>(payload),
                    0,
                    ring,
                    sequence_};
  uint32_t checksum = Crc32c(0, &head, sizeof(head));
  checksum = Crc32c(checksum, a, a_bytes);
  if (b_bytes != 0) checksum = Crc32c(checksum, b, b_bytes);
  head.checksum = checksum;
  static constexpr char kZeros[8] = {};
  iovec parts[4] = {{&head, sizeof(head)},
                    {const_cast<void*>(a), a_bytes},
                    {const_cast<void*>(b), b_bytes},
                    {const_cast<char*>(kZeros), padding}};
  uint64_t done = 0;
  while (done < total) {
    iovec rest[4];
    int count = 0;
    uint64_t skip = done;
    for (const iovec& part : parts) {
      if (skip >= part.iov_len) {
        skip -= part.iov_len;
        continue;
      }
      rest[count++] = {static_cast<char*>(part.iov_base) + skip, part.iov_len - skip};
      skip = 0;
    }
    const long written =
        SysCall(SYS_pwritev, fd_, AsLong(rest), count, static_cast<long>(bytes_ + done), 0);
    if (written == -EINTR) continue;
    if (written <= 0) {
      error_ = written == 0 ? ENOSPC : static_cast<int>(-written);
      if (type == BlockType::kRecords && !IsFull()) refused_ = true;
      SysCall(SYS_ftruncate, fd_,
              static_cast<long>(bytes_));  // no torn block in the middle of the file
      return false;
    }
    done += static_cast<uint64_t>(written);
  }
  bytes_ += total;
  budget_->node_used.fetch_add(total, std::memory_order_relaxed);
  ++sequence_;
  return true;
}

}  // namespace syncline
