// SPDX-License-Identifier: Apache-2.0
// An end belongs to the innermost begin of its name: what was begun within, and never ended, had an
// exception.
#include "collectors/torch/facts/compile_phases.h"

#include <algorithm>
#include <utility>

namespace syncline::torch {
namespace {

constexpr size_t kDeepest = 64;
constexpr size_t kLongestPhaseName = 100;
constexpr double kLatestUs = 9e15;  // the year 2255

}  // namespace

void CompilePhases::KeepLongest(std::vector<CompilePhase>* phases) {
  const auto middle = phases->begin() + kMostPhases;
  std::nth_element(phases->begin(), middle, phases->end(),
                   [](const CompilePhase& a, const CompilePhase& b) {
                     return a.end_ns - a.begin_ns > b.end_ns - b.begin_ns;
                   });
  left_out_ += static_cast<uint64_t>(phases->end() - middle);
  phases->erase(middle, phases->end());
}

void CompilePhases::Add(const std::string& of, const CompileJson& event) {
  if (!event.is_object()) return;
  const std::string kind = TextField(event, "ph");
  const double at_us = NumberField(event, "ts");
  if ((kind != "B" && kind != "E") || !(at_us > 0 && at_us < kLatestUs)) return;
  if (!of_.contains(of)) {
    if (kind == "E") return;
    // What came behind a compilation that was told is for nobody.
    if (of_.size() >= kMostOpen)
      std::erase_if(of_, [](const auto& old) { return old.second.open.empty(); });
    if (of_.size() >= kMostOpen) {
      ++left_out_;
      return;
    }
  }
  Of& phases = of_[of];
  // A double has nanoseconds of so many microseconds no more.
  const auto whole_us = static_cast<uint64_t>(at_us);
  const uint64_t at_ns =
      whole_us * 1000 + static_cast<uint64_t>((at_us - static_cast<double>(whole_us)) * 1e3);
  const std::string name = TextField(event, "name").substr(0, kLongestPhaseName);
  if (kind == "B") {
    if (phases.open.size() < kDeepest) phases.open.push_back({name, at_ns, 0});
    return;
  }
  const auto begun = std::find_if(phases.open.rbegin(), phases.open.rend(),
                                  [&](const CompilePhase& phase) { return phase.name == name; });
  if (begun == phases.open.rend()) return;
  CompilePhase phase = *begun;
  phases.open.erase(begun.base() - 1, phases.open.end());
  phase.end_ns = std::max(at_ns, phase.begin_ns);
  if (phase.end_ns - phase.begin_ns < kShortestNs) return;
  phases.over.push_back(std::move(phase));
  if (phases.over.size() >= 2 * kMostPhases) KeepLongest(&phases.over);
}

std::vector<CompilePhase> CompilePhases::Take(const std::string& of) {
  const auto found = of_.find(of);
  if (found == of_.end()) return {};
  std::vector<CompilePhase> phases = std::exchange(found->second.over, {});
  if (phases.size() > kMostPhases) KeepLongest(&phases);
  std::sort(phases.begin(), phases.end(), [](const CompilePhase& a, const CompilePhase& b) {
    return std::pair(a.begin_ns, b.end_ns) < std::pair(b.begin_ns, a.end_ns);
  });
  if (found->second.open.empty()) of_.erase(found);
  return phases;
}

}  // namespace syncline::torch
