// SPDX-License-Identifier: Apache-2.0
// Which launches of graphs ask for collectives: those that the program captured before it made the
// graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "model/findings/collective.h"

namespace syncline {

// A graph that is recorded as a whole says nothing of its nodes. What was captured between the
// making of two graphs is in the second of them; graphs have their ids in the order in which they
// were made. Where more graphs were made than launched, a graph is one that communicates if all
// that were made before its first launch do so with one communicator.
class CapturedCollectives {
 public:
  // Times are ticks. `all`: no rank is done before all have come.
  void Captured(uint64_t communicator, bool all, uint64_t begin);
  void Instantiated(uint64_t begin);
  // `key`: of the call.
  void Launched(uint64_t key, uint64_t begin);
  // `whole`: the launch on the device, with the times of its clock.
  void Ran(uint64_t key, uint32_t graph, const Collective& whole);
  struct Met {
    uint64_t key;
    uint64_t begin;  // of the call that launched the graph
    Collective whole;
  };
  // After the reading: the launches of graphs that communicate; none where there were more than are
  // kept (a million of each). `sizes`: of communicators; of several in one graph the largest
  // counts.
  std::vector<Met> Find(const std::map<uint64_t, uint32_t>& sizes);

 private:
  struct Call {
    uint64_t begin;
    uint64_t communicator;
    bool all;
  };
  struct Launch {
    uint64_t key;
    uint32_t graph;
    Collective whole;
  };
  using Communicator = std::optional<uint64_t>;

  std::vector<Communicator> OfMadeGraphs(const std::map<uint64_t, uint32_t>& sizes);
  std::map<uint32_t, Communicator> OfLaunchedGraphs(const std::vector<Communicator>& made) const;
  const uint64_t* BeginOf(uint64_t key) const;  // null: not known

  std::vector<Call> captured_;
  std::vector<uint64_t> made_;
  std::vector<std::pair<uint64_t, uint64_t>> begins_;  // of launches: key and time
  std::map<uint32_t, uint64_t> before_;  // by graph: its first launch before anything was captured
  bool full_ = false;
  std::vector<Launch> launches_;
};

}  // namespace syncline
