// SPDX-License-Identifier: Apache-2.0
// `syncline view`: finds the trace, serves it, and opens the Perfetto UI on it.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/http_server.h"
#include "launcher/show/last_run.h"
#include "launcher/show/part_source.h"
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

// What of the trace is shown.
struct Wish {
  std::string target;
  int rank = -1;
  bool all = false;
  std::string at, last, around;
};

// Of a directory the rank's, or the first one's.
std::string TraceOf(const Wish& wish) {
  if (!IsDirectory(wish.target)) return wish.target;
  const std::vector<int> ranks = FindRanks(wish.target);
  return RankPath(wish.target, wish.rank < 0 && !ranks.empty() ? ranks.front() : wish.rank);
}

// What --at adds to the address; empty without it. False: *error.
bool WhereToOpen(const Wish& wish, std::string* added, std::string* error) {
  if (wish.at.empty()) return true;
  uint64_t at_ns = 0;
  if (!ParseMoment(wish.at, &at_ns)) {
    *error = Text("--at ", ShellQuote(wish.at),
                  " is no moment: name seconds, or a number with s, ms, us ", "or ns, as 12.5s.");
    return false;
  }
  RankManifest manifest;
  const Status read = ReadManifest(ManifestOfTrace(TraceOf(wish)), &manifest);
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

// A word where the whole is more than the viewer opens.
void WarnOfSize(const RankManifest& manifest) {
  if (manifest.text_bytes <= kMostViewedText) return;
  SayWarning(Text("the trace is ", SizeText(manifest.text_bytes), " of text, and the Perfetto UI ",
                  "opens about ", SizeText(kMostViewedText),
                  ". Name a part: --last 10s, or --at MOMENT --around 10s."));
}

// A word where the file is shorter than it was when it was written: no viewer opens it, or it shows
// less and does not say so.
void WarnIfCutOff(const std::string& path) {
  RankManifest manifest;
  std::error_code error;
  const uint64_t bytes = std::filesystem::file_size(path, error);
  if (error || !ReadManifest(ManifestOfTrace(path), &manifest).ok() ||
      bytes >= manifest.trace_bytes)
    return;
  SayWarning(Text(ShellQuote(path), " is cut off: it has ", SizeText(bytes), " of ",
                  SizeText(manifest.trace_bytes),
                  ", and a viewer may not open it. Copy it again."));
}

// Of one rank the part that is wished for.
std::unique_ptr<TraceSource> ChooseOrCut(const Wish& wish, std::string* error) {
  const bool wants_part = !wish.last.empty() || !wish.around.empty();
  if (wants_part && wish.all) {
    *error = "--last and --around are of one rank: leave out --all, or name --rank.";
    return nullptr;
  }
  std::unique_ptr<TraceSource> whole = Choose(wish.target, wish.rank, wish.all, error);
  if (whole != nullptr && wish.all) {
    for (const int rank : FindRanks(wish.target)) WarnIfCutOff(RankPath(wish.target, rank));
  }
  if (whole == nullptr || wish.all) return whole;
  const std::string path = TraceOf(wish);
  WarnIfCutOff(path);
  RankManifest manifest;
  const Status read = ReadManifest(ManifestOfTrace(path), &manifest);
  if (!wants_part) {
    if (read.ok()) WarnOfSize(manifest);
    return whole;
  }
  if (!read.ok()) {
    *error = Text("when the trace begins and ends is not known. ", read.message());
    return nullptr;
  }
  PartOfRank part;
  if (!ChoosePart(wish.last, wish.around, wish.at, manifest, &part, error))
    return error->empty() ? std::move(whole) : nullptr;
  return OpenTracePart(path, manifest, part, error);
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
  Wish wish;
  bool keep = false;
  bool no_open = false;
  words.OptionalWord("target", &wish.target);
  words.Number("--rank N", &wish.rank, "Which rank of DIR [the first]");
  words.Text("--at MOMENT", &wish.at,
             "Open there: 12.5, 12.5s, 340ms, 80us, 900ns after the rank's begin");
  words.Text("--last TIME", &wish.last, "Only the last 10, 10s, 500ms of the rank");
  words.Text("--around TIME", &wish.around, "Only so much, with --at in the middle");
  words.Flag("--all", &wish.all, "All ranks of DIR, one after the other in one archive");
  words.Flag("--keep", &keep, "Serve until Ctrl-C, not only once");
  words.Flag("--no-open", &no_open, "Only print the address");
  int exit_code = 0;
  if (!ParseCommandLine(&words, arguments, &exit_code)) return exit_code;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  if (!TakeLastRun(&wish.target)) return kExitOurFailure;
  while (wish.target.size() > 1 && wish.target.ends_with("/")) wish.target.pop_back();

  RecoverWhatIsLeft(wish.target);
  std::string error;
  const std::unique_ptr<TraceSource> trace = ChooseOrCut(wish, &error);
  HttpServer server;
  std::string visible;
  if (trace == nullptr || !WhereToOpen(wish, &visible, &error) ||
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
