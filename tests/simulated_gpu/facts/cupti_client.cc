// SPDX-License-Identifier: Apache-2.0
// Loads CUPTI, and keeps callbacks and records.
#include "tests/simulated_gpu/facts/cupti_client.h"

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <set>

namespace facts {
namespace {

constexpr size_t kBufferSize = 1 << 20, kLongestRecord = 512;

long ThreadId() { return syscall(SYS_gettid); }

struct State {
  std::mutex mutex;
  std::vector<SeenCall> calls;
  std::vector<SeenRecord> records[Client::kClients];
  std::set<uint8_t*> buffers[Client::kClients];
  std::set<std::string> requested_on, completed_on;
  int exits = 0, unknown_buffers = 0;
  long main_thread = ThreadId();
};

// Leaked: CUPTI's thread may come back while the program ends.
State& TheState() {
  static State& state = *new State;
  return state;
}

std::string ThisThread() { return ThreadId() == TheState().main_thread ? "application" : "other"; }

thread_local int t_depth = 0;

void CUPTIAPI OnCallback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                         const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API && domain != CUPTI_CB_DOMAIN_DRIVER_API) return;
  const auto* call = static_cast<const CUpti_CallbackData*>(data);
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  if (call->callbackSite == CUPTI_API_EXIT) {
    --t_depth;
    ++state.exits;
    return;
  }
  const auto text = [](const char* string) { return std::string(string == nullptr ? "" : string); };
  state.calls.push_back({domain, cbid, call->correlationId, t_depth, text(call->functionName),
                         text(call->symbolName), call->functionParams != nullptr});
  ++t_depth;
}

void Request(int client, uint8_t** buffer, size_t* size, size_t* max_records) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.requested_on.insert(ThisThread());
  *size = kBufferSize;
  *max_records = 0;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, kBufferSize));
  state.buffers[client].insert(*buffer);
}

void Complete(int client, uint8_t* buffer, size_t valid) {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.completed_on.insert(ThisThread());
  state.unknown_buffers += state.buffers[client].erase(buffer) == 0;
  CUpti_Activity* record = nullptr;
  while (FindCupti()->cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    const auto* bytes = reinterpret_cast<uint8_t*>(record);
    SeenRecord seen{static_cast<uint32_t>(record->kind), std::vector<uint8_t>(kLongestRecord, 0)};
    std::memcpy(seen.bytes.data(), bytes,
                std::min(kLongestRecord, static_cast<size_t>(buffer + valid - bytes)));
    state.records[client].push_back(seen);
  }
  std::free(buffer);
}

template <int kClient>
void CUPTIAPI RequestOf(uint8_t** buffer, size_t* size, size_t* max_records) {
  Request(kClient, buffer, size, max_records);
}
template <int kClient>
void CUPTIAPI CompleteOf(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  Complete(kClient, buffer, valid);
}

std::string Joined(const std::set<std::string>& threads) {
  if (threads.empty()) return "never";
  return threads.size() > 1 ? "both" : *threads.begin();
}

}  // namespace

const Cupti* FindCupti() {
  static const Cupti* const found = []() -> const Cupti* {
    void* library = dlopen("libcupti.so.13", RTLD_NOW);
    if (library == nullptr) library = dlopen("libcupti.so.12", RTLD_NOW);
    if (library == nullptr) return nullptr;
    auto* cupti = new Cupti;
    bool complete = true;
#define FACTS_CUPTI_FIND(name)                                                  \
  cupti->name = reinterpret_cast<decltype(cupti->name)>(dlsym(library, #name)); \
  complete = complete && cupti->name != nullptr;
    FACTS_CUPTI_FUNCTIONS(FACTS_CUPTI_FIND)
#undef FACTS_CUPTI_FIND
    cupti->cuptiSubscribe_v2 =
        reinterpret_cast<decltype(cupti->cuptiSubscribe_v2)>(dlsym(library, "cuptiSubscribe_v2"));
    return complete ? cupti : nullptr;
  }();
  return found;
}

CUptiResult Client::Subscribe(CUpti_SubscriberHandle* handle) {
  TheState();
  return FindCupti()->cuptiSubscribe(handle, OnCallback, nullptr);
}

CUptiResult Client::Register(int client) {
  TheState();
  return client == 0 ? FindCupti()->cuptiActivityRegisterCallbacks(RequestOf<0>, CompleteOf<0>)
                     : FindCupti()->cuptiActivityRegisterCallbacks(RequestOf<1>, CompleteOf<1>);
}

void Client::Forget() {
  State& state = TheState();
  std::lock_guard<std::mutex> lock(state.mutex);
  state.calls.clear();
  for (auto& records : state.records) records.clear();
  state.requested_on.clear();
  state.completed_on.clear();
  state.exits = 0;
}

std::vector<SeenCall> Client::Calls() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().calls;
}

std::vector<SeenRecord> Client::Records(int client) {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().records[client];
}

std::vector<SeenRecord> Client::Records(uint32_t kind, int client) {
  std::vector<SeenRecord> found;
  for (const SeenRecord& record : Records(client)) {
    if (record.kind == kind) found.push_back(record);
  }
  return found;
}

int Client::Exits() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().exits;
}

std::string Client::RequestedOn() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return Joined(TheState().requested_on);
}

std::string Client::CompletedOn() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return Joined(TheState().completed_on);
}

int Client::UnknownBuffers() {
  std::lock_guard<std::mutex> lock(TheState().mutex);
  return TheState().unknown_buffers;
}

}  // namespace facts
