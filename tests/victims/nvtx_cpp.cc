// SPDX-License-Identifier: Apache-2.0
// The C++ interface: domains, registered strings, categories, colours and payloads, and a library
// with its own client.
#include <nvtx3/nvtx3.hpp>

#include <cstdio>
#include <thread>

extern "C" void user_work();

struct SolverDomain {
  static constexpr char const* name{"solver"};
};
struct StepMessage {
  static constexpr char const* message{"registered step"};
};
struct IoCategory {
  static constexpr char const* name{"io"};
  static constexpr uint32_t id{7};
};

namespace {
struct AtStart {
  AtStart() { nvtx3::scoped_range range{"program static initialiser"}; }
} at_start;

void Step(int number) {
  NVTX3_FUNC_RANGE_IN(SolverDomain);
  nvtx3::scoped_range_in<SolverDomain> range{
      nvtx3::registered_string_in<SolverDomain>::get<StepMessage>(),
      nvtx3::named_category_in<SolverDomain>::get<IoCategory>(), nvtx3::rgb{0, 128, 255},
      nvtx3::payload{number}};
  user_work();
}
}  // namespace

int main() {
  nvtx3::unique_range whole{"whole program"};
  for (int i = 0; i < 3; ++i) Step(i);
  std::thread([] { nvtx3::scoped_range range{"in a thread"}; }).join();
  nvtx3::mark("end");
  std::puts("done");
  return 0;
}
