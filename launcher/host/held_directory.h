// SPDX-License-Identifier: Apache-2.0
// The directory of the run that this launcher records, held by a descriptor: whoever moves it, or
// puts another one or a link in its place, changes its name, and not where our files go.
#pragma once

#include <string>

namespace syncline {

// Keeps the directory from systemd-tmpfiles too (DirectoryHold). Returns a path that leads there
// whatever its name is from now on; `path` itself where there is no /proc. One directory per
// process, or a second one in its place. Main thread, while no other one names files.
std::string HoldDirectory(const std::string& path);

// A path at or below the held one as others find it: the name that was asked for while it leads
// there, else the one that it has now. Of any other path: the path.
std::string NameOfHeld(const std::string& path);

// A text for people in which the held path may occur, with the name instead.
std::string WithNameOfHeld(std::string text);

}  // namespace syncline
