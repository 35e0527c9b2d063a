// SPDX-License-Identifier: Apache-2.0
// What the pipeline owes each sink, and that a sink is one file: this one counts.
#include "writers/files/rank_sink.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/rank_pipeline.h"
#include "writers/chrome/chrome_sink.h"

namespace syncline {
namespace {

using testing::kStartTicks;

struct Counts {
  uint64_t first = 0;   // ranges seen in the first reading
  uint64_t second = 0;  // in the second one
  std::string calls;    // a letter a call of the pipeline
};

class RangeCounter : public RecordSink {
 public:
  explicit RangeCounter(uint64_t* count) : count_(count) {}
  unsigned Interests() const override { return kRanges; }
  void OnRange(const RangeEvent&) override { ++*count_; }

 private:
  uint64_t* const count_;
};

class CountingSink : public RankSink {
 public:
  explicit CountingSink(Counts* counts)
      : counts_(counts), first_(&counts->first), second_(&counts->second) {}

  std::vector<RecordSink*> FirstReading(size_t) override { return Note('f', &first_); }
  void OnRead(const RankModel&) override { counts_->calls += 'r'; }
  Status Begin(const RankModel&) override {
    counts_->calls += 'b';
    return {};
  }
  RecordSink* BeginRun(ProgramRun*) override { return Note('<', &second_)[0]; }
  Status EndRun(ProgramRun*) override {
    counts_->calls += '>';
    return {};
  }
  Status Finish(RankManifest* manifest, const RunFindings&) override {
    counts_->calls += 'F';
    return manifest->ranges == 12 ? Status::Error("a dozen") : Status();
  }

 private:
  std::vector<RecordSink*> Note(char call, RecordSink* sink) {
    counts_->calls += call;
    return {sink};
  }

  Counts* const counts_;
  RangeCounter first_;
  RangeCounter second_;
};

// A process that recorded so many ranges.
std::string SpoolOf(const testing::Scratch& scratch, int32_t pid, uint64_t ranges) {
  testing::RecordBatch batch;
  batch.Stream(1, static_cast<uint32_t>(pid), true).Name(1, "range");
  for (uint64_t i = 0; i < ranges; ++i)
    batch.Range(1, kStartTicks + 10 * i, kStartTicks + 10 * i + 5);
  testing::SpoolBuilder spool;
  spool.Process(testing::PlausibleProcess(pid)).Records(0, batch);
  return spool.End(kStartTicks + 100'000, true, 0).Save(scratch / std::to_string(pid));
}

// Beside a trace, which is committed before this sink has its say.
RankResult WriteBeside(const testing::Scratch& scratch, RankJob job, Counts* counts) {
  job.rank = 0;
  job.manifest = scratch / "rank-0.json";
  ChromeJob chrome;
  chrome.output = scratch / "rank-0.trace.json";
  std::vector<std::unique_ptr<RankSink>> sinks;
  sinks.push_back(std::make_unique<CountingSink>(counts));
  sinks.push_back(std::make_unique<ChromeSink>(chrome));
  RankPipeline rank(std::move(job), std::move(sinks));
  rank.Read();
  return rank.Write();
}

TEST(RankSink, IsCalledInOrderAndSeesAllOfEachRun) {
  const testing::Scratch scratch;
  RankJob job;
  job.processes.emplace_back().spool = SpoolOf(scratch, 4210, 7);
  job.processes.emplace_back().spool = SpoolOf(scratch, 4211, 4);
  job.processes.emplace_back().spool = scratch / "gone";
  Counts counts;
  const RankResult result = WriteBeside(scratch, job, &counts);
  EXPECT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(counts.calls, "ffrb<><>F");
  EXPECT_EQ(counts.first, 11u);
  EXPECT_EQ(counts.second, 11u);
  EXPECT_EQ(result.manifest.ranges, 11u);
}

TEST(RankSink, WhatASinkCannotWriteLeavesNeitherTraceNorManifest) {
  const testing::Scratch scratch;
  RankJob job;
  job.processes.emplace_back().spool = SpoolOf(scratch, 4210, 12);
  Counts counts;
  EXPECT_EQ(WriteBeside(scratch, job, &counts).status.message(), "a dozen");
  EXPECT_FALSE(std::filesystem::exists(scratch / "rank-0.trace.json"));
  EXPECT_FALSE(std::filesystem::exists(scratch / "rank-0.json"));
}

TEST(RankSink, IsNotFinishedWhereTheUserHasHadEnough) {
  const testing::Scratch scratch;
  RankJob job;
  job.processes.emplace_back().spool = SpoolOf(scratch, 4210, 3);
  job.progress = [](uint64_t done, uint64_t total) { return done * 2 <= total; };
  Counts counts;
  EXPECT_TRUE(WriteBeside(scratch, job, &counts).cancelled);
  EXPECT_EQ(counts.calls, "frb<");
  EXPECT_FALSE(std::filesystem::exists(scratch / "rank-0.trace.json"));
}

}  // namespace
}  // namespace syncline
