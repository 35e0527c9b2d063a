// SPDX-License-Identifier: Apache-2.0
// Looks through /proc/PID/environ for the variable that names the run's spools.
#include "launcher/record/living_processes.h"

#include <unistd.h>

#include <cstdlib>

#include "inject/core/options.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/node_places.h"

namespace syncline {
namespace {

bool HasEntry(const std::string& environment, const std::string& entry) {
  const std::string whole = '\0' + entry + '\0';
  return (std::string(1, '\0') + environment).find(whole) != std::string::npos;
}

}  // namespace

std::vector<std::string> LivingProcesses(const std::string& run_directory) {
  const std::string entry = Text(VariableName(Variable::kSpool), "=", SpoolRoot(run_directory));
  std::vector<std::string> found;
  for (const std::string& name : ListDirectory("/proc")) {
    std::string environment, comm;
    const int pid = std::atoi(name.c_str());
    if (pid <= 0 || pid == getpid() ||
        ReadFile(Text("/proc/", name, "/environ"), &environment) != 0 ||
        !HasEntry(environment, entry) || ReadFile(Text("/proc/", name, "/comm"), &comm) != 0)
      continue;
    while (comm.ends_with('\n')) comm.pop_back();
    found.push_back(Text(comm, " (pid ", name, ")"));
  }
  return found;
}

}  // namespace syncline
