// SPDX-License-Identifier: Apache-2.0
// The rows of docs/waits.md about allocating and freeing.
#include <cstdint>

#include "tests/simulated_gpu/facts/waits.h"

namespace facts {
namespace {

void MakeScratch(Things& t) { cudaMalloc(&t.scratch, kBig); }
void MakePinnedScratch(Things& t) { cudaMallocHost(&t.scratch, kBig); }
void MakePoolScratch(Things& t) {
  cudaMallocAsync(&t.scratch, kBig, t.b);
  cudaStreamSynchronize(t.b);
}
void FreeScratch(Things& t) { cudaFree(t.scratch); }

}  // namespace

const std::vector<Row> kAllocationRows = {
    {"malloc", &Things::a, MakeScratch, nullptr, FreeScratch},
    {"malloc.64_mib", &Things::a, [](Things& t) { cudaMalloc(&t.scratch, 64 << 20); }, nullptr,
     FreeScratch},
    {"malloc_managed", &Things::a,
     [](Things& t) { cudaMallocManaged(&t.scratch, kBig, cudaMemAttachGlobal); }, nullptr,
     FreeScratch},
    {"malloc_host", &Things::a, MakePinnedScratch, nullptr,
     [](Things& t) { cudaFreeHost(t.scratch); }},
    {"free", &Things::a, FreeScratch, MakeScratch},
    {"free.non_blocking_busy", &Things::non_blocking, FreeScratch, MakeScratch},
    {"free.null", &Things::a, [](Things&) { cudaFree(nullptr); }},
    {"free.of_malloc_async", &Things::a, FreeScratch, MakePoolScratch},
    {"free_host", &Things::a, [](Things& t) { cudaFreeHost(t.scratch); }, MakePinnedScratch},
    {"host_register", &Things::a, [](Things& t) { cudaHostRegister(t.pageable2, kBig, 0); },
     nullptr, [](Things& t) { cudaHostUnregister(t.pageable2); }},
    {"host_unregister", &Things::a, [](Things& t) { cudaHostUnregister(t.pageable2); },
     [](Things& t) { cudaHostRegister(t.pageable2, kBig, 0); }},
    {"malloc_async.same_stream", &Things::a,
     [](Things& t) { cudaMallocAsync(&t.scratch, kBig, t.a); }, nullptr, FreeScratch},
    {"malloc_async.other_stream", &Things::a,
     [](Things& t) { cudaMallocAsync(&t.scratch, kBig, t.b); }, nullptr, FreeScratch},
    {"free_async.same_stream", &Things::a, [](Things& t) { cudaFreeAsync(t.scratch, t.a); },
     MakePoolScratch},
    {"mem_pool_trim.gives_back", &Things::a,
     [](Things&) {
       cudaMemPool_t pool;
       cudaDeviceGetDefaultMemPool(&pool, 0);
       cudaMemPoolTrimTo(pool, 0);
     },
     [](Things& t) {
       cudaMemPool_t pool;
       cudaDeviceGetDefaultMemPool(&pool, 0);
       uint64_t keep = ~0ull;  // or the synchronisation below would already give it back
       cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
       MakePoolScratch(t);
       cudaFreeAsync(t.scratch, t.b);
       cudaStreamSynchronize(t.b);
     }},
};

}  // namespace facts
