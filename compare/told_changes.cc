// SPDX-License-Identifier: Apache-2.0
// Sentences of a comparison, and their order.
#include "compare/told_changes.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "base/utf8.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr double kLeastShare = 0.01;  // of a step
constexpr size_t kNamesTold = 2;

bool IsStructural(RowChange change) {
  return change == RowChange::kGone || change == RowChange::kNew || change == RowChange::kRarer ||
         change == RowChange::kOftener;
}

// 0: what was changed; 1: what takes another time by itself; 2: what follows; 3: beside the steps.
int TierOf(const ComparedRow& row) {
  if (row.key.outside) return 3;
  const bool structural = IsStructural(row.change);
  switch (row.key.kind) {
    case FactKind::kWait:
    case FactKind::kStage:
      return structural ? 0 : 2;
    case FactKind::kKernel:
    case FactKind::kCopy:
    case FactKind::kOperator:
      return structural ? 0 : 1;
    case FactKind::kMemory:
    case FactKind::kHostWork:
      return 1;
    default:
      return 2;
  }
}

double OfStep(const Comparison& comparison) {
  const bool steps = comparison.a.steps > 0 && comparison.b.steps > 0;
  return steps ? comparison.a.step_ns : comparison.a.length_ns;
}

bool IsLarge(const ComparedRow& row, double step_ns, double length_ns) {
  if (row.key.outside) return std::fabs(row.difference.delta) >= kLeastShare * length_ns;
  if (row.key.kind == FactKind::kMemory)
    return std::fabs(row.difference.delta) >= kLeastShare * std::max(row.a.amount, row.b.amount);
  return std::fabs(row.difference.delta) >= kLeastShare * step_ns;
}

const char* ChangeWord(const ComparedRow& row) {
  switch (row.change) {
    case RowChange::kGone:
      return "gone";
    case RowChange::kNew:
      return "new";
    case RowChange::kRarer:
      return "fewer";
    case RowChange::kOftener:
      return "more";
    case RowChange::kLess:
      return row.key.kind == FactKind::kMemory ? "less" : "shorter";
    case RowChange::kMore:
      return row.key.kind == FactKind::kMemory ? "more" : "longer";
    default:
      return "";
  }
}

std::string AmountText(const ComparedRow& row, const Fact& fact) {
  constexpr double kHalf = 0.5;  // of a nanosecond, or of a byte
  if (fact.amount < kHalf) return "nothing";
  return row.key.kind == FactKind::kMemory ? SizeText(static_cast<uint64_t>(fact.amount))
                                           : TimeText(fact.amount);
}

// Where copies are of more or fewer bytes.
std::string BytesText(const ComparedRow& row) {
  const auto a = static_cast<uint64_t>(row.a.bytes), b = static_cast<uint64_t>(row.b.bytes);
  return a == b || a == 0 || b == 0 ? "" : Text(", ", SizeText(a), " -> ", SizeText(b));
}

std::string NumbersText(const ComparedRow& row, const char* per) {
  const bool counted = row.a.count > 0 || row.b.count > 0;
  const std::string bytes = BytesText(row);
  const bool both = row.change != RowChange::kGone && row.change != RowChange::kNew;
  const Fact& one = row.change == RowChange::kNew ? row.b : row.a;
  std::string text;
  if (counted && !IsCountOfChance(row.key)) {
    text = RateText(both ? row.a.count : one.count);
    if (both && row.a.count != row.b.count) text += Text(" -> ", RateText(row.b.count));
    text += Text(" ", row.key.outside ? "a run" : per, ", ");
  }
  if (!both) return text + AmountText(row, one);
  return Text(text, AmountText(row, row.a), " -> ", AmountText(row, row.b), bytes);
}

ToldChange OfRow(const ComparedRow& row, const char* per) {
  ToldChange told;
  told.delta = row.difference.delta;
  told.is_bytes = row.key.kind == FactKind::kMemory;
  told.row = &row;
  const std::string& statement = row.change == RowChange::kGone ? row.a.statement : row.b.statement;
  told.sentence =
      Text(ChangeWord(row), ": ", RowText(row), statement.empty() ? "" : Text(" `", statement, "`"),
           "; ", NumbersText(row, per));
  return told;
}

// Kernels that went, or are fewer, and those that came for them, as one.
struct Swap {
  std::vector<const ComparedRow*> gone, came;

  bool IsOne() const { return !gone.empty() && !came.empty(); }
  static bool Has(const ComparedRow& row) {
    return row.key.kind == FactKind::kKernel && !row.key.outside && IsStructural(row.change);
  }
};

Swap SwapOf(const Comparison& comparison) {
  Swap swap;
  for (const ComparedRow& row : comparison.rows) {
    if (!Swap::Has(row)) continue;
    const bool fewer = row.change == RowChange::kGone || row.change == RowChange::kRarer;
    (fewer ? swap.gone : swap.came).push_back(&row);
  }
  for (auto* rows : {&swap.gone, &swap.came}) {
    StableSort(rows, [](const ComparedRow* x, const ComparedRow* y) {
      return std::fabs(x->difference.delta) > std::fabs(y->difference.delta);
    });
  }
  return swap;
}

// Names of templates fill lines, and say what they are in the beginning.
std::string ShortKernel(const std::string& name) {
  constexpr size_t kMostColumns = 56;
  return Shortened(KernelName(name), kMostColumns);
}

// With the operators that it runs, which are what the other side has in its place.
std::string KernelText(const ComparedRow& row) {
  constexpr size_t kMostColumns = 60;
  const std::string& of = row.b.operators.empty() ? row.a.operators : row.b.operators;
  return Text(ShortKernel(row.key.name),
              of.empty() ? "" : Text(" of ", Shortened(of, kMostColumns)));
}

std::string KernelsText(const std::vector<const ComparedRow*>& rows, const char* per) {
  double count = 0, ns = 0;
  std::string names;
  for (size_t i = 0; i < rows.size(); ++i) {
    count += std::fabs(rows[i]->b.count - rows[i]->a.count);
    ns += std::fabs(rows[i]->difference.delta);
    if (i < kNamesTold) names += Text(i == 0 ? "" : ", ", KernelText(*rows[i]));
  }
  if (rows.size() > kNamesTold) names += Text(" and ", rows.size() - kNamesTold, " others");
  return Text(names, " (", RateText(count), " ", per, ", ", TimeText(ns), ")");
}

ToldChange OfSwap(const Swap& swap, const char* per) {
  ToldChange told;
  for (const auto* rows : {&swap.gone, &swap.came}) {
    for (const ComparedRow* row : *rows) told.delta += row->difference.delta;
  }
  told.sentence =
      Text("kernels: ", KernelsText(swap.came, per), " in place of ", KernelsText(swap.gone, per));
  return told;
}

}  // namespace

std::string ShortPlace(const std::string& where) {
  const size_t slash = where.rfind('/', where.find(' '));
  return slash == std::string::npos ? where : where.substr(slash + 1);
}

std::string TimeText(double ns) {
  return Text(ns < 0 ? "-" : "", DurationText(static_cast<uint64_t>(std::llround(std::fabs(ns)))));
}

std::string DeltaText(double delta, bool is_bytes) {
  const auto size = static_cast<uint64_t>(std::llround(std::fabs(delta)));
  return Text(delta < 0 ? "-" : "+", is_bytes ? SizeText(size) : DurationText(size));
}

std::string RateText(double count) {
  char text[32];
  const double whole = std::round(count);
  const bool is_whole = std::fabs(count - whole) < 0.005;
  std::snprintf(text, sizeof text,
                is_whole     ? "%.0f"
                : count < 10 ? "%.2f"
                             : "%.1f",
                is_whole ? whole : count);
  return text;
}

const char* PerText(const Comparison& comparison) {
  return comparison.a.steps > 0 && comparison.b.steps > 0 ? "a step" : "a run";
}

namespace {

std::string WhatText(const ComparedRow& row) {
  const FactKey& key = row.key;
  const std::string where = ShortPlace(key.where);
  const std::string was = row.was.empty() ? "" : Text(" (was ", ShortPlace(row.was), ")");
  switch (key.kind) {
    case FactKind::kWait:
      return where.empty() ? Text("wait ", key.name)
                           : Text("wait at ", where, was, " (", key.name, ")");
    case FactKind::kHostWork:
      return Text("idle GPUs: ", key.name, where.empty() ? "" : " at ", where, was);
    case FactKind::kKernel:
      return Text("kernel ", KernelText(row));
    case FactKind::kOperator:
      return Text("operator ", key.name);
    case FactKind::kStage:
      return Text("`", key.name, "`");
    case FactKind::kIdle:
      return Text("time of GPUs: ", key.name);
    case FactKind::kMemory:
      return Text("memory ", key.name, " at the peak");
    case FactKind::kLateRank:
      return Text("the others wait for ", key.name);
    default:
      return key.name;
  }
}

}  // namespace

std::string RowText(const ComparedRow& row) {
  const std::string text = WhatText(row);
  return row.key.outside ? Text(text, ", outside of the steps") : text;
}

std::string StepText(const Comparison& comparison) {
  const Difference& step = comparison.step;
  const double before = OfStep(comparison);
  const std::string values = Text(TimeText(before), " -> ", TimeText(before + step.delta));
  if (!step.known) return Text(values, "; how far such runs spread is not known");
  if (comparison.perhaps)
    return Text(values,
                "; maybe the machine: the program does the same, and devices take as long "
                "for it");
  if (!comparison.step_told) {
    return Text(values, "; no change is told: ",
                comparison.repeated ? "the runs of a side differ too much among themselves"
                                    : "the steps of a run differ too much among themselves");
  }
  char share[32];
  std::snprintf(share, sizeof share, std::fabs(step.delta) < 0.1 * before ? "%+.1f" : "%+.0f",
                before == 0 ? 0 : 100 * step.delta / before);
  const std::string between = comparison.repeated
                                  ? Text("; with 95 % between ", DeltaText(step.low, false),
                                         " and ", DeltaText(step.high, false))
                                  : "; by one run of each";
  return Text(values, ": ", DeltaText(step.delta, false), " (", share, " %", between, ")");
}

namespace {

// What changed in the steps says the same of the first ones, and of what is done before them.
bool IsSaidOfSteps(const ComparedRow& row, const Comparison& comparison) {
  if (!row.key.outside) return false;
  return std::any_of(comparison.rows.begin(), comparison.rows.end(), [&](const ComparedRow& other) {
    return !other.key.outside && other.change == row.change && other.key.kind == row.key.kind &&
           other.key.name == row.key.name && other.key.where == row.key.where;
  });
}

}  // namespace

std::vector<ToldChange> ToldChanges(const Comparison& comparison) {
  const double step_ns = OfStep(comparison);
  const char* const per = PerText(comparison);
  const Swap swap = SwapOf(comparison);
  std::vector<std::tuple<bool, int, ToldChange>> order;
  for (const ComparedRow& row : comparison.rows) {
    if (row.change == RowChange::kNone || IsSaidOfSteps(row, comparison)) continue;
    if (!swap.IsOne() || !Swap::Has(row))
      order.emplace_back(!IsLarge(row, step_ns, comparison.a.length_ns), TierOf(row),
                         OfRow(row, per));
  }
  if (swap.IsOne()) order.emplace_back(false, 0, OfSwap(swap, per));
  const bool any_large =
      std::any_of(order.begin(), order.end(), [](const auto& item) { return !std::get<0>(item); });
  StableSort(&order, [](const auto& x, const auto& y) {
    const auto rank = [](const auto& item) {
      return std::make_tuple(std::get<0>(item), std::get<1>(item),
                             -std::fabs(std::get<2>(item).delta));
    };
    return rank(x) < rank(y);
  });
  std::vector<ToldChange> told;
  for (auto& [small, tier, change] : order) {
    const bool structural = change.row == nullptr || IsStructural(change.row->change);
    if (!small || (!any_large && structural)) told.push_back(std::move(change));
  }
  return told;
}

}  // namespace syncline
