// SPDX-License-Identifier: Apache-2.0
// Limits by what a finding brings: of the time, and beside the first one.
#include "report/told_findings.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/stable_sort.h"

namespace syncline {
namespace {

constexpr double kLeastPercent = 1;
constexpr double kLeastOfManyPercent = 5;  // of what each program has a little of
constexpr double kLeastIdlePercent = 10;   // a wait that costs nothing is worth a word
constexpr uint64_t kMostIdleAfter = 10;    // the device has no other work after longer waits
// Of what the first finding brings: less than such a part comes and goes from run to run.
constexpr uint64_t kSmallOfMany = 10, kSmall = 50;
constexpr uint64_t kSmallOfLaunches = 2;  // which other work of the machine makes slow, too
constexpr uint64_t kAlike = 20;           // a twentieth more or less comes and goes, too

// Whether each program has some of it.
bool IsInEach(const ReportFinding& finding) {
  return Is(finding, ProblemKind::kLaunchBound) || Is(finding, ProblemKind::kCopyBlocks) ||
         Is(finding, ProblemKind::kSlowLaunch);
}

class Telling {
 public:
  Telling(std::vector<ReportFinding> found, uint64_t length_ns, uint64_t ranks)
      : found_(std::move(found)), time_ns_(static_cast<double>(length_ns * ranks)), ranks_(ranks) {}

  std::vector<ReportFinding> Told(bool all) {
    LeaveLongWaits();
    StableSort(&found_, [this](const ReportFinding& a, const ReportFinding& b) {
      return std::tuple(Worth(a), a.blocked_ns) > std::tuple(Worth(b), b.blocked_ns);
    });
    OrderAlike();
    for (ReportFinding& finding : found_) finding.small = IsSmall(finding);
    if (all) return std::move(found_);
    std::vector<ReportFinding> told;
    for (const ReportFinding& finding : found_) {
      if (finding.worth && IsWorth(finding)) told.push_back(finding);
    }
    for (const ReportFinding& finding : found_) {
      if (!finding.worth && (finding.priced || IsWorth(finding))) told.push_back(finding);
    }
    return told;
  }

 private:
  // Long waits that cost nothing: whoever sees them in the trace looks here.
  void LeaveLongWaits() {
    for (ReportFinding& finding : found_) {
      if (!finding.priced || finding.wait_class.empty() || IsWorth(finding) ||
          !LastsPercent(finding, kLeastIdlePercent) ||
          finding.idle_after_ns * kMostIdleAfter > finding.blocked_ns)
        continue;
      finding.worth = false;
      finding.gain_ns = 0;
      finding.gain_percent = 0;
      finding.assumption.clear();
      finding.advice = "leave it: the GPU has other work meanwhile";
    }
  }

  // Which of two findings brings a little more is chance: those that bring the same but for that
  // stand as their lines do, so that each run of a program tells them in one order. Of one line, a
  // wait comes first.
  void OrderAlike() {
    const auto place = [](const ReportFinding& finding) {
      return std::tuple(std::string_view(finding.where), finding.wait_class.empty(),
                        std::string_view(finding.kind), std::string_view(finding.below),
                        std::string_view(finding.before));
    };
    for (auto first = found_.begin(); first != found_.end();) {
      const uint64_t least = Worth(*first) - Worth(*first) / kAlike;
      const auto last = std::find_if(first, found_.end(), [&](const ReportFinding& finding) {
        return Worth(finding) == 0 || Worth(finding) < least;
      });
      std::stable_sort(first, last, [&](const ReportFinding& a, const ReportFinding& b) {
        return place(a) < place(b);
      });
      first = last == first ? std::next(first) : last;
    }
  }

  bool LastsPercent(const ReportFinding& finding, double percent) const {
    return time_ns_ != 0 && 100 * static_cast<double>(finding.blocked_ns) >= percent * time_ns_;
  }

  bool IsWorth(const ReportFinding& finding) const {
    if (finding.priced) return IsWorthChanging(finding);
    return Is(finding, ProblemKind::kSharedDevice) || LastsPercent(finding, kLeastPercent);
  }

  bool IsSmall(const ReportFinding& finding) const {
    const uint64_t part = Is(finding, ProblemKind::kSlowLaunch) ? kSmallOfLaunches
                          : IsInEach(finding)                   ? kSmallOfMany
                                                                : kSmall;
    return finding.priced && finding.gain_ns < found_.front().gain_ns / part;
  }

  // Of ways to keep a device busy that bring about the same, a wait that goes is less work than
  // another thread; and a rank that exchanges mostly waits for what another one does.
  uint64_t Worth(const ReportFinding& finding) const {
    if (!finding.worth) return 0;
    if (Is(finding, ProblemKind::kSharedDevice)) return UINT64_MAX;
    const uint64_t gain = finding.priced ? finding.gain_ns : finding.blocked_ns / ranks_;
    if (Is(finding, ProblemKind::kExchange)) return gain / 2;
    return IsHostWork(finding) ? gain - gain / 5 : gain;
  }

  std::vector<ReportFinding> found_;
  const double time_ns_;
  const uint64_t ranks_;
};

}  // namespace

bool Is(const ReportFinding& finding, ProblemKind kind) {
  return finding.kind == AdviceOf(kind).kind;
}

bool IsHostWork(const ReportFinding& finding) {
  return Is(finding, ProblemKind::kHostWork) || Is(finding, ProblemKind::kDataWork) ||
         Is(finding, ProblemKind::kAwaitsOthers) || Is(finding, ProblemKind::kSlowLaunch) ||
         Is(finding, ProblemKind::kExchange) ||
         (Is(finding, ProblemKind::kSaving) && finding.wait_class.empty());
}

bool IsWorthChanging(const ReportFinding& finding) {
  if (!finding.worth || finding.small) return false;
  const bool is_of_many = IsInEach(finding) || Is(finding, ProblemKind::kCommunication);
  const double least = is_of_many ? kLeastOfManyPercent : kLeastPercent;
  return !finding.priced || finding.gain_percent >= least;
}

std::vector<ReportFinding> ToldFindings(std::vector<ReportFinding> found, uint64_t length_ns,
                                        uint64_t ranks, bool all) {
  return Telling(std::move(found), length_ns, ranks).Told(all);
}

}  // namespace syncline
