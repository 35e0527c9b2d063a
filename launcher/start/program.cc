// SPDX-License-Identifier: Apache-2.0
// Search along PATH, and the situations of the loader in which a preloaded library does not work.
#include "launcher/start/program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "launcher/host/shell_text.h"
#include "launcher/start/elf_facts.h"
#include "launcher/start/env_plan.h"

namespace syncline {
namespace {

constexpr char kDefaultPath[] = "/bin:/usr/bin";  // what execvp uses without PATH
constexpr int kMaxScriptLevels = 5;               // the kernel's own limit

// 0: can be executed.
int ExecutionError(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (!S_ISREG(status.st_mode)) return EACCES;
  return faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

FoundProgram NotExecutable(const std::string& path, int error) {
  FoundProgram result;
  result.exit_code = kExitNotExecutable;
  if (error == EISDIR) {
    result.error =
        Text("cannot run ", ShellQuote(path), ": it is a directory. Name the program in it.");
  } else if (error == EACCES) {
    result.error =
        Text("cannot run ", ShellQuote(path), ": it is not executable for you. Try `chmod +x ",
             ShellQuote(path), "`, or name its interpreter, such as python3, in front.");
  } else {
    result.error =
        Text("cannot run ", ShellQuote(path), ": ", ErrorText(error), ". Check the path.");
  }
  return result;
}

FoundProgram NotFound(const std::string& name, const std::string& why) {
  FoundProgram result;
  result.exit_code = kExitNotFound;
  result.error = Text("cannot run ", ShellQuote(name), ": ", why);
  return result;
}

// Whether the kernel would start the file with other rights than ours, so that the loader ignores
// LD_PRELOAD.
bool GainsRights(int fd, const struct stat& status) {
  struct statvfs system;
  if (fstatvfs(fd, &system) == 0 && (system.f_flag & ST_NOSUID) != 0) return false;
  if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1) return false;
  if ((status.st_mode & S_ISUID) != 0 && status.st_uid != geteuid()) return true;
  if ((status.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && status.st_gid != getegid())
    return true;
  return geteuid() != 0 && fgetxattr(fd, "security.capability", nullptr, 0) > 0;
}

bool FileHas(int fd, const std::string& text) {
  constexpr off_t kMost = off_t{1} << 28;
  std::string part(1 << 20, '\0');
  off_t at = 0;
  for (ssize_t got = 1; got > 0 && at < kMost;) {
    got = pread(fd, part.data(), part.size(), at);
    if (got > 0 && std::string_view(part).substr(0, static_cast<size_t>(got)).find(text) !=
                       std::string_view::npos)
      return true;
    const auto step = got - static_cast<ssize_t>(text.size()) + 1;  // it may lie across two parts
    if (step <= 0) return false;
    at += step;
  }
  return false;
}

// The loader is static, and what it is told to run takes the preload. A program may have compiled
// in what opens the library behind a door, as NVTX's headers do.
bool LoadsLibraries(int fd, const ElfFacts& facts) {
  if (facts.IsLoader()) return true;
  const std::vector<Door> doors = AllDoors();
  return std::any_of(doors.begin(), doors.end(),
                     [fd](const Door& door) { return FileHas(fd, door.variable); });
}

Judgement JudgeElf(const std::string& name, const ElfFacts& facts, bool gains_rights,
                   bool loads_libraries) {
  if (facts.damaged) return {};
  if (!facts.is_64_bit || !facts.little_endian || facts.machine != OwnMachine()) {
    return {Reach::kNothing,
            Text(name,
                 " is built for another kind of machine than syncline (32 bit, or another "
                 "processor): it "
                 "runs without being recorded. A native 64-bit build of it can be recorded.")};
  }
  if (facts.IsMusl()) {
    return {Reach::kNothing, Text(name,
                                  " uses musl libc, which cannot load a library made for glibc: it "
                                  "and what it starts run "
                                  "without being recorded. A build for glibc can be recorded.")};
  }
  if (gains_rights) {
    return {
        Reach::kNothing,
        Text(
            name,
            " runs with other rights than yours (setuid, setgid or capabilities), where the system "
            "ignores preloaded libraries: it runs without being recorded. If it starts other "
            "programs, as sudo does, put syncline behind it: `sudo syncline -- PROGRAM`.")};
  }
  if (facts.IsStatic() && !loads_libraries) {
    return {Reach::kChildrenOnly,
            Text(name,
                 " is statically linked, so nothing can be loaded into it: only programs that it "
                 "starts are recorded. Link it dynamically to record it.")};
  }
  return {};
}

}  // namespace

FoundProgram FindProgram(const std::string& name, const char* search_path) {
  if (name.find('/') != std::string::npos) {
    const int error = ExecutionError(name);
    if (error == 0) return {name, 0, ""};
    if (error == ENOENT || error == ENOTDIR)
      return NotFound(name, "there is no such file. Check the path.");
    return NotExecutable(name, error);
  }
  std::string refused;
  int refusal = 0;
  const std::string path = search_path != nullptr ? search_path : kDefaultPath;
  for (size_t begin = 0; !name.empty() && begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    const std::string candidate = Text(folder.empty() ? "." : folder, "/", name);
    const int error = ExecutionError(candidate);
    if (error == 0) return {candidate, 0, ""};
    if (error == EACCES && refused.empty()) {
      refused = candidate;
      refusal = error;
    }
    begin = end + 1;
  }
  if (!refused.empty()) return NotExecutable(refused, refusal);
  std::string why = "there is no such program in PATH.";
  struct stat status;
  if (!name.empty() && stat(name.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
    why += Text(" For the file here write `./", name, "`.");
  } else {
    why += " Check its name, or give its path.";
  }
  return NotFound(name, why);
}

std::string MissingInterpreter(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return "";
  const ElfFacts facts = ReadElfFacts(fd);
  close(fd);
  const bool script = facts.format == FileFormat::kScript;
  const std::string& interpreter = script ? facts.script_interpreter : facts.interpreter;
  if (interpreter.empty() || access(interpreter.c_str(), F_OK) == 0) return "";
  return Text("cannot run ", ShellQuote(path), ": its interpreter ", ShellQuote(interpreter),
              " is not there. ",
              script ? "Correct the file's first line, or install the interpreter."
                     : "The program was built for another system: install that system's loader and "
                       "C library.");
}

Judgement JudgeProgram(const std::string& path) {
  std::string current = path;
  for (int level = 0; level < kMaxScriptLevels; ++level) {
    const int fd = open(current.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return {};
    struct stat status = {};
    fstat(fd, &status);
    const ElfFacts facts = ReadElfFacts(fd);
    const bool gains_rights = GainsRights(fd, status);
    const bool loads_libraries = facts.IsStatic() && LoadsLibraries(fd, facts);
    close(fd);
    if (facts.format == FileFormat::kElf)
      return JudgeElf(ShellQuote(current), facts, gains_rights, loads_libraries);
    if (facts.format != FileFormat::kScript || facts.script_interpreter.empty()) return {};
    current = facts.script_interpreter;
  }
  return {};
}

}  // namespace syncline
