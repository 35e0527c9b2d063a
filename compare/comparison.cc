// SPDX-License-Identifier: Apache-2.0
// Rows of both sides put together, and which of their differences are told.
#include "compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "compare/matched_lines.h"
#include "report/told_findings.h"

namespace syncline {
namespace {

using Runs = std::vector<RunFacts>;

constexpr double kTenth = 0.1;
constexpr double kSameCount = 1e-9;  // sums of doubles

SeenLines LinesOf(const Runs& runs) {
  SeenLines lines;
  for (const RunFacts& run : runs) {
    for (const auto& [key, fact] : run.facts) {
      if (key.where.empty()) continue;
      SeenLine& line = lines[key.where];
      if (line.text.empty()) line.text = fact.statement;
      line.does.insert(key.name);
    }
  }
  return lines;
}

// Of a side: a value for each run, 0 where it has none.
struct Samples {
  std::vector<double> amounts, counts;
  Fact mean;
  const Fact* only = nullptr;  // of a side with one run
  std::string where;
};

struct Row {
  Samples a, b;
};

// By what A calls it; second: it is at a line of B that A does not have, whatever A has there.
using RowKey = std::pair<FactKey, bool>;

RowKey KeyInA(FactKey key, const std::map<std::string, std::string>& moved) {
  if (key.where.empty()) return {key, false};
  const auto line = moved.find(key.where);
  if (line == moved.end()) return {key, true};
  key.where = line->second;
  return {key, false};
}

// `moved`: null for A itself.
void AddSamples(const Runs& runs, const std::map<std::string, std::string>* moved,
                Samples Row::*side, std::map<RowKey, Row>* rows) {
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const auto& [key, fact] : runs[i].facts) {
      const RowKey known = moved == nullptr ? RowKey{key, false} : KeyInA(key, *moved);
      Samples& samples = (*rows)[known].*side;
      samples.amounts.resize(runs.size());
      samples.counts.resize(runs.size());
      samples.amounts[i] += fact.amount;
      samples.counts[i] += fact.count;
      samples.where = key.where;
      const auto share = 1 / static_cast<double>(runs.size());
      samples.mean.amount += share * fact.amount;
      samples.mean.count += share * fact.count;
      samples.mean.bytes += share * fact.bytes;
      samples.mean.whole_count += share * fact.whole_count;
      samples.mean.communicates = samples.mean.communicates || fact.communicates;
      if (samples.mean.statement.empty()) samples.mean.statement = fact.statement;
      if (samples.mean.operators.empty()) samples.mean.operators = fact.operators;
      if (runs.size() == 1) samples.only = &fact;
    }
  }
  for (auto& [key, row] : *rows) {
    (row.*side).amounts.resize(runs.size());
    (row.*side).counts.resize(runs.size());
  }
}

// Whether the program decides that there are such waits, though not how many.
bool IsWaitOfProgram(const FactKey& key) {
  return key.kind == FactKind::kWait &&
         (key.name.starts_with(WaitClassName(WaitClass::kQuerySpin)) ||
          key.name.starts_with(WaitClassName(WaitClass::kAllocation)));
}

class Comparer {
 public:
  Comparer(const Runs& a, const Runs& b) : a_(a), b_(b) {}

  Comparison Compare();

 private:
  ComparedSide SideOf(const Runs& runs) const;
  const RunFacts& MiddleOf(const Runs& runs) const;
  void Step();
  void Rows();
  void Doubt();
  Difference DifferenceIn(const FactKey& key, const Row& row) const;
  bool IsExplainedByOnce(const FactKey& key, double a, double b) const;
  bool CountsDiffer(const FactKey& key, const Row& row) const;
  bool BytesDiffer(const Row& row) const;
  double ChanceToLack(const FactKey& key, const Row& row) const;
  RowChange ChangeOf(const FactKey& key, const Row& row) const;
  void Findings();
  std::string LineInA(const std::string& line) const;
  const ReportFinding* SameIn(const RunFacts& run, const ReportFinding& finding) const;
  bool IsStillThere(const ReportFinding& finding, const RunFacts& run) const;
  void Limits();
  void Notes();
  bool IsNoLineShared() const;

  const Runs& a_;
  const Runs& b_;
  bool same_steps_ = false;
  std::map<std::string, std::string> moved_;  // lines of B -> of A
  Comparison result_;
};

// That took as long as the most usual one.
const RunFacts& Comparer::MiddleOf(const Runs& runs) const {
  std::vector<const RunFacts*> order;
  for (const RunFacts& run : runs) order.push_back(&run);
  StableSort(&order, [](const RunFacts* x, const RunFacts* y) {
    return std::make_pair(x->step_ns, x->length_ns) < std::make_pair(y->step_ns, y->length_ns);
  });
  return *order[(order.size() - 1) / 2];
}

ComparedSide Comparer::SideOf(const Runs& runs) const {
  ComparedSide side;
  const auto count = static_cast<double>(runs.size());
  for (const RunFacts& run : runs) {
    side.runs.push_back(run.directory);
    side.simulated = side.simulated || run.simulated;
    side.ranks = std::max(side.ranks, run.ranks);
    side.steps += run.steps / count;
    side.step_ns += run.step_ns / count;
    side.median_step_ns += run.median_step_ns / count;
    side.length_ns += static_cast<double>(run.length_ns) / count;
  }
  side.name = runs.size() == 1 ? runs[0].name : Text(runs.front().name, " to ", runs.back().name);
  const RunFacts& middle = MiddleOf(runs);
  side.step_name = middle.step_name;
  side.busy = middle.busy;
  side.series_ns = middle.series_ns;
  return side;
}

void Comparer::Step() {
  const bool steps = result_.a.steps > 0 && result_.b.steps > 0;
  const auto estimate = [&](const Runs& runs) {
    if (runs.size() == 1) return steps ? runs[0].step : Estimate{double(runs[0].length_ns), 0, 0};
    std::vector<double> values;
    for (const RunFacts& run : runs)
      values.push_back(steps ? run.step_ns : static_cast<double>(run.length_ns));
    return EstimateOf(values);
  };
  const Estimate of_a_runs = estimate(a_), of_b_runs = estimate(b_);
  result_.step = DifferenceOf(of_a_runs, of_b_runs);
  // A run of a few steps lends no other one its spread.
  if (!result_.repeated && (of_a_runs.freedom <= 0 || of_b_runs.freedom <= 0))
    result_.step.known = false;
  result_.step_told = result_.step.known && result_.step.chance <= kFalseRate;
  if (result_.repeated || !result_.step_told) return;
  // Of single runs half of the steps of one have to take longer than half of the steps of the other
  // by more than these differ among themselves.
  const auto middle_half = [](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return std::make_pair(values[values.size() / 4], values[values.size() - 1 - values.size() / 4]);
  };
  const auto of_a = middle_half(a_[0].series_ns), of_b = middle_half(b_[0].series_ns);
  result_.step_told = of_a.second < of_b.first || of_b.second < of_a.first;
}

Difference Comparer::DifferenceIn(const FactKey& key, const Row& row) const {
  if (result_.repeated) return DifferenceOf(EstimateOf(row.a.amounts), EstimateOf(row.b.amounts));
  const auto estimate = [](const Samples& of) {
    return of.only == nullptr ? Estimate{}
                              : Estimate{of.only->amount, of.only->error, of.only->freedom};
  };
  Difference difference = DifferenceOf(estimate(row.a), estimate(row.b));
  const Fact *const a = row.a.only, *const b = row.b.only;
  if (key.kind == FactKind::kMemory && difference.delta != 0) {
    difference.known = true;  // the same program takes the same
    difference.chance = 0;
  } else if (IsCountOfChance(key) && !result_.step_told) {
    difference.chance = 1;  // a part of steps that take as long as they did
  } else if (a != nullptr && b != nullptr && a->middle_ns != 0 && b->middle_ns != 0 &&
             a->high_ns >= b->low_ns && b->high_ns >= a->low_ns) {
    difference.chance = 1;
  }
  return difference;
}

// How often something happens is no chance where the program alone decides it. How many of the
// first steps count is chance: so is what happened as often in both runs.
bool Comparer::CountsDiffer(const FactKey& key, const Row& row) const {
  if (IsCountOfChance(key)) return false;
  const Estimate a = EstimateOf(row.a.counts), b = EstimateOf(row.b.counts);
  if (a.mean == b.mean) return false;
  const double whole_a = row.a.mean.whole_count, whole_b = row.b.mean.whole_count;
  if (same_steps_ && whole_a != 0 && std::fabs(whole_a - whole_b) < kSameCount * whole_a)
    return false;
  if (a.error > 0 || b.error > 0) return DifferenceOf(a, b).chance <= kFalseRate;
  return same_steps_ || !IsExplainedByOnce(key, a.mean, b.mean);
}

// Of what is known from the first steady step on, and not to the last one: what is done once,
// behind the steps, counts for less in a longer run. Whether so much done once, and as much in each
// step of both, explains both.
bool Comparer::IsExplainedByOnce(const FactKey& key, double a, double b) const {
  const double steps_a = result_.a.steps, steps_b = result_.b.steps;
  const auto knows = [](const RunFacts& run) { return run.parts_known; };
  const bool to_the_end = key.kind == FactKind::kStage || key.kind == FactKind::kOperator ||
                          key.kind == FactKind::kLateRank ||
                          !std::all_of(a_.begin(), a_.end(), knows) ||
                          !std::all_of(b_.begin(), b_.end(), knows);
  if (steps_a == steps_b || key.outside || !to_the_end || steps_a <= 0 || steps_b <= 0)
    return false;
  const double each = (b * steps_b - a * steps_a) / (steps_b - steps_a);
  const double once = a * steps_a - each * steps_a;
  constexpr double kLittle = 0.01;
  return each * steps_a > -kLittle * a * steps_a && once > -kLittle * a * steps_a;
}

// As many copies, of more or fewer bytes: that is no chance either.
bool Comparer::BytesDiffer(const Row& row) const {
  const double a = row.a.mean.bytes, b = row.b.mean.bytes;
  constexpr double kLeast = 1e-6;  // sums of doubles
  return same_steps_ && row.a.mean.count == row.b.mean.count && a > 0 && b > 0 &&
         std::fabs(b - a) > kLeast * std::max(a, b);
}

// Of these, at a line that has none on one side: that all of them fell to the other side, if both
// were the same.
double Comparer::ChanceToLack(const FactKey& key, const Row& row) const {
  if (!IsWaitOfProgram(key)) return 1;
  const auto count = [](const Samples& samples, const ComparedSide& side) {
    const double all = std::accumulate(samples.counts.begin(), samples.counts.end(), 0.0);
    return all * std::max(side.steps, 1.0) * static_cast<double>(side.ranks);
  };
  const double of_a = count(row.a, result_.a), of_b = count(row.b, result_.b);
  if (of_a > 0 && of_b > 0) return 1;
  return std::exp2(1 - of_a - of_b);
}

RowChange Comparer::ChangeOf(const FactKey& key, const Row& row) const {
  const bool in_a = row.a.mean.amount > 0 || row.a.mean.count > 0;
  const bool in_b = row.b.mean.amount > 0 || row.b.mean.count > 0;
  if (!in_b) return RowChange::kGone;
  if (!in_a) return RowChange::kNew;
  if (CountsDiffer(key, row))
    return row.b.mean.count < row.a.mean.count ? RowChange::kRarer : RowChange::kOftener;
  return row.b.mean.amount < row.a.mean.amount ? RowChange::kLess : RowChange::kMore;
}

void Comparer::Rows() {
  moved_ = MatchedLines(LinesOf(a_), LinesOf(b_));
  std::map<RowKey, Row> rows;
  AddSamples(a_, nullptr, &Row::a, &rows);
  AddSamples(b_, &moved_, &Row::b, &rows);
  std::vector<double> chances;
  for (auto& [known, row] : rows) {
    const FactKey& key = known.first;
    row.a.amounts.resize(a_.size());
    row.a.counts.resize(a_.size());
    ComparedRow compared;
    compared.key = key;
    compared.key.where = row.b.where.empty() ? row.a.where : row.b.where;
    if (!row.a.where.empty() && !row.b.where.empty() && row.a.where != row.b.where)
      compared.was = row.a.where;
    compared.a = row.a.mean;
    compared.b = row.b.mean;
    compared.difference = DifferenceIn(key, row);
    if (!same_steps_ && IsExplainedByOnce(key, row.a.mean.amount, row.b.mean.amount))
      compared.difference.chance = 1;
    if (CountsDiffer(key, row) || BytesDiffer(row)) compared.difference.chance = 0;
    compared.difference.chance = std::min(compared.difference.chance, ChanceToLack(key, row));
    compared.change = ChangeOf(key, row);
    chances.push_back(compared.difference.chance);
    result_.rows.push_back(std::move(compared));
  }
  const std::vector<bool> told = ToldAt(kFalseRate, chances);
  for (size_t i = 0; i < told.size(); ++i) {
    if (!told[i]) result_.rows[i].change = RowChange::kNone;
  }
  if (!result_.repeated) Doubt();
  result_.told = static_cast<size_t>(
      std::count_if(result_.rows.begin(), result_.rows.end(),
                    [](const ComparedRow& row) { return row.change != RowChange::kNone; }));
}

// Of kinds of time, those that a device spends by itself.
bool IsDeviceTime(const std::string& name) {
  for (const TimeKind kind : {TimeKind::kComputing, TimeKind::kCopying, TimeKind::kOtherDevice}) {
    if (name == TimeKindName(kind)) return true;
  }
  return false;
}

bool IsOnlyOfTime(RowChange change) {
  return change == RowChange::kLess || change == RowChange::kMore;
}

// Whether the machine alone cannot have done it: another program beside it makes a host slow, and
// adds and removes nothing, nor does a device take longer for a kernel that waits for nobody.
bool IsOfProgram(const ComparedRow& row) {
  if (row.change == RowChange::kNone) return false;
  switch (row.key.kind) {
    case FactKind::kKernel:
      return !IsOnlyOfTime(row.change) || !(row.a.communicates || row.b.communicates);
    case FactKind::kCopy:
    case FactKind::kMemory:
      return true;
    case FactKind::kWait:
      return !IsOnlyOfTime(row.change) && (!IsCountOfChance(row.key) || IsWaitOfProgram(row.key));
    case FactKind::kOperator:
    case FactKind::kStage:
      return !IsOnlyOfTime(row.change);
    case FactKind::kIdle:
      return IsDeviceTime(row.key.name) ||
             (row.key.name == TimeKindName(TimeKind::kHostFunction) && !IsOnlyOfTime(row.change));
    default:
      return false;
  }
}

void Comparer::Doubt() {
  if (std::any_of(result_.rows.begin(), result_.rows.end(), IsOfProgram)) return;
  result_.perhaps = result_.step_told;
  result_.step_told = false;
  for (ComparedRow& row : result_.rows) row.change = RowChange::kNone;
}

Comparison Comparer::Compare() {
  result_.repeated = a_.size() > 1 || b_.size() > 1;
  result_.a = SideOf(a_);
  result_.b = SideOf(b_);
  same_steps_ = result_.a.steps == result_.b.steps;
  Step();
  Rows();
  Findings();
  Limits();
  Notes();
  return std::move(result_);
}

// They are one kind, wait in one way, or are both about the host's own work.
bool IsSameSort(const ReportFinding& a, const ReportFinding& b) {
  if (IsHostWork(a) || IsHostWork(b)) return IsHostWork(a) == IsHostWork(b);
  return a.kind == b.kind || (!a.wait_class.empty() && a.wait_class == b.wait_class);
}

// What A calls a line of B, or what leads from one to another; empty: A has no such line.
std::string Comparer::LineInA(const std::string& line) const {
  const auto matched = moved_.find(line);
  if (matched != moved_.end()) return matched->second;
  constexpr std::string_view kIn = ", in ";
  const size_t in = line.find(kIn);
  if (in == std::string::npos) return "";
  const std::string outer = LineInA(line.substr(0, in));
  const std::string inner = LineInA(line.substr(in + kIn.size()));
  return Text(outer.empty() ? line.substr(0, in) : outer, kIn,
              inner.empty() ? line.substr(in + kIn.size()) : inner);
}

// Whether the line of a finding of A still waits so, or still keeps devices waiting.
bool Comparer::IsStillThere(const ReportFinding& finding, const RunFacts& run) const {
  const FactKind kind = IsHostWork(finding) ? FactKind::kHostWork : FactKind::kWait;
  return std::any_of(run.facts.begin(), run.facts.end(), [&](const auto& fact) {
    return fact.first.kind == kind && !fact.first.outside && fact.second.amount > 0 &&
           (kind == FactKind::kHostWork || fact.first.name.starts_with(finding.wait_class)) &&
           LineInA(fact.first.where) == finding.line;
  });
}

// The finding of B that is the same, or most like it; null: none is.
const ReportFinding* Comparer::SameIn(const RunFacts& run, const ReportFinding& finding) const {
  const ReportFinding* like = nullptr;
  for (const ReportFinding& other : run.findings) {
    const bool same_line = !finding.line.empty() && LineInA(other.line) == finding.line;
    const bool same_words = other.line == finding.line && other.where == finding.where;
    if (!same_line && !same_words) continue;
    if (other.kind == finding.kind && other.stage == finding.stage &&
        other.before == finding.before && other.wait_class == finding.wait_class && same_words)
      return &other;
    if (like == nullptr && IsSameSort(finding, other)) like = &other;
  }
  return like;
}

void Comparer::Findings() {
  const RunFacts &a = MiddleOf(a_), &b = MiddleOf(b_);
  const double steps_a = std::max(a.steps, 1.0), steps_b = std::max(b.steps, 1.0);
  for (const ReportFinding& finding : a.findings) {
    if (!finding.worth || finding.small || !finding.priced || finding.gain_ns == 0) continue;
    ComparedFinding compared;
    compared.finding = finding;
    compared.was_ns = static_cast<double>(finding.gain_ns) / steps_a;
    if (const ReportFinding* const other = SameIn(b, finding)) {
      compared.now_ns = static_cast<double>(other->gain_ns) / steps_b;
      compared.now_where = other->line.empty() ? other->where : other->line;
      compared.fate = other->gain_ns == 0 ? FindingFate::kBringsNothing : FindingFate::kStill;
    } else if (!finding.line.empty() && IsStillThere(finding, b)) {
      compared.fate = FindingFate::kBringsNothing;
    }
    result_.findings.push_back(std::move(compared));
  }
}

void Comparer::Limits() {
  const RunFacts& b = MiddleOf(b_);
  result_.limits_steps = b.steps;
  for (const ReportFinding& finding : b.findings) {
    if (finding.worth && !finding.small) result_.limits.push_back(finding);
  }
}

// Lines that wait and have a text, of which none is in the other program.
bool Comparer::IsNoLineShared() const {
  const SeenLines of_a = LinesOf(a_), of_b = LinesOf(b_);
  return of_a.size() > 1 && of_b.size() > 1 && moved_.empty();
}

void Comparer::Notes() {
  if (IsNoLineShared())
    result_.notes.push_back(
        "No line of the first program was found in the second: lines are gone and new for that "
        "alone.");
  const auto notes = [&](const Runs& runs) {
    for (const RunFacts& run : runs) {
      for (const std::string& mark : run.marks) result_.notes.push_back(Text(run.name, ": ", mark));
    }
  };
  notes(a_);
  notes(b_);
  for (const Runs* runs : {&a_, &b_}) {
    const RunFacts& run = MiddleOf(*runs);
    if (run.first_steps == 0 || run.first_steps_ns < kTenth * run.step_ns * run.steps) continue;
    result_.notes.push_back(
        Text(run.name, ": the first ", Counted(run.first_steps, "step"), " took ",
             DurationText(static_cast<uint64_t>(run.first_steps_ns)),
             " (code was compiled, tuned or loaded). They do not count: what was done in them "
             "stands outside of the steps."));
  }
}

}  // namespace

const char* RowChangeName(RowChange change) {
  static constexpr const char* kNames[] = {"", "gone", "new", "rarer", "oftener", "less", "more"};
  return kNames[static_cast<size_t>(change)];
}

const char* FindingFateName(FindingFate fate) {
  static constexpr const char* kNames[] = {"gone", "brings nothing now", "still there"};
  return kNames[static_cast<size_t>(fate)];
}

Comparison CompareRuns(const std::vector<RunFacts>& a, const std::vector<RunFacts>& b) {
  return Comparer(a, b).Compare();
}

}  // namespace syncline
