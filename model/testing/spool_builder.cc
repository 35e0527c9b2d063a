// SPDX-License-Identifier: Apache-2.0
// Serialises records and blocks; a small simulation of a program for long files.
#include "model/testing/spool_builder.h"

#include <cstdlib>
#include <cstring>

#include "inject/core/crc32c.h"

namespace syncline::testing {
namespace {

template <typename T>
void CopyField(T& field, std::string_view text) {
  std::memset(field, 0, sizeof(field));
  std::memcpy(field, text.data(), std::min(text.size(), sizeof(field) - 1));
}

}  // namespace

char* RecordBatch::Room(size_t bytes) {
  const size_t slots = (bytes + kSlotBytes - 1) / kSlotBytes;
  const size_t at = bytes_.size();
  bytes_.resize(at + slots * kSlotBytes);
  RecordHead head{0, 0, static_cast<uint16_t>(slots), 0};
  std::memcpy(bytes_.data() + at, &head, sizeof(head));
  return bytes_.data() + at;
}

RecordBatch& RecordBatch::Stream(uint64_t stream, uint32_t tid, bool main, uint32_t part,
                                 uint64_t ticks) {
  const StreamRecord record{
      {static_cast<uint8_t>(RecordKind::kStream), 0, 1, tid}, stream, ticks, part, main};
  std::memcpy(Room(sizeof(record)), &record, sizeof(record));
  return *this;
}

RecordBatch& RecordBatch::StreamEnd(uint64_t stream, uint32_t tid, uint64_t ticks) {
  const StreamRecord record{
      {static_cast<uint8_t>(RecordKind::kStreamEnd), 0, 1, tid}, stream, ticks, 0, 0};
  std::memcpy(Room(sizeof(record)), &record, sizeof(record));
  return *this;
}

RecordBatch& RecordBatch::Text(RecordKind kind, uint32_t id, uint64_t key, std::string_view text,
                               uint16_t domain, uint16_t type) {
  char* room = Room(sizeof(TextRecord) + text.size());
  TextRecord record{};
  std::memcpy(&record.head, room, sizeof(record.head));
  record.head.kind = static_cast<uint8_t>(kind);
  record.head.id = id;
  record.key = key;
  record.bytes = static_cast<uint32_t>(text.size());
  record.domain = domain;
  record.type = type;
  std::memcpy(room, &record, sizeof(record));
  std::memcpy(room + sizeof(record), text.data(), text.size());
  return *this;
}

RecordBatch& RecordBatch::Range(uint32_t name, uint64_t begin, uint64_t end, uint16_t domain,
                                uint8_t flags, const RangeAttributes* attributes) {
  return Raw(RecordKind::kRange, name, begin, end, domain, 0, flags, attributes);
}

RecordBatch& RecordBatch::Raw(RecordKind kind, uint32_t name, uint64_t begin, uint64_t id,
                              uint16_t domain, uint16_t lane, uint8_t flags,
                              const RangeAttributes* attributes, uint16_t depth) {
  char* room = Room(sizeof(RangeRecord) + (attributes != nullptr ? sizeof(RangeAttributes) : 0));
  RangeRecord record{};
  std::memcpy(&record.head, room, sizeof(record.head));
  record.head.kind = static_cast<uint8_t>(kind);
  record.head.flags = static_cast<uint8_t>(flags | (attributes != nullptr ? kHasAttributes : 0));
  record.head.id = name;
  record.begin = begin;
  record.end = id;
  record.domain = domain;
  record.lane = lane;
  record.depth = depth;
  record.source = kRangeSource;
  std::memcpy(room, &record, sizeof(record));
  if (attributes != nullptr) std::memcpy(room + sizeof(record), attributes, sizeof(*attributes));
  return *this;
}

// A record of which only kind, flags and slots are not as given.
void RecordBatch::Put(RecordKind kind, uint8_t flags, const void* record, size_t bytes) {
  char* room = Room(bytes);
  const auto slots = static_cast<uint16_t>(bytes / kSlotBytes);
  std::memcpy(room, record, bytes);
  RecordHead head;
  std::memcpy(&head, record, sizeof(head));
  head = {static_cast<uint8_t>(kind), flags, slots, head.id};
  std::memcpy(room, &head, sizeof(head));
}

RecordBatch& RecordBatch::Call(const CallRecord& given) {
  CallRecord call = given;
  if (call.source == 0) call.source = kSource;
  Put(RecordKind::kCall, call.head.flags, &call, sizeof(call));
  return *this;
}

RecordBatch& RecordBatch::CallWithStack(const CallRecord& given, uint32_t stack, uint32_t queries) {
  CallRecord call = given;
  if (call.source == 0) call.source = kSource;
  const CallStack tail = {stack, queries, {}};
  char both[sizeof(call) + sizeof(tail)];
  std::memcpy(both, &call, sizeof(call));
  std::memcpy(both + sizeof(call), &tail, sizeof(tail));
  Put(RecordKind::kCall, call.head.flags, both, sizeof(both));
  return *this;
}

RecordBatch& RecordBatch::Code(uint32_t id, uint32_t first_line, std::string_view file,
                               std::string_view function, std::string_view table, uint16_t python,
                               uint16_t flags) {
  const CodeFacts facts = {static_cast<uint32_t>(file.size()),
                           static_cast<uint32_t>(function.size()),
                           static_cast<uint32_t>(table.size()), python, flags};
  std::string bytes(reinterpret_cast<const char*>(&facts), sizeof(facts));
  bytes.append(file).append(function).append(table);
  return Text(RecordKind::kCode, id, first_line, bytes);
}

RecordBatch& RecordBatch::Module(uint32_t id, std::string_view build_id, std::string_view path) {
  return Text(RecordKind::kModule, id, 0, std::string(build_id).append(path), 0,
              static_cast<uint16_t>(build_id.size()));
}

RecordBatch& RecordBatch::Stack(uint32_t id, std::span<const StackFrame> frames, uint16_t flags,
                                uint64_t lent) {
  return Text(RecordKind::kStack, id, lent,
              {reinterpret_cast<const char*>(frames.data()), frames.size_bytes()}, 0, flags);
}

RecordBatch& RecordBatch::DeviceOp(const DeviceOpRecord& given, const KernelDetails* kernel) {
  DeviceOpRecord op = given;
  if (op.source == 0) op.source = kSource;
  char both[sizeof(op) + sizeof(*kernel)];
  std::memcpy(both, &op, sizeof(op));
  if (kernel != nullptr) std::memcpy(both + sizeof(op), kernel, sizeof(*kernel));
  const auto flags = static_cast<uint8_t>(op.head.flags | (kernel != nullptr ? kHasKernel : 0));
  Put(RecordKind::kDeviceOp, flags, both, kernel != nullptr ? sizeof(both) : sizeof(op));
  return *this;
}

RecordBatch& RecordBatch::DeviceEvent(const DeviceEventRecord& given) {
  DeviceEventRecord event = given;
  if (event.source == 0) event.source = kSource;
  Put(RecordKind::kDeviceEvent, event.head.flags, &event, sizeof(event));
  return *this;
}

RecordBatch& RecordBatch::GraphNode(uint64_t node, uint64_t original,
                                    std::span<const NodeRange> ranges, uint32_t stack) {
  GraphNodeRecord record{};
  record.head.id = stack;
  record.node = node;
  record.original = original;
  record.range_count = static_cast<uint16_t>(ranges.size());
  const size_t slots = (sizeof(record) + ranges.size_bytes() + kSlotBytes - 1) / kSlotBytes;
  std::vector<char> bytes(slots * kSlotBytes);
  std::memcpy(bytes.data(), &record, sizeof(record));
  if (!ranges.empty())
    std::memcpy(bytes.data() + sizeof(record), ranges.data(), ranges.size_bytes());
  Put(RecordKind::kGraphNode, kSource, bytes.data(), bytes.size());
  return *this;
}

RecordBatch& RecordBatch::Memory(const MemoryRecord& given) {
  MemoryRecord record = given;
  if (record.source == 0) record.source = kSource;
  Put(RecordKind::kMemory, record.head.flags, &record, sizeof(record));
  return *this;
}

RecordBatch& RecordBatch::Coverage(uint64_t ticks, GpuCoverage coverage, uint32_t why,
                                   Source source) {
  const GpuCoverageRecord record{{0, 0, 0, why}, ticks, coverage, source, {}};
  Put(RecordKind::kGpuCoverage, 0, &record, sizeof(record));
  return *this;
}

RecordBatch& RecordBatch::DeviceClock(uint64_t before, uint64_t device_ns, uint64_t after,
                                      Source source, uint32_t number) {
  const DeviceClockRecord record{{0, source, 0, number}, before, device_ns, after};
  Put(RecordKind::kDeviceClock, source, &record, sizeof(record));
  return *this;
}

RecordBatch& RecordBatch::Gate(GateEvent event, uint64_t ticks, uint32_t change, uint32_t tid,
                               uint8_t reasons, uint32_t step) {
  const GateRecord record = PlausibleGate(event, ticks, change, tid, reasons, step);
  Put(RecordKind::kGate, reasons, &record, sizeof(record));
  return *this;
}

RecordBatch& RecordBatch::Device(uint64_t device, const DeviceFacts& facts, std::string_view name,
                                 Source source) {
  std::string text(reinterpret_cast<const char*>(&facts), sizeof(facts));
  return Text(RecordKind::kDevice, 0, device, text.append(name), 0, source);
}

RecordBatch& RecordBatch::Pad(uint16_t slots) {
  Room(size_t{slots} * kSlotBytes)[0] = static_cast<char>(RecordKind::kPad);
  return *this;
}

std::string SerialiseSchema(std::string_view name, uint64_t size,
                            std::span<const SchemaField> fields) {
  SchemaHead head{};
  head.entries = static_cast<uint32_t>(fields.size());
  head.size = size;
  head.name_bytes = static_cast<uint32_t>(name.size());
  std::string bytes(reinterpret_cast<const char*>(&head), sizeof(head));
  std::string names(name);
  for (const SchemaField& field : fields) {
    const SchemaEntry entry{field.type, field.detail, field.offset, field.flags,
                            static_cast<uint32_t>(field.name.size())};
    bytes.append(reinterpret_cast<const char*>(&entry), sizeof(entry));
    names += field.name;
  }
  return bytes + names;
}

CallRecord PlausibleCall(CallRole role, uint32_t name, uint64_t begin, uint64_t end,
                         uint32_t correlation, uint16_t result, uint8_t flags) {
  return {{0, flags, 0, name},        begin, end, correlation, kSource,
          static_cast<uint8_t>(role), result};
}

DeviceOpRecord PlausibleOp(DeviceOpType type, uint32_t stream, uint32_t correlation, uint64_t begin,
                           uint64_t end) {
  DeviceOpRecord op{};
  op.type = type;
  op.begin = begin;
  op.end = end;
  op.correlation = correlation;
  op.context = 1;
  op.stream = stream;
  return op;
}

KernelDetails PlausibleKernel() {
  KernelDetails kernel{};
  kernel.grid[0] = 4;
  kernel.grid[1] = 2;
  kernel.grid[2] = 1;
  kernel.block[0] = 128;
  kernel.block[1] = kernel.block[2] = 1;
  kernel.static_shared = 1024;
  kernel.dynamic_shared = 512;
  kernel.registers = 40;
  return kernel;
}

DeviceFacts PlausibleDevice() {
  DeviceFacts facts{};
  facts.memory = uint64_t{80} << 30;
  facts.major = 9;
  facts.multiprocessors = 132;
  facts.warp = 32;
  facts.threads_per_block = 1024;
  facts.threads_per_multiprocessor = 2048;
  return facts;
}

GateRecord PlausibleGate(GateEvent event, uint64_t ticks, uint32_t change, uint32_t tid,
                         uint8_t reasons, uint32_t step) {
  return {
      {static_cast<uint8_t>(RecordKind::kGate), reasons, 1, tid}, ticks, change, step, event, {}};
}

Anchor PlausibleAnchor(uint64_t ticks) {
  return {ticks, 20, ticks, ticks, kStartRealtime + (ticks - kStartTicks), ticks};
}

SpoolProcess PlausibleProcess(int32_t pid, int32_t rank, int32_t world_size) {
  SpoolProcess process{};
  process.segment_bytes = 256 << 20;
  process.layout_version = kLayoutVersion;
  process.clock = static_cast<uint32_t>(ClockId::kMonotonic);
  CopyField(process.build, "test");
  process.outer_pid = pid;
  process.start = PlausibleAnchor(kStartTicks);
  process.consumer_start = PlausibleAnchor(kStartTicks + 50000);
  ProcessFacts& facts = process.facts;
  facts.pid = pid;
  facts.ppid = 1000;
  facts.uid = 1000;
  facts.start_time = (kStartTicks - 30000000) / 10000000;  // born 30 ms before its first record
  facts.rank = {
      rank, world_size, rank, world_size, 0, static_cast<uint32_t>(LauncherKind::kOpenMpi),
      -1,   -1,         0,    0};
  CopyField(facts.host, "node1");
  CopyField(facts.executable, "/usr/bin/python3.11");
  CopyField(facts.comm, "python3");
  using namespace std::string_view_literals;
  constexpr std::string_view kCommand = "python3\0/home/user/train.py\0--epochs=3"sv;
  facts.command_line_bytes = static_cast<uint32_t>(kCommand.size());
  std::memcpy(facts.command_line, kCommand.data(), kCommand.size());
  return process;
}

SpoolBuilder& SpoolBuilder::Block(BlockType type, uint32_t ring, const void* payload,
                                  size_t bytes) {
  BlockHead head{kBlockMagic,
                 static_cast<uint16_t>(type),
                 kSpoolVersion,
                 static_cast<uint32_t>(bytes),
                 0,
                 ring,
                 sequence_++};
  head.checksum = Crc32c(Crc32c(0, &head, sizeof(head)), payload, bytes);
  bytes_.append(reinterpret_cast<const char*>(&head), sizeof(head));
  bytes_.append(static_cast<const char*>(payload), bytes);
  bytes_.resize((bytes_.size() + 7) & ~size_t{7});
  return *this;
}

SpoolBuilder& SpoolBuilder::Open(uint32_t ring, uint64_t stream, uint32_t tid,
                                 std::span<const OpenRange> ranges) {
  const SpoolOpen head{stream, tid, static_cast<uint32_t>(ranges.size())};
  std::string payload(reinterpret_cast<const char*>(&head), sizeof(head));
  for (OpenRange range : ranges) {
    if (range.source == 0) range.source = kRangeSource;
    payload.append(reinterpret_cast<const char*>(&range), sizeof(range));
  }
  return Block(BlockType::kOpen, ring, payload.data(), payload.size());
}

SpoolBuilder& SpoolBuilder::OpenCall(uint32_t ring, uint64_t stream, uint32_t tid,
                                     const CallRecord& call, uint32_t stack) {
  const SpoolOpenCall open{stream, tid, stack, call};
  return Block(BlockType::kOpenCall, ring, &open, sizeof(open));
}

SpoolBuilder& SpoolBuilder::End(uint64_t ticks, bool status_known, int32_t wait_status) {
  const SpoolEnd end{ticks, status_known, wait_status};
  return Block(BlockType::kEnd, 0, &end, sizeof(end));
}

const std::string& SpoolBuilder::Save(const std::string& path) const {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr || std::fwrite(bytes_.data(), 1, bytes_.size(), file) != bytes_.size() ||
      std::fclose(file) != 0) {
    std::perror(path.c_str());
    std::abort();
  }
  return path;
}

void SpoolBuilder::Drain(std::FILE* file) {
  if (std::fwrite(bytes_.data(), 1, bytes_.size(), file) != bytes_.size()) {
    std::perror("spool");
    std::abort();
  }
  bytes_.clear();
}

}  // namespace syncline::testing
