// SPDX-License-Identifier: Apache-2.0
// CUPTI's functions carry no user data, so each pair of a client's has a pair of its own here. On
// the program's threads and CUPTI's: no lock, no heap.
#include "collectors/cuda/client_buffers.h"

#include "collectors/cuda/activity_buffers.h"

namespace syncline::cuda {
namespace {

constexpr uint32_t kPairs = 4;

// `complete` is written first, once; `request` marks the pair as taken.
struct Pair {
  std::atomic<BufferRequest> request;
  std::atomic<BufferComplete> complete;
};
Pair g_pairs[kPairs];
std::atomic<Pair*> g_last;  // of the client that registered last
std::atomic<ClientState*> g_state;

template <uint32_t index>
void Request(uint8_t** buffer, size_t* bytes, size_t* max_records) {
  // Acquire: pairs with Find's release; the pair was registered after it was filled.
  g_pairs[index].request.load(std::memory_order_acquire)(buffer, bytes, max_records);
  if (*buffer != nullptr) g_state.load(std::memory_order_acquire)->BufferGiven();
}

void Bring(const Pair& pair, void* context, uint32_t stream, uint8_t* buffer, size_t bytes,
           size_t valid) {
  pair.complete.load(std::memory_order_acquire)(context, stream, buffer, bytes, valid);
  // After the client's function: who finds no buffer outstanding may take CUPTI.
  if (buffer != nullptr) g_state.load(std::memory_order_acquire)->BufferBack();
}

template <uint32_t index>
void Complete(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid) {
  if (IsOurBuffer(buffer)) {
    return OnBufferCompleted(static_cast<CUcontext>(context), stream, buffer, bytes, valid);
  }
  Bring(g_pairs[index], context, stream, buffer, bytes, valid);
}

constexpr ClientFunctions kStandIns[kPairs] = {{Request<0>, Complete<0>},
                                               {Request<1>, Complete<1>},
                                               {Request<2>, Complete<2>},
                                               {Request<3>, Complete<3>}};

// The pair's index, taking a free one; kPairs: all are taken.
uint32_t Find(const ClientFunctions& client) {
  for (uint32_t i = 0; i < kPairs; ++i) {
    BufferComplete complete = nullptr;
    if (g_pairs[i].complete.compare_exchange_strong(complete, client.complete)) {
      g_pairs[i].request.store(client.request, std::memory_order_release);
      return i;
    }
    if (complete == client.complete &&
        g_pairs[i].request.load(std::memory_order_acquire) == client.request) {
      return i;
    }
  }
  return kPairs;
}

}  // namespace

ClientFunctions StandInFor(const ClientFunctions& client, ClientState* state, bool* counted) {
  g_state.store(state, std::memory_order_release);
  const uint32_t index = Find(client);
  *counted = index < kPairs;
  if (!*counted) return client;
  g_last.store(&g_pairs[index], std::memory_order_release);
  return kStandIns[index];
}

void BringToClient(void* context, uint32_t stream, uint8_t* buffer, size_t bytes, size_t valid) {
  const Pair* last = g_last.load(std::memory_order_acquire);
  if (last != nullptr) Bring(*last, context, stream, buffer, bytes, valid);
}

}  // namespace syncline::cuda
