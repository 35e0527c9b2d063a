// SPDX-License-Identifier: Apache-2.0
// Read and analyse; then, for each run, read again into the sinks; then finish.
#include "offline/rank_pipeline.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "analysis/rank_analysis.h"
#include "offline/compile_logs.h"
#include "offline/rank_findings.h"
#include "offline/rank_manifest.h"

namespace syncline {
namespace {

uint64_t FileBytes(const std::string& path) {
  struct stat info;
  return !path.empty() && ::stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_size)
                                                           : 0;
}

// Stops the reading where the user wants no more.
class ProgressSink : public RecordSink {
 public:
  explicit ProgressSink(std::function<bool(uint64_t)> progress) : progress_(std::move(progress)) {}

  unsigned Interests() const override { return 0; }
  bool OnBlockDone(uint64_t bytes_read, uint64_t /*bytes_total*/) override {
    return progress_(bytes_read);
  }

 private:
  const std::function<bool(uint64_t)> progress_;
};

}  // namespace

RankPipeline::RankPipeline(RankJob job, std::vector<std::unique_ptr<RankSink>> sinks)
    : job_(std::move(job)), sinks_(std::move(sinks)) {
  for (const ProcessInput& input : job_.processes) total_ += 2 * FileBytes(input.spool);
}

RankPipeline::~RankPipeline() = default;

bool RankPipeline::Progress(uint64_t done) {
  done_ = std::max(done_, std::min(done, total_));
  if (!job_.progress || job_.progress(done_, total_)) return true;
  result_.cancelled = true;
  return false;
}

void RankPipeline::Read() {
  result_.status = ReadFirst();
  if (!result_.status.ok()) return;
  if (job_.compile_logs != nullptr) job_.compile_logs->AddTo(&model_);
  for (const auto& sink : sinks_) sink->OnRead(model_);
  for (const auto& run : model_.runs) run->range_log = nullptr;
  if (job_.analysis != nullptr)
    job_.analysis->Analyse(&model_, [this] { return !Progress(done_); });
  for (const auto& run : model_.runs) run->FreeRecords();
}

Status RankPipeline::ReadFirst() {
  RankRequest request;
  request.rank = job_.rank;
  request.told_rank = job_.told_rank;
  request.world_size = job_.world_size;
  request.processes = job_.processes;
  request.job_anchor = job_.job_anchor;
  request.own = job_.own;
  request.base = job_.base;
  request.ticks_per_second = job_.ticks_per_second;
  request.most_records = job_.most_records;
  request.sinks = [this](size_t input) {
    std::vector<RecordSink*> fed;
    for (const auto& sink : sinks_) {
      for (RecordSink* record_sink : sink->FirstReading(input)) fed.push_back(record_sink);
    }
    if (job_.analysis != nullptr) {
      for (RecordSink* record_sink : job_.analysis->FirstReading(input)) fed.push_back(record_sink);
    }
    return fed;
  };
  request.progress = [this](uint64_t bytes) { return Progress(bytes); };
  return ReadRank(request, &model_);
}

RankResult RankPipeline::Write() {
  if (result_.status.ok())
    result_.status = result_.cancelled ? Status::Error("cancelled") : WriteAll();
  model_ = {};
  return std::move(result_);
}

Status RankPipeline::WriteAll() {
  model_.unrecorded = job_.unrecorded;
  Status status;
  for (size_t i = 0; i < sinks_.size() && status.ok(); ++i) status = sinks_[i]->Begin(model_);
  for (size_t i = 0; i < model_.runs.size() && status.ok(); ++i) {
    if (model_.runs[i]->readable()) status = ReadAgain(model_.runs[i].get());
  }
  return status.ok() ? Finish() : status;
}

Status RankPipeline::ReadAgain(ProgramRun* run) {
  std::vector<RecordSink*> fed;
  for (const auto& sink : sinks_) {
    if (RecordSink* record_sink = sink->BeginRun(run); record_sink != nullptr)
      fed.push_back(record_sink);
  }
  if (job_.analysis != nullptr) fed.push_back(job_.analysis->SecondReading(run));
  uint64_t bytes = 0;
  ProgressSink progress([&](uint64_t done) {
    bytes = done;
    return Progress(total_ / 2 + read_again_ + done);
  });
  if (job_.progress || fed.empty()) fed.push_back(&progress);
  SinkFan fan;
  for (RecordSink* record_sink : fed) fan.Add(record_sink);
  const Status read =
      ReadProgram(*run, fed.size() == 1 ? fed.front() : &fan, RoomForStacks(model_.most_records));
  if (job_.analysis != nullptr) job_.analysis->Finish(run);
  read_again_ += bytes;
  if (result_.cancelled) return Status::Error("cancelled");
  if (read.is_out_of_memory()) return read;
  // The first reading worked: what came before the fault is written, and the fault is told.
  if (!read.ok()) run->problem = read.message();
  Status status;
  for (size_t i = 0; i < sinks_.size() && status.ok(); ++i) status = sinks_[i]->EndRun(run);
  return status;
}

Status RankPipeline::Finish() {
  CollectProblems(model_, &result_);
  FillManifest(model_, &result_.manifest);
  result_.manifest.processes_left_out = job_.processes_left_out;
  result_.manifest.unrecorded = job_.unrecorded;
  if (job_.analysis != nullptr) result_.findings = FindingsOfRank(job_, model_, &result_.manifest);
  Status status;
  for (size_t i = 0; i < sinks_.size() && status.ok(); ++i)
    status = sinks_[i]->Finish(&result_.manifest, result_.findings);
  if (status.ok() && !job_.manifest.empty())
    status = WriteManifest(job_.manifest, result_.manifest);
  if (status.ok()) Progress(total_);
  return status;
}

}  // namespace syncline
