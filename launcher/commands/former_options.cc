// SPDX-License-Identifier: Apache-2.0
// One row a name.
#include "launcher/commands/former_options.h"

#include <cstdlib>

#include "base/text.h"
#include "inject/core/options.h"

namespace syncline {
namespace {

struct Former {
  size_t index;
  const char* flag;
  const char* variable;
};

constexpr Former kFormer[] = {
    {OptionIndex("gpu.gap"), "--cuda-gap", "SYNCLINE_CUDA_GAP"},  // until 0.1.0
};

std::string Flag(size_t index) {
  char name[64];
  OptionFlag(index, name);
  return name;
}

}  // namespace

std::string FormerFlag(size_t index) {
  for (const Former& former : kFormer) {
    if (former.index == index) return former.flag;
  }
  return "";
}

std::vector<std::string> FormerFlagNotes(const std::vector<std::string>& words) {
  std::vector<std::string> notes;
  for (const Former& former : kFormer) {
    for (const std::string& word : words) {
      if (word.substr(0, word.find('=')) != former.flag) continue;
      notes.push_back(Text(former.flag, " is called ", Flag(former.index),
                           " now; the old name will be removed."));
      break;
    }
  }
  return notes;
}

std::vector<std::string> AdoptFormerVariables() {
  std::vector<std::string> notes;
  for (const Former& former : kFormer) {
    const char* const value = Environment(former.variable);
    if (value == nullptr) continue;
    char name[64];
    OptionVariable(former.index, name);
    setenv(name, value, 0);
    notes.push_back(Text("the variable ", former.variable, " is called ", name,
                         " now; the old name will be removed."));
    unsetenv(former.variable);
  }
  return notes;
}

}  // namespace syncline
