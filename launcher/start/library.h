// SPDX-License-Identifier: Apache-2.0
// Where this installation's files are, relative to the launcher itself.
#pragma once

#include <string>

namespace syncline {

// The running launcher, without links.
std::string OwnPath();

// libsyncline.so of this installation: ../lib, ../lib64 or ../lib/MULTIARCH of the launcher's
// folder. "": not there, and *error says what, why, what to do.
std::string FindLibrary(std::string* error);

}  // namespace syncline
