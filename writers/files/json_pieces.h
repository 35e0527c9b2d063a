// SPDX-License-Identifier: Apache-2.0
// A large document of JSON, written field by field: the whole of it is never in memory.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "writers/files/byte_sink.h"
#include "writers/files/json_fields.h"

namespace syncline {

// An object, as JsonText writes it with one space per level. The sink gets a piece for each field.
class JsonPieces {
 public:
  explicit JsonPieces(ByteSink* sink) : sink_(sink) { Begin(); }

  void Field(std::string_view key, const Json& value);
  // Fields go into an object `key`, until Close().
  void Open(std::string_view key);
  void Close();
  // The first failure of the sink, if there was one: what came after it was not written.
  Status End();

 private:
  void Begin();
  // With all that stands before a field's value.
  std::string KeyText(std::string_view key);
  void Write(std::string_view piece);

  ByteSink* const sink_;
  size_t depth_ = 0;
  bool first_ = true;  // of its object
  Status status_;
};

}  // namespace syncline
