// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of an extended payload as its schema says, value by value.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/spool/streams.h"

namespace syncline {

// Is called for each value in the schema's order. Texts live until the call returns; they are the
// program's own bytes.
class PayloadVisitor {
 public:
  virtual ~PayloadVisitor() = default;
  virtual void BeginObject() {}
  virtual void Key(std::string_view) {}  // before each member of an object
  virtual void EndObject() {}
  virtual void BeginArray() {}
  virtual void EndArray() {}
  virtual void Unsigned(uint64_t) {}
  virtual void Signed(int64_t) {}
  virtual void Float(float) {}
  virtual void Double(double) {}
  virtual void Address(uint64_t) {}
  virtual void Color(uint32_t) {}         // ARGB
  virtual void Text(std::string_view) {}  // also the name of an enumeration's value
  virtual void Bytes(std::string_view) {}
};

enum class PayloadShape {
  kNoSchema,  // nothing was visited: the bytes are all that is known
  kWhole,     // all was visited
  kBad        // its schema is unknown, or the bytes are not of it: what was visited means nothing
};

// Schemas and bytes are hostile: depth, number of values and time are bounded.
PayloadShape WalkPayload(const Stream& stream, const ExtendedPayload& payload,
                         PayloadVisitor* visitor);

}  // namespace syncline
