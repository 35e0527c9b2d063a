// SPDX-License-Identifier: Apache-2.0
// Plans, writes, commits, and tells what was written.
#include "writers/trace_job.h"

#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "inject/core/rank.h"
#include "inject/core/version.h"
#include "writers/chrome_head.h"
#include "writers/chrome_writer.h"
#include "writers/file_sink.h"
#include "writers/gzip_sink.h"
#include "writers/program_name.h"
#include "writers/spool_reader.h"

namespace syncline {
namespace {

constexpr size_t kManifestAnchors = 64;

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

uint64_t FileBytes(const std::string& path) {
  struct stat info;
  return !path.empty() && ::stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size)
                                                           : 0;
}

}  // namespace

class RankWriting::Steps {
 public:
  explicit Steps(RankJob job) : job_(std::move(job)) {
    for (const ProcessInput& input : job_.processes) total_ += 2 * FileBytes(input.spool);
  }

  void Prepare();
  void VisitGpu(const std::function<void(const DeriveRequest&, Derived*)>& visit);
  void Write();

  RankResult result;

 private:
  bool Progress(uint64_t done) {
    done_ = std::max(done_, std::min(done, total_));
    if (!job_.progress || job_.progress(done_, total_)) return true;
    result.cancelled = true;
    return false;
  }
  Status WriteTrace();
  void CollectProblems();
  void FillManifest(const FileSink& file, const EventBuffer& text);
  ManifestProcess Describe(const Image& image) const;

  const RankJob job_;
  RankPlan plan_;
  uint64_t total_ = 0;
  uint64_t done_ = 0;
};

void RankWriting::Steps::Prepare() {
  PlanRequest request;
  request.rank = job_.rank;
  request.world_size = job_.world_size;
  request.processes = job_.processes;
  request.job_anchor = job_.job_anchor;
  request.base = job_.base;
  request.ticks_per_second = job_.ticks_per_second;
  request.progress = [this](uint64_t bytes) { return Progress(bytes); };
  result.status = MakePlan(request, &plan_);
}

void RankWriting::Steps::VisitGpu(
    const std::function<void(const DeriveRequest&, Derived*)>& visit) {
  if (!result.status.ok()) return;
  for (const auto& image : plan_.images) {
    if (!image->readable() || image->survey.gpu.call_count == 0) continue;
    if (result.cancelled) return;
    const uint64_t error = image->device_timeline.ErrorNs() + image->clock_error_ns;
    const bool lost = MayBeOfDevices(image->losses) || image->damage.Any();
    visit({image->spool, image->timeline, image->device_timeline, error, image->end_ns,
           image->index, image->survey, LostHostRecords(image->losses),
           [this] { return !Progress(done_); }, image->gpu_periods, lost},
          &image->derived);
  }
}

void RankWriting::Steps::Write() {
  if (!result.status.ok()) return;
  if (job_.derive) VisitGpu(job_.derive);
  result.status = result.cancelled ? Status::Error("cancelled") : WriteTrace();
  plan_ = {};
}

Status RankWriting::Steps::WriteTrace() {
  FileSink file;
  Status status = file.Open(job_.output);
  if (!status.ok()) return status;
  const bool compressed = job_.output.ends_with(".gz");
  GzipSink gzip(&file);
  EventBuffer text(compressed ? static_cast<ByteSink*>(&gzip) : &file);
  const std::string name = BaseName(job_.output);
  ChromeJob chrome{job_.unit, name,
                   [this](uint64_t bytes) { return Progress(total_ / 2 + bytes); }};
  status = WriteChromeTrace(&plan_, chrome, &text);
  if (status.ok()) status = file.Commit();
  if (!status.ok()) return status;
  CollectProblems();
  FillManifest(file, text);
  if (!job_.manifest.empty()) status = WriteManifest(job_.manifest, result.manifest);
  Progress(total_);
  return status;
}

// What is wrong with the records of a spool that could be read.
static std::vector<std::string> DoubtsOf(const Image& image) {
  std::vector<std::string> doubts = DescribeDamage(image.damage);
  if (image.timeline.set_back()) {
    doubts.emplace_back(
        "the processors' time stamps were set back while it recorded (a suspend of the machine?): "
        "times of before and after are mixed; "
        "record with --clock monotonic");
  }
  return doubts;
}

void RankWriting::Steps::CollectProblems() {
  if (!plan_.base_problem.empty()) result.problems.push_back(plan_.base_problem);
  for (const auto& image : plan_.images) {
    if (!image->problem.empty()) result.problems.push_back(image->problem);
    if (!image->spool.empty() && !image->readable()) result.unread.push_back(image->spool);
    for (const std::string& line : DoubtsOf(*image)) {
      result.problems.push_back(image->spool + ": " + line);
    }
  }
}

ManifestProcess RankWriting::Steps::Describe(const Image& image) const {
  ManifestProcess process;
  process.pid = image.outer_pid;
  process.inner_pid = image.facts.pid;
  process.ppid = image.facts.ppid;
  process.name = image.name;
  process.command_line = CommandLine(image.facts);
  process.executable = FieldText(image.facts.executable);
  process.host = FieldText(image.facts.host);
  process.begin_ns = image.begin_ns;
  process.end_ns = image.end_ns;
  process.end_known = image.end_known;
  static constexpr const char* kKinds[] = {"unknown", "running", "exited", "signaled"};
  process.exit_kind = kKinds[static_cast<size_t>(image.exit.kind)];
  process.exit_value = image.exit.value;
  process.exit_text = DescribeExit(image.exit);
  process.threads =
      static_cast<uint64_t>(std::count_if(image.survey.threads.begin(), image.survey.threads.end(),
                                          [](const auto& t) { return t.second.recorded; }));
  process.ranges = image.counts.ranges;
  process.ranges_closed = image.counts.closed;
  process.marks = image.counts.marks;
  process.calls = image.counts.calls;
  process.device_ops = image.counts.device_ops;
  process.record_bytes = image.survey.counters.ring_bytes;
  for (uint32_t kind = 0; kind < kLossKinds; ++kind) {
    if (image.losses[kind] != 0) process.losses[FactsOfLoss(kind).name] = image.losses[kind];
  }
  for (const DegradedFacts* step : DegradedSteps(image.survey.counters.degraded)) {
    process.degraded.emplace_back(step->name);
  }
  if (!image.problem.empty()) process.problems.push_back(image.problem);
  for (std::string& line : DoubtsOf(image)) process.problems.push_back(std::move(line));
  process.recorded_by = image.spool.empty() ? "none" : image.consumer == 0 ? "launcher" : "process";
  if (image.survey.has_process) process.segment_ns = image.survey.process.start.realtime_ns;
  static constexpr const char* kClocks[] = {"unknown", "tsc", "monotonic"};
  process.clock = kClocks[image.clock <= 2 ? image.clock : 0];
  process.clock_error_ns = image.clock_error_ns;
  if (image.survey.has_process) process.anchors.push_back(image.survey.process.consumer_start);
  const std::vector<Anchor>& anchors = image.survey.anchors;
  const size_t step = anchors.size() / (kManifestAnchors - 1) + 1;
  for (size_t i = 0; i < anchors.size(); i += step) process.anchors.push_back(anchors[i]);
  process.build = image.build;
  process.gpu = image.gpu_periods;
  process.log = image.survey.log;
  return process;
}

void RankWriting::Steps::FillManifest(const FileSink& file, const EventBuffer& text) {
  RankManifest& manifest = result.manifest;
  manifest.rank = plan_.rank;
  manifest.world_size = plan_.world_size;
  manifest.host = FieldText(plan_.images[0]->facts.host);
  manifest.trace = BaseName(job_.output);
  manifest.version = kVersion;
  manifest.processes_left_out = job_.processes_left_out;
  manifest.base_time = plan_.base;
  manifest.trace_bytes = file.bytes();
  manifest.text_bytes = text.text_bytes();
  uint32_t launcher = 0;
  uint32_t degraded = 0;
  manifest.begin_ns = UINT64_MAX;
  for (const auto& image : plan_.images) {
    manifest.processes.push_back(Describe(*image));
    const ManifestProcess& process = manifest.processes.back();
    if (launcher == 0) launcher = image->facts.rank.launcher;
    degraded |= image->survey.counters.degraded;
    manifest.begin_ns = std::min(manifest.begin_ns, process.begin_ns);
    manifest.end_ns = std::max(manifest.end_ns, process.end_ns);
    manifest.ranges += process.ranges;
    manifest.marks += process.marks;
    manifest.calls += process.calls;
    manifest.device_ops += process.device_ops;
    manifest.clock_error_ns = std::max(manifest.clock_error_ns, process.clock_error_ns);
    for (const auto& [name, count] : process.losses) manifest.losses[name] += count;
  }
  manifest.events = manifest.ranges + manifest.marks + manifest.calls + manifest.device_ops;
  manifest.launcher = LauncherName(launcher);
  for (const DegradedFacts* step : DegradedSteps(degraded))
    manifest.degraded.emplace_back(step->name);
}

namespace {

// Collects the first block only.
class FirstBlock : public RecordSink {
 public:
  void OnProcess(const SpoolProcess& value) override {
    process = value;
    found = true;
  }
  bool OnBlockDone(uint64_t, uint64_t) override { return false; }
  SpoolProcess process{};
  bool found = false;
};

}  // namespace

RankWriting::RankWriting(RankJob job) : steps_(std::make_unique<Steps>(std::move(job))) {}

RankWriting::~RankWriting() = default;

void RankWriting::Prepare() { steps_->Prepare(); }

void RankWriting::VisitGpu(const std::function<void(const DeriveRequest&)>& visit) {
  steps_->VisitGpu([&](const DeriveRequest& request, Derived*) { visit(request); });
}

void RankWriting::SetCollectives(const CollectiveFacts& facts) {
  steps_->result.manifest.collectives = facts;
}

RankResult RankWriting::Write() {
  steps_->Write();
  return std::move(steps_->result);
}

RankResult WriteRankTrace(const RankJob& job) {
  RankWriting writing(job);
  writing.Prepare();
  return writing.Write();
}

Status ReadSpoolFacts(const std::string& path, SpoolFacts* facts) {
  SpoolReader reader;
  Status status = reader.Open(path);
  if (!status.ok()) return status;
  FirstBlock first;
  (void)reader.Read(&first);  // "stopped" is how it ends
  if (!first.found) {
    return Status::Error("spool " + path +
                         " does not begin with its process's facts: its first block is damaged; "
                         "`syncline recover` shows what can be read of it");
  }
  const SpoolProcess& process = first.process;
  facts->rank = process.facts.rank.rank;
  facts->world_size = process.facts.rank.world_size;
  facts->launcher = process.facts.rank.launcher;
  facts->pid = process.outer_pid;
  facts->start_time = process.facts.start_time;
  facts->start_realtime_ns = process.start.realtime_ns;
  facts->host = FieldText(process.facts.host);
  facts->name = ProgramName(process.facts);
  facts->bytes = FileBytes(path);
  facts->complete = reader.EndsComplete();
  return Status();
}

}  // namespace syncline
