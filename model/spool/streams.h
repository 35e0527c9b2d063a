// SPDX-License-Identifier: Apache-2.0
// What a reader knows about one stream while it decodes a spool: names, domains, schemas, payloads
// to come.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "inject/core/payload_schema.h"
#include "inject/core/record.h"
#include "inject/core/spool_format.h"
#include "model/spool/code_stacks.h"
#include "model/spool/name_table.h"

namespace syncline {

// A program's schema or enumeration, checked: entries and names are whole.
struct PayloadSchema {
  struct Entry {
    SchemaEntry raw;
    std::string name;
  };
  uint16_t kind = 0;  // SchemaKind
  uint16_t domain = 0;
  uint32_t flags = 0;
  uint64_t key = 0;
  uint64_t size = 0;
  std::string name;
  std::vector<Entry> entries;
};

// The bytes of one extended payload, waiting for their range or mark, or handed out with it.
struct ExtendedPayload {
  uint64_t begin = 0;
  uint32_t schema = 0;  // id in the stream, 0: none
  std::string bytes;
};
using Payloads = std::vector<ExtendedPayload>;

struct DomainEntry {
  bool defined = false;
  uint64_t key = 0;  // number of the domain in its process
  std::string name;
  uint16_t marks = 0;  // DomainMark
};

// One thread's stream. Made and changed by the SpoolReader only; sinks read it while they are
// called.
class Stream {
 public:
  Stream(uint64_t id, NamePool* pool, NameSource* source) : id_(id), names_(id, pool, source) {}

  uint64_t id() const { return id_; }
  uint32_t tid() const { return tid_; }
  bool main_thread() const { return main_thread_; }
  // Changes whenever ids may mean something else than before; unique within one SpoolReader. For
  // caches.
  uint32_t serial() const { return serial_; }
  // True after blocks were lost: ids defined before may have been taken over by another stream.
  bool uncertain() const { return uncertain_; }

  // Null: undefined or lost. Valid until the next call.
  const std::string_view* Name(uint32_t name) { return names_.Find(name); }
  // The vendor's number of the call that bears the name; 0: unknown.
  uint16_t CallNumber(uint32_t name) const;
  // Typed arguments of the call or operation that is being handed over; null: none.
  const Payloads* arguments() const { return arguments_; }
  // How many queries of one object the call that is being handed over stands for; 0: it is one.
  uint32_t queries() const { return queries_; }
  // The stack of the call or operator that is being handed over; null: none. Lives as long as the
  // reading. Only with kStacks.
  const CodeStack* stack() const { return stack_; }
  // It has a stack for which there was no room.
  bool stack_left_out() const { return stack_left_out_; }
  // Null: undefined or lost. Domain 0, the default, is always defined and has no name.
  const DomainEntry* Domain(uint16_t domain) const;
  // Of its domains, DomainMark.
  uint16_t marks() const { return marks_; }
  const PayloadSchema* Schema(uint32_t schema) const;
  // The schema that another of `domain` names by the program's own number.
  const PayloadSchema* SchemaByKey(uint16_t domain, uint64_t key) const;

 private:
  friend class SpoolReader;

  void NumberCall(uint32_t name, uint16_t number);
  bool DefineDomain(uint32_t domain, uint64_t key, std::string_view name, uint16_t marks);
  bool DefineSchema(uint32_t schema, PayloadSchema value);
  bool AddPayload(ExtendedPayload payload);
  // Of records whose definitions are lost too. False: damaged.
  bool DefineCode(const TextRecord& record, std::string_view bytes, CodeStacks* all);
  bool DefineModule(const TextRecord& record, std::string_view bytes, CodeStacks* all);
  bool DefineStack(const TextRecord& record, std::string_view bytes, CodeStacks* all);
  // A frame that is lost has no place. False: there was no room for what it is of.
  bool FindPlace(const StackFrame& frame, const CodeStacks& all, CodeStacks::Place* place) const;
  void UseStack(uint32_t stack);  // 0: none
  // Moves the payloads of the range or mark that began at `begin` to `out`.
  void TakePayloads(uint64_t begin, Payloads* out);

  uint64_t id_;
  uint32_t tid_ = 0;
  uint32_t serial_ = 0;
  bool main_thread_ = false;
  bool uncertain_ = false;
  bool ended_ = false;
  uint64_t last_begin_ = 0;  // of the last finished range
  uint32_t last_name_ = 0;
  uint16_t last_depth_ = 0;
  uint64_t last_seen_ = 0;  // for giving up the oldest
  // By depth. A process that drains itself lives on a little, so they may end yet.
  std::vector<OpenRange> open_;
  std::vector<SpoolOpenCall> open_calls_;  // one of each source at most
  uint64_t open_since_ = 0;                // the block that told of the first of them
  NameTable names_;
  std::unordered_map<uint32_t, uint16_t> call_numbers_;  // by name
  const Payloads* arguments_ = nullptr;
  uint32_t queries_ = 0;
  const CodeStack* stack_ = nullptr;
  bool stack_left_out_ = false;
  // Null: there was no room for it.
  std::unordered_map<uint32_t, const PythonCode*> codes_;
  std::unordered_map<uint32_t, const NativeModule*> modules_;
  std::unordered_map<uint32_t, const CodeStack*> stacks_;
  std::vector<DomainEntry> domains_;
  uint16_t marks_ = 0;
  std::unordered_map<uint32_t, PayloadSchema> schemas_;  // by id in the stream
  // By the program's number and domain.
  std::map<std::pair<uint64_t, uint16_t>, uint32_t> schema_ids_;
  std::unordered_map<uint64_t, uint32_t> schema_given_ids_;  // by the program's number alone
  uint64_t schema_bytes_ = 0;
  std::deque<ExtendedPayload> payloads_;
  uint64_t payload_bytes_ = 0;
};

// Reads a serialised schema (payload_schema.h). False: not valid.
bool ParseSchema(uint16_t kind, std::string_view bytes, PayloadSchema* out);

}  // namespace syncline
