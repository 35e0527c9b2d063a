// SPDX-License-Identifier: Apache-2.0
// The ways in which a program ends: with work in flight, with threads that still call, after a fork, in a static destructor,
// by exit inside a function, by _exit, by a system call, by a signal, by one after calls that gave the GPU nothing, and with the last thread where
// the first one left early.
#include <pthread.h>
#include <sys/syscall.h>
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

// Calls that succeed and give the GPU nothing, one that fails, and four that give it something.
static void Owing(float* mine) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  Busy<<<1, 32, 0, stream>>>(mine);
  CUDA(cudaMemsetAsync(mine, 0, 64, stream));
  CUDA(cudaStreamEndCapture(stream, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaMemcpyAsync(mine, mine + 512, 0, cudaMemcpyDeviceToDevice, stream));
  CUDA(cudaMemset(mine, 0, 0));
  CUDA(cudaMemset2DAsync(mine, 64, 0, 16, 0, stream));
  CUDA(cudaMemcpy2DAsync(mine, 64, mine + 512, 64, 0, 4, cudaMemcpyDeviceToDevice, stream));
  cudaMemcpy3DParms box = {};
  box.srcPtr = make_cudaPitchedPtr(mine, 64, 16, 4);
  box.dstPtr = make_cudaPitchedPtr(mine + 512, 64, 16, 4);
  box.extent = make_cudaExtent(16, 4, 0);
  box.kind = cudaMemcpyDeviceToDevice;
  CUDA(cudaMemcpy3DAsync(&box, stream));
  CUDA(cudaMemset3DAsync(box.srcPtr, 0, make_cudaExtent(16, 0, 1), stream));
  CUDA_FAILS(cudaErrorInvalidValue, cudaMemsetAsync(nullptr, 0, 64, stream));
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaMemsetAsync(mine, 0, 64, stream));
  CUDA(cudaMemcpyAsync(mine, mine + 512, 64, cudaMemcpyDeviceToDevice, stream));
  Busy<<<1, 32, 0, stream>>>(mine);
}

// Before a host function makes the driver start a thread, which would keep the process alive.
static void FirstLeaves(float* mine, bool another) {
  if (another) {
    std::thread([mine] {
      usleep(20000);
      Busy<<<1, 32>>>(mine);
      CUDA(cudaDeviceSynchronize());
      std::puts("late calls done");
    }).detach();
  }
  pthread_exit(nullptr);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  float* mine = nullptr;
  CUDA(cudaMalloc(&mine, 4096));
  Busy<<<1, 32>>>(mine);
  if (std::strncmp(how, "first_leaves", 12) == 0)
    FirstLeaves(mine, std::strcmp(how, "first_leaves") == 0);
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
  if (std::strcmp(how, "owing") == 0) Owing(mine);
  if (std::strcmp(how, "kill") == 0 || std::strcmp(how, "owing") == 0) raise(SIGKILL);
  if (std::strcmp(how, "syscall") == 0) {  // as Go programs leave; with an idle GPU
    CUDA(cudaDeviceSynchronize());
    usleep(700000);
    syscall(SYS_exit_group, 5);
  }
  if (std::strcmp(how, "_exit") == 0) _exit(3);
  if (std::strcmp(how, "exit") == 0) std::exit(4);
  return 0;
}
