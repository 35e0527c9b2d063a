// SPDX-License-Identifier: Apache-2.0
// From the spools of two ranks to what their traces say of each other.
#include "analysis/collectives/collective_join.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "analysis/rank_analysis.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/testing/trace_writing.h"
#include "writers/testing/trace_check.h"

namespace syncline {
namespace {

using testing::kStartRealtime;
using testing::kStartTicks;
using testing::RecordBatch;

constexpr uint32_t kMs = 1000000;
constexpr uint64_t kWorld = 77, kLarge = 0xf123456789abcdef;
enum Names : uint32_t {
  kLaunch = 1,
  kInit,
  kAllReduce,
  kGroupStart,
  kGroupEnd,
  kKernel,
  kSend,
  kReceive,
  kPassing
};
// Types of fields, as NVTX numbers them.
constexpr uint64_t kInt = 5, kUint64 = 18, kSize = 22;
enum Schemas : uint32_t { kRanksSchema = 1, kMessageSchema, kPeerSchema };

// A rank as NCCL shows it: calls with a range each, device times on the job's line.
class RankOfJob {
 public:
  RankOfJob() {
    batch_.Stream(1, 4210, true).Name(kLaunch, "cudaLaunchKernel").Domain(1, 9, "NCCL");
    batch_.Name(kInit, "ncclCommInitRank").Name(kAllReduce, "ncclAllReduce");
    batch_.Name(kGroupStart, "ncclGroupStart").Name(kGroupEnd, "ncclGroupEnd");
    batch_.Name(kKernel, "_Z36ncclDevKernel_AllReduce_Sum_f32_RING4args");
    batch_.Name(kSend, "ncclSend").Name(kReceive, "ncclRecv");
    batch_.Name(kPassing, "_Z22ncclDevKernel_SendRecv4args");
    batch_.DeviceClock(kStartTicks, kStartRealtime, kStartTicks);
    const testing::SchemaField id{"NCCL communicator ID", kUint64};
    const testing::SchemaField fields[] = {id, {"No. of ranks", kInt, 8}, {"Rank", kInt, 12}};
    const testing::SchemaField peer[] = {id, {"Peer rank", kInt, 8}};
    const testing::SchemaField bytes[] = {id, {"Message size [bytes]", kSize, 8}};
    batch_.Text(RecordKind::kSchema, kRanksSchema, 1, testing::SerialiseSchema("r", 16, fields), 1,
                kStructSchema);
    batch_.Text(RecordKind::kSchema, kMessageSchema, 2, testing::SerialiseSchema("m", 16, bytes), 1,
                kStructSchema);
    batch_.Text(RecordKind::kSchema, kPeerSchema, 3, testing::SerialiseSchema("p", 16, peer), 1,
                kStructSchema);
  }

  // NCCL allocates memory when it makes a communicator.
  void Init(uint64_t communicator, uint64_t rank = 0) {
    batch_.Call(testing::PlausibleCall(CallRole::kOther, kInit, at_ + 2, at_ + 4, ++correlation_));
    Empty(kInit, kRanksSchema, communicator, rank << 32 | 2);
  }
  // In a group that is to be launched.
  void AskToPass(uint32_t name, uint64_t communicator, uint64_t peer) {
    Empty(name, kPeerSchema, communicator, peer);
  }
  // A send or receive by itself, or, in the range of a group's end, all of the group.
  void Pass(uint32_t name, uint64_t communicator, uint64_t peer, uint64_t begin, uint64_t end) {
    const uint64_t before = at_;
    LaunchKernel(kPassing, begin, end);
    at_ += 10;
    if (communicator == 0) return void(batch_.Range(name, before, at_, 1));
    Range(name, before, at_, kPeerSchema, communicator, peer);
  }
  void Ask(uint64_t communicator) { Empty(kAllReduce, kMessageSchema, communicator, 4096); }
  void StartGroup() {
    batch_.Range(kGroupStart, at_, at_ + 10, 1);
    at_ += 10;
  }
  // With --cuda-api full: NCCL asks whether the stream is being captured.
  void AskWithACall(uint64_t communicator) {
    batch_.Call(testing::PlausibleCall(CallRole::kOther, kInit, at_ + 2, at_ + 4, ++correlation_));
    Ask(communicator);
  }
  // The call that launches, in the range `name`, and the kernel that runs later.
  void Launch(uint32_t name, uint64_t communicator, uint64_t begin, uint64_t end,
              uint32_t device = 0) {
    const uint64_t before = at_;
    LaunchKernel(kKernel, begin, end, device);
    at_ += 10;
    if (communicator == 0) {
      batch_.Range(name, before, at_, 1);
    } else {
      Range(name, before, at_, kMessageSchema, communicator, 4096);
    }
  }

  std::string Save(int rank, const std::string& path) const {
    testing::SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess(4210 + rank, rank, 2)).Records(0, batch_);
    spool.End(kStartTicks + 100 * kMs, true, 0);
    return spool.Save(path);
  }

 private:
  void LaunchKernel(uint32_t kernel_name, uint64_t begin, uint64_t end, uint32_t device = 0) {
    batch_.Call(testing::PlausibleCall(CallRole::kLaunch, kLaunch, at_ + 2, at_ + 8, ++correlation_,
                                       0, kGaveWork));
    DeviceOpRecord op = testing::PlausibleOp(DeviceOpType::kKernel, 13, correlation_,
                                             kStartRealtime + begin, kStartRealtime + end);
    op.head.id = kernel_name;
    op.device = static_cast<decltype(op.device)>(device);
    const KernelDetails kernel = testing::PlausibleKernel();
    batch_.DeviceOp(op, &kernel);
  }
  void Empty(uint32_t name, uint32_t schema, uint64_t communicator, uint64_t value) {
    Range(name, at_, at_ + 10, schema, communicator, value);
    at_ += 10;
  }
  void Range(uint32_t name, uint64_t begin, uint64_t end, uint32_t schema, uint64_t communicator,
             uint64_t value) {
    char bytes[16];
    std::memcpy(bytes, &communicator, 8);
    std::memcpy(bytes + 8, &value, 8);
    batch_.Text(RecordKind::kPayload, schema, begin, {bytes, 16}, 1, kSchemaPayload);
    batch_.Range(name, begin, end, 1, kHasPayload);
  }

  RecordBatch batch_;
  uint64_t at_ = kStartTicks;
  uint32_t correlation_ = 0;
};

// The traces of two ranks, and their manifests' facts.
struct Met {
  testing::TraceCheck checks[2];
  CollectiveFacts facts[2];
  RankMeetings meetings;

  explicit Met(const RankOfJob* ranks) {
    const testing::Scratch scratch;
    CollectiveJoin join;
    std::vector<std::unique_ptr<RankAnalysis>> analyses;
    std::vector<std::unique_ptr<RankPipeline>> pipelines;
    for (int rank = 0; rank < 2; ++rank) {
      TraceJob job;
      job.rank = rank;
      job.output = scratch / ("rank-" + std::to_string(rank) + ".trace.json");
      job.processes.emplace_back().spool =
          ranks[rank].Save(rank, scratch / (std::to_string(rank) + ".spool"));
      analyses.push_back(std::make_unique<RankAnalysis>(1 << 20, UINT64_MAX));
      job.analysis = analyses.back().get();
      pipelines.push_back(TracePipeline(job));
      pipelines.back()->Read();
      analyses.back()->part.collectives.rank = rank;
      join.Add(analyses.back()->part.collectives);
    }
    join.Join(true);
    meetings = join.Meetings();
    for (size_t rank = 0; rank < 2; ++rank) {
      facts[rank] = join.FactsOf(rank);
      for (const auto& run : pipelines[rank]->model().runs) join.Describe(rank, run.get());
      EXPECT_TRUE(pipelines[rank]->Write().status.ok());
      checks[rank] = testing::CheckTrace(
          testing::ReadTrace(scratch / ("rank-" + std::to_string(rank) + ".trace.json")));
      EXPECT_TRUE(checks[rank].faults.empty()) << checks[rank].Faults();
    }
  }

  auto Kernel(size_t rank, size_t n) {
    return checks[rank].Events("X", "ncclDevKernel_AllReduce_Sum_f32_RING(args)").at(n)["args"];
  }
};

TEST(RankTimesTest, ThoseOfARankAreAddedUpHoweverLargeItsNumber) {
  constexpr int kLargest = 2147483647;  // of a damaged file
  const RankTimes times(std::vector<RankTimes::Time>{{kLargest, 5}, {1, 2}, {kLargest, 7}});
  EXPECT_EQ(times, (RankTimes{{1, 2}, {kLargest, 12}}));
  EXPECT_EQ(times.Of(kLargest), 12u);
  EXPECT_EQ(times.Of(2), 0u);
  RankTimes sum{{2, 1}};
  sum.Add(times);
  EXPECT_EQ(sum, (RankTimes{{1, 2}, {2, 1}, {kLargest, 12}}));
}

TEST(RankMeetingTest, KernelsSayWhoCameLast) {
  RankOfJob ranks[2];
  for (int rank = 0; rank < 2; ++rank) {
    const uint64_t late = rank == 1 ? 3 * kMs : 0;
    ranks[rank].Init(kWorld);
    ranks[rank].Init(kLarge);
    ranks[rank].Launch(kAllReduce, kWorld, kMs + late, 5 * kMs);
    ranks[rank].StartGroup();
    ranks[rank].AskWithACall(kLarge);
    ranks[rank].Launch(kGroupEnd, 0, 11 * kMs - late, 15 * kMs);
  }
  Met met(ranks);
  EXPECT_EQ(met.Kernel(0, 0)["last_rank"], 1);
  EXPECT_EQ(met.Kernel(0, 0)["waited_us"], 3000);
  EXPECT_EQ(met.Kernel(1, 0)["waited_us"], 0);
  EXPECT_EQ(met.Kernel(1, 0)["collective"], 0);
  EXPECT_EQ(met.Kernel(0, 0)["communicator"], "0x000000000000004d");
  EXPECT_EQ(met.Kernel(0, 1)["communicator"], "0xf123456789abcdef");
  EXPECT_EQ(met.Kernel(1, 1)["last_rank"], 0);
  EXPECT_EQ(met.Kernel(1, 1)["waited_us"], 3000);
  EXPECT_EQ(met.facts[0].met, 2u);
  EXPECT_EQ(met.facts[0].came_last, 1u);
  EXPECT_EQ(met.facts[0].waited_for_ns, (RankTimes{{1, 3 * kMs}}));
}

// As PyTorch gathers a list of tensors.
TEST(RankMeetingTest, AGroupOfSeveralIsOneKernel) {
  RankOfJob ranks[2];
  for (RankOfJob& rank : ranks) {
    rank.Init(kWorld);
    rank.StartGroup();
    rank.Ask(kWorld);
    rank.Ask(kWorld);
    rank.Launch(kGroupEnd, 0, kMs, 2 * kMs);
    rank.Launch(kAllReduce, kWorld, 3 * kMs, 4 * kMs);
  }
  Met met(ranks);
  EXPECT_EQ(met.Kernel(0, 0)["collective"], 0);
  EXPECT_EQ(met.Kernel(0, 1)["collective"], 2);
  EXPECT_EQ(met.facts[0].met, 2u);
}

TEST(RankMeetingTest, NothingIsSaidOfWhatIsNotKnown) {
  RankOfJob ranks[2];
  for (RankOfJob& rank : ranks) {
    rank.Init(kWorld);
    rank.Init(kLarge);
    rank.StartGroup();
    rank.Ask(kWorld);
    rank.Ask(kLarge);
    rank.Launch(kGroupEnd, 0, kMs, 2 * kMs);  // of which of the two?
    rank.Launch(kLaunch, 0, 3 * kMs, 4 * kMs);
  }
  Met met(ranks);
  for (const size_t n : {0, 1}) EXPECT_FALSE(met.Kernel(0, n).contains("last_rank"));
  EXPECT_EQ(met.facts[0].met, 0u);
}

TEST(RankMeetingTest, NothingIsSaidOfSeveralDevicesOfOneProcess) {
  RankOfJob ranks[2];
  ranks[0].Init(kWorld);
  for (const uint32_t device : {0u, 1u, 0u, 1u})
    ranks[0].Launch(kAllReduce, kWorld, kMs, 2 * kMs, device);
  Met met(ranks);
  EXPECT_EQ(met.facts[0].met, 0u);
  EXPECT_EQ(met.meetings.left_out[0][static_cast<size_t>(LeftOut::kInOneProcess)], 4u);
}

// In place and of one rank, or of no elements: nothing is launched, and the others keep their
// numbers. The same where CUPTI was left to another tool of one rank.
TEST(RankMeetingTest, CallsWithoutKernelsAreNumberedToo) {
  RankOfJob ranks[2];
  for (int rank = 0; rank < 2; ++rank) {
    ranks[rank].Init(kWorld);
    for (uint64_t n = 0; n < 5; ++n) {
      ranks[rank].Ask(kLarge);
      if (n == 1 && rank == 0) {
        ranks[rank].Ask(kWorld);
      } else {
        const uint64_t late = rank == 1 ? 3 * kMs : 0;
        ranks[rank].Launch(kAllReduce, kWorld, (10 * n + 1) * kMs + late, (10 * n + 5) * kMs);
      }
    }
  }
  Met met(ranks);
  EXPECT_EQ(met.facts[0].met, 4u);
  EXPECT_EQ(met.Kernel(0, 1)["collective"], 2);
  EXPECT_FALSE(met.Kernel(1, 1).contains("collective"));
  EXPECT_EQ(met.Kernel(1, 2)["collective"], 2);
  EXPECT_EQ(met.facts[0].waited_for_ns.Of(1), 12u * kMs);
}

// Alone, and both directions in one kernel. The first of each direction does not count, and a group
// of two communicators is nobody's.
TEST(RankMeetingTest, WhoWaitsForSendsAndReceives) {
  RankOfJob ranks[2];
  for (uint64_t rank = 0; rank < 2; ++rank) {
    RankOfJob& own = ranks[rank];
    const uint32_t mine = rank == 0 ? kSend : kReceive, theirs = rank == 0 ? kReceive : kSend;
    const uint64_t peer = 1 - rank;
    own.Init(kWorld, rank);
    own.Init(kLarge, rank);
    own.Pass(mine, kWorld, peer, kMs, 2 * kMs);
    own.Pass(mine, kWorld, peer, (rank == 0 ? 9 : 5) * kMs, 10 * kMs);
    own.StartGroup();
    own.AskToPass(mine, kWorld, peer);
    own.AskToPass(theirs, kWorld, peer);
    own.Pass(kGroupEnd, 0, 0, (rank == 0 ? 11 : 14) * kMs, 15 * kMs);
    own.StartGroup();
    own.AskToPass(mine, kWorld, peer);
    own.AskToPass(mine, kLarge, peer);
    own.Pass(kGroupEnd, 0, 0, 16 * kMs, 17 * kMs);
    own.Pass(theirs, kWorld, peer, (rank == 0 ? 20 : 22) * kMs, 23 * kMs);
  }
  const Met met(ranks);
  const auto waited_us = [&](int rank, int other, bool sends) {
    const auto found = met.meetings.messages.find({rank, other, sends, ""});
    return found == met.meetings.messages.end() ? 0 : found->second.waited_ns / 1000;
  };
  EXPECT_EQ(waited_us(1, 0, false), 4000u) << "the second one";
  EXPECT_EQ(waited_us(0, 1, true), 3000u) << "in the group";
  EXPECT_EQ(waited_us(0, 1, false), 2000u) << "the last one; that of the group was the first";
  EXPECT_EQ(waited_us(1, 0, true), 0u);
  EXPECT_EQ(met.meetings.bubbles_ns, (std::map<int, uint64_t>{{0, 5 * kMs}, {1, 4 * kMs}}));
  EXPECT_EQ(met.meetings.left_out.at(0)[static_cast<size_t>(LeftOut::kSendReceive)], 1u);
}

}  // namespace
}  // namespace syncline
