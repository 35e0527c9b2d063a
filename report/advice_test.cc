// SPDX-License-Identifier: Apache-2.0
// Advice is in the words of whoever reads it.
#include "report/advice.h"

#include <gtest/gtest.h>

#include <string>

namespace syncline {
namespace {

const std::set<std::string> kNoFramework;

RunFindings Program(const char* line, const char* kernel) {
  RunFindings findings;
  findings.waits[{"cuda", WaitClass::kPageableCopy, "copy", "", line}].blocked.Add(1000);
  findings.kernels[{"cuda", kernel}].Add(1000);
  return findings;
}

bool Says(const char* text, const char* word) {
  return std::string(text).find(word) != std::string::npos;
}

TEST(Advice, SpeaksTheSourcesLanguage) {
  EXPECT_TRUE(Says(AdviceFor(ProblemKind::kPageableCopy, "cuda", kNoFramework), "cudaMallocHost"));
  EXPECT_TRUE(
      Says(AdviceFor(ProblemKind::kDeviceWait, "level_zero", kNoFramework), "zeEventHostSync"));
  EXPECT_TRUE(
      Says(AdviceFor(ProblemKind::kSynchronousCopy, "level_zero", kNoFramework), "zeMemAllocHost"));
}

TEST(Advice, AFrameworksWordsComeFirstWhateverTheSource) {
  for (const char* source : {"cuda", "level_zero"}) {
    EXPECT_TRUE(Says(AdviceFor(ProblemKind::kPageableCopy, source, {"torch"}), "pin_memory=True"));
    EXPECT_TRUE(Says(AdviceFor(ProblemKind::kDataWork, source, {"torch"}), "DataLoader"));
    EXPECT_FALSE(Says(AdviceFor(ProblemKind::kHostWork, source, {"torch"}), "DataLoader"))
        << "nothing shows that data was made";
  }
  // What PyTorch has no word for is the source's.
  EXPECT_TRUE(Says(AdviceFor(ProblemKind::kModuleLoad, "cuda", {"torch"}), "CUDA_MODULE_LOADING"));
}

TEST(Advice, ARangesWordsComeBeforeThoseForAll) {
  const auto in = [](const char* range) {
    return AdviceFor(ProblemKind::kLaunchBound, "cuda", {"torch"}, range);
  };
  EXPECT_TRUE(Says(in("Optimizer.step#AdamW.step"), "fused=True"));
  EXPECT_TRUE(Says(in("my Optimizer.step#"), "torch.compile"));
  EXPECT_TRUE(Says(in(""), "torch.compile"));
}

TEST(Advice, NoVendorsWordWhereTheSourceIsNoVendors) {
  for (size_t kind = 0; kind < kProblemKinds; ++kind) {
    for (const char* source : {"", "mpi"}) {
      const char* text = AdviceFor(static_cast<ProblemKind>(kind), source, kNoFramework);
      ASSERT_FALSE(std::string(text).empty());
      for (const char* word : {"cuda", "CUDA", "torch", "DataLoader", "pin_memory", "zeMem"})
        EXPECT_FALSE(Says(text, word)) << text;
    }
  }
}

TEST(Advice, LevelZeroHearsNothingOfCuda) {
  for (size_t kind = 0; kind < kProblemKinds; ++kind) {
    const char* text = AdviceFor(static_cast<ProblemKind>(kind), "level_zero", kNoFramework);
    for (const char* word : {"cuda", "CUDA", "torch"}) EXPECT_FALSE(Says(text, word)) << text;
  }
}

TEST(Advice, PyTorchIsKnownByItsKernelsInAPythonProgram) {
  const char* kernel = "void at::native::vectorized_elementwise_kernel<4, at::native::Add>";
  EXPECT_EQ(FrameworksOf(Program("train.py:15 <module>", kernel)), std::set<std::string>{"torch"});
  EXPECT_EQ(FrameworksOf(Program("", kernel)), std::set<std::string>{"torch"}) << "--stacks none";
  EXPECT_EQ(FrameworksOf(Program("main.cc:40 main()", kernel)), kNoFramework) << "libtorch";
  EXPECT_EQ(FrameworksOf(Program("solve.py:3 f()", "saxpy(int, float*)")), kNoFramework);
}

}  // namespace
}  // namespace syncline
