// SPDX-License-Identifier: Apache-2.0
// Memory for a segment: memfd, file or anonymous, within the resource limits.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline {

constexpr uint64_t kPage = 4096;

struct SegmentMemory {
  void* memory;       // null: none could be had
  uint64_t mapped;    // bytes that lie at `memory`: the header at least
  uint64_t bytes;     // of the segment; the rest can be mapped by SysMapOn
  int fd;             // of the memory, -1 if anonymous; the caller closes it
  uint32_t degraded;  // Degraded bits
  char path[256];     // file that holds it and must be removed when drained; empty for the others
};

// For a segment that is handed over: a memfd, sealed against shrinking; where memfd_create is
// refused, an unlinked file.
SegmentMemory MakeSharedSegment();

// For a segment that this process drains itself: a named file in /dev/shm, else $TMPDIR or /tmp, so
// that it survives the process, and `link` (FOLDER/PID-START-N.segment), by which `syncline
// recover` finds it; else anonymous memory and no link.
SegmentMemory MakeInProcessSegment(const char* link);

// Reserves [offset, offset + bytes) of a file segment, so that a full file system is an error here
// and not a SIGBUS.
bool ReserveFile(const char* path, uint64_t offset, uint64_t bytes);

}  // namespace syncline
