// SPDX-License-Identifier: Apache-2.0
// `syncline export DIR --format memory-snapshot`: what a rank's allocator did, as a file that
// PyTorch's own tools open.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/stable_sort.h"
#include "base/text.h"
#include "launcher/commands/command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/start/program.h"
#include "offline/rank_paths.h"
#include "writers/files/file_sink.h"
#include "writers/files/gunzip.h"

namespace syncline {
namespace {

constexpr char kSnapshot[] = "memory-snapshot";

struct ExportLine {
  std::string directory;
  std::string format;
  std::string output;
  int rank = -1;
};

// The rank's name, of all that have such a file: the one that is asked for, or the first.
std::string RankOf(const ExportLine& line, const std::vector<std::string>& ranks) {
  if (line.rank < 0) return ranks.empty() ? "" : ranks.front();
  const std::string wanted = Text("rank-", line.rank);
  for (const std::string& rank : ranks) {
    if (rank == wanted) return rank;
  }
  return "";
}

// "rank-0", "rank-1", "rank-10": of those that have what is exported.
std::vector<std::string> RanksWithMemory(const std::string& directory) {
  constexpr std::string_view kAfter = ".memory";
  std::vector<std::string> ranks;
  for (const std::string& name : ListDirectory(directory + "/run")) {
    if (name.ends_with(kAfter)) ranks.push_back(name.substr(0, name.size() - kAfter.size()));
  }
  StableSort(&ranks, [](const std::string& a, const std::string& b) {
    return std::pair(a.size(), a) < std::pair(b.size(), b);
  });
  return ranks;
}

Status Unpack(const std::string& from, const std::string& to) {
  constexpr size_t kPiece = 1 << 16;
  GunzipFile file;
  FileSink out;
  Status status = file.Open(from);
  if (status.ok()) status = out.Open(to);
  std::vector<char> piece(kPiece);
  for (size_t got = 1; status.ok() && got != 0;) {
    status = file.Read(piece.data(), piece.size(), &got);
    if (status.ok()) status = out.Write({piece.data(), got});
  }
  return status.ok() ? out.Commit() : status;
}

int Fail(const std::string& why) {
  SayError(why);
  return kExitOurFailure;
}

}  // namespace

int RunExport(const Arguments& arguments) {
  ExportLine line;
  CommandLine command("export");
  command.Text("--format NAME", &line.format,
               "memory-snapshot: the pickle of torch.cuda.memory._snapshot(), for "
               "https://pytorch.org/memory_viz and torch/cuda/_memory_viz.py");
  command.Number("--rank N", &line.rank, "of this rank [the first one that has memory recorded]");
  command.Text("-o, --output FILE", &line.output, "write it there [DIR/rank-N.snapshot.pickle]");
  command.Word("DIR", &line.directory);
  int exit_code;
  if (!ParseCommandLine(&command, arguments, &exit_code)) return exit_code;
  if (line.format != kSnapshot)
    return Fail(
        Text("there is no format ", ShellQuote(line.format), ": --format takes ", kSnapshot, "."));
  RecoverWhatIsLeft(line.directory);
  const std::vector<std::string> ranks = RanksWithMemory(line.directory);
  const std::string rank = RankOf(line, ranks);
  if (rank.empty() && !ranks.empty())
    return Fail(Text("rank ", line.rank, " has no memory recorded in ", ShellQuote(line.directory),
                     ": --rank takes those of ", JoinNames(ranks), "."));
  if (rank.empty())
    return Fail(Text("there is no memory of an allocator in ", ShellQuote(line.directory),
                     ": record a program that takes memory of a GPU by PyTorch's allocator, "
                     "without --no-torch-memory."));
  if (const std::string problem = OutputProblem(line.output); !problem.empty())
    return Fail(problem);
  if (line.output.empty()) line.output = Text(line.directory, "/", rank, ".snapshot.pickle");
  const Status status = Unpack(MemoryPath(line.directory, rank), line.output);
  if (!status.ok()) return Fail(Text(status.message(), "."));
  Say(Text("wrote ", line.output,
           ": open it at https://pytorch.org/memory_viz, or by `python -m "
           "torch.cuda._memory_viz trace_plot ",
           ShellQuote(line.output), " -o memory.html`"));
  return 0;
}

}  // namespace syncline
