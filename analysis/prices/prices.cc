// SPDX-License-Identifier: Apache-2.0
// Groups what may be changed, and replays without the largest groups.
#include "analysis/prices/prices.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/prices/replay.h"
#include "analysis/prices/replay_marks.h"
#include "analysis/sums/main_ways.h"
#include "base/text.h"

namespace syncline {
namespace {

constexpr uint64_t kLeastShare = 1000;
constexpr size_t kDeepest = 4;  // of nested ranges that have a price
constexpr size_t kMostGroups = 1 << 14;
constexpr uint64_t kLeastJointShare = 100;  // of what is replayed together with others
constexpr std::string_view kWithin = " > ";

std::string TextAt(const std::vector<std::string>& texts, size_t at) {
  return at < texts.size() ? texts[at] : std::string();
}

// What a wait is for; known in the windows alone.
struct CopyOfWait {
  bool known = false;
  bool reads = false;  // to the host
  bool sends = false;  // to the device
  bool again = false;  // ... which the copy's own call waits for, too
  bool is_pinned = false;
  bool is_faster = false;  // pinned, it would be copied at a rate that is known
  uint32_t bytes = 0;
};

// Items of one kind, divided into groups.
class Grouping {
 public:
  struct Group {
    PriceKey key;
    uint64_t count = 0;
    uint64_t removed_ns = 0;
    uint64_t known_ns = 0;
    uint64_t read_ns = 0;
    uint64_t send_ns = 0;
    uint64_t read_backs = 0;
    uint64_t pinned_reads = 0;
    uint64_t read_bytes = 0;
    uint64_t sends = 0;
    uint64_t pinned_sends = 0;
    uint64_t sent_faster = 0;
  };

  // kNoIndex where an item belongs to none.
  explicit Grouping(size_t items) : of_item_(items, kNoIndex) {}

  void Add(size_t item, PriceKey key, uint64_t ns, const CopyOfWait& copy = {}) {
    if (numbers_.size() >= kMostGroups && !numbers_.contains(key)) {
      ++left_out_;
      return;
    }
    const auto [at, added] =
        numbers_.try_emplace(std::move(key), static_cast<uint32_t>(groups_.size()));
    if (added) groups_.push_back({at->first});
    Group& group = groups_[at->second];
    ++group.count;
    group.removed_ns += ns;
    group.known_ns += copy.known ? ns : 0;
    group.read_ns += copy.reads ? ns : 0;
    group.send_ns += copy.sends ? ns : 0;
    group.read_backs += copy.reads ? 1 : 0;
    group.pinned_reads += copy.reads && copy.is_pinned ? 1 : 0;
    group.read_bytes += copy.reads ? copy.bytes : 0;
    group.sends += copy.sends && !copy.again ? 1 : 0;
    group.pinned_sends += copy.sends && !copy.again && copy.is_pinned ? 1 : 0;
    group.sent_faster += copy.is_faster ? 1 : 0;
    of_item_[item] = at->second;
  }

  ItemSet ItemsOf(uint32_t group) const {
    ItemSet items(of_item_.size());
    for (size_t i = 0; i < of_item_.size(); ++i) items[i] = of_item_[i] == group;
    return items;
  }
  const std::vector<Group>& groups() const { return groups_; }
  uint64_t left_out() const { return left_out_; }  // items of groups beyond the most

  // Numbers of those that take out at least `least_ns`, the largest first.
  std::vector<uint32_t> Largest(uint64_t least_ns) const {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].removed_ns >= least_ns) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [this](uint32_t a, uint32_t b) {
      return groups_[a].removed_ns > groups_[b].removed_ns;
    });
    return order;
  }

 private:
  std::map<PriceKey, uint32_t> numbers_;
  std::vector<Group> groups_;
  std::vector<uint32_t> of_item_;
  uint64_t left_out_ = 0;
};

class Pricing {
 public:
  Pricing(ReplayGraph* graph, const SourceRun& source, NameFolder* names, uint64_t steps_ns,
          std::map<PriceKey, PriceSums>* prices, ReplayFacts* facts)
      : graph_(graph),
        source_(source),
        found_(source.findings),
        names_(names),
        prices_(prices),
        facts_(facts),
        copies_(found_.waits.size()),
        steps_ns_(steps_ns) {
    for (const ReplayWindow& window : graph->windows) {
      for (const ReplayPoint& point : window.points) {
        if (point.wait < copies_.size()) copies_[point.wait].known = true;
        if (point.kind == PointKind::kSubmit && point.ops != 0) NoteCopy(window, point);
      }
    }
    const uint64_t end_ns = graph->begin_ns + graph->whole_ns;
    counted_ns_ = end_ns - std::clamp(steps_ns, graph->begin_ns, end_ns);
    counted_ns_ -= std::min(counted_ns_, TakeOutCost());
    least_ns_ = std::max<uint64_t>(counted_ns_ / kLeastShare, 1);
    const Scenario no_change;
    int64_t waited = 0;
    for (const ReplayWindow& window : graph->windows) {
      base_.push_back(replay_.Run(window, &no_change, steps_ns_).gain_ns());
      waited += base_.back() - replay_.Run(window, nullptr, steps_ns_).gain_ns();
    }
    facts->waited_ns =
        std::max(facts->waited_ns, Scaled(static_cast<uint64_t>(std::max<int64_t>(waited, 0))));
  }

  // Before all else: gains are those of the program that nobody records.
  uint64_t TakeOutCost() {
    if (graph_->call_cost_ns == 0) return 0;
    uint64_t taken_ns = 0;
    for (ReplayWindow& window : graph_->windows)
      taken_ns += replay_.TakeOutCost(graph_->call_cost_ns, steps_ns_, &window);
    facts_->recording_ns += Scaled(taken_ns);
    return Scaled(taken_ns);
  }

  void NoteCopy(const ReplayWindow& window, const ReplayPoint& point) {
    const ReplayOp& op = window.ops[point.op];
    const bool is_faster =
        !op.is_pinned && window.pinned_bytes_per_ns[static_cast<size_t>(op.copy)] != 0;
    if (point.reads_for < copies_.size())
      copies_[point.reads_for] = {true, true, false, false, op.is_pinned, false, op.bytes};
    for (const uint32_t wait : {point.sends_for, point.sent_for}) {
      const bool again = wait == point.sent_for;
      if (wait < copies_.size())
        copies_[wait] = {true, false, true, again, op.is_pinned, is_faster, op.bytes};
    }
  }
  void Waits();
  void Allocations(const ReplayPlaces& places);
  bool DidSeveralThings(const Gap& gap, size_t index) const;
  void HostWork();
  void HostFunctions();
  void Operations(const ReplayPlaces& places);
  void Communication(const ReplayPlaces& places);
  void Joint(std::vector<uint64_t>* gains_ns);

 private:
  // A change that brings much by itself.
  struct Candidate {
    std::vector<PriceKey> keys;  // that all change the same
    Scenario scenario;
    uint64_t gain_ns = 0;
  };

  PriceKey KeyOf(Change change) const {
    PriceKey key;
    key.source = source_.facts.name;
    key.change = change;
    return key;
  }
  // Where a line is the place: passes of a loop, each in a range with its number, are one.
  std::string FamilyOf(const std::vector<std::string>& ranges, size_t at) {
    return at < ranges.size() ? names_->FamilyPath(ranges[at]) : std::string();
  }
  std::string RangesOf(const std::vector<std::string>& ranges, size_t at) {
    return at < ranges.size() ? names_->FoldedPath(ranges[at]) : std::string();
  }
  // What is known of the windows alone, for the whole.
  uint64_t Scaled(uint64_t of_windows) const {
    if (graph_->replayed_ns == 0 || graph_->replayed_ns >= graph_->seen_ns) return of_windows;
    return static_cast<uint64_t>(static_cast<double>(of_windows) *
                                 static_cast<double>(graph_->seen_ns) /
                                 static_cast<double>(graph_->replayed_ns));
  }
  void PriceAll(const Grouping& grouping);
  PriceSums& Price(const Grouping::Group& group, const Scenario& scenario);
  void Consider(const PriceKey& key, const Scenario& scenario, uint64_t gain_ns);
  uint64_t GainOf(const Scenario& scenario);
  void WaitsOfRanges();
  void WaitsOfCallers();
  void WaitsOfFunctions();
  template <typename Visit>
  void EachPlaced(const Visit& visit);

  ReplayGraph* const graph_;
  const SourceRun& source_;
  const Findings& found_;
  NameFolder* const names_;
  std::map<PriceKey, PriceSums>* const prices_;
  ReplayFacts* const facts_;
  std::vector<CopyOfWait> copies_;  // by wait
  Replay replay_;
  const uint64_t steps_ns_;
  std::vector<int64_t> base_;  // gains of the windows without a change
  uint64_t counted_ns_ = 0;    // from the first step on
  uint64_t least_ns_ = 0;
  std::vector<Candidate> candidates_;  // that bring most, at most kMostJoint
};

Scenario ScenarioOf(const Grouping& grouping, uint32_t group) {
  Scenario scenario;
  const Change change = grouping.groups()[group].key.change;
  ItemSet* const items = IsOfWaits(change)                  ? &scenario.waits
                         : change == Change::kAllocations   ? &scenario.allocations
                         : change == Change::kHostFunctions ? &scenario.functions
                                                            : &scenario.gaps;
  *items = grouping.ItemsOf(group);
  return scenario;
}

void Pricing::PriceAll(const Grouping& grouping) {
  facts_->ungrouped += grouping.left_out();
  std::vector<uint32_t> largest = grouping.Largest(least_ns_);
  if (largest.size() > kMostPriced) {
    facts_->unpriced += largest.size() - kMostPriced;
    largest.resize(kMostPriced);
  }
  for (const uint32_t number : largest) {
    const Grouping::Group& group = grouping.groups()[number];
    Scenario scenario = ScenarioOf(grouping, number);
    PriceSums& sums = Price(group, scenario);
    scenario.ahead = true;
    if (group.key.change == Change::kHostWork) sums.gain.ahead_ns += GainOf(scenario);
  }
}

// A window that ends later with the change than without counts against the others.
uint64_t Pricing::GainOf(const Scenario& scenario) {
  int64_t gain = 0;
  for (size_t i = 0; i < graph_->windows.size(); ++i)
    gain += replay_.Run(graph_->windows[i], &scenario, steps_ns_).gain_ns() - base_[i];
  return Scaled(static_cast<uint64_t>(std::max<int64_t>(gain, 0)));
}

PriceSums& Pricing::Price(const Grouping::Group& group, const Scenario& scenario) {
  PriceSums& sums = (*prices_)[group.key];
  sums.count += group.count;
  sums.known_ns += group.known_ns;
  sums.read_ns += group.read_ns;
  sums.send_ns += group.send_ns;
  sums.read_backs += group.read_backs;
  sums.pinned_reads += group.pinned_reads;
  sums.read_bytes += group.read_bytes;
  sums.sends += group.sends;
  sums.pinned_sends += group.pinned_sends;
  sums.sent_faster += group.sent_faster;
  sums.removed_ns += group.removed_ns;
  const uint64_t gain_ns = GainOf(scenario);
  sums.gain.gain_ns += gain_ns;
  Consider(group.key, scenario, gain_ns);
  return sums;
}

// No finding is about all waits of a class or of a range.
void Pricing::Consider(const PriceKey& key, const Scenario& scenario, uint64_t gain_ns) {
  if (gain_ns * kLeastJointShare < counted_ns_ || key.change == Change::kWaitsOfClass ||
      key.change == Change::kWaitsOfRange)
    return;
  for (Candidate& known : candidates_) {
    if (known.scenario == scenario) return known.keys.push_back(key);
  }
  const auto at =
      std::find_if(candidates_.begin(), candidates_.end(),
                   [gain_ns](const Candidate& candidate) { return candidate.gain_ns < gain_ns; });
  candidates_.insert(at, {{key}, scenario, gain_ns});
  if (candidates_.size() > kMostJoint) candidates_.pop_back();
}

// Each set of the candidates, replayed at once.
void Pricing::Joint(std::vector<uint64_t>* gains_ns) {
  const size_t sets = size_t{1} << candidates_.size();
  gains_ns->assign(sets, 0);
  for (size_t set = 1; set < sets; ++set) {
    if (std::has_single_bit(set)) {
      (*gains_ns)[set] = candidates_[static_cast<size_t>(std::countr_zero(set))].gain_ns;
      continue;
    }
    Scenario scenario;
    for (size_t i = 0; i < candidates_.size(); ++i) {
      if ((set >> i & 1) != 0) scenario.Join(candidates_[i].scenario);
    }
    (*gains_ns)[set] = GainOf(scenario);
  }
  for (size_t i = 0; i < candidates_.size(); ++i) {
    for (const PriceKey& key : candidates_[i].keys) (*prices_)[key].gain.joint |= uint32_t{1} << i;
  }
}

void Pricing::Waits() {
  const size_t count = found_.waits.size();
  Grouping lines(count), calls(count), classes(count);
  for (size_t i = 0; i < count; ++i) {
    const Wait& wait = found_.waits[i];
    if (wait.open || wait.lost) continue;
    const uint64_t ns = wait.end_ns - wait.begin_ns;
    PriceKey by_class = KeyOf(Change::kWaitsOfClass);
    by_class.wait_class = wait.wait_class;
    classes.Add(i, std::move(by_class), ns, copies_[i]);
    std::string where = TextAt(found_.wait_where, i);
    if (!where.empty()) {
      PriceKey key = KeyOf(Change::kWaitsOfLine);
      key.where = std::move(where);
      lines.Add(i, std::move(key), ns, copies_[i]);
      continue;
    }
    PriceKey key = KeyOf(Change::kWaitsOfCall);
    key.wait_class = wait.wait_class;
    key.call = TextAt(found_.call_names, wait.name);
    key.ranges = RangesOf(found_.wait_ranges, i);
    calls.Add(i, std::move(key), ns, copies_[i]);
  }
  PriceAll(lines);
  PriceAll(calls);
  PriceAll(classes);
  WaitsOfRanges();
  WaitsOfCallers();
  WaitsOfFunctions();
}

// Calls `visit` with each wait of which is known how long it lasted and at which line.
template <typename Visit>
void Pricing::EachPlaced(const Visit& visit) {
  for (size_t i = 0; i < std::min(found_.waits.size(), found_.wait_where.size()); ++i) {
    const Wait& wait = found_.waits[i];
    if (!wait.open && !wait.lost && !found_.wait_where[i].empty()) visit(i, wait);
  }
}

// Of lines that several lines call.
void Pricing::WaitsOfCallers() {
  struct Callers {
    std::string first;
    bool several = false;
  };
  std::unordered_map<std::string_view, Callers> callers;
  EachPlaced([&](size_t i, const Wait&) {
    const std::string caller = TextAt(found_.wait_callers, i);
    const auto [known, is_new] = callers.try_emplace(found_.wait_where[i]);
    if (is_new) known->second.first = caller;
    known->second.several = known->second.several || known->second.first != caller;
  });
  Grouping grouping(found_.waits.size());
  EachPlaced([&](size_t i, const Wait& wait) {
    if (!callers[found_.wait_where[i]].several) return;
    PriceKey key = KeyOf(Change::kWaitsOfCaller);
    key.where = found_.wait_where[i];
    key.caller = TextAt(found_.wait_callers, i);
    grouping.Add(i, std::move(key), wait.end_ns - wait.begin_ns, copies_[i]);
  });
  PriceAll(grouping);
}

// Of functions that wait the same way at many lines.
void Pricing::WaitsOfFunctions() {
  std::set<std::pair<std::string_view, WaitClass>> lines;
  EachPlaced([&](size_t i, const Wait& wait) {
    lines.insert({found_.wait_where[i], wait.wait_class});
  });
  std::map<std::pair<std::string, WaitClass>, size_t> functions;  // how many lines
  for (const auto& [where, wait_class] : lines) ++functions[{WithoutLine(where), wait_class}];
  std::erase_if(functions, [](const auto& function) {
    return function.second < kLeastLinesOfFunction || function.first.first.empty();
  });
  if (functions.empty()) return;
  Grouping grouping(found_.waits.size());
  EachPlaced([&](size_t i, const Wait& wait) {
    PriceKey key = KeyOf(Change::kWaitsOfFunction);
    key.where = WithoutLine(found_.wait_where[i]);
    key.wait_class = wait.wait_class;
    if (!functions.contains({key.where, wait.wait_class})) return;
    grouping.Add(i, std::move(key), wait.end_ns - wait.begin_ns, copies_[i]);
  });
  PriceAll(grouping);
}

// A wait belongs to each of the ranges around it.
void Pricing::WaitsOfRanges() {
  const size_t count = found_.waits.size();
  std::vector<Grouping> by_depth(kDeepest, Grouping(count));
  for (size_t i = 0; i < count; ++i) {
    const Wait& wait = found_.waits[i];
    const std::string path = RangesOf(found_.wait_ranges, i);
    if (wait.open || wait.lost || path.empty()) continue;
    size_t end = 0;
    for (size_t depth = 0; depth < kDeepest && end != std::string::npos; ++depth) {
      end = path.find(kWithin, end == 0 ? 0 : end + kWithin.size());
      PriceKey key = KeyOf(Change::kWaitsOfRange);
      key.ranges = path.substr(0, end);
      by_depth[depth].Add(i, std::move(key), wait.end_ns - wait.begin_ns);
    }
  }
  for (const Grouping& grouping : by_depth) PriceAll(grouping);
}

void Pricing::Allocations(const ReplayPlaces& places) {
  Grouping grouping(graph_->allocations.size());
  for (size_t i = 0; i < graph_->allocations.size(); ++i) {
    const Allocation& allocation = graph_->allocations[i];
    PriceKey key = KeyOf(Change::kAllocations);
    key.where = TextAt(places.allocation_where, i);
    if (key.where.empty()) {
      key.call = TextAt(found_.call_names, allocation.name);
      key.ranges = FamilyOf(places.allocation_ranges, i);
    }
    grouping.Add(i, std::move(key), allocation.end_ns - allocation.begin_ns);
  }
  PriceAll(grouping);
}

// None of them is what the gap went by with.
bool Pricing::DidSeveralThings(const Gap& gap, size_t index) const {
  return gap.host_later_ns != 0 &&
         (index >= found_.gap_lines.size() || found_.gap_lines[index].next.empty());
}

void Pricing::HostFunctions() {
  Grouping grouping(found_.host_functions.size());
  for (size_t i = 0; i < found_.host_functions.size(); ++i) {
    const HostFunction& function = found_.host_functions[i];
    PriceKey key = KeyOf(Change::kHostFunctions);
    key.where = TextAt(found_.function_where, i);
    if (key.where.empty()) {
      key.call = TextAt(found_.call_names, function.name);
      key.ranges = FamilyOf(found_.function_ranges, i);
    }
    grouping.Add(i, std::move(key), function.end_ns - function.begin_ns);
  }
  PriceAll(grouping);
}

// Within one line that calls a package, by the package's lines, and all of it together.
void Pricing::HostWork() {
  const MainWays ways(found_);
  Grouping grouping(found_.gaps.size()), of_lines(found_.gaps.size());
  for (size_t i = 0; i < found_.gaps.size(); ++i) {
    const Gap& gap = found_.gaps[i];
    if (!HostWorked(gap) || DidSeveralThings(gap, i)) continue;
    PriceKey key = KeyOf(Change::kHostWork);
    key.ranges = FamilyOf(found_.gap_ranges, i);
    const LinesBetween& lines = ways.Of(i);
    key.before = lines.before;
    key.where = lines.next;
    key.below = lines.below;
    key.statement = lines.statement;
    key.span = lines.span;
    if (key.span == HostSpan::kWithin) {
      PriceKey whole = key;
      whole.before = key.where;
      whole.below = "";
      of_lines.Add(i, std::move(whole), gap.end_ns - gap.begin_ns);
      if (key.below.empty()) continue;
    }
    grouping.Add(i, std::move(key), gap.end_ns - gap.begin_ns);
  }
  PriceAll(grouping);
  PriceAll(of_lines);
}

// The most frequent of them, if one in `one_in` is that; else empty. `least_known`: one in so many
// has a line, and the others do not count; 0: all count.
std::string MostFrequent(const std::vector<std::string>& texts, size_t one_in,
                         size_t least_known = 0) {
  std::map<std::string_view, size_t> counts;
  size_t all = 0;
  for (const std::string& text : texts) {
    if (text.empty()) continue;
    ++counts[text];
    ++all;
  }
  if (all * least_known < texts.size()) all = texts.size();
  const auto most =
      std::max_element(counts.begin(), counts.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const bool enough = most != counts.end() && most->second * one_in >= all;
  return enough ? std::string(most->first) : std::string();
}

// Changes of what devices do, all over the process; they are told where most of it is submitted.
void Pricing::Operations(const ReplayPlaces& places) {
  Grouping::Group copies{KeyOf(Change::kCopies)}, launches{KeyOf(Change::kLaunches)},
      beside{KeyOf(Change::kDefaultStream)};
  for (const ReplayWindow& window : graph_->windows) {
    for (const ReplayOp& op : window.ops) {
      if (op.before || op.function != kNoIndex) continue;
      const ReplayStream& stream = window.streams[op.stream];
      Grouping::Group& group = op.copy != CopyKind::kNone ? copies : launches;
      ++group.count;
      group.removed_ns += op.end_ns - op.begin_ns;
      if (stream.is_default) ++beside.count;
    }
  }
  if (!graph_->has_default_stream) beside.count = 0;
  const std::pair<Grouping::Group*, Submitted> groups[] = {
      {&copies, Submitted::kCopy},
      {&launches, Submitted::kKernel},
      {&beside, Submitted::kIntoDefaultStream}};
  for (const auto& [group, submitted] : groups) {
    if (group->count == 0) continue;
    const auto kind = static_cast<size_t>(submitted);
    group->key.where = MostFrequent(places.sample_where[kind], 2);
    group->key.ranges = names_->FamilyPath(MostFrequent(places.sample_ranges[kind], 4));
    group->count = Scaled(group->count);
    group->removed_ns = Scaled(group->removed_ns);
    Scenario scenario;
    scenario.copies = group == &copies;
    scenario.launches = group == &launches;
    scenario.default_stream = group == &beside;
    Price(*group, scenario);
  }
}

// By what is communicated, among how many ranks.
void Pricing::Communication(const ReplayPlaces& places) {
  constexpr auto kKind = static_cast<size_t>(Submitted::kCommunication);
  for (uint32_t number = 0; number < graph_->communications.size(); ++number) {
    Grouping::Group group{KeyOf(Change::kCommunication)};
    std::map<uint32_t, uint64_t> sizes;  // how often
    for (const ReplayWindow& window : graph_->windows) {
      for (const ReplayOp& op : window.ops) {
        if (op.before || op.communication != number) continue;
        ++group.count;
        group.removed_ns += op.end_ns - op.begin_ns - std::min(op.late_ns, op.end_ns - op.begin_ns);
        const auto met = found_.collectives.find(op.correlation);
        if (met != found_.collectives.end()) ++sizes[met->second.ranks];
      }
    }
    if (group.removed_ns < least_ns_) continue;
    const auto most =
        std::max_element(sizes.begin(), sizes.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    group.key.call = graph_->communications[number];
    if (most != sizes.end() && most->first != 0)
      group.key.call += Text(" of ", most->first, " ranks");
    group.key.where = MostFrequent(places.sample_where[kKind], 2, 8);
    group.key.ranges = names_->FamilyPath(MostFrequent(places.sample_ranges[kKind], 2));
    group.count = Scaled(group.count);
    group.removed_ns = Scaled(group.removed_ns);
    Scenario scenario;
    scenario.communications.resize(number + 1);
    scenario.communications[number] = true;
    Price(group, scenario);
  }
}

}  // namespace

ReplayedTime PriceChanges(ReplayGraph* graph, const SourceRun& source, const ReplayPlaces& places,
                          uint64_t steps_ns, NameFolder* names,
                          std::map<PriceKey, PriceSums>* prices, ReplayFacts* facts,
                          std::vector<uint64_t>* joint_ns) {
  const uint64_t end_ns = graph->begin_ns + graph->whole_ns, known_ns = facts->recording_ns;
  ReplayedTime time{graph->begin_ns, std::clamp(steps_ns, graph->begin_ns, end_ns), end_ns,
                    graph->whole_ns - graph->seen_ns};
  facts->whole_ns += graph->seen_ns;
  facts->replayed_ns += std::min(graph->replayed_ns, graph->seen_ns);
  facts->windows += graph->windows.size();
  if (graph->empty()) return time;
  MarkByFindings(source.findings, graph);
  Pricing pricing(graph, source, names, steps_ns, prices, facts);
  pricing.Waits();
  pricing.Allocations(places);
  pricing.HostWork();
  pricing.HostFunctions();
  pricing.Operations(places);
  pricing.Communication(places);
  pricing.Joint(joint_ns);
  time.unseen_ns += facts->recording_ns - known_ns;
  return time;
}

}  // namespace syncline
