// SPDX-License-Identifier: Apache-2.0
// What a push/pop pair costs the program, as a ratio to two time stamps in the same run; and loops
// for other measurements.
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

constexpr int kRounds = 60;
constexpr int kPairs =
    50'000;  // in a round: 1.6 MB of records, so that a ring holds several rounds
constexpr int kWarmRounds = 10;  // rings grow and names are defined
constexpr int kRestUs = 20'000;  // between rounds, so that the consumer drains and nothing is lost
const char* const kNames[8] = {"forward_pass_lay", "backward_layer_1", "optimizer.step_0",
                               "allreduce_bucket", "dataloader_next",  "aten::linear_fwd",
                               "cudaGraph_replay", "checkpoint_save1"};

uint64_t ThreadCpuNs() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
}

void Pairs(int count) {
  for (int i = 0; i < count; ++i) {
    nvtxRangePushA(kNames[i & 7]);
    nvtxRangePop();
  }
}

void TwoStamps(int count) {
  for (int i = 0; i < count; ++i) {
    uint64_t first = __rdtsc();
    asm volatile("" : : "r"(first) : "memory");
    uint64_t second = __rdtsc();
    asm volatile("" : : "r"(second) : "memory");
  }
}

template <typename Body>
double NsPerTurn(Body body) {
  const uint64_t begin = ThreadCpuNs();
  body(kPairs);
  return static_cast<double>(ThreadCpuNs() - begin) / kPairs;
}

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

struct Result {
  std::vector<double> pair, stamps;
};

// Measures on `threads` threads at once, each on a CPU of its own: pairs and time stamps in turn.
Result Measure(int threads) {
  std::vector<Result> results(static_cast<size_t>(threads));
  std::atomic<int> arrived{0};
  const auto body = [&](int thread) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(thread), &set);
    sched_setaffinity(0, sizeof set,
                      &set);  // fails where that CPU is not ours: then the scheduler decides
    for (int round = 0; round < kRounds; ++round) {
      arrived.fetch_add(1);
      while (arrived.load() < threads * (round + 1)) _mm_pause();
      const double pair = NsPerTurn(Pairs);
      const double stamps = NsPerTurn(TwoStamps);
      if (round >= kWarmRounds) {
        results[static_cast<size_t>(thread)].pair.push_back(pair);
        results[static_cast<size_t>(thread)].stamps.push_back(stamps);
      }
      usleep(kRestUs);
    }
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(body, thread);
  body(0);
  for (std::thread& other : others) other.join();
  for (int thread = 1; thread < threads; ++thread) {
    Result& from = results[static_cast<size_t>(thread)];
    results[0].pair.insert(results[0].pair.end(), from.pair.begin(), from.pair.end());
    results[0].stamps.insert(results[0].stamps.end(), from.stamps.begin(), from.stamps.end());
  }
  return results[0];
}

int Ratio() {
  const Result one = Measure(1);
  const Result two = Measure(2);
  std::printf(
      "{\"two_stamps_ns\": %.2f, \"pair_ns\": %.2f, \"pair_ns_two_threads\": %.2f, "
      "\"pair_to_stamps\": %.3f, \"two_threads_to_one\": %.3f}\n",
      Median(one.stamps), Median(one.pair), Median(two.pair), Median(one.pair) / Median(one.stamps),
      Median(two.pair) / Median(one.pair));
  return 0;
}

// One range, then nothing: what our side costs meanwhile. Prints this process's CPU time during the
// rest.
int Idle(unsigned seconds) {
  Pairs(1);
  usleep(500'000);
  timespec begin, end;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
  sleep(seconds);
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
  const double used = static_cast<double>(end.tv_sec - begin.tv_sec) +
                      static_cast<double>(end.tv_nsec - begin.tv_nsec) * 1e-9;
  std::printf("{\"process_cpu_s\": %.6f, \"seconds\": %u}\n", used, seconds);
  return 0;
}

// Pairs inside of steps of a hundred, as a loop has them.
int Steps() {
  std::vector<double> found;
  for (int round = 0; round < kRounds; ++round) {
    const double pair = NsPerTurn([](int pairs) {
      for (int step = 0; step < pairs / 100; ++step) {
        nvtxRangePushA("step");
        Pairs(99);
        nvtxRangePop();
      }
    });
    if (round >= kWarmRounds) found.push_back(pair);
    usleep(kRestUs);
  }
  std::printf("{\"pair_ns\": %.2f}\n", Median(found));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  const long number = argc > 2 ? std::atol(argv[2]) : 0;
  if (std::strcmp(what, "ratio") == 0) return Ratio();
  if (std::strcmp(what, "steps") == 0) return Steps();
  if (std::strcmp(what, "idle") == 0) return Idle(static_cast<unsigned>(number));
  if (std::strcmp(what, "count") == 0) return Pairs(static_cast<int>(number)), 0;
  std::fprintf(stderr, "usage: pair_bench ratio | steps | idle SECONDS | count PAIRS\n");
  return 2;
}
