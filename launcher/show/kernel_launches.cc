// SPDX-License-Identifier: Apache-2.0
// Lines are searched, not parsed: a trace may have millions of kernels.
#include "launcher/show/kernel_launches.h"

#include <algorithm>
#include <charconv>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "inject/core/glob.h"
#include "launcher/show/lent_threads.h"
#include "model/devices/source_facts.h"
#include "model/findings/run_findings.h"
#include "writers/chrome/trace_reader.h"
#include "writers/files/json_fields.h"

namespace syncline {
namespace {

constexpr size_t kMostOtherNames = 8;
// Rows of a process (docs/trace-format.md): those of start/end ranges are no rows of threads.
constexpr uint64_t kRowsApart = uint64_t{1} << 23;
constexpr uint64_t kFirstLane = 2, kFirstDomainRow = 102, kFarLanes = 255;

bool IsLaneOfRanges(uint64_t tid) {
  const uint64_t row = tid / kRowsApart;
  return (row >= kFirstLane && row < kFirstDomainRow) || row >= kFarLanes;
}

// The text between the quotes behind `key`, as JSON writes it.
std::string_view RawText(std::string_view line, std::string_view key) {
  const size_t found = line.find(key);
  if (found == std::string_view::npos) return {};
  const size_t begin = found + key.size();
  for (size_t at = begin; at < line.size(); ++at) {
    if (line[at] == '\\') {
      ++at;
    } else if (line[at] == '"') {
      return line.substr(begin, at - begin);
    }
  }
  return {};
}

std::string Decoded(std::string_view raw) {
  const Json text = ParseJson(Text("\"", raw, "\""));
  return text.is_string() ? text.get<std::string>() : std::string(raw);
}

uint64_t NumberBehind(std::string_view line, std::string_view key) {
  const size_t found = line.find(key);
  uint64_t number = 0;
  if (found != std::string_view::npos)
    std::from_chars(line.data() + found + key.size(), line.data() + line.size(), number);
  return number;
}

constexpr std::string_view kName = ", \"name\": \"",
                           kCorrelation = "\"correlation\": ", kDomain = "\"domain\": \"";

// A call that gives its thread to others: what it launched, its stretches say, which are ranges of
// the same name.
bool IsMadeOfStretches(std::string_view domain) {
  return std::any_of(kSourceFacts, kSourceFacts + kSourceFactsCount,
                     [domain](const SourceFacts* each) {
                       return !each->calls_domain.empty() && domain == each->calls_domain;
                     });
}

class LaunchReader {
 public:
  LaunchReader(const std::string& stage, KernelLaunches* found) : stage_(stage), found_(*found) {}

  void Look(const TraceSlice& slice) {
    if (slice.category == "kernel") {
      TakeKernel(slice);
    } else if (slice.IsCall()) {
      const uint64_t correlation = NumberBehind(slice.line, kCorrelation);
      if (correlation != 0) calls_.push_back({correlation, slice.begin_ns, slice.pid, slice.tid});
    } else if (slice.category == "user_annotation" && !stage_.empty()) {
      TakeRange(slice);
    }
  }

  void LookAtRow(uint64_t pid, uint64_t tid, std::string_view name) {
    lent_.AddRow(pid, ThreadOfRow(tid), name);
  }

  void Finish();

 private:
  struct Call {
    uint64_t correlation, begin_ns, process, thread;
  };

  void TakeKernel(const TraceSlice& slice) {
    KernelLaunch launch;
    const std::string_view raw = RawText(slice.line, kName);
    const auto [known, is_new] =
        ids_.emplace(std::string(raw), static_cast<uint32_t>(found_.names.size()));
    if (is_new) found_.names.push_back(Decoded(raw));
    launch.name = known->second;
    launch.begin_ns = launch.call_ns = slice.begin_ns;
    launch.length_ns = slice.LengthNs();
    launch.correlation = NumberBehind(slice.line, kCorrelation);
    launch.is_graph = slice.line.find("\"graph id\": ") != std::string_view::npos &&
                      slice.line.find("\"grid\": ") == std::string_view::npos;
    found_.launches.push_back(launch);
  }

  bool IsStage(std::string_view raw) {
    const auto [known, is_new] = is_stage_.emplace(std::string(raw), false);
    if (is_new) {
      const std::string name = Decoded(raw);
      known->second = MatchesGlob(stage_, name) || NumberFamily(name) == stage_;
      if (!known->second && found_.other_names.size() < kMostOtherNames)
        found_.other_names.push_back(name);
    }
    return known->second;
  }

  void TakeRange(const TraceSlice& slice) {
    const std::string_view raw = RawText(slice.line, kName);
    if (slice.line.find("\"step_range\": ") != std::string_view::npos) return;
    const std::string_view domain = RawText(slice.line, kDomain);
    if (LentThreads::IsLent(raw, domain))
      lent_.AddTime({slice.pid, ThreadOfRow(slice.tid), slice.begin_ns, slice.end_ns});
    if (!IsStage(raw) || IsMadeOfStretches(domain)) return;
    found_.stage_calls.push_back({slice.pid, ThreadOfRow(slice.tid), IsLaneOfRanges(slice.tid),
                                  Decoded(raw), Decoded(domain), slice.begin_ns, slice.end_ns});
  }

  void JoinCalls();
  void JoinStage();
  // The innermost call of the stage around a moment of a thread; -1: none.
  int32_t StageAt(uint64_t process, uint64_t thread, uint64_t ns) const;

  const std::string& stage_;
  KernelLaunches& found_;
  std::unordered_map<std::string, uint32_t> ids_;
  std::unordered_map<std::string, bool> is_stage_;
  std::vector<Call> calls_;
  std::vector<uint64_t> latest_end_;  // of the calls of the stage up to each
  LentThreads lent_;
};

void LaunchReader::JoinCalls() {
  std::sort(calls_.begin(), calls_.end(),
            [](const Call& a, const Call& b) { return a.correlation < b.correlation; });
  for (KernelLaunch& launch : found_.launches) {
    const auto call = std::lower_bound(
        calls_.begin(), calls_.end(), launch.correlation,
        [](const Call& each, uint64_t correlation) { return each.correlation < correlation; });
    if (launch.correlation == 0 || call == calls_.end() || call->correlation != launch.correlation)
      continue;
    launch.has_call = true;
    launch.call_ns = call->begin_ns;
    launch.process = call->process;
    launch.thread = static_cast<uint32_t>(call->thread);
  }
}

// The calls of the stage are sorted by their begin. How late any of those so far ends says where
// the look back may stop.
int32_t LaunchReader::StageAt(uint64_t process, uint64_t thread, uint64_t ns) const {
  const std::vector<StageCall>& calls = found_.stage_calls;
  auto next = static_cast<size_t>(
      std::upper_bound(calls.begin(), calls.end(), ns,
                       [](uint64_t at, const StageCall& call) { return at < call.begin_ns; }) -
      calls.begin());
  while (next > 0 && latest_end_[next - 1] > ns) {
    if (calls[--next].Holds(process, thread, ns)) return static_cast<int32_t>(next);
  }
  return -1;
}

// As the report counts them (StageSums): what helpers launch is of the calls in which the thread
// was that has them work.
void LaunchReader::JoinStage() {
  std::vector<StageCall>& calls = found_.stage_calls;
  std::sort(calls.begin(), calls.end(),
            [](const StageCall& a, const StageCall& b) { return a.begin_ns < b.begin_ns; });
  for (const StageCall& call : calls)
    latest_end_.push_back(std::max(latest_end_.empty() ? 0 : latest_end_.back(), call.end_ns));
  for (KernelLaunch& launch : found_.launches) {
    launch.stage = StageAt(launch.process, launch.thread, launch.call_ns);
    if (launch.stage >= 0) continue;
    lent_.EachFor(launch.process, launch.thread, launch.call_ns, [&](const LentTime& time) {
      launch.stage = StageAt(time.process, time.thread, time.begin_ns);
      launch.is_helped = launch.stage >= 0;
      return launch.is_helped;
    });
  }
}

void LaunchReader::Finish() {
  lent_.Finish();
  JoinCalls();
  JoinStage();
  std::sort(found_.launches.begin(), found_.launches.end(),
            [](const KernelLaunch& a, const KernelLaunch& b) { return a.IsBefore(b); });
}

}  // namespace

bool KernelLaunch::IsBefore(const KernelLaunch& other) const {
  return std::tie(call_ns, correlation, begin_ns) <
         std::tie(other.call_ns, other.correlation, other.begin_ns);
}

Status ReadKernelLaunches(const std::string& trace, const std::string& stage,
                          KernelLaunches* launches) {
  LaunchReader reader(stage, launches);
  const Status status = ReadTrace(
      trace, {.slice = [&reader](const TraceSlice& slice) { reader.Look(slice); },
              .row = [&reader](uint64_t pid, uint64_t tid,
                               std::string_view name) { reader.LookAtRow(pid, tid, name); }});
  reader.Finish();
  return status;
}

}  // namespace syncline
