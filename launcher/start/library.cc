// SPDX-License-Identifier: Apache-2.0
// Finds libsyncline.so beside the launcher; a moved tree keeps working.
#include "launcher/start/library.h"

#include <sys/auxv.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"

namespace syncline {

std::string OwnPath() {
  char path[PATH_MAX];
  const ssize_t bytes = readlink("/proc/self/exe", path, sizeof(path));
  if (bytes > 0) return std::string(path, static_cast<size_t>(bytes));
  // Without /proc: the path that this process was executed by.
  const auto* executed = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return executed != nullptr && realpath(executed, path) != nullptr ? path : "";
}

std::string FindLibrary(std::string* error) {
  const std::string own = OwnPath();
  const std::string folder = own.substr(0, own.rfind('/'));  // .../bin
  const std::string root = folder.substr(0, folder.rfind('/'));
  for (const char* place : {"/lib/", "/lib64/", "/lib/x86_64-linux-gnu/", "/lib/aarch64-linux-gnu/",
                            "/libexec/syncline/"}) {  // the last: of a wheel
    const std::string path = Text(root, place, "libsyncline.so");
    if (Exists(path)) return path;
  }
  *error = Text("cannot find libsyncline.so: it must be in ", ShellQuote(root + "/lib"),
                ", beside this launcher's folder. Build or "
                "install Syncline again; bin/ and lib/ may be moved only together.");
  return "";
}

}  // namespace syncline
