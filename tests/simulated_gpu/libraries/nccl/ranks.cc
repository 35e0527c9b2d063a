// SPDX-License-Identifier: Apache-2.0
// A program of several processes that are the ranks of an NCCL job: what they get from each other
// is checked, and what it was is printed.
//
// ranks CASE RANKS     CASE: see kCases. The id goes through a pipe; each rank uses device
//                      RANK mod devices. Exit status 1 if a rank failed; each says why.
#include <cuda_runtime_api.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tests/simulated_gpu/libraries/nccl/interface.h"

#define CHECK(good)                                                                            \
  do {                                                                                         \
    if (!(good)) {                                                                             \
      std::fprintf(stderr, "rank %d: %s:%d: not so: %s (%s)\n", this_rank, __FILE__, __LINE__, \
                   #good, ncclGetLastError(nullptr));                                          \
      std::exit(1);                                                                            \
    }                                                                                          \
  } while (0)
#define NCCL(call) CHECK((call) == kSuccess)
#define CUDA(call) CHECK((call) == cudaSuccess)

namespace {

using namespace simgpu::nccl;  // the numbers of the interface

int this_rank = -1;

struct Job {
  void* comm = nullptr;
  int rank = 0, ranks = 0;
  cudaStream_t stream = nullptr;

  template <typename T>
  T* Send(const std::vector<T>& values) const {
    T* memory = Memory<T>(values.size());
    CUDA(cudaMemcpyAsync(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice,
                         stream));
    return memory;
  }
  template <typename T>
  T* Memory(size_t count) const {
    void* memory = nullptr;
    CUDA(cudaMalloc(&memory, count * sizeof(T)));
    return static_cast<T*>(memory);
  }
  template <typename T>
  std::vector<T> Values(const T* memory, size_t count) const {
    std::vector<T> values(count);
    CUDA(cudaMemcpyAsync(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    return values;
  }
};

// `count` numbers that differ by rank and place.
template <typename T>
std::vector<T> Numbers(int rank, size_t count) {
  std::vector<T> numbers(count);
  for (size_t i = 0; i < count; ++i)
    numbers[i] = static_cast<T>(static_cast<size_t>(rank + 1) * 1000 + i % 1000);
  return numbers;
}

template <typename T>
std::vector<T> SumOfAll(int ranks, size_t count) {
  std::vector<T> sum(count);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::vector<T> numbers = Numbers<T>(rank, count);
    for (size_t i = 0; i < count; ++i) sum[i] += numbers[i];
  }
  return sum;
}

// More than passes through the shared memory in one piece.
constexpr size_t kMany = 3'000'001;

template <typename T>
void AllReduce(const Job& job, DataType type, size_t count) {
  T* send = job.Send(Numbers<T>(job.rank, count));
  T* receive = job.Memory<T>(count);
  NCCL(ncclAllReduce(send, receive, count, type, kSum, job.comm, job.stream));
  CHECK(job.Values(receive, count) == SumOfAll<T>(job.ranks, count));
}

void AverageAndScaledSum(const Job& job) {
  double* send = job.Send(std::vector<double>{1.0 + job.rank});
  double* receive = job.Memory<double>(1);
  NCCL(ncclAllReduce(send, receive, 1, kFloat64, kAverage, job.comm, job.stream));
  const double average = (1 + job.ranks) / 2.0;
  CHECK(job.Values(receive, 1)[0] == average);
  double factor = 0.5;
  int reduction = 0;
  NCCL(ncclRedOpCreatePreMulSum(&reduction, &factor, kFloat64, 1, job.comm));
  NCCL(ncclAllReduce(send, receive, 1, kFloat64, reduction, job.comm, job.stream));
  NCCL(ncclRedOpDestroy(reduction, job.comm));
  CHECK(job.Values(receive, 1)[0] == average * job.ranks / 2);
}

void GatherAndScatter(const Job& job) {
  const size_t count = kMany / 3;
  const auto ranks = static_cast<size_t>(job.ranks);
  int* send = job.Send(Numbers<int>(job.rank, count));
  int* all = job.Memory<int>(count * ranks);
  NCCL(ncclAllGather(send, all, count, kInt32, job.comm, job.stream));
  std::vector<int> expected;
  for (int rank = 0; rank < job.ranks; ++rank) {
    const std::vector<int> theirs = Numbers<int>(rank, count);
    expected.insert(expected.end(), theirs.begin(), theirs.end());
  }
  CHECK(job.Values(all, count * ranks) == expected);
  int* part = job.Memory<int>(count);
  NCCL(ncclReduceScatter(all, part, count, kInt32, kMax, job.comm, job.stream));
  CHECK(job.Values(part, count) == Numbers<int>(job.rank, count));
  int* turned = job.Memory<int>(count * ranks);
  NCCL(ncclAlltoAll(all, turned, count, kInt32, job.comm, job.stream));
  const std::vector<int> got = job.Values(turned, count * ranks);
  for (size_t rank = 0; rank < ranks; ++rank)
    CHECK(std::equal(got.begin() + static_cast<std::ptrdiff_t>(rank * count),
                     got.begin() + static_cast<std::ptrdiff_t>((rank + 1) * count),
                     Numbers<int>(job.rank, count).begin()));
}

void RootsDo(const Job& job) {
  const int root = job.ranks - 1;
  int64_t* send = job.Send(Numbers<int64_t>(job.rank, 1000));
  int64_t* receive = job.Memory<int64_t>(1000);
  NCCL(ncclBroadcast(send, receive, 1000, kInt64, root, job.comm, job.stream));
  CHECK(job.Values(receive, 1000) == Numbers<int64_t>(root, 1000));
  NCCL(ncclReduce(send, receive, 1000, kInt64, kSum, 0, job.comm, job.stream));
  CHECK(job.Values(receive, 1000) ==
        (job.rank == 0 ? SumOfAll<int64_t>(job.ranks, 1000) : Numbers<int64_t>(root, 1000)));
}

// Around the ring in both directions at once, more than one piece.
void SendAndReceive(const Job& job) {
  const int next = (job.rank + 1) % job.ranks, before = (job.rank + job.ranks - 1) % job.ranks;
  int* mine = job.Send(Numbers<int>(job.rank, kMany));
  int* from_before = job.Memory<int>(kMany);
  int* from_next = job.Memory<int>(10);
  NCCL(ncclGroupStart());
  NCCL(ncclSend(mine, kMany, kInt32, next, job.comm, job.stream));
  NCCL(ncclRecv(from_before, kMany, kInt32, before, job.comm, job.stream));
  NCCL(ncclSend(mine, 10, kInt32, before, job.comm, job.stream));
  NCCL(ncclRecv(from_next, 10, kInt32, next, job.comm, job.stream));
  NCCL(ncclGroupEnd());
  CHECK(job.Values(from_before, kMany) == Numbers<int>(before, kMany));
  CHECK(job.Values(from_next, 10) == Numbers<int>(next, 10));
}

void Collectives(const Job& job) {
  AllReduce<float>(job, kFloat32, 1000);
  AllReduce<double>(job, kFloat64, kMany);
  AllReduce<int32_t>(job, kInt32, 17);
  AllReduce<int64_t>(job, kInt64, 1);
  AverageAndScaledSum(job);
  GatherAndScatter(job);
  RootsDo(job);
  SendAndReceive(job);
}

// Kernels of a group, and of two streams, of one communicator and of parts of it.
void Groups(const Job& job) {
  cudaStream_t other = nullptr;
  CUDA(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  float* send = job.Send(Numbers<float>(job.rank, 100));
  CUDA(cudaStreamSynchronize(job.stream));
  float* first = job.Memory<float>(100);
  float* second = job.Memory<float>(100);
  NCCL(ncclGroupStart());
  NCCL(ncclAllReduce(send, first, 100, kFloat32, kSum, job.comm, job.stream));
  NCCL(ncclAllReduce(send, second, 100, kFloat32, kMax, job.comm, job.stream));
  NCCL(ncclAllReduce(send, second, 50, kFloat32, kSum, job.comm, other));
  NCCL(ncclGroupEnd());
  CHECK(job.Values(first, 100) == SumOfAll<float>(job.ranks, 100));
  CUDA(cudaStreamSynchronize(other));
  CHECK(job.Values(second, 1)[0] == SumOfAll<float>(job.ranks, 1)[0]);

  Job part = job;
  NCCL(ncclCommSplit(job.comm, job.rank % 2, -job.rank, &part.comm, nullptr));
  NCCL(ncclCommCount(part.comm, &part.ranks));
  NCCL(ncclCommUserRank(part.comm, &part.rank));
  CHECK(part.ranks == (job.ranks + 1 - job.rank % 2) / 2);
  int* mine = part.Send(std::vector<int>{job.rank});
  int* all = part.Memory<int>(static_cast<size_t>(part.ranks));
  NCCL(ncclAllGather(mine, all, 1, kInt32, part.comm, part.stream));
  const std::vector<int> members = part.Values(all, static_cast<size_t>(part.ranks));
  for (size_t i = 0; i < members.size(); ++i)
    CHECK(members[i] == (job.rank % 2) + 2 * static_cast<int>(members.size() - 1 - i));
  void* none = job.comm;
  NCCL(ncclCommSplit(job.comm, job.rank == 0 ? kNoColor : 0, 0, &none, nullptr));
  CHECK((none == nullptr) == (job.rank == 0));
  if (none != nullptr) NCCL(ncclCommDestroy(none));
  NCCL(ncclCommDestroy(part.comm));
}

// Those that are left of a communicator without its first rank.
void Shrunk(const Job& job) {
  if (job.rank == 0) return;
  Job left = job;
  int excluded = 0;
  NCCL(ncclCommShrink(job.comm, &excluded, 1, &left.comm, nullptr, 0));
  NCCL(ncclCommCount(left.comm, &left.ranks));
  NCCL(ncclCommUserRank(left.comm, &left.rank));
  CHECK(left.ranks == job.ranks - 1 && left.rank == job.rank - 1);
  AllReduce<float>(left, kFloat32, 10);
  NCCL(ncclCommDestroy(left.comm));
}

// All ranks in one thread; and communicators whose calls answer before they have done it.
void OneThread(const Job& job) {
  constexpr int kRanks = 3;
  std::array<void*, kRanks> comms{};
  NCCL(ncclCommInitAll(comms.data(), kRanks, nullptr));
  std::array<Job, kRanks> jobs;
  std::array<int64_t*, kRanks> values{};
  for (int rank = 0; rank < kRanks; ++rank) {
    CUDA(cudaSetDevice(rank));
    Job& mine = jobs[static_cast<size_t>(rank)];
    mine.rank = rank;
    mine.comm = comms[static_cast<size_t>(rank)];
    CUDA(cudaStreamCreateWithFlags(&mine.stream, cudaStreamNonBlocking));
    values[static_cast<size_t>(rank)] = mine.Send(Numbers<int64_t>(rank, 10));
  }
  NCCL(ncclGroupStart());
  for (size_t rank = 0; rank < kRanks; ++rank)
    NCCL(ncclAllReduce(values[rank], values[rank], 10, kInt64, kSum, comms[rank],
                       jobs[rank].stream));
  NCCL(ncclGroupEnd());
  for (size_t rank = 0; rank < kRanks; ++rank) {
    CUDA(cudaSetDevice(static_cast<int>(rank)));
    CHECK(jobs[rank].Values(values[rank], 10) == SumOfAll<int64_t>(kRanks, 10));
    NCCL(ncclCommDestroy(comms[rank]));
  }
  CUDA(cudaSetDevice(0));
  CHECK(ncclCommDestroy(comms[0]) == kInvalidArgument);  // there is none any more

  UniqueId id;
  NCCL(ncclGetUniqueId(&id));
  Config config{sizeof(Config), kConfigMagic, 0, 0};
  Job first = job, second = job;
  CHECK(ncclCommInitRankConfig(&first.comm, 2, id, 0, &config) == kInProgress);
  int state = kSuccess;
  NCCL(ncclCommGetAsyncError(first.comm, &state));
  CHECK(state == kInProgress);
  CHECK(ncclCommInitRankConfig(&second.comm, 2, id, 1, &config) == kInProgress ||
        ncclCommGetAsyncError(second.comm, &state) == kSuccess);
  for (const void* comm : {first.comm, second.comm}) {
    do {
      NCCL(ncclCommGetAsyncError(const_cast<void*>(comm), &state));
    } while (state == kInProgress);
    CHECK(state == kSuccess);
  }
  NCCL(ncclCommAbort(first.comm));
  NCCL(ncclCommAbort(second.comm));
}

void Refused(const Job& job) {
  float* values = job.Memory<float>(10);
  void* comm = nullptr;
  const auto is_refused = [](int result) { return result == kInvalidArgument; };
  CHECK(is_refused(ncclAllReduce(values, values, 10, kFloat32, kSum, nullptr, job.stream)));
  CHECK(is_refused(ncclAllReduce(values, values, 10, kDataTypes, kSum, job.comm, job.stream)));
  CHECK(is_refused(ncclAllReduce(values, values, 10, kFloat32, 77, job.comm, job.stream)));
  CHECK(is_refused(ncclBroadcast(values, values, 10, kFloat32, 9, job.comm, job.stream)));
  CHECK(is_refused(ncclSend(values, 10, kFloat32, -1, job.comm, job.stream)));
  CHECK(is_refused(ncclCommInitRank(&comm, 2, UniqueId{}, 2)));
  CHECK(ncclGroupEnd() == kInvalidUsage);
  CHECK(ncclCommInitRank(&comm, 1, UniqueId{}, 0) == kSystemError);  // an id of nobody
  CHECK(std::strstr(ncclGetLastError(nullptr), "made the communicator's id") != nullptr);
  if (job.ranks < 2) return;
  // Each rank calls something else: the next one to ask is told.
  NCCL(ncclAllReduce(values, values, static_cast<size_t>(job.rank + 1), kFloat32, kSum, job.comm,
                     job.stream));
  CUDA(cudaStreamSynchronize(job.stream));
  int error = kSuccess;
  NCCL(ncclCommGetAsyncError(job.comm, &error));
  CHECK(error == kInvalidUsage);
}

void Captured(const Job& job) {
  float* values = job.Send(Numbers<float>(job.rank, 10));
  CUDA(cudaStreamSynchronize(job.stream));
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  CUDA(cudaStreamBeginCapture(job.stream, cudaStreamCaptureModeThreadLocal));
  NCCL(ncclAllReduce(values, values, 10, kFloat32, kMax, job.comm, job.stream));
  CUDA(cudaStreamEndCapture(job.stream, &graph));
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(job.Values(values, 10) == Numbers<float>(job.rank, 10));
  for (int i = 0; i < 3; ++i) CUDA(cudaGraphLaunch(exec, job.stream));
  CHECK(job.Values(values, 10) == Numbers<float>(job.ranks - 1, 10));
}

// The last rank never meets the others, or is no more; they find out and abort.
void GiveUp(const Job& job, bool dies) {
  float* values = job.Memory<float>(10);
  if (dies && job.rank == job.ranks - 1) {
    kill(getpid(), SIGKILL);
  }
  NCCL(ncclAllReduce(values, values, 10, kFloat32, kSum, job.comm, job.stream));
  CHECK(cudaStreamQuery(job.stream) == cudaErrorNotReady);
  int error = kSuccess;
  for (int i = 0; i < 30 && error == kSuccess; ++i) {
    usleep(20000);
    NCCL(ncclCommGetAsyncError(job.comm, &error));
  }
  CHECK(error == (dies ? kRemoteError : kSuccess));
  CHECK(cudaStreamQuery(job.stream) == cudaErrorNotReady);
  NCCL(ncclCommAbort(job.comm));
  CUDA(cudaStreamSynchronize(job.stream));
}

void Steps(const Job& job) {
  float* values = job.Send(Numbers<float>(job.rank, 100000));
  for (int step = 0; step < 10; ++step)
    NCCL(ncclAllReduce(values, values, 100000, kFloat32, kAverage, job.comm, job.stream));
  CUDA(cudaStreamSynchronize(job.stream));
}

struct Case {
  const char* name;
  void (*run)(const Job&);
  bool ends_itself;  // the communicator is no more
};

constexpr Case kCases[] = {
    {"collectives", Collectives, false},
    {"groups", Groups, false},
    {"graph", Captured, false},
    {"shrunk", Shrunk, false},
    {"one_thread", OneThread, false},
    {"refused", Refused, false},
    {"steps", Steps, false},
    {"dead", [](const Job& job) { GiveUp(job, false); }, true},
    {"killed", [](const Job& job) { GiveUp(job, true); }, true},
};

int RunRank(const Case& what, int rank, int ranks, int pipe_in) {
  this_rank = rank;
  UniqueId id;
  CHECK(read(pipe_in, &id, sizeof id) == sizeof id);
  Job job;
  job.rank = rank;
  job.ranks = ranks;
  int devices = 0;
  CUDA(cudaGetDeviceCount(&devices));
  CUDA(cudaSetDevice(rank % devices));
  CUDA(cudaStreamCreateWithFlags(&job.stream, cudaStreamNonBlocking));
  NCCL(ncclCommInitRank(&job.comm, ranks, id, rank));
  what.run(job);
  if (!what.ends_itself) NCCL(ncclCommDestroy(job.comm));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Case* what = nullptr;
  for (const Case& known : kCases) {
    if (argc == 3 && std::strcmp(known.name, argv[1]) == 0) what = &known;
  }
  const int ranks = argc == 3 ? std::atoi(argv[2]) : 0;
  if (what == nullptr || ranks < 1) {
    std::fprintf(stderr, "usage: ranks CASE RANKS\n");
    return 2;
  }
  std::vector<std::array<int, 2>> pipes(static_cast<size_t>(ranks));
  std::vector<pid_t> children;
  for (int rank = 1; rank < ranks; ++rank) {  // before CUDA, which does not outlive a fork
    auto& ends = pipes[static_cast<size_t>(rank)];
    if (pipe(ends.data()) != 0) return 1;
    const pid_t child = fork();
    if (child == 0) return RunRank(*what, rank, ranks, ends[0]);
    children.push_back(child);
  }
  UniqueId id;
  NCCL(ncclGetUniqueId(&id));
  if (pipe(pipes[0].data()) != 0) return 1;
  for (const auto& ends : pipes) CHECK(write(ends[1], &id, sizeof id) == sizeof id);
  int failed = RunRank(*what, 0, ranks, pipes[0][0]);
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    const bool killed = WIFSIGNALED(status) && std::strcmp(what->name, "killed") == 0;
    if (status != 0 && !killed) failed = 1;
  }
  std::printf("%s of %d ranks: %s\n", what->name, ranks, failed != 0 ? "failed" : "ok");
  return failed;
}
