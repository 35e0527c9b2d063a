// SPDX-License-Identifier: Apache-2.0
// Head, rows, each spool's events, foot.
#include "writers/chrome/chrome_writer.h"

#include <algorithm>

#include "model/sink_fan.h"
#include "model/spool_reader.h"
#include "writers/chrome/chrome_events.h"
#include "writers/chrome/trace_head.h"
#include "writers/chrome/trace_rows.h"

namespace syncline {
namespace {

EventsJob JobOf(ProgramRun* run, const RankModel& model, const TraceLayout& layout, TimeUnit unit,
                EventBuffer* out) {
  EventsJob events;
  events.out = out;
  events.timeline = &run->timeline;
  events.survey = &run->survey;
  events.rows = layout.rows[run->index];
  events.time = {unit, model.base.ns};
  events.gpu_rows = &layout.gpu_rows;
  events.sources = &run->sources;
  events.rank = model.rank;
  events.pid = run->outer_pid;
  for (uint32_t i = 0; i < run->index; ++i) {
    model.runs[i]->sources.Each([&events](Source, const SourceRun& before) {
      events.flows_before += before.findings.waits.size() + before.findings.gaps.size();
    });
  }
  events.own = &model.own;
  events.end_ns = run->end_ns;
  events.limits = LimitsOf(*run, model.base.ns);
  return events;
}

struct RunWriting {
  const RankModel& model;
  const ChromeJob& job;
  const ShownOnly& shown;
  const ShownOps* ops;
  StackFrames* stacks;
};

// Adds the bytes that it read to `read`.
Status WriteRun(ProgramRun* run, const RunWriting& writing, TraceLayout* layout, EventBuffer* out,
                uint64_t* read) {
  const ChromeJob& job = writing.job;
  EventsJob events = JobOf(run, writing.model, *layout, job.unit, out);
  events.shown = writing.shown;
  events.shown_ops = writing.ops;
  events.stacks = writing.stacks;
  bool cancelled = false;
  uint64_t bytes = 0;
  ChromeEvents sink(events, [&](uint64_t done, uint64_t /*total*/) {
    bytes = done;
    cancelled = job.progress && !job.progress(*read + done);
    return !cancelled;
  });
  uint64_t ranges_left_out = 0;
  run->sources.Each([&](Source source, const SourceRun& of) {
    sink.WriteRanges(source, layout->ranges[of.number]);
    ranges_left_out += layout->ranges[of.number].left_out;
    layout->ranges[of.number] = {};
  });
  SinkFan fan;
  fan.Add(&sink);
  RecordSink* also = job.observer == nullptr ? nullptr : job.observer->SecondReading(run);
  if (also != nullptr) fan.Add(also);
  const uint64_t stacks_as_text = writing.stacks->left_out();
  Status status = ReadProgram(*run, also == nullptr ? static_cast<RecordSink*>(&sink) : &fan,
                              RoomForStacks(writing.model.most_records));
  if (job.observer != nullptr) job.observer->Finish(run);
  *read += bytes;
  if (cancelled) return Status::Error("cancelled");
  if (!out->status().ok()) return out->status();
  if (status.is_out_of_memory()) return status;
  // The first reading worked: what came before the fault is written, and the fault is told.
  if (!status.ok()) run->problem = status.message();
  sink.Finish();
  run->counts = sink.counts();
  run->counts.gpu_ranges_left_out = ranges_left_out;
  run->counts.stacks_as_text = writing.stacks->left_out() - stacks_as_text;
  if (!layout->steps.empty()) {
    run->counts.steps = layout->steps[run->index].shown.size();
    run->counts.steps_left_out = layout->steps[run->index].left_out;
  }
  run->losses[kLoss_damaged] += run->counts.out_of_time;
  WriteLeftOut(*run, writing.model, *layout, job.unit, out);
  return out->status();
}

}  // namespace

std::vector<RecordSink*> ChromeWriter::FirstReading(size_t input, uint64_t most_records) {
  while (lanes_.size() <= input) lanes_.push_back(std::make_unique<SourceLanes>(most_records));
  std::vector<RecordSink*> sinks = {lanes_[input].get()};
  if (!shown_.all()) {
    while (shown_ops_.size() <= input) shown_ops_.push_back(std::make_unique<ShownOps>(shown_));
    sinks.push_back(shown_ops_[input].get());
  }
  if (!step_range_.empty()) {
    while (steps_.size() <= input) steps_.push_back(std::make_unique<StepFinder>(step_range_));
    sinks.push_back(steps_[input].get());
  }
  return sinks;
}

void ChromeWriter::LayOut(const RankModel& model) {
  layout_ = syncline::LayOut(model, lanes_);
  for (const auto& run : model.runs) {
    if (!run->readable() || run->range_log->ranges.empty()) continue;
    run->sources.Each([&](Source source, const SourceRun& of) {
      if (of.survey.op_count == 0 || of.records->too_many()) return;
      GpuRanges& ranges = layout_.ranges[of.number];
      ranges = ProjectRanges({of.records->records(), lanes_[run->input]->Of(source), of.clocks,
                              LimitsOf(*run, model.base.ns), *run->range_log});
      for (size_t i = 0; i < ranges.streams.size(); ++i)
        layout_.gpu_rows.AddRanges(of, ranges.streams[i], ranges.rows[i]);
    });
  }
  lanes_.clear();
  if (!step_range_.empty()) layout_.steps.resize(model.runs.size());
  for (const auto& run : model.runs) {
    if (!run->readable() || run->input >= steps_.size()) continue;
    StepFinder& steps = *steps_[run->input];
    layout_.steps[run->index] = {ShownSteps(steps.Take(), model.base.ns, run.get()),
                                 steps.left_out()};
  }
}

// Head and foot are members of their own, so that traces can be joined without unpacking their
// events.
Status ChromeWriter::Write(RankModel* model, const ChromeJob& job, EventBuffer* out) {
  out->Append(TraceHead(*model, layout_, shown_));
  out->Flush();
  WriteRowsAndLives(*model, layout_, job.unit, out);
  StackFrames stacks(model->own);
  uint64_t read = 0;
  for (const auto& run : model->runs) {
    if (!run->readable()) continue;
    const ShownOps* ops = shown_ops_.empty() ? nullptr : shown_ops_[run->input].get();
    Status status = WriteRun(run.get(), {*model, job, shown_, ops, &stacks}, &layout_, out, &read);
    if (!status.ok()) return status;
  }
  out->Flush();
  out->Append(TraceFoot(job.name, stacks));
  out->Flush();
  return out->status();
}

}  // namespace syncline
