// SPDX-License-Identifier: Apache-2.0
// The link `latest` leads there; a file system may not have links.
#include "launcher/show/last_run.h"

#include "inject/core/options.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/job.h"
#include "launcher/jobs/latest_link.h"
#include "launcher/show/closing_lines.h"

namespace syncline {
namespace {

// `name` or NAME.2 and so on, as launchers that met another's run there made them.
bool IsBeside(const std::string& found, const std::string& name) {
  return found == name ||
         (found.starts_with(name + ".") && found.size() > name.size() + 1 &&
          found.find_first_not_of("0123456789", name.size() + 1) == std::string::npos);
}

// Of those that went into `given`, or beside it.
std::string LastIn(const std::string& given) {
  const std::string path = AbsolutePath(given);
  const std::string parent = path.substr(0, path.rfind('/'));
  std::vector<std::string> runs;
  for (const std::string& name : ListDirectory(parent.empty() ? "/" : parent)) {
    if (!IsBeside(name, path.substr(path.rfind('/') + 1))) continue;
    runs.push_back(Text(parent, "/", name));
    for (const std::string& job : ListDirectory(runs.back())) {
      if (job.starts_with("job-")) runs.push_back(Text(parent, "/", name, "/", job));
    }
  }
  return NewestOf(runs);
}

// "": none.
std::string FindLastRun(const std::string& given) {
  if (!given.empty()) return LastIn(given);
  const std::string run = LatestRun(kDefaultParent);
  return run.empty() ? "" : Text(kDefaultParent, "/", run);
}

}  // namespace

bool TakeLastRun(std::string* directory) {
  if (!directory->empty()) return true;
  const std::string given = OptionText(OptionIndex("output"));
  *directory = FindLastRun(given);
  if (directory->empty()) {
    SayError(Text("no directory is named, and there is no run in ",
                  given.empty() ? Text("./", kDefaultParent) : ShellQuote(given),
                  ". Name the directory that `syncline run` printed."));
    return false;
  }
  Say(Text("the last run: ", ShellQuote(ShortPath(*directory))));
  return true;
}

}  // namespace syncline
