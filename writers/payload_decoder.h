// SPDX-License-Identifier: Apache-2.0
// Turns the bytes of an extended payload into JSON, as its schema says.
#pragma once

#include <string>
#include <string_view>

#include "writers/streams.h"

namespace syncline {

// Appends one JSON value for `payload` to `out`: an object by its schema, or the raw bytes in
// hexadecimal if it has none, if the schema is unknown, or if the bytes are not of it. False: the
// last; the caller counts it as a bad payload. Schemas and bytes are hostile: depth, number of
// values and time are bounded.
bool AppendPayload(const Stream& stream, const ExtendedPayload& payload, std::string* out);

}  // namespace syncline
