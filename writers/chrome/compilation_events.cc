// SPDX-License-Identifier: Apache-2.0
// Their times are of another clock than those of the threads' slices, which they would not nest in
// to the last microsecond: so they have a row (layout/trace_rows.cc). Slices of one row come in
// order and nest.
#include "writers/chrome/compilation_events.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/run/time_limits.h"
#include "writers/chrome/event_line.h"
#include "writers/chrome/text/json_object.h"

namespace syncline {
namespace {

constexpr size_t kMostPhases = 16;  // told as arguments; all are slices
constexpr uint64_t kToldErrorNs = 1'000'000;

// "torch.compile forward (frame 3, recompile 1)"
std::string NameOf(const CompiledRun& run, const CompileEvent& event) {
  std::string name = run.words;
  if (!event.function.empty()) name += " " + event.function;
  if (event.kind == CompileKind::kBackward) name += ", backward";
  if (event.kind == CompileKind::kFailed) name += ", failed";
  return event.label.empty() ? name : name + " (" + event.label + ")";
}

// Milliseconds by name, those that took longest.
std::string PhasesOf(const CompileEvent& event) {
  std::map<std::string, uint64_t> by_name;
  for (const CompilePhase& phase : event.phases)
    by_name[phase.name] += phase.end_ns - phase.begin_ns;
  std::vector<std::pair<uint64_t, std::string>> longest;
  for (const auto& [name, ns] : by_name) longest.emplace_back(ns, name);
  std::sort(longest.begin(), longest.end(), std::greater<>());
  if (longest.size() > kMostPhases) longest.resize(kMostPhases);
  JsonObject phases;
  for (const auto& [ns, name] : longest) {
    std::string ms;
    AppendDouble(&ms, static_cast<double>(ns) / 1e6);
    phases.Raw(name, ms);
  }
  return phases.Take();
}

class Writer {
 public:
  Writer(const ProgramRun& run, const RankModel& model, const RowIds& rows, TimeUnit unit,
         EventBuffer* out)
      : run_(*run.compiled),
        own_(model.own),
        rows_(rows),
        limits_(LimitsOf(run, model.base.ns)),
        line_(out, TimeText{unit, model.base.ns}) {}

  // What overlaps the one before it, of another thread, begins later.
  void Write(const Compilation& compilation) {
    const CompileEvent& event = compilation.event;
    const uint64_t begin = std::max(event.begin_ns, until_);
    if (event.begin_ns == 0 || !limits_.Hold(begin, compilation.end_ns)) return;
    until_ = compilation.end_ns;
    line_.Begin("compile", NameOf(run_, event), rows_.pid, rows_.Compilations(), begin,
                compilation.end_ns);
    if (!event.id.empty()) line_.Text("id", "[" + event.id + "]");
    line_.Text("what", CompileKindName(event.kind));
    line_.Text("where", CompiledWhere(event, own_));
    if (!event.why.empty()) line_.Text("why", event.why);
    if (!event.phases.empty()) {
      line_.Key("phases_ms");
      line_.text().append(PhasesOf(event));
    }
    if (compilation.error_ns >= kToldErrorNs)
      line_.Number("clock_error_us", compilation.error_ns / 1000);
    line_.Finish();
    WritePhases(event, begin, compilation.end_ns);
  }

 private:
  void WritePhases(const CompileEvent& event, uint64_t begin, uint64_t end) {
    std::vector<uint64_t> ends = {end};  // of the slices around it
    for (const CompilePhase& phase : event.phases) {
      const uint64_t from = std::max(phase.begin_ns, begin);
      while (ends.size() > 1 && ends.back() <= from) ends.pop_back();
      const uint64_t to = std::min(phase.end_ns, ends.back());
      if (to <= from) continue;
      ends.push_back(to);
      begin = from;
      line_.Begin("compile", phase.name, rows_.pid, rows_.Compilations(), from, to);
      line_.Finish();
    }
  }

  const CompiledRun& run_;
  const OwnCode& own_;
  const RowIds rows_;
  const TimeLimits limits_;
  EventLine line_;
  uint64_t until_ = 0;
};

}  // namespace

void WriteCompilations(const ProgramRun& run, const RankModel& model, const RowIds& rows,
                       TimeUnit unit, EventBuffer* out) {
  if (run.compiled == nullptr) return;
  Writer writer(run, model, rows, unit, out);
  for (const Compilation& compilation : run.compiled->compilations) writer.Write(compilation);
}

}  // namespace syncline
