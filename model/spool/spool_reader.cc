// SPDX-License-Identifier: Apache-2.0
// Blocks to records, records to the sink; checks each length and id before it is used.
#include "model/spool/spool_reader.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>
#include <utility>

#include "inject/core/domain_marks.h"

namespace syncline {
namespace {

constexpr size_t kMaxStreams = 2 * kMaxRings;
constexpr uint32_t kMaxDevice = 255;  // its number is a row, below those of processes

template <typename T>
T Load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

// The text of a TextRecord, or false if it does not fit into its record.
bool TextOf(const char* record, uint64_t bytes, std::string_view* text) {
  const auto head = Load<TextRecord>(record);
  if (head.bytes > bytes - sizeof(TextRecord)) return false;
  *text = std::string_view(record + sizeof(TextRecord), head.bytes);
  return true;
}

}  // namespace

Status SpoolReader::Open(const std::string& path) { return file_.Open(path); }

bool SpoolReader::EndsComplete() {
  constexpr uint64_t kEndBytes = sizeof(BlockHead) + sizeof(SpoolEnd);
  BlockHead head;
  std::vector<char> payload;
  return file_.bytes() >= kEndBytes &&
         file_.ReadAgain(file_.bytes() - kEndBytes, &head, &payload) &&
         head.type == static_cast<uint16_t>(BlockType::kEnd) && payload.size() == sizeof(SpoolEnd);
}

Status SpoolReader::Read(RecordSink* sink) {
  file_.Rewind();
  sink_ = sink;
  damage_ = SpoolDamage();
  rings_.clear();
  streams_.clear();
  next_serial_ = 0;
  open_kept_ = 0;
  have_process_ = false;
  wants_names_ = (sink->Interests() & kRangeNames) != 0;
  wants_stacks_ = (sink->Interests() & kStacks) != 0;
  wants_plain_ranges_ = (sink->Interests() & kNoPlainRanges) == 0;
  stacks_ = CodeStacks(stack_room_);
  reload_budget_ = 4 * file_.bytes() + reload_;
  SpoolBlock block;
  bool stopped = false;
  while (!stopped && file_.Next(&block)) {
    OnBlock(block);
    stopped = !sink_->OnBlockDone(file_.position(), file_.bytes());
  }
  if (!stopped) TellAllOpen();
  const SpoolDamage of_records = damage_;
  damage_ = file_.damage();
  damage_.records_damaged = of_records.records_damaged;
  damage_.names_left_out = of_records.names_left_out;
  rings_ = {};  // thousands of readers may be kept
  streams_.clear();
  stacks_ = CodeStacks(0);
  if (stopped) return Status::Error("stopped");
  return file_.read_error();
}

void SpoolReader::OnBlock(const SpoolBlock& block) {
  if (block.after_gap) OnGap();
  block_offset_ = block.file_offset;
  ++blocks_seen_;
  const uint32_t bytes = block.head.bytes;
  switch (static_cast<BlockType>(block.head.type)) {
    case BlockType::kProcess:
      return OnProcessBlock(block);
    case BlockType::kRecords:
      return OnRecords(block);
    case BlockType::kAnchor:
      damage_.records_damaged += bytes % sizeof(Anchor) != 0;
      return sink_->OnAnchors(
          {reinterpret_cast<const Anchor*>(block.payload), bytes / sizeof(Anchor)});
    case BlockType::kOpen:
      return OnOpenBlock(block);
    case BlockType::kOpenCall:
      return OnOpenCallBlock(block);
    case BlockType::kCounters:
      if (bytes == sizeof(SpoolCounters))
        return sink_->OnCounters(Load<SpoolCounters>(block.payload));
      break;
    case BlockType::kGate:
      return OnGateBlock(block);
    case BlockType::kLog:
      return sink_->OnLog({block.payload, bytes});
    case BlockType::kEnd:
      if (bytes == sizeof(SpoolEnd)) return sink_->OnEnd(Load<SpoolEnd>(block.payload));
      break;
  }
  ++damage_.records_damaged;
}

void SpoolReader::OnProcessBlock(const SpoolBlock& block) {
  if (block.head.bytes != sizeof(SpoolProcess) || have_process_) {
    ++damage_.records_damaged;
    return;
  }
  have_process_ = true;
  sink_->OnProcess(Load<SpoolProcess>(block.payload));
}

// Blocks of unknown rings were lost: each ring may have passed to another stream, or an id may
// never have been seen.
void SpoolReader::OnGap() {
  for (auto& [id, stream] : streams_) {
    stream.uncertain_ = true;
    stream.serial_ = ++next_serial_;
  }
}

void SpoolReader::OnRecords(const SpoolBlock& block) {
  if (block.head.ring >= kMaxRings) {
    ++damage_.records_damaged;
    return;
  }
  if (block.head.ring >= rings_.size()) rings_.resize(block.head.ring + 1);
  Ring& ring = rings_[block.head.ring];
  ring.since_block_start = true;
  if (ring.stream != nullptr) ring.stream->last_seen_ = blocks_seen_;
  const char* at = block.payload;
  uint64_t left = block.head.bytes;
  while (left >= kSlotBytes) {
    const auto head = Load<RecordHead>(at);
    const uint64_t bytes = uint64_t{head.slots} * kSlotBytes;
    if (bytes == 0 || bytes > left) break;
    if (!OnRecord(&ring, head, at, bytes)) ++damage_.records_damaged;
    at += bytes;
    left -= bytes;
  }
  damage_.records_damaged +=
      left != 0;  // what follows a record of wrong length cannot be told apart
}

bool SpoolReader::OnRecord(Ring* ring, const RecordHead& head, const char* record, uint64_t bytes) {
  switch (static_cast<RecordKind>(head.kind)) {
    case RecordKind::kPad:
      return true;
    case RecordKind::kStream:
      return OnStreamRecord(ring, record);
    case RecordKind::kStreamEnd:
      return OnStreamEnd(ring, record);
    case RecordKind::kName:
    case RecordKind::kDomain:
    case RecordKind::kCategory:
    case RecordKind::kSchema:
    case RecordKind::kPayload:
    case RecordKind::kThreadName:
    case RecordKind::kResource:
    case RecordKind::kDevice:
    case RecordKind::kCode:
    case RecordKind::kStack:
    case RecordKind::kModule:
    case RecordKind::kArguments:
      return ring->stream != nullptr && OnText(ring, head, record, bytes);
    case RecordKind::kRange:
      if ((head.flags & (kHasAttributes | kHasPayload)) == 0)
        return ring->stream != nullptr &&
               (!wants_plain_ranges_ || OnPlainRange(ring->stream, record));
      [[fallthrough]];
    case RecordKind::kRangeStart:
    case RecordKind::kRangeEnd:
    case RecordKind::kMark:
      return ring->stream != nullptr && OnRange(ring->stream, head, record, bytes);
    case RecordKind::kGate:
      return OnGate(Load<GateRecord>(record));
    case RecordKind::kCall:
    case RecordKind::kDeviceOp:
    case RecordKind::kDeviceClock:
    case RecordKind::kDeviceEvent:
    case RecordKind::kGpuCoverage:
    case RecordKind::kGraphNode:
    case RecordKind::kMemory:
      return ring->stream != nullptr && OnDeviceRecord(ring->stream, head, record, bytes);
  }
  return false;
}

Stream* SpoolReader::StreamById(uint64_t id, bool* made) {
  auto found = streams_.find(id);
  *made = found == streams_.end();
  if (!*made) return &found->second;
  if (streams_.size() >= kMaxStreams) GiveUpOldest();
  Stream& stream =
      streams_.try_emplace(id, id, &pool_, static_cast<NameSource*>(this)).first->second;
  stream.serial_ = ++next_serial_;
  return &stream;
}

// Only a hostile file, or one that lost many kStreamEnd records, has so many streams at once. Half
// of them go, so that the search costs little per stream.
void SpoolReader::GiveUpOldest() {
  std::vector<std::pair<uint64_t, uint64_t>> ages;
  for (const auto& [id, stream] : streams_) ages.emplace_back(stream.last_seen_, id);
  const auto middle = ages.begin() + static_cast<std::ptrdiff_t>(ages.size() / 2);
  std::nth_element(ages.begin(), middle, ages.end());
  std::unordered_set<const Stream*> gone;
  for (auto age = ages.begin(); age != middle; ++age) gone.insert(&streams_.at(age->second));
  for (Ring& ring : rings_) {
    if (gone.contains(ring.stream)) ring.stream = nullptr;
  }
  for (auto age = ages.begin(); age != middle; ++age) {
    TellOpen(&streams_.at(age->second));
    streams_.erase(age->second);
  }
  damage_.records_damaged += gone.size();
}

bool SpoolReader::OnStreamRecord(Ring* ring, const char* record) {
  const auto value = Load<StreamRecord>(record);
  LeaveStream(ring);
  ring->since_block_start = false;
  if (value.stream == 0 || value.head.id == 0 || value.head.id > kMaxTid) return false;
  bool made;
  Stream* stream = StreamById(value.stream, &made);
  if (made && value.part != 0) stream->uncertain_ = true;  // its beginning is lost
  stream->tid_ = value.head.id;
  stream->main_thread_ = value.is_main_thread != 0;
  stream->last_seen_ = blocks_seen_;
  ring->stream = stream;
  sink_->OnStream(*stream, value);
  return made || value.part != 0;
}

bool SpoolReader::OnStreamEnd(Ring* ring, const char* record) {
  const auto value = Load<StreamRecord>(record);
  Stream* stream = ring->stream;
  if (stream == nullptr || stream->id_ != value.stream) {
    ring->stream = nullptr;
    return false;
  }
  stream->ended_ = true;
  LeaveStream(ring);
  return true;
}

// A stream that ended is forgotten when no ring stands in it any more: a thread that moved into a
// larger ring may have ended there before the rest of its smaller one was drained.
void SpoolReader::LeaveStream(Ring* ring) {
  Stream* stream = ring->stream;
  ring->stream = nullptr;
  if (stream == nullptr || !stream->ended_) return;
  const bool elsewhere = std::any_of(
      rings_.begin(), rings_.end(), [stream](const Ring& other) { return other.stream == stream; });
  if (elsewhere) return;
  TellOpen(stream);
  streams_.erase(stream->id_);
}

bool SpoolReader::OnText(Ring* ring, const RecordHead& head, const char* record, uint64_t bytes) {
  std::string_view text;
  if (!TextOf(record, bytes, &text)) return false;
  Stream* stream = ring->stream;
  const auto value = Load<TextRecord>(record);
  switch (static_cast<RecordKind>(head.kind)) {
    case RecordKind::kName:
      if (value.type != 0) stream->NumberCall(head.id, value.type);
      if (value.type == 0 && wants_names_) sink_->OnName(text);
      return stream->names_.Define(head.id, text, block_offset_, ring->since_block_start);
    case RecordKind::kArguments:
      return stream->names_.Define(head.id, text, block_offset_, ring->since_block_start);
    case RecordKind::kDomain:
      return IsSource(value.type) && DefineDomain(stream, value, text);
    case RecordKind::kCategory: {
      const DomainEntry* domain = stream->Domain(static_cast<uint16_t>(head.id));
      if (domain == nullptr || head.id > UINT16_MAX || value.key > UINT32_MAX) return false;
      sink_->OnCategory(domain->key, static_cast<uint32_t>(value.key), text);
      return true;
    }
    case RecordKind::kSchema:
      return OnSchema(stream, value, text);
    case RecordKind::kPayload: {
      const uint32_t schema = value.type == kSchemaPayload ? head.id : 0;
      return stream->AddPayload({value.key, schema, std::string(text)});
    }
    case RecordKind::kThreadName:
      if (head.id == 0 || head.id > kMaxTid) return false;
      sink_->OnThreadName(head.id, text);
      return true;
    case RecordKind::kDevice:
      return OnDevice(value, text);
    case RecordKind::kCode:
      return !wants_stacks_ || stream->DefineCode(value, text, &stacks_);
    case RecordKind::kModule:
      return !wants_stacks_ || stream->DefineModule(value, text, &stacks_);
    case RecordKind::kStack:
      return !wants_stacks_ || stream->DefineStack(value, text, &stacks_);
    default:
      sink_->OnResource(head.id, value.key, text);
      return true;
  }
}

bool SpoolReader::DefineDomain(Stream* stream, const TextRecord& head, std::string_view name) {
  has_marks_ = has_marks_ || head.domain != 0;
  return stream->DefineDomain(head.head.id, head.key, name, head.domain);
}

// DomainMark of the range's domain.
uint16_t SpoolReader::MarksOf(const Stream& stream, const RangeRecord& range) const {
  if (__builtin_expect(!has_marks_, 1)) return 0;
  const DomainEntry* const domain = stream.Domain(range.domain);
  return domain == nullptr ? uint16_t{0} : domain->marks;
}

void SpoolReader::GiveRange(const RangeEvent& event) {
  const uint16_t marks = MarksOf(event.stream, event.record);
  if ((marks & kDomainOfOperators) != 0) {
    const bool has_stack =
        wants_stacks_ && event.attributes != nullptr && (marks & kOperatorsHaveLines) != 0;
    if (has_stack) event.stream.UseStack(event.attributes->stack);
    sink_->OnOperator(event);
    if (has_stack) event.stream.UseStack(0);
  } else if ((marks & kDomainOfModules) != 0) {
    sink_->OnModule(event);
  } else {
    sink_->OnRange(event);
  }
}

bool SpoolReader::OnSchema(Stream* stream, const TextRecord& head, std::string_view text) {
  PayloadSchema schema;
  if (!ParseSchema(head.type, text, &schema)) return false;
  schema.key = head.key;
  schema.domain = head.domain;
  return stream->DefineSchema(head.head.id, std::move(schema));
}

bool SpoolReader::OnGate(const GateRecord& change) {
  if (change.event < GateEvent::kOpened || change.event > GateEvent::kBareStepBegins) return false;
  sink_->OnGate(change);
  return true;
}

void SpoolReader::OnGateBlock(const SpoolBlock& block) {
  SpoolGate gate{};
  bool whole = block.head.bytes == sizeof(gate);
  if (whole) {
    std::memcpy(&gate, block.payload, sizeof(gate));
    sink_->OnGated(gate);
    whole = gate.change.head.kind == 0 || OnGate(gate.change);
  }
  if (!whole) ++damage_.records_damaged;
}

void SpoolReader::OnEnded(Stream* stream, const RangeRecord& range) {
  stream->last_begin_ = range.begin;
  stream->last_name_ = range.head.id;
  stream->last_depth_ = range.depth;
  if (__builtin_expect(!stream->open_.empty(), 0)) Strike(stream, range);
}

// Most records of a program that only annotates.
bool SpoolReader::OnPlainRange(Stream* stream, const char* record) {
  const auto value = Load<RangeRecord>(record);
  if (value.end < value.begin || !IsSource(value.source)) return false;
  OnEnded(stream, value);
  GiveRange({*stream, value, nullptr, nullptr});
  return true;
}

bool SpoolReader::OnRange(Stream* stream, const RecordHead& head, const char* record,
                          uint64_t bytes) {
  const auto value = Load<RangeRecord>(record);
  if (!IsSource(value.source)) return false;
  const auto kind = static_cast<RecordKind>(head.kind);
  RangeAttributes attributes;
  const bool has_attributes = (head.flags & kHasAttributes) != 0;
  if (has_attributes) {
    if (bytes < sizeof(RangeRecord) + sizeof(RangeAttributes)) return false;
    attributes = Load<RangeAttributes>(record + sizeof(RangeRecord));
  }
  bool whole = true;
  const bool has_payload = (head.flags & kHasPayload) != 0;
  if (has_payload) {
    stream->TakePayloads(value.begin, &payloads_);
    whole = !payloads_.empty();
  }
  const RangeEvent event{*stream, value, has_attributes ? &attributes : nullptr,
                         has_payload ? &payloads_ : nullptr};
  switch (kind) {
    case RecordKind::kRange:
      if (value.end < value.begin) return false;
      OnEnded(stream, value);
      GiveRange(event);
      return whole;
    case RecordKind::kRangeStart:
      sink_->OnRangeStart(event);
      return whole;
    case RecordKind::kRangeEnd:
      sink_->OnRangeEnd(event);
      return whole;
    default:
      sink_->OnMark(event);
      return whole;
  }
}

bool SpoolReader::OnDevice(const TextRecord& head, std::string_view text) {
  if (text.size() < sizeof(DeviceFacts) || head.key > kMaxDevice || !IsSource(head.type))
    return false;
  sink_->OnDevice(static_cast<Source>(head.type), head.key, Load<DeviceFacts>(text.data()),
                  text.substr(sizeof(DeviceFacts)));
  return true;
}

bool SpoolReader::OnCall(Stream* stream, const char* record, uint64_t bytes) {
  const auto call = Load<CallRecord>(record);
  if (call.end < call.begin || !IsSource(call.source)) return false;
  if (__builtin_expect(!stream->open_calls_.empty(), 0)) StrikeCall(stream, call);
  const bool has_arguments = (call.role & kCallHasPayload) != 0;
  const bool whole = !has_arguments || TakeArguments(stream, call.begin);
  const bool has_tail = bytes >= sizeof(CallRecord) + sizeof(CallStack);
  if (has_tail) {
    const auto tail = Load<CallStack>(record + sizeof(CallRecord));
    stream->queries_ = tail.queries;
    if (wants_stacks_) stream->UseStack(tail.stack);
  }
  sink_->OnCall(*stream, call);
  if (__builtin_expect(has_arguments, 0)) stream->arguments_ = nullptr;
  if (has_tail) {
    stream->queries_ = 0;
    stream->UseStack(0);
  }
  return whole;
}

bool SpoolReader::OnGraphNode(Stream* stream, const char* record, uint64_t bytes) {
  const auto node = Load<GraphNodeRecord>(record);
  if (!IsSource(node.head.flags) || node.node == 0 || node.range_count > kMostNodeRanges ||
      node.range_count * sizeof(NodeRange) > bytes - sizeof(node))
    return false;
  NodeRange ranges[kMostNodeRanges];
  std::memcpy(ranges, record + sizeof(node), node.range_count * sizeof(NodeRange));
  for (uint32_t i = 0; i < node.range_count; ++i) {
    if (!IsSource(ranges[i].source)) return false;
  }
  if (wants_stacks_) stream->UseStack(node.head.id);
  sink_->OnGraphNode(*stream, node, {ranges, node.range_count});
  stream->UseStack(0);
  return true;
}

bool SpoolReader::OnMemory(Stream* stream, const char* record, uint64_t bytes) {
  if (bytes < sizeof(MemoryRecord)) return false;
  const auto memory = Load<MemoryRecord>(record);
  if (!IsSource(memory.source) || memory.device > kMaxDevice) return false;
  if (wants_stacks_) stream->UseStack(memory.head.id);
  sink_->OnMemory(*stream, memory);
  stream->UseStack(0);
  return true;
}

bool SpoolReader::OnDeviceRecord(Stream* stream, const RecordHead& head, const char* record,
                                 uint64_t bytes) {
  switch (static_cast<RecordKind>(head.kind)) {
    case RecordKind::kCall:
      return OnCall(stream, record, bytes);
    case RecordKind::kDeviceClock: {
      const auto reading = Load<DeviceClockRecord>(record);
      if (reading.after < reading.before || !IsSource(head.flags)) return false;
      if (head.id > kMaxDevice + 1) return false;
      sink_->OnDeviceClock(*stream, reading);
      return true;
    }
    case RecordKind::kGraphNode:
      return OnGraphNode(stream, record, bytes);
    case RecordKind::kMemory:
      return OnMemory(stream, record, bytes);
    case RecordKind::kGpuCoverage: {
      const auto value = Load<GpuCoverageRecord>(record);
      if (value.coverage < GpuCoverage::kAll || value.coverage > GpuCoverage::kNothing ||
          !IsSource(value.source)) {
        return false;
      }
      uint64_t& lent = last_lent_[value.source];
      if (value.coverage == GpuCoverage::kLent) lent = std::max(lent, value.ticks);
      sink_->OnGpuCoverage(*stream, value);
      return true;
    }
    case RecordKind::kDeviceEvent: {
      if (bytes < sizeof(DeviceEventRecord)) return false;
      const auto note = Load<DeviceEventRecord>(record);
      if (note.end < note.begin || note.device > kMaxDevice || !IsSource(note.source)) return false;
      sink_->OnDeviceEvent(*stream, note);
      return true;
    }
    default:
      break;
  }
  if (bytes < sizeof(DeviceOpRecord)) return false;
  const auto op = Load<DeviceOpRecord>(record);
  if (op.end < op.begin || op.device > kMaxDevice || !IsSource(op.source)) return false;
  const bool has_kernel = (head.flags & kHasKernel) != 0;
  if (has_kernel && bytes < sizeof(DeviceOpRecord) + sizeof(KernelDetails)) return false;
  KernelDetails kernel;
  if (has_kernel) kernel = Load<KernelDetails>(record + sizeof(DeviceOpRecord));
  const bool has_arguments = (head.flags & kOpHasArguments) != 0;
  const bool whole = !has_arguments || TakeArguments(stream, op.begin);
  sink_->OnDeviceOp(*stream, op, has_kernel ? &kernel : nullptr);
  if (__builtin_expect(has_arguments, 0)) stream->arguments_ = nullptr;
  return whole;
}

// For the record that is handed over next. False: they did not come.
bool SpoolReader::TakeArguments(Stream* stream, uint64_t begin) {
  stream->TakePayloads(begin, &payloads_);
  if (!payloads_.empty()) stream->arguments_ = &payloads_;
  return !payloads_.empty();
}

bool SpoolReader::LoadName(const NamePlace& place, uint64_t stream, uint32_t id,
                           std::string* text) {
  BlockHead head;
  std::vector<char> payload;
  damage_.names_left_out += reload_budget_ == 0;
  if (reload_budget_ == 0 || !file_.ReadAgain(place.block_offset, &head, &payload)) return false;
  reload_budget_ -= std::min<uint64_t>(reload_budget_, payload.size() + 1);
  bool current = place.from_start;
  const char* at = payload.data();
  uint64_t left = payload.size();
  while (left >= kSlotBytes) {
    const auto record = Load<RecordHead>(at);
    const uint64_t bytes = uint64_t{record.slots} * kSlotBytes;
    if (bytes == 0 || bytes > left) return false;
    const auto kind = static_cast<RecordKind>(record.kind);
    if (kind == RecordKind::kStream) current = Load<StreamRecord>(at).stream == stream;
    std::string_view found;
    const bool defines = kind == RecordKind::kName || kind == RecordKind::kArguments;
    if (current && defines && record.id == id) {
      if (!TextOf(at, bytes, &found)) return false;
      text->assign(found);
      return true;
    }
    at += bytes;
    left -= bytes;
  }
  return false;
}

}  // namespace syncline
