// SPDX-License-Identifier: Apache-2.0
// The logs of frameworks' compilers that the programs of a run wrote into its folder.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/findings/run_findings.h"
#include "model/run/code_location.h"
#include "writers/findings/manifest.h"

namespace syncline {

struct SourceFacts;

// Where a source's are, of the programs that the launcher of a node started: numbers of processes
// are a node's (or a container's).
std::string CompileLogFolder(const std::string& directory, const SourceFacts& facts,
                             const std::string& node);

// Of all processes of the run.
class CompileLogs {
 public:
  static constexpr size_t kMostEvents = 1 << 16;  // of a process; what is beyond is told

  // Reads what there is; a file that cannot be read is passed over, told in `problems`.
  explicit CompileLogs(const std::string& directory);

  // Those of the rank's processes. One on a node without a launcher has its log with the launcher
  // that it inherited its environment from.
  void AddTo(const RankManifest& manifest, const OwnCode& own, RunFindings* findings) const;
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Told {
    std::string source;
    std::vector<CompileEvent> events;
  };
  using Place = std::pair<std::string, int32_t>;  // the node, and the process as it sees itself
  void ReadFolder(const SourceFacts& facts, const std::string& node, const std::string& folder);
  void Read(const SourceFacts& facts, const std::string& node, const std::string& path);
  const std::vector<Told>* Find(const std::string& host, int32_t pid) const;

  std::map<Place, std::vector<Told>> told_;
  std::set<std::string> nodes_;
  uint64_t left_out_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace syncline
