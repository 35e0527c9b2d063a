// SPDX-License-Identifier: Apache-2.0
// Every rank is read and analysed; the ranks meet; every rank is written.
#include "offline/job_pipeline.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

#include "analysis/collectives/collective_join.h"
#include "analysis/rank_analysis.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "inject/core/options.h"
#include "model/run/program_name.h"
#include "offline/available_memory.h"
#include "offline/clock_line.h"
#include "offline/compile_logs.h"
#include "offline/other_ranks.h"
#include "offline/parallel_for.h"
#include "offline/rank_paths.h"
#include "offline/rank_pipeline.h"
#include "writers/chrome/chrome_sink.h"
#include "writers/findings/findings_sink.h"
#include "writers/memory/memory_sink.h"

namespace syncline {
namespace {

// Of the memory that is free, the records of all analyses at a time take a quarter, what is found
// another; neither takes more than the node's budget.
constexpr uint64_t kShareOfMemory = 4;
// A record, the range around it, and its place on a row.
constexpr uint64_t kBytesPerCall = kBytesPerRecord + sizeof(LoggedRange) + 8;

uint64_t RoomForRecords() {
  const int64_t budget = OptionNumber(OptionIndex("memory.node"));
  return std::min(AvailableMemory() / kShareOfMemory,
                  static_cast<uint64_t>(std::max<int64_t>(budget, 0)));
}

uint64_t ShortestGapNs() {
  return static_cast<uint64_t>(std::max<int64_t>(OptionNumber(OptionIndex("gpu.gap")), 0));
}

// Empty: it is gone.
std::string WorkingDirectory() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

// Sums the progress of several writers.
class SharedProgress {
 public:
  SharedProgress(WorkProgress* progress, size_t groups)
      : progress_(progress), done_(groups), total_(groups) {}

  bool Report(size_t group, uint64_t done, uint64_t total) {
    std::lock_guard<std::mutex> lock(mutex_);
    done_[group] = done;
    total_[group] = total;
    uint64_t all_done = 0;
    uint64_t all = 0;
    for (size_t i = 0; i < done_.size(); ++i) {
      all_done += done_[i];
      all += total_[i];
    }
    progress_->done.store(all_done, std::memory_order_relaxed);
    progress_->total.store(all, std::memory_order_relaxed);
    return !progress_->cancelled.load(std::memory_order_relaxed);
  }

 private:
  WorkProgress* progress_;
  std::mutex mutex_;
  std::vector<uint64_t> done_;
  std::vector<uint64_t> total_;
};

HostSamples SamplesOf(const WriteRequest& request) {
  HostSamples samples;
  for (const std::string& path : request.samples) samples.AddFile(path);
  return samples;
}

class JobPipeline {
 public:
  JobPipeline(const WriteRequest& request, const std::vector<RankGroup>& groups,
              WorkProgress* progress, WriteSummary* summary)
      : request_(request),
        groups_(groups),
        progress_(progress, groups_.size()),
        cancel_(progress),
        room_(RoomForRecords()),
        compile_logs_(request.directory),
        samples_(SamplesOf(request)),
        summary_(summary) {}

  void Run() {
    for (const RankGroup& group : groups_) {
      // Findings of all ranks wait for the others; records are those of the ranks at work.
      analyses_.push_back(std::make_unique<RankAnalysis>(room_ / groups_.size(), ShortestGapNs(),
                                                         OptionText(OptionIndex("step.range"))));
      if (groups_.size() > 1) analyses_.back()->ExpectOthers();
      if (!samples_.empty()) analyses_.back()->SetSamples(&samples_);
      RankJob job = JobOf(group);
      auto sinks = SinksOf(group, job);
      ranks_.push_back(std::make_unique<RankPipeline>(std::move(job), std::move(sinks)));
    }
    ForEachRank([this](size_t i) { ranks_[i]->Read(); });
    Join();
    ForEachRank([this](size_t i) { Write(i); });
    summary_->findings.FoldNames();
    summary_->findings.NamePrograms();
    if (cancel_->cancelled.load() && summary_->written.size() < groups_.size())
      summary_->cancelled = true;
    const auto order = [](const RankManifest& manifest) {
      return static_cast<unsigned>(manifest.rank);
    };  // -1 is last
    StableSort(&summary_->written,
               [&](const RankManifest& a, const RankManifest& b) { return order(a) < order(b); });
  }

 private:
  void ForEachRank(const std::function<void(size_t)>& work) {
    ParallelFor(groups_.size(), cancel_->cancelled, work);
  }

  RankJob JobOf(const RankGroup& group) {
    const size_t index = ranks_.size();
    RankJob job;
    job.name = group.name;
    job.rank = group.rank;
    job.told_rank = group.rank >= 0 ? group.rank : group.beside;
    job.world_size = group.world_size;
    job.processes = group.inputs;
    job.notes = group.notes;
    job.manifest = ManifestPath(request_.directory, group.name);
    job.own = {WorkingDirectory(), OptionText(OptionIndex("own"))};
    const auto left_out = request_.silent_left_out.find(group.rank);
    if (left_out != request_.silent_left_out.end()) job.processes_left_out = left_out->second;
    const auto unrecorded = request_.unrecorded.find(group.rank);
    if (unrecorded != request_.unrecorded.end()) job.unrecorded = unrecorded->second;
    job.base = request_.base;
    job.job_anchor = request_.anchor;
    job.most_records = room_ / ThreadsFor(groups_.size()) / kBytesPerCall;
    job.analysis = analyses_[index].get();
    job.job_key = request_.key;
    job.load = request_.load;
    job.compile_logs = &compile_logs_;
    // Of the run: said once.
    if (index == 0)
      job.notes.insert(job.notes.end(), compile_logs_.problems().begin(),
                       compile_logs_.problems().end());
    job.limits = request_.limits;
    job.progress = [this, index](uint64_t done, uint64_t total) {
      return progress_.Report(index, done, total);
    };
    return job;
  }

  // What is made of a rank: here a further sink is added.
  std::vector<std::unique_ptr<RankSink>> SinksOf(const RankGroup& group, const RankJob& job) const {
    ChromeJob chrome;
    chrome.output = TracePath(request_.directory, group.name, group.rank);
    chrome.unit = request_.unit;
    chrome.shown = {static_cast<uint64_t>(OptionNumber(OptionIndex("min.duration"))),
                    OptionText(OptionIndex("kernels"))};
    chrome.step_range = OptionText(OptionIndex("step.range"));
    chrome.most_records = job.most_records;
    std::vector<std::unique_ptr<RankSink>> sinks;
    sinks.push_back(std::make_unique<ChromeSink>(std::move(chrome)));
    if (group.counts)
      sinks.push_back(std::make_unique<FindingsSink>(FindingsPath(request_.directory, group.name)));
    sinks.push_back(std::make_unique<MemorySink>(MemoryPath(request_.directory, group.name),
                                                 static_cast<size_t>(job.most_records)));
    return sinks;
  }

  void JoinDevices() {
    std::vector<RankAnalysis*> all;
    for (const auto& analysis : analyses_) all.push_back(analysis.get());
    RankAnalysis::JoinDevices(all);
  }

  // What the ranks did together.
  void Join() {
    if (cancel_->cancelled.load()) return;
    JoinDevices();
    OtherRanks others(request_.directory);
    for (size_t i = 0; i < groups_.size(); ++i) {
      RankPart& part = analyses_[i]->part;
      const RankModel& model = ranks_[i]->model();
      part.rank = part.collectives.rank = groups_[i].rank;
      part.world_size = model.world_size;
      if (!model.runs.empty())
        part.collectives.clock =
            LineOf(model.job_anchor, std::string(FieldText(model.runs[0]->facts.host)));
      if (!IsWholeRank(groups_[i].name, groups_[i].rank)) {
        part.collectives.left_out[static_cast<size_t>(LeftOut::kNotAskedFor)] +=
            part.collectives.done.size() + part.collectives.messages.size();
        part.collectives.done.clear();
        part.collectives.messages.clear();
      }
      if (groups_[i].counts) others.Offer(groups_[i].name, part);
    }
    others.Gather(request_.waits_for_others ? OtherRanks::kWaitMs : 0,
                  [this] { return cancel_->cancelled.load(); });
    CollectiveJoin join;  // the ranks here first, in their order
    for (const auto& analysis : analyses_) join.Add(std::move(analysis->part.collectives));
    for (RankCollectives& other : others.found()) join.Add(std::move(other));
    join.Join(others.are_all());
    summary_->meetings = join.Meetings();
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].rank >= 0) {
        ranks_[i]->SetCollectives(join.FactsOf(i));
        for (const auto& run : ranks_[i]->model().runs) join.Describe(i, run.get());
      }
      analyses_[i]->part.collectives = join.Take(i);
    }
  }

  void RemoveSpools(const RankGroup& group, const RankResult& result) const {
    if (request_.keep_spools) return;
    for (const ProcessInput& input : group.inputs) {
      const auto& unread = result.unread;
      const bool was_read = std::find(unread.begin(), unread.end(), input.spool) == unread.end();
      if (!input.spool.empty() && was_read) unlink(input.spool.c_str());
    }
  }

  void Write(size_t index) {
    const RankGroup& group = groups_[index];
    RankResult result = ranks_[index]->Write();
    ranks_[index].reset();
    analyses_[index].reset();
    if (result.status.ok()) RemoveSpools(group, result);
    for (auto& [name, part] : result.findings.ranks) {  // are joined
      part.collectives.done = {};
      part.collectives.messages = {};
    }
    std::lock_guard<std::mutex> lock(mutex_);
    for (std::string& problem : result.problems) summary_->problems.push_back(std::move(problem));
    if (result.status.ok()) {
      if (group.counts) summary_->findings.Add(std::move(result.findings));
      summary_->written.push_back(std::move(result.manifest));
    } else if (!result.cancelled) {
      summary_->failed = true;
      summary_->problems.push_back(  // which names the file where the file is the reason
          Text("the trace of ", group.name, " is not written: ", result.status.message()));
    }
  }

  const WriteRequest& request_;
  const std::vector<RankGroup>& groups_;
  SharedProgress progress_;
  WorkProgress* cancel_;
  std::vector<std::unique_ptr<RankAnalysis>> analyses_;  // by group
  std::vector<std::unique_ptr<RankPipeline>> ranks_;     // by group
  const uint64_t room_;                                  // bytes
  const CompileLogs compile_logs_;
  const HostSamples samples_;
  std::mutex mutex_;  // guards summary_
  WriteSummary* summary_;
};

}  // namespace

void WriteRanks(const WriteRequest& request, const std::vector<RankGroup>& groups,
                WorkProgress* progress, WriteSummary* summary) {
  JobPipeline(request, groups, progress, summary).Run();
}

}  // namespace syncline
