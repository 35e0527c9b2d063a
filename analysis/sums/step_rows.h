// SPDX-License-Identifier: Apache-2.0
// How long the steps of a process took: from the end of the one before, for the host and for the
// devices, to its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/sums/name_folder.h"
#include "analysis/sums/work_curves.h"
#include "model/devices/coverage_gaps.h"
#include "model/findings/run_findings.h"

namespace syncline {

// A step, and when its thread was in it.
struct TimedStep {
  Step step;
  CoverageGap host;
  uint32_t tid = 0;
  std::string name{};  // as the program wrote it; empty: LabelOfStep says it
};

// Whose work is no part of a thread's steps.
struct OtherLoops {
  std::vector<uint32_t> threads;  // that have steps of their own, sorted
  std::set<DeviceKey> devices;    // that only these use
  bool share_device = false;      // they use one that others use, too
};

struct TimedSeries {
  std::vector<TimedStep> steps;           // sorted
  std::map<uint32_t, OtherLoops> others;  // by thread of the steps

  const OtherLoops& Of(const TimedStep& step) const;
  // What is none of any of its threads'.
  OtherLoops OfAll() const;
};

// A step ends when its thread has begun the next one, and devices have done what was submitted
// until then. So what lies between two ranges (the loading of data) belongs to a step, and a step
// of a program that runs ahead of its devices takes as long as they need for it. The last one of a
// loop ends with its own range. Ranges that overlap are steps by themselves. What other threads
// submit counts, but not that of threads with steps of their own: of the same name, or of another
// one and not all within this thread's steps. Of those beyond kMostStepsOfProcess the longest for
// their threads are kept, kMostOfRest of each name. One thread. Memory: so many steps.
class StepRows {
 public:
  static constexpr size_t kMostOfRest = 64;  // of a name
  static constexpr uint32_t kNoDepth = UINT32_MAX;

  // `curves`: of what the process did with devices; null: nothing. Both outlive this.
  // `closed`: when nothing was recorded.
  StepRows(const WorkCurves* curves, const std::vector<CoverageGap>& closed)
      : curves_(curves), closed_(closed) {}

  // `name`: of the range. `depth`: how many of the thread's ranges were open around it; kNoDepth:
  // not known. `is_open`: nobody knows how long it took.
  void Add(const StepName& step, std::string_view name, uint32_t tid, uint32_t depth,
           uint64_t begin_ns, uint64_t end_ns, bool is_open);
  // A range that is no step has ended: if steps lie within it, those behind it are of another loop.
  void EndRange(uint32_t tid, uint32_t depth) {
    if (__builtin_expect(depth < deepest_, 0)) EndLoops(tid, depth);
  }

  bool any() const { return count_ != 0; }
  // When the first one began in which the program had done what it does once, of those steps of
  // which there are most; 0: there are fewer than two.
  uint64_t FirstNs();
  // By the names of steps.
  std::map<std::string, TimedSeries> Take();
  uint64_t left_out() const { return left_out_; }  // after Take: of the rest, without those kept

 private:
  struct Row {
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t number;
    uint32_t tid;
    uint32_t loop;     // another number for each loop of the thread
    std::string name;  // as in TimedStep
  };
  // Its next one is not kept.
  struct Alone {
    Row row;
    uint64_t host_end_ns;
    uint64_t HostNs() const { return host_end_ns - row.begin_ns; }
  };
  struct Loop {
    uint32_t depth = 0;
    uint32_t number = 0;
  };
  struct Series {
    std::vector<Row> rows;
    std::unordered_map<uint32_t, Loop> loops;  // by tid
    // Where others ended, these are none: the program may have left its loop.
    std::vector<Row> open;
    std::vector<Alone> rest;                         // a heap, the shortest on top
    std::unordered_map<uint32_t, Row> last_of_rest;  // by tid
    uint64_t count = 0;
    bool needs_another = false;  // StepName

    bool Counts() const { return !needs_another || rows.size() > 1; }
  };

  struct Thread {
    std::vector<Row> rows;  // in order
    std::vector<Alone> rest;
  };
  using Threads = std::map<uint32_t, Thread>;  // of a series, by tid

  void EndLoops(uint32_t tid, uint32_t depth);
  // The thread's step before is over.
  void AddToRest(Series* series, Row row) const;
  static void KeepLongest(std::vector<Alone>* rest, Alone one);
  // Of the series that count, by their names.
  std::map<std::string, Threads> ThreadsOfAll() const;
  bool Follows(const Row& row, const Row& next) const;
  // `rows`: in order, of one thread, which do not overlap.
  std::vector<TimedStep> InTurn(const std::vector<Row>& rows,
                                const std::vector<uint32_t>& other_threads) const;
  TimedStep TimeAlone(const Alone& one, const std::vector<uint32_t>& other_threads) const;
  static bool IsWithin(const std::vector<Row>& rows, const std::vector<Row>& around);
  OtherLoops OthersOf(const std::map<std::string, Threads>& all, const Threads& series,
                      uint32_t tid) const;
  TimedSeries StepsOf(const std::map<std::string, Threads>& all, const Threads& series) const;

  const WorkCurves* const curves_;
  const std::vector<CoverageGap>& closed_;
  std::map<std::string, Series> series_;
  uint32_t deepest_ = 0;  // of the steps
  size_t count_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace syncline
