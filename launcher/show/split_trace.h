// SPDX-License-Identifier: Apache-2.0
// --split: the parts of a trace as traces of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "writers/findings/manifest.h"

namespace syncline {

enum class SplitBy { kNone, kCycles, kSteps };  // the words of the option

inline constexpr size_t kMostParts = kGateTimes;  // each is a reading of the whole trace

struct TracePart {
  std::string name;  // of its folder: "0"
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

// A part for each time that recording was on, of the process in which it was on most often: until
// it was on again, so that what a device did later for it is there. Empty: there was no gate.
std::vector<TracePart> CyclesOf(const RankManifest& manifest);

// Writes DIRECTORY/cycles/0/TRACE and so on, or DIRECTORY/steps/12/TRACE. Gives a sentence for the
// user: what was written, or why nothing was.
std::string SplitTraces(const std::string& directory, const std::vector<RankManifest>& ranks,
                        SplitBy by);

}  // namespace syncline
