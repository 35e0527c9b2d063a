// SPDX-License-Identifier: Apache-2.0
// `syncline export`: what a run recorded in the form of another tool.
#include <algorithm>

#include "base/text.h"
#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/last_run.h"
#include "launcher/start/program.h"
#include "offline/rank_paths.h"
#include "writers/files/file_sink.h"
#include "writers/memory/memory_snapshot.h"

namespace syncline {
namespace {

constexpr char kMemorySnapshot[] = "memory-snapshot";

struct ExportLine {
  std::string directory, format, output;
  int rank = 0;
  int pid = -1;
};

// Null: which one is not known, which was said. Without a name the one that took most blocks.
const MemoryHistory* ChooseProcess(const ExportLine& line,
                                   const std::vector<MemoryHistory>& processes) {
  std::string names;
  const MemoryHistory* chosen = nullptr;
  for (const MemoryHistory& one : processes) {
    names += Text(names.empty() ? "" : ", ", one.pid, " (", one.program, ")");
    if (line.pid >= 0 ? one.pid == line.pid
                      : chosen == nullptr || one.events.size() > chosen->events.size())
      chosen = &one;
  }
  if (chosen == nullptr)
    SayError(Text("rank ", line.rank, " has no process ", line.pid, ": --pid takes ", names, "."));
  if (chosen != nullptr && line.pid < 0 && processes.size() > 1)
    Say(Text("of process ", chosen->pid, "; --pid takes ", names));
  return chosen;
}

bool WriteSnapshot(const ExportLine& line) {
  const std::string from = MemoryPath(line.directory, Text("rank-", line.rank));
  if (!Exists(from)) {
    SayError(Text("no memory of rank ", line.rank, " of ", ShellQuote(line.directory),
                  " was kept: record a program of PyTorch on a GPU with `--torch-memory-history` "
                  "to have it."));
    return false;
  }
  std::vector<MemoryHistory> processes;
  const Status read = ReadMemoryHistory(from, &processes);
  if (!read.ok()) SayWarning(Text("the history is cut: ", read.message()));
  if (processes.empty()) return false;
  const MemoryHistory* const process = ChooseProcess(line, processes);
  if (process == nullptr) return false;
  FileSink file;
  Status status = file.Open(line.output);
  if (status.ok()) status = WriteMemorySnapshot(*process, &file);
  if (status.ok()) status = file.Commit();
  if (!status.ok()) {
    SayError(status.message());
    return false;
  }
  if (process->left_out != 0)
    SayWarning(Text("the last ", CountText(process->left_out), " blocks were not kept"));
  Say(Text("wrote ", ShellQuote(line.output), ": ", CountText(process->events.size()),
           " events; python -m torch.cuda._memory_viz trace_plot ", ShellQuote(line.output),
           " -o memory.html shows it"));
  return true;
}

}  // namespace

int RunExport(const Arguments& arguments) {
  ExportLine line;
  CommandLine words("export");
  words.OptionalWord("directory", &line.directory);
  words.Text("--format NAME", &line.format, "memory-snapshot: as PyTorch writes one");
  words.Number("--rank N", &line.rank, "Of which rank [0]");
  words.Number("--pid N", &line.pid, "Of which process [the one that took most blocks]");
  words.Text("-o, --output FILE", &line.output, "Where to [rank-N.memory.pickle]");
  int exit_code = 0;
  if (!ParseCommandLine(&words, arguments, &exit_code)) return exit_code;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  if (line.format != kMemorySnapshot) {
    SayError(line.format.empty() ? Text("name a format: --format ", kMemorySnapshot, ".")
                                 : Text("there is no format ", ShellQuote(line.format),
                                        ": --format takes ", kMemorySnapshot, "."));
    return kExitOurFailure;
  }
  if (!TakeLastRun(&line.directory)) return kExitOurFailure;
  RecoverWhatIsLeft(line.directory);
  if (line.output.empty()) line.output = Text("rank-", line.rank, ".memory.pickle");
  return WriteSnapshot(line) ? 0 : kExitOurFailure;
}

}  // namespace syncline
