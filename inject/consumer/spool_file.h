// SPDX-License-Identifier: Apache-2.0
// Appends blocks to one spool file: budgets, full disks, and descriptors that the program may close
// under us.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "inject/core/spool_format.h"

namespace syncline {

// The second block of a spool has its counters, so that they can be told where the disk is full.
inline constexpr uint64_t kCountersAt = sizeof(BlockHead) + sizeof(SpoolProcess);
static_assert(kCountersAt % 8 == 0);

// Disk shared by the spools of a node. One object per consumer process; any thread.
struct DiskBudget {
  uint64_t process_bytes;  // most for one spool
  uint64_t node_bytes;     // most for all spools of this consumer
  uint64_t reserve_bytes;  // free space to leave on the file system
  std::atomic<uint64_t> node_used;
};

// How far the segment's consumer has come.
SpoolMark MarkOf(const SegmentHeader& segment);
void SetMark(SegmentHeader* segment, const SpoolMark& mark);

// The spool that the segment's consumer writes, for the one that goes on after it. Longer than any
// path may be: as one that cannot be opened.
void SetSpoolPath(SegmentHeader* segment, const char* path);
// Empty: nobody has taken the segment yet.
void CopySpoolPath(const SegmentHeader& segment, char (&out)[kSpoolPathBytes]);

// Guest-safe: no heap, no errno, no locks. One thread at a time. Device and inode of the descriptor
// are checked before each write, because programs close descriptors that are not theirs; when it is
// gone the file is opened again by path.
class SpoolFile {
 public:
  // In a traced process, before the others: the descriptor gets a high number.
  void KeepHigh() { high_ = true; }

  // Creates `path` (must not exist). False: errno-like code in error().
  bool Create(const char* path, DiskBudget* budget);

  // Goes on at the mark in the spool that another consumer of `segment` left. `fd` is open for
  // reading and writing, and becomes this object's; who opened it knows that it is that spool.
  // `alone`: only if that consumer holds it no more. False: error(); EWOULDBLOCK: it does; EINVAL:
  // the mark is not where a consumer that died can have left it.
  bool Continue(int fd, const char* path, DiskBudget* budget, const SegmentHeader& segment,
                bool alone);

  // Removes what stands behind the mark: a block that was not written whole.
  void CutOff();
  void Close();
  // Gives the descriptor back; the next write opens the file again, and locks it, as Reopen does.
  // False: error(); ESTALE: another file lies there.
  void LetGo();
  bool Reopen();
  bool is_open() const { return path_[0] != '\0'; }

  // Appends one block of two payload parts (the second may be null). False: not written, the file
  // is as before. Records are refused for good after a failure that stays, or after Refuse().
  bool Append(BlockType type, uint32_t ring, const void* a, uint64_t a_bytes,
              const void* b = nullptr, uint64_t b_bytes = 0);

  // Writes a block over the one of as many bytes that stands at `at`: takes no space.
  bool Replace(uint64_t at, uint32_t sequence, BlockType type, const void* data, uint64_t bytes);

  // After a failed Append of records: the file system is full, which may pass; the same records can
  // be tried again.
  bool IsFull() const { return !refused_ && (error_ == ENOSPC || error_ == EDQUOT); }
  // No more records: the caller has dropped some.
  void Refuse() { refused_ = true; }

  // Whether the file with these numbers is this one.
  bool Is(uint64_t device, uint64_t inode) const { return device == device_ && inode == inode_; }
  int descriptor() const { return fd_; }
  int error() const { return error_; }             // of the last failure, 0 for over budget
  uint64_t bytes() const { return bytes_; }        // written so far
  uint32_t sequence() const { return sequence_; }  // of the next block
  const char* path() const { return path_; }

 private:
  void Take(int fd, const char* path);
  bool WithinBudget(uint64_t bytes);
  bool HasDescriptor() const;

  char path_[kSpoolPathBytes] = "";
  int fd_ = -1;
  bool high_ = false;
  int error_ = 0;
  uint64_t device_ = 0;
  uint64_t inode_ = 0;
  uint64_t bytes_ = 0;
  uint64_t look_at_ = 0;  // with so many bytes: at how much the file system has free
  bool refused_ = false;  // records were dropped once: a stream with a hole would lack the names
                          // that it uses later
  uint32_t sequence_ = 0;
  DiskBudget* budget_ = nullptr;
};

}  // namespace syncline
