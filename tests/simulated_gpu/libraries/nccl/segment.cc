// SPDX-License-Identifier: Apache-2.0
// Makes, maps and watches the memory that ranks share.
#include "tests/simulated_gpu/libraries/nccl/segment.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <ctime>

#include "tests/simulated_gpu/engine/memory_file.h"

namespace simgpu::nccl {
namespace {

constexpr uint64_t kMagic = 0x6c63636e67707573;
constexpr size_t kPage = 4096;
constexpr long kIdleNs = 100'000'000;
constexpr int kHighDescriptor = 200;  // out of the way of programs that count on low numbers

size_t Pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

struct Layout {
  explicit Layout(size_t ranks)
      : lines(kPage),
        pairs(lines + Pages(ranks * sizeof(Line))),
        stages(pairs + Pages(ranks * ranks * sizeof(Pair))),
        pair_stages(stages + ranks * kStageBytes),
        bytes(pair_stages + ranks * ranks * kPairBytes) {}
  size_t lines, pairs, stages, pair_stages, bytes;
};

}  // namespace

bool Segment::Make(SegmentName* name, int* error) {
  const int low = simgpu::MakeMemoryFile("simulated NCCL");
  const int file = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, kHighDescriptor);
  if (low >= 0 && file >= 0) close(low);
  const int kept = file >= 0 ? file : low;
  name->magic = kMagic;
  name->process = getpid();
  name->descriptor = kept;
  const bool made = kept >= 0 && syscall(SYS_getrandom, &name->number, sizeof name->number, 0) ==
                                     static_cast<ssize_t>(sizeof name->number);
  *error = made ? 0 : errno;
  name->number >>= 1;  // fits a signed number too
  return made;
}

void Segment::Close(const SegmentName& name) { close(name.descriptor); }

std::shared_ptr<Segment> Segment::Map(const SegmentName& name, int ranks, int* error) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", name.process, name.descriptor);
  const int file = name.magic == kMagic ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (file < 0) {
    *error = name.magic == kMagic ? errno : EINVAL;
    return nullptr;
  }
  // All ranks give it the same size.
  const size_t bytes = Layout(static_cast<size_t>(ranks)).bytes;
  void* base = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0)
    base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  *error = errno;
  close(file);
  if (base == MAP_FAILED) return nullptr;
  return std::shared_ptr<Segment>(new Segment(base, bytes, ranks));
}

Segment::Segment(void* base, size_t bytes, int ranks) : base_(base), bytes_(bytes), ranks_(ranks) {
  const Layout layout(static_cast<size_t>(ranks));
  char* start = static_cast<char*>(base);
  // The file is zeros, which is how all of it begins.
  changes_ = reinterpret_cast<std::atomic<uint32_t>*>(start);
  lines_ = reinterpret_cast<Line*>(start + layout.lines);
  pairs_ = reinterpret_cast<Pair*>(start + layout.pairs);
  stages_ = start + layout.stages;
  pair_stages_ = start + layout.pair_stages;
}

Segment::~Segment() { munmap(base_, bytes_); }

void Segment::Told() {
  // Release: with the acquire in Await, who sees the count sees what was told before it.
  changes_->fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, changes_, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

bool Segment::Await(const std::function<bool()>& fulfilled, const std::atomic<bool>& stop,
                    const std::function<void()>& idle) {
  for (;;) {
    const uint32_t seen = changes_->load(std::memory_order_acquire);
    if (stop.load(std::memory_order_acquire)) return false;
    if (fulfilled()) return true;
    const timespec patience{0, kIdleNs};
    if (syscall(SYS_futex, changes_, FUTEX_WAIT, seen, &patience, nullptr, 0) != 0 &&
        errno == ETIMEDOUT)
      idle();
  }
}

}  // namespace simgpu::nccl
