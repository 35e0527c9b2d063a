// SPDX-License-Identifier: Apache-2.0
// The last words of each thread.
#include "analysis/sums/open_at_end.h"

#include <algorithm>
#include <csignal>
#include <iterator>
#include <tuple>
#include <utility>

namespace syncline {
namespace {

constexpr char kUnnamedRange[] = "(no name)";

std::string NameIn(Stream& stream, uint32_t id) {
  const std::string_view* name = stream.Name(id);
  return name == nullptr ? kUnnamedRange : std::string(*name);
}

bool IsCrash(int signal) {
  constexpr int kCrashes[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
  return std::find(std::begin(kCrashes), std::end(kCrashes), signal) != std::end(kCrashes);
}

bool HasParentThatEndedWell(const ProgramRun& run, const RankModel& model) {
  return std::any_of(model.runs.begin(), model.runs.end(), [&run](const auto& other) {
    return other->facts.pid == run.facts.ppid && other->exit.kind == ExitKind::kExited &&
           other->exit.value == 0;
  });
}

}  // namespace

bool EndedEarly(const ProgramRun& run, const RankModel& model) {
  const size_t next = run.index + size_t{1};
  if (next < model.runs.size() && model.runs[next]->same_process) return false;  // it went on
  if (run.exit.kind == ExitKind::kSignaled)
    return IsCrash(run.exit.value) || !HasParentThatEndedWell(run, model);
  const Survey& survey = run.survey;
  if (run.exit.kind == ExitKind::kUnknown) return survey.has_end && *run.exit.source == '\0';
  uint64_t calls = 0;
  survey.sources.Each(
      [&calls](Source, const SourceSurvey& source) { calls += source.calls.count; });
  const bool recorded =
      survey.ranges + survey.marks + survey.open_ranges + survey.started + calls != 0;
  return run.exit.kind == ExitKind::kExited && run.exit.value != 0 && recorded;
}

ProcessEnding EndingOf(const ProgramRun& run) {
  ProcessEnding ending;
  ending.pid = run.outer_pid;
  ending.program = run.name;
  ending.how = run.exit.kind == ExitKind::kUnknown ? kUnknownEnding : DescribeExit(run.exit);
  ending.at_ns = run.end_ns;
  return ending;
}

OpenAtEnd::Thread& OpenAtEnd::ThreadOf(const Stream& stream) {
  Thread& thread = threads_[stream.tid()];
  thread.main = thread.main || stream.main_thread();
  return thread;
}

void OpenAtEnd::OnOpenRange(const RangeEvent& event) {
  Thread& thread = ThreadOf(event.stream);
  if (thread.ranges.empty()) thread.begin_ns = run_->timeline.Convert(event.record.begin);
  thread.ranges.push_back(NameIn(event.stream, event.record.head.id));
}

void OpenAtEnd::OnOpenCall(Stream& stream, const CallRecord& call) {
  Thread& thread = ThreadOf(stream);
  const uint64_t begin_ns = run_->timeline.Convert(call.begin);
  if (begin_ns < thread.call_ns) return;
  thread.call_ns = begin_ns;
  thread.call = NameIn(stream, call.head.id);
  thread.where = stream.stack() == nullptr ? "" : places_.WhereOf(stream.stack());
}

void OpenAtEnd::FillIn(ProcessEnding* ending) const {
  if (run_->survey.last_ticks != 0) {
    const uint64_t last_ns = run_->timeline.Convert(run_->survey.last_ticks);
    ending->silent_ns = ending->at_ns - std::min(ending->at_ns, last_ns);
  }
  const Thread* told = nullptr;
  const auto rank = [](const Thread& thread) {
    return std::tuple(thread.call_ns != 0, thread.main, thread.begin_ns);
  };
  for (const auto& [tid, thread] : threads_) {
    if (told == nullptr || rank(thread) > rank(*told)) told = &thread;
  }
  if (told == nullptr) return;
  for (auto name = told->ranges.rbegin(); name != told->ranges.rend(); ++name)
    ending->ranges += (ending->ranges.empty() ? "" : " > ") + *name;
  ending->call = told->call;
  ending->where = told->where;
  const uint64_t begin_ns = told->call_ns != 0 ? told->call_ns : told->begin_ns;
  ending->open_ns = ending->at_ns - std::min(ending->at_ns, begin_ns);
  ending->other_threads = threads_.size() - 1;
}

}  // namespace syncline
