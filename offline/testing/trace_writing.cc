// SPDX-License-Identifier: Apache-2.0
// One sink, and one more that plants.
#include "offline/testing/trace_writing.h"

#include <utility>
#include <vector>

#include "writers/chrome/chrome_sink.h"

namespace syncline {
namespace {

class PlantingSink : public RankSink {
 public:
  explicit PlantingSink(std::function<void(const RankModel&)> plant) : plant_(std::move(plant)) {}

  Status Begin(const RankModel& model) override {
    plant_(model);
    return {};
  }

 private:
  const std::function<void(const RankModel&)> plant_;
};

}  // namespace

std::unique_ptr<RankPipeline> TracePipeline(const TraceJob& job) {
  std::vector<std::unique_ptr<RankSink>> sinks;
  if (job.plant) sinks.push_back(std::make_unique<PlantingSink>(job.plant));
  sinks.push_back(std::make_unique<ChromeSink>(
      ChromeJob{job.output, job.unit, job.shown, job.step_range, job.most_records}));
  return std::make_unique<RankPipeline>(job, std::move(sinks));
}

RankResult WriteRankTrace(const TraceJob& job) {
  const auto rank = TracePipeline(job);
  rank->Read();
  return rank->Write();
}

}  // namespace syncline
