// SPDX-License-Identifier: Apache-2.0
// The slice of time in which a finding shows most, with what a trace has there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"

namespace syncline {

struct EvidenceRecord {
  std::string name;
  std::string category;
  uint64_t pid = 0;
  uint64_t tid = 0;
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
};

// One of the two calls between which the time lies, or by which it is.
struct EvidenceStack {
  std::string end;                  // which one it is: "before the gap"
  EvidenceRecord call{};            // its name is empty if there is none
  std::vector<std::string> frames;  // the innermost first
  std::string unknown;              // why there are none; empty: there are some
};

struct EvidenceSlice {
  std::string is;       // "the longest of these waits"
  std::string unknown;  // why no time is known; empty: it is
  std::string trace;    // the name of the trace
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  std::vector<EvidenceRecord> records;  // some of those in that time, the longest first
  size_t records_in_all = 0;
  std::vector<EvidenceStack> stacks;
};

EvidenceSlice SliceOf(const Report& report, const ReportFinding& finding);

}  // namespace syncline
