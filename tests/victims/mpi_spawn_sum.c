/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes are started by MPI_Comm_spawn; all that take part have ranges. */
#include <mpi.h>

#include "range.h"

int main(int argc, char** argv) {
  (void)argc;
  MPI_Init(NULL, NULL);
  one_range("in MPI");
  MPI_Comm others, all;
  MPI_Comm_get_parent(&others);
  const int is_child = others != MPI_COMM_NULL;
  if (!is_child) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
  }
  MPI_Intercomm_merge(others, is_child, &all);
  int rank = 0, sum = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, all);
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&others); /* else Open MPI writes to those that are gone: SIGPIPE */
  MPI_Finalize();
  return 0;
}
