// SPDX-License-Identifier: Apache-2.0
// From which share on a kernel is told, why it fills its device badly, and what then helps.
#include "report/fill_verdict.h"

#include <algorithm>

#include "base/text.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr uint64_t kLeastPartOfComputing = 10;  // of the computing: a tenth
constexpr uint64_t kMostOfTime = 2;             // of the kernel's time: half
constexpr size_t kMostKernelsTold = 3;

struct LimitWords {
  const char* what;
  const char* advice;
};
constexpr LimitWords kLimits[kRoomLimits] = {
    {"registers", "less work a thread, or a bound on its registers, lets more of them in"},
    {"shared memory", "smaller tiles let more blocks in"},
    {"the number of blocks", "larger blocks use more of its threads"}};

// These are made so: a few warps with many registers, and a few blocks beside the computing.
bool MayHaveFewThreads(KernelClass kernel_class) {
  return kernel_class == KernelClass::kMatmul || kernel_class == KernelClass::kAttention;
}

bool IsMost(const FillSums& sums, const ReportKernel& kernel) {
  return sums.launches != 0 && sums.ns * kMostOfTime >= kernel.sums.total_ns;
}

std::string Sentence(const ReportKernel& kernel) {
  const FillSums& few = kernel.fill.few_blocks;
  if (IsMost(few, kernel)) {
    return Text("with ", CountText(few.Mean()), few.Mean() == 1 ? " block" : " blocks", " for ",
                CountText(kernel.fill.multiprocessors),
                " multiprocessors: larger batches, smaller blocks, or other kernels beside it, use "
                "the others");
  }
  if (MayHaveFewThreads(kernel.kernel_class)) return "";
  const auto most =
      std::max_element(kernel.fill.low.begin(), kernel.fill.low.end(),
                       [](const FillSums& a, const FillSums& b) { return a.ns < b.ns; });
  if (!IsMost(*most, kernel)) return "";
  const LimitWords& words = kLimits[most - kernel.fill.low.begin()];
  return Text("with room for ", most->Mean(), " % of a multiprocessor's threads, by ", words.what,
              ": ", words.advice);
}

}  // namespace

std::string FillVerdict(const Report& report, uint64_t computing_ns) {
  std::string text;
  size_t told = 0;
  for (const ReportKernel& kernel : report.kernels) {
    if (kernel.kernel_class == KernelClass::kCommunication || told == kMostKernelsTold) continue;
    const uint64_t ns = kernel.sums.total_ns;
    const std::string why =
        ns == 0 || ns * kLeastPartOfComputing < computing_ns ? "" : Sentence(kernel);
    if (why.empty()) continue;
    text += Text(text.empty() ? "" : "; ", KernelName(kernel.key.name), " takes ",
                 ShareText(ns, computing_ns), " of the computing ", why);
    ++told;
  }
  return text;
}

}  // namespace syncline
