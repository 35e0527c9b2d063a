// SPDX-License-Identifier: Apache-2.0
// Copies definitions from spool to spool.
#include "launcher/record/rest_spool.h"

#include <cstring>
#include <vector>

#include "inject/consumer/segment_drain.h"
#include "inject/core/clock.h"
#include "launcher/host/held_directory.h"
#include "model/spool/spool_blocks.h"

namespace syncline {
namespace {

bool Defines(RecordKind kind) {
  switch (kind) {
    case RecordKind::kStream:
    case RecordKind::kStreamEnd:
    case RecordKind::kName:
    case RecordKind::kDomain:
    case RecordKind::kCategory:
    case RecordKind::kSchema:
    case RecordKind::kThreadName:
    case RecordKind::kResource:
    case RecordKind::kDeviceClock:
    case RecordKind::kDevice:
    case RecordKind::kGpuCoverage:
    case RecordKind::kGate:
    case RecordKind::kCode:
    case RecordKind::kStack:
    case RecordKind::kModule:
    case RecordKind::kArguments:
    case RecordKind::kGraphNode:  // its graph may be launched from now on
      return true;
    default:
      return false;
  }
}

std::vector<char> Definitions(const SpoolBlock& block) {
  std::vector<char> kept;
  for (uint64_t at = 0; at + kSlotBytes <= block.head.bytes;) {
    RecordHead head;
    std::memcpy(&head, block.payload + at, sizeof(head));
    const uint64_t bytes = uint64_t{head.slots} * kSlotBytes;
    if (bytes == 0 || bytes > block.head.bytes - at) break;
    if (Defines(static_cast<RecordKind>(head.kind)))
      kept.insert(kept.end(), block.payload + at, block.payload + at + bytes);
    at += bytes;
  }
  return kept;
}

// The same process from now on: a start of its own names the recording.
SpoolProcess FromNowOn(const SpoolBlock& block) {
  SpoolProcess process;
  std::memcpy(&process, block.payload, sizeof(process));
  const uint64_t offset = process.consumer_start.monotonic_ns - process.start.monotonic_ns;
  const Anchor now = TakeAnchor(static_cast<ClockId>(process.clock));
  const uint64_t boot_offset = process.consumer_start.boottime_ns - process.start.boottime_ns;
  process.start = process.consumer_start = now;
  process.start.monotonic_ns -= offset;
  process.start.boottime_ns -= boot_offset;
  process.consumer = static_cast<uint32_t>(ConsumerKind::kProcess);
  return process;
}

bool CopyBlock(const SpoolBlock& block, SpoolFile* rest) {
  const auto type = static_cast<BlockType>(block.head.type);
  if (type == BlockType::kProcess && block.head.bytes == sizeof(SpoolProcess)) {
    const SpoolProcess process = FromNowOn(block);
    SpoolCounters none = {};
    none.loss_table = process.facts.loss_table;
    return rest->Append(type, 0, &process, sizeof(process)) &&
           rest->Append(BlockType::kCounters, 0, &none, sizeof(none));
  }
  if (type == BlockType::kGate || type == BlockType::kAnchor)
    return rest->Append(type, 0, block.payload, block.head.bytes);
  if (type != BlockType::kRecords) return true;
  const std::vector<char> kept = Definitions(block);
  return kept.empty() || rest->Append(type, block.head.ring, kept.data(), kept.size());
}

}  // namespace

bool WriteRest(const std::string& spool, SegmentHeader* segment, SpoolFile* rest) {
  SpoolBlockReader reader;
  if (!reader.Open(spool).ok()) return false;
  SpoolBlock block;
  while (reader.Next(&block)) {
    if (!CopyBlock(block, rest)) return false;
  }
  if (rest->bytes() == 0) return false;
  SetMark(segment, {rest->bytes(), 0, rest->sequence(), kNoRing});
  ConsumerNotes& notes = segment->consumer;
  for (uint32_t i = 0; i < kMaxLossKinds; ++i) {
    notes.told[i].store(segment->losses[i].load(std::memory_order_relaxed) +
                        segment->consumer_losses[i].load(std::memory_order_relaxed));
  }
  SetSpoolPath(segment, NameOfHeld(rest->path()).c_str());
  return true;
}

}  // namespace syncline
