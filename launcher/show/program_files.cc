// SPDX-License-Identifier: Apache-2.0
// Names only; no file is opened but the manifests.
#include "launcher/show/program_files.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "launcher/host/files.h"
#include "launcher/show/source_places.h"
#include "launcher/start/python_environments.h"
#include "writers/findings/manifest.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 200000;  // of all directories: half a second
constexpr size_t kMostRanks = 8;       // whose manifests are read: ranks run one program
constexpr int kDeepest = 12;

std::vector<ManifestProcess> ProcessesOf(const Report& report) {
  std::vector<ManifestProcess> processes;
  for (size_t i = 0; i < std::min(report.ranks.size(), kMostRanks); ++i) {
    RankManifest manifest;
    const std::string path = Text(report.directory, "/run/", report.ranks[i].name, ".json");
    if (!ReadManifest(path, &manifest).ok()) continue;
    processes.insert(processes.end(), manifest.processes.begin(), manifest.processes.end());
  }
  return processes;
}

void AddWords(std::string_view line, std::set<std::string>* words) {
  while (!line.empty()) {
    const size_t end = std::min(line.find(' '), line.size());
    if (line.substr(0, end).find_first_of("./") != std::string_view::npos)
      words->emplace(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

class Walk {
 public:
  explicit Walk(ProgramFiles* files) : files_(files) {}

  void Below(const std::string& directory, std::vector<std::string>* found) {
    std::error_code error;
    const std::string top = fs::weakly_canonical(directory, error).string();
    if (error || top == "/" || !known_.insert(top).second) return;
    constexpr auto kHow = fs::directory_options::skip_permission_denied |
                          fs::directory_options::follow_directory_symlink;
    fs::recursive_directory_iterator at(top, kHow, error);
    for (; !error && files_->are_all && at != fs::recursive_directory_iterator();
         at.increment(error)) {
      std::error_code unknown;
      if (at->is_directory(unknown)) {
        if (IsLeftOut(*at, at.depth())) at.disable_recursion_pending();
      } else if (count_++ < kMostFiles) {
        found->push_back(at->path().string().substr(top.size() + 1));
      } else {
        files_->are_all = false;
      }
    }
  }

 private:
  // Hidden directories hold what versions were. Links may lead around in a circle.
  bool IsLeftOut(const fs::directory_entry& directory, int depth) {
    const std::string name = directory.path().filename().string();
    if (depth >= kDeepest || name.starts_with('.') || name == "__pycache__") return true;
    std::error_code unknown;
    return directory.is_symlink(unknown) &&
           !known_.insert(fs::weakly_canonical(directory.path(), unknown).string()).second;
  }

  ProgramFiles* const files_;
  std::set<std::string> known_;
  size_t count_ = 0;
};

}  // namespace

ProgramFiles FilesOfProgram(const std::string& directory, const Report& report) {
  ProgramFiles files;
  std::vector<std::string> lines;
  std::set<std::string> words, prefixes;
  for (const ManifestProcess& process : ProcessesOf(report)) {
    lines.push_back(process.command_line);
    AddWords(process.command_line, &words);
    // A virtual environment's python is a link to another one.
    const std::string first = process.command_line.substr(0, process.command_line.find(' '));
    for (const std::string& program : {process.executable, first}) {
      const std::vector<std::string> of_program = PythonEnvironments(program);
      prefixes.insert(of_program.begin(), of_program.end());
    }
  }
  files.of_commands.assign(words.begin(), words.end());
  Walk walk(&files);
  const std::string run = AbsolutePath(directory);
  walk.Below(run.substr(0, run.rfind('/')), &files.here);
  for (const std::string& one : SourceDirectories(run, lines)) {
    const bool is_of_programs = one.ends_with("/bin");
    walk.Below(one, is_of_programs ? &files.of_packages : &files.here);
  }
  for (const std::string& prefix : prefixes) {
    for (const std::string& packages : SitePackages(prefix))
      walk.Below(packages, &files.of_packages);
  }
  return files;
}

}  // namespace syncline
