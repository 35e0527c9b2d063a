// SPDX-License-Identifier: Apache-2.0
// A row for each kind: from which share on it is told, and what then helps.
#include "report/kernel_verdict.h"

#include "base/text.h"
#include "report/fill_verdict.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr double kLeastComputing = 0.5;

struct Verdict {
  unsigned classes;  // bits of KernelClass
  double least;      // of the kernels' time, without communication
  const char* what;
  const char* advice;
};

constexpr unsigned Bit(KernelClass kernel_class) {
  return 1u << static_cast<unsigned>(kernel_class);
}

constexpr Verdict kVerdicts[] = {
    {Bit(KernelClass::kMatmul), 0.6, "matrix products take",
     "a lower precision, or larger batches, make them faster"},
    {Bit(KernelClass::kAttention), 0.3, "attention takes",
     "one fused kernel instead of several, or shorter sequences"},
    {Bit(KernelClass::kMemory) | Bit(KernelClass::kElementWise), 0.4,
     "kernels that mostly move memory take", "fuse them, so that data is read and written once"}};

// Of all ranks, in their steps where they have some.
double ComputingShare(const Report& report) {
  TimeShares shares;
  for (const ReportSteps& steps : report.steps) shares.Add(steps.shares);
  if (shares.Sum() == 0) {
    for (const ReportRank& rank : report.ranks) shares.Add(rank.shares);
  }
  return shares.Share(TimeKind::kComputing);
}

}  // namespace

std::string KernelVerdict(const Report& report) {
  if (report.lost_matters || ComputingShare(report) < kLeastComputing) return "";
  uint64_t all_ns = 0;
  for (size_t i = 0; i < kKernelClasses; ++i) {
    if (static_cast<KernelClass>(i) != KernelClass::kCommunication)
      all_ns += report.kernel_class_ns[i];
  }
  std::string text;
  for (const Verdict& verdict : kVerdicts) {
    uint64_t ns = 0;
    for (size_t i = 0; i < kKernelClasses; ++i)
      ns +=
          (verdict.classes & Bit(static_cast<KernelClass>(i))) != 0 ? report.kernel_class_ns[i] : 0;
    if (ns == 0 || static_cast<double>(ns) < verdict.least * static_cast<double>(all_ns)) continue;
    text += Text(text.empty() ? "" : "; ", verdict.what, " ", ShareText(ns, all_ns),
                 " of the computing: ", verdict.advice);
  }
  const std::string fills = FillVerdict(report, all_ns);
  return Text(text, text.empty() || fills.empty() ? "" : "; ", fills);
}

}  // namespace syncline
