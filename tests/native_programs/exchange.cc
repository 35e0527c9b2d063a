// SPDX-License-Identifier: Apache-2.0
// Two ranks of MPI that exchange what lies at their border, each in a way that one line costs most,
// which a comment names.
//
// exchange CASE
#include <cuda_runtime_api.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kSteps = 25, kCount = 4096, kSide = 256;
constexpr size_t kBytes = kCount * sizeof(double);

int g_rank = 0, g_ranks = 0;
void* g_handle = nullptr;
double* g_device = nullptr;
float* g_matrix = nullptr;
std::vector<double> g_out(kCount), g_in(kCount);

void Check(int status) {
  if (status != 0) std::abort();
}

}  // namespace

extern "C" int cublasCreate_v2(void** handle);
extern "C" int cublasSgemm_v2(void* handle, int, int, int m, int n, int k, const float* alpha,
                              const float* a, int lda, const float* b, int ldb, const float* beta,
                              float* c, int ldc);

namespace {

void Compute() {
  const float one = 1, zero = 0;
  Check(cublasSgemm_v2(g_handle, 0, 0, kSide, kSide, kSide, &one, g_matrix, kSide, g_matrix, kSide,
                       &zero, g_matrix, kSide));
}

void Exchange() {
  const int next = (g_rank + 1) % g_ranks, before = (g_rank + g_ranks - 1) % g_ranks;
  double *out = g_out.data(), *in = g_in.data();
  Check(cudaMemcpy(out, g_device, kBytes, cudaMemcpyDeviceToHost));  // also: late_neighbour
  MPI_Sendrecv(out, kCount, MPI_DOUBLE, next, 0,                     // answer: late_neighbour
               in, kCount, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Check(cudaMemcpy(g_device, in, kBytes, cudaMemcpyHostToDevice));  // also: late_neighbour
}

void Chemistry() { usleep(8000); }

void LateNeighbour() {
  for (int step = 0; step < kSteps; ++step) {
    Compute();
    if (g_rank == 1) Chemistry();  // answer: late_neighbour
    Exchange();                    // answer: late_neighbour
  }
}

void SerialOutput() {
  double sum = 0, *values = g_out.data();
  char text[64];
  for (int step = 0; step < kSteps; ++step) {
    Compute();
    Check(cudaMemcpy(values, g_device, kBytes, cudaMemcpyDeviceToHost));  // also: serial_output
    for (int i = 0; g_rank == 0 && i < 4 * kCount; ++i)
      sum +=
          std::snprintf(text, sizeof(text), "%.17g", values[i % kCount]);  // answer: serial_output
    MPI_Barrier(MPI_COMM_WORLD);                                           // answer: serial_output
  }
  if (g_rank == 0) std::printf("%g\n", sum);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &g_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g_ranks);
  Check(cudaSetDevice(g_rank));
  Check(cublasCreate_v2(&g_handle));
  Check(cudaMalloc(reinterpret_cast<void**>(&g_device), kBytes));
  Check(cudaMalloc(reinterpret_cast<void**>(&g_matrix), kSide * kSide * sizeof(float)));
  Compute();
  Check(cudaDeviceSynchronize());
  MPI_Barrier(MPI_COMM_WORLD);
  const char* const which = argc > 1 ? argv[1] : "";
  if (std::strcmp(which, "late_neighbour") == 0) LateNeighbour();
  if (std::strcmp(which, "serial_output") == 0) SerialOutput();
  Check(cudaDeviceSynchronize());
  MPI_Finalize();
  return 0;
}
