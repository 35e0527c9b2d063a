// SPDX-License-Identifier: Apache-2.0
// Reads a trace that Syncline wrote, of this version or an older one, event by event.
#pragma once

#include <functional>
#include <string>

#include "model/status.h"
#include "model/trace_sink.h"

namespace syncline {

// Not ok: the file is damaged, or is no trace of Syncline's; what the sink got before counts for
// nothing. Memory: as much as the longest text in the file, which is 64 MiB at most. Events that
// this version does not know, and damaged ones, are passed by.
Status ReadTrace(const std::string& path, TraceSink* sink);

// Gives the next piece of text; `*got` 0: there is no more.
using TextSource = std::function<Status(char* out, size_t most, size_t* got)>;
Status ReadTraceText(const TextSource& source, const std::string& name, TraceSink* sink);

}  // namespace syncline
