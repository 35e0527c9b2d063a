// SPDX-License-Identifier: Apache-2.0
// Collects ranges as they end; times are known when all are there.
#include "analysis/sums/step_rows.h"

#include <algorithm>
#include <utility>

namespace syncline {

void StepRows::Add(const StepName& step, uint32_t tid, uint32_t depth, uint64_t begin_ns,
                   uint64_t end_ns, bool is_open) {
  if (count_ >= kMostSteps) {
    ++left_out_;
    return;
  }
  ++count_;
  Series& series = series_[step.name];
  series.needs_another = step.needs_another;
  std::vector<Row>& rows = is_open ? series.open : series.rows;
  uint32_t number = 0;
  if (depth != kNoDepth) {
    Loop& loop = series.loops[tid];
    loop.depth = depth;
    number = loop.number;
    deepest_ = std::max(deepest_, depth);
  }
  rows.push_back({begin_ns, end_ns, step.number.value_or(rows.size()), tid, number});
}

void StepRows::EndLoops(uint32_t tid, uint32_t depth) {
  for (auto& [name, series] : series_) {
    const auto loop = series.loops.find(tid);
    if (loop != series.loops.end() && depth < loop->second.depth) ++loop->second.number;
  }
}

void StepRows::Sort(Series* series) {
  std::stable_sort(series->rows.begin(), series->rows.end(), [](const Row& a, const Row& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
}

bool StepRows::Follows(const Row& row, const Row& next) const {
  return next.loop == row.loop && next.number > row.number &&
         !MeetsCoverageGap(closed_, row.end_ns, next.begin_ns);
}

std::vector<TimedStep> StepRows::InTurn(const std::vector<Row>& rows,
                                        const std::vector<uint32_t>& other_threads) const {
  std::vector<TimedStep> steps(rows.size());
  std::vector<uint64_t> ends(rows.size());
  uint64_t later_ns = UINT64_MAX;  // devices were done with a later step
  for (size_t i = rows.size(); i-- > 0;) {
    const Row& row = rows[i];
    const bool follows = i + 1 < rows.size() && Follows(row, rows[i + 1]);
    steps[i].tid = row.tid;
    steps[i].host = {row.begin_ns, follows ? rows[i + 1].begin_ns : row.end_ns};
    ends[i] = steps[i].host.end_ns;
    if (curves_ == nullptr) continue;
    // What outlasts the work of a later step goes on beside the steps.
    const uint64_t done_ns =
        curves_->LatestEnd(row.begin_ns, steps[i].host.end_ns, later_ns, other_threads);
    ends[i] = std::max(ends[i], done_ns);
    if (done_ns != 0) later_ns = std::min(later_ns, ends[i]);
  }
  uint64_t over_ns = 0;  // the one before
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint64_t begin_ns = std::max(rows[i].begin_ns, over_ns);
    over_ns = std::max(ends[i], over_ns);
    steps[i].step = {begin_ns, over_ns - begin_ns, rows[i].number};
  }
  return steps;
}

std::vector<TimedStep> StepRows::StepsOf(const std::vector<Row>& rows) const {
  std::map<uint32_t, std::vector<Row>> threads;
  for (const Row& row : rows) threads[row.tid].push_back(row);
  std::vector<TimedStep> steps;
  steps.reserve(rows.size());
  for (const auto& [tid, of_thread] : threads) {
    std::vector<Row> in_turn;
    uint64_t latest_ns = 0;
    for (size_t i = 0; i < of_thread.size(); ++i) {
      const Row& row = of_thread[i];
      const bool overlaps = row.begin_ns < latest_ns ||
                            (i + 1 < of_thread.size() && of_thread[i + 1].begin_ns < row.end_ns);
      latest_ns = std::max(latest_ns, row.end_ns);
      if (overlaps) {
        steps.push_back({{row.begin_ns, row.end_ns - row.begin_ns, row.number},
                         {row.begin_ns, row.end_ns},
                         row.tid});
      } else {
        in_turn.push_back(row);
      }
    }
    std::vector<uint32_t> others;
    for (const auto& [other, ignored] : threads) {
      if (other != tid) others.push_back(other);
    }
    const std::vector<TimedStep> more = InTurn(in_turn, others);
    steps.insert(steps.end(), more.begin(), more.end());
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const TimedStep& a, const TimedStep& b) { return a.step < b.step; });
  return steps;
}

uint64_t StepRows::FirstNs() {
  Series* most = nullptr;
  for (auto& [name, series] : series_) {
    if (!series.Counts()) continue;
    if (most == nullptr || series.rows.size() > most->rows.size()) most = &series;
  }
  if (most == nullptr) return 0;
  Sort(most);
  const std::vector<TimedStep> timed = StepsOf(most->rows);
  std::vector<Step> steps;
  for (const TimedStep& one : timed) steps.push_back(one.step);
  const Step* const first = FirstSteadyStep(steps);
  return first == nullptr ? 0 : timed[static_cast<size_t>(first - steps.data())].host.begin_ns;
}

std::map<std::string, std::vector<TimedStep>> StepRows::Take() {
  std::map<std::string, std::vector<TimedStep>> all;
  for (auto& [name, series] : series_) {
    if (series.rows.empty()) series.rows = std::move(series.open);
    if (!series.Counts()) continue;
    Sort(&series);
    all[name] = StepsOf(series.rows);
  }
  series_.clear();
  return all;
}

}  // namespace syncline
