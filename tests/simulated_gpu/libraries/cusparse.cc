// SPDX-License-Identifier: Apache-2.0
// libcusparse: handles, descriptors, workspaces. Each routine that computes is a generated launch;
// a product of sparse matrices has as many elements as its first factor.
#include <cstdint>

#include "tests/simulated_gpu/libraries/plain_handle.h"
#include "tests/simulated_gpu/libraries/routine_forms.h"

using simgpu::libraries::kSuccess;
using simgpu::libraries::LaunchRoutine;
using Handle = simgpu::libraries::PlainHandle;

namespace {

struct SparseMatrix {
  int64_t rows, columns, elements;
};

}  // namespace

SIMGPU_PLAIN_HANDLE(cusparse, 6)

SIMGPU_LIBRARY int cusparseSetPointerMode(Handle*) { return kSuccess; }

// X(create, destroy): objects whose contents nothing depends on.
#define SIMGPU_EMPTY_OBJECTS(X)                              \
  X(cusparseCreateMatDescr, cusparseDestroyMatDescr)         \
  X(cusparseCreateDnMat, cusparseDestroyDnMat)               \
  X(cusparseCreateDnVec, cusparseDestroyDnVec)               \
  X(cusparseCreateBsrsm2Info, cusparseDestroyBsrsm2Info)     \
  X(cusparseCreateBsrsv2Info, cusparseDestroyBsrsv2Info)     \
  X(cusparseSpGEMM_createDescr, cusparseSpGEMM_destroyDescr) \
  X(cusparseSpSM_createDescr, cusparseSpSM_destroyDescr)     \
  X(cusparseSpSV_createDescr, cusparseSpSV_destroyDescr)
#define SIMGPU_EMPTY(create, destroy)      \
  SIMGPU_LIBRARY int create(char** made) { \
    *made = new char;                      \
    return kSuccess;                       \
  }                                        \
  SIMGPU_LIBRARY int destroy(char* it) {   \
    delete it;                             \
    return kSuccess;                       \
  }
SIMGPU_EMPTY_OBJECTS(SIMGPU_EMPTY)

SIMGPU_LIBRARY int cusparseSetMatDiagType(char*) { return kSuccess; }
SIMGPU_LIBRARY int cusparseSetMatFillMode(char*) { return kSuccess; }
SIMGPU_LIBRARY int cusparseSetMatIndexBase(char*) { return kSuccess; }
SIMGPU_LIBRARY int cusparseSetMatType(char*) { return kSuccess; }
SIMGPU_LIBRARY int cusparseDnMatSetStridedBatch(char*) { return kSuccess; }

SIMGPU_LIBRARY int cusparseCreateCoo(SparseMatrix** matrix, int64_t rows, int64_t columns,
                                     int64_t elements) {
  *matrix = new SparseMatrix{rows, columns, elements};
  return kSuccess;
}

SIMGPU_LIBRARY int cusparseCreateCsr(SparseMatrix** matrix, int64_t rows, int64_t columns,
                                     int64_t elements) {
  return cusparseCreateCoo(matrix, rows, columns, elements);
}

SIMGPU_LIBRARY int cusparseDestroySpMat(SparseMatrix* matrix) {
  delete matrix;
  return kSuccess;
}

SIMGPU_LIBRARY int cusparseCsrSetPointers(SparseMatrix*) { return kSuccess; }
SIMGPU_LIBRARY int cusparseCsrSetStridedBatch(SparseMatrix*) { return kSuccess; }
SIMGPU_LIBRARY int cusparseSpMatSetAttribute(SparseMatrix*) { return kSuccess; }

SIMGPU_LIBRARY int cusparseSpMatGetSize(const SparseMatrix* matrix, int64_t* rows, int64_t* columns,
                                        int64_t* elements) {
  *rows = matrix->rows;
  *columns = matrix->columns;
  *elements = matrix->elements;
  return kSuccess;
}

// Asked for the size of their buffer first, then called with one.
#define SIMGPU_PRODUCT(name)                                                                  \
  SIMGPU_LIBRARY int name(Handle* handle, int, int, const void*, const SparseMatrix* a,       \
                          const SparseMatrix*, const void*, SparseMatrix* c, int, int, char*, \
                          size_t* bytes, const void* buffer) {                                \
    *bytes = 1024;                                                                            \
    if (buffer == nullptr) return kSuccess;                                                   \
    c->elements = a->elements;                                                                \
    return LaunchRoutine(handle, #name);                                                      \
  }
SIMGPU_PRODUCT(cusparseSpGEMM_workEstimation)
SIMGPU_PRODUCT(cusparseSpGEMM_compute)

// A sum has as many elements as both together, at most.
SIMGPU_LIBRARY int cusparseXcsrgeam2Nnz(Handle* handle, int, int, char*, int elements_a, const int*,
                                        const int*, char*, int elements_b, const int*, const int*,
                                        char*, int*, int* total) {
  *total = elements_a + elements_b;
  return LaunchRoutine(handle, "cusparseXcsrgeam2Nnz");
}

SIMGPU_LIBRARY int cusparseXbsrsm2_zeroPivot(Handle*, char*, int* position) {
  *position = -1;
  return kSuccess;
}

SIMGPU_LIBRARY int cusparseXbsrsv2_zeroPivot(Handle*, char*, int* position) {
  *position = -1;
  return kSuccess;
}

#define SIMGPU_SIZES_OF(letter)                             \
  SIMGPU_SIZE(cusparse##letter##bsrsm2_bufferSize, 13, int) \
  SIMGPU_SIZE(cusparse##letter##bsrsv2_bufferSize, 11, int) \
  SIMGPU_SIZE(cusparse##letter##csrgeam2_bufferSizeExt, 19, size_t)
SIMGPU_SIZES_OF(S)
SIMGPU_SIZES_OF(D)
SIMGPU_SIZES_OF(C)
SIMGPU_SIZES_OF(Z)
SIMGPU_SIZE(cusparseSDDMM_bufferSize, 10, size_t)
SIMGPU_SIZE(cusparseSpMM_bufferSize, 10, size_t)
SIMGPU_SIZE(cusparseSpMV_bufferSize, 9, size_t)
SIMGPU_SIZE(cusparseSpSM_bufferSize, 10, size_t)
SIMGPU_SIZE(cusparseSpSV_bufferSize, 9, size_t)
SIMGPU_SIZE(cusparseXcoosort_bufferSizeExt, 6, size_t)
SIMGPU_SIZE(cusparseXcsrsort_bufferSizeExt, 6, size_t)
