// SPDX-License-Identifier: Apache-2.0
// `syncline view --at`: a moment of a trace, for the Perfetto UI.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "writers/findings/manifest.h"

namespace syncline {

// "12.5", "12.5s", "340ms", "80us", "900ns" as nanoseconds. False: it is no moment.
bool ParseMoment(std::string_view text, uint64_t* ns);

// "run/rank-3.json" of "DIR/rank-3.trace.json.gz".
std::string ManifestOfTrace(const std::string& trace);

// What is added to the UI's address so that it shows the trace at `at_ns` after its begin: 10 ms
// before and 40 ms after.
// The UI takes visStart and visEnd in nanoseconds of the trace's own time, both within the trace.
std::string VisibleAt(const RankManifest& manifest, uint64_t at_ns);

}  // namespace syncline
