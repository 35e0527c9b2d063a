// SPDX-License-Identifier: Apache-2.0
// Sums of a framework's operators by the line of the user's code that they were called at.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/findings/run_findings.h"
#include "model/run/code_location.h"
#include "model/spool/record_sink.h"

namespace syncline {

// An operator in no other one has a stack; those within it are of its line. One that goes back has
// the line of the operator that it goes back through: that has its number, and ran on its forward
// thread. One thread. Memory: names by lines, and 24 bytes for each stretch of numbers that were
// counted at one line.
class OperatorLines {
 public:
  static constexpr size_t kMostGroups = 1 << 13;  // of a name and a line; more share one

  explicit OperatorLines(const OwnCode& own) : places_(own), lines_{""} {}

  // In the order of their ends. `name`: the caller's number of it.
  void Add(const RangeEvent& event, uint32_t name, const OperatorSums& sums);

  void Finish(const std::function<RangeKey(uint32_t)>& key_of, RunFindings* findings);

 private:
  struct Call {
    uint64_t begin;
    int64_t sequence;
    uint32_t name;
    OperatorSums sums;
  };
  struct Counted {
    int64_t first, last;
    uint32_t line;
  };
  // What goes back through operators whose line is not known yet.
  struct Waiting {
    int64_t sequence;
    std::vector<Call> calls;
  };
  struct ForwardThread {
    std::vector<Counted> counted;  // by `first`
    std::vector<Waiting> waiting;
  };
  using Calls = std::vector<Call>;

  uint32_t LineOf(const CodeStack* stack);
  void Place(const Calls& calls, uint32_t line);
  void Count(const Calls& calls, uint32_t line, ForwardThread* thread);
  void GoBack(Calls calls, int64_t sequence, ForwardThread* thread);
  // Those whose number is below `known`.
  void Settle(int64_t known, ForwardThread* thread);

  CodeLocations places_;
  std::vector<std::string> lines_;  // by number, from 1; 0: not known
  std::unordered_map<std::string, uint32_t> line_numbers_;
  std::map<std::pair<uint32_t, uint32_t>, OperatorSums> groups_;  // by name and line
  std::unordered_map<uint64_t, Calls> open_;             // by stream: what is around is to come
  std::unordered_map<uint32_t, ForwardThread> forward_;  // by the framework's number
};

}  // namespace syncline
