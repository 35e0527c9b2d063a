// SPDX-License-Identifier: Apache-2.0
// Reads the facts of the calling process.
#include "inject/core/process_facts.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstring>

#include "inject/core/foreign_memory.h"
#include "inject/core/loss_table.h"
#include "inject/core/options.h"
#include "inject/core/rank.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"

namespace syncline {

namespace {

// Without the terminator of the last argument. Zeros before it are empty arguments, or what a
// program left that wrote another text over them: then there are more than it was started with, a
// number that the kernel puts where the stack begins.
long LengthOfArguments(const char* text, long bytes, const char* stat_line) {
  if (bytes > 0 && text[bytes - 1] == '\0') --bytes;
  if (bytes <= 0 || text[bytes - 1] != '\0') return bytes;
  constexpr int kStartOfStack = 28;
  uint64_t most = 0, count = 1;
  if (!ReadForeign(StatField(stat_line, kStartOfStack), &most, sizeof(most))) most = 0;
  for (long i = 0; i < bytes; ++i) count += text[i] == '\0' ? 1 : 0;
  while (count > most && bytes > 0 && text[bytes - 1] == '\0') --bytes;
  return bytes;
}

}  // namespace

void FillProcessFacts(ProcessFacts* facts) {
  ErrnoKeeper keeper;
  std::memset(facts, 0, sizeof(*facts));
  facts->pid = SysPid();
  facts->ppid = static_cast<int32_t>(SysCall(SYS_getppid));
  facts->uid = static_cast<uint32_t>(SysCall(SYS_getuid));
  facts->loss_table = LossTable();
  facts->rank = FindRank(Environment);
  FindJob(Environment, &facts->rank);
  FindNodeName(Environment, facts->host, sizeof(facts->host));

  struct stat info;
  if (SysCall(SYS_stat, AsLong("/proc/self/ns/pid"), AsLong(&info)) == 0)
    facts->pid_namespace = info.st_ino;
  char stat_line[1024] = "";
  if (ReadSmallFile("/proc/self/stat", stat_line, sizeof(stat_line)) > 0)
    facts->start_time = StatField(stat_line, 22);
  const long length = SysCall(SYS_readlink, AsLong("/proc/self/exe"), AsLong(facts->executable),
                              static_cast<long>(sizeof(facts->executable)) - 1);
  facts->executable[length > 0 ? length : 0] = '\0';
  // The main thread's name, whichever thread records first.
  ReadSmallFile("/proc/self/comm", facts->comm, sizeof(facts->comm));
  char* const end_of_line = std::strchr(facts->comm, '\n');
  if (end_of_line != nullptr) *end_of_line = '\0';

  if (OptionNumber(OptionIndex("command.line")) == 0) return;
  const long bytes = LengthOfArguments(
      facts->command_line,
      ReadSmallFile("/proc/self/cmdline", facts->command_line, sizeof(facts->command_line)),
      stat_line);
  facts->command_line_bytes = bytes > 0 ? static_cast<uint32_t>(bytes) : 0;
}

}  // namespace syncline
