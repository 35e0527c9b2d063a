// SPDX-License-Identifier: Apache-2.0
// CUPTI of NVIDIA's Python wheels, which no loader's search path names.
#pragma once

#include <string>

namespace syncline {

// The folder of libcupti.so.13 or .12 in the Python environment of this job: that of `program` (a
// path, or empty), of VIRTUAL_ENV, of CONDA_PREFIX, of the first python3 in PATH, and of this
// launcher, in this order. "": there is none. Reads a few folders.
std::string FindCuptiFolder(const std::string& program);

}  // namespace syncline
