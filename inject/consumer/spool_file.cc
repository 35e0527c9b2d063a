// SPDX-License-Identifier: Apache-2.0
// Block output of the consumer.
#include "inject/consumer/spool_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
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

// How much is written between two looks at the file system's free space, while more than the
// second number is left: so 16 writers keep the reserve between them.
constexpr uint64_t kFreeCheckBytes = 4u << 20;
constexpr uint64_t kNearReserve = 64u << 20;

// No consumer leaves more behind its mark: a block, which is at most a batch and a record.
constexpr uint64_t kMostBehindMark = 4u << 20;

// A sign of life that ends with the writer, whatever pids its reader sees. Not over the network,
// where even a try may wait for a server. False: somebody else has it.
bool Lock(int fd) {
  struct statfs system = {};
  return SysCall(SYS_fstatfs, fd, AsLong(&system)) != 0 ||
         IsNetworkFileSystemType(static_cast<uint32_t>(system.f_type)) ||
         SysCall(SYS_flock, fd, LOCK_EX | LOCK_NB) != -EWOULDBLOCK;
}

// Beyond it the kernel ends the thread's process (SIGXFSZ), which may be the program's.
bool FitsFileLimit(uint64_t bytes) { return bytes <= SysLimit(RLIMIT_FSIZE); }

BlockHead HeadOf(BlockType type, uint32_t ring, uint32_t sequence, const void* a, uint64_t a_bytes,
                 const void* b, uint64_t b_bytes) {
  BlockHead head = {kBlockMagic,
                    static_cast<uint16_t>(type),
                    kSpoolVersion,
                    static_cast<uint32_t>(a_bytes + b_bytes),
                    0,
                    ring,
                    sequence};
  uint32_t checksum = Crc32c(0, &head, sizeof(head));
  checksum = Crc32c(checksum, a, a_bytes);
  if (b_bytes != 0) checksum = Crc32c(checksum, b, b_bytes);
  head.checksum = checksum;
  return head;
}

}  // namespace

SpoolMark MarkOf(const SegmentHeader& segment) {
  // Acquire: pairs with the release in SetMark.
  return segment.consumer.marks[segment.consumer.mark.load(std::memory_order_acquire) & 1];
}

void SetMark(SegmentHeader* segment, const SpoolMark& mark) {
  ConsumerNotes& notes = segment->consumer;
  const uint32_t row = ~notes.mark.load(std::memory_order_relaxed) & 1;
  notes.marks[row] = mark;
  notes.mark.store(row, std::memory_order_release);
}

void SetSpoolPath(SegmentHeader* segment, const char* path) {
  ConsumerNotes& notes = segment->consumer;
  const uint32_t row = notes.spool.load(std::memory_order_relaxed) == 1 ? 1 : 0;
  CopyText(notes.spools[row], kSpoolPathBytes, std::strlen(path) < kSpoolPathBytes ? path : "");
  notes.spool.store(row + 1, std::memory_order_release);
}

void CopySpoolPath(const SegmentHeader& segment, char (&out)[kSpoolPathBytes]) {
  // Acquire: pairs with the release in SetSpoolPath.
  const uint32_t row = segment.consumer.spool.load(std::memory_order_acquire);
  std::memset(out, 0, kSpoolPathBytes);
  if (row == 1 || row == 2) std::memcpy(out, segment.consumer.spools[row - 1], kSpoolPathBytes - 1);
}

bool SpoolFile::Create(const char* path, DiskBudget* budget) {
  budget_ = budget;
  bytes_ = look_at_ = 0;
  sequence_ = 0;
  const int fd = SysOpen(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
  if (fd < 0) {
    error_ = -fd;
    return false;
  }
  Lock(fd);
  Take(fd, path);
  return true;
}

bool SpoolFile::Continue(int fd, const char* path, DiskBudget* budget, const SegmentHeader& segment,
                         bool alone) {
  budget_ = budget;
  error_ = alone && !Lock(fd) ? EWOULDBLOCK : 0;
  struct stat info = {};
  SysCall(SYS_fstat, fd, AsLong(&info));
  const SpoolMark mark = MarkOf(segment);  // nobody moves it any more
  const auto size = static_cast<uint64_t>(info.st_size);
  const bool good = mark.bytes >= kCountersAt && mark.bytes % 8 == 0 && mark.bytes <= size &&
                    size - mark.bytes <= kMostBehindMark;
  if (error_ == 0 && !good) error_ = EINVAL;
  if (error_ != 0) {
    SysClose(fd);
    return false;
  }
  Take(fd, path);
  bytes_ = mark.bytes;
  look_at_ = 0;
  sequence_ = mark.sequence;
  return true;
}

void SpoolFile::CutOff() {
  if (Reopen()) SysCall(SYS_ftruncate, fd_, static_cast<long>(bytes_));
}

void SpoolFile::Take(int fd, const char* path) {
  fd_ = high_ ? SysMoveHigh(fd) : fd;
  struct stat info = {};
  SysCall(SYS_fstat, fd_, AsLong(&info));
  device_ = info.st_dev;
  inode_ = info.st_ino;
  CopyText(path_, sizeof(path_), path);
}

// The program closes descriptors by number, and takes the number for a file of its own.
bool SpoolFile::HasDescriptor() const {
  struct stat info;
  return fd_ >= 0 && SysCall(SYS_fstat, fd_, AsLong(&info)) == 0 && Is(info.st_dev, info.st_ino);
}

void SpoolFile::LetGo() {
  if (HasDescriptor()) SysClose(fd_);
  fd_ = -1;
}

void SpoolFile::Close() {
  LetGo();
  path_[0] = '\0';
}

bool SpoolFile::Reopen() {
  if (HasDescriptor()) return true;
  fd_ = -1;
  const int fd = SysOpen(path_, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) {
    error_ = -fd;
    return false;
  }
  struct stat info;
  if (SysCall(SYS_fstat, fd, AsLong(&info)) != 0 || !Is(info.st_dev, info.st_ino)) {
    SysClose(fd);
    error_ = ESTALE;
    return false;
  }
  Lock(fd);
  fd_ = high_ ? SysMoveHigh(fd) : fd;
  return true;
}

bool SpoolFile::WithinBudget(uint64_t bytes) {
  if (bytes_ + bytes > budget_->process_bytes ||
      budget_->node_used.load(std::memory_order_relaxed) + bytes > budget_->node_bytes) {
    error_ = 0;
    return false;
  }
  if (bytes_ + bytes > look_at_) {
    look_at_ = bytes_ + kFreeCheckBytes;
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
        look_at_ = 0;
        error_ = ENOSPC;
        return false;
      }
      if (available - reserve < kNearReserve) look_at_ = 0;
    }
  }
  return true;
}

bool SpoolFile::Append(BlockType type, uint32_t ring, const void* a, uint64_t a_bytes,
                       const void* b, uint64_t b_bytes) {
  const uint64_t payload = a_bytes + b_bytes;
  const uint64_t padding = (8 - payload % 8) % 8;
  const uint64_t total = sizeof(BlockHead) + payload + padding;
  if (!is_open()) error_ = EBADF;
  if (!is_open() || !Reopen()) return false;
  if (!FitsFileLimit(bytes_ + total)) {
    error_ = EFBIG;
    refused_ = refused_ || type == BlockType::kRecords;
    return false;
  }
  // The few small blocks that tell of losses are always tried.
  if (type == BlockType::kRecords && (refused_ || !WithinBudget(total))) {
    if (!IsFull()) refused_ = true;
    return false;
  }

  BlockHead head = HeadOf(type, ring, sequence_, a, a_bytes, b, b_bytes);
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

bool SpoolFile::Replace(uint64_t at, uint32_t sequence, BlockType type, const void* data,
                        uint64_t bytes) {
  if (!is_open() || !Reopen()) return false;
  BlockHead head = HeadOf(type, 0, sequence, data, bytes, nullptr, 0);
  const iovec parts[2] = {{&head, sizeof(head)}, {const_cast<void*>(data), bytes}};
  const auto all = static_cast<long>(sizeof(head) + bytes);
  if (!FitsFileLimit(at + sizeof(head) + bytes)) return false;
  return SysCall(SYS_pwritev, fd_, AsLong(parts), 2, static_cast<long>(at), 0) == all;
}

}  // namespace syncline
