// SPDX-License-Identifier: Apache-2.0
// Groups processes by rank and writes the groups on a few threads.
#include "launcher/format_run.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "analysis/collective_join.h"
#include "analysis/rank_analysis.h"
#include "inject/core/options.h"
#include "launcher/available_memory.h"
#include "launcher/limiting_options.h"
#include "launcher/other_ranks.h"
#include "launcher/parallel_for.h"
#include "launcher/rank_part.h"
#include "launcher/text.h"
#include "model/program_name.h"
#include "writers/findings/findings_file.h"

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
  return static_cast<uint64_t>(std::max<int64_t>(OptionNumber(OptionIndex("cuda.gap")), 0));
}

// Empty: it is gone.
std::string WorkingDirectory() {
  std::error_code error;
  return std::filesystem::current_path(error).string();
}

// A process before it is known to which group it belongs.
struct Member {
  ProcessInput input;
  int rank;
  uint32_t kind;  // LauncherKind, 0: unknown
};

Member FromRecorder(const RecordedProcess& process) {
  Member member{{}, -1, 0};
  member.input.spool = process.spool_path;
  member.input.note = process.note;
  member.input.outer_pid = process.pid;
  member.input.running = !process.gone;
  member.input.status_known = process.status_known;
  member.input.wait_status = process.wait_status;
  member.input.end_monotonic_ns = process.end_monotonic_ns;
  if (process.note != nullptr) {
    member.rank = process.note->facts.rank.rank;
    member.kind = process.note->facts.rank.launcher;
  }
  SpoolFacts facts;
  if (!process.spool_path.empty() && ReadSpoolFacts(process.spool_path, &facts).ok()) {
    member.rank = facts.rank;
    member.kind = facts.launcher;
  }
  return member;
}

Member FromScan(const FoundSpool& spool, const FormatRequest& request) {
  Member member{{}, spool.facts.rank, spool.facts.launcher};
  member.input.spool = spool.path;
  member.input.outer_pid = spool.facts.pid;
  member.input.running = spool.running;
  if (request.child_pid != 0 && spool.facts.pid == request.child_pid) {
    member.input.status_known = true;
    member.input.wait_status = request.child_status;
  }
  return member;
}

bool HasSpool(const RankGroup& group) {
  return std::any_of(group.inputs.begin(), group.inputs.end(),
                     [](const ProcessInput& input) { return !input.spool.empty(); });
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

class GroupWriter {
 public:
  GroupWriter(const FormatRequest& request, const std::vector<RankGroup>& groups,
              WorkProgress* progress, FormatSummary* summary)
      : request_(request),
        groups_(groups),
        progress_(progress, groups_.size()),
        cancel_(progress),
        room_(RoomForRecords()),
        summary_(summary) {}

  void WriteAll() {
    for (size_t i = 0; i < groups_.size(); ++i)
      writings_.push_back(std::make_unique<RankWriting>(JobOf(i)));
    ForEachGroup([this](size_t i) { writings_[i]->Prepare(); });
    Join();
    ForEachGroup([this](size_t i) { Write(i); });
    summary_->findings.FoldNames();
    if (cancel_->cancelled.load() && summary_->written.size() < groups_.size())
      summary_->cancelled = true;
    const auto order = [](const RankManifest& manifest) {
      return static_cast<unsigned>(manifest.rank);
    };  // -1 is last
    std::sort(summary_->written.begin(), summary_->written.end(),
              [&](const RankManifest& a, const RankManifest& b) { return order(a) < order(b); });
  }

 private:
  void ForEachGroup(const std::function<void(size_t)>& work) {
    ParallelFor(groups_.size(), cancel_->cancelled, work);
  }

  RankJob JobOf(size_t index) {
    const RankGroup& group = groups_[index];
    RankJob job;
    job.rank = group.rank;
    job.world_size = group.world_size;
    job.processes = group.inputs;
    job.output = TracePath(request_.job.directory, group);
    job.manifest = ManifestPath(request_.job.directory, group.name);
    job.unit = request_.unit;
    job.shown = {static_cast<uint64_t>(OptionNumber(OptionIndex("min.duration"))),
                 OptionText(OptionIndex("kernels"))};
    job.step_range = OptionText(OptionIndex("step.range"));
    job.own = {WorkingDirectory(), OptionText(OptionIndex("own"))};
    const auto left_out = request_.silent_left_out.find(group.rank);
    if (left_out != request_.silent_left_out.end()) job.processes_left_out = left_out->second;
    if (request_.job.base_time.ns != 0) job.base = request_.job.base_time;
    job.job_anchor = request_.anchor;
    // Findings of all ranks wait for the others; records are those of the ranks at work.
    analyses_.push_back(std::make_unique<RankAnalysis>(room_ / groups_.size(), ShortestGapNs()));
    job.most_records = room_ / ThreadsFor(groups_.size()) / kBytesPerCall;
    job.observer = analyses_.back().get();
    job.before_manifest = [this, index](RankManifest* manifest) {
      return KeepFindings(index, manifest);
    };
    job.progress = [this, index](uint64_t done, uint64_t total) {
      return progress_.Report(index, done, total);
    };
    return job;
  }

  // What the ranks did together.
  void Join() {
    if (cancel_->cancelled.load()) return;
    OtherRanks others(request_.job.directory);
    for (size_t i = 0; i < groups_.size(); ++i) {
      RankPart& part = analyses_[i]->part;
      const RankModel& model = writings_[i]->model();
      part.rank = part.collectives.rank = groups_[i].rank;
      part.world_size = model.world_size;
      if (!model.runs.empty())
        part.collectives.clock =
            LineOf(model.job_anchor, std::string(FieldText(model.runs[0]->facts.host)));
      if (!IsWholeRank(groups_[i].name, groups_[i].rank)) {
        part.collectives.left_out[static_cast<size_t>(LeftOut::kNotAskedFor)] +=
            part.collectives.done.size();
        part.collectives.done.clear();
      }
      others.Offer(groups_[i].name, part);
    }
    // A recovery has nobody to wait for: those of other ranks stand before its lock.
    const int wait_ms = request_.own_rank.rank >= 0 ? OtherRanks::kWaitMs : 0;
    others.Gather(wait_ms, [this] { return cancel_->cancelled.load(); });
    for (const auto& analysis : analyses_) join_.Add(std::move(analysis->part.collectives));
    for (RankCollectives& other : others.found()) join_.Add(std::move(other));
    join_.Join(others.are_all());
    joined_ = true;
    summary_->meetings = join_.Meetings();
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (groups_[i].rank < 0) continue;
      writings_[i]->SetCollectives(join_.FactsOf(i));
      for (const auto& run : writings_[i]->model().runs) join_.Describe(i, run.get());
    }
  }

  // Called when the group's trace is written.
  Status KeepFindings(size_t index, RankManifest* manifest) {
    const std::string& name = groups_[index].name;
    analyses_[index]->SettlePrices();
    RunFindings findings = std::move(analyses_[index]->findings);
    RankPart part = std::move(analyses_[index]->part);
    FillPart(*manifest, &part);
    part.job = request_.job.key;
    part.limits = LimitingOptions(request_.job.directory, *manifest);
    if (joined_) part.collectives = join_.Take(index);
    part.collectives_in_trace = manifest->collectives.met != 0;
    NameRank(name, &findings);
    findings.FoldNames();
    part.stages = LongestStages(findings, kMostStagesOfRank);
    manifest->waits_by_line = WaitsByLine(findings, kCostliestLines);
    findings.ranks.emplace(name, std::move(part));
    const Status status = WriteFindings(FindingsPath(request_.job.directory, name), findings);
    findings.ranks[name].collectives.done = {};  // they are joined
    std::lock_guard<std::mutex> lock(mutex_);
    summary_->findings.Add(std::move(findings));
    return status;
  }

  void Write(size_t index) {
    const RankGroup& group = groups_[index];
    RankResult result = writings_[index]->Write();
    writings_[index].reset();
    analyses_[index].reset();
    if (result.status.ok() && !request_.keep_spools) {
      for (const ProcessInput& input : group.inputs) {
        const auto& unread = result.unread;
        const bool was_read = std::find(unread.begin(), unread.end(), input.spool) == unread.end();
        if (!input.spool.empty() && was_read) unlink(input.spool.c_str());
      }
    }
    std::lock_guard<std::mutex> lock(mutex_);
    for (std::string& problem : result.problems) summary_->problems.push_back(std::move(problem));
    if (result.status.ok()) {
      summary_->written.push_back(std::move(result.manifest));
    } else if (!result.cancelled) {
      summary_->failed = true;
      summary_->problems.push_back(  // which names the file where the file is the reason
          Text("the trace of ", group.name, " is not written: ", result.status.message()));
    }
  }

  const FormatRequest& request_;
  const std::vector<RankGroup>& groups_;
  SharedProgress progress_;
  WorkProgress* cancel_;
  std::vector<std::unique_ptr<RankAnalysis>> analyses_;  // by group
  std::vector<std::unique_ptr<RankWriting>> writings_;   // by group
  const uint64_t room_;                                  // bytes
  CollectiveJoin join_;                                  // groups first, in their order
  bool joined_ = false;
  std::mutex mutex_;  // guards summary_
  FormatSummary* summary_;
};

}  // namespace

std::vector<RankGroup> GroupByRank(const FormatRequest& request) {
  std::vector<Member> members;
  for (const RecordedProcess& process : request.processes) members.push_back(FromRecorder(process));
  for (const FoundSpool& spool : request.spools) {
    if (spool.problem.empty() && !spool.running) members.push_back(FromScan(spool, request));
  }

  uint32_t innermost = UINT32_MAX;  // kinds are in the order of rank.def: inner launchers first
  bool any_rank = false;
  for (const Member& member : members) {
    if (member.rank < 0) continue;
    any_rank = true;
    if (member.kind != 0) innermost = std::min(innermost, member.kind);
  }
  const bool own_counts = request.own_rank.rank >= 0 &&
                          (innermost == UINT32_MAX || request.own_rank.launcher == innermost);
  const int fallback = own_counts                               ? request.own_rank.rank
                       : any_rank || request.own_rank.rank >= 0 ? -1
                                                                : 0;

  std::map<int, RankGroup> groups;
  for (Member& member : members) {
    const bool outer = member.kind != 0 && member.kind > innermost;
    const int rank = member.rank >= 0 && !outer ? member.rank : fallback;
    groups[rank].inputs.push_back(std::move(member.input));
  }
  std::vector<RankGroup> result;
  for (auto& [rank, group] : groups) {
    group.rank = rank;
    if (rank == 0 && !any_rank && !own_counts) group.world_size = 1;
    group.name = rank >= 0                   ? Text("rank-", rank)
                 : request.own_rank.rank > 0 ? Text("launcher-", request.own_rank.rank)
                                             : "launcher";
    // Helpers without a rank of their own, such as mpirun, only show if they recorded something.
    if (rank >= 0 ? any_rank || own_counts || HasSpool(group) : HasSpool(group))
      result.push_back(std::move(group));
  }
  return result;
}

FormatSummary FormatRun(const FormatRequest& request, const std::vector<RankGroup>& groups,
                        WorkProgress* progress) {
  FormatSummary summary;
  for (const RecordedProcess& process : request.processes) {
    if (process.gone || process.spool_path.empty()) continue;
    SpoolFacts facts;
    const bool named = ReadSpoolFacts(process.spool_path, &facts).ok() && !facts.name.empty();
    summary.running.push_back(Text(named ? facts.name : "a process", " (pid ", process.pid, ")"));
  }
  for (const FoundSpool& spool : request.spools) {
    if (!spool.problem.empty()) summary.problems.push_back(spool.problem);
    if (spool.running)
      summary.running.push_back(Text(spool.facts.name, " (pid ", spool.facts.pid, ")"));
  }
  GroupWriter(request, groups, progress, &summary).WriteAll();
  return summary;
}

std::string TracePath(const std::string& directory, const RankGroup& group) {
  const bool of_rank = group.name == Text("rank-", group.rank);
  return Text(directory, of_rank ? "/" : "/run/", group.name, ".trace.json.gz");
}

std::string ManifestPath(const std::string& directory, const std::string& group_name) {
  return Text(directory, "/run/", group_name, ".json");
}

}  // namespace syncline
