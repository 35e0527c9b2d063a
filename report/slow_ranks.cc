// SPDX-License-Identifier: Apache-2.0
// A stage's own time on each rank, against the spread of that time within the ranks and among them.
#include "report/slow_ranks.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <set>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/advice.h"
#include "report/late_stage.h"
#include "report/rank_stages.h"
#include "report/ranked_changes.h"
#include "report/told_findings.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr uint64_t kLeastPart = 10;      // of what the others take: a tenth
constexpr uint64_t kLeastOfWhole = 100;  // of the working time: a hundredth
constexpr uint64_t kOften = 5;           // what happens less often tells little of its spread
constexpr double kDeviations = 5;        // of the difference of two sums, each with its chance
constexpr size_t kFewOthers = 3;         // fewer tell nothing of the spread among ranks
constexpr uint64_t kTimesTheSpread = 10;
constexpr char kNoRange[] = "no range";
constexpr char kAsTheOthers[] = "if it takes no longer there than the others";

uint64_t Beyond(uint64_t own, uint64_t other) { return own - std::min(own, other); }

// A stage that takes some ranks longer, and where the others are meanwhile.
struct SlowStage {
  const RangeKey* key = nullptr;
  std::vector<size_t> ranks;  // the longest first
  uint64_t beyond_ns = 0;     // of the first one
  uint64_t each_ns = 0, others_each_ns = 0;
  uint64_t count = 0, others_count = 0;
  const RangeKey* waits = nullptr;  // in which the others make up for it; null: in none
  std::string meanwhile;            // "`MPI_Barrier`", "no range"; empty: not known
  bool of_two = false;              // there is one other rank
  uint64_t gain_ns = 0;             // 0: not known
};

class SlowStages {
 public:
  // `ranks`: whose times can be held against each other.
  SlowStages(std::vector<const RankOfRun*> ranks, const RankMeetings& meetings)
      : meetings_(meetings), ranks_(std::move(ranks)), stages_(StagesSideBySide(ranks_)) {
    for (const auto& [key, sums] : meetings.messages) in_messages_.insert({key.rank, key.other});
  }

  // `least_ns`: shorter ones are none.
  std::vector<SlowStage> Find(uint64_t least_ns) const;
  const RankPart& PartOf(size_t rank) const { return ranks_[rank]->second; }
  const std::string& TraceOf(size_t rank) const { return ranks_[rank]->first; }

 private:
  using OfRanks = std::vector<const StageTime*>;

  // Of a rank whose list of stages is full nobody knows what is not on it.
  bool IsKnown(const OfRanks& stage, size_t rank) const {
    return stage[rank] != nullptr || PartOf(rank).stages.size() < kMostStagesOfRank;
  }
  static uint64_t OwnNs(const OfRanks& stage, size_t rank) {
    return stage[rank] == nullptr ? 0 : stage[rank]->own_ns;
  }
  // Who waits for whom is known then.
  bool Met(size_t rank) const {
    const auto facts = meetings_.ranks.find(PartOf(rank).rank);
    return in_messages_.contains(PartOf(rank).rank) ||
           (facts != meetings_.ranks.end() && facts->second.met != 0);
  }
  bool IsHidden(const OfRanks& stage, size_t rank, uint64_t beyond_ns) const;
  void FindRanks(const OfRanks& stage, uint64_t least_ns, bool hidden, SlowStage* slow) const;
  void Measure(const OfRanks& stage, SlowStage* slow) const;
  template <typename OwnOf>
  double MadeUp(const OfRanks& stage, const SlowStage& slow, const OwnOf& own_of) const;
  void FindMeanwhile(const OfRanks& stage, SlowStage* slow) const;
  void Price(SlowStage* slow) const;

  const RankMeetings& meetings_;
  const std::vector<const RankOfRun*> ranks_;
  const StagesOfRanks stages_;
  std::set<int> in_messages_;  // that send to others or receive
};

// The chance in a sum of as many as there were, squared.
double VarianceOf(const StageTime* stage) {
  if (stage == nullptr) return 0;
  const auto deviation = static_cast<double>(stage->own_deviation_ns);
  return deviation * deviation * static_cast<double>(stage->count);
}

// The host of another rank may have run ahead of its device, and this one waited for its own: the
// host's time is the rank's where it worked itself and its devices had nothing to do. That has to
// be half of what the rank is longer.
bool SlowStages::IsHidden(const OfRanks& stage, size_t rank, uint64_t beyond_ns) const {
  if (PartOf(rank).devices.empty()) return false;
  const auto work_of = [](const StageTime* time) {
    return time == nullptr ? 0 : Beyond(time->total_ns, time->blocked_ns);
  };
  std::vector<uint64_t> work;
  for (size_t other = 0; other < ranks_.size(); ++other) {
    if (IsKnown(stage, other)) work.push_back(work_of(stage[other]));
  }
  std::sort(work.begin(), work.end());
  const uint64_t own_ns = work_of(stage[rank]);
  uint64_t idle_ns = 0;
  for (const DeviceUse& use : PartOf(rank).devices) idle_ns = std::max(idle_ns, use.IdleNs());
  return std::min(Beyond(own_ns, MedianOfOthers(work, own_ns)), idle_ns) * 2 < beyond_ns;
}

// `hidden`: those, too.
void SlowStages::FindRanks(const OfRanks& stage, uint64_t least_ns, bool hidden,
                           SlowStage* slow) const {
  std::vector<uint64_t> own;
  std::vector<double> variance;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!IsKnown(stage, rank)) continue;
    own.push_back(OwnNs(stage, rank));
    variance.push_back(VarianceOf(stage[rank]));
  }
  if (own.size() < 2) return;
  std::sort(own.begin(), own.end());
  std::nth_element(variance.begin(), variance.begin() + static_cast<ptrdiff_t>(own.size() / 2),
                   variance.end());
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (stage[rank] == nullptr || Met(rank)) continue;
    const uint64_t ns = OwnNs(stage, rank);
    const uint64_t others_ns = MedianOfOthers(own, ns), beyond_ns = Beyond(ns, others_ns);
    if (beyond_ns == 0 || beyond_ns < least_ns || beyond_ns * kLeastPart < others_ns) continue;
    if (!hidden && IsHidden(stage, rank, beyond_ns)) continue;
    const double chance = std::sqrt(VarianceOf(stage[rank]) + variance[own.size() / 2]);
    const bool often = stage[rank]->count >= kOften;
    if (often && static_cast<double>(beyond_ns) < kDeviations * chance) continue;
    // Once or a few times: it has to stand far from all others, which are close together.
    const uint64_t next_ns = own.back() == ns ? own[own.size() - 2] : own.back();
    const bool stands_apart = own.size() > kFewOthers && ns > next_ns &&
                              ns - next_ns > kTimesTheSpread * (next_ns - own.front()) &&
                              beyond_ns >= others_ns;
    if (!often && !stands_apart) continue;
    slow->ranks.push_back(rank);
  }
  StableSort(&slow->ranks,
             [&stage](size_t a, size_t b) { return OwnNs(stage, a) > OwnNs(stage, b); });
  if (!slow->ranks.empty()) {
    const uint64_t ns = OwnNs(stage, slow->ranks[0]);
    slow->beyond_ns = Beyond(ns, MedianOfOthers(own, ns));
  }
}

// In whole, with what lies within it: that is what people see in the trace.
void SlowStages::Measure(const OfRanks& stage, SlowStage* slow) const {
  const auto each = [](const StageTime* time) {
    return time == nullptr || time->count == 0 ? 0 : time->total_ns / time->count;
  };
  std::vector<uint64_t> all, counts;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!IsKnown(stage, rank)) continue;
    all.push_back(each(stage[rank]));
    counts.push_back(stage[rank] == nullptr ? 0 : stage[rank]->count);
  }
  std::sort(all.begin(), all.end());
  std::sort(counts.begin(), counts.end());
  const StageTime* const longest = stage[slow->ranks[0]];
  slow->each_ns = each(longest);
  slow->count = longest->count;
  slow->others_each_ns = MedianOfOthers(all, slow->each_ns);
  slow->others_count = MedianOfOthers(counts, slow->count);
}

// Which part of the time that it is longer each other rank is longer in another stage, at least; of
// the first of the slow ones.
template <typename OwnOf>
double SlowStages::MadeUp(const OfRanks& stage, const SlowStage& slow, const OwnOf& own_of) const {
  const size_t longest = slow.ranks[0];
  const std::set<size_t> slow_ones(slow.ranks.begin(), slow.ranks.end());
  double least = 1;
  bool any = false;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (slow_ones.contains(rank) || !IsKnown(stage, rank)) continue;
    const uint64_t longer_ns = Beyond(OwnNs(stage, longest), OwnNs(stage, rank));
    if (longer_ns == 0) continue;
    least = std::min(least, static_cast<double>(Beyond(own_of(rank), own_of(longest))) /
                                static_cast<double>(longer_ns));
    any = true;
  }
  return any ? least : 0;
}

void SlowStages::FindMeanwhile(const OfRanks& stage, SlowStage* slow) const {
  constexpr double kLeastMadeUp = 0.5;
  double most = kLeastMadeUp;
  for (const auto& [key, ranks] : stages_) {
    if (key == *slow->key) continue;
    const OfRanks& other = ranks;  // clang captures no structured binding
    const double part = MadeUp(stage, *slow, [&other](size_t rank) { return OwnNs(other, rank); });
    if (part <= most) continue;
    most = part;
    slow->waits = &key;
    slow->meanwhile = Text("`", StageName(key), "`");
  }
  const double part =
      MadeUp(stage, *slow, [this](size_t rank) { return PartOf(rank).between_ranges_ns; });
  if (part <= most) return;
  slow->waits = nullptr;
  slow->meanwhile = kNoRange;
}

bool NameHas(const std::string& name, std::initializer_list<const char*> words) {
  std::string lower = name;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return std::any_of(words.begin(), words.end(),
                     [&lower](const char* word) { return lower.find(word) != std::string::npos; });
}

// What people call a stage in which ranks meet, whatever else they do there.
bool MeansMeeting(const std::string& name) {
  return NameHas(name, {"mpi_", "barrier", "recv", "reduce", "gather", "bcast", "broadcast"});
}

bool MeansWait(const std::string& name) {
  return MeansMeeting(name) || NameHas(name, {"wait", "sync", "exchange"});
}

// Of two stages of which each makes up for the other one, the one in which ranks wait: as it is
// called, else the one that takes the ranks less that are not in the other: who comes last does not
// wait.
bool IsWait(const SlowStage& stage, const SlowStage& other) {
  const bool means = MeansWait(stage.key->name), other_means = MeansWait(other.key->name);
  return means != other_means ? means : stage.others_each_ns < other.others_each_ns;
}

// A rank that meets the others while these work makes them wait for nothing: it waits.
bool IsMeetingOfOne(const SlowStage& slow) {
  const bool others_work =
      !slow.meanwhile.empty() && (slow.waits == nullptr || !MeansWait(slow.waits->name));
  return others_work && MeansMeeting(slow.key->name);
}

// That ranks wait for another one is no finding of its own.
void DropWaits(std::vector<SlowStage>* found) {
  std::set<const RangeKey*> waits;
  for (const SlowStage& slow : *found) {
    if (slow.waits == nullptr) continue;
    const auto back = std::find_if(found->begin(), found->end(), [&slow](const SlowStage& other) {
      return other.key == slow.waits;
    });
    if (back != found->end() && (back->waits != slow.key || IsWait(*back, slow)))
      waits.insert(back->key);
  }
  std::erase_if(*found, [&waits](const SlowStage& slow) {
    return waits.contains(slow.key) || IsMeetingOfOne(slow);
  });
}

// The others meet it there, and no device is at work meanwhile: as much earlier as each of them
// waits there beyond the rank itself, if it takes no longer than half of them. Of more than one
// thread the times are no parts of the rank's.
void SlowStages::Price(SlowStage* slow) const {
  if (slow->waits == nullptr || !MeansMeeting(slow->waits->name)) return;
  const OfRanks& wait = stages_.at(*slow->waits);
  const OfRanks& stage = stages_.at(*slow->key);
  const size_t longest = slow->ranks[0];
  uint64_t gain_ns = slow->beyond_ns;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    const RankPart& part = PartOf(rank);
    const bool one_thread = OwnNs(wait, rank) + OwnNs(stage, rank) <= part.end_ns - part.begin_ns;
    if (!part.devices.empty() || !one_thread) return;
    if (std::find(slow->ranks.begin(), slow->ranks.end(), rank) != slow->ranks.end()) continue;
    gain_ns = std::min(gain_ns, Beyond(OwnNs(wait, rank), OwnNs(wait, longest)));
  }
  slow->gain_ns = gain_ns;
}

std::vector<SlowStage> SlowStages::Find(uint64_t least_ns) const {
  std::vector<SlowStage> found;
  for (const auto& [key, stage] : stages_) {
    SlowStage slow;
    slow.key = &key;
    FindRanks(stage, least_ns, true, &slow);
    if (slow.ranks.empty()) continue;
    FindMeanwhile(stage, &slow);
    // Where the others wait on their hosts, the host's time counts whatever devices did.
    if (slow.waits == nullptr || !MeansWait(slow.waits->name)) {
      slow = {};
      slow.key = &key;
      FindRanks(stage, least_ns, false, &slow);
      if (slow.ranks.empty()) continue;
      FindMeanwhile(stage, &slow);
    }
    slow.of_two = ranks_.size() == 2;
    Measure(stage, &slow);
    // What only a few ranks do is no difference, unless the others wait for them.
    if (slow.others_count == 0 && slow.meanwhile.empty()) continue;
    found.push_back(std::move(slow));
  }
  DropWaits(&found);
  for (SlowStage& slow : found) Price(&slow);
  return found;
}

std::string ProblemOf(const SlowStage& slow, const std::string& ranks) {
  const bool one = slow.ranks.size() == 1;
  const std::string stage = Text("`", StageName(*slow.key), "`");
  const std::string meanwhile =
      slow.meanwhile.empty() ? ""
                             : Text("; ", slow.of_two ? "the other is in " : "the others are in ",
                                    slow.meanwhile, " meanwhile");
  if (slow.others_count == 0)
    return Text(ranks, one ? " alone is in " : " alone are in ", stage, ", ",
                DurationText(slow.each_ns), " each time", meanwhile);
  const std::string times =
      slow.count == slow.others_count
          ? ""
          : Text(", ", CountText(slow.count), " times instead of ", CountText(slow.others_count));
  return Text(ranks, one ? " takes " : " take up to ", DurationText(slow.each_ns), " in ", stage,
              " each time, ", slow.of_two ? "the other " : "the others ",
              DurationText(slow.others_each_ns), times, meanwhile);
}

// Of the rank's longest waits in that stage, the line that has most of them and `least_ns` at
// least.
std::string LineOfWaits(const RunFindings& findings, const std::string& trace,
                        const std::string& stage, uint64_t least_ns) {
  std::map<std::string, uint64_t> lines;
  for (const LongWait& wait : findings.longest_waits) {
    const WaitKey& what = wait.what;
    if (wait.rank == trace && !what.where.empty() && InnermostRange(what.ranges) == stage)
      lines[what.where] += wait.blocked_ns;
  }
  const auto most = std::max_element(
      lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == lines.end() || most->second < least_ns ? "" : most->first;
}

ReportFinding FindingOf(const RunFindings& findings, const SlowStages& stages,
                        const SlowStage& slow, uint64_t whole_ns) {
  const Advice& advice = AdviceOf(ProblemKind::kSlowRank);
  std::vector<int> ranks;
  for (const size_t rank : slow.ranks) ranks.push_back(stages.PartOf(rank).rank);
  std::sort(ranks.begin(), ranks.end());
  ReportFinding finding;
  finding.kind = advice.kind;
  finding.rank = NamesOfRanks(ranks);
  finding.problem = ProblemOf(slow, finding.rank);
  finding.advice = advice.advice;
  finding.stage = slow.key->name;
  const std::string& trace = finding.trace = stages.TraceOf(slow.ranks[0]);
  finding.line = LineOfWaits(findings, trace, finding.stage, slow.beyond_ns / 2);
  if (finding.line.empty()) finding.line = LineOfRankAlone(findings, trace, slow.beyond_ns / 2);
  finding.where = finding.line.empty() ? finding.stage : finding.line;
  finding.count = slow.count;
  finding.blocked_ns = slow.beyond_ns;
  finding.share =
      std::min(1.0, static_cast<double>(slow.beyond_ns) / static_cast<double>(whole_ns));
  if (slow.gain_ns == 0) return finding;
  finding.priced = true;
  finding.gain_ns = std::min(slow.gain_ns, whole_ns);
  finding.gain_percent = 100 * static_cast<double>(finding.gain_ns) / static_cast<double>(whole_ns);
  finding.assumption = kAsTheOthers;
  return finding;
}

// A rank whose device has more to do is told by that, where it makes up for half of the difference;
// and a rank for which others waited, by the line or range in which it was meanwhile.
bool IsTold(const std::vector<ReportFinding>& answers, const ReportFinding& finding) {
  return std::any_of(answers.begin(), answers.end(), [&finding](const ReportFinding& other) {
    const bool is_late = Is(other, ProblemKind::kLateSender) || Is(other, ProblemKind::kLateRank);
    const bool is_placed = !other.line.empty() || other.stage == finding.stage;
    return (Is(other, ProblemKind::kImbalance) || (is_late && is_placed)) &&
           other.rank == finding.rank && other.blocked_ns * 2 >= finding.blocked_ns;
  });
}

// Among the others by its cost.
void Place(ReportFinding finding, std::vector<ReportFinding>* answers) {
  if (IsTold(*answers, finding)) return;
  const auto before =
      std::find_if(answers->begin(), answers->end(), [&finding](const ReportFinding& other) {
        const bool same = other.kind == finding.kind;
        const bool known = other.priced || !other.worth;
        if (finding.priced) return (known ? other.gain_ns : 0) < finding.gain_ns;
        return (same || known) && (known ? other.gain_ns : other.blocked_ns) < finding.blocked_ns;
      });
  answers->insert(before, std::move(finding));
}

}  // namespace

void AddSlowRanks(const RunFindings& findings, const RankMeetings& meetings, bool all,
                  std::vector<ReportFinding>* answers) {
  const uint64_t whole_ns = WorkingTimeNs(findings);
  if (whole_ns == 0) return;
  for (std::vector<const RankOfRun*>& ranks : ComparableRanks(findings)) {
    const SlowStages stages(std::move(ranks), meetings);
    for (const SlowStage& slow : stages.Find(all ? 0 : whole_ns / kLeastOfWhole))
      Place(FindingOf(findings, stages, slow, whole_ns), answers);
  }
}

std::vector<std::string> UnseenMeetings(const RunFindings& findings, const RankMeetings& meetings) {
  const uint64_t whole_ns = WorkingTimeNs(findings);
  std::set<std::string> places;
  for (std::vector<const RankOfRun*>& ranks : ComparableRanks(findings)) {
    const SlowStages stages(std::move(ranks), meetings);
    for (const SlowStage& slow : stages.Find(whole_ns / kLeastOfWhole)) {
      if (!slow.meanwhile.empty()) places.insert(slow.meanwhile);
    }
  }
  std::vector<std::string> sentences;
  for (const std::string& place : places) {
    sentences.push_back(Text(
        "ranks seem to wait for each other ",
        place == kNoRange ? "outside of all ranges" : Text("in ", place),
        ", and no collective was seen there: only those on GPUs, and recorded operators, are"));
  }
  return sentences;
}

}  // namespace syncline
