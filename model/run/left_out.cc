// SPDX-License-Identifier: Apache-2.0
// Each limit has its sentence.
#include "model/run/left_out.h"

#include "base/text.h"
#include "model/run/step_finder.h"

namespace syncline {
namespace {

void AddOfTrace(const EventCounts& counts, std::vector<std::string>* texts) {
  if (counts.stacks_left_out != 0)
    texts->push_back(Text(Counted(counts.stacks_left_out, "call"),
                          " without line: there was no memory for more stacks (lower "
                          "--stack-depth, or raise --memory-node)"));
  if (counts.stacks_as_text != 0)
    texts->push_back(Text(Counted(counts.stacks_as_text, "stack"),
                          " as text only: the trace's table of frames is full (lower "
                          "--stack-depth)"));
  if (counts.steps_left_out != 0)
    texts->push_back(Text("--step-range fits so many ranges that ",
                          CountText(counts.steps_left_out), " are not shown as steps: the first ",
                          CountText(StepFinder::kMostSteps), " are"));
  if (counts.gpu_ranges_left_out != 0)
    texts->push_back(Text(Counted(counts.gpu_ranges_left_out, "range"),
                          " of threads not shown on the GPUs' rows: there are too many (record "
                          "less with --stages or --steps)"));
}

void AddOfSource(const SourceRun& source, std::vector<std::string>* texts) {
  const DeviceSurvey& survey = source.devices;
  if (survey.notes_left_out != 0)
    texts->push_back(Text(Counted(survey.notes_left_out, "allocation"),
                          " and events of GPUs not looked at, so that peaks of memory may be "
                          "higher: there are too many (record less with --stages or --steps)"));
  if (survey.coverage_left_out != 0)
    texts->push_back(Text("from the ", Counted(survey.coverage.size(), "change"),
                          " on of how much is recorded of GPUs, ",
                          CountText(survey.coverage_left_out), " more are not told apart"));
}

}  // namespace

std::vector<std::string> LeftOutTexts(const ProgramRun& run) {
  std::vector<std::string> texts;
  AddOfTrace(run.counts, &texts);
  run.sources.Each([&texts](Source, const SourceRun& source) { AddOfSource(source, &texts); });
  if (run.captured.left_out() != 0)
    texts.push_back(Text(Counted(run.captured.left_out(), "node"),
                         " of graphs not told where they were captured: there are too many"));
  if (run.survey.names_left_out != 0)
    texts.push_back(Text(Counted(run.survey.names_left_out, "name"),
                         " of threads, categories or resources not kept: there are too many"));
  if (run.modules != nullptr && run.modules->left_out() != 0)
    texts.push_back(Text(Counted(run.modules->left_out(), "call"),
                         " of modules, backward operators and launches are of no module: there "
                         "was no memory for more (record less with --stages or --steps, or raise "
                         "--memory-node)"));
  if (run.gate != nullptr && run.gate->is_cut())
    texts.emplace_back(
        "what was recorded after four million changes of what is to be recorded is not shown "
        "(choose longer --stages or --steps)");
  return texts;
}

}  // namespace syncline
