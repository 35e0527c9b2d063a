// SPDX-License-Identifier: Apache-2.0
// The ways in which a program ends: with work in flight, with threads that still call, after a fork, in a static destructor,
// by exit inside a function, by _exit, by a signal.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>

#include "check.h"

__global__ void Busy(float* x) { x[threadIdx.x] += 1; }

static float* memory = nullptr;

// Calls after main has returned.
struct CallsLate {
  ~CallsLate() {
    if (memory == nullptr) return;
    Busy<<<1, 32>>>(memory);
    cudaDeviceSynchronize();
    cudaFree(memory);
    std::puts("late calls done");
  }
};
static CallsLate calls_late;

static void Sleep(void*) { usleep(20000); }

static void Forked() {
  const pid_t child = fork();
  if (child == 0) {
    // CUDA does not survive a fork.
    float* mine = nullptr;
    const cudaError_t error = cudaMalloc(&mine, 64);
    _exit(error == cudaErrorInitializationError ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  Busy<<<1, 32>>>(memory);
  CUDA(cudaDeviceSynchronize());
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  float* mine = nullptr;
  CUDA(cudaMalloc(&mine, 4096));
  Busy<<<1, 32>>>(mine);
  CUDA(cudaLaunchHostFunc(nullptr, Sleep, nullptr));
  Busy<<<1, 32>>>(mine);
  if (std::strcmp(how, "destructor") == 0) memory = mine;
  if (std::strcmp(how, "fork") == 0) {
    memory = mine;
    Forked();
    memory = nullptr;
  }
  if (std::strcmp(how, "threads") == 0) {
    for (int i = 0; i < 4; ++i) {
      std::thread([mine] {
        for (;;) {
          Busy<<<1, 32>>>(mine);
          cudaStreamSynchronize(nullptr);
        }
      }).detach();
    }
    usleep(30000);
  }
  if (std::strcmp(how, "kill") == 0) raise(SIGKILL);
  if (std::strcmp(how, "_exit") == 0) _exit(3);
  if (std::strcmp(how, "exit") == 0) std::exit(4);
  return 0;
}
