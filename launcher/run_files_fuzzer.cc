// SPDX-License-Identifier: Apache-2.0
// Any text as run/job.json, and as the note of a folder on a local disk: it is refused, or read; no
// folder is believed to be the run's own that does not carry the note's mark.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "launcher/jobs/job.h"
#include "launcher/jobs/local_folder.h"
#include "model/testing/fuzz.h"
#include "model/testing/scratch.h"

namespace syncline::testing {
namespace {

// A folder with a mark, and a note of it.
struct Places {
  Scratch scratch;
  std::string folder = scratch / "folder";
  std::string note = scratch / "local-folder-1";
  Places() {
    std::filesystem::create_directory(folder);
    MarkLocalFolder(folder, scratch.path());
    NoteLocalFolder(folder, note);
  }
};

Places& Made() {
  static Places places;
  return places;
}

std::string Content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  return {Content(Made().note), "/tmp\n\n", "/tmp\n",
          R"({"schema": "syncline.job/1", "key": "own+n+1+2", "base_time_ns": 1780000000000000000,
"base_time_from": "job", "anchor": {"ticks": 1, "error_ticks": 2, "monotonic_ns": 3}, "node": "n1",
"allocation": "SLURM_JOB_ID+7", "name": "train", "created": "20251121T131415Z"})",
          R"({"schema": "syncline.job/1", "anchor": [], "base_time_ns": -1})"};
}

}  // namespace syncline::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace syncline;
  using syncline::testing::Require;
  const std::string text(reinterpret_cast<const char*>(data), size);
  Job job;
  if (ParseJob(text, &job)) Require(text.find("syncline.job/1") != std::string::npos, "its schema");

  static const std::string good = testing::Content(testing::Made().note);
  const std::string& note = testing::Made().note;
  std::ofstream(note, std::ios::binary | std::ios::trunc) << text;
  const LocalFolder found = ReadNote(note);
  if (found.state != LocalFolder::State::kNoNote)
    Require(found.path.starts_with("/"), "a path that depends on nothing");
  // Two texts may name one folder: "/a/b", "/a//b".
  const std::string mark = good.substr(good.find('\n'));
  if (found.state == LocalFolder::State::kOurs)
    Require(text.ends_with(mark), "the folder's own mark");
  return 0;
}
