// SPDX-License-Identifier: Apache-2.0
// Where the job's Python may have packages, which no loader's search path names.
#pragma once

#include <string>
#include <vector>

namespace syncline {

// Prefixes ("/env" of "/env/bin/python"): that of `program` (a path, or empty), VIRTUAL_ENV,
// CONDA_PREFIX, that of the first python3 in PATH, and of this launcher, in this order. Of the
// system's it is where pip installs: /usr/local.
std::vector<std::string> PythonEnvironments(const std::string& program);

// The folders of its packages, PREFIX/lib/python3*/site-packages or dist-packages.
std::vector<std::string> SitePackages(const std::string& prefix);

}  // namespace syncline
