// SPDX-License-Identifier: Apache-2.0
// execve, execv, execvp, execvpe, posix_spawn and posix_spawnp as the program calls them: in a
// child of a vfork, in a signal's handler, on any stack. No lock, no heap, and nothing waits.
#include "inject/runtime/exec_hooks.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cstring>

#include "inject/core/options.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"
#include "inject/runtime/following_environment.h"
#include "inject/runtime/hand_over.h"
#include "inject/runtime/lacking_environment.h"
#include "inject/runtime/next_function.h"

#if SYNCLINE_EXIT_HOOKS

extern "C" char** environ;

namespace syncline {
namespace {

using Texts = char* const*;

// Written in the constructor only.
struct Watch {
  bool on;
  int32_t rank;
};
constinit Watch g_watch = {};

using Exec = int(const char*, Texts);
using ExecWith = int(const char*, Texts, Texts);
using Spawn = int(int32_t*, const char*, const void*, const void*, Texts, Texts);
constinit NextFunction<ExecWith> g_execve("execve");
constinit NextFunction<Exec> g_execv("execv");
constinit NextFunction<Exec> g_execvp("execvp");
constinit NextFunction<ExecWith> g_execvpe("execvpe");
constinit NextFunction<Spawn> g_spawn("posix_spawn");
constinit NextFunction<Spawn> g_spawnp("posix_spawnp");

// A call as the program makes it.
struct Call {
  const char* path;
  Texts arguments;
  bool searched;  // in PATH
  bool returns;   // it does not replace the caller
};

const char* LastPart(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// Whether the user left the program out. It is known by its name, as by itself later.
bool IsLeftOut(const Call& call) {
  const char* first = call.arguments == nullptr ? nullptr : call.arguments[0];
  const char* name = LastPart(first == nullptr ? call.path : first);
  const char* programs = OptionText(OptionIndex("processes"));
  return IsMatched(OptionText(OptionIndex("skip")), name) ||
         (*programs != '\0' && !IsMatched(programs, name));
}

bool IsSearched(const Call& call) {
  return call.searched && std::strchr(call.path, '/') == nullptr;
}

// Whoever searches a program himself tries many paths that are none.
bool MayStart(const Call& call) {
  constexpr int kExecutable = 1;  // X_OK
  return IsSearched(call) || SysCall(SYS_faccessat, AT_FDCWD, AsLong(call.path), kExecutable) == 0;
}

// Whether the program's loader will ignore LD_PRELOAD, because the file gives it the rights of
// another user or group.
bool GainsRights(const Call& call) {
  constexpr long kNoSuid = 2;  // ST_NOSUID of <sys/statvfs.h>
  struct stat file;
  if (IsSearched(call) ||
      SysCall(SYS_newfstatat, AT_FDCWD, AsLong(call.path), AsLong(&file), 0) != 0 ||
      !S_ISREG(file.st_mode))
    return false;
  const bool of_user =
      (file.st_mode & S_ISUID) != 0 && file.st_uid != static_cast<uid_t>(SysCall(SYS_getuid));
  const bool of_group = (file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0 &&
                        file.st_gid != static_cast<gid_t>(SysCall(SYS_getgid));
  if ((!of_user && !of_group) || SysCall(SYS_prctl, PR_GET_NO_NEW_PRIVS) == 1) return false;
  struct statfs where;
  return SysCall(SYS_statfs, AsLong(call.path), AsLong(&where)) != 0 ||
         (where.f_flags & kNoSuid) == 0;
}

void Tell(const char* path, const Lack& lack, uint32_t started) {
  LostProgramNote note{};
  note.magic = kLostNoteMagic;
  note.layout_version = kLayoutVersion;
  note.lack = lack;
  note.rank = g_watch.rank;
  note.started = started;
  CopyText(note.program, sizeof(note.program), path);
  SendLostProgram(note);
}

// Makes the call, and tells of it. A call that succeeds may be the last of this program, so it is
// told before, and taken back where it fails.
template <typename Make>
int MakeAndTell(const Call& call, const Lack& lack, const Make& make) {
  if (*VariableText(Variable::kSocket) == '\0' || (!call.returns && !MayStart(call)) ||
      IsLeftOut(call))
    return make();
  if (call.returns) {
    const int result = make();
    if (result == 0) Tell(call.path, lack, 1);
    return result;
  }
  Tell(call.path, lack, 1);
  const int result = make();
  Tell(call.path, lack, 0);
  return result;
}

// `make(environment, same)` makes the call with that environment; `same`: with the program's own.
template <typename Make>
int Start(const Call& call, Texts environment, const Make& make) {
  const auto as_it_is = [&] { return make(environment, true); };
  if (!g_watch.on) return as_it_is();
  const GivenEnvironment given = LookAtEnvironment(environment);
  if (given.disabled) return as_it_is();
  if (GainsRights(call)) return MakeAndTell(call, Lack{0, 0, 1, 0, 0}, as_it_is);
  if (!given.lack.any()) return as_it_is();
  const size_t room = RoomToFollow(environment, given.variables);
  if (room == 0) return MakeAndTell(call, given.lack, as_it_is);
  Texts followed = Follow(environment, given.variables, __builtin_alloca(room));
  const auto with_ours = [&] { return make(followed, false); };
  const Lack lack = LookAtEnvironment(followed).lack;
  return lack.any() ? MakeAndTell(call, lack, with_ours) : with_ours();
}

// The system call, where no library has the function.
int ExecveOfNext(const char* path, Texts arguments, Texts environment) {
  if (ExecWith* next = g_execve.Find(); next != nullptr) return next(path, arguments, environment);
  const long result = SysCall(SYS_execve, AsLong(path), AsLong(arguments), AsLong(environment));
  errno = static_cast<int>(-result);
  return -1;
}

int ExecvpeOfNext(const char* file, Texts arguments, Texts environment) {
  if (ExecWith* next = g_execvpe.Find(); next != nullptr) return next(file, arguments, environment);
  errno = ENOSYS;
  return -1;
}

int StartSpawn(NextFunction<Spawn>* function, const Call& call, int32_t* pid, const void* actions,
               const void* attributes, Texts environment) {
  Spawn* next = function->Find();
  if (next == nullptr) return ENOSYS;
  return Start(call, environment, [&](Texts given, bool) {
    return next(pid, call.path, actions, attributes, call.arguments, given);
  });
}

}  // namespace

void WatchStartedPrograms(int32_t rank) { g_watch = {*PreloadOfStart() != '\0', rank}; }

void TellOfLaunched(const char* program, int count) {
  const bool records_itself = program == nullptr || std::strcmp(LastPart(program), "syncline") == 0;
  if (!g_watch.on || count <= 0 || records_itself || *VariableText(Variable::kSocket) == '\0' ||
      IsLeftOut({program, nullptr, false, true}))
    return;
  Tell(program, Lack{0, 0, 0, 1, 0}, static_cast<uint32_t>(count));
}

}  // namespace syncline

// By names of their own here: headers of libc say of these that a pointer is never null, and the
// kernel takes null.
#define SYNCLINE_HOOK(name) __asm__(name) __attribute__((visibility("default")))
extern "C" {
int SynclineExecve(const char*, syncline::Texts, syncline::Texts) SYNCLINE_HOOK("execve");
int SynclineExecv(const char*, syncline::Texts) SYNCLINE_HOOK("execv");
int SynclineExecvp(const char*, syncline::Texts) SYNCLINE_HOOK("execvp");
int SynclineExecvpe(const char*, syncline::Texts, syncline::Texts) SYNCLINE_HOOK("execvpe");
int SynclinePosixSpawn(int32_t*, const char*, const void*, const void*, syncline::Texts,
                       syncline::Texts) SYNCLINE_HOOK("posix_spawn");
int SynclinePosixSpawnp(int32_t*, const char*, const void*, const void*, syncline::Texts,
                        syncline::Texts) SYNCLINE_HOOK("posix_spawnp");
}

int SynclineExecve(const char* path, syncline::Texts arguments, syncline::Texts environment) {
  return syncline::Start(
      {path, arguments, false, false}, environment,
      [&](syncline::Texts given, bool) { return syncline::ExecveOfNext(path, arguments, given); });
}

int SynclineExecv(const char* path, syncline::Texts arguments) {
  return syncline::Start({path, arguments, false, false}, environ,
                         [&](syncline::Texts given, bool same) {
                           syncline::Exec* next = same ? syncline::g_execv.Find() : nullptr;
                           return next != nullptr ? next(path, arguments)
                                                  : syncline::ExecveOfNext(path, arguments, given);
                         });
}

int SynclineExecvp(const char* file, syncline::Texts arguments) {
  return syncline::Start({file, arguments, true, false}, environ,
                         [&](syncline::Texts given, bool same) {
                           syncline::Exec* next = same ? syncline::g_execvp.Find() : nullptr;
                           return next != nullptr ? next(file, arguments)
                                                  : syncline::ExecvpeOfNext(file, arguments, given);
                         });
}

int SynclineExecvpe(const char* file, syncline::Texts arguments, syncline::Texts environment) {
  return syncline::Start(
      {file, arguments, true, false}, environment,
      [&](syncline::Texts given, bool) { return syncline::ExecvpeOfNext(file, arguments, given); });
}

int SynclinePosixSpawn(int32_t* pid, const char* path, const void* actions, const void* attributes,
                       syncline::Texts arguments, syncline::Texts environment) {
  return syncline::StartSpawn(&syncline::g_spawn, {path, arguments, false, true}, pid, actions,
                              attributes, environment);
}

int SynclinePosixSpawnp(int32_t* pid, const char* file, const void* actions, const void* attributes,
                        syncline::Texts arguments, syncline::Texts environment) {
  return syncline::StartSpawn(&syncline::g_spawnp, {file, arguments, true, true}, pid, actions,
                              attributes, environment);
}

#else

namespace syncline {
void WatchStartedPrograms(int32_t) {}
}  // namespace syncline

#endif
