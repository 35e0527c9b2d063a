// SPDX-License-Identifier: Apache-2.0
// From step to step, by what each rank's replay of several changes tells.
#include "report/mending_order.h"

#include <algorithm>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/ranked_changes.h"
#include "report/told_findings.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr uint64_t kLeastShare = 100;  // a hundredth
constexpr size_t kMostSteps = 6;

class Mending {
 public:
  Mending(const RunFindings& findings, const JobGain& gains, std::vector<ReportFinding>* answers)
      : findings_(findings), gains_(gains), answers_(*answers) {}

  // How much more the finding brings than what was made so far.
  uint64_t More(const ReportFinding& finding) const {
    std::vector<const PriceSums*> prices = made_;
    AddPrices(finding, &prices);
    const uint64_t all = gains_.OfAll(prices, finding.late_rank >= 0 ? finding.late_rank : late_);
    return all - std::min(all, gained_ns_);
  }

  void Make(ReportFinding* finding, size_t step) {
    finding->step = step;
    finding->more_ns = More(*finding);
    gained_ns_ += finding->more_ns;
    AddPrices(*finding, &made_);
    if (finding->late_rank >= 0) late_ = finding->late_rank;
  }

  // The next one to make; null: none brings `least_ns`.
  ReportFinding* Next(uint64_t least_ns) {
    uint64_t most = 0;
    std::vector<uint64_t> more(answers_.size());
    for (size_t i = 0; i < answers_.size(); ++i) {
      const ReportFinding& finding = answers_[i];
      const bool is_open = finding.step == 0 && finding.priced && IsWorthChanging(finding) &&
                           (finding.late_rank >= 0 || finding.change);
      if (is_open) more[i] = More(finding);
      most = std::max(most, more[i]);
    }
    if (most < least_ns) return nullptr;
    const bool is_first = made_.empty() && late_ < 0;
    const auto first = std::find_if(more.begin(), more.end(), [=](uint64_t ns) {
      return ns >= least_ns && (is_first || ns * 5 >= most * 4);
    });
    return &answers_[static_cast<size_t>(first - more.begin())];
  }

 private:
  void AddPrices(const ReportFinding& finding, std::vector<const PriceSums*>* prices) const {
    const auto add = [&](const PriceKey& key) {
      const auto price = findings_.prices.find(key);
      if (price != findings_.prices.end()) prices->push_back(&price->second);
    };
    if (finding.change) add(*finding.change);
    for (const PriceKey& key : finding.also) add(key);
  }

  const RunFindings& findings_;
  const JobGain& gains_;
  std::vector<ReportFinding>& answers_;
  std::vector<const PriceSums*> made_;
  int late_ = -1;  // the rank that comes late no longer
  uint64_t gained_ns_ = 0;
};

std::vector<const ReportFinding*> StepsOf(const std::vector<ReportFinding>& answers) {
  std::vector<const ReportFinding*> steps;
  for (const ReportFinding& finding : answers) {
    if (finding.step != 0) steps.push_back(&finding);
  }
  StableSort(&steps,
             [](const ReportFinding* a, const ReportFinding* b) { return a->step < b->step; });
  return steps;
}

}  // namespace

void FindMendingOrder(const RunFindings& findings, const JobGain& gains, uint64_t length_ns,
                      std::vector<ReportFinding>* answers) {
  Mending mending(findings, gains, answers);
  const uint64_t least_ns = std::max<uint64_t>(length_ns / kLeastShare, 1);
  for (size_t step = 1; step <= kMostSteps; ++step) {
    ReportFinding* const next = mending.Next(least_ns);
    if (next == nullptr) return;
    mending.Make(next, step);
  }
}

std::string OrderText(const RunFindings& findings, uint64_t length_ns,
                      const std::vector<ReportFinding>& answers) {
  const std::vector<const ReportFinding*> steps = StepsOf(answers);
  const auto with_gain = std::count_if(
      answers.begin(), answers.end(),
      [](const ReportFinding& finding) { return finding.priced && IsWorthChanging(finding); });
  if (steps.empty() || with_gain < 2) return "";
  std::string text = "One after another: ";
  uint64_t left_ns = length_ns;
  for (const ReportFinding* finding : steps) {
    const std::string gain = DurationText(finding->more_ns);
    const std::string share = ShareText(finding->more_ns, length_ns);
    text += finding->step == 1 ? Text(finding->number, " brings ", gain, " (", share, ")")
                               : Text(", ", finding->number, " then ", gain, " more (", share, ")");
    left_ns -= std::min(left_ns, finding->more_ns);
  }
  text += static_cast<size_t>(with_gain) > steps.size() ? ", no other 1 % more." : ".";
  const auto [busy, seen] = BusyTime(findings);
  if (seen == 0 || left_ns == 0) return text;
  const double share = static_cast<double>(busy) / static_cast<double>(seen) *
                       static_cast<double>(length_ns) / static_cast<double>(left_ns);
  return Text(text, " The GPU works ", ShareText(std::min(share, 1.0)), " of the ",
              DurationText(left_ns), " that are left.");
}

}  // namespace syncline
