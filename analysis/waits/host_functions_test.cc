// SPDX-License-Identifier: Apache-2.0
// When functions of the host ran, of lives that tell it in one way each.
#include "analysis/waits/host_functions.h"

#include <gtest/gtest.h>

#include "analysis/waits/testing.h"

namespace syncline {
namespace {

using testing::kOtherStream;
using testing::kStream;
using testing::kUnblocked;
using testing::Process;

std::vector<HostFunction> Find(Process* process) {
  const std::vector<Wait> waits = testing::FindWaits(process->records);
  return FindHostFunctions(process->records, testing::Rules(), waits);
}

void Function(Process* process, uint64_t at_us, uint32_t stream = kStream) {
  process->Call("cudaLaunchHostFunc", at_us, at_us + 1);
  process->Function(stream);
}

void ExpectRan(const HostFunction& function, uint64_t begin_us, uint64_t end_us) {
  EXPECT_EQ(function.begin_ns, begin_us * 1000);
  EXPECT_EQ(function.end_ns, end_us * 1000);
}

TEST(HostFunctions, EndWhenWhatWasSubmittedBehindThemBegins) {
  Process process;
  process.Kernel(0, 5, 100);
  Function(&process, 3);
  process.Kernel(5, 400, 410);
  const auto found = Find(&process);
  ASSERT_EQ(found.size(), 1u);
  ExpectRan(found[0], 100, 400);
  EXPECT_EQ(found[0].held, 1u);
  EXPECT_EQ(found[0].submitted_ns, 3000u);
  EXPECT_EQ(found[0].tid, process.tid);
}

TEST(HostFunctions, NothingTellsOfOneThatWasOverWhenTheNextWorkCame) {
  Process process;
  process.Kernel(0, 5, 100);
  Function(&process, 3);
  process.Kernel(395, 400, 410);
  ExpectRan(Find(&process).at(0), 100, 100);
}

TEST(HostFunctions, EndWithTheFirstWaitForThem) {
  Process process;
  process.Kernel(0, 5, 100);
  Function(&process, 120);
  process.Call("cudaStreamSynchronize", 130, 900);
  process.Sync(GpuSyncKind::kStream, kStream);
  process.Kernel(905, 910, 920);
  ExpectRan(Find(&process).at(0), 120, 900);
}

TEST(HostFunctions, HoldUpOtherStreamsByEvents) {
  Process process;
  process.Kernel(0, 5, 100);
  Function(&process, 3);
  process.Call("cudaEventRecord", 4, 5);
  process.Record(9, kStream);
  process.Kernel(5, 8, 20, kUnblocked);
  process.Call("cudaStreamWaitEvent", 7, 8);
  process.Sync(GpuSyncKind::kStreamWaitEvent, kUnblocked, 9);
  process.Kernel(9, 700, 710, kUnblocked);
  const auto found = Find(&process);
  ExpectRan(found.at(0), 100, 700);
  EXPECT_EQ(found[0].held, 2u);
}

TEST(HostFunctions, HoldUpTheLegacyStreamButNotOnesOfTheirOwn) {
  Process process;
  Function(&process, 3);
  process.Kernel(5, 300, 310, kUnblocked);
  process.Kernel(7, 500, 510, testing::kLegacyStream);
  ExpectRan(Find(&process).at(0), 3, 500);
}

TEST(HostFunctions, OfSeveralInARowTheLastOneHasTheTime) {
  Process process;
  process.Kernel(0, 5, 100);
  Function(&process, 3);
  Function(&process, 5);
  Function(&process, 6, kOtherStream);
  process.Kernel(7, 400, 410);
  const auto found = Find(&process);
  ASSERT_EQ(found.size(), 3u);
  ExpectRan(found[0], 100, 100);
  ExpectRan(found[1], 100, 400);
  ExpectRan(found[2], 6, 6);
}

TEST(HostFunctions, OfCallsThatWereNotRecordedNothingIsSaid) {
  Process process;
  process.Kernel(0, 5, 100);
  process.records.host_functions.push_back({77, testing::kContext, kStream});
  EXPECT_TRUE(Find(&process).empty());
}

}  // namespace
}  // namespace syncline
