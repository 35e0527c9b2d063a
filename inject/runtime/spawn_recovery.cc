// SPDX-License-Identifier: Apache-2.0
// The duty to recover a rank: claimed at the start, done at exit.
#include "inject/runtime/spawn_recovery.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "inject/core/options.h"
#include "inject/core/sys.h"

namespace syncline {
namespace {

// Written at the session's start, or when the process takes over; read by SpawnRecovery.
std::atomic<const TextBuffer*> g_recover_output;
int32_t g_recover_pid;  // a fork's child inherits the pointer, not the duty

// Whether the claim in `path` is of a process that still runs, and is not this one.
bool ClaimedByAnother(const char* path, const TextBuffer& own_claim) {
  char claim[64];
  if (ReadSmallFile(path, claim, sizeof(claim)) <= 0 || std::strcmp(claim, own_claim.text()) == 0)
    return false;
  TextBuffer stat_path;
  stat_path.Add("/proc/")
      .Add(claim, static_cast<size_t>(strchrnul(claim, ' ') - claim))
      .Add("/stat");
  char stat_line[1024];
  if (ReadSmallFile(stat_path.text(), stat_line, sizeof(stat_line)) <= 0) return false;
  TextBuffer start;
  start.AddNumber(StatField(stat_line, 22));
  const char* claimed_start = std::strchr(claim, ' ');
  return claimed_start != nullptr && std::strcmp(claimed_start + 1, start.text()) == 0;
}

// The first process of a rank to come here owns the rank's recovery; after an exec it still does,
// and when it is dead the next one takes it over.
bool ClaimRank(const InProcessFiles& files, const ProcessFacts& facts) {
  TextBuffer path;
  path.Add(files.folder.text()).Add("/rank-");
  if (facts.rank.rank >= 0) {
    path.AddNumber(static_cast<uint64_t>(facts.rank.rank));
  } else {
    path.Add("none");
  }
  path.Add(".owner");
  TextBuffer claim;
  claim.AddNumber(static_cast<uint64_t>(facts.pid)).Add(" ").AddNumber(facts.start_time);
  // A program that may write no file would be ended by SIGXFSZ.
  if (SysLimit(RLIMIT_FSIZE) < claim.length()) return false;
  int fd = SysOpen(path.text(), O_WRONLY | O_CREAT | O_EXCL, 0600);
  if (fd == -EEXIST && !ClaimedByAnother(path.text(), claim))
    fd = SysOpen(path.text(), O_WRONLY | O_TRUNC | O_NOFOLLOW);
  if (fd < 0) return false;
  SysWrite(fd, claim.text(), claim.length());
  SysClose(fd);
  return true;
}

// bin/syncline beside lib/libsyncline.so, which may be here as
// lib/syncline/$PLATFORM/libsyncline.so; unless a launcher told where it is.
void FindLauncher(TextBuffer* out) {
  const char* told = VariableText(Variable::kRecover);
  if (*told != '\0') {
    out->Add(told);
    return;
  }
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&SpawnRecovery), &info) == 0) return;
  const char* slash = std::strrchr(info.dli_fname, '/');
  if (slash == nullptr) {
    out->Add("../bin/syncline");
    return;
  }
  for (const char* place : {"/../bin/syncline", "/../../../bin/syncline"}) {
    *out = TextBuffer();
    out->Add(info.dli_fname, static_cast<size_t>(slash - info.dli_fname)).Add(place);
    if (SysCall(SYS_faccessat, AT_FDCWD, AsLong(out->text()), X_OK) == 0) return;
  }
}

// "SYNCLINE_TIME_UNIT=us"
void AddOption(size_t index, TextBuffer* out) {
  char name[64];
  OptionVariable(index, name);
  out->Add(name).Add("=").Add(OptionText(index));
}

}  // namespace

void ClaimRecovery(const InProcessFiles& files, const ProcessFacts& facts) {
  if (files.output.length() == 0 || !ClaimRank(files, facts)) return;
  static TextBuffer output;
  output = files.output;
  g_recover_pid = facts.pid;
  g_recover_output.store(&output, std::memory_order_release);
}

void SpawnRecovery() {
  const TextBuffer* output = g_recover_output.load(std::memory_order_acquire);
  if (output == nullptr || g_recover_pid != SysPid()) return;
  TextBuffer launcher;
  FindLauncher(&launcher);
  TextBuffer pid;
  pid.AddNumber(static_cast<uint64_t>(SysPid()));
  const char* const arguments[] = {launcher.text(), "recover",      "--quiet", "--wait-pid",
                                   pid.text(),      output->text(), nullptr};
  TextBuffer unit, base, base_ns;
  AddOption(OptionIndex("time.unit"), &unit);
  AddOption(OptionIndex("base.time"), &base);
  base_ns.Add(VariableName(Variable::kBaseTime)).Add("=").Add(VariableText(Variable::kBaseTime));
  const char* const environment[] = {"PATH=/usr/bin:/bin", unit.text(), base.text(), base_ns.text(),
                                     nullptr};
  SignalBlocker blocker;  // the child of a vfork runs on our memory: no handler may run in it
  const long child = SysCall(SYS_vfork);
  if (child != 0) return;
  // The program's standard files would otherwise stay open for whoever waits for their end.
  for (long fd = 0; fd < 3; ++fd) SysCall(SYS_close, fd);
  SysOpen("/dev/null", O_RDWR);
  SysCall(SYS_dup, 0);
  SysCall(SYS_dup, 0);
  SysCall(SYS_setsid);
  SysCall(SYS_execve, AsLong(launcher.text()), AsLong(arguments), AsLong(environment));
  SysCall(SYS_exit_group, 127);
}

}  // namespace syncline
