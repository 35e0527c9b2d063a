// SPDX-License-Identifier: Apache-2.0
// Pairs of push and pop through the vendor's headers: a loop for callgrind, and their cost in units
// of two time stamps.
#include <nvtx3/nvToolsExt.h>
#include <x86intrin.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <vector>

#include "tests/fake_session/fake_session.h"

namespace {

constexpr char kHelp[] =
    "usage: nvtx_pair_bench KIND [PAIRS [ROUNDS [THREADS]]]\n"
    "KIND: ascii, registered (in a domain), coloured (registered, with a colour), empty (two time "
    "stamps),\n"
    "      bare, bare_registered (without a tool)\n"
    "With ROUNDS 0 it only runs PAIRS pairs, for callgrind. Else each round times KIND and two "
    "time stamps in turn, in CPU\n"
    "time of the thread, and the medians and their ratio are printed.\n";

const char* const kNames[8] = {"forward_pass_lay", "backward_layer_1", "optimizer.step_0",
                               "allreduce_bucket", "dataloader_next",  "aten::linear_fwd",
                               "cudaGraph_replay", "checkpoint_save1"};

struct Work {
  const char* kind;
  bool in_domain = false;
  nvtxDomainHandle_t domain = nullptr;
  nvtxEventAttributes_t attributes[8] = {};
};

// Tells the compiler that the value is used.
void Use(uint64_t value) { asm volatile("" : : "r"(value)); }

void Run(const Work& work, uint64_t pairs) {
  if (std::strcmp(work.kind, "empty") == 0) {
    for (uint64_t i = 0; i < pairs; ++i) {
      Use(__rdtsc());
      Use(__rdtsc());
    }
  } else if (work.in_domain) {
    for (uint64_t i = 0; i < pairs; ++i) {
      nvtxDomainRangePushEx(work.domain, &work.attributes[i & 7]);
      nvtxDomainRangePop(work.domain);
    }
  } else {
    for (uint64_t i = 0; i < pairs; ++i) {
      nvtxRangePushA(kNames[i & 7]);
      nvtxRangePop();
    }
  }
}

double CpuNs() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

double Time(const Work& work, uint64_t pairs) {
  const double before = CpuNs();
  Run(work, pairs);
  return (CpuNs() - before) / static_cast<double>(pairs);
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Work Prepare(const char* kind) {
  Work work;
  work.kind = kind;
  const bool coloured = std::strcmp(kind, "coloured") == 0;
  work.in_domain =
      coloured || std::strcmp(kind, "registered") == 0 || std::strcmp(kind, "bare_registered") == 0;
  if (!work.in_domain) return work;
  work.domain = nvtxDomainCreateA("bench");
  for (int i = 0; i < 8; ++i) {
    nvtxEventAttributes_t& attributes = work.attributes[i];
    attributes.version = NVTX_VERSION;
    attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    attributes.message.registered = nvtxDomainRegisterStringA(work.domain, kNames[i]);
    attributes.colorType = coloured ? NVTX_COLOR_ARGB : NVTX_COLOR_UNKNOWN;
    attributes.color = 0xff00ff00;
  }
  return work;
}

void Compare(const Work& work, uint64_t pairs, int rounds, int threads) {
  std::vector<std::vector<double>> ours(static_cast<size_t>(threads));
  std::vector<std::vector<double>> stamps(static_cast<size_t>(threads));
  std::atomic<int> ready{0};
  const auto body = [&](size_t thread) {
    const Work empty = Prepare("empty");
    Run(work, 1000);
    for (int round = 0; round < rounds; ++round) {
      ++ready;
      while (ready < threads * (round + 1)) _mm_pause();
      ours[thread].push_back(Time(work, pairs));
      stamps[thread].push_back(Time(empty, pairs));
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back(body, static_cast<size_t>(thread));
  body(0);
  for (std::thread& thread : others) thread.join();
  std::vector<double> all_ours;
  std::vector<double> all_stamps;
  for (const auto& values : ours) all_ours.insert(all_ours.end(), values.begin(), values.end());
  for (const auto& values : stamps)
    all_stamps.insert(all_stamps.end(), values.begin(), values.end());
  const double pair = Median(all_ours);
  const double two = Median(all_stamps);
  std::printf("%s threads=%d pair_ns=%.2f two_stamps_ns=%.2f ratio=%.3f\n", work.kind, threads,
              pair, two, pair / two);
}

}  // namespace

extern "C" NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;

int main(int count, char** arguments) {
  if (count < 2 || std::strcmp(arguments[1], "--help") == 0) {
    std::fputs(kHelp, count < 2 ? stderr : stdout);
    return count < 2 ? 2 : 0;
  }
  const uint64_t pairs = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 200000;
  const int rounds = count > 3 ? std::atoi(arguments[3]) : 25;
  const int threads = count > 4 ? std::atoi(arguments[4]) : 1;
  if (std::strncmp(arguments[1], "bare", 4) == 0) InitializeInjectionNvtx2_fnptr = nullptr;
  syncline::test::DrainRings();
  const Work work = Prepare(arguments[1]);
  if (rounds == 0) {
    Run(work, pairs);
  } else {
    Compare(work, pairs, rounds, threads);
  }
  return 0;
}
