// SPDX-License-Identifier: Apache-2.0
// NCCL's functions as the test program calls them: declared without NCCL's header, which need not
// be there.
#pragma once

#include <cstddef>

#include "tests/simulated_gpu/libraries/nccl/types.h"

extern "C" {
using simgpu::nccl::Config;
using simgpu::nccl::UniqueId;
int ncclGetUniqueId(UniqueId* id);
int ncclCommInitRank(void** comm, int ranks, UniqueId id, int rank);
int ncclCommInitRankConfig(void** comm, int ranks, UniqueId id, int rank, Config* config);
int ncclCommInitAll(void** comms, int devices, const int* list);
int ncclCommSplit(void* comm, int color, int key, void** made, Config* config);
int ncclCommShrink(void* comm, int* excluded, int count, void** made, Config* config, int flags);
int ncclCommDestroy(void* comm);
int ncclCommAbort(void* comm);
int ncclCommGetAsyncError(void* comm, int* error);
int ncclCommCount(const void* comm, int* count);
int ncclCommUserRank(const void* comm, int* rank);
const char* ncclGetLastError(const void* comm);
int ncclGroupStart();
int ncclGroupEnd();
int ncclRedOpCreatePreMulSum(int* reduction, void* scalar, int type, int residence, void* comm);
int ncclRedOpDestroy(int reduction, void* comm);
int ncclAllReduce(const void* send, void* receive, size_t count, int type, int reduction,
                  void* comm, void* stream);
int ncclReduce(const void* send, void* receive, size_t count, int type, int reduction, int root,
               void* comm, void* stream);
int ncclBroadcast(const void* send, void* receive, size_t count, int type, int root, void* comm,
                  void* stream);
int ncclAllGather(const void* send, void* receive, size_t count, int type, void* comm,
                  void* stream);
int ncclReduceScatter(const void* send, void* receive, size_t count, int type, int reduction,
                      void* comm, void* stream);
int ncclAlltoAll(const void* send, void* receive, size_t count, int type, void* comm, void* stream);
int ncclSend(const void* buffer, size_t count, int type, int peer, void* comm, void* stream);
int ncclRecv(void* buffer, size_t count, int type, int peer, void* comm, void* stream);
}
