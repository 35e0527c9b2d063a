// SPDX-License-Identifier: Apache-2.0
// The phases of compilations, which the compiler logs as begins and ends (PyTorch 2.5 and later).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "collectors/torch/facts/compile_text.h"
#include "model/devices/compile_log.h"

namespace syncline::torch {

// Memory: kMostPhases of each of kMostOpen compilations.
class CompilePhases {
 public:
  static constexpr size_t kMostPhases = 256;  // the longest
  static constexpr size_t kMostOpen = 4096;
  static constexpr uint64_t kShortestNs = 100'000;

  // An event, of the compilation `of`.
  void Add(const std::string& of, const CompileJson& event);
  // Those that are over, in the order of CompileEvent::phases; they are kept no longer.
  std::vector<CompilePhase> Take(const std::string& of);
  // Beyond the most: are in none.
  uint64_t left_out() const { return left_out_; }

 private:
  struct Of {
    std::vector<CompilePhase> open;  // the outermost first
    std::vector<CompilePhase> over;
  };
  void KeepLongest(std::vector<CompilePhase>* phases);

  std::map<std::string, Of> of_;
  uint64_t left_out_ = 0;
};

}  // namespace syncline::torch
