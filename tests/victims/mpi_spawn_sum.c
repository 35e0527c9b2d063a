/* SPDX-License-Identifier: Apache-2.0 */
/* Two processes are started by MPI_Comm_spawn; all that take part have ranges. */
#include <mpi.h>

#include "range.h"

int main(int argc, char** argv) {
  (void)argc;
  MPI_Init(NULL, NULL);
  one_range("in MPI");
  MPI_Comm parent, all, children;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                   MPI_ERRCODES_IGNORE);
    MPI_Intercomm_merge(children, 0, &all);
  } else {
    MPI_Intercomm_merge(parent, 1, &all);
  }
  int rank = 0, sum = 0;
  MPI_Comm_rank(all, &rank);
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, all);
  if (rank == 0) printf("sum %d\n", sum);
  MPI_Finalize();
  return 0;
}
