// SPDX-License-Identifier: Apache-2.0
// `syncline view`: finds the trace, serves it, and opens the Perfetto UI on it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/http_server.h"
#include "launcher/show/last_run.h"
#include "launcher/show/view_moment.h"
#include "launcher/start/program.h"
#include "launcher/start/spawn.h"

namespace syncline {
namespace {

constexpr char kPrefix[] = "rank-";
constexpr char kSuffix[] = ".trace.json.gz";

// Ranks whose traces are in `directory`, in order.
std::vector<int> FindRanks(const std::string& directory) {
  std::vector<int> ranks;
  for (const std::string& name : ListDirectory(directory)) {
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    const std::string digits = name.substr(
        sizeof(kPrefix) - 1, name.size() - (sizeof(kPrefix) - 1) - (sizeof(kSuffix) - 1));
    if (digits.empty() || digits.size() > 9 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
      continue;
    ranks.push_back(std::stoi(digits));
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::string RankPath(const std::string& directory, int rank) {
  return Text(directory, "/", kPrefix, rank, kSuffix);
}

// What --at adds to the address; empty without it. False: *error.
bool WhereToOpen(const std::string& at, const std::string& target, int rank, std::string* added,
                 std::string* error) {
  if (at.empty()) return true;
  uint64_t at_ns = 0;
  if (!ParseMoment(at, &at_ns)) {
    *error = Text("--at ", ShellQuote(at),
                  " is no moment: name seconds, or a number with s, ms, us ", "or ns, as 12.5s.");
    return false;
  }
  std::string trace = target;
  if (IsDirectory(target)) {
    const std::vector<int> ranks = FindRanks(target);
    if (rank < 0 && !ranks.empty()) rank = ranks.front();
    trace = RankPath(target, rank);
  }
  RankManifest manifest;
  const Status read = ReadManifest(ManifestOfTrace(trace), &manifest);
  if (!read.ok()) {
    *error = Text("--at: where the trace begins is not known. ", read.message());
    return false;
  }
  *added = VisibleAt(manifest, at_ns);
  return true;
}

// By its first byte: compressed (gzip), JSON, or Perfetto's own format, a message of its field 1.
bool LooksLikeTrace(const TraceSource& source) {
  bool looks = false;
  source.Send([&looks](const char* bytes, size_t count) {
    looks = count != 0 && std::strchr("\x1f{[\n", bytes[0]) != nullptr && bytes[0] != '\0';
    return false;
  });
  return looks;
}

// Of a file that the user names links are followed.
std::unique_ptr<TraceSource> OpenNamedFile(const std::string& target, std::string* error) {
  char path[PATH_MAX];
  std::unique_ptr<TraceSource> source =
      OpenTraceFile(realpath(target.c_str(), path) == nullptr ? target : path, error);
  if (source != nullptr && !LooksLikeTrace(*source)) {
    *error = Text(ShellQuote(target), " is not a trace.");
    source = nullptr;
  }
  if (source == nullptr) *error += " Name the directory of a run, or a trace file.";
  return source;
}

std::unique_ptr<TraceSource> Choose(const std::string& target, int rank, bool all,
                                    std::string* error) {
  if (!IsDirectory(target)) return OpenNamedFile(target, error);
  const std::vector<int> ranks = FindRanks(target);
  if (ranks.empty()) {
    *error = Text(ShellQuote(target), " holds no traces. If the run was killed, `syncline recover ",
                  ShellQuote(target), "` writes them.");
    return nullptr;
  }
  if (all) {
    std::vector<std::string> paths;
    paths.reserve(ranks.size());
    for (const int one : ranks) paths.push_back(RankPath(target, one));
    return OpenTraceArchive("all-ranks.tar", paths, error);
  }
  if (rank < 0) rank = ranks.front();
  if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) {
    *error = Text("there is no trace of rank ", rank, " in ", ShellQuote(target), ": it has ranks ",
                  ranks.front(), " to ", ranks.back(), ".");
    return nullptr;
  }
  return OpenTraceFile(RankPath(target, rank), error);
}

// The desktop's browser, if there is a desktop; its words are not ours to show.
void OpenBrowser(const std::string& address) {
  if (Environment("DISPLAY") == nullptr && Environment("WAYLAND_DISPLAY") == nullptr) return;
  const FoundProgram opener = FindProgram("xdg-open", Environment("PATH"));
  if (opener.path.empty()) return;
  if (fork() != 0) return;
  if (std::freopen("/dev/null", "w", stdout) == nullptr ||
      std::freopen("/dev/null", "w", stderr) == nullptr)
    _exit(1);
  execl(opener.path.c_str(), "xdg-open", address.c_str(), nullptr);
  _exit(127);
}

}  // namespace

int RunView(const Arguments& arguments) {
  CommandLine words("view");
  std::string target;
  int rank = -1;
  std::string at;
  bool all = false;
  bool keep = false;
  bool no_open = false;
  words.OptionalWord("target", &target);
  words.Number("--rank N", &rank, "Which rank of DIR [the first]");
  words.Text("--at MOMENT", &at,
             "Open there: 12.5, 12.5s, 340ms, 80us, 900ns after the rank's begin");
  words.Flag("--all", &all, "All ranks of DIR, one after the other in one archive");
  words.Flag("--keep", &keep, "Serve until Ctrl-C, not only once");
  words.Flag("--no-open", &no_open, "Only print the address");
  int exit_code = 0;
  if (!ParseCommandLine(&words, arguments, &exit_code)) return exit_code;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  if (!TakeLastRun(&target)) return kExitOurFailure;
  while (target.size() > 1 && target.ends_with("/")) target.pop_back();

  RecoverWhatIsLeft(target);
  std::string error;
  const std::unique_ptr<TraceSource> trace = Choose(target, rank, all, &error);
  HttpServer server;
  std::string visible;
  if (trace == nullptr || !WhereToOpen(at, target, rank, &visible, &error) ||
      !server.Listen(kPerfettoPort, &error)) {
    SayError(error);
    return kExitOurFailure;
  }
  const std::string address = Text(kPerfettoOrigin, "/#!/?url=http://127.0.0.1:", server.port(),
                                   "/", server.PathOf(*trace), visible);
  Say(Text("open ", address));
  Say(keep ? "serving until Ctrl-C" : "serving it once; Ctrl-C ends it earlier");
  if (!no_open) OpenBrowser(address);
  if (server.Serve(*trace, keep, &error)) return 0;
  SayError(error);
  return kExitOurFailure;
}

}  // namespace syncline
