// SPDX-License-Identifier: Apache-2.0
// Collects ranges as they end; times are known when all are there.
#include "analysis/sums/step_rows.h"

#include <algorithm>
#include <utility>

#include "base/stable_sort.h"
#include "model/findings/step_label.h"

namespace syncline {

const OtherLoops& TimedSeries::Of(const TimedStep& step) const {
  static const OtherLoops kNone;
  const auto found = others.find(step.tid);
  return found == others.end() ? kNone : found->second;
}

OtherLoops TimedSeries::OfAll() const {
  if (others.empty()) return {};
  OtherLoops all = others.begin()->second;
  for (const auto& entry : others) {
    const OtherLoops& of_thread = entry.second;
    std::erase_if(all.threads, [&](uint32_t other) {
      return !std::binary_search(of_thread.threads.begin(), of_thread.threads.end(), other);
    });
    std::erase_if(all.devices,
                  [&](const DeviceKey& device) { return !of_thread.devices.contains(device); });
  }
  return all;
}

void StepRows::Add(const StepName& step, std::string_view name, uint32_t tid, uint32_t depth,
                   uint64_t begin_ns, uint64_t end_ns, bool is_open) {
  Series& series = series_[step.name];
  series.needs_another = step.needs_another;
  std::vector<Row>& rows = is_open ? series.open : series.rows;
  uint32_t loop_number = 0;
  if (depth != kNoDepth) {
    Loop& loop = series.loops[tid];
    loop.depth = depth;
    loop_number = loop.number;
    deepest_ = std::max(deepest_, depth);
  }
  const uint64_t place = is_open ? series.open.size() : series.count++;
  Row row{begin_ns, end_ns,      step.number.value_or(step.counted.value_or(place)),
          tid,      loop_number, ""};
  if (step.number && LabelOfStep(step.name, *step.number) != name) row.name = name;
  if (count_ < kMostStepsOfProcess) {
    ++count_;
    rows.push_back(std::move(row));
  } else {
    ++left_out_;
    if (!is_open) AddToRest(&series, std::move(row));
  }
}

void StepRows::AddToRest(Series* series, Row row) const {
  const auto [last, is_first] = series->last_of_rest.try_emplace(row.tid, row);
  if (is_first) return;
  const bool follows = row.begin_ns >= last->second.end_ns && Follows(last->second, row);
  const uint64_t end_ns = follows ? row.begin_ns : last->second.end_ns;
  KeepLongest(&series->rest, {std::exchange(last->second, std::move(row)), end_ns});
}

void StepRows::KeepLongest(std::vector<Alone>* rest, Alone one) {
  const auto longer = [](const Alone& a, const Alone& b) { return a.HostNs() > b.HostNs(); };
  if (rest->size() == kMostOfRest) {
    if (one.HostNs() <= rest->front().HostNs()) return;
    std::pop_heap(rest->begin(), rest->end(), longer);
    rest->pop_back();
  }
  rest->push_back(std::move(one));
  std::push_heap(rest->begin(), rest->end(), longer);
}

void StepRows::EndLoops(uint32_t tid, uint32_t depth) {
  for (auto& [name, series] : series_) {
    const auto loop = series.loops.find(tid);
    if (loop != series.loops.end() && depth < loop->second.depth) ++loop->second.number;
  }
}

std::map<std::string, StepRows::Threads> StepRows::ThreadsOfAll() const {
  std::map<std::string, Threads> all;
  for (const auto& [name, series] : series_) {
    if (!series.Counts()) continue;
    Threads& threads = all[name];
    for (const Row& row : series.rows) threads[row.tid].rows.push_back(row);
    for (auto& [tid, thread] : threads) {
      StableSort(&thread.rows, [](const Row& a, const Row& b) {
        return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
      });
    }
    std::vector<Alone> rest = series.rest;
    for (const auto& [tid, row] : series.last_of_rest) KeepLongest(&rest, {row, row.end_ns});
    for (Alone& one : rest) threads[one.row.tid].rest.push_back(std::move(one));
  }
  return all;
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
    steps[i].name = row.name;
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

// As InTurn, but what was done with the one before is known by its work only.
TimedStep StepRows::TimeAlone(const Alone& one, const std::vector<uint32_t>& other_threads) const {
  const Row& row = one.row;
  uint64_t begin_ns = row.begin_ns, end_ns = one.host_end_ns;
  if (curves_ != nullptr) {
    end_ns = std::max(end_ns,
                      curves_->LatestEnd(row.begin_ns, one.host_end_ns, UINT64_MAX, other_threads));
    begin_ns = std::max(begin_ns, curves_->LatestEnd(0, row.begin_ns, end_ns, other_threads));
  }
  return {{begin_ns, end_ns - begin_ns, row.number},
          {row.begin_ns, one.host_end_ns},
          row.tid,
          row.name};
}

// A helper's steps are parts of those that wait for it.
bool StepRows::IsWithin(const std::vector<Row>& rows, const std::vector<Row>& around) {
  return std::all_of(rows.begin(), rows.end(), [&](const Row& row) {
    const auto after = std::partition_point(
        around.begin(), around.end(), [&](const Row& a) { return a.begin_ns <= row.begin_ns; });
    return after != around.begin() && row.end_ns <= (after - 1)->end_ns;
  });
}

OtherLoops StepRows::OthersOf(const std::map<std::string, Threads>& all, const Threads& series,
                              uint32_t tid) const {
  std::set<uint32_t> threads;
  for (const auto& [name, other_series] : all) {
    const bool is_own = &other_series == &series;
    for (const auto& [other, thread] : other_series) {
      const std::vector<Row>& rows = thread.rows;
      const bool is_loop = is_own || (rows.size() > 1 && !IsWithin(rows, series.at(tid).rows));
      if (other != tid && is_loop) threads.insert(other);
    }
  }
  OtherLoops others{{threads.begin(), threads.end()}, {}};
  if (curves_ == nullptr || threads.empty()) return others;
  others.devices = curves_->DevicesOf([&](uint32_t one) { return threads.contains(one); });
  for (const DeviceKey& used :
       curves_->DevicesOf([&](uint32_t one) { return !threads.contains(one); }))
    others.share_device = others.devices.erase(used) != 0 || others.share_device;
  return others;
}

TimedSeries StepRows::StepsOf(const std::map<std::string, Threads>& all,
                              const Threads& series) const {
  TimedSeries timed;
  std::vector<TimedStep>& steps = timed.steps;
  for (const auto& [tid, thread] : series) {
    const std::vector<Row>& of_thread = thread.rows;
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
                         row.tid,
                         row.name});
      } else {
        in_turn.push_back(row);
      }
    }
    OtherLoops& others = timed.others[tid] = OthersOf(all, series, tid);
    const std::vector<TimedStep> more = InTurn(in_turn, others.threads);
    steps.insert(steps.end(), more.begin(), more.end());
    for (const Alone& one : thread.rest) steps.push_back(TimeAlone(one, others.threads));
  }
  StableSort(&steps, [](const TimedStep& a, const TimedStep& b) { return a.step < b.step; });
  return timed;
}

uint64_t StepRows::FirstNs() {
  const std::map<std::string, Threads> all = ThreadsOfAll();
  const Threads* most = nullptr;
  size_t most_rows = 0;
  for (const auto& [name, threads] : all) {
    size_t rows = 0;
    for (const auto& [tid, of_thread] : threads) rows += of_thread.rows.size();
    if (rows > std::exchange(most_rows, std::max(most_rows, rows))) most = &threads;
  }
  if (most == nullptr) return 0;
  const TimedSeries timed = StepsOf(all, *most);
  std::vector<Step> steps;
  for (const TimedStep& one : timed.steps) steps.push_back(one.step);
  const Step* const first = FirstSteadyStep(steps);
  return first == nullptr ? 0
                          : timed.steps[static_cast<size_t>(first - steps.data())].host.begin_ns;
}

std::map<std::string, TimedSeries> StepRows::Take() {
  for (auto& [name, series] : series_) {
    if (series.rows.empty()) series.rows = std::move(series.open);
  }
  const std::map<std::string, Threads> all = ThreadsOfAll();
  series_.clear();
  std::map<std::string, TimedSeries> timed;
  for (const auto& [name, threads] : all) {
    timed[name] = StepsOf(all, threads);
    for (const auto& [tid, thread] : threads) left_out_ -= thread.rest.size();
  }
  return timed;
}

}  // namespace syncline
