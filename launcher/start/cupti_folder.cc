// SPDX-License-Identifier: Apache-2.0
// The places are those of the wheels nvidia-cuda-cupti (CUDA 13) and nvidia-cuda-cupti-cu12, and of
// conda's package cuda-cupti.
#include "launcher/start/cupti_folder.h"

#include "launcher/host/files.h"
#include "launcher/start/python_environments.h"

namespace syncline {
namespace {

constexpr const char* kNames[] = {"/libcupti.so.13", "/libcupti.so.12"};

bool HasCupti(const std::string& folder) {
  for (const char* name : kNames) {
    if (Exists(folder + name)) return true;
  }
  return false;
}

std::string FolderBelow(const std::string& prefix) {
  for (const std::string& packages : SitePackages(prefix)) {
    for (const char* wheel : {"/nvidia/cu13/lib", "/nvidia/cuda_cupti/lib"}) {
      const std::string folder = packages + wheel;
      if (HasCupti(folder)) return folder;
    }
  }
  const std::string libraries = prefix + "/lib";
  return HasCupti(libraries) ? libraries : "";
}

}  // namespace

std::string FindCuptiFolder(const std::string& program) {
  for (const std::string& prefix : PythonEnvironments(program)) {
    const std::string folder = FolderBelow(prefix);
    if (!folder.empty()) return folder;
  }
  return "";
}

}  // namespace syncline
