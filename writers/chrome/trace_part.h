// SPDX-License-Identifier: Apache-2.0
// Writes a part of a trace of ours as a trace of its own: where the whole is more than a viewer
// opens.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.h"
#include "writers/files/byte_sink.h"

namespace syncline {

// What lies between two moments of the job's line, or reaches into that; names of rows and stacks
// are all there. One reading; memory does not grow with the trace. Not ok: the file cannot be read
// to its end, or is no trace of ours; or what `sink` says.
Status WriteTracePart(const std::string& path, uint64_t begin_ns, uint64_t end_ns, ByteSink* sink);

}  // namespace syncline
