// SPDX-License-Identifier: Apache-2.0
// Proof of a path. What was proven is used by its descriptor; a name is looked up once. One thread
// at a time is here.
#include "inject/runtime/left_spool.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "inject/consumer/segment_drain.h"
#include "inject/core/spool_format.h"
#include "inject/core/sys.h"
#include "inject/runtime/hand_over.h"

namespace syncline {
namespace {

constexpr uint64_t kFirstPidNamespace = 0xEFFFFFFC;  // the kernel's PROC_PID_INIT_INO

bool Look(int fd, struct stat* info) { return SysCall(SYS_fstat, fd, AsLong(info)) == 0; }

// The folder of `path`, in which nobody but this user and root puts files. -errno.
int OpenFolderOf(const char* path) {
  static char folder[kSpoolPathBytes];  // not on the stack, which may be a small one
  const char* end = std::strrchr(path, '/');
  if (*path != '/' || end == path) return -EPERM;
  const auto bytes = static_cast<size_t>(end - path);
  if (bytes >= sizeof(folder)) return -EPERM;
  std::memcpy(folder, path, bytes);
  folder[bytes] = '\0';
  const int fd = SysOpen(folder, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (fd < 0) return fd;
  struct stat info;
  if (Look(fd, &info) && (info.st_uid == 0 || info.st_uid == SysCall(SYS_geteuid)) &&
      (info.st_mode & (S_IWGRP | S_IWOTH)) == 0)
    return fd;
  SysClose(fd);
  return -EPERM;
}

bool SkipNumber(const char** at, uint64_t* number) {
  const char* begin = *at;
  for (*number = 0; **at >= '0' && **at <= '9'; ++*at)
    *number = *number * 10 + static_cast<uint64_t>(**at - '0');
  return *at != begin;
}

// PID-START-N.spool; the launcher may be outside of the process's pid name space, where the process
// has another pid.
const char* NameOfSpool(const char* path, const ProcessFacts& facts) {
  const char* name = std::strrchr(path, '/');
  if (name == nullptr) return nullptr;
  const char* at = ++name;
  uint64_t pid = 0;
  uint64_t start = 0;
  uint64_t number = 0;
  const bool good =
      SkipNumber(&at, &pid) && *at++ == '-' && SkipNumber(&at, &start) && *at++ == '-' &&
      SkipNumber(&at, &number) && start == facts.start_time &&
      (pid == static_cast<uint64_t>(facts.pid) || facts.pid_namespace != kFirstPidNamespace) &&
      std::strcmp(at, kSpoolSuffix) == 0;
  return good ? name : nullptr;
}

// Opens the spool at `path` if it proves to be one that was begun for the process of `facts`, and
// if nobody but this user and root could have put it there. -errno; -EPERM: it proves nothing of
// the kind.
int OpenProven(const char* path, const ProcessFacts& facts) {
  const char* name = NameOfSpool(path, facts);
  if (name == nullptr) return -EPERM;
  const int folder = OpenFolderOf(path);
  if (folder < 0) return folder;
  const auto fd = static_cast<int>(SysCall(
      SYS_openat, folder, AsLong(name), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat above;
  struct stat info;
  const bool proven = fd >= 0 && Look(folder, &above) && Look(fd, &info) && S_ISREG(info.st_mode) &&
                      info.st_nlink == 1 &&
                      (info.st_uid == SysCall(SYS_geteuid) || info.st_uid == above.st_uid);
  SysClose(folder);
  if (fd < 0 || proven) return fd;
  SysClose(fd);
  return -EPERM;
}

// Whether `spool` begins as one of this process's. `*is_rest`: it was begun when the launcher
// ended.
bool IsOwn(const SpoolFile& spool, const ProcessFacts& facts, bool* is_rest) {
  static struct {  // not on the stack, which may be a small one
    BlockHead head;
    SpoolProcess process;
  } first;
  static_assert(sizeof(first) == sizeof(BlockHead) + sizeof(SpoolProcess));
  const long got = SysCall(SYS_pread64, spool.descriptor(), AsLong(&first), sizeof(first), 0);
  *is_rest = first.process.consumer == static_cast<uint32_t>(ConsumerKind::kProcess);
  return got == sizeof(first) && first.head.magic == kBlockMagic &&
         first.head.type == static_cast<uint16_t>(BlockType::kProcess) &&
         first.process.facts.pid == facts.pid && first.process.facts.start_time == facts.start_time;
}

}  // namespace

Continued OpenLeftSpool(const SegmentHeader& header, const ProcessFacts& facts, DiskBudget* budget,
                        SpoolFile* spool, bool* is_rest) {
  static char path[kSpoolPathBytes];  // as above
  static char now[kSpoolPathBytes];
  for (int tries = 0; tries < 2; ++tries) {
    CopySpoolPath(header, path);
    const int fd = OpenProven(path, facts);
    const bool open = fd >= 0 && spool->Continue(fd, path, budget, header, true);
    if (fd >= 0 && !open && spool->error() == EWOULDBLOCK) return Continued::kLauncherLives;
    CopySpoolPath(header, now);
    const bool same = std::strcmp(path, now) == 0;
    // It has not begun yet, or locks nothing over a network. Not asked of a spool that another user
    // holds, from which nothing follows.
    if (same && (open || *path == '\0') && LauncherListens()) break;
    if (same && open && IsOwn(*spool, facts, is_rest)) return Continued::kYes;
    spool->Close();
    if (same) return Continued::kFailed;
  }
  spool->Close();
  return Continued::kLauncherLives;
}

void RemoveLeftSpoolFile(const SpoolFile& spool, const ProcessFacts& facts) {
  const char* name = NameOfSpool(spool.path(), facts);
  const int folder = name == nullptr ? -1 : OpenFolderOf(spool.path());
  if (folder < 0) return;
  struct stat there;
  if (SysCall(SYS_newfstatat, folder, AsLong(name), AsLong(&there), AT_SYMLINK_NOFOLLOW) == 0 &&
      spool.Is(there.st_dev, there.st_ino))
    SysCall(SYS_unlinkat, folder, AsLong(name), 0);
  SysClose(folder);
}

}  // namespace syncline
