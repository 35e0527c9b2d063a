/* SPDX-License-Identifier: Apache-2.0 */
/* Twenty steps in which the rank SLOW computes 30 ms and the others 5 ms: `mpi_uneven SLOW MEET`.
 * MEET: `range` meets at a barrier in a range of its own, `bare` at one in none, `never` at none;
 * `started` as `range`, by start/end ranges with one around each step.
 */
#include <mpi.h>

#include "range.h"

static int started;

static nvtxRangeId_t begin(const char* name) {
  if (started) return nvtxRangeStartA(name);
  nvtxRangePushA(name);
  return 0;
}

static void end(nvtxRangeId_t range) {
  if (started) nvtxRangeEnd(range);
  if (!started) nvtxRangePop();
}

static void barrier(const char* meet) {
  if (!strcmp(meet, "never")) return;
  const int in_range = strcmp(meet, "bare") != 0;
  const nvtxRangeId_t range = in_range ? begin("MPI_Barrier") : 0;
  MPI_Barrier(MPI_COMM_WORLD);
  if (in_range) end(range);
}

int main(int argc, char** argv) {
  require(argc == 3, "mpi_uneven SLOW MEET");
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  started = !strcmp(argv[2], "started");
  for (int step = 0; step < 20; ++step) {
    const nvtxRangeId_t whole = started ? nvtxRangeStartA("around") : 0;
    nvtxRangeId_t range = begin("load");
    usleep(2000);
    end(range);
    range = begin("compute");
    usleep(rank == atoi(argv[1]) ? 30000 : 5000);
    end(range);
    barrier(argv[2]);
    if (started) nvtxRangeEnd(whole);
  }
  MPI_Finalize();
  return 0;
}
