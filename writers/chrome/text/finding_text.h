// SPDX-License-Identifier: Apache-2.0
// Findings in words: names of their slices, and arguments with Kineto-like keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/findings/findings.h"

namespace syncline {

class JsonObject;

// The text of one SourceRun's findings; `number` is SourceRun::number. Arguments are members of a
// JSON object, without the braces. One thread.
class FindingText {
 public:
  // `moved`: numbers that devices have in the trace, by those of the process; the others keep
  // theirs.
  FindingText(const Findings& findings, uint32_t number, std::map<uint32_t, uint32_t> moved = {});

  // The arguments that the slice of the wait and the slice of its call share.
  std::string CallArguments(const Wait& wait) const;
  // `wait` and `gap` are places in Findings.
  std::string WaitName(size_t wait) const;
  std::string WaitArguments(size_t wait) const;
  std::string GapName(size_t gap) const;
  std::string GapArguments(size_t gap) const;

 private:
  const std::string& CallName(const Wait& wait) const { return findings_.call_names[wait.name]; }
  void AddAwaited(const Wait& wait, JsonObject* object) const;
  std::string WhatHappened(const Wait& wait) const;
  std::string OpName(uint32_t op) const;  // in Findings::ops

  const Findings& findings_;
  const uint32_t number_;
  const std::map<uint32_t, uint32_t> moved_;
  std::vector<std::string> op_names_;  // by AwaitedOp::label
};

// The arguments of the slice of a collective's kernel.
std::string CollectiveArguments(const CollectiveFinding& finding);

// Whether the wait ended with its operation: an arrow leads from there.
bool EndsWithOp(const Wait& wait);

// A correlation as it stands in the trace.
uint64_t TraceCorrelation(uint32_t number, uint32_t correlation);

}  // namespace syncline
