// SPDX-License-Identifier: Apache-2.0
// One value of an event of a trace, and where it belongs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/trace_sink.h"

namespace syncline {

// A value of JSON that is neither an object nor an array.
struct TracedValue {
  enum class Type : uint8_t { kNull, kTrue, kFalse, kNumber, kText };
  Type type = Type::kNull;
  uint64_t whole = 0;  // of a number; 0 where it is none
  bool is_whole = false;
  double number = 0;
  std::string* text = nullptr;

  bool is_text() const { return type == Type::kText; }
  // Microseconds as nanoseconds; false: out of all bounds.
  bool Nanoseconds(uint64_t* ns) const;
};

// What stands in an event of the file, before it is known what it is.
struct RawEvent {
  char phase = 0;
  std::string category;
  uint64_t ts_ns = 0;
  uint64_t dur_ns = 0;
  bool has_time = false;
  bool has_parent = false;  // a process's life
  bool is_step = false;
  bool damaged = false;
  TracedEvent event;

  void Clear();
  void Take(std::string_view key, const TracedValue& value);
  void TakeArgument(std::string_view key, const TracedValue& value);
  // What it is; kOther: nothing that is wanted.
  TracedKind Settle(uint64_t base_ns);

 private:
  void SettleRow();
  bool SettleOp();
};

}  // namespace syncline
