// SPDX-License-Identifier: Apache-2.0
// Head, rows, each run's events, foot.
#include "writers/chrome/chrome_sink.h"

#include <utility>

#include "writers/chrome/compilation_events.h"
#include "writers/chrome/layout/trace_rows.h"
#include "writers/chrome/memory_events.h"
#include "writers/chrome/trace_head.h"
#include "writers/findings/manifest.h"

namespace syncline {
namespace {

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

ChromeSink::ChromeSink(ChromeJob job, ByteSink* into) : job_(std::move(job)), into_(into) {}

ChromeSink::~ChromeSink() = default;

std::vector<RecordSink*> ChromeSink::FirstReading(size_t input) {
  while (lanes_.size() <= input) lanes_.push_back(std::make_unique<SourceLanes>(job_.most_records));
  std::vector<RecordSink*> sinks = {lanes_[input].get()};
  if (!job_.shown.all()) {
    while (shown_ops_.size() <= input)
      shown_ops_.push_back(std::make_unique<FilteredOps>(job_.shown));
    sinks.push_back(shown_ops_[input].get());
  }
  if (!job_.step_range.empty()) {
    while (steps_.size() <= input) steps_.push_back(std::make_unique<StepFinder>(job_.step_range));
    sinks.push_back(steps_[input].get());
  }
  return sinks;
}

void ChromeSink::OnRead(const RankModel& model) {
  layout_ = syncline::LayOut(model, lanes_);
  for (const auto& run : model.runs) {
    if (!run->readable() || run->range_log->ranges.empty()) continue;
    run->sources.Each([&](Source source, const SourceRun& of) {
      if (of.devices.op_count == 0 || of.records->too_many()) return;
      GpuRanges& ranges = layout_.ranges[of.number];
      ranges = ProjectRanges({of.records->records(), lanes_[run->input]->Of(source), of.clocks,
                              LimitsOf(*run, model.base.ns), *run->range_log});
      for (size_t i = 0; i < ranges.streams.size(); ++i)
        layout_.gpu_rows.AddRanges(of, ranges.streams[i], ranges.rows[i]);
    });
  }
  lanes_.clear();
  if (!job_.step_range.empty()) layout_.steps.resize(model.runs.size());
  for (const auto& run : model.runs) {
    if (!run->readable() || run->input >= steps_.size()) continue;
    StepFinder& steps = *steps_[run->input];
    layout_.steps[run->index] = {ShownSteps(steps.Take(), model.base.ns, run.get()),
                                 steps.left_out()};
  }
}

Status ChromeSink::Open() {
  if (into_ != nullptr) {
    out_ = std::make_unique<EventBuffer>(into_);
    return {};
  }
  Status status = file_.Open(job_.output);
  if (!status.ok()) return status;
  if (job_.output.ends_with(".gz")) gzip_ = std::make_unique<GzipSink>(&file_);
  out_ = std::make_unique<EventBuffer>(gzip_ != nullptr ? static_cast<ByteSink*>(gzip_.get())
                                                        : &file_);
  return {};
}

// Head and foot are members of their own, so that traces can be joined without unpacking their
// events.
Status ChromeSink::Begin(const RankModel& model) {
  model_ = &model;
  Status status = Open();
  if (!status.ok()) return status;
  out_->Append(TraceHead(model, layout_, job_.shown));
  out_->Flush();
  WriteRowsAndLives(model, layout_, job_.unit, out_.get());
  for (const auto& run : model.runs) {
    const RowIds& rows = layout_.rows[run->index];
    WriteCompilations(*run, model, rows, job_.unit, out_.get());
    WriteMemory(*run, model, rows, job_.unit, out_.get());
  }
  stacks_ = std::make_unique<StackFrames>(model.own);
  return {};
}

EventsJob ChromeSink::JobOf(ProgramRun* run) {
  EventsJob events;
  events.out = out_.get();
  events.timeline = &run->timeline;
  events.survey = &run->survey;
  events.rows = layout_.rows[run->index];
  events.time = {job_.unit, model_->base.ns};
  events.gpu_rows = &layout_.gpu_rows;
  events.sources = &run->sources;
  events.rank = model_->rank;
  events.pid = run->outer_pid;
  for (uint32_t i = 0; i < run->index; ++i) {
    model_->runs[i]->sources.Each([&events](Source, const SourceRun& before) {
      events.flows_before += before.findings.waits.size() + before.findings.gaps.size();
    });
  }
  events.own = &model_->own;
  events.stacks = stacks_.get();
  events.modules = run->modules.get();
  events.compiled = run->compiled.get();
  events.collectives = &run->host_collectives;
  events.end_ns = run->end_ns;
  events.limits = LimitsOf(*run, model_->base.ns);
  events.shown = job_.shown;
  events.shown_ops = shown_ops_.empty() ? nullptr : shown_ops_[run->input].get();
  return events;
}

RecordSink* ChromeSink::BeginRun(ProgramRun* run) {
  events_ = std::make_unique<ChromeEvents>(JobOf(run));
  ranges_left_out_ = 0;
  run->sources.Each([&](Source source, const SourceRun& of) {
    events_->WriteRanges(source, layout_.ranges[of.number]);
    ranges_left_out_ += layout_.ranges[of.number].left_out;
    layout_.ranges[of.number] = {};
  });
  stacks_as_text_ = stacks_->left_out();
  return events_.get();
}

Status ChromeSink::EndRun(ProgramRun* run) {
  if (!out_->status().ok()) return out_->status();
  events_->Finish();
  run->counts = events_->counts();
  run->counts.gpu_ranges_left_out = ranges_left_out_;
  run->counts.stacks_as_text = stacks_->left_out() - stacks_as_text_;
  if (!layout_.steps.empty()) {
    run->counts.steps = layout_.steps[run->index].shown.size();
    run->counts.steps_left_out = layout_.steps[run->index].left_out;
  }
  run->losses[kLoss_damaged] += run->counts.out_of_time;
  WriteLeftOut(*run, *model_, layout_, job_.unit, out_.get());
  events_ = nullptr;
  return out_->status();
}

Status ChromeSink::Finish(RankManifest* manifest, const RunFindings& /*findings*/) {
  manifest->trace = BaseName(job_.output);
  out_->Flush();
  out_->Append(TraceFoot(manifest->trace, *stacks_));
  out_->Flush();
  Status status = out_->status();
  if (status.ok() && into_ == nullptr) status = file_.Commit();
  manifest->trace_bytes = file_.bytes();
  manifest->text_bytes = out_->text_bytes();
  return status;
}

}  // namespace syncline
