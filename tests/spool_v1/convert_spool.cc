// SPDX-License-Identifier: Apache-2.0
// Turns a spool of version 1 into the one of version 2 that the same program would have left, so
// that kept spools can be formatted by both versions: convert_spool IN OUT. Exit status 1 if IN is
// no spool of version 1.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string>
#include <vector>

#include "tests/spool_v1/call_names.h"
#include "tests/spool_v1/spool_v1.h"
#include "tests/spool_v1/spool_walk.h"

namespace syncline::spool_v1 {
namespace {

// In place: nothing changes its size or place.
template <typename Record, typename Change>
void Edit(char* at, uint64_t bytes, Change change) {
  if (bytes < sizeof(Record)) return;  // damaged: stays so
  auto record = Load<Record>(at);
  change(record);
  Store(record, at);
}

void ConvertRange(char* at) {
  const auto old = Load<RangeRecord>(at);
  Store(syncline::RangeRecord{old.head, old.begin, old.end, old.domain, 0, old.source, old.depth,
                              old.lane},
        at);
}

void ConvertOpenRange(char* at) {
  const auto old = Load<OpenRange>(at);
  syncline::OpenRange now = {old.begin,      old.name,  old.domain, old.flags, kNvtx,
                             old.attributes, old.level, 0,          {},        0};
  if (old.lost != 0) now.flags |= kNameLost;
  Store(now, at);
}

class Converter {
 public:
  explicit Converter(std::vector<char>* file)
      : file_(*file), blocks_(FindBlocks(*file)), names_(file, blocks_) {}

  const Blocks& blocks() const { return blocks_; }

  void Convert() {
    for (const Block& block : blocks_.whole) {
      if (block.head.version == kSpoolVersion) ConvertBlock(block);
    }
    // Damage stays the same damage: not that of a spool of another version.
    for (const size_t offset : blocks_.others) {
      Edit<BlockHead>(file_.data() + offset, sizeof(BlockHead), [](BlockHead& head) {
        if (head.version == kSpoolVersion) head.version = syncline::kSpoolVersion;
      });
    }
  }

 private:
  void ConvertBlock(const Block& block) {
    char* payload = file_.data() + block.PayloadOffset();
    if (!block.is_copy) ConvertPayload(block.head, payload);
    BlockHead head = block.head;
    head.version = syncline::kSpoolVersion;
    head.checksum = ChecksumOf(head, payload);
    Store(head, file_.data() + block.offset);
  }

  void ConvertPayload(const BlockHead& head, char* payload) {
    switch (static_cast<BlockType>(head.type)) {
      case BlockType::kProcess:
        return Edit<SpoolProcess>(payload, head.bytes, [](SpoolProcess& process) {
          if (process.layout_version == kLayoutVersion)
            process.layout_version = syncline::kLayoutVersion;
        });
      case BlockType::kRecords:
        return walk_.Block(head.ring, payload, head.bytes,
                           [this](uint64_t stream, char* record, uint64_t bytes) {
                             ConvertRecord(stream, record, bytes);
                           });
      case BlockType::kOpen:
        for (uint64_t at = sizeof(SpoolOpen); at + sizeof(OpenRange) <= head.bytes;
             at += sizeof(OpenRange)) {
          ConvertOpenRange(payload + at);
        }
        return;
      case BlockType::kOpenCall:
        if (head.bytes != sizeof(SpoolOpenCall)) return;
        return ConvertCall(Load<SpoolOpenCall>(payload).stream,
                           payload + offsetof(SpoolOpenCall, call));
      default:
        return;
    }
  }

  void ConvertRecord(uint64_t stream, char* at, uint64_t bytes) {
    switch (static_cast<RecordKind>(Load<RecordHead>(at).kind)) {
      case RecordKind::kRange:
      case RecordKind::kRangeStart:
      case RecordKind::kRangeEnd:
      case RecordKind::kMark:
        return ConvertRange(at);
      case RecordKind::kName:
        return Edit<TextRecord>(at, bytes, [&](TextRecord& name) {
          name.type = names_.NumberOf(stream, name.head.id);
        });
      case RecordKind::kDomain:
        return Edit<TextRecord>(at, bytes, [](TextRecord& domain) { domain.type = kNvtx; });
      case RecordKind::kCall:
        return ConvertCall(stream, at);
      default:
        return ConvertDeviceRecord(at, bytes);
    }
  }

  static void ConvertDeviceRecord(char* at, uint64_t bytes) {
    switch (static_cast<RecordKind>(Load<RecordHead>(at).kind)) {
      case RecordKind::kDeviceOp:
        return Edit<DeviceOpRecord>(at, bytes, [](DeviceOpRecord& op) { op.source = kCuda; });
      case RecordKind::kDeviceEvent:
        return Edit<DeviceEventRecord>(at, bytes,
                                       [](DeviceEventRecord& event) { event.source = kCuda; });
      case RecordKind::kDeviceClock:
        return Edit<DeviceClockRecord>(at, bytes, [](DeviceClockRecord& reading) {
          reading.head.flags = kCuda;
          reading.head.id = 0;  // the one clock of all devices
        });
      case RecordKind::kDevice:
        return Edit<TextRecord>(at, bytes, [](TextRecord& device) { device.type = kCuda; });
      case RecordKind::kGpuCoverage:
        return Edit<GpuCoverageRecord>(
            at, bytes, [](GpuCoverageRecord& coverage) { coverage.source = kCuda; });
      default:
        return;
    }
  }

  void ConvertCall(uint64_t stream, char* at) {
    const auto old = Load<CallRecord>(at);
    Store(syncline::CallRecord{old.head, old.begin, old.end, old.correlation, kCuda,
                               names_.RoleOf(stream, old.head.id), old.result},
          at);
  }

  std::vector<char>& file_;
  const Blocks blocks_;
  const CallNames names_;
  RecordWalk walk_;
};

// What is wrong with the spool, empty: it is of version 1.
std::string Refusal(const Blocks& blocks) {
  const auto& whole = blocks.whole;
  const auto is_old = [](const Block& block) { return block.head.version == kSpoolVersion; };
  if (std::any_of(whole.begin(), whole.end(), is_old)) return "";
  if (whole.empty()) return "not a spool of version 1: it has no whole block";
  return "a spool of version " + std::to_string(whole.front().head.version) +
         ", this converts version " + std::to_string(kSpoolVersion) + " to " +
         std::to_string(syncline::kSpoolVersion);
}

bool Read(const char* path, std::vector<char>* file) {
  std::FILE* in = std::fopen(path, "rb");
  if (in == nullptr) return false;
  char chunk[1 << 16];
  while (const size_t got = std::fread(chunk, 1, sizeof(chunk), in))
    file->insert(file->end(), chunk, chunk + got);
  const bool good = std::ferror(in) == 0;
  std::fclose(in);
  return good;
}

bool Write(const char* path, const std::vector<char>& file) {
  std::FILE* out = std::fopen(path, "wb");
  if (out == nullptr) return false;
  const bool good = std::fwrite(file.data(), 1, file.size(), out) == file.size();
  return std::fclose(out) == 0 && good;
}

int Fail(const char* path, const std::string& what) {
  std::fprintf(stderr, "convert_spool: %s: %s\n", path, what.c_str());
  return 1;
}

int Run(const char* in, const char* out) {
  std::vector<char> file;
  if (!Read(in, &file)) return Fail(in, std::string("cannot be read: ") + std::strerror(errno));
  Converter converter(&file);
  const std::string refusal = Refusal(converter.blocks());
  if (!refusal.empty()) return Fail(in, refusal);
  converter.Convert();
  if (!Write(out, file))
    return Fail(out, std::string("cannot be written: ") + std::strerror(errno));
  return 0;
}

}  // namespace
}  // namespace syncline::spool_v1

int main(int argc, char** argv) {
  if (argc == 3) return syncline::spool_v1::Run(argv[1], argv[2]);
  std::fprintf(stderr, "usage: convert_spool IN OUT\n");
  return 2;
}
