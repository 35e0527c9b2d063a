/* SPDX-License-Identifier: Apache-2.0 */
/* Twenty steps in which the rank SLOW computes 30 ms and the others 5 ms: `mpi_uneven SLOW MEET`.
 * MEET: `range` meets at a barrier in a range of its own, `bare` at one in none, `never` at none.
 */
#include <mpi.h>

#include "range.h"

static void barrier(const char* meet) {
  if (!strcmp(meet, "never")) return;
  if (!strcmp(meet, "range")) nvtxRangePushA("MPI_Barrier");
  MPI_Barrier(MPI_COMM_WORLD);
  if (!strcmp(meet, "range")) nvtxRangePop();
}

int main(int argc, char** argv) {
  require(argc == 3, "mpi_uneven SLOW MEET");
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int step = 0; step < 20; ++step) {
    nvtxRangePushA("load");
    usleep(2000);
    nvtxRangePop();
    nvtxRangePushA("compute");
    usleep(rank == atoi(argv[1]) ? 30000 : 5000);
    nvtxRangePop();
    barrier(argv[2]);
  }
  MPI_Finalize();
  return 0;
}
