// SPDX-License-Identifier: Apache-2.0
// What was left alone is not seen: of --skip only a name that was recorded in its place tells.
#include "launcher/show/unmatched_options.h"

#include <algorithm>
#include <set>

#include "inject/core/glob.h"
#include "inject/core/options.h"
#include "inject/core/rank.h"
#include "inject/core/text.h"
#include "launcher/host/shell_text.h"
#include "model/spool/code_origin.h"

namespace syncline {
namespace {

using Names = std::set<std::string>;

std::vector<std::string> WordsOf(const std::string& list) {
  std::vector<std::string> words;
  const char* rest = list.c_str();
  for (std::string_view word = NextWord(&rest); !word.empty(); word = NextWord(&rest))
    words.emplace_back(word);
  return words;
}

bool FitsSome(const std::string& pattern, const Names& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return MatchesGlob(pattern, name); });
}

// "did you mean a.py?", else which ones there are.
std::string Instead(std::string pattern, const Names& names) {
  std::erase_if(pattern, [](char c) { return c == '*' || c == '?'; });
  const std::string nearest = NearestName(pattern, {names.begin(), names.end()});
  if (!nearest.empty()) return Text("did you mean ", ShellQuote(nearest), "?");
  return Text("there are ", SomeNames({names.begin(), names.end()}));
}

// Of the patterns of `option` those that fit none of `names`.
std::string Unfit(const char* option, const char* what, const std::string& list,
                  const Names& names) {
  if (names.empty()) return "";
  std::string text;
  for (const std::string& pattern : WordsOf(list)) {
    if (FitsSome(pattern, names)) continue;
    text += Text(text.empty() ? "" : "; ", "no ", what, " fits ", option, " ", ShellQuote(pattern),
                 ": ", Instead(pattern, names));
  }
  return text;
}

// Empty: there are none, or too many to tell each apart.
Names KernelsOf(const RunFindings& findings) {
  Names names;
  for (const auto& [key, sums] : findings.kernels) {
    if (key.name == kOtherNames || key.name.find('#') != std::string::npos) return {};
    names.insert(key.name);
  }
  return names;
}

// Files of the lines at which the program waited: "a.py:3 f()".
Names FilesOf(const RunFindings& findings) {
  Names files;
  for (const auto& [key, sums] : findings.waits) {
    if (key.where == kOtherLines) return {};
    const size_t colon = key.where.find(':');
    if (colon != std::string::npos && colon < key.where.find(' '))
      files.insert(key.where.substr(0, colon));
  }
  return files;
}

// Of the processes that were recorded: their names, and those of their programs.
Names ProgramsOf(const std::vector<RankManifest>& traces) {
  Names names;
  for (const RankManifest& trace : traces) {
    for (const ManifestProcess& process : trace.processes) {
      const std::string command = process.command_line.substr(0, process.command_line.find(' '));
      for (const std::string& name : {process.name, std::string(FileNameOf(process.executable)),
                                      std::string(FileNameOf(command))})
        if (!name.empty()) names.insert(name);
    }
  }
  return names;
}

std::string SkippedNobody(const std::string& list, const Names& programs) {
  std::string text;
  for (const std::string& word : WordsOf(list)) {
    const bool there = FitsSome(word, programs);
    const std::string nearest = there ? "" : NearestName(word, {programs.begin(), programs.end()});
    if (!there && nearest.empty()) continue;
    text += Text(text.empty() ? "" : "; ", "--skip ", ShellQuote(word),
                 there ? " left a process of that name in: it goes by the name of the program, "
                         "which is not the script's nor what a link leads to"
                       : Text(": did you mean ", ShellQuote(nearest), "? That was recorded"));
  }
  return text;
}

bool HasRanks(const std::vector<RankManifest>& traces) {
  return std::any_of(traces.begin(), traces.end(), [](const RankManifest& trace) {
    return trace.launcher != LauncherName(0);  // the one trace of others is rank 0's, too
  });
}

}  // namespace

NameOptions GivenNameOptions() {
  return {OptionText(OptionIndex("kernels")), OptionText(OptionIndex("own")),
          OptionText(OptionIndex("skip")), OptionText(OptionIndex("ranks"))};
}

std::string UnmatchedText(const NameOptions& options, const RunFindings& findings,
                          const std::vector<RankManifest>& traces, bool ranks_left_out) {
  std::string text;
  const auto add = [&text](const std::string& sentence) {
    if (!sentence.empty()) text += Text(text.empty() ? "" : "; ", sentence);
  };
  add(Unfit("--kernels", "kernel", options.kernels, KernelsOf(findings)));
  // A line elsewhere is told where none of one's own is known.
  const Names files = FilesOf(findings);
  const std::vector<std::string> own = WordsOf(options.own);
  const bool any = std::any_of(
      own.begin(), own.end(), [&](const std::string& pattern) { return FitsSome(pattern, files); });
  if (!any) add(Unfit("--own", "line", options.own, files));
  add(SkippedNobody(options.skip, ProgramsOf(traces)));
  if (!options.ranks.empty() && !ranks_left_out && !traces.empty() && !HasRanks(traces))
    add(Text("--ranks ", ShellQuote(options.ranks),
             " chose nothing: no process of the run has a rank"));
  return text;
}

}  // namespace syncline
