// SPDX-License-Identifier: Apache-2.0
// What the offline half knows of a source of records: words and rules, a row for each collector, in
// its folder (collectors/NAME/source_facts.cc). No code asks which source it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "inject/core/source.h"

namespace syncline {

struct WaitRules;

enum class NamedObject : uint8_t { kDevice, kContext, kQueue };

// A type of kResource records whose identifiers are the source's.
struct ResourceRow {
  uint32_t type;
  NamedObject object;
};

struct SourceFacts {
  Source source = 0;
  const char* name = "";  // one word; begins the names of trace categories
  // Devices.
  const char* interface = "";         // what brings records of devices
  const char* overhead = "overhead";  // of the row on which that interface's own time is shown
  std::span<const ResourceRow> named = {};
  // Handles up to this one name no object: they mean the default queue.
  uint64_t default_queue_handles = 0;
  // This handle names none either: it means a queue of each thread's own. 0: there is none such.
  uint64_t other_queue_handle = 0;
  const WaitRules* waits = nullptr;  // null: nothing of it waits for devices
  // CallRecord::role by the name that a trace has of a call; null: names do not tell.
  uint8_t (*role_of)(std::string_view name) = nullptr;
  // Ranges.
  const char* range_category = "user_annotation";  // of its ranges in a trace
  bool ranges_on_devices = false;  // its ranges are shown on the devices that work in them, too
};

// Generated from the folders of collectors/.
extern const SourceFacts* const kSourceFacts[];
extern const size_t kSourceFactsCount;

// A number that this build does not know has words that say so, and no rules.
const SourceFacts& FactsOfSource(Source source);

}  // namespace syncline
