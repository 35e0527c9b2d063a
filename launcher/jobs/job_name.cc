// SPDX-License-Identifier: Apache-2.0
// Looks through interpreters and launchers for the name that people would give the run.
#include "launcher/jobs/job_name.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>

#include "launcher/jobs/mpi_command.h"

namespace syncline {
namespace {

constexpr size_t kMaxName = 64;
constexpr const char* kInterpreters[] = {"python", "pypy", "bash", "sh",   "dash", "zsh",
                                         "ksh",    "perl", "ruby", "node", "julia"};
constexpr const char* kLaunchers[] = {
    "mpirun",  "mpiexec", "orterun", "prterun",   "srun",   "torchrun", "accelerate",
    "jsrun",   "aprun",   "flux",    "deepspeed", "env",    "nice",     "nohup",
    "timeout", "time",    "numactl", "taskset",   "setsid", "stdbuf",   "syncline",
    "ionice",  "chrt",    "sudo",    "xvfb-run",  "gdb",    "valgrind", "strace"};

std::string BaseName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "python3.11" is of the family "python", "mpirun.openmpi" of "mpirun".
bool IsOfFamily(std::string_view name, std::string_view family) {
  return name.starts_with(family) &&
         name.find_first_not_of("0123456789.-", family.size()) == std::string_view::npos;
}

template <size_t kCount>
bool IsOneOf(const std::string& name, const char* const (&families)[kCount], bool suffix_allowed) {
  return std::any_of(std::begin(families), std::end(families), [&](const char* family) {
    return IsOfFamily(name, family) ||
           (suffix_allowed && name.starts_with(std::string(family) + "."));
  });
}

std::string Clean(std::string name) {
  for (const char* suffix : {".py", ".sh", ".pl", ".rb", ".jl", ".js", ".exe"}) {
    if (name.size() > std::string_view(suffix).size() && name.ends_with(suffix)) {
      name.erase(name.size() - std::string_view(suffix).size());
      break;
    }
  }
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-')
      c = '_';
  }
  name.resize(std::min(name.size(), kMaxName));
  const size_t begin =
      name.find_first_not_of(".-");  // hidden files and options are not names of runs
  return begin == std::string::npos ? "run" : name.substr(begin);
}

// The script or module of an interpreter whose arguments begin at `at`; empty if it runs text from
// the line or stdin.
std::string Script(const std::vector<std::string>& command, size_t at) {
  for (; at < command.size(); ++at) {
    const std::string& argument = command[at];
    if (argument == "-c" || argument == "-e") return "";
    if (argument == "-m") return at + 1 < command.size() ? command[at + 1] : "";
    if (argument == "-W" || argument == "-X" || argument == "-o") {
      ++at;  // python's -W and -X, the shells' -o take a value
    } else if (!argument.starts_with("-")) {
      return BaseName(argument);
    }
  }
  return "";
}

}  // namespace

std::string JobName(const std::vector<std::string>& command,
                    const std::function<bool(const std::string&)>& is_program) {
  std::string name = "run";
  for (size_t at = 0; at < command.size();) {
    const std::string base = BaseName(command[at]);
    name = base;
    if (IsOneOf(base, kInterpreters, false)) {
      const std::string script = Script(command, at + 1);
      if (script.empty()) break;
      // `python -m torch.distributed.run train.py` is torchrun.
      if (!script.starts_with("torch.distributed.")) return Clean(script);
      at = static_cast<size_t>(
          std::find(command.begin() + static_cast<ptrdiff_t>(at), command.end(), script) -
          command.begin());
    } else if (!IsOneOf(base, kLaunchers, true)) {
      break;
    }
    const bool is_mpirun = base.starts_with("mpi") || base == "orterun" || base == "prterun";
    size_t next = at + 1;
    while (next < command.size() &&
           (command[next].starts_with("-") || !is_program(command[next]))) {
      next += is_mpirun && command[next].starts_with("-")
                  ? 1 + static_cast<size_t>(MpiOptionValues(command[next]))
                  : 1;
    }
    if (next >= command.size()) break;
    at = next;
  }
  return Clean(name);
}

}  // namespace syncline
