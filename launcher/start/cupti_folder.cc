// SPDX-License-Identifier: Apache-2.0
// The places are those of the wheels nvidia-cuda-cupti (CUDA 13) and nvidia-cuda-cupti-cu12, and of
// conda's package cuda-cupti.
#include "launcher/start/cupti_folder.h"

#include <filesystem>
#include <system_error>
#include <vector>

#include "inject/core/options.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/start/library.h"
#include "launcher/start/program.h"

namespace syncline {
namespace {

constexpr const char* kNames[] = {"/libcupti.so.13", "/libcupti.so.12"};

// "/env" of "/env/bin/python".
std::string PrefixOf(const std::string& program) {
  const std::string folder = program.substr(0, program.rfind('/') + 1);
  return folder.ends_with("/bin/") ? folder.substr(0, folder.size() - 5) : "";
}

bool HasCupti(const std::string& folder) {
  for (const char* name : kNames) {
    if (Exists(folder + name)) return true;
  }
  return false;
}

std::string FolderBelow(const std::string& prefix) {
  if (prefix.empty()) return "";
  const std::string libraries = prefix + "/lib";
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(libraries, error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("python3")) continue;
    for (const char* packages : {"/site-packages", "/dist-packages"}) {
      for (const char* wheel : {"/nvidia/cu13/lib", "/nvidia/cuda_cupti/lib"}) {
        const std::string folder = Text(libraries, "/", name, packages, wheel);
        if (HasCupti(folder)) return folder;
      }
    }
  }
  return HasCupti(libraries) ? libraries : "";
}

std::string Given(const char* variable) {
  const char* value = Environment(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string FindCuptiFolder(const std::string& program) {
  const std::vector<std::string> prefixes = {
      PrefixOf(program), Given("VIRTUAL_ENV"), Given("CONDA_PREFIX"),
      PrefixOf(FindProgram("python3", Environment("PATH")).path), PrefixOf(OwnPath())};
  for (const std::string& prefix : prefixes) {
    const std::string folder = FolderBelow(prefix == "/usr" ? "/usr/local" : prefix);
    if (!folder.empty()) return folder;
  }
  return "";
}

}  // namespace syncline
