// SPDX-License-Identifier: Apache-2.0
// A part of a trace that is served in its place.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "launcher/show/trace_source.h"
#include "writers/findings/manifest.h"

namespace syncline {

// Of JSON text the Perfetto UI opens about so much: it has 4 GiB of memory.
inline constexpr uint64_t kMostViewedText = uint64_t{2} << 30;

// Of a rank's life, counted from its begin.
struct PartOfRank {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

// What `last` and `around` mean: the last so much of it, or so much with `at` in the middle. Texts
// as of ParseMoment; empty: not given. False: *error, or nothing was given (*error is empty).
bool ChoosePart(const std::string& last, const std::string& around, const std::string& at,
                const RankManifest& manifest, PartOfRank* part, std::string* error);

// Written to a file without a name, which ends with this. Null: *error says why.
std::unique_ptr<TraceSource> OpenTracePart(const std::string& path, const RankManifest& manifest,
                                           const PartOfRank& part, std::string* error);

}  // namespace syncline
