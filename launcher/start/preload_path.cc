// SPDX-License-Identifier: Apache-2.0
// $PLATFORM is AT_PLATFORM, which the kernel gives, or from glibc 2.26 to 2.36 "haswell" or
// "xeon_phi" where the processor is one.
#include "launcher/start/preload_path.h"

#include <sys/auxv.h>

#include <filesystem>

#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"

namespace syncline {

std::string PreloadPath(const std::string& library) {
  const std::string folder = library.substr(0, library.rfind('/')) + "/syncline";
  // Another file than the collectors' doors name would be a second copy in the process.
  for (const char* platform : {"x86_64", "haswell", "xeon_phi"}) {
    std::error_code error;
    const std::string path = Text(folder, "/", platform, "/libsyncline.so");
    if (!std::filesystem::equivalent(path, library, error)) return library;
  }
  // A loader that is told of no platform takes no path that names it.
  if (getauxval(AT_PLATFORM) == 0 || !Exists(folder + "/i686/libsyncline.so")) return library;
  return folder + "/$PLATFORM/libsyncline.so";
}

}  // namespace syncline
