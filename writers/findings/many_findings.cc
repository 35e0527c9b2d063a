// SPDX-License-Identifier: Apache-2.0
// Writes the findings of a made-up job of many ranks, for scripts/bench: many_findings DIR RANKS.
// Each rank has as many names, steps and collectives as a short training of a language model.
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <random>
#include <string>
#include <utility>

#include "base/text.h"
#include "writers/findings/findings_file.h"

namespace syncline {
namespace {

constexpr int kRanges = 60, kKernels = 120, kWaits = 60, kGaps = 60, kSteps = 300;
constexpr int kKernelsOfRange = 30;
constexpr uint32_t kCollectivesOfStep = 8;
constexpr uint64_t kBegin = 1'760'000'000'000'000'000, kStepNs = 400'000'000;

class RankMaker {
 public:
  explicit RankMaker(int rank, int ranks) : rank_(rank), ranks_(ranks), random_(rank) {}

  RunFindings Make() {
    MakePart();
    MakeRanges();
    MakeOps();
    MakeStageKernels();
    MakeWaits();
    return std::move(findings_);
  }

 private:
  // Around `mean`, as durations of one thing are.
  uint64_t About(double mean) {
    return static_cast<uint64_t>(mean * std::lognormal_distribution<double>(0, 0.25)(random_));
  }
  DurationSums Sums(int count, double mean) {
    DurationSums sums;
    for (int i = 0; i < count; ++i) sums.Add(About(mean));
    return sums;
  }

  void MakePart() {
    RankPart& part = findings_.ranks["rank-" + std::to_string(rank_)];
    part = {};
    part.rank = rank_;
    part.world_size = ranks_;
    part.complete = true;
    part.job = "slurm 4711.0";
    part.host = Text("node", rank_ / 8);
    part.begin_ns = kBegin;
    part.end_ns = kBegin + kSteps * kStepNs;
    part.clock_error_ns = 300;
    part.processes = 1;
    part.ranges = kSteps * kRanges;
    part.calls = part.device_ops = kSteps * kKernels;
    MakeSteps(&part);
    MakeCollectives(&part.collectives);
    DeviceUse use;
    use.source = "cuda";
    use.device = static_cast<uint32_t>(rank_ % 8);
    use.name = "Simulated H100-like GPU";
    use.begin_ns = part.begin_ns;
    use.end_ns = part.end_ns;
    use.operations = part.device_ops;
    use.busy_ns = use.computing_ns = use.kernels_ns = About(100e9);
    part.devices.push_back(use);
  }

  void MakeSteps(RankPart* part) {
    StepSeries series = {1000 + rank_, "step #", {}};
    for (uint64_t step = 0; step < kSteps; ++step)
      series.steps.push_back({kBegin + step * kStepNs, About(kStepNs * 0.9), step});
    part->steps.push_back(std::move(series));
  }

  void MakeCollectives(RankCollectives* collectives) {
    collectives->rank = rank_;
    collectives->sizes[1] = static_cast<uint32_t>(ranks_);
    collectives->clock.machine = "one";
    for (uint32_t i = 0; i < kSteps * kCollectivesOfStep; ++i) {
      Collective one;
      one.communicator = 1;
      one.end_ns = kBegin + (i + 1) * (kStepNs / kCollectivesOfStep);
      one.begin_ns = one.end_ns - About(3e6);
      one.sequence = i;
      collectives->done.push_back(one);
    }
  }

  void MakeRanges() {
    for (int i = 0; i < kRanges; ++i) {
      const RangeKey key{"nvtx", "", Text("layer.", i, ".forward")};
      for (int step = 0; step < kSteps; ++step) {
        const uint64_t ns = About(1e6 * (i + 1));
        findings_.ranges[key].Add(ns);
        findings_.own_times[key].Add(ns);
      }
    }
    findings_.ranks.begin()->second.stages = LongestStages(findings_, kMostStagesOfRank);
  }

  void MakeOps() {
    for (int i = 0; i < kKernels; ++i) {
      const std::string functor = Text("at::native::BinaryFunctor<float, float, float, kernel", i);
      findings_.kernels[{"cuda", Text("void at::native::vectorized_elementwise_kernel<4, ", functor,
                                      ">, std::array<char*, 3ul> >(int, ", functor,
                                      ">, std::array<char*, 3ul>)")}] = Sums(kSteps, 1e5 * (i + 1));
    }
    for (const char* name : {"Memcpy HtoD (Pageable -> Device)", "Memcpy DtoH (Device -> Pinned)"})
      findings_.copies[{"cuda", name}] = {Sums(kSteps, 5e5), uint64_t{kSteps} << 20};
  }

  void MakeStageKernels() {
    for (int i = 0; i < kRanges; ++i) {
      KernelList list;
      auto kernel = std::next(findings_.kernels.begin(), i);
      for (int of = 0; of < kKernelsOfRange; ++of, ++kernel) {
        const LaunchSums sums{kSteps, About(1e5 * kSteps), About(5e3 * kSteps)};
        list.kernels.emplace_back(findings_.stage_kernels.NumberOf(kernel->first),
                                  StageKernel{sums, i % 2 == 0 ? sums : LaunchSums{}});
      }
      findings_.stage_kernels.Add({"nvtx", "", Text("layer.", i, ".forward")}, std::move(list));
    }
  }

  void MakeWaits() {
    for (int i = 0; i < kWaits; ++i) {
      WaitSums sums;
      sums.blocked = Sums(kSteps, 2e4 * (i + 1));
      sums.idle_after_ns = sums.blocked.total_ns / 2;
      findings_.waits[{"cuda", WaitClass::kStream, "synchronize",
                       Text("step # > layer.", i, ".forward"), Text("train.py:", i, " step()")}] =
          std::move(sums);
    }
    for (int i = 0; i < kGaps; ++i) {
      findings_.gaps[{"cuda",
                      GapCause::kHostBusy,
                      "",
                      Text("step # > layer.", i, ".forward"),
                      {Text("train.py:", i, " step()"), Text("train.py:", i + 1, " step()")}}] =
          Sums(kSteps, 3e4 * (i + 1));
    }
    std::vector<LongWait> longest(kLongestWaits);
    for (LongWait& wait : longest) {
      wait = {About(1e7), Text("rank-", rank_), kBegin + About(1e10), 1, 1, {}};
      wait.what.call = "synchronize";
      wait.what.where = "train.py:38 main()";
    }
    findings_.AddLongWaits(std::move(longest));
  }

  const int rank_;
  const int ranks_;
  std::mt19937_64 random_;
  RunFindings findings_;
};

}  // namespace
}  // namespace syncline

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::string directory = argv[1];
  const int ranks = std::atoi(argv[2]);
  mkdir(directory.c_str(), 0700);
  mkdir((directory + "/run").c_str(), 0700);
  for (int rank = 0; rank < ranks; ++rank) {
    const syncline::Status status =
        syncline::WriteFindings(syncline::Text(directory, "/run/rank-", rank, ".findings"),
                                syncline::RankMaker(rank, ranks).Make());
    if (status.ok()) continue;
    std::fprintf(stderr, "%s\n", status.message().c_str());
    return 1;
  }
  return 0;
}
