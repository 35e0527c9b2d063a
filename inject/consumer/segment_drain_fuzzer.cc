// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: a segment of any contents is drained without harm. The input is laid over a
// valid header: bytes in pairs of (where, what), 16 bytes each, so that the fuzzer reaches the
// table of rings and the rings' heads quickly.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "inject/consumer/segment_drain.h"

namespace {

constexpr uint64_t kBytes = 2 << 20;

std::string FuzzFolder() {
  char name[] = "/tmp/syncline-fuzz-XXXXXX";
  const char* made = mkdtemp(name);
  return made == nullptr ? "/tmp" : made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace syncline;
  static const std::string path = FuzzFolder() + "/fuzz.spool";
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 0;
  auto* segment = new (memory) SegmentHeader{};
  std::memcpy(segment->magic, kSegmentMagic, sizeof(kSegmentMagic));
  segment->layout_version = kLayoutVersion;
  segment->header_bytes = sizeof(SegmentHeader);
  segment->clock = static_cast<uint32_t>(ClockId::kMonotonic);
  uint64_t at = (sizeof(SegmentHeader) + 4095) / 4096 * 4096;
  for (uint32_t i = 0; i < 4; ++i, at += RingFootprint(kMinRingBytes)) {
    segment->rings[i].offset = at;
    segment->rings[i].data_bytes = kMinRingBytes;
    segment->rings[i].state = static_cast<uint32_t>(RingState::kOwned);
  }
  segment->ring_count = 4;
  for (; size >= 16; data += 16, size -= 16) {
    uint64_t where;
    std::memcpy(&where, data, 8);
    std::memcpy(static_cast<char*>(memory) + where % (kBytes / 8) * 8, data + 8, 8);
  }
  unlink(path.c_str());
  DiskBudget budget{16 << 20, 16 << 20, 0, {}};
  SpoolFile spool;
  auto drain = std::make_unique<SegmentDrain>();
  if (spool.Create(path.c_str(), &budget)) {
    if (drain->Open(segment, kBytes, &spool, 1, ConsumerKind::kLauncher)) {
      uint32_t fullest = 0;
      drain->Drain(&fullest);
      drain->Finish(true, false, 0);
    }
    spool.Close();
  }
  munmap(memory, kBytes);
  return 0;
}
