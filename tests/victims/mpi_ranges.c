/* SPDX-License-Identifier: Apache-2.0 */
/* An MPI program with ranges; each rank writes its rank into the names. */
#include <mpi.h>

#include "range.h"

int main(int argc, char** argv) {
  nvtxRangePushA("before MPI_Init");
  nvtxRangePop();
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char name[64];
  snprintf(name, sizeof name, "rank %d of %d", rank, size);
  nvtxRangePushA(name);
  for (int step = 0; step < 3; ++step) {
    nvtxRangePushA("step");
    nvtxRangePushA("allreduce");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    nvtxRangePop();
    nvtxRangePop();
  }
  nvtxRangePop();
  printf("rank %d sum %d\n", rank, sum);
  MPI_Finalize();
  return 0;
}
