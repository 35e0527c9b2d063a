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
#include "model/devices/source_facts.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostKeys = 1000;
constexpr char kOthers[] = "(others)";

// "train.py:12 forward()"; of what is not known as much as there is.
std::string WhereOf(const CompileEvent& event, const OwnCode& own) {
  std::string where(ShownPath(own, event.file));
  if (!where.empty() && event.line != 0) where += Text(":", event.line);
  if (!where.empty() && !event.function.empty()) where += " ";
  where += event.function;
  if (!event.function.empty() && !event.function.starts_with("<")) where += "()";
  return where.empty() ? "?" : where;
}

std::string FolderOfSource(const std::string& directory, const SourceFacts& facts) {
  return directory + "/run/" + facts.name + "-compile";
}

// Sorted: what is read is the same each time.
std::vector<fs::path> EntriesOf(const std::string& folder, fs::file_type type) {
  std::error_code error;
  std::vector<fs::path> entries;
  fs::directory_iterator at(folder, error);
  for (; !error && at != fs::directory_iterator(); at.increment(error)) {
    std::error_code unknown;
    if (at->symlink_status(unknown).type() == type) entries.push_back(at->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

}  // namespace

std::string CompileLogFolder(const std::string& directory, const SourceFacts& facts,
                             const std::string& node) {
  return FolderOfSource(directory, facts) + "/" + node;
}

CompileLogs::CompileLogs(const std::string& directory) {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const SourceFacts& facts = *kSourceFacts[i];
    if (facts.compile_log == nullptr) continue;
    for (const fs::path& folder :
         EntriesOf(FolderOfSource(directory, facts), fs::file_type::directory))
      ReadFolder(facts, folder.filename().string(), folder.string());
  }
  if (left_out_ != 0)
    problems_.push_back(Text(Counted(left_out_, "compilation"),
                             " not told: a process has more than ", CountText(kMostEvents)));
}

void CompileLogs::ReadFolder(const SourceFacts& facts, const std::string& node,
                             const std::string& folder) {
  nodes_.insert(node);
  for (const fs::path& file : EntriesOf(folder, fs::file_type::regular))
    Read(facts, node, file.string());
}

void CompileLogs::Read(const SourceFacts& facts, const std::string& node, const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    problems_.push_back(Text("what was compiled is not known of one process: ", path,
                             " cannot be opened (", std::generic_category().message(errno), ")"));
    return;
  }
  facts.compile_log->read(file, [&](const CompileEvent& event) {
    std::vector<Told>& told = told_[{node, event.pid}];
    if (told.empty() || told.back().source != facts.name) told.push_back({facts.name, {}});
    if (told.back().events.size() < kMostEvents) {
      told.back().events.push_back(event);
    } else {
      ++left_out_;
    }
  });
}

const std::vector<CompileLogs::Told>* CompileLogs::Find(const std::string& host,
                                                        int32_t pid) const {
  if (nodes_.contains(host)) {
    const auto own = told_.find({host, pid});
    return own == told_.end() ? nullptr : &own->second;
  }
  for (const std::string& node : nodes_) {
    const auto found = told_.find({node, pid});
    if (found != told_.end()) return &found->second;
  }
  return nullptr;
}

void CompileLogs::AddTo(const RankManifest& manifest, const OwnCode& own,
                        RunFindings* findings) const {
  std::set<Place> places;  // a process that became another program is there twice
  for (const ManifestProcess& process : manifest.processes)
    places.insert({process.host, process.inner_pid});
  for (const auto& [host, pid] : places) {
    const std::vector<Told>* const all = Find(host, pid);
    if (all == nullptr) continue;
    for (const Told& told : *all) {
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
