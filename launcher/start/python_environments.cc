// SPDX-License-Identifier: Apache-2.0
// Looks at names of folders only: no Python is started.
#include "launcher/start/python_environments.h"

#include "inject/core/options.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/start/library.h"
#include "launcher/start/program.h"

namespace syncline {
namespace {

std::string PrefixOf(const std::string& program) {
  const std::string folder = program.substr(0, program.rfind('/') + 1);
  return folder.ends_with("/bin/") ? folder.substr(0, folder.size() - 5) : "";
}

std::string Given(const char* variable) {
  const char* value = Environment(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

std::vector<std::string> PythonEnvironments(const std::string& program) {
  std::vector<std::string> prefixes;
  for (const std::string& prefix :
       {PrefixOf(program), Given("VIRTUAL_ENV"), Given("CONDA_PREFIX"),
        PrefixOf(FindProgram("python3", Environment("PATH")).path), PrefixOf(OwnPath())}) {
    if (!prefix.empty()) prefixes.push_back(prefix == "/usr" ? "/usr/local" : prefix);
  }
  return prefixes;
}

std::vector<std::string> SitePackages(const std::string& prefix) {
  std::vector<std::string> folders;
  for (const std::string& name : ListDirectory(prefix + "/lib")) {
    if (!name.starts_with("python3")) continue;
    for (const char* packages : {"/site-packages", "/dist-packages"}) {
      const std::string folder = Text(prefix, "/lib/", name, packages);
      if (IsDirectory(folder)) folders.push_back(folder);
    }
  }
  return folders;
}

}  // namespace syncline
