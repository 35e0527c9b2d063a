// SPDX-License-Identifier: Apache-2.0
// libcusolver, the dense routines: handles and workspaces. Each routine that computes is a
// generated launch.
#include "tests/simulated_gpu/libraries/plain_handle.h"
#include "tests/simulated_gpu/libraries/routine_forms.h"

using simgpu::libraries::kSuccess;

SIMGPU_PLAIN_HANDLE(cusolverDn, 20)

// X(name): objects whose contents nothing depends on.
#define SIMGPU_EMPTY_OBJECTS(X) X(Params) X(GesvdjInfo)
#define SIMGPU_EMPTY(name)                                 \
  SIMGPU_LIBRARY int cusolverDnCreate##name(char** made) { \
    *made = new char;                                      \
    return kSuccess;                                       \
  }                                                        \
  SIMGPU_LIBRARY int cusolverDnDestroy##name(char* it) {   \
    delete it;                                             \
    return kSuccess;                                       \
  }
SIMGPU_EMPTY_OBJECTS(SIMGPU_EMPTY)

SIMGPU_LIBRARY int cusolverDnXgesvdjSetMaxSweeps(char*) { return kSuccess; }
SIMGPU_LIBRARY int cusolverDnXgesvdjSetSortEig(char*) { return kSuccess; }
SIMGPU_LIBRARY int cusolverDnXgesvdjSetTolerance(char*) { return kSuccess; }

// For each element type, then those whose names differ for complex numbers, then the newer forms
// for all types.
#define SIMGPU_FAMILY(letter)                                               \
  SIMGPU_SIZE(cusolverDn##letter##geqrf_bufferSize, 5, int)                 \
  SIMGPU_SIZE(cusolverDn##letter##gesvd_bufferSize, 3, int)                 \
  SIMGPU_SIZE(cusolverDn##letter##gesvdaStridedBatched_bufferSize, 16, int) \
  SIMGPU_SIZE(cusolverDn##letter##gesvdjBatched_bufferSize, 11, int)        \
  SIMGPU_SIZE(cusolverDn##letter##gesvdj_bufferSize, 12, int)               \
  SIMGPU_SIZE(cusolverDn##letter##getrf_bufferSize, 5, int)                 \
  SIMGPU_SIZE(cusolverDn##letter##potrf_bufferSize, 5, int)                 \
  SIMGPU_SIZE(cusolverDn##letter##sytrf_bufferSize, 4, int)                 \
  SIMGPU_ROUTINE(cusolverDn##letter##geqrf, 7)                              \
  SIMGPU_ROUTINE(cusolverDn##letter##gesvd, 14)                             \
  SIMGPU_ROUTINE(cusolverDn##letter##gesvdj, 13)                            \
  SIMGPU_ROUTINE(cusolverDn##letter##getrf, 6)                              \
  SIMGPU_ROUTINE(cusolverDn##letter##getrs, 8)                              \
  SIMGPU_ROUTINE(cusolverDn##letter##potrf, 6)                              \
  SIMGPU_ROUTINE(cusolverDn##letter##potrs, 7)                              \
  SIMGPU_ROUTINE(cusolverDn##letter##potrsBatched, 7)                       \
  SIMGPU_ROUTINE(cusolverDn##letter##sytrf, 7)                              \
  SIMGPU_BATCH(cusolverDn##letter##potrfBatched, 4)                         \
  SIMGPU_BATCH_WITH_PARAMETERS(cusolverDn##letter##gesvdjBatched, 12)       \
  SIMGPU_BATCH_WITH_PARAMETERS(cusolverDn##letter##gesvdaStridedBatched, 17)
#define SIMGPU_NAMED_FAMILY(letter, symmetric, orthogonal)                  \
  SIMGPU_SIZE(cusolverDn##letter##symmetric##evd_bufferSize, 7, int)        \
  SIMGPU_SIZE(cusolverDn##letter##symmetric##evjBatched_bufferSize, 7, int) \
  SIMGPU_SIZE(cusolverDn##letter##orthogonal##gqr_bufferSize, 7, int)       \
  SIMGPU_SIZE(cusolverDn##letter##orthogonal##mqr_bufferSize, 11, int)      \
  SIMGPU_ROUTINE(cusolverDn##letter##symmetric##evd, 8)                     \
  SIMGPU_ROUTINE(cusolverDn##letter##orthogonal##gqr, 8)                    \
  SIMGPU_ROUTINE(cusolverDn##letter##orthogonal##mqr, 12)                   \
  SIMGPU_BATCH_WITH_PARAMETERS(cusolverDn##letter##symmetric##evjBatched, 8)
SIMGPU_FAMILY(S)
SIMGPU_FAMILY(D)
SIMGPU_FAMILY(C)
SIMGPU_FAMILY(Z)
SIMGPU_NAMED_FAMILY(S, sy, or)
SIMGPU_NAMED_FAMILY(D, sy, or)
SIMGPU_NAMED_FAMILY(C, he, un)
SIMGPU_NAMED_FAMILY(Z, he, un)
SIMGPU_SIZES(cusolverDnXgeev_bufferSize, 17)
SIMGPU_SIZES(cusolverDnXgeqrf_bufferSize, 10)
SIMGPU_SIZES(cusolverDnXpotrf_bufferSize, 8)
SIMGPU_SIZES(cusolverDnXsyevBatched_bufferSize, 11)
SIMGPU_SIZES(cusolverDnXsyevd_bufferSize, 11)
SIMGPU_SIZES(cusolverDnXsytrs_bufferSize, 11)
SIMGPU_ROUTINE(cusolverDnXgeev, 20)
SIMGPU_ROUTINE(cusolverDnXgeqrf, 13)
SIMGPU_ROUTINE(cusolverDnXpotrf, 11)
SIMGPU_ROUTINE(cusolverDnXpotrs, 10)
SIMGPU_ROUTINE(cusolverDnXsyevd, 14)
SIMGPU_ROUTINE(cusolverDnXsytrs, 14)
SIMGPU_BATCH(cusolverDnXsyevBatched, 14)
