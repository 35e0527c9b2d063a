/* SPDX-License-Identifier: Apache-2.0 */
/* Two worlds: its ranks start two more of itself by MPI_Comm_spawn; each world has a range of its
 * own. */
#include <mpi.h>

#include "range.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent, others;
  MPI_Comm_get_parent(&parent);
  const int is_first = parent == MPI_COMM_NULL;
  for (int i = 0; i < (is_first ? 3 : 5); ++i) {
    nvtxRangePushA(is_first ? "of the first world" : "of the second world");
    nvtxRangePop();
  }
  if (is_first)
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
  else
    others = parent;
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return 0;
}
