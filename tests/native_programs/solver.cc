// SPDX-License-Identifier: Apache-2.0
// Waits for the GPU in functions of every kind. A line that ends with "waits" and a name is one
// that waits, in that function.
#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <thread>

extern "C" int cudaDeviceSynchronize();

static int g_waits;
// What follows a call keeps it from becoming a jump, and functions from being the same to the
// compiler.
#define KEEP (g_waits += __LINE__)

namespace {
__attribute__((noinline)) void hidden() {
  cudaDeviceSynchronize();  // waits (anonymous namespace)::hidden
  KEEP;
}
}  // namespace

namespace solver {

template <typename T>
struct Grid {
  __attribute__((noinline)) void relax(T) {
    cudaDeviceSynchronize();  // waits solver::Grid<double>::relax
    KEEP;
  }
};

struct Base {
  virtual ~Base() = default;
  virtual void step() = 0;
};
struct Explicit : Base {
  __attribute__((noinline)) void step() override {
    cudaDeviceSynchronize();  // waits solver::Explicit::step
    KEEP;
  }
};

inline __attribute__((always_inline)) void converge() {
  cudaDeviceSynchronize();  // waits solver::converge
  KEEP;
}

__attribute__((noinline)) int recurse(int depth) {
  if (depth == 0) {
    cudaDeviceSynchronize();  // waits solver::recurse
    return KEEP;
  }
  return recurse(depth - 1) + KEEP;
}

__attribute__((noinline)) void raise() {
  cudaDeviceSynchronize();  // waits solver::raise
  KEEP;
  throw 1;
}

}  // namespace solver

extern "C" __attribute__((noinline)) void c_function() {
  cudaDeviceSynchronize();  // waits c_function
  KEEP;
}

int main(int, char** arguments) {
  hidden();
  solver::Grid<double>().relax(1);
  solver::Base* volatile base = new solver::Explicit;
  base->step();
  delete base;
  solver::converge();
  solver::recurse(60);
  c_function();
  try {
    solver::raise();
  } catch (int) {
    KEEP;
  }
  std::thread([] { c_function(); }).join();
  void* library = dlopen(arguments[1], RTLD_NOW);
  auto* plug = reinterpret_cast<void (*)()>(library == nullptr ? nullptr : dlsym(library, "plug"));
  if (plug == nullptr) return 1;
  plug();
  std::printf("%s\n", g_waits > 8 ? "done" : "?");
}
