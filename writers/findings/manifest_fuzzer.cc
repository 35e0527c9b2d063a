// SPDX-License-Identifier: Apache-2.0
// Any text as a manifest: it is refused with a message, or read and written again.
#include "model/testing/fuzz.h"
#include "model/testing/scratch.h"
#include "writers/findings/manifest.h"

#include <fstream>
#include <sstream>

namespace syncline::testing {

std::vector<std::string> FuzzSeeds() {
  Scratch scratch;
  RankManifest manifest;
  manifest.rank = 1;
  manifest.losses["ring_full"] = 5;
  manifest.processes.emplace_back().anchors.push_back({1, 2, 3, 4, 5, 6});
  manifest.processes[0].problems = {"one"};
  Require(WriteManifest(scratch / "m.json", manifest).ok(), "a manifest is written");
  std::ifstream file(scratch / "m.json");
  std::stringstream text;
  text << file.rdbuf();
  return {text.str(), "{\"schema\": \"syncline.rank/1\", \"processes\": [{}, [], 1]}"};
}

}  // namespace syncline::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using syncline::testing::Require;
  const syncline::testing::MemoryFile file(data, size);
  syncline::RankManifest manifest;
  const syncline::Status status = syncline::ReadManifest(file.path(), &manifest);
  Require(status.ok() || status.message().find(file.path()) != std::string::npos,
          "the message names the file");
  return 0;
}
