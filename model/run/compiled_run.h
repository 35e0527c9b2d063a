// SPDX-License-Identifier: Apache-2.0
// What a framework's compiler did in one program's life, with times on the job's line.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/devices/compile_log.h"
#include "model/run/code_location.h"

namespace syncline {

struct Compilation {
  CompileEvent event;     // its own times, and those of its phases, are on the job's line
  uint64_t end_ns = 0;    // of a compilation with a begin
  uint64_t error_ns = 0;  // how far its times may be off, beyond that of the program's own clock
};

// Where a generated kernel comes from, as people read it. Of graphs that are not of one opinion
// each is told: "0/0: aten.add; 1/0: aten.mul".
struct KernelOrigin {
  std::string operators;  // "aten.add, aten.relu"; empty: not known
  std::string lines;      // "train.py:5,6 f()"; empty: not known
};

struct CompiledRun {
  std::string source;                     // whose compiler
  std::string words;                      // what people call it
  std::vector<Compilation> compilations;  // by begin; of unknown begin first
  std::vector<CompiledPart> parts;
  std::map<std::string, KernelOrigin> kernels;  // by name; the generated ones of `parts`
};

// "train.py:12 forward()"; of what is not known as much as there is.
std::string CompiledWhere(const CompileEvent& event, const OwnCode& own);
// "aten.add, aten.relu"
std::string OperatorsText(const CompiledPart& part);
// "train.py:5,6 f(), model.py:3 g()"
std::string LinesText(const CompiledPart& part, const OwnCode& own);
// Fills in `kernels`.
void NameKernels(const OwnCode& own, CompiledRun* run);

}  // namespace syncline
