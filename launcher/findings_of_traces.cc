// SPDX-License-Identifier: Apache-2.0
// Trace -> analysis -> file. What a manifest says of the rank is better than what its trace does.
#include "launcher/findings_of_traces.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "analysis/trace_findings.h"
#include "launcher/available_memory.h"
#include "launcher/files.h"
#include "launcher/job.h"
#include "launcher/say.h"
#include "launcher/text.h"
#include "writers/chrome/trace_reader.h"
#include "writers/findings/findings_file.h"
#include "writers/manifest.h"

namespace syncline {
namespace {

constexpr std::string_view kTraceSuffix = ".trace.json.gz";

struct BareTrace {
  std::string path;
  std::string name;
};

// Traces without findings; those of no rank lie in run/. A file of findings that is there and
// cannot be read stays as it is.
std::vector<BareTrace> WithoutFindings(const std::string& directory) {
  std::vector<BareTrace> traces;
  for (const std::string& folder : {directory, directory + "/run"}) {
    for (const std::string& file : ListDirectory(folder)) {
      if (!file.ends_with(kTraceSuffix)) continue;
      std::string name = file.substr(0, file.size() - kTraceSuffix.size());
      const bool known = std::any_of(traces.begin(), traces.end(), [&name](const BareTrace& trace) {
        return trace.name == name;
      });
      if (!known && !Exists(FindingsPath(directory, name)))
        traces.push_back({Text(folder, "/", file), std::move(name)});
    }
  }
  return traces;
}

// A quarter of the memory that is free may go to calls and operations, with what sorting takes.
uint64_t MostRecords() {
  constexpr uint64_t kLeast = 1 << 16, kBytes = 4 * 2 * kBytesPerRecord;
  return std::clamp<uint64_t>(AvailableMemory() / kBytes, kLeast, TraceFindings::kMostRecords);
}

class Maker {
 public:
  Maker(std::string directory, ReadRun* run) : directory_(std::move(directory)), run_(run) {
    std::string error;
    has_job_ = ReadJob(directory_, &job_, &error);
  }

  void Make(const BareTrace& trace) {
    const std::string& name = trace.name;
    TraceFindings made(MostRecords());
    const Status status = ReadTrace(trace.path, &made);
    if (!status.ok()) {
      run_->problems.push_back(
          Text("no findings can be made of a trace, record the run again: ", status.message()));
      return;
    }
    made.Finish();
    FillFromManifest(name, &made.part);
    for (const std::string& what : made.lacking) {
      lacking_.insert(what);
      made.part.missing.push_back(what + ": these findings were made of a trace");
    }
    RunFindings findings = std::move(made.findings);
    NameRank(name, &findings);
    findings.FoldNames();
    made.part.stages = LongestStages(findings, kMostStagesOfRank);
    findings.ranks.emplace(name, std::move(made.part));
    if (!cannot_write_) Write(name, findings);
    run_->findings.Add(std::move(findings));
    ++made_;
  }

  void Tell() const {
    if (made_ == 0) return;
    const std::string lacking =
        lacking_.empty() ? ""
                         : Text(" They lack ", JoinNames({lacking_.begin(), lacking_.end()}), ".");
    Say(Text("there were no findings of ", made_ == 1 ? "a trace" : Text(made_, " traces"),
             ": they are made of what the trace tells",
             cannot_write_ ? "." : ", and written to run/.", lacking));
  }

 private:
  void FillFromManifest(const std::string& name, RankPart* part) const {
    if (has_job_) part->job = job_.key;
    part->collectives.rank = part->rank;
    // A trace says 0 where there is none.
    if (!name.starts_with("rank-")) part->rank = part->collectives.rank = -1;
    RankManifest manifest;
    if (ReadManifest(Text(directory_, "/run/", name, ".json"), &manifest).ok()) {
      FillPart(manifest, part);
      part->collectives.rank = part->rank;
      part->collectives_in_trace = manifest.collectives.met != 0;
    }
    if (has_job_) part->collectives.clock = LineOf(job_.first_anchor, part->host);
    if (IsWholeRank(name, part->rank)) return;
    part->collectives.left_out[static_cast<size_t>(LeftOut::kNotAskedFor)] +=
        part->collectives.done.size();
    part->collectives.done.clear();
  }

  void Write(const std::string& name, const RunFindings& findings) {
    const std::string run = directory_ + "/run";
    (void)MakeDirectories(run, 0700);
    const Status status =
        IsRealDirectory(run)
            ? WriteFindings(FindingsPath(directory_, name), findings)
            : Status::Error("cannot write into " + ShellQuote(run) + ": it is no directory");
    if (status.ok()) return;
    cannot_write_ = true;
    SayWarning(Text(status.message(), ". The report is made all the same; the next one will read ",
                    "the trace again."));
  }

  const std::string directory_;
  ReadRun* const run_;
  Job job_;
  bool has_job_ = false;
  bool cannot_write_ = false;
  size_t made_ = 0;
  std::set<std::string> lacking_;
};

}  // namespace

void AddFindingsOfTraces(const std::string& directory, ReadRun* run) {
  const std::vector<BareTrace> traces = WithoutFindings(directory);
  if (traces.empty()) return;
  Maker maker(directory, run);
  for (const BareTrace& trace : traces) maker.Make(trace);
  maker.Tell();
  run->findings.FoldNames();
}

}  // namespace syncline
