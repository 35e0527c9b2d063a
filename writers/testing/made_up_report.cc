// SPDX-License-Identifier: Apache-2.0
// A training run: ranks that wait for a value on the host, for data, and for a late rank.
#include "writers/testing/made_up_report.h"

#include <algorithm>
#include <random>
#include <utility>

namespace syncline {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kBegin = 1'795'665'594'000'000'000;
constexpr uint64_t kSlowRank = 3;

struct Maker {
  const MadeUpRun& run;
  Report report;
  std::minstd_rand random{7};

  std::string Name(const std::string& name) const { return name + run.name_suffix; }
  double Noise(double spread) { return std::normal_distribution<double>(1, spread)(random); }
  static std::string Rank(uint64_t rank) { return "rank-" + std::to_string(rank); }

  void Add(ReportFinding finding) {
    finding.priced = finding.gain_ns != 0;
    finding.gain_percent =
        100 * static_cast<double>(finding.gain_ns) / static_cast<double>(report.length_ns);
    finding.where = Name(finding.where);
    finding.problem = Name(finding.problem);
    finding.stage = Name(finding.stage);
    finding.trace = Rank(report.findings.size() % run.ranks);
    finding.begin_ns = kBegin + 1'234'567'891 + report.findings.size() * 417 * kMs;
    finding.number = report.findings.size() + 1;
    report.findings.push_back(std::move(finding));
  }

  void Findings();
  void MoreFindings();
  void Steps();
  void Kernels();
  void Stages();
  void Copies();
  void Devices();
  void Ranks();
};

void Maker::Findings() {
  const std::string all = run.ranks == 1 ? "" : std::to_string(run.ranks) + " ranks";
  const uint64_t n = run.ranks * run.steps;
  Add({"read_back", "The host waits for the GPU to read one value at train.py:142 train_step()",
       "train.py:142 train_step()", "pageable_copy", "cudaMemcpyAsync", all, "step # > log", n,
       n * 6 * kMs, false, 1'312 * kMs, 0, "if the value is not needed in each step",
       "loss.item() in each step makes the host wait for all work before it. Keep the loss on the "
       "GPU and read it every 50 steps.",
       "", 0});
  Add({"host_busy", "The GPU computes nothing while the host prepares the next batch",
       "data.py:88 next_batch()", "", "", all, "step # > data", n, 0, false, 846 * kMs, 0,
       "if batches are ready when they are asked for",
       "Raise num_workers of the DataLoader, or pin its memory and copy the next batch while this "
       "one is computed.",
       "", 0});
  Add({"late_rank", "Rank 3 comes last to 171 of 200 collectives; the others wait for it", "", "",
       "ncclAllReduce", "rank 3", "step # > backward", 171, 2'140 * kMs, false, 713 * kMs, 0,
       "if rank 3 is as fast as the median rank",
       "Its backward takes 11 % longer than the others'. Look for a slower device, or for more "
       "tokens in its batches.",
       "", 0});
  Add({"allocation", "cudaMalloc waits for the device at model.py:310 attention()",
       "model.py:310 attention()", "allocation", "cudaMalloc", all, "step # > forward", 96,
       402 * kMs, false, 101 * kMs, 0, "if memory is kept between steps",
       "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, or allocate once.", "", 0});
  Add({"launch_bound", "Kernels of the optimizer are shorter than their launches",
       "optim.py:57 step()", "", "cudaLaunchKernel", all, "step # > optimizer", n, 0, false,
       94 * kMs, 0, "if one launch does them all",
       "Use the fused optimizer (fused=True), or a CUDA graph.", "", 0});
}

void Maker::MoreFindings() {
  const std::string all = run.ranks == 1 ? "" : std::to_string(run.ranks) + " ranks";
  const uint64_t n = run.ranks * run.steps;
  const auto add = [&](const char* kind, const char* problem, const char* where,
                       const char* wait_class, const char* call, const char* stage, uint64_t count,
                       uint64_t blocked_ms, uint64_t gain_ms, const char* assumption,
                       const char* advice) {
    Add({kind, problem, where, wait_class, call, all, stage, count, blocked_ms * kMs, false,
         gain_ms * kMs, 0, assumption, advice, "", 0});
  };
  add("synchronize", "The host waits for the whole device at train.py:151 main()",
      "train.py:151 main()", "device", "cudaDeviceSynchronize", "step #", n, 310, 71,
      "if nothing depends on it", "Wait for an event of the one stream that matters.");
  add("pageable_copy", "A copy from pageable memory blocks the host at data.py:104 to_device()",
      "data.py:104 to_device()", "pageable_copy", "cudaMemcpyAsync", "step # > data", n, 288, 64,
      "if the memory is pinned",
      "Pin the memory (pin_memory=True) and copy with non_blocking=True.");
  add("query_spin", "The host asks again and again whether the GPU is done",
      "pipeline.cc:77 Poll()", "query_spin", "cudaEventQuery", "", 4120, 140, 31,
      "if it waits instead", "Wait for the event, or do other work between queries.");
  add("module_load", "Kernels are loaded in the middle of the run", "", "module_load",
      "cuLibraryGetKernel", "step # > forward", 44, 97, 22, "if they are loaded before",
      "Run one step before the clock starts, or set CUDA_MODULE_LOADING=EAGER.");
  add("legacy_stream", "Work on the default stream waits for all others", "ops.cu:31 Scale()",
      "legacy_stream", "cudaMemcpy", "step # > log", n / 4 + 1, 61, 12, "if it has its own stream",
      "Compile with --default-stream per-thread.");
  add("queue_full", "The host waits because the launch queue is full", "model.py:212 forward()",
      "queue_full", "cudaLaunchKernel", "step # > forward", 31, 44, 0, "",
      "The GPU is the bottleneck there: nothing to change on the host.");
  add("event", "The host waits for an event at comm.py:45 bucket_ready()",
      "comm.py:45 bucket_ready()", "event", "cudaEventSynchronize", "step # > backward", n, 38, 4,
      "if the bucket is larger", "");
}

void Maker::Steps() {
  for (uint64_t rank = 0; rank < run.ranks; ++rank) {
    ReportSteps series{Rank(rank), static_cast<int32_t>(4100 + rank), Name("train_step #"), 0, {},
                       {}};
    std::vector<uint64_t> sorted;
    uint64_t at = kBegin + 900 * kMs;
    for (uint64_t step = 0; step < run.steps; ++step) {
      double ms = 41 * Noise(0.012);
      if (step == 0) ms *= 4.5;
      if (step % 50 == 49) ms *= 1.9;  // a checkpoint
      if (rank % 64 == kSlowRank % run.ranks && step * 3 > run.steps) ms *= 1.11;
      if (random() % 2500 == 0) ms *= 1.6;
      const auto ns = static_cast<uint64_t>(ms * static_cast<double>(kMs));
      series.steps.push_back({at, ns, step});
      sorted.push_back(ns);
      at += ns;
    }
    std::sort(sorted.begin(), sorted.end());
    series.median_ns = sorted[sorted.size() / 2];
    for (size_t i = 0; i < series.steps.size(); ++i) {
      if (series.steps[i].duration_ns > 2 * series.median_ns) series.outliers.push_back(i);
    }
    report.steps.push_back(std::move(series));
  }
}

DurationSums SumsOf(uint64_t count, double ns, std::minstd_rand* random) {
  DurationSums sums;
  std::lognormal_distribution<double> spread(0, 0.15);
  for (int i = 0; i < 60; ++i) sums.Add(static_cast<uint64_t>(ns * spread(*random)));
  sums.count = count;
  sums.total_ns = static_cast<uint64_t>(ns * static_cast<double>(count));
  return sums;
}

void Maker::Kernels() {
  static const std::pair<const char*, KernelClass> kNames[] = {
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1",
       KernelClass::kMatmul},
      {"flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4, false, false, "
       "cutlass::bfloat16_t>>",
       KernelClass::kAttention},
      {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
       KernelClass::kCommunication},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float>>",
       KernelClass::kElementWise},
      {"void at::native::CatArrayBatchedCopy<unsigned int, 4, 64, 64>", KernelClass::kMemory},
      {"triton_red_fused_native_layer_norm_backward_0", KernelClass::kOther}};
  double all = 0;
  for (uint64_t i = 0; i < run.kernels; ++i) {
    const auto& [name, kernel_class] = kNames[i % 6];
    ReportKernel kernel;
    kernel.key = {"cuda", Name(i < 6 ? name : name + (" #" + std::to_string(i / 6)))};
    kernel.kernel_class = kernel_class;
    const uint64_t count = run.ranks * run.steps * (24 / (1 + i % 6));
    kernel.sums = SumsOf(count, 380e3 / static_cast<double>(1 + i * i / 4 + i), &random);
    kernel.starved = {count / 9, count / 9 * 14'000};
    report.kernel_class_ns[static_cast<size_t>(kernel_class)] += kernel.sums.total_ns;
    all += static_cast<double>(kernel.sums.total_ns);
    report.kernels.push_back(kernel);
  }
  std::sort(report.kernels.begin(), report.kernels.end(),
            [](const ReportKernel& a, const ReportKernel& b) {
              return a.sums.total_ns > b.sums.total_ns;
            });
  for (ReportKernel& kernel : report.kernels)
    kernel.share = static_cast<double>(kernel.sums.total_ns) / all;
}

void Maker::Stages() {
  static const std::pair<const char*, double> kStages[] = {
      {"train_step #", 41}, {"forward", 13}, {"backward", 17},
      {"optimizer", 4.1},   {"data", 3.4},   {"log", 1.7},
      {"attention", 0.41},  {"mlp", 0.36},   {"checkpoint", 38}};
  for (const auto& [name, ms] : kStages) {
    ReportStage stage;
    stage.key = {"nvtx", ms < 1 ? "layers" : "", Name(name)};
    const uint64_t count = run.ranks * (ms == 38 ? run.steps / 50 + 1 : run.steps);
    stage.sums = SumsOf(count, ms * static_cast<double>(kMs), &random);
    const uint64_t total = stage.sums.total_ns;
    stage.work = {total / 9,      count * 120, total * 7 / 10,
                  total * 8 / 10, total,       static_cast<uint64_t>(ms * 1.5e9)};
    report.stages.push_back(stage);
  }
}

void Maker::Copies() {
  static const std::pair<const char*, uint64_t> kCopies[] = {
      {"Memcpy HtoD (Pageable -> Device)", 8 << 20},
      {"Memcpy HtoD (Pinned -> Device)", 64 << 20},
      {"Memcpy DtoH (Device -> Pageable)", 4},
      {"Memcpy DtoD (Device -> Device)", 2 << 20},
      {"Memset (Device)", 1 << 20}};
  for (const auto& [name, bytes] : kCopies) {
    ReportCopy copy;
    copy.key = {"cuda", Name(name)};
    const uint64_t count = run.ranks * run.steps;
    copy.sums.durations = SumsOf(count, 2400 + static_cast<double>(bytes) / 24, &random);
    copy.sums.bytes = count * bytes;
    report.copies.push_back(copy);
  }
}

void Maker::Devices() {
  for (uint64_t rank = 0; rank < run.ranks; ++rank) {
    DeviceUse use;
    use.pid = static_cast<int32_t>(4100 + rank);
    use.source = "cuda";
    use.device = static_cast<uint32_t>(rank % 8);
    use.name = Name("Simulated H200");
    use.begin_ns = kBegin;
    use.end_ns = kBegin + report.length_ns;
    const auto part = [&](double share) {
      return static_cast<uint64_t>(std::max(0.0, share * Noise(0.08)) *
                                   static_cast<double>(report.length_ns));
    };
    use.computing_ns = part(0.55);
    use.communicating_ns = part(0.14);
    use.communicating_alone_ns = part(rank == kSlowRank ? 0.02 : 0.08);
    use.copying_ns = part(0.05);
    use.busy_ns = use.computing_ns + use.communicating_alone_ns + use.copying_ns / 2;
    static constexpr double kGaps[kGapCauses] = {0.13, 0.08, 0.03, 0.02, 0.01, 0.01, 0.01, 0.01};
    for (size_t cause = 0; cause < kGapCauses; ++cause) use.gaps_ns[cause] = part(kGaps[cause]);
    use.launch_delay = SumsOf(1000, 7800, &random);
    use.memory_peak_bytes = (60ull << 30) + random() % (9ull << 30);
    report.devices.push_back({Rank(rank), use});
  }
}

void Maker::Ranks() {
  for (uint64_t rank = 0; rank < run.ranks; ++rank) {
    ReportRank one;
    one.name = Rank(rank);
    one.rank = static_cast<int32_t>(rank);
    one.host = Name("node-" + std::to_string(rank / 8));
    one.begin_ns = kBegin;
    one.end_ns = kBegin + report.length_ns;
    one.computing_ns = report.devices[rank].use.computing_ns;
    one.busy_ns = report.devices[rank].use.busy_ns;
    one.seen_ns = report.length_ns;
    one.met = run.steps;
    one.came_last = rank == kSlowRank ? run.steps * 6 / 7 : random() % 9;
    one.waited_ns = rank == kSlowRank ? 0 : random() % (700 * kMs);
    one.others_paid_ns = rank == kSlowRank ? 2140 * kMs : random() % (9 * kMs);
    one.late_stage = Name("train_step # > backward");
    report.ranks.push_back(one);
  }
}

}  // namespace

Report MadeUpReport(const MadeUpRun& run) {
  Maker maker{run, {}};
  Report& report = maker.report;
  report.directory = "syncline-out/train-20261125T035954Z" + run.name_suffix;
  report.begin_ns = kBegin;
  report.length_ns = (1500 + 42 * run.steps) * kMs;
  report.events = run.ranks * run.steps * 3210;
  report.hosts = (run.ranks + 7) / 8;
  report.simulated = true;
  report.imbalance = 0.034;
  maker.Findings();
  maker.MoreFindings();
  report.findings.resize(std::min(report.findings.size(), run.findings));
  maker.Steps();
  maker.Kernels();
  maker.Stages();
  maker.Copies();
  maker.Devices();
  maker.Ranks();
  report.losses = {{maker.Name("ring_full"), 0}, {maker.Name("device_result_missing"), 12}};
  report.health = {"All kernels were recorded from begin to end.",
                   "Clocks: 1.2 us between hosts at most.",
                   "Syncline itself took 0.4 % of the run.",
                   maker.Name("Lines are not known of 3 % of the waits.")};
  return std::move(maker.report);
}

std::string HostileName() {
  using std::string_literals::operator""s;
  return "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`&amp;--><!--]]>"
         "\xe2\x80\xa8\xe2\x80\xae\xe2\x81\xa6gnp.exe\xff\xc0\xaf\xed\xa0\x80\x1b[31m\r\n\t\x7f"
         "\xc2\x9b${x}\\u003c"s +
         "\0end"s;
}

}  // namespace syncline
