// SPDX-License-Identifier: Apache-2.0
// The logs of frameworks' compilers that the programs of a run wrote into its folder.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/devices/compile_log.h"
#include "model/run/rank_model.h"

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
  // Compilations, phases, parts, their operators and lines, of all processes; too.
  static constexpr size_t kMostPieces = 1 << 20;

  // Reads what there is; a file that cannot be read is passed over, told in `problems`.
  explicit CompileLogs(const std::string& directory);

  // To each run what its process logged while the run lasted. A process on a node without a
  // launcher has its log with the launcher that it inherited its environment from.
  void AddTo(RankModel* model) const;
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Told {
    const SourceFacts* facts;
    std::vector<CompileEvent> events;
    std::vector<CompiledPart> parts;
  };
  using Place = std::pair<std::string, int32_t>;  // the node, and the process as it sees itself
  void ReadFolder(const SourceFacts& facts, const std::string& node, const std::string& folder);
  void Read(const SourceFacts& facts, const std::string& node, const std::string& path);
  const std::vector<Told>* Find(const std::string& host, int32_t pid) const;

  std::map<Place, std::vector<Told>> told_;
  std::set<std::string> nodes_;
  size_t pieces_ = 0;
  uint64_t nobodys_ = 0;
  uint64_t left_out_ = 0;
  uint64_t parts_left_out_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace syncline
