// SPDX-License-Identifier: Apache-2.0
// Extended payloads as JSON.
#pragma once

#include <string>

#include "model/spool/streams.h"

namespace syncline {

// Appends one JSON value for `payload` to `out`: by its schema, or the raw bytes in hexadecimal if
// it has none, if the schema is unknown, or if the bytes are not of it. False: one of the last two.
bool AppendPayload(const Stream& stream, const ExtendedPayload& payload, std::string* out);

}  // namespace syncline
