// SPDX-License-Identifier: Apache-2.0
// Open MPI's options, as far as they must be understood to add ours; which launcher a program is.
#include "launcher/jobs/mpi_command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <set>

#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

constexpr char kEnvList[] = "mca_base_env_list";
constexpr char kEnvListVariable[] = "OMPI_MCA_mca_base_env_list";
constexpr int kVersionWaitMs =
    5000;  // `mpirun --version` takes 10 ms, seconds on a cold network file system

bool IsOption(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-' &&
         argument.find_first_not_of('-') != std::string::npos;
}

// Positions of the values of `-x`, and of the value of mca_base_env_list (0: none), in front of the
// programs' names.
struct Exports {
  std::vector<std::vector<size_t>> values_of_x;  // per context
  std::vector<size_t> context_begins;            // where its options begin
  size_t env_list = 0;
};

Exports FindExports(const std::vector<std::string>& arguments) {
  Exports found;
  bool in_options = true;
  found.context_begins.push_back(1);
  found.values_of_x.emplace_back();
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i] == ":") {
      found.context_begins.push_back(i + 1);
      found.values_of_x.emplace_back();
      in_options = true;
    } else if (in_options) {
      in_options = IsOption(arguments[i]);
      if (!in_options) continue;
      const int values = MpiOptionValues(arguments[i]);
      if (arguments[i] == "-x" && i + 1 < arguments.size())
        found.values_of_x.back().push_back(i + 1);
      if (values == 2 && i + 2 < arguments.size() && arguments[i + 1] == kEnvList)
        found.env_list = i + 2;
      i += static_cast<size_t>(values);
    }
  }
  return found;
}

// One list of exported variables, "NAME" or "NAME=value" each: the user's, to which ours are added.
class ExportList {
 public:
  ExportList(const EnvRequest& request, const EnvBlock& environment)
      : request_(request), environment_(environment) {}

  // The entry as it must be; what it exports needs no entry of ours.
  std::string Edit(const std::string& entry) {
    const size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    covered_.insert(name);
    if (equals == std::string::npos) return entry;
    std::string edited = entry;
    const EnvBlock as_set({entry});
    for (const EnvChange& change :
         PlanEnvironment({request_.library, {}, request_.preload, request_.behind}, as_set)) {
      if (change.name == name) edited = Text(change.name, "=", change.value);
      // Only an old injection of this very entry is news; the others belong to variables that the
      // entry does not set.
      if (change.name.starts_with("SYNCLINE_"))
        extra_.push_back(Text(change.name, "=", change.value));
    }
    return edited;
  }

  // Entries for what the user's do not cover.
  std::vector<std::string> Missing() const {
    std::vector<std::string> missing = extra_;
    std::set<std::string> names = covered_;
    for (const std::string& entry : extra_) names.insert(entry.substr(0, entry.find('=')));
    const auto add = [&](const std::string& name) {
      if (names.insert(name).second) missing.push_back(name);
    };
    if (!request_.preload.empty()) add("LD_PRELOAD");
    for (const Door& door : AllDoors()) add(door.variable);
    if (!request_.preload.empty()) add("ASAN_OPTIONS");
    for (const std::string& entry : environment_.entries()) {
      if (entry.starts_with("SYNCLINE_")) add(entry.substr(0, entry.find('=')));
    }
    return missing;
  }

 private:
  const EnvRequest& request_;
  const EnvBlock& environment_;
  std::set<std::string> covered_;
  std::vector<std::string> extra_;
};

std::string EditEnvList(const std::string& list, ExportList* exports) {
  std::string edited;
  const auto append = [&](const std::string& entry) {
    edited += edited.empty() ? entry : ";" + entry;
  };
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(';', begin), list.size());
    if (end > begin) append(exports->Edit(list.substr(begin, end - begin)));
    begin = end + 1;
  }
  for (const std::string& entry : exports->Missing()) append(entry);
  return edited;
}

// What `path --version` prints, or what it has printed after the time.
std::string AskVersion(const std::string& path) {
  int channel[2];
  if (pipe2(channel, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, channel[1], 1);
  posix_spawn_file_actions_adddup2(&actions, channel[1], 2);
  std::string program = path;
  std::string option = "--version";
  char* const arguments[] = {program.data(), option.data(), nullptr};
  pid_t pid = -1;
  const int error = posix_spawn(&pid, path.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(channel[1]);
  std::string output;
  for (int waited = 0; error == 0 && output.size() < 65536;) {
    pollfd readable = {channel[0], POLLIN, 0};
    const int ready = poll(&readable, 1, 50);
    if (ready == 0) waited += 50;
    if (ready < 0 || waited >= kVersionWaitMs) break;
    char buffer[4096];
    const ssize_t bytes = ready > 0 ? read(channel[0], buffer, sizeof(buffer)) : 0;
    if (ready > 0 && bytes <= 0) break;
    output.append(buffer, static_cast<size_t>(bytes));
  }
  close(channel[0]);
  if (error == 0) {
    kill(pid, SIGKILL);  // has ended, or does not answer
    waitpid(pid, nullptr, 0);
  }
  return output;
}

std::string LastPart(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

// A wrong guess only means that a -x of the user that follows the option is overlooked.
int MpiOptionValues(const std::string& option) {
  static const std::set<std::string> kOne = {"n",
                                             "np",
                                             "c",
                                             "N",
                                             "npernode",
                                             "npersocket",
                                             "H",
                                             "host",
                                             "hostfile",
                                             "machinefile",
                                             "default-hostfile",
                                             "x",
                                             "wd",
                                             "wdir",
                                             "path",
                                             "bind-to",
                                             "map-by",
                                             "rank-by",
                                             "rankfile",
                                             "rf",
                                             "prefix",
                                             "am",
                                             "tune",
                                             "app",
                                             "output-filename",
                                             "timeout",
                                             "cpu-set",
                                             "cpu-list",
                                             "cpus-per-proc",
                                             "cpus-per-rank",
                                             "stdin",
                                             "xterm",
                                             "report-pid",
                                             "report-uri",
                                             "ompi-server",
                                             "personality",
                                             "dvm",
                                             "max-restarts",
                                             "preload-files",
                                             "slot-list",
                                             "hosts",
                                             "f",
                                             "ppn",
                                             "launcher",
                                             "launcher-exec",
                                             "rmk",
                                             "iface",
                                             "genvlist",
                                             "envlist",
                                             "configfile",
                                             "outfile-pattern",
                                             "errfile-pattern",
                                             "umask"};
  static const std::set<std::string> kTwo = {"mca",     "gmca",    "omca", "pmca",
                                             "prtemca", "pmixmca", "env",  "genv"};
  const size_t begin = option.find_first_not_of('-');
  const std::string name = begin == std::string::npos ? "" : option.substr(begin);
  return kTwo.count(name) != 0 ? 2 : kOne.count(name) != 0 ? 1 : 0;
}

MpiLauncher MpiLauncherOfName(const std::string& name) {
  for (const char* known : {"orterun", "prterun", "mpirun.openmpi", "mpiexec.openmpi", "oshrun"}) {
    if (name == known) return MpiLauncher::kOpenMpi;
  }
  for (const char* known : {"mpirun.mpich", "mpiexec.mpich", "mpiexec.hydra", "mpiexec.gforker"}) {
    if (name == known) return MpiLauncher::kHydra;
  }
  return name == "mpirun" || name == "mpiexec" ? MpiLauncher::kUnknown : MpiLauncher::kNone;
}

MpiLauncher MpiLauncherOfVersion(const std::string& output) {
  for (const char* word : {"Open MPI", "OpenRTE", "open-mpi.org", "PRRTE"}) {
    if (output.find(word) != std::string::npos) return MpiLauncher::kOpenMpi;
  }
  for (const char* word : {"HYDRA", "Intel(R) MPI", "MPICH"}) {
    if (output.find(word) != std::string::npos) return MpiLauncher::kHydra;
  }
  return MpiLauncher::kUnknown;
}

MpiLauncher FindMpiLauncher(const std::string& path) {
  MpiLauncher launcher = MpiLauncherOfName(LastPart(path));
  if (launcher != MpiLauncher::kUnknown) return launcher;
  if (char* real = realpath(path.c_str(), nullptr); real != nullptr) {
    launcher = MpiLauncherOfName(LastPart(real));
    free(real);
    if (launcher == MpiLauncher::kOpenMpi || launcher == MpiLauncher::kHydra) return launcher;
  }
  return MpiLauncherOfVersion(AskVersion(path));
}

MpiEdit ForwardThroughOpenMpi(const std::vector<std::string>& arguments, const EnvRequest& request,
                              const EnvBlock& environment) {
  MpiEdit edit{arguments, {}};
  const Exports found = FindExports(arguments);
  const char* list_variable = environment.Find(kEnvListVariable);
  if (found.env_list != 0 || (list_variable != nullptr && *list_variable != '\0')) {
    ExportList exports(request, environment);
    if (found.env_list != 0) {
      edit.arguments[found.env_list] = EditEnvList(arguments[found.env_list], &exports);
    } else {
      edit.changes.push_back({kEnvListVariable, EditEnvList(list_variable, &exports)});
    }
    return edit;
  }
  // From the last context to the first, so that positions stay valid.
  for (size_t context = found.context_begins.size(); context-- > 0;) {
    ExportList exports(request, environment);
    for (const size_t at : found.values_of_x[context])
      edit.arguments[at] = exports.Edit(arguments[at]);
    std::vector<std::string> options;
    for (const std::string& entry : exports.Missing()) {
      options.push_back("-x");
      options.push_back(entry);
    }
    edit.arguments.insert(
        edit.arguments.begin() + static_cast<ptrdiff_t>(found.context_begins[context]),
        options.begin(), options.end());
  }
  return edit;
}

}  // namespace syncline
