// SPDX-License-Identifier: Apache-2.0
// Decodes ranges, marks and definitions as a reader of a spool would.
#include "tests/fake_session/trace.h"

#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "tests/fake_session/record_walk.h"

namespace syncline::test {
namespace {

struct Named {
  std::string text;
  uint64_t number = 0;
};

class ThreadReader {
 public:
  ThreadReader(Trace* out, uint32_t tid) : out_(out), tid_(tid) {}

  void Read(const ThreadRecords& thread) {
    if (!ForEachRecord(thread, [this](const RecordView& record) { ReadRecord(record); }))
      Error("a record of a bad size");
  }

 private:
  void Error(const std::string& what) { out_->errors.push_back(what); }

  void ReadRecord(const RecordView& view) {
    switch (view.kind()) {
      case RecordKind::kPad:
        break;
      case RecordKind::kName:
      case RecordKind::kDomain:
      case RecordKind::kCategory:
      case RecordKind::kSchema:
      case RecordKind::kPayload:
      case RecordKind::kThreadName:
      case RecordKind::kResource:
        ReadText(view);
        break;
      case RecordKind::kRange:
      case RecordKind::kRangeStart:
      case RecordKind::kRangeEnd:
      case RecordKind::kMark:
        ReadEvent(view);
        break;
      default:
        Error("a record of unknown kind " + std::to_string(view.head.kind));
    }
  }

  std::string DomainName(uint16_t id) {
    if (id == 0) return "";
    if (domains_.count(id) == 0) Error("a domain that was not defined");
    return domains_[id].text;
  }

  void ReadText(const RecordView& view) {
    const auto record = view.Load<TextRecord>();
    const std::string text(view.Text());
    if (text.size() != record.bytes) return Error("a text longer than its record");
    const RecordKind kind = view.kind();
    const uint32_t id = view.head.id;
    if (kind == RecordKind::kName) names_[id] = text;
    if (kind == RecordKind::kDomain) domains_[static_cast<uint16_t>(id)] = {text, record.key};
    if (kind == RecordKind::kCategory) categories_[{DomainName(record.domain), record.key}] = text;
    if (kind == RecordKind::kSchema) ReadSchema(id, record, text);
    if (kind == RecordKind::kPayload) ReadPayload(id, record, text);
    if (kind == RecordKind::kThreadName || kind == RecordKind::kResource) {
      out_->named.push_back({kind, id, record.key, DomainName(record.domain), text});
    } else if (kind != RecordKind::kPayload) {
      ++out_->definitions;
    }
  }

  void ReadSchema(uint32_t id, const TextRecord& record, const std::string& bytes) {
    SchemaHead head;
    if (bytes.size() < sizeof(head)) return Error("a schema without a head");
    std::memcpy(&head, bytes.data(), sizeof(head));
    size_t names = sizeof(head) + head.entries * sizeof(SchemaEntry);
    if (names + head.name_bytes > bytes.size()) return Error("a schema cut short");
    TraceSchema schema;
    schema.id = record.key;
    schema.kind = record.type;
    schema.size = head.size;
    schema.name = bytes.substr(names, head.name_bytes);
    names += head.name_bytes;
    for (uint32_t i = 0; i < head.entries; ++i) {
      SchemaEntry entry;
      std::memcpy(&entry, bytes.data() + sizeof(head) + i * sizeof(entry), sizeof(entry));
      if (names + entry.name_bytes > bytes.size()) return Error("an entry's name cut short");
      schema.entries.push_back(entry);
      schema.entry_names.push_back(bytes.substr(names, entry.name_bytes));
      names += entry.name_bytes;
      if (record.type != kEnumSchema && entry.type >= (1u << 24) && known_.count(entry.type) == 0 &&
          entry.type != record.key) {
        Error("a schema that names one not defined before it");
      }
    }
    if (names != bytes.size()) Error("a schema with bytes left over");
    known_.insert(record.key);
    schemas_[id] = schema;
  }

  void ReadPayload(uint32_t id, const TextRecord& record, const std::string& bytes) {
    TracePayload payload;
    payload.raw = record.type == kRawPayload;
    payload.bytes = bytes;
    if (!payload.raw) {
      if (schemas_.count(id) == 0) return Error("a payload whose schema was not defined");
      payload.schema = schemas_[id];
    }
    payloads_[record.key].push_back(payload);
  }

  void ReadEvent(const RecordView& view) {
    const auto record = view.Load<RangeRecord>();
    const RecordHead& head = view.head;
    TraceEvent event;
    event.kind = view.kind();
    event.flags = head.flags;
    event.tid = tid_;
    event.has_name = head.id != 0;
    if (event.has_name && names_.count(head.id) == 0) Error("a name that was not defined");
    if (event.has_name) event.name = names_[head.id];
    event.domain = DomainName(record.domain);
    if (record.domain != 0) event.domain_number = domains_[record.domain].number;
    event.begin = record.begin;
    event.end = record.end;
    event.lane = record.lane;
    event.depth = record.depth;
    const bool has_attributes = (head.flags & kHasAttributes) != 0;
    if (view.bytes != sizeof(record) + (has_attributes ? sizeof(RangeAttributes) : 0))
      return Error("an event of a bad size");
    if (has_attributes) {
      event.attributes = view.Load<RangeAttributes>(sizeof(record));
      event.category = categories_[{event.domain, event.attributes.category}];
    }
    if ((head.flags & kHasPayload) != 0) {
      event.payloads = payloads_[record.begin];
      if (event.payloads.empty()) Error("an event whose payload did not come before it");
    }
    out_->events.push_back(event);
  }

  Trace* out_;
  uint32_t tid_;
  std::map<uint32_t, std::string> names_;
  std::map<uint16_t, Named> domains_;
  std::map<std::pair<std::string, uint64_t>, std::string> categories_;
  std::map<uint32_t, TraceSchema> schemas_;
  std::set<uint64_t> known_;
  std::map<uint64_t, std::vector<TracePayload>> payloads_;
};

}  // namespace

std::vector<TraceEvent> Trace::Of(RecordKind kind) const {
  std::vector<TraceEvent> found;
  for (const TraceEvent& event : events) {
    if (event.kind == kind) found.push_back(event);
  }
  return found;
}

TraceEvent Trace::One(RecordKind kind, const std::string& name) {
  TraceEvent found;
  int count = 0;
  for (const TraceEvent& event : events) {
    if (event.kind != kind || event.name != name) continue;
    found = event;
    ++count;
  }
  if (count != 1) errors.push_back(std::to_string(count) + " events named " + name.substr(0, 60));
  return found;
}

Trace ReadTrace() {
  Trace trace;
  for (const ThreadRecords& thread : RecordsOfThreads())
    ThreadReader(&trace, thread.tid).Read(thread);
  return trace;
}

}  // namespace syncline::test
