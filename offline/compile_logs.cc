// SPDX-License-Identifier: Apache-2.0
// Each file is of one process, or of several one after the other: each event says its own.
#include "offline/compile_logs.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "model/devices/source_facts.h"
#include "model/run/program_name.h"
#include "model/spool/wall_clock.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

std::string FolderOfSource(const std::string& directory, const SourceFacts& facts) {
  return directory + "/run/" + facts.name + "-compile";
}

// Sorted: what is read is the same each time.
std::vector<fs::path> EntriesOf(const std::string& folder, fs::file_type type) {
  std::error_code error;
  std::vector<fs::path> entries;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    std::error_code unknown;
    if (at->symlink_status(unknown).type() == type) entries.push_back(at->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

WallClock ClockOf(ProgramRun* run) {
  std::vector<WallClock::Point> points;
  if (!run->timeline.valid()) return WallClock({});
  const auto add = [&](const Anchor& anchor) {
    if (anchor.ticks != 0)
      points.push_back({anchor.realtime_ns, run->timeline.Convert(anchor.ticks)});
  };
  for (const Anchor& anchor : run->survey.anchors) add(anchor);
  if (run->survey.has_process) add(run->survey.process.consumer_start);
  return WallClock(std::move(points));
}

struct Period {
  uint64_t begin_ns;
  uint64_t end_ns;
  bool others;  // has what is of no known time, too
};

void AddEvents(const std::vector<CompileEvent>& events, const WallClock& clock,
               const Period& period, CompiledRun* run) {
  for (const CompileEvent& event : events) {
    Compilation made{event, 0, 0};
    if (event.begin_ns != 0) {
      made.event.begin_ns = clock.ToLine(event.begin_ns);
      made.end_ns = clock.ToLine(event.begin_ns + event.ns);
      made.error_ns = clock.ErrorNs(event.begin_ns, event.begin_ns + event.ns);
      for (CompilePhase& phase : made.event.phases) {
        phase.begin_ns = clock.ToLine(phase.begin_ns);
        phase.end_ns = std::max(clock.ToLine(phase.end_ns), phase.begin_ns);
      }
      if (made.event.begin_ns < period.begin_ns || made.event.begin_ns >= period.end_ns) continue;
    } else if (!period.others) {
      continue;
    }
    run->compilations.push_back(std::move(made));
  }
  StableSort(&run->compilations, [](const Compilation& a, const Compilation& b) {
    return a.event.begin_ns < b.event.begin_ns;
  });
}

}  // namespace

std::string CompileLogFolder(const std::string& directory, const SourceFacts& facts,
                             const std::string& node) {
  return FolderOfSource(directory, facts) + "/" + node;
}

CompileLogs::CompileLogs(const std::string& directory) {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const SourceFacts& facts = *kSourceFacts[i];
    if (facts.compile_log == nullptr) continue;
    for (const fs::path& folder :
         EntriesOf(FolderOfSource(directory, facts), fs::file_type::directory))
      ReadFolder(facts, folder.filename().string(), folder.string());
  }
  if (nobodys_ != 0)
    problems_.push_back(Text(Counted(nobodys_, "compilation"),
                             " not told: the log does not say which process it was"));
  if (left_out_ != 0)
    problems_.push_back(Text(Counted(left_out_, "compilation"),
                             " not told: a process has more than ", CountText(kMostEvents),
                             ", or all have too many"));
  if (parts_left_out_ != 0)
    problems_.push_back(Text(CountText(parts_left_out_),
                             parts_left_out_ == 1 ? " entry" : " entries",
                             " on compilations not told: larger or more than what is kept (phases, "
                             "nodes of graphs, kernels)"));
}

void CompileLogs::ReadFolder(const SourceFacts& facts, const std::string& node,
                             const std::string& folder) {
  nodes_.insert(node);
  for (const fs::path& file : EntriesOf(folder, fs::file_type::regular))
    Read(facts, node, file.string());
}

void CompileLogs::Read(const SourceFacts& facts, const std::string& node, const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    problems_.push_back(Text("what was compiled is not known of one process: ", path,
                             " cannot be opened (", std::generic_category().message(errno), ")"));
    return;
  }
  const auto of = [&](int32_t pid) -> Told& {
    std::vector<Told>& told = told_[{node, pid}];
    if (told.empty() || told.back().facts != &facts) told.push_back({&facts, {}, {}});
    return told.back();
  };
  CompileReader reader;
  reader.event = [&](const CompileEvent& event) {
    if (event.pid == 0) return void(++nobodys_);
    const size_t pieces = 1 + event.phases.size();
    const bool fits = pieces_ + pieces <= kMostPieces;
    if (!fits || of(event.pid).events.size() >= kMostEvents) return void(++left_out_);
    pieces_ += pieces;
    of(event.pid).events.push_back(event);
  };
  reader.part = [&](const CompiledPart& part) {
    if (part.pid == 0) return;
    const size_t pieces = 1 + part.operators.size() + part.lines.size();
    if (pieces_ + pieces > kMostPieces) return void(++parts_left_out_);
    pieces_ += pieces;
    of(part.pid).parts.push_back(part);
  };
  reader.left_out = [this](uint64_t count) { parts_left_out_ += count; };
  facts.compile_log->read(file, reader);
}

const std::vector<CompileLogs::Told>* CompileLogs::Find(const std::string& host,
                                                        int32_t pid) const {
  if (nodes_.contains(host)) {
    const auto own = told_.find({host, pid});
    return own == told_.end() ? nullptr : &own->second;
  }
  for (const std::string& node : nodes_) {
    const auto found = told_.find({node, pid});
    if (found != told_.end()) return &found->second;
  }
  return nullptr;
}

void CompileLogs::AddTo(RankModel* model) const {
  for (size_t i = 0; i < model->runs.size(); ++i) {
    ProgramRun& run = *model->runs[i];
    const std::vector<Told>* const all =
        Find(std::string(FieldText(run.facts.host)), run.facts.pid);
    if (all == nullptr) continue;
    // A process that became another program is there several times, one after the other.
    const auto same = [&run](const ProgramRun& other) {
      return other.facts.pid == run.facts.pid && other.outer_pid == run.outer_pid;
    };
    const bool first = i == 0 || !same(*model->runs[i - 1]);
    const bool last = i + 1 == model->runs.size() || !same(*model->runs[i + 1]);
    const Period period = {first ? 0 : run.begin_ns, last ? UINT64_MAX : run.end_ns, first};
    for (const Told& told : *all) {
      if (run.compiled == nullptr) run.compiled = std::make_unique<CompiledRun>();
      run.compiled->source = told.facts->name;
      run.compiled->words = told.facts->compile_log->words;
      AddEvents(told.events, ClockOf(&run), period, run.compiled.get());
      if (first) run.compiled->parts = told.parts;
    }
    NameKernels(model->own, run.compiled.get());
  }
}

}  // namespace syncline
