// SPDX-License-Identifier: Apache-2.0
// Candidates from prices, and from what has none.
#include "report/ranked_changes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "model/devices/source_facts.h"
#include "model/findings/collective_words.h"
#include "report/advice.h"
#include "report/hardly_works.h"
#include "report/host_work_kind.h"
#include "report/job_gain.h"
#include "report/late_stage.h"
#include "report/lost_records.h"
#include "report/mending_order.h"
#include "report/shared_devices.h"
#include "report/slow_ranks.h"
#include "report/told_findings.h"
#include "report/uneven_device.h"
#include "report/uneven_rank.h"
#include "report/waited_places.h"
#include "report/words.h"

namespace syncline {
namespace {
constexpr uint64_t kShortGapNs = 100'000;   // between launches: no work of its own
constexpr uint64_t kRanksOfChance = 8;      // of more, one comes last oftener by chance
constexpr uint64_t kTimesTheOthers = 2;     // as long as for another rank, they wait for a late one
constexpr uint64_t kFewAllocations = 3;     // so many are not in the loop
constexpr uint64_t kFewHandOvers = 3;       // so many are no queue
constexpr uint64_t kLeastCopyBytes = 4096;  // less is a value, or a few
constexpr uint64_t kMostWorkers = 64;       // nobody starts more for that
constexpr char kTakesNoTime[] = "if that took no time";
constexpr char kIn[] = ", in ";  // between a line and a package's: CodeLocation::where

class Answers {
 public:
  Answers(const RunFindings& findings, const RankMeetings& meetings)
      : findings_(findings),
        meetings_(meetings),
        frameworks_(FrameworksOf(findings)),
        length_ns_(WorkingTimeNs(findings)),
        gains_(findings, meetings, length_ns_) {
    for (const auto& [name, part] : findings.ranks) ranks_ += part.rank >= 0 ? 1 : 0;
    ranks_ = std::max<uint64_t>(ranks_, 1);
    FindLatest();
  }

  std::vector<ReportFinding> Find(bool all);

 private:
  void FindLatest();
  void Waits();
  void AddWait(const WaitedPlace& place);
  void Prices();
  bool IsWaiting(const PriceKey& key, const PriceSums& sums) const;
  void SavingOnce();
  bool IsToldOtherwise(const PriceKey& key, const PriceSums& sums) const;
  void AddHostWork(const PriceKey& key, const PriceSums& sums);
  void AddPlaced(ProblemKind kind, const PriceKey& key, const PriceSums& sums,
                 const std::string& otherwise);
  void TakeGain();
  void FirstUse();
  void OtherDevices();
  void SharedDevice();
  void LateRank();
  void LateSender();
  void PlaceLateRank(int rank, uint64_t each_ns, ReportFinding* late);
  void Imbalance();
  void UnevenGpus();
  void Add(ProblemKind kind, const std::string& source, ReportFinding finding,
           const PriceSums* price);
  void SetGain(uint64_t gain_ns, ReportFinding* finding) const;
  void TellAhead(const PriceSums& price, ReportFinding* finding);
  const PriceSums* PriceOf(const PriceKey& key) const;
  std::string RanksText(const PriceSums* price) const;
  void PointAtLongest(const std::string& where, const std::string& call, ReportFinding* finding);

  const RunFindings& findings_;
  const RankMeetings& meetings_;
  const std::set<std::string> frameworks_;
  const uint64_t length_ns_;  // against which gains are held
  const JobGain gains_;
  uint64_t ranks_ = 0;
  int latest_ = -1;  // the rank for which the others waited most; -1: none
  uint64_t latest_ns_ = 0;
  std::set<PriceKey> used_;  // by findings of waits
  std::vector<ReportFinding> found_;
};

void Answers::FindLatest() {
  std::map<int, uint64_t> waited;
  uint64_t all_ns = 0;
  for (const auto& [rank, facts] : meetings_.ranks) {
    // Processes start one after the other: that is told by no line, and happens once.
    for (const auto& [last, ns] : facts.waited_for_ns) {
      const uint64_t again_ns = ns - std::min(ns, facts.at_first_ns.Of(last));
      waited[last] += again_ns;
      all_ns += again_ns;
    }
  }
  const uint64_t others = std::max<uint64_t>(meetings_.ranks.size(), 2) - 1;
  for (auto& [rank, ns] : waited) {
    // It came late because it waited itself, for what another rank sends.
    const auto bubble = meetings_.bubbles_ns.find(rank);
    if (bubble != meetings_.bubbles_ns.end()) ns -= std::min(ns, bubble->second * others);
    if (ns <= latest_ns_) continue;
    latest_ = rank;
    latest_ns_ = ns;
  }
  // Of ranks that are alike, too, one comes last a little more often.
  const uint64_t least_ns = std::max(kTimesTheOthers * (all_ns - latest_ns_) / others,
                                     others < kRanksOfChance ? 0 : all_ns / kRanksOfChance);
  if (latest_ns_ < least_ns) latest_ = -1;
}

const PriceSums* Answers::PriceOf(const PriceKey& key) const {
  const auto found = findings_.prices.find(key);
  return found == findings_.prices.end() ? nullptr : &found->second;
}

// Where one rank has most of it, that one.
std::string Answers::RanksText(const PriceSums* price) const {
  if (ranks_ == 1 || price == nullptr || price->of_ranks.empty()) return "";
  const std::string& worst = price->Worst()->first;
  if (IsOfOneRank(*price) && worst.starts_with("rank-")) return "rank " + worst.substr(5);
  return std::to_string(price->of_ranks.size()) + " ranks";
}

void Answers::Add(ProblemKind kind, const std::string& source, ReportFinding finding,
                  const PriceSums* price) {
  const Advice& advice = AdviceOf(kind);
  finding.kind = advice.kind;
  finding.problem = advice.problem;
  finding.assumption = advice.assumption;
  finding.advice = AdviceFor(kind, source, frameworks_, finding.stage);
  if (price != nullptr) {
    finding.priced = true;
    SetGain(gains_.Of(*price), &finding);
    if (kind == ProblemKind::kHostWork || kind == ProblemKind::kDataWork)
      TellAhead(*price, &finding);
  }
  if (finding.rank.empty()) {
    finding.rank = RanksText(price);
    if (finding.rank.starts_with("rank ")) finding.count_ranks = price->of_ranks.size();
  }
  found_.push_back(std::move(finding));
}

void Answers::SetGain(uint64_t gain_ns, ReportFinding* finding) const {
  finding->gain_ns = gain_ns;
  if (length_ns_ == 0) return;
  finding->gain_percent =
      std::min(100 * static_cast<double>(gain_ns) / static_cast<double>(length_ns_), 100.0);
}

// What the cheap remedy brings, where that is not all of it.
void Answers::TellAhead(const PriceSums& price, ReportFinding* finding) {
  finding->ahead_ns = std::min(gains_.OfAhead(price), finding->gain_ns);
  if (finding->ahead_ns * 20 >= finding->gain_ns * 19) return;
  finding->assumption = kTakesNoTime;
  const uint64_t left_ns =
      std::max<uint64_t>(length_ns_ - std::min(length_ns_, finding->gain_ns), 1);
  const uint64_t work_ns = price.removed_ns / std::max<uint64_t>(price.of_ranks.size(), 1);
  finding->workers = std::min((work_ns + left_ns - 1) / left_ns, kMostWorkers + 1);
  finding->advice +=
      Text(" (one brings ", finding->ahead_ns == 0 ? "nothing" : DurationText(finding->ahead_ns));
  if (finding->workers > 1 && finding->workers <= kMostWorkers)
    finding->advice += Text(", ", finding->workers, " bring all of it");
  finding->advice += ")";
}

void Answers::PointAtLongest(const std::string& where, const std::string& call,
                             ReportFinding* finding) {
  for (const LongWait& wait : findings_.longest_waits) {
    if (wait.what.program != finding->program) continue;
    if (where.empty() ? wait.what.call != call || !wait.what.where.empty()
                      : wait.what.where != where)
      continue;
    finding->trace = wait.rank;
    finding->begin_ns = wait.begin_ns;
    return;
  }
}

void Answers::AddWait(const WaitedPlace& place) {
  const Waited& waited = place.waited;
  const PriceKey& key = place.key;
  const auto& [wait_class, call] = Waited::Most(waited.calls)->first;
  const PriceSums* price = PriceOf(key);
  ProblemKind kind = KindOfWait(wait_class);
  if (price != nullptr && price->read_ns > price->send_ns &&
      price->read_ns * 4 >= price->known_ns && kind != ProblemKind::kAllocation)
    kind = price->read_bytes < kLeastCopyBytes * price->read_backs ? ProblemKind::kReadBack
                                                                   : ProblemKind::kCopyBack;
  const bool sends = price != nullptr && price->send_ns * 2 > price->known_ns;
  if (sends && (kind == ProblemKind::kDefaultStreamWait || kind == ProblemKind::kStreamWait))
    kind = price->pinned_sends * 2 > price->sends ? ProblemKind::kSynchronousCopy
                                                  : ProblemKind::kPageableCopy;
  if (IsSaving(place.where)) kind = ProblemKind::kSaving;
  PriceKey change = key, taken = key;
  taken.change = Change::kAllocations;
  taken.wait_class = WaitClass::kDevice;
  if (const PriceSums* whole = PriceOf(taken);
      kind == ProblemKind::kAllocation && whole != nullptr) {
    price = whole;  // the calls as well as their waits
    change = taken;
    used_.insert(std::move(taken));
  }
  if (kind == ProblemKind::kAllocation && waited.sums.blocked.count <= kFewAllocations * ranks_)
    return;
  if (kind == ProblemKind::kQueueFull && price == nullptr) return;  // alone it costs nothing
  ReportFinding finding;
  finding.wait_class = WaitClassName(wait_class);
  finding.call = call;
  finding.program = key.program;
  finding.stage = InnermostRange(MostRanges(waited));
  finding.where = !place.where.empty()     ? place.where
                  : !finding.stage.empty() ? finding.stage
                                           : call;
  finding.line = place.where;
  finding.lines = place.more;
  finding.count = waited.sums.blocked.count;
  // A copy that waited by itself, and the wait behind it, are one read; or one copy to the device.
  const bool reads = kind == ProblemKind::kReadBack || kind == ProblemKind::kCopyBack;
  if (reads && waited.sums.needless * 2 == finding.count) finding.count -= waited.sums.needless;
  if (sends && price->sends * 2 == price->count) finding.count = (finding.count + 1) / 2;
  finding.blocked_ns = waited.sums.blocked.total_ns;
  finding.idle_after_ns = waited.sums.idle_after_ns;
  finding.parts = PartsOf(place);
  PointAtLongest(place.line, call, &finding);
  finding.worth = price != nullptr || kind != ProblemKind::kModuleLoad;
  if (price != nullptr) finding.change = std::move(change);
  Add(kind, key.source, std::move(finding), price);
  if (kind == ProblemKind::kPageableCopy && price != nullptr && price->sent_faster == 0 &&
      price->sends > price->pinned_sends)
    found_.back().assumption += "; or more: how fast pinned copies are was not seen";
  if (kind != ProblemKind::kCopyBack) return;
  const uint64_t each = price->read_bytes / std::max<uint64_t>(price->read_backs, 1);
  found_.back().problem = Text("the host waits for a copy of ", SizeText(each), " from the GPU");
  if (price->pinned_reads * 2 > price->read_backs)
    found_.back().advice = "wait where the data is needed, with the next work submitted before";
}

void Answers::Waits() {
  for (const WaitedPlace& place : WaitedPlaces(findings_)) AddWait(place);
}

// Of what goes by within one line, a package's lines are told where one way between two of them has
// half of it; else all of it together is.
bool Answers::IsToldOtherwise(const PriceKey& key, const PriceSums& sums) const {
  if (key.span != HostSpan::kWithin) return false;
  PriceKey whole = key;
  whole.before = key.where;
  whole.below = "";
  const PriceSums* const all = key == whole ? &sums : PriceOf(whole);
  if (all == nullptr) return false;
  uint64_t most = 0;
  PriceKey first = key;  // those of one line stand together
  first.before = "";
  const auto is_of_line = [&key](const PriceKey& part) {
    return std::tie(part.source, part.change, part.ranges, part.where) ==
           std::tie(key.source, key.change, key.ranges, key.where);
  };
  for (auto part = findings_.prices.lower_bound(first);
       part != findings_.prices.end() && is_of_line(part->first); ++part) {
    if (part->first.span == key.span && !part->first.below.empty() &&
        part->first.program == key.program)
      most = std::max(most, part->second.gain.gain_ns);
  }
  const bool in_parts = most * 2 >= all->gain.gain_ns && most != 0;
  return in_parts ? key.below.empty() : !key.below.empty();
}

void Answers::AddHostWork(const PriceKey& key, const PriceSums& sums) {
  if (sums.count == 0 || sums.removed_ns / sums.count < kShortGapNs) return;
  ReportFinding finding;
  finding.program = key.program;
  finding.stage = InnermostRange(key.ranges);
  finding.line = key.where == kOtherLines ? "" : key.where;
  finding.before = key.before == kOtherLines ? "" : key.before;
  finding.below = key.below == kOtherLines ? "" : key.below;
  finding.statement = key.statement;
  finding.span = key.span;
  finding.where = !key.where.empty() ? key.where : !key.before.empty() ? key.before : finding.stage;
  finding.count = sums.count;
  finding.blocked_ns = sums.removed_ns;
  finding.change = key;
  const ProblemKind kind = KindOfHostWork(key, sums.removed_ns / sums.count);
  Add(kind, key.source, std::move(finding), &sums);
  if (kind == ProblemKind::kAwaitsOthers && sums.count <= kFewHandOvers * ranks_) TakeGain();
}

// Of what was added last: a program that waits for its workers at its end gains nothing without
// the wait.
void Answers::TakeGain() {
  ReportFinding& finding = found_.back();
  finding.worth = finding.priced = false;
  finding.gain_ns = 0;
  finding.gain_percent = 0;
  finding.assumption.clear();
}

// At its line, else in its stage; `otherwise`: where neither is known.
void Answers::AddPlaced(ProblemKind kind, const PriceKey& key, const PriceSums& sums,
                        const std::string& otherwise) {
  ReportFinding finding;
  finding.call = key.call;
  finding.line = key.where;
  finding.program = key.program;
  finding.stage = InnermostRange(key.ranges);
  finding.where = !key.where.empty() ? key.where : finding.stage;
  if (finding.where.empty()) finding.where = otherwise;
  finding.count = sums.count;
  const bool is_time_lost = kind == ProblemKind::kAllocation || kind == ProblemKind::kCopyBlocks ||
                            kind == ProblemKind::kCommunication ||
                            kind == ProblemKind::kHostFunction;
  if (is_time_lost) finding.blocked_ns = sums.removed_ns;
  finding.change = key;
  Add(kind, key.source, std::move(finding), &sums);
}

// Where most of it is waiting for another rank's messages, the late sender is told.
bool Answers::IsWaiting(const PriceKey& key, const PriceSums& sums) const {
  if (!IsSendReceive(key.call)) return false;
  uint64_t bubbles_ns = 0;
  for (const auto& [rank, ns] : meetings_.bubbles_ns) {
    if (sums.of_ranks.contains(Text("rank-", rank))) bubbles_ns += ns;
  }
  return bubbles_ns * 2 > sums.removed_ns;
}

// Changes of what is no wait.
void Answers::Prices() {
  for (const auto& [key, sums] : findings_.prices) {
    switch (key.change) {
      case Change::kHostWork:
        if (!IsToldOtherwise(key, sums)) AddHostWork(key, sums);
        break;
      case Change::kAllocations:
        if (!used_.contains(key) && sums.count > kFewAllocations * sums.of_ranks.size())
          AddPlaced(ProblemKind::kAllocation, key, sums, key.call);
        break;
      case Change::kCopies:
        AddPlaced(ProblemKind::kCopyBlocks, key, sums, "copies");
        break;
      case Change::kLaunches:
        AddPlaced(ProblemKind::kLaunchBound, key, sums, "launches of kernels");
        break;
      case Change::kHostFunctions:
        AddPlaced(ProblemKind::kHostFunction, key, sums, key.call);
        break;
      case Change::kDefaultStream:
        AddPlaced(ProblemKind::kDefaultStream, key, sums, "default stream");
        break;
      case Change::kCommunication:
        if (IsWaiting(key, sums)) break;
        AddPlaced(ProblemKind::kCommunication, key, sums, "");
        found_.back().problem += Text(" (", key.call, ")");
        break;
      default:
        break;
    }
  }
}

// All of it together, apart from what a loop does again and again.
void Answers::FirstUse() {
  ReportFinding finding;
  std::string source;
  for (const auto& [key, sums] : findings_.gaps) {
    if (key.cause != GapCause::kFirstUse) continue;
    finding.count += sums.count;
    finding.blocked_ns += sums.total_ns;
    source = key.source;
  }
  if (finding.count == 0) return;
  finding.worth = false;
  Add(ProblemKind::kFirstUse, source, std::move(finding), nullptr);
}

// By the other device's operation.
void Answers::OtherDevices() {
  std::map<std::pair<std::string, std::string>, DurationSums> by_work;
  for (const auto& [key, sums] : findings_.gaps) {
    if (key.cause == GapCause::kOtherDevice) by_work[{key.source, key.call}].Add(sums);
  }
  for (const auto& [work, sums] : by_work) {
    ReportFinding finding;
    finding.where = work.second;
    finding.count = sums.count;
    finding.blocked_ns = sums.total_ns;
    Add(ProblemKind::kOtherDevice, work.first, std::move(finding), nullptr);
  }
}

// What else is found is of less use: the ranks do not compute where they were meant to.
void Answers::SharedDevice() {
  const SharedDevices devices = FindSharedDevices(findings_);
  if (devices.shared.empty() || devices.idle == 0) return;
  const DeviceUse& use = *devices.shared[0].use;
  const size_t count = devices.shared.size();
  ReportFinding finding;
  finding.where = Text("device ", use.device, ": ", use.name);
  if (count > 1) finding.where += Text(", and ", CountText(count - 1), " more");
  finding.rank = NamesOfRanks(devices.ranks);
  Add(ProblemKind::kSharedDevice, use.source, std::move(finding), nullptr);
  found_.back().problem = Text(CountText(devices.ranks.size()), " ranks compute on ",
                               count == 1 ? "one GPU" : Text(CountText(count), " GPUs"), ", while ",
                               CountText(devices.idle),
                               devices.idle == 1 ? " other has" : " others have", " nothing to do");
}

void Answers::LateRank() {
  if (latest_ < 0) return;
  const auto facts = meetings_.ranks.find(latest_);
  ReportFinding finding;
  finding.rank = "rank " + std::to_string(latest_);
  finding.late_rank = latest_;
  finding.where = finding.rank;
  finding.count = facts == meetings_.ranks.end() ? 0 : facts->second.came_last;
  finding.blocked_ns = latest_ns_;
  finding.stage = LateStageOf(findings_, "rank-" + std::to_string(latest_), latest_ns_).name;
  PriceSums price;
  price.gain.gain_ns = gains_.OfLateRank(latest_);
  Add(ProblemKind::kLateRank, "", std::move(finding),
      MeetInOperators(meetings_) ? nullptr : &price);
  PlaceLateRank(latest_, latest_ns_ / std::max<uint64_t>(ranks_ - 1, 1), &found_.back());
}

// In a pipeline each rank waits for the one before it, which has itself waited: what that waited is
// not its own.
void Answers::LateSender() {
  std::map<int, std::map<int, uint64_t>> waited_for;  // by sender: for how long which rank waited
  std::map<int, uint64_t> waited;
  for (const auto& [key, sums] : meetings_.messages) {
    if (!key.sends) waited_for[key.other][key.rank] += sums.waited_ns;
    waited[key.rank] += sums.waited_ns;
  }
  int sender = -1, waiting = -1;
  uint64_t most_ns = 0, longest_ns = 0;
  for (const auto& [other, of_ranks] : waited_for) {
    const auto longest =
        std::max_element(of_ranks.begin(), of_ranks.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    const uint64_t own_ns = longest->second - std::min(longest->second, waited[other]);
    if (own_ns <= most_ns) continue;
    most_ns = own_ns;
    sender = other;
    std::tie(waiting, longest_ns) = *longest;
  }
  if (sender < 0) return;
  ReportFinding finding;
  finding.rank = finding.where = Text("rank ", sender);
  finding.blocked_ns = longest_ns;
  for (const auto& [key, sums] : meetings_.messages) {
    if (!key.sends && key.other == sender) finding.count += sums.waited;
  }
  finding.stage = LateStageOf(findings_, Text("rank-", sender), longest_ns).name;
  Add(ProblemKind::kLateSender, "", std::move(finding), nullptr);
  found_.back().problem = Text("rank ", waiting, " waited ", DurationText(longest_ns), " for rank ",
                               sender, "'s sends");
  PlaceLateRank(sender, most_ns, &found_.back());
}

// Where it was while the others waited: at what kept its host busy, which is not told a second time
// then, or where it waited alone; if that took half of the time and more. The gain is that of a
// rank that comes when the others do, where that is known: without the line it would come before
// them.
void Answers::PlaceLateRank(int rank, uint64_t each_ns, ReportFinding* late) {
  const std::string name = "rank-" + std::to_string(rank);
  const auto* const most = HostWorkOfRank(findings_, name, each_ns / 2);
  if (most == nullptr) late->line = LineOfRankAlone(findings_, name, each_ns / 2);
  if (!late->line.empty()) late->where = late->line;
  if (most == nullptr) return;
  const PriceKey& key = most->first;
  const auto same = std::find_if(found_.begin(), found_.end(), [&key](const ReportFinding& other) {
    return IsHostWork(other) && other.line == key.where && other.before == key.before &&
           other.below == key.below && other.program == key.program;
  });
  if (same == found_.end()) return;
  late->where = late->line = key.where;
  late->before = key.before;
  late->below = key.below;
  late->statement = key.statement;
  late->span = key.span;
  late->program = key.program;
  if (!key.ranges.empty()) late->stage = InnermostRange(key.ranges);
  const bool is_known = late->priced && late->gain_ns != 0;
  // What a sender sends depends on what it got: not ahead. What that brings is more than it is
  // late.
  if (!Is(*late, ProblemKind::kLateSender))
    late->advice = is_known ? AdviceFor(KindOfHostWork(key, most->second.removed_ns /
                                                                std::max<uint64_t>(same->count, 1)),
                                        key.source, frameworks_)
                            : same->advice;
  if (!is_known) {
    late->change = key;
    late->late_rank = -1;
    late->assumption = kTakesNoTime;
    late->priced = late->priced || same->gain_ns != 0;
    SetGain(same->gain_ns, late);
  }
  found_.erase(same);
}

// Who saves at a line waits for the device and works between the copies: the line is one finding.
void Answers::SavingOnce() {
  std::map<std::pair<std::string, std::string>, ReportFinding*> of_line;  // waits come first
  for (ReportFinding& finding : found_) {
    if (!Is(finding, ProblemKind::kSaving) || !finding.change) continue;
    const bool is_left = finding.before.find(kIn) != std::string::npos && IsSaving(finding.before);
    const std::string& place = is_left ? finding.before : finding.line;
    const std::string line = place.substr(0, place.find(kIn));
    const auto [first, is_new] = of_line.try_emplace({line, finding.program}, &finding);
    if (is_new || line.empty()) continue;
    first->second->also.push_back(std::move(*finding.change));
    finding.change.reset();
  }
  std::erase_if(found_, [](const ReportFinding& finding) {
    return Is(finding, ProblemKind::kSaving) && finding.priced && !finding.change;
  });
  for (ReportFinding& finding : found_) {
    if (finding.also.empty()) continue;
    std::vector<const PriceSums*> prices = {PriceOf(*finding.change)};
    for (const PriceKey& key : finding.also) prices.push_back(PriceOf(key));
    SetGain(gains_.OfAll(prices), &finding);
  }
}

// A rank that comes late because it has more to compute is one finding, with the place at which it
// is late: the time that the others wait for it is mostly what it computes beyond them.
void Answers::Imbalance() {
  const std::optional<UnevenRank> uneven = FindUnevenRank(findings_, meetings_);
  if (!uneven) return;
  PriceSums price;
  price.gain.gain_ns = uneven->beyond_mean_ns;
  ReportFinding finding;
  finding.rank =
      uneven->name.starts_with("rank-") ? "rank " + uneven->name.substr(5) : uneven->name;
  finding.where = finding.rank;
  finding.count = 1;
  finding.blocked_ns = uneven->beyond_mean_ns;
  finding.stage = LateStageOf(findings_, uneven->name).name;
  const auto late = std::find_if(found_.begin(), found_.end(), [&](const ReportFinding& other) {
    return Is(other, ProblemKind::kLateRank) && other.rank == finding.rank;
  });
  const uint64_t others = std::max<uint64_t>(ranks_ - 1, 1);
  if (late != found_.end() && late->blocked_ns / others < 2 * uneven->beyond_others_ns) {
    finding = std::move(*late);
    price.gain.gain_ns = std::min(price.gain.gain_ns, finding.gain_ns);
    found_.erase(late);
  }
  Add(ProblemKind::kImbalance, "", std::move(finding), &price);
}

void Answers::UnevenGpus() {
  const std::optional<UnevenDevice> uneven = FindUnevenDevice(findings_);
  if (!uneven) return;
  PriceSums price;
  price.gain.gain_ns = uneven->beyond_mean_ns;
  Add(ProblemKind::kImbalance, "", FindingOfDevice(*uneven, ranks_ > 1), &price);
  found_.back().problem = "one GPU of a program has more to compute than its others";
}

std::vector<ReportFinding> Answers::Find(bool all) {
  Waits();
  Prices();
  SavingOnce();
  LateRank();
  LateSender();
  Imbalance();
  UnevenGpus();
  FirstUse();
  OtherDevices();
  const auto [busy, seen] = BusyTime(findings_);
  TellThatDevicesHardlyWork({busy, seen, length_ns_ * ranks_, ranks_}, &found_);
  SharedDevice();
  return ToldFindings(std::move(found_), length_ns_, ranks_, all);
}

}  // namespace

std::vector<ReportFinding> FindAnswers(const RunFindings& findings, const RankMeetings& meetings,
                                       bool all) {
  std::vector<ReportFinding> answers = Answers(findings, meetings).Find(all);
  const uint64_t length_ns = WorkingTimeNs(findings);
  AddSlowRanks(findings, meetings, all, &answers);
  MarkLost(findings, &answers);
  FindMendingOrder(findings, JobGain(findings, meetings, length_ns), length_ns, &answers);
  return answers;
}

}  // namespace syncline
