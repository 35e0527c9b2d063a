// SPDX-License-Identifier: Apache-2.0
// What this collector's own code costs, over a driver that answers at once: a launch whose event is
// the program's, with the reading of the event before; a launch with an event of ours, with its
// reading; a query; a reset, which leaves no record. Prints JSON, in CPU nanoseconds of the thread.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "collectors/level_zero/appends.h"
#include "collectors/level_zero/ddi_interposer.h"
#include "collectors/level_zero/hooks.h"
#include "collectors/level_zero/test_driver.h"
#include "tests/fake_session/fake_session.h"

namespace {

using namespace syncline::level_zero;

constexpr int kRounds = 25;
constexpr int kTurns = 100'000;

char g_list_handle, g_kernel_handle;
const auto kList = reinterpret_cast<ze_command_list_handle_t>(&g_list_handle);
const auto kKernel = reinterpret_cast<ze_kernel_handle_t>(&g_kernel_handle);
ze_event_handle_t g_event;
ze_command_list_dditable_t g_table;
uint64_t g_now;

ze_result_t Launch(ze_command_list_handle_t, ze_kernel_handle_t, const ze_group_count_t*,
                   ze_event_handle_t event, uint32_t, ze_event_handle_t*) {
  ++g_now;  // no two works have the same times
  if (event != nullptr) test::Signal(event, g_now, g_now);
  return ZE_RESULT_SUCCESS;
}

void Launches(ze_event_handle_t event) {
  const ze_group_count_t groups = {1, 1, 1};
  for (int i = 0; i < kTurns; ++i) {
    if (i % 1024 == 0) g_now = test::TicksNow();
    (void)g_table.pfnAppendLaunchKernel(kList, kKernel, &groups, event, 0, nullptr);
    if (event == nullptr && i % 64 == 63) ReadFinished();
  }
}

template <typename Body>
double MedianNs(Body body) {
  std::vector<double> rounds;
  for (int i = 0; i < kRounds; ++i) {
    timespec before, after;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    body();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    const double ns = static_cast<double>(after.tv_sec - before.tv_sec) * 1e9 +
                      static_cast<double>(after.tv_nsec - before.tv_nsec);
    rounds.push_back(ns / kTurns);
  }
  std::nth_element(rounds.begin(), rounds.begin() + kRounds / 2, rounds.end());
  return rounds[kRounds / 2];
}

}  // namespace

int main() {
  syncline::test::DrainRings();
  test::UseTestDriver();
  g_table.pfnAppendLaunchKernel = Launch;
  OnTable(DdiTable::k_zeCommandList, ZE_API_VERSION_1_0, &g_table);
  g_event = test::NewEvent();
  List* list = g_objects.lists.Insert(kList);
  list->context = ContextOf(reinterpret_cast<ze_context_handle_t>(&g_list_handle));
  list->queue.device = DeviceOf(test::NewDevice());
  list->queue.stream = 1;
  list->immediate = true;
  Kernel* kernel = g_objects.kernels.Insert(kKernel);
  kernel->name = {"a_kernel", 8};
  Event* event = g_objects.events.Insert(g_event);
  event->has_times = true;
  event->signal.id = 1;

  const double launch = MedianNs([] { Launches(g_event); });
  const double own = MedianNs([] { Launches(nullptr); });
  const double query = MedianNs([] {
    for (int i = 0; i < kTurns; ++i) (void)hooks::EventQueryStatus(g_event);
  });
  ReadBeforeReuse(event);
  const double reset = MedianNs([] {
    for (int i = 0; i < kTurns; ++i) (void)hooks::EventHostReset(g_event);
  });
  // A pause of the machine makes the driver's stamps older than the launches that they are for.
  const uint64_t garbage = syncline::test::Losses(syncline::kLoss_ze_garbage);
  if (garbage > kRounds * kTurns / 100 || syncline::test::AllLosses() != garbage) {
    std::fputs("level_zero_cost_bench: records were lost\n", stderr);
    return 1;
  }
  std::printf(
      "{\"launch_and_read_ns\": %.1f, \"own_event_launch_and_read_ns\": %.1f, \"query_ns\": %.1f, "
      "\"unrecorded_call_ns\": %.1f}\n",
      launch, own, query, reset);
  return 0;
}
