// SPDX-License-Identifier: Apache-2.0
// Decodes the records of one spool file and hands them to a sink.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/spool/code_stacks.h"
#include "model/spool/record_sink.h"
#include "model/spool/spool_blocks.h"

namespace syncline {

// Reads one spool, as often as wanted. Everything in it is hostile: what is not valid is counted in
// damage() and left out. Memory does not depend on the file's length.
class SpoolReader : private NameSource {
 public:
  SpoolReader() = default;
  SpoolReader(const SpoolReader&) = delete;
  SpoolReader& operator=(const SpoolReader&) = delete;

  Status Open(const std::string& path);

  // Reads the file from the beginning. Not ok: a read error, or the sink stopped it; what came
  // before was handed over.
  Status Read(RecordSink* sink);

  // Whether the file's last bytes are its kEnd block: the process is gone and everything was
  // drained.
  bool EndsComplete();

  // What the last Read found damaged.
  const SpoolDamage& damage() const { return damage_; }

  // Bytes of stacks that are kept in memory while it reads.
  void SetStackRoom(uint64_t bytes) { stack_room_ = bytes; }
  // For tests: bytes of names that are kept in memory, and that may be read again beyond a few
  // times the file's.
  void SetNameLimit(uint64_t bytes, uint64_t reload = 4 * uint64_t{kMaxBlockBytes}) {
    pool_.limit = bytes;
    reload_ = reload;
  }

 private:
  static constexpr uint32_t kMaxTid = (1u << 22) - 1;

  struct Ring {
    Stream* stream = nullptr;
    bool since_block_start = false;  // `stream` already was current when the block began
  };

  static bool IsSource(uint32_t number) { return number != 0 && number < kMaxSources; }
  bool LoadName(const NamePlace& place, uint64_t stream, uint32_t id, std::string* text) override;

  void OnBlock(const SpoolBlock& block);
  void OnProcessBlock(const SpoolBlock& block);
  void OnGateBlock(const SpoolBlock& block);
  bool OnGate(const GateRecord& change);
  void OnRecords(const SpoolBlock& block);
  void OnGap();

  // One record of `bytes`, whole. False: not valid.
  bool OnRecord(Ring* ring, const RecordHead& head, const char* record, uint64_t bytes);
  bool OnStreamRecord(Ring* ring, const char* record);
  bool OnStreamEnd(Ring* ring, const char* record);
  void LeaveStream(Ring* ring);
  bool OnText(Ring* ring, const RecordHead& head, const char* record, uint64_t bytes);
  bool DefineDomain(Stream* stream, const TextRecord& head, std::string_view name);
  uint16_t MarksOf(const Stream& stream, const RangeRecord& range) const;
  void GiveRange(const RangeEvent& event);
  bool OnSchema(Stream* stream, const TextRecord& head, std::string_view text);
  bool OnPlainRange(Stream* stream, const char* record);
  bool OnRange(Stream* stream, const RecordHead& head, const char* record, uint64_t bytes);
  bool OnCall(Stream* stream, const char* record, uint64_t bytes);
  bool OnMemory(Stream* stream, const char* record, uint64_t bytes);
  bool OnGraphNode(Stream* stream, const char* record, uint64_t bytes);
  bool OnDeviceRecord(Stream* stream, const RecordHead& head, const char* record, uint64_t bytes);
  bool OnDevice(const TextRecord& head, std::string_view text);
  bool TakeArguments(Stream* stream, uint64_t begin);
  void OnEnded(Stream* stream, const RangeRecord& range);

  // spool_open.cc
  void OnOpenBlock(const SpoolBlock& block);
  void OnOpenCallBlock(const SpoolBlock& block);
  Stream* StreamOfOpen(uint64_t stream, uint32_t tid);
  void Strike(Stream* stream, const RangeRecord& ended);
  void StrikeCall(Stream* stream, const CallRecord& ended);
  void KeptOpen(Stream* stream, size_t more);
  void TellOpen(Stream* stream);
  void TellAllOpen();
  void TellOpenRanges(Stream* stream);
  void TellOpenCalls(Stream* stream);
  void EmitOpen(Stream* stream, const OpenRange& open, size_t depth);

  Stream* StreamById(uint64_t id, bool* made);
  void GiveUpOldest();

  SpoolBlockReader file_;
  RecordSink* sink_ = nullptr;
  SpoolDamage damage_;
  NamePool pool_;
  std::array<uint64_t, kMaxSources> last_lent_{};  // ticks of each source's last kLent
  uint64_t reload_ = 4 * uint64_t{kMaxBlockBytes};
  uint64_t reload_budget_ = 0;  // bytes that may still be read again for names
  uint64_t block_offset_ = 0;
  uint64_t blocks_seen_ = 0;
  uint32_t next_serial_ = 0;
  size_t open_kept_ = 0;  // ranges and calls, of all streams
  bool have_process_ = false;
  bool wants_names_ = false;
  bool has_marks_ = false;  // some domain of a stream has a DomainMark
  bool wants_stacks_ = false;
  bool wants_plain_ranges_ = true;
  std::vector<Ring> rings_;
  uint64_t stack_room_ = CodeStacks::kRoom;
  CodeStacks stacks_;  // before the streams, which point into it
  std::unordered_map<uint64_t, Stream> streams_;
  Payloads payloads_;  // of the record that is being handed over
};

}  // namespace syncline
