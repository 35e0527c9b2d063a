// SPDX-License-Identifier: Apache-2.0
// Head, rows, each spool's events, foot.
#include "writers/chrome_writer.h"

#include <algorithm>

#include "writers/chrome_head.h"
#include "writers/spool_reader.h"

namespace syncline {
namespace {

constexpr uint64_t kToleranceNs =
    10000000000;  // a record so far outside its process's life is damaged

TimeLimits LimitsOf(const Image& image, uint64_t base_ns) {
  TimeLimits limits;
  limits.base_ns = base_ns;
  limits.earliest_ns = std::max(base_ns, image.begin_ns - std::min(image.begin_ns, kToleranceNs));
  if (image.end_known && image.end_ns < UINT64_MAX - kToleranceNs)
    limits.latest_ns = image.end_ns + kToleranceNs;
  return limits;
}

EventsJob JobOf(Image* image, const RankPlan& plan, TimeUnit unit, EventBuffer* out) {
  EventsJob events;
  events.out = out;
  events.timeline = &image->timeline;
  events.survey = &image->survey;
  events.rows = image->rows;
  events.time = {unit, plan.base.ns};
  events.gpu_rows = &plan.gpu_rows;
  events.device_timeline = &image->device_timeline;
  events.derived = &image->derived;
  events.process = image->index;
  events.rank = plan.rank;
  events.pid = image->outer_pid;
  for (uint32_t i = 0; i < image->index; ++i)
    events.flows_before += plan.images[i]->derived.slices.size();
  events.end_ns = image->end_ns;
  events.limits = LimitsOf(*image, plan.base.ns);
  return events;
}

// Reads the spools of those that pushed ranges and used a GPU once more.
Status ProjectAllRanges(RankPlan* plan, const ChromeJob& job) {
  for (const auto& image : plan->images) {
    const Survey& survey = image->survey;
    if (!image->readable() || survey.gpu.op_count == 0) continue;
    if (survey.ranges + survey.open_ranges == 0) continue;
    bool cancelled = false;
    RangeWork work(survey, image->device_timeline, LimitsOf(*image, plan->base.ns),
                   [&](uint64_t, uint64_t) {
                     cancelled = job.progress && !job.progress(0);
                     return !cancelled;
                   });
    SpoolReader reader;
    if (reader.Open(image->spool).ok()) (void)reader.Read(&work);  // the next reading tells faults
    if (cancelled) return Status::Error("cancelled");
    image->gpu_ranges = ProjectRanges(std::move(work));
    const GpuRanges& ranges = image->gpu_ranges;
    for (size_t i = 0; i < ranges.streams.size(); ++i)
      plan->gpu_rows.AddRanges(image->index, survey.gpu, ranges.streams[i], ranges.rows[i]);
  }
  return {};
}

// Adds the bytes that it read to `read`.
Status WriteImage(Image* image, const RankPlan& plan, const ChromeJob& job, EventBuffer* out,
                  uint64_t* read) {
  bool cancelled = false;
  uint64_t bytes = 0;
  ChromeEvents sink(JobOf(image, plan, job.unit, out), [&](uint64_t done, uint64_t /*total*/) {
    bytes = done;
    cancelled = job.progress && !job.progress(*read + done);
    return !cancelled;
  });
  sink.Begin(image->gpu_ranges);
  image->gpu_ranges = {};
  SpoolReader reader;
  Status status = reader.Open(image->spool);
  if (status.ok()) status = reader.Read(&sink);
  *read += bytes;
  if (cancelled) return Status::Error("cancelled");
  if (!out->status().ok()) return out->status();
  // The first reading worked: what came before the fault is written, and the fault is told.
  if (!status.ok()) image->problem = status.message();
  sink.Finish();
  image->counts = sink.counts();
  image->losses[kLoss_damaged] += image->counts.out_of_time;
  return out->status();
}

}  // namespace

// Head and foot are members of their own, so that traces can be joined without unpacking their
// events.
Status WriteChromeTrace(RankPlan* plan, const ChromeJob& job, EventBuffer* out) {
  Status projected = ProjectAllRanges(plan, job);
  if (!projected.ok()) return projected;
  out->Append(TraceHead(*plan));
  out->Flush();
  WriteRowsAndLives(*plan, job.unit, out);
  uint64_t read = 0;
  for (const auto& image : plan->images) {
    if (!image->readable()) continue;
    Status status = WriteImage(image.get(), *plan, job, out, &read);
    if (!status.ok()) return status;
  }
  out->Flush();
  out->Append(TraceFoot(job.name));
  out->Flush();
  return out->status();
}

}  // namespace syncline
