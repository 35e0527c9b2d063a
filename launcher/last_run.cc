// SPDX-License-Identifier: Apache-2.0
// The link `latest` leads there; a file system may not have links.
#include "launcher/last_run.h"

#include "inject/core/options.h"
#include "launcher/files.h"
#include "launcher/latest_link.h"
#include "launcher/say.h"
#include "launcher/text.h"

namespace syncline {
namespace {

constexpr char kParent[] = "syncline-out";

// "": none.
std::string FindLastRun() {
  const std::string given = OptionText(OptionIndex("output"));
  if (!given.empty()) return IsDirectory(given + "/run") ? given : "";
  const std::string run = LatestRun(kParent);
  return run.empty() ? "" : Text(kParent, "/", run);
}

}  // namespace

bool TakeLastRun(std::string* directory) {
  if (!directory->empty()) return true;
  *directory = FindLastRun();
  if (directory->empty()) {
    SayError(Text("no directory is named, and there is no run in ./", kParent,
                  ". Name the directory that `syncline run` printed."));
    return false;
  }
  Say(Text("the last run: ", ShellQuote(*directory)));
  return true;
}

}  // namespace syncline
