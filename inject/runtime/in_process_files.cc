// SPDX-License-Identifier: Apache-2.0
// Names and folder of the files of a process that drains itself.
#include "inject/runtime/in_process_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "inject/core/options.h"
#include "inject/core/spool_format.h"
#include "inject/core/sys.h"
#include "inject/runtime/not_recorded.h"

namespace syncline {
namespace {

constexpr uint64_t kMostSpools = 100;  // of one process: one per exec

// 0, or why not.
int MakeFolders(const char* path) {
  TextBuffer partial;
  for (const char* at = path; *at != '\0';) {
    const char* end = strchrnul(at + 1, '/');
    partial.Add(at, static_cast<size_t>(end - at));
    const long result = SysCall(SYS_mkdirat, AT_FDCWD, AsLong(partial.text()), 0700);
    if (result != 0 && result != -EEXIST && *end == '\0') return static_cast<int>(-result);
    at = end;
  }
  return 0;
}

void AddAbsolute(TextBuffer* out, const char* path) {
  if (*path != '/') {
    char here[512];
    if (SysCall(SYS_getcwd, AsLong(here), sizeof(here)) > 0) out->Add(here).Add("/");
  }
  out->Add(path);
}

void FindFolder(const ProcessFacts& facts, bool launcher_near, InProcessFiles* files) {
  const char* spool = VariableText(Variable::kSpool);
  const char* output = OptionText(OptionIndex("output"));
  if (*spool != '\0') {
    AddAbsolute(&files->folder, spool);
    // Its launcher is on another node, or died: nobody else recovers what this node has.
    if (!launcher_near && *output != '\0') AddAbsolute(&files->output, output);
  } else {
    if (*output != '\0') {
      AddAbsolute(&files->output, output);
    } else {
      AddAbsolute(&files->output, "syncline-out/");
      files->output.Add(facts.comm).Add("-").AddNumber(static_cast<uint64_t>(facts.pid));
    }
    files->folder.Add(files->output.text()).Add("/run/spool");
  }
  if (facts.host[0] != '\0') files->folder.Add("/").Add(facts.host);
}

bool IsFree(const TextBuffer& path, int* error) {
  char target[8];
  const long result =
      SysCall(SYS_readlinkat, AT_FDCWD, AsLong(path.text()), AsLong(target), sizeof(target));
  *error = result < 0 && result != -ENOENT && result != -EINVAL ? static_cast<int>(-result) : 0;
  return result == -ENOENT;
}

const char* RemedyFor(int error) {
  switch (error) {
    case EMFILE:
      return "ulimit -n is too small";
    case ENFILE:
      return "the system has too many open files";
    case EAGAIN:
    case ENOMEM:
      return "ulimit -u or -v is too small";
    case EFBIG:
      return "ulimit -f is too small";
    case ENOSPC:
    case EDQUOT:
      return "the file system is full: free space, or choose another --output";
    case EACCES:
    case EPERM:
    case EROFS:
      return "this user may not write there: choose another --output";
    default:
      return "choose another --output";
  }
}

}  // namespace

bool FindInProcessFiles(const ProcessFacts& facts, bool launcher_near, InProcessFiles* files) {
  FindFolder(facts, launcher_near, files);
  files->error = MakeFolders(files->folder.text());
  if (files->error != 0) return false;
  for (uint64_t number = 0; number < kMostSpools; ++number) {
    TextBuffer stem = files->folder;
    stem.Add("/").AddNumber(static_cast<uint64_t>(facts.pid));
    stem.Add("-").AddNumber(facts.start_time).Add("-").AddNumber(number);
    files->spool = stem;
    files->spool.Add(kSpoolSuffix);
    files->link = stem;
    files->link.Add(kSegmentLinkSuffix);
    if (files->link.cut()) return false;
    if (IsFree(files->spool, &files->error) && IsFree(files->link, &files->error)) return true;
    if (files->error != 0) return false;
  }
  return false;
}

void TellNoFiles(int error, const char* folder) {
  TextBuffer text;
  text.Add("cannot write records (").Add(RemedyFor(error)).Add(")");
  TellNotRecorded(text.text(), folder);
}

}  // namespace syncline
