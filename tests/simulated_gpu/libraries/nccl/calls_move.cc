// SPDX-License-Identifier: Apache-2.0
// The interface: collectives, sends and receives, groups, reductions.
#include <cstring>

#include "tests/simulated_gpu/libraries/nccl/call.h"
#include "tests/simulated_gpu/libraries/nccl/group.h"

namespace simgpu::nccl {
namespace {

const char* Bytes(const void* address) { return static_cast<const char*>(address); }
char* Bytes(void* address) { return static_cast<char*>(address); }

size_t MessageBytes(size_t count, int type) {
  return type >= 0 && type < kDataTypes ? count * SizeOf(static_cast<DataType>(type)) : 0;
}

uint64_t NumberOf(const void* handle) {
  const std::shared_ptr<Communicator> communicator = OfHandle(handle);
  return communicator == nullptr ? 0 : communicator->number();
}

bool IsRank(const Communicator& communicator, int rank) {
  return rank >= 0 && rank < communicator.ranks();
}

struct CollectiveArguments {
  Function function;
  const void* send;
  void* receive;
  size_t count;
  int type;
  int reduction = kSum;
  int root = 0;
};

Result Collect(const CollectiveArguments& given, const void* handle, void* stream) {
  const std::shared_ptr<Communicator> communicator = OfHandle(handle);
  if (communicator == nullptr) return kInvalidArgument;
  if (const Result made = communicator->AwaitMade()) return made;
  if (given.type < 0 || given.type >= kDataTypes) return Refuse("there is no such data type");
  if (!IsRank(*communicator, given.root)) return Refuse("the root is no rank");
  CollectiveCall call{given.function,
                      Bytes(given.send),
                      Bytes(given.receive),
                      given.count,
                      static_cast<DataType>(given.type),
                      static_cast<Reduction>(given.reduction),
                      given.root,
                      std::nullopt};
  if (given.reduction >= kReductions) {
    call.factor = communicator->FactorOf(given.reduction);
    call.reduction = kSum;
  }
  if (given.reduction < 0 || (given.reduction >= kReductions && !call.factor))
    return Refuse("there is no such reduction");
  return Call(communicator, stream, call);
}

Result Move(bool sends, const void* buffer, size_t count, int type, int peer, const void* handle,
            void* stream) {
  const std::shared_ptr<Communicator> communicator = OfHandle(handle);
  if (communicator == nullptr) return kInvalidArgument;
  if (const Result made = communicator->AwaitMade()) return made;
  if (type < 0 || type >= kDataTypes) return Refuse("there is no such data type");
  if (!IsRank(*communicator, peer)) return Refuse("the peer is no rank");
  return Call(communicator, stream,
              Transfer{sends, peer, const_cast<char*>(Bytes(buffer)), MessageBytes(count, type)});
}

// What is sent to and received from each rank; the stride of both is a message.
Result MoveEach(const void* send, void* receive, size_t count, int type, const void* handle,
                void* stream, int only_to, int only_from) {
  const std::shared_ptr<Communicator> communicator = OfHandle(handle);
  if (communicator == nullptr) return kInvalidArgument;
  if (const Result made = communicator->AwaitMade()) return made;
  const size_t bytes = MessageBytes(count, type);
  Result result = kSuccess;
  const auto keep = [&](Result next) { result = result == kSuccess ? next : result; };
  GroupStart();
  for (int peer = 0; peer < communicator->ranks(); ++peer) {
    const size_t at = static_cast<size_t>(peer) * bytes;
    const bool everyone_sends = only_to < 0 || only_to == peer;
    const bool everyone_receives = only_from < 0 || only_from == peer;
    if (send != nullptr && everyone_sends)
      keep(Move(true, Bytes(send) + (only_to < 0 ? at : 0), count, type, peer, handle, stream));
    if (receive != nullptr && everyone_receives)
      keep(Move(false, Bytes(receive) + (only_from < 0 ? at : 0), count, type, peer, handle,
                stream));
  }
  keep(GroupEnd());
  return result;
}

}  // namespace
}  // namespace simgpu::nccl

using namespace simgpu::nccl;  // the interface is written in these terms throughout

SIMGPU_NCCL(AllGather,
            (const void* send, void* receive, size_t count, int type, void* comm, void* stream)) {
  const Range range("ncclAllGather", Marked::AllGather,
                    MessageMarker{NumberOf(comm), MessageBytes(count, type)});
  return Collect({Function::kAllGather, send, receive, count, type}, comm, stream);
}

SIMGPU_NCCL(AllReduce, (const void* send, void* receive, size_t count, int type, int reduction,
                        void* comm, void* stream)) {
  const Range range("ncclAllReduce", Marked::AllReduce,
                    ReductionMarker{NumberOf(comm), MessageBytes(count, type), reduction});
  return Collect({Function::kAllReduce, send, receive, count, type, reduction}, comm, stream);
}

SIMGPU_NCCL(Broadcast, (const void* send, void* receive, size_t count, int type, int root,
                        void* comm, void* stream)) {
  const Range range("ncclBroadcast", Marked::Broadcast,
                    RootMarker{NumberOf(comm), MessageBytes(count, type), root});
  return Collect({Function::kBroadcast, send, receive, count, type, kSum, root}, comm, stream);
}

SIMGPU_NCCL(Bcast, (void* buffer, size_t count, int type, int root, void* comm, void* stream)) {
  return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}

SIMGPU_NCCL(Reduce, (const void* send, void* receive, size_t count, int type, int reduction,
                     int root, void* comm, void* stream)) {
  const Range range(
      "ncclReduce", Marked::Reduce,
      RootReductionMarker{NumberOf(comm), MessageBytes(count, type), root, reduction});
  return Collect({Function::kReduce, send, receive, count, type, reduction, root}, comm, stream);
}

SIMGPU_NCCL(ReduceScatter, (const void* send, void* receive, size_t count, int type, int reduction,
                            void* comm, void* stream)) {
  const Range range("ncclReduceScatter", Marked::ReduceScatter,
                    ReductionMarker{NumberOf(comm), MessageBytes(count, type), reduction});
  return Collect({Function::kReduceScatter, send, receive, count, type, reduction}, comm, stream);
}

SIMGPU_NCCL(AlltoAll,
            (const void* send, void* receive, size_t count, int type, void* comm, void* stream)) {
  const Range range("ncclAlltoAll", Marked::AlltoAll,
                    MessageMarker{NumberOf(comm), MessageBytes(count, type)});
  return MoveEach(send, receive, count, type, comm, stream, -1, -1);
}

SIMGPU_NCCL(Gather, (const void* send, void* receive, size_t count, int type, int root, void* comm,
                     void* stream)) {
  const Range range("ncclGather", Marked::Gather,
                    RootMarker{NumberOf(comm), MessageBytes(count, type), root});
  const std::shared_ptr<Communicator> communicator = OfHandle(comm);
  const bool receives = communicator != nullptr && communicator->rank() == root;
  return MoveEach(send, receives ? receive : nullptr, count, type, comm, stream, root, -1);
}

SIMGPU_NCCL(Scatter, (const void* send, void* receive, size_t count, int type, int root, void* comm,
                      void* stream)) {
  const Range range("ncclScatter", Marked::Scatter,
                    RootMarker{NumberOf(comm), MessageBytes(count, type), root});
  const std::shared_ptr<Communicator> communicator = OfHandle(comm);
  const bool sends = communicator != nullptr && communicator->rank() == root;
  return MoveEach(sends ? send : nullptr, receive, count, type, comm, stream, -1, root);
}

SIMGPU_NCCL(Send,
            (const void* buffer, size_t count, int type, int peer, void* comm, void* stream)) {
  const Range range("ncclSend", Marked::Send,
                    PeerMarker{NumberOf(comm), MessageBytes(count, type), peer});
  return Move(true, buffer, count, type, peer, comm, stream);
}

SIMGPU_NCCL(Recv, (void* buffer, size_t count, int type, int peer, void* comm, void* stream)) {
  const Range range("ncclRecv", Marked::Recv,
                    PeerMarker{NumberOf(comm), MessageBytes(count, type), peer});
  return Move(false, buffer, count, type, peer, comm, stream);
}

SIMGPU_NCCL(GroupStart, ()) {
  const Range range("ncclGroupStart");
  GroupStart();
  return kSuccess;
}

SIMGPU_NCCL(GroupEnd, ()) {
  const Range range("ncclGroupEnd");
  return GroupEnd();
}

SIMGPU_NCCL(RedOpCreatePreMulSum,
            (int* reduction, void* scalar, int type, int residence, void* comm)) {
  const std::shared_ptr<Communicator> communicator = OfHandle(comm);
  if (communicator == nullptr || reduction == nullptr || scalar == nullptr) return kInvalidArgument;
  if (type < 0 || type >= kDataTypes) return Refuse("there is no such data type");
  Factor factor;
  constexpr int kHostImmediate = 1;
  if (residence == kHostImmediate) {
    std::memcpy(&factor.immediate, scalar, SizeOf(static_cast<DataType>(type)));
  } else {
    factor.device = scalar;
  }
  *reduction = communicator->AddFactor(factor);
  return kSuccess;
}

SIMGPU_NCCL(RedOpDestroy, (int reduction, void* comm)) {
  const std::shared_ptr<Communicator> communicator = OfHandle(comm);
  if (communicator == nullptr) return kInvalidArgument;
  if (reduction >= 0 && reduction < kReductions) return kSuccess;
  return communicator->RemoveFactor(reduction) ? kSuccess : Refuse("there is no such reduction");
}
