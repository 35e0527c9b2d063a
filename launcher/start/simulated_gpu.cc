// SPDX-License-Identifier: Apache-2.0
// Where the wheel lies (packaging/simulated_gpu.py), and how its libraries come before NVIDIA's.
#include "launcher/start/simulated_gpu.h"

#include <set>

#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/start/python_environments.h"

namespace syncline {
namespace {

constexpr char kPlace[] = "/libexec/syncline/simulated_gpu/lib";
constexpr char kDriver[] = "/libcuda.so.1";

// Of the user's folder, which may be the package's or that of the libraries themselves.
std::string LibrariesIn(const std::string& given) {
  for (const char* place : {"", "/lib", kPlace}) {
    const std::string folder = AbsolutePath(given) + place;
    if (Exists(folder + kDriver)) return folder;
  }
  return "";
}

std::string InstalledLibraries(const std::string& program) {
  for (const std::string& prefix : PythonEnvironments(program)) {
    const std::string folder = prefix + kPlace;
    if (Exists(folder + kDriver)) return folder;
  }
  return "";
}

// NVIDIA's wheels: PyTorch's libraries name their folders (DT_RPATH), and so find them before any
// variable counts.
std::set<std::string> LibrariesOfWheels(const std::string& program) {
  std::set<std::string> names;
  for (const std::string& prefix : PythonEnvironments(program)) {
    for (const std::string& packages : SitePackages(prefix)) {
      const std::string vendor = packages + "/nvidia/";
      for (const std::string& wheel : ListDirectory(vendor)) {
        for (std::string& name : ListDirectory(Text(vendor, wheel, "/lib")))
          names.insert(std::move(name));
      }
    }
  }
  return names;
}

std::string PreloadAgainst(const std::set<std::string>& others, const std::string& folder) {
  std::string list;
  for (const std::string& name : ListDirectory(folder)) {
    if (others.contains(name)) list += Text(list.empty() ? "" : ":", folder, "/", name);
  }
  return list;
}

// Why the variables cannot name the folder; "": they can.
std::string FolderProblem(const SimulatedGpu& found) {
  const bool is_preloaded = !found.preload.empty();
  if (found.folder.find_first_of(is_preloaded ? ":; \t\n$" : ":;$") == std::string::npos) return "";
  return Text("the simulated GPU's folder ", ShellQuote(found.folder), " has a ",
              is_preloaded ? "blank, colon" : "colon", ", semicolon or $ in it, which ",
              is_preloaded ? "LD_PRELOAD" : "LD_LIBRARY_PATH", " cannot name. Install ",
              "syncline-simulated-gpu into an environment whose path has none.");
}

std::string WithInFront(const std::string& folder, const char* list) {
  const std::string now = list == nullptr ? "" : list;
  const bool is_there = now == folder || now.starts_with(folder + ":");
  return is_there ? now : now.empty() ? folder : Text(folder, ":", now);
}

}  // namespace

SimulatedGpu FindSimulatedGpu(const std::string& program, const std::string& given,
                              const EnvBlock& environment) {
  SimulatedGpu found;
  found.folder = given.empty() ? InstalledLibraries(program) : LibrariesIn(given);
  if (found.folder.empty()) {
    found.error =
        given.empty()
            ? "--on-simulated-gpu needs the package syncline-simulated-gpu, which is not installed "
              "here. Install its wheel into the program's Python environment or beside syncline "
              "(`pip install ./syncline_simulated_gpu-*.whl`), or name its folder with "
              "--simulated-gpu DIR."
            : Text("--simulated-gpu ", ShellQuote(given), ": there is no ", kDriver + 1, " in ",
                   "this folder, nor in its lib. Name the folder of the package "
                   "syncline-simulated-gpu, PREFIX/libexec/syncline/simulated_gpu.");
    return found;
  }
  found.path = {"LD_LIBRARY_PATH", WithInFront(found.folder, environment.Find("LD_LIBRARY_PATH"))};
  found.preload = PreloadAgainst(LibrariesOfWheels(program), found.folder);
  found.error = FolderProblem(found);
  return found;
}

}  // namespace syncline
