// SPDX-License-Identifier: Apache-2.0
// The libraries of testing/native_victims/, and where they call.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace syncline::testing {

// "whole.so" in the folder beside the tests.
std::string VictimPath(const std::string& name);

// The addresses of the calls on the stack when VictimRun() calls back, the innermost first: those
// of Solver::run (with what is inlined there), Hidden, the lambda and VictimRun. What is stripped
// of a victim has the same. Empty: it could not be loaded.
const std::vector<uint64_t>& VictimCalls(const std::string& name = "whole.so");

inline std::string BytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

inline void WriteBytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace syncline::testing
