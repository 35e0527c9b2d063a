// SPDX-License-Identifier: Apache-2.0
// Measures the way from a spool to a trace: events and bytes per second, compression ratio, peak
// memory.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "model/testing/spool_builder.h"
#include "offline/testing/trace_writing.h"
#include "offline/told_places.h"
#include "writers/chrome/chrome_sink.h"

namespace {

using syncline::RankResult;
using syncline::TraceJob;

struct Options {
  uint64_t ranges = 2000000;
  int repeats = 3;
  int threads = 3;
  std::string directory;
};

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

long PeakMiB() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

void Print(const char* label, double events, double seconds, double text_bytes, double file_bytes) {
  std::printf("%-34s %7.2f M events/s %7.0f MB/s of text %7.1f B/event", label,
              events / seconds / 1e6, text_bytes / seconds / 1e6, text_bytes / events);
  if (file_bytes > 0)
    std::printf("  ratio %5.2f %6.1f B/event in the file", text_bytes / file_bytes,
                file_bytes / events);
  std::printf("  peak %ld MiB\n", PeakMiB());
  std::fflush(stdout);
}

[[noreturn]] void Fail(const syncline::Status& status) {
  std::fprintf(stderr, "%s\n", status.message().c_str());
  std::exit(1);
}

class NullSink : public syncline::ByteSink {
 public:
  syncline::Status Write(std::string_view) override { return {}; }
};

// Both readings and the formatting, without a file. The best of some runs, in CPU time: other work
// only ever adds.
void MeasureText(const Options& options, const char* label, const std::string& spool) {
  double best = 1e9;
  double events = 0;
  double bytes = 0;
  for (int i = 0; i < options.repeats; ++i) {
    const double begin = CpuSeconds();
    syncline::RankJob job;
    job.rank = 0;
    job.processes.emplace_back().spool = spool;
    NullSink nowhere;
    std::vector<std::unique_ptr<syncline::RankSink>> sinks;
    sinks.push_back(std::make_unique<syncline::ChromeSink>(syncline::ChromeJob{}, &nowhere));
    syncline::RankPipeline rank(job, std::move(sinks));
    rank.Read();
    const RankResult result = rank.Write();
    if (!result.status.ok()) Fail(result.status);
    best = std::min(best, CpuSeconds() - begin);
    events = static_cast<double>(result.manifest.events);
    bytes = static_cast<double>(result.manifest.text_bytes);
  }
  Print(label, events, best, bytes, 0);
}

// The whole job: to a compressed file.
void MeasureFile(const Options& options, const char* label, const std::string& spool) {
  TraceJob job;
  job.rank = 0;
  job.processes.emplace_back().spool = spool;
  job.output = options.directory + "/bench.trace.json.gz";
  double best = 1e9;
  RankResult result;
  for (int i = 0; i < options.repeats; ++i) {
    const double begin = CpuSeconds();
    result = syncline::WriteRankTrace(job);
    best = std::min(best, CpuSeconds() - begin);
    if (!result.status.ok()) Fail(result.status);
  }
  const auto& manifest = result.manifest;
  Print(label, static_cast<double>(manifest.events), best, static_cast<double>(manifest.text_bytes),
        static_cast<double>(manifest.trace_bytes));
  ::unlink(job.output.c_str());
}

// How much of writing the traces of so many processes it takes to ask which ranks they are.
void MeasurePlaces(const Options& options, const std::string& spool, size_t processes) {
  TraceJob job;
  job.rank = 0;
  job.processes.emplace_back().spool = spool;
  job.output = options.directory + "/bench.trace.json.gz";
  double places = 1e9, writing = 1e9;
  for (int i = 0; i < options.repeats; ++i) {
    double begin = CpuSeconds();
    (void)syncline::FindToldPlaces(std::vector<std::string>(processes, spool));
    places = std::min(places, CpuSeconds() - begin);
    begin = CpuSeconds();
    if (const RankResult result = syncline::WriteRankTrace(job); !result.status.ok())
      Fail(result.status);
    writing = std::min(writing, (CpuSeconds() - begin) * static_cast<double>(processes));
  }
  struct stat file {};
  ::stat(spool.c_str(), &file);
  std::printf("places of %zu processes of %.1f MB: %.3f s, %.1f %% of the %.2f s of writing\n",
              processes, static_cast<double>(file.st_size) / 1e6, places, 100 * places / writing,
              writing);
  ::unlink(job.output.c_str());
}

bool Parse(int argc, char** argv, Options* options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    if (key == "--ranges") {
      options->ranges = std::strtoull(argv[i + 1], nullptr, 10);
    } else if (key == "--repeats") {
      options->repeats = std::atoi(argv[i + 1]);
    } else if (key == "--threads") {
      options->threads = std::atoi(argv[i + 1]);
    } else if (key == "--dir") {
      options->directory = argv[i + 1];
    } else {
      return false;
    }
  }
  return argc % 2 == 1 && options->ranges > 0 && options->repeats > 0 && options->threads > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if ((argc == 4 || argc == 5) && std::strcmp(argv[1], "--training-spool") == 0) {
    const int threads = argc == 5 ? std::max(std::atoi(argv[4]), 1) : 1;
    syncline::testing::WriteTrainingSpool(argv[2], std::strtoull(argv[3], nullptr, 10),
                                          static_cast<uint32_t>(threads));
    return 0;
  }
  if (!Parse(argc, argv, &options)) {
    std::fprintf(stderr,
                 "usage: %s [--ranges N] [--repeats N] [--threads N] [--dir DIRECTORY]\n"
                 "       %s --training-spool PATH LAUNCHES [THREADS]\n",
                 argv[0], argv[0]);
    return 2;
  }
  const bool own_directory = options.directory.empty();
  if (own_directory) {
    char name[] = "/dev/shm/syncline-bench-XXXXXX";
    if (::mkdtemp(name) == nullptr) {
      std::perror("mkdtemp");
      return 1;
    }
    options.directory = name;
  }
  const std::string spool = options.directory + "/bench.spool";
  using syncline::testing::WriteRealisticSpool;
  WriteRealisticSpool(spool, options.ranges, options.threads, false, false);
  MeasureText(options, "ranges, JSON text", spool);
  MeasureFile(options, "ranges, .json.gz", spool);
  for (const size_t processes : {8, 64}) MeasurePlaces(options, spool, processes);
  WriteRealisticSpool(spool, options.ranges, options.threads, true, false);
  MeasureText(options, "with category and colour, text", spool);
  MeasureFile(options, "with category and colour, .gz", spool);
  WriteRealisticSpool(spool, options.ranges, options.threads, false, true);
  MeasureText(options, "a new name each time, text", spool);
  MeasureFile(options, "a new name each time, .gz", spool);
  WriteRealisticSpool(spool, options.ranges, options.threads, false, false, true);
  MeasureText(options, "with calls and kernels, text", spool);
  MeasureFile(options, "with calls and kernels, .gz", spool);
  ::unlink(spool.c_str());
  if (own_directory) ::rmdir(options.directory.c_str());
  return 0;
}
