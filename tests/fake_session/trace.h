// SPDX-License-Identifier: Apache-2.0
// What the fake session recorded of ranges, marks and names, with names, domains, categories and
// schemas in place of their ids.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inject/core/payload_schema.h"
#include "inject/core/record.h"

namespace syncline::test {

struct TraceSchema {
  uint64_t id = 0;
  uint16_t kind = 0;
  uint64_t size = 0;
  std::string name;
  std::vector<SchemaEntry> entries;
  std::vector<std::string> entry_names;
};

struct TracePayload {
  bool raw = false;
  TraceSchema schema;
  std::string bytes;
};

struct TraceEvent {
  RecordKind kind = RecordKind::kPad;
  uint8_t flags = 0;
  uint32_t tid = 0;
  std::string name;
  bool has_name = false;
  std::string domain;
  uint64_t domain_number = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
  uint16_t lane = 0;
  uint16_t depth = 0;
  RangeAttributes attributes = {};
  std::string category;
  std::vector<TracePayload> payloads;
};

struct TraceNamed {  // threads and resources
  RecordKind kind;
  uint32_t id;
  uint64_t key;
  std::string domain;
  std::string text;
};

struct Trace {
  std::vector<TraceEvent> events;  // per thread in the order written
  std::vector<TraceNamed> named;
  int definitions = 0;  // names, domains, categories and schemas, each time they were defined
  std::vector<std::string> errors;  // what a reader of ranges could not accept

  std::vector<TraceEvent> Of(RecordKind kind) const;
  // The only event of the kind with that name; a failed lookup is an error and gives an empty
  // event.
  TraceEvent One(RecordKind kind, const std::string& name);
};

// Everything that was recorded since ResetSession.
Trace ReadTrace();

}  // namespace syncline::test
