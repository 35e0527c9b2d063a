// SPDX-License-Identifier: Apache-2.0
// For tests of the writers: a report that has a row of each kind.
#pragma once

#include "report/report.h"

namespace syncline::testing {

inline DurationSums SumsOf(std::initializer_list<uint64_t> durations) {
  DurationSums sums;
  for (const uint64_t ns : durations) sums.Add(ns);
  return sums;
}

inline ReportFinding SampleFinding() {
  ReportFinding finding;
  finding.kind = "read_back";
  finding.problem = "the host waits for the GPU at train.py:38 main()";
  finding.where = "train.py:38 main()";
  finding.wait_class = "stream";
  finding.call = "syncCall";
  finding.rank = "rank 3";
  finding.stage = "log";
  finding.count = 20;
  finding.blocked_ns = 30'000'000;
  finding.priced = true;
  finding.gain_ns = 24'400'000;
  finding.gain_percent = 12.2;
  finding.assumption = "if it is not needed there";
  finding.advice = "read the value once per N steps";
  return finding;
}

inline ReportRank SampleRank(int number, uint64_t computing_ns) {
  ReportRank rank;
  rank.name = "rank-" + std::to_string(number);
  rank.host = "node1";
  rank.rank = number;
  rank.computing_ns = computing_ns;
  rank.busy_ns = computing_ns;
  rank.seen_ns = 200'000'000;
  rank.met = 40;
  rank.came_last = number == 1 ? 39 : 1;
  rank.others_paid_ns = number == 1 ? 9'000'000 : 10'000;
  rank.late_stage = number == 1 ? "data" : "";
  return rank;
}

inline Report SampleReport() {
  Report report;
  report.directory = "/home/u/syncline-out/train-123";
  report.length_ns = 200'000'000;
  report.begin_ns = 1'000'000'000;
  report.events = 1'234'567;
  report.hosts = 1;
  report.simulated = true;
  report.findings = {SampleFinding(), SampleFinding()};
  report.findings[0].number = 1;
  report.findings[1].number = 2;
  report.findings[1].priced = false;
  report.findings[1].count = 1;
  report.findings[1].problem = "memory is taken in a loop";
  report.findings[1].where = "train.py:50 step()";
  report.findings[1].advice = "";
  report.findings[1].assumption = "";
  StageWork work;
  work.blocked_ns = 30'000'000;
  work.busy_ns = 1;
  work.busy_of_ns = 2;
  report.stages = {{{"nvtx", "", "step #"}, SumsOf({8'000'000, 9'000'000, 30'000'000}), work}};
  const LaunchSums all{4, 3'000'000, 20'000};
  report.stage_kernels = {{{"nvtx", "", "step #"},
                           {{{"cuda", "ampere_sgemm_128x64_tn"}, {all, all}},
                            {{"cuda", "fill"}, {{2, 1'000'000, 5'000}, {1, 600'000, 2'000}}}}}};
  report.steps = {{"rank-0",
                   7,
                   "step #",
                   8'000'000,
                   {{1, 8'000'000, 0}, {2, 9'000'000, 1}, {3, 30'000'000, 2}},
                   {2}}};
  report.kernels = {
      {{"cuda", "void at::native::(anonymous namespace)::mul<float>(int, float)"},
       KernelClass::kElementWise,
       SumsOf({3'000'000}),
       0.75,
       {2, 500}},
      {{"cuda", "ampere_sgemm_128x64_tn"}, KernelClass::kMatmul, SumsOf({1'000'000}), 0.25, {}}};
  report.kernel_class_ns[static_cast<size_t>(KernelClass::kElementWise)] = 3'000'000;
  report.kernel_class_ns[static_cast<size_t>(KernelClass::kMatmul)] = 1'000'000;
  report.copies = {{{"cuda", "Memcpy HtoD (Pageable -> Device)"}, {SumsOf({1'000'000}), 1 << 20}}};
  DeviceUse use;
  use.source = "cuda";
  use.name = "Simulated H100-like GPU";
  use.begin_ns = 1'000'000'000;
  use.end_ns = 1'200'000'000;
  use.busy_ns = 100'000'000;
  use.computing_ns = use.kernels_ns = 80'000'000;
  use.copying_ns = 20'000'000;
  report.devices = {{"rank-0", use}};
  report.ranks = {SampleRank(0, 80'000'000), SampleRank(1, 40'000'000)};
  report.imbalance = 1.0 / 3;
  report.losses = {{"ring_full", 7}};
  report.health = {"lost: 7 because the thread's ring was full"};
  report.problems = {"run/rank-2.findings is no file of findings"};
  return report;
}

}  // namespace syncline::testing
