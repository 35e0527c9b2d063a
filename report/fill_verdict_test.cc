// SPDX-License-Identifier: Apache-2.0
// Which kernels are told to fill their device badly, and why.
#include "report/fill_verdict.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

ReportKernel Kernel(const char* name, uint64_t ns, KernelClass kernel_class = KernelClass::kOther) {
  ReportKernel kernel;
  kernel.key.name = name;
  kernel.kernel_class = kernel_class;
  kernel.sums.total_ns = ns;
  return kernel;
}

// Alone, with the same of each class, of all the computing.
std::string VerdictOf(const ReportKernel& kernel, uint64_t computing_ns = 100) {
  Report report;
  report.kernels = {kernel};
  return FillVerdict(report, computing_ns);
}

TEST(FillVerdictTest, FewBlocks) {
  ReportKernel kernel = Kernel("void scan<float>(float*)", 40);
  kernel.fill.few_blocks = {2, 20, 16};
  kernel.fill.multiprocessors = 132;
  EXPECT_EQ(VerdictOf(kernel),
            "scan<float> takes 40 % of the computing with 8 blocks for 132 multiprocessors: larger "
            "batches, smaller blocks, or other kernels beside it, use the others");
  kernel.kernel_class = KernelClass::kMatmul;
  EXPECT_NE(VerdictOf(kernel), "");
  kernel.kernel_class = KernelClass::kCommunication;
  EXPECT_EQ(VerdictOf(kernel), "") << "it is made so";
  kernel.kernel_class = KernelClass::kOther;
  EXPECT_EQ(VerdictOf(kernel, 401), "") << "less than a tenth of the computing";
  EXPECT_NE(VerdictOf(kernel, 400), "");
  kernel.fill.few_blocks.ns = 19;
  EXPECT_EQ(VerdictOf(kernel), "") << "most launches have enough";
}

TEST(FillVerdictTest, LowOccupancyWithWhatLimitsIt) {
  const struct {
    RoomLimit limit;
    const char* words;
  } cases[] = {{RoomLimit::kRegisters, "registers: less work a thread"},
               {RoomLimit::kSharedMemory, "shared memory: smaller tiles"},
               {RoomLimit::kBlocks, "the number of blocks: larger blocks"}};
  for (const auto& test : cases) {
    ReportKernel kernel = Kernel("k", 40);
    kernel.fill.low[static_cast<size_t>(test.limit)] = {3, 40, 38};
    const std::string verdict = VerdictOf(kernel);
    EXPECT_EQ(verdict.find("k takes 40 % of the computing with room for 12 % of a "
                           "multiprocessor's threads, by "),
              0u)
        << verdict;
    EXPECT_NE(verdict.find(test.words), std::string::npos) << verdict;
    kernel.kernel_class = KernelClass::kAttention;
    EXPECT_EQ(VerdictOf(kernel), "") << "few threads with many registers are its way";
  }
}

TEST(FillVerdictTest, NothingIsSaidWhereNothingIsKnown) {
  EXPECT_EQ(VerdictOf(Kernel("k", 40)), "");
  EXPECT_EQ(VerdictOf(Kernel("k", 0), 0), "");
}

TEST(FillVerdictTest, ThreeKernelsAreTold) {
  Report report;
  for (const char* name : {"a", "b", "c", "d"}) {
    report.kernels.push_back(Kernel(name, 25));
    report.kernels.back().fill.few_blocks = {1, 25, 1};
    report.kernels.back().fill.multiprocessors = 2;
  }
  const std::string verdict = FillVerdict(report, 100);
  EXPECT_NE(verdict.find("; c takes 25 % of the computing with 1 block for 2 "), std::string::npos);
  EXPECT_EQ(verdict.find("; d takes"), std::string::npos);
}

}  // namespace
}  // namespace syncline
