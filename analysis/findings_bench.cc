// SPDX-License-Identifier: Apache-2.0
// Measures what the findings of a rank cost, without its trace: CPU time of one thread for each
// reading of the spool and for what is found out from it.
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "analysis/rank_analysis.h"
#include "model/testing/spool_builder.h"

namespace {

constexpr uint64_t kShortestGapNs = 10000;

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

[[noreturn]] void Fail(const syncline::Status& status) {
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}

struct Seconds {
  double first_reading = 0;  // with what is kept for the analysis
  double analysis = 0;       // between the readings
  double second_reading = 0;
  double bare_reading = 0;  // without anybody who looks at the records
};

// Sees all that the sums see.
class Nobody : public syncline::RecordSink {
 public:
  unsigned Interests() const override {
    return syncline::kRanges | syncline::kCalls | syncline::kDevices | syncline::kStacks;
  }
};

class Measurement {
 public:
  explicit Measurement(const std::string& spool) : spool_(spool) {}

  void Run() {
    syncline::RankRequest request;
    request.rank = 0;
    request.most_records = uint64_t{1} << 27;
    request.processes.emplace_back().spool = spool_;
    syncline::RankAnalysis analysis(uint64_t{16} << 30, kShortestGapNs);
    request.sinks = [&](size_t input) { return analysis.FirstReading(input); };
    syncline::RankModel model;
    double begin = CpuSeconds();
    const syncline::Status status = syncline::ReadRank(request, &model);
    if (!status.ok()) Fail(status);
    seconds.first_reading = Lap(&begin);
    const auto& sources = model.runs[0]->sources;
    sources.Each([this](syncline::Source, const syncline::SourceRun& source) {
      events += source.records->kept() + source.devices.event_count;
    });
    analysis.Analyse(&model, [] { return false; });
    seconds.analysis = Lap(&begin);
    ReadAgain(model, &analysis, &begin);
    for (const auto& [key, sums] : analysis.findings.ranges) events += sums.count;
    for (const auto& [key, sums] : analysis.findings.waits) waits += sums.blocked.count;
    for (const auto& [key, sums] : analysis.findings.gaps) gaps += sums.count;
    stages = analysis.findings.stages.size();
  }

  Seconds seconds;
  uint64_t events = 0, waits = 0, gaps = 0, stages = 0;

 private:
  static double Lap(double* begin) {
    const double now = CpuSeconds();
    const double passed = now - *begin;
    *begin = now;
    return passed;
  }

  void ReadAgain(const syncline::RankModel& model, syncline::RankAnalysis* analysis,
                 double* begin) {
    for (const auto& run : model.runs) {
      const syncline::Status status =
          syncline::ReadProgram(*run, analysis->SecondReading(run.get()));
      if (!status.ok()) Fail(status);
      analysis->Finish(run.get());
      seconds.second_reading += Lap(begin);
      Nobody nobody;
      (void)syncline::ReadProgram(*run, &nobody);
      seconds.bare_reading += Lap(begin);
    }
  }

  const std::string spool_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s SPOOL\n", argv[0]);
    return 2;
  }
  Measurement measured(argv[1]);
  measured.Run();
  const Seconds& s = measured.seconds;
  const double alone = s.analysis + s.second_reading - s.bare_reading;
  std::printf(
      "{\"events\": %llu, \"waits\": %llu, \"gaps\": %llu, \"stages\": %llu, \"first_reading_s\": "
      "%.3f, \"analysis_s\": %.3f, \"second_reading_s\": %.3f, \"bare_reading_s\": %.3f, "
      "\"findings_s\": %.3f, \"all_s\": %.3f}\n",
      static_cast<unsigned long long>(measured.events),
      static_cast<unsigned long long>(measured.waits),
      static_cast<unsigned long long>(measured.gaps),
      static_cast<unsigned long long>(measured.stages), s.first_reading, s.analysis,
      s.second_reading, s.bare_reading, alone, s.first_reading + s.analysis + s.second_reading);
  return 0;
}
