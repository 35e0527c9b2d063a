// SPDX-License-Identifier: Apache-2.0
// The logs of frameworks' compilers that the programs of a run wrote into its folder.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/findings/run_findings.h"
#include "model/run/code_location.h"
#include "writers/findings/manifest.h"

namespace syncline {

struct SourceFacts;

// Where a source's are.
std::string CompileLogFolder(const std::string& directory, const SourceFacts& facts);

// Of all processes of the run.
class CompileLogs {
 public:
  static constexpr size_t kMostEvents = 1 << 16;  // of a process, and beyond as many are not kept

  // Reads what there is; a file that cannot be read is passed over, told in `problems`.
  explicit CompileLogs(const std::string& directory);

  // Those of the rank's processes.
  void AddTo(const RankManifest& manifest, const OwnCode& own, RunFindings* findings) const;
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Told {
    std::string source;
    std::vector<CompileEvent> events;
  };
  void Read(const SourceFacts& facts, const std::string& path);

  std::map<int32_t, std::vector<Told>> by_pid_;
  std::vector<std::string> problems_;
};

}  // namespace syncline
