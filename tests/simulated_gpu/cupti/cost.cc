// SPDX-License-Identifier: Apache-2.0
// A thread of the program spins, as it would work in the real library.
#include "tests/simulated_gpu/cupti/cost.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simgpu::cupti {
namespace {

std::chrono::microseconds CostOfEnvironment() {
  const char* text = std::getenv("SIMGPU_CUPTI_COST");
  if (text == nullptr || *text == '\0') return {};
  char* end = nullptr;
  const long us = std::strtol(text, &end, 10);
  if (end == text || us < 0 || us > 1'000'000 || std::strcmp(end, "us") != 0) {
    std::fprintf(stderr, "simulated CUPTI: SIMGPU_CUPTI_COST=%s is no time such as 40us\n", text);
    std::_Exit(125);
  }
  return std::chrono::microseconds(us);
}

}  // namespace

void Spend() {
  static const std::chrono::microseconds cost = CostOfEnvironment();
  if (cost.count() == 0) return;
  const auto end = std::chrono::steady_clock::now() + cost;
  while (std::chrono::steady_clock::now() < end) continue;
}

}  // namespace simgpu::cupti
