// SPDX-License-Identifier: Apache-2.0
// The interface: communicators, memory, errors; and what is not modelled.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <numeric>
#include <vector>

#include "tests/simulated_gpu/libraries/nccl/call.h"
#include "tests/simulated_gpu/libraries/nccl/engine.h"
#include "tests/simulated_gpu/libraries/nccl/group.h"
#include "tests/simulated_gpu/libraries/nccl/making.h"
#include "tests/simulated_gpu/stubs/unsupported.h"

namespace simgpu::nccl {
namespace {

constexpr int kVersion = 23007;  // 2.30.7

struct Handles {
  std::mutex mutex;
  std::map<const void*, std::shared_ptr<Communicator>> known;
};

Handles& TheHandles() {  // leaked: libraries are used in destructors
  static auto& handles = *new Handles;
  return handles;
}

constexpr const char* kErrorTexts[kResults] = {
    "no error",
    "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
    "unhandled system error (run with NCCL_DEBUG=INFO for details)",
    "internal error - please report this issue to the NCCL developers",
    "invalid argument (run with NCCL_DEBUG=WARN for details)",
    "invalid usage (run with NCCL_DEBUG=WARN for details)",
    "remote process exited or there was a network error",
    "NCCL operation in progress"};

bool IsBlocking(const Config* config, bool otherwise) {
  constexpr int kUndefined = INT32_MIN;
  if (config == nullptr || config->magic != kConfigMagic || config->blocking == kUndefined)
    return otherwise;
  return config->blocking != 0;
}

Result Init(void** comm, int ranks, const UniqueId& id, int rank, const Config* config, Marked call,
            Range* range) {
  if (comm == nullptr) return Refuse("no place for the communicator was given");
  *comm = nullptr;
  if (ranks < 1 || rank < 0 || rank >= ranks) return Refuse("the rank is not one of the ranks");
  if (ranks > kMostRanks) return Refuse("the simulation has at most 64 ranks");
  const int device = CurrentDevice();
  if (device < 0) return kUnhandledCudaError;
  const std::shared_ptr<Communicator> made =
      MakeOfId(id, rank, ranks, device, IsBlocking(config, true));
  *comm = HandleOf(made);
  const Result result = Await(made);
  range->AtEnd(call, CommMarker{made->number(), ranks, rank, device});
  return result;
}

// Of a communicator that some ranks of another one make.
Result Derive(const std::shared_ptr<Communicator>& parent, std::vector<int> participants, int color,
              int key, void** comm, const Config* config, std::shared_ptr<Communicator>* made) {
  *made = MakeOfParent(parent, std::move(participants), color, key,
                       IsBlocking(config, parent->blocking()));
  *comm = color == kNoColor ? nullptr : HandleOf(*made);
  return Await(*made);
}

Result End(const void* handle, const std::shared_ptr<Communicator>& communicator) {
  communicator->Close();
  Forget(handle);
  return kSuccess;
}

CommMarker MarkerOf(const Communicator& communicator) {
  return {communicator.number(), communicator.ranks(), communicator.rank(), communicator.device()};
}

}  // namespace

void* HandleOf(const std::shared_ptr<Communicator>& communicator) {
  std::lock_guard<std::mutex> lock(TheHandles().mutex);
  TheHandles().known[communicator.get()] = communicator;
  return communicator.get();
}

std::shared_ptr<Communicator> OfHandle(const void* handle) {
  {
    std::lock_guard<std::mutex> lock(TheHandles().mutex);
    const auto found = TheHandles().known.find(handle);
    if (found != TheHandles().known.end()) return found->second;
  }
  Refuse("the communicator is none, or was destroyed");
  return nullptr;
}

void Forget(const void* handle) {
  std::shared_ptr<Communicator> last;  // goes after the lock
  std::lock_guard<std::mutex> lock(TheHandles().mutex);
  const auto found = TheHandles().known.find(handle);
  if (found == TheHandles().known.end()) return;
  last = found->second;
  TheHandles().known.erase(found);
}

Result Refuse(const std::string& why) {
  SetLastError(why);
  return kInvalidArgument;
}

}  // namespace simgpu::nccl

using namespace simgpu::nccl;  // the interface is written in these terms throughout

SIMGPU_NCCL(GetVersion, (int* version)) {
  if (version == nullptr) return kInvalidArgument;
  *version = kVersion;
  return kSuccess;
}

SIMGPU_NCCL(GetUniqueId, (UniqueId * id)) {
  return id == nullptr ? Refuse("no place for the id was given") : MakeId(id);
}

SIMGPU_NCCL(CommInitRank, (void** comm, int ranks, UniqueId id, int rank)) {
  Range range("ncclCommInitRank");
  return Init(comm, ranks, id, rank, nullptr, Marked::CommInitRank, &range);
}

SIMGPU_NCCL(CommInitRankConfig, (void** comm, int ranks, UniqueId id, int rank, Config* config)) {
  Range range("ncclCommInitRankConfig");
  return Init(comm, ranks, id, rank, config, Marked::CommInitRankConfig, &range);
}

SIMGPU_NCCL(CommInitRankScalable,
            (void** comm, int ranks, int rank, int ids, UniqueId* id, Config* config)) {
  Range range("ncclCommInitRankScalable");
  if (ids < 1 || id == nullptr) return Refuse("no id was given");
  return Init(comm, ranks, id[0], rank, config, Marked::CommInitRankScalable, &range);
}

SIMGPU_NCCL(CommInitAll, (void** comms, int devices, const int* list)) {
  Range range("ncclCommInitAll");
  if (comms == nullptr || devices < 1 || devices > kMostRanks) return kInvalidArgument;
  UniqueId id;
  if (const Result error = MakeId(&id)) return error;
  GroupStart();
  for (int rank = 0; rank < devices; ++rank) {
    const std::shared_ptr<Communicator> made =
        MakeOfId(id, rank, devices, list == nullptr ? rank : list[rank], true);
    comms[rank] = HandleOf(made);
    Await(made);
  }
  const Result result = GroupEnd();
  range.AtEnd(Marked::CommInitAll, DevicesMarker{OfHandle(comms[0])->number(), devices});
  return result;
}

SIMGPU_NCCL(CommSplit, (void* comm, int color, int key, void** made_comm, Config* config)) {
  Range range("ncclCommSplit");
  const std::shared_ptr<Communicator> parent = OfHandle(comm);
  if (parent == nullptr || made_comm == nullptr) return kInvalidArgument;
  if (color < kNoColor) return Refuse("the color is negative");
  std::vector<int> all(static_cast<size_t>(parent->ranks()));
  std::iota(all.begin(), all.end(), 0);
  std::shared_ptr<Communicator> made;
  const Result result = Derive(parent, std::move(all), color, key, made_comm, config, &made);
  range.AtEnd(Marked::CommSplit, SplitMarker{made->number(), parent->number(), made->ranks(),
                                             made->rank(), made->device(), color, key});
  return result;
}

SIMGPU_NCCL(CommShrink,
            (void* comm, int* excluded, int count, void** made_comm, Config* config, int flags)) {
  Range range("ncclCommShrink");
  const std::shared_ptr<Communicator> parent = OfHandle(comm);
  if (parent == nullptr || made_comm == nullptr) return kInvalidArgument;
  if (count < 1 || excluded == nullptr) return Refuse("no rank is excluded");
  constexpr int kAbort = 1;
  if ((flags & kAbort) != 0) parent->Abort();
  std::vector<int> left;
  for (int rank = 0; rank < parent->ranks(); ++rank) {
    if (std::find(excluded, excluded + count, rank) == excluded + count) left.push_back(rank);
  }
  if (std::find(left.begin(), left.end(), parent->rank()) == left.end())
    return Refuse("this rank is one of the excluded ones");
  std::shared_ptr<Communicator> made;
  const Result result = Derive(parent, std::move(left), 0, 0, made_comm, config, &made);
  range.AtEnd(Marked::CommShrink,
              ShrinkMarker{made->number(), made->ranks(), made->rank(), made->device(), count});
  return result;
}

SIMGPU_NCCL(CommFinalize, (void* comm)) {
  Range range("ncclCommFinalize");
  const std::shared_ptr<Communicator> communicator = OfHandle(comm);
  if (communicator == nullptr) return kInvalidArgument;
  range.AtEnd(Marked::CommFinalize, NumberMarker{communicator->number()});
  communicator->Finalize();
  if (communicator->blocking()) communicator->AwaitDrained();
  return communicator->state();
}

SIMGPU_NCCL(CommDestroy, (void* comm)) {
  if (comm == nullptr) return kSuccess;
  const std::shared_ptr<Communicator> communicator = OfHandle(comm);
  if (communicator == nullptr) return kInvalidArgument;
  const Range range("ncclCommDestroy", Marked::CommDestroy, MarkerOf(*communicator));
  communicator->AwaitDrained();
  return End(comm, communicator);
}

SIMGPU_NCCL(CommAbort, (void* comm)) {
  if (comm == nullptr) return kSuccess;
  const std::shared_ptr<Communicator> communicator = OfHandle(comm);
  if (communicator == nullptr) return kInvalidArgument;
  const Range range("ncclCommAbort", Marked::CommAbort, MarkerOf(*communicator));
  communicator->Abort();
  return End(comm, communicator);
}

SIMGPU_NCCL(CommGetAsyncError, (void* comm, int* error)) {
  const std::shared_ptr<Communicator> communicator = OfHandle(comm);
  if (communicator == nullptr || error == nullptr) return kInvalidArgument;
  *error = communicator->state();
  return kSuccess;
}

SIMGPU_NCCL(CommCount, (const void* comm, int* count)) {
  const Range range("ncclCommCount");
  const std::shared_ptr<Communicator> communicator = OfHandle(comm);
  if (communicator == nullptr || count == nullptr) return kInvalidArgument;
  if (const Result made = communicator->AwaitMade()) return made;
  *count = communicator->ranks();
  return kSuccess;
}

SIMGPU_NCCL(CommUserRank, (const void* comm, int* rank)) {
  const Range range("ncclCommUserRank");
  const std::shared_ptr<Communicator> communicator = OfHandle(comm);
  if (communicator == nullptr || rank == nullptr) return kInvalidArgument;
  if (const Result made = communicator->AwaitMade()) return made;
  *rank = communicator->rank();
  return kSuccess;
}

SIMGPU_NCCL(CommCuDevice, (const void* comm, int* device)) {
  const Range range("ncclCommCuDevice");
  const std::shared_ptr<Communicator> communicator = OfHandle(comm);
  if (communicator == nullptr || device == nullptr) return kInvalidArgument;
  *device = communicator->device();
  return kSuccess;
}

SIMGPU_NCCL_OF(const char*, GetErrorString, (int result)) {
  return result >= 0 && result < kResults ? kErrorTexts[result] : "unknown result code";
}

SIMGPU_NCCL_OF(const char*, GetLastError, (const void* comm)) {
  (void)comm;
  return LastError();
}

SIMGPU_NCCL(MemAlloc, (void** address, size_t bytes)) {
  const Range range("ncclMemAlloc");
  return cudaMalloc(address, bytes) == cudaSuccess ? kSuccess : kUnhandledCudaError;
}

SIMGPU_NCCL(MemFree, (void* address)) {
  const Range range("ncclMemFree");
  return cudaFree(address) == cudaSuccess ? kSuccess : kUnhandledCudaError;
}

// Registered memory is used as any other.
SIMGPU_NCCL(CommRegister, (const void* comm, void* buffer, size_t bytes, void** handle)) {
  (void)bytes;
  if (OfHandle(comm) == nullptr || handle == nullptr) return kInvalidArgument;
  *handle = buffer;
  return kSuccess;
}

SIMGPU_NCCL(CommDeregister, (const void* comm, void* handle)) {
  (void)handle;
  return OfHandle(comm) == nullptr ? kInvalidArgument : kSuccess;
}

SIMGPU_NCCL(CommWindowRegister,
            (void* comm, void* buffer, size_t bytes, void** window, int flags)) {
  (void)bytes, (void)flags;
  if (OfHandle(comm) == nullptr || window == nullptr) return kInvalidArgument;
  *window = buffer;
  return kSuccess;
}

SIMGPU_NCCL(CommWindowDeregister, (void* comm, void* window)) {
  (void)window;
  return OfHandle(comm) == nullptr ? kInvalidArgument : kSuccess;
}

#define NOT_MODELLED(name)                                \
  SIMGPU_NCCL(name, ()) {                                 \
    simgpu::SayUnsupported("libnccl.so.2", "nccl" #name); \
    SetLastError("nccl" #name " is not modelled");        \
    return kInvalidUsage;                                 \
  }
NOT_MODELLED(CommGetUniqueId)
NOT_MODELLED(CommGrow)
NOT_MODELLED(CommMemStats)
NOT_MODELLED(CommResume)
NOT_MODELLED(CommRevoke)
NOT_MODELLED(CommSuspend)
NOT_MODELLED(DevCommCreate)
NOT_MODELLED(DevCommDestroy)
NOT_MODELLED(GetLsaMultimemDevicePointer)
NOT_MODELLED(GetPeerDevicePointer)
NOT_MODELLED(GroupSimulateEnd)
NOT_MODELLED(PutSignal)
NOT_MODELLED(ResetDebugInit)
NOT_MODELLED(Signal)
NOT_MODELLED(WaitSignal)
NOT_MODELLED(WinGetUserPtr)
