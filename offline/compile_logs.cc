// SPDX-License-Identifier: Apache-2.0
// Each file is of one process, or of several one after the other: each event says its own.
#include "offline/compile_logs.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "inject/core/options.h"
#include "model/devices/source_facts.h"

namespace syncline {
namespace {

constexpr size_t kMostKeys = 1000;
constexpr char kOthers[] = "(others)";

std::string WhereOf(const CompileEvent& event, const OwnCode& own) {
  std::string where(ShownPath(own, event.file));
  if (event.line != 0) where += Text(":", event.line);
  if (!event.function.empty())
    where += event.function.starts_with("<") ? " " + event.function : " " + event.function + "()";
  return where.empty() ? "?" : where;
}

}  // namespace

std::string CompileLogFolder(const std::string& directory, const SourceFacts& facts) {
  return directory + "/run/" + facts.name + "-compile";
}

CompileLogs::CompileLogs(const std::string& directory) {
  namespace fs = std::filesystem;
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const SourceFacts& facts = *kSourceFacts[i];
    if (facts.compile_log == nullptr) continue;
    std::error_code error;
    std::vector<std::string> paths;
    fs::directory_iterator folder(CompileLogFolder(directory, facts), error);
    for (; !error && folder != fs::directory_iterator(); folder.increment(error)) {
      std::error_code unknown;
      if (fs::is_regular_file(folder->symlink_status(unknown)))
        paths.push_back(folder->path().string());
    }
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths) Read(facts, path);
  }
}

void CompileLogs::Read(const SourceFacts& facts, const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    problems_.push_back(Text("what was compiled is not known of one process: ", path,
                             " cannot be opened (", std::generic_category().message(errno), ")"));
    return;
  }
  facts.compile_log->read(file, [&](const CompileEvent& event) {
    std::vector<Told>& told = by_pid_[event.pid];
    if (told.empty() || told.back().source != facts.name) told.push_back({facts.name, {}});
    if (told.back().events.size() < kMostEvents) told.back().events.push_back(event);
  });
}

void CompileLogs::AddTo(const RankManifest& manifest, const OwnCode& own,
                        RunFindings* findings) const {
  std::set<int32_t> pids;
  for (const ManifestProcess& process : manifest.processes) pids.insert(process.inner_pid);
  for (const int32_t pid : pids) {
    const auto found = by_pid_.find(pid);
    if (found == by_pid_.end()) continue;
    for (const Told& told : found->second) {
      for (const CompileEvent& event : told.events) {
        CompileKey key{told.source, event.kind, WhereOf(event, own), event.why};
        if (findings->compilations.size() >= kMostKeys && !findings->compilations.contains(key))
          key.where = key.why = kOthers;
        findings->compilations[key].Add(event.ns);
      }
    }
  }
}

}  // namespace syncline
