// SPDX-License-Identifier: Apache-2.0
// Steps of a program that names none, by what its framework says: a step ends with the optimizer's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace syncline {

// A step reaches from the end of the one before to its own; the first one, which has what a program
// does once, is none. Where the framework also says that it fetches data, several optimizers'
// without a fetch between them are one step's. Of a thread, ranges come in the order of their ends.
// Memory: kMost steps.
class TrainingSteps {
 public:
  static constexpr size_t kMost = 100000;

  struct Row {
    uint32_t tid;
    uint64_t begin_ns;
    uint64_t end_ns;
  };

  void OptimizerEnds(uint32_t tid, uint64_t end_ns);
  void Fetches(uint32_t tid);

  // Once, when all are there.
  std::vector<Row> Take();
  uint64_t left_out() const { return left_out_; }  // beyond the most

 private:
  struct Thread {
    uint64_t before_ns = 0;   // where the step before ended; 0: there is none
    uint64_t pending_ns = 0;  // an optimizer's end; 0: none since the last step
    bool fetches = false;
  };
  void EndStep(uint32_t tid, Thread* thread);

  std::unordered_map<uint32_t, Thread> threads_;
  std::vector<Row> rows_;
  uint64_t left_out_ = 0;
};

}  // namespace syncline
