// SPDX-License-Identifier: Apache-2.0
// libnvrtc: programs are accepted uncompiled; a kernel's lowered name is the one that was asked
// for.
#include <cstring>
#include <set>
#include <string>

#include "tests/simulated_gpu/libraries/abi.h"

namespace {

constexpr int kSuccess = 0, kInvalidProgram = 4, kNameNotThere = 10;
// What the simulated driver takes for images.
constexpr char kCubin[] = "\177ELF";
constexpr char kPtx[] = "// simulated\n";

struct Program {
  std::set<std::string> names;  // elements do not move
};

}  // namespace

SIMGPU_LIBRARY int nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return kSuccess;
}

SIMGPU_LIBRARY int nvrtcCreateProgram(Program** program) {
  *program = new Program;
  return kSuccess;
}

SIMGPU_LIBRARY int nvrtcDestroyProgram(Program** program) {
  if (program == nullptr || *program == nullptr) return kInvalidProgram;
  delete *program;
  *program = nullptr;
  return kSuccess;
}

SIMGPU_LIBRARY int nvrtcCompileProgram(Program*) { return kSuccess; }

SIMGPU_LIBRARY int nvrtcGetCUBINSize(Program*, size_t* bytes) {
  *bytes = sizeof kCubin;
  return kSuccess;
}

SIMGPU_LIBRARY int nvrtcGetCUBIN(Program*, char* image) {
  std::memcpy(image, kCubin, sizeof kCubin);
  return kSuccess;
}

SIMGPU_LIBRARY int nvrtcGetPTXSize(Program*, size_t* bytes) {
  *bytes = sizeof kPtx;
  return kSuccess;
}

SIMGPU_LIBRARY int nvrtcGetPTX(Program*, char* text) {
  std::memcpy(text, kPtx, sizeof kPtx);
  return kSuccess;
}

SIMGPU_LIBRARY int nvrtcGetProgramLogSize(Program*, size_t* bytes) {
  *bytes = 1;
  return kSuccess;
}

SIMGPU_LIBRARY int nvrtcGetProgramLog(Program*, char* log) {
  *log = '\0';
  return kSuccess;
}

SIMGPU_LIBRARY int nvrtcAddNameExpression(Program* program, const char* name) {
  program->names.insert(name);
  return kSuccess;
}

SIMGPU_LIBRARY int nvrtcGetLoweredName(Program* program, const char* name, const char** lowered) {
  const auto found = program->names.find(name);
  if (found == program->names.end()) return kNameNotThere;
  *lowered = found->c_str();
  return kSuccess;
}
