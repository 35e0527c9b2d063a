// SPDX-License-Identifier: Apache-2.0
// Makes the memory of segments.
#include "inject/runtime/segment_maker.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "inject/core/options.h"
#include "inject/core/sealed.h"
#include "inject/core/segment.h"
#include "inject/core/spool_format.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"

#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1u
#define MFD_ALLOW_SEALING 2u
#endif

namespace syncline {
namespace {

// The least that is of use: the header and one smallest ring.
constexpr uint64_t kLeastBytes = sizeof(SegmentHeader) + RingFootprint(kMinRingBytes);
// A file that cannot be grown later is reserved whole at once: sizes to try.
constexpr uint64_t kReservedSizes[] = {8 << 20, 4 << 20, 2 << 20, 1 << 20, kLeastBytes};
constexpr uint64_t kLeastAnonymousBytes = 1 << 20;
// Where address space is limited it is the program's: the header is mapped with room for some
// rings, the rest when it is used.
constexpr uint64_t kFirstPieceBytes = sizeof(SegmentHeader) + (128 << 10);

// The option, cut by the limits: a file may not be larger than RLIMIT_FSIZE (SIGXFSZ), and address
// space is the program's.
uint64_t SegmentSize(uint32_t* degraded) {
  const uint64_t budget = static_cast<uint64_t>(OptionNumber(OptionIndex("memory.process")));
  uint64_t bytes = budget;
  const uint64_t file = SysLimit(RLIMIT_FSIZE);
  const uint64_t space = SysLimit(RLIMIT_AS) / 16;
  if (file < bytes) bytes = file;
  if (space < bytes) bytes = space;
  if (bytes < budget) *degraded |= kSmallSegment;
  return bytes / kPage * kPage;
}

bool MapFile(SegmentMemory* made, uint64_t bytes) {
  const bool limited = SysLimit(RLIMIT_AS) != RLIM_INFINITY;
  made->mapped = limited && bytes > kFirstPieceBytes ? kFirstPieceBytes : bytes;
  made->memory = SysMap(made->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, made->fd);
  if (made->memory == nullptr) return false;
  made->bytes = bytes;
  SysCall(SYS_madvise, AsLong(made->memory), static_cast<long>(made->mapped), MADV_DONTDUMP);
  return true;
}

void Discard(SegmentMemory* made) {
  if (made->fd >= 0) SysClose(made->fd);
  if (made->path[0] != '\0') SysCall(SYS_unlink, AsLong(made->path));
  made->fd = -1;
  made->path[0] = '\0';
}

// The directories in which a segment's file may stand, best first.
constexpr size_t kPlaces = 3;
const char* Place(size_t index) {
  switch (index) {
    case 0:
      return "/dev/shm";
    case 1:
      return Environment("TMPDIR");
    default:
      return "/tmp";
  }
}

// A file that is at most as large as can be reserved now.
bool ReserveWhole(SegmentMemory* made, uint64_t most) {
  for (const uint64_t size : kReservedSizes) {
    if (size > most) continue;
    if (SysCall(SYS_fallocate, made->fd, 0, 0, static_cast<long>(size)) != 0) continue;
    if (size < most) made->degraded |= kSmallSegment;
    return MapFile(made, size);
  }
  return false;
}

bool MakeUnlinkedFile(SegmentMemory* made, uint64_t bytes) {
  for (size_t i = 0; i < kPlaces; ++i) {
    const char* place = Place(i);
    if (place == nullptr || *place == '\0') continue;
    made->fd = SysOpen(place, O_RDWR | O_TMPFILE | O_EXCL, 0600);
    if (made->fd < 0) continue;
    if (ReserveWhole(made, bytes)) {
      made->degraded |= kFileMemory;
      return true;
    }
    Discard(made);
  }
  return false;
}

// Opens a new file in `place`; made->fd < 0 if it cannot. The link is made first: killed at any
// moment, no file is left that nobody finds.
void OpenNamedFile(const char* place, const char* link, SegmentMemory* made) {
  const char* stem = std::strrchr(link, '/') + 1;
  for (uint64_t attempt = 0; attempt < 16; ++attempt) {
    TextBuffer path;
    path.Add(place).Add("/syncline-");
    path.Add(stem, std::strlen(stem) - std::strlen(kSegmentLinkSuffix));
    if (attempt != 0) path.Add("-").AddNumber(attempt);
    path.Add(kSegmentLinkSuffix);
    if (path.length() >= sizeof(made->path)) return;
    if (SysCall(SYS_symlinkat, AsLong(path.text()), AT_FDCWD, AsLong(link)) != 0) return;
    made->fd = SysOpen(path.text(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (made->fd >= 0) {
      CopyText(made->path, sizeof(made->path), path.text());
      return;
    }
    SysCall(SYS_unlink, AsLong(link));
    if (made->fd != -EEXIST) return;
  }
}

bool MakeNamedFile(SegmentMemory* made, uint64_t bytes, const char* link) {
  for (size_t i = 0; i < kPlaces; ++i) {
    const char* place = Place(i);
    if (place == nullptr || *place == '\0') continue;
    OpenNamedFile(place, link, made);
    if (made->fd < 0) continue;
    // Sparse, and reserved ring by ring as it grows; only the head of the header is reserved now.
    if (SysCall(SYS_ftruncate, made->fd, static_cast<long>(bytes)) == 0 &&
        SysCall(SYS_fallocate, made->fd, 0, 0, offsetof(SegmentHeader, rings)) == 0 &&
        MapFile(made, bytes)) {
      made->degraded |= kFileMemory;
      return true;
    }
    Discard(made);
    SysCall(SYS_unlink, AsLong(link));
  }
  return false;
}

}  // namespace

SegmentMemory MakeSharedSegment() {
  SegmentMemory made = {nullptr, 0, 0, -1, 0, ""};
  const uint64_t bytes = SegmentSize(&made.degraded);
  if (bytes < kLeastBytes) return made;
  const long fd = SysCall(SYS_memfd_create, AsLong("syncline"), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd >= 0) {
    made.fd = static_cast<int>(fd);
    if (SysCall(SYS_ftruncate, made.fd, static_cast<long>(bytes)) == 0 && MapFile(&made, bytes)) {
      SealSize(made.fd);
      return made;
    }
    Discard(&made);
  }
  MakeUnlinkedFile(&made, bytes);
  return made;
}

SegmentMemory MakeInProcessSegment(const char* link) {
  SegmentMemory made = {nullptr, 0, 0, -1, 0, ""};
  const uint64_t bytes = SegmentSize(&made.degraded);
  if (bytes < kLeastBytes || MakeNamedFile(&made, bytes, link)) return made;
  // Such memory is mapped whole, and locked while it is made where the program locks all.
  for (const uint64_t size : {bytes, kLeastAnonymousBytes}) {
    if (size > bytes || made.memory != nullptr) continue;
    made.memory =
        SysMap(size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1);
    made.bytes = made.mapped = size;
  }
  made.degraded |= kAnonymousMemory;
  if (made.memory != nullptr)
    SysCall(SYS_madvise, AsLong(made.memory), static_cast<long>(made.bytes), MADV_DONTDUMP);
  return made;
}

bool ReserveFile(const char* path, uint64_t offset, uint64_t bytes) {
  const int fd = SysOpen(path, O_RDWR | O_NOFOLLOW);
  if (fd < 0) return false;
  const long result =
      SysCall(SYS_fallocate, fd, 0, static_cast<long>(offset), static_cast<long>(bytes));
  SysClose(fd);
  return result == 0;
}

}  // namespace syncline
