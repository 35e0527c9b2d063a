// SPDX-License-Identifier: Apache-2.0
// Functions of newer APIs are ours where the program's loader has them and where a driver gives
// their addresses, each in front of its own; counter-based events get time stamps where that is
// possible.
#include "collectors/level_zero/later_functions.h"

#include <gtest/gtest.h>

#include <vector>

#include "collectors/level_zero/hooks.h"
#include "collectors/level_zero/objects.h"
#include "collectors/level_zero/test_driver.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/recorded.h"

namespace syncline::level_zero {
namespace {

using syncline::test::ReadRecords;
using syncline::test::Recorded;

constexpr size_t kSlots = 64;
constexpr uint32_t Version(uint32_t minor) { return 1u << 16 | minor; }

int g_of_loader, g_of_driver;
ze_result_t Loaders(ze_command_list_handle_t, uint64_t) {
  ++g_of_loader;
  return ZE_RESULT_SUCCESS;
}
ze_result_t Drivers(ze_command_list_handle_t, uint64_t) {
  ++g_of_driver;
  return ZE_RESULT_ERROR_DEVICE_LOST;
}
ze_result_t OtherDrivers(ze_command_list_handle_t, uint64_t) { return ZE_RESULT_SUCCESS; }

template <typename Function>
void* Address(Function function) {
  return reinterpret_cast<void*>(function);
}
hooks::HostSynchronize AsFunction(void* address) {
  return reinterpret_cast<hooks::HostSynchronize>(address);
}

int Calls() {
  int calls = 0;
  for (const Recorded& record : ReadRecords()) calls += record.kind == RecordKind::kCall;
  return calls;
}

TEST(LaterFunctions, EachWayHasItsOwnBehindOurs) {
  syncline::test::ResetSession();
  constexpr size_t kSlot = 28;
  std::vector<void*> table(kSlots);
  table[kSlot] = Address(Loaders);
  TakeLaterFunctions(DdiTable::k_zeCommandList, Version(6), table.data());
  TakeLaterFunctions(DdiTable::k_zeCommandList, Version(6), table.data());  // asked for twice
  void* given = TakeByAddress("zeCommandListHostSynchronize", Address(Drivers));
  EXPECT_EQ(TakeByAddress("zeCommandListHostSynchronize", Address(Drivers)), given);
  EXPECT_NE(table[kSlot], Address(Loaders));
  EXPECT_NE(given, Address(Drivers));
  EXPECT_EQ(AsFunction(table[kSlot])(nullptr, 1), ZE_RESULT_SUCCESS);
  EXPECT_EQ(AsFunction(given)(nullptr, 1), ZE_RESULT_ERROR_DEVICE_LOST);
  EXPECT_EQ(g_of_loader, 1);
  EXPECT_EQ(g_of_driver, 1);
  EXPECT_EQ(Calls(), 2);
  // Handles of one driver must not reach the other.
  EXPECT_EQ(TakeByAddress("zeCommandListHostSynchronize", Address(OtherDrivers)),
            Address(OtherDrivers));
}

TEST(LaterFunctions, OthersStayTheVendors) {
  EXPECT_EQ(TakeByAddress("zexKernelGetBaseAddress", Address(Drivers)), Address(Drivers));
  EXPECT_EQ(TakeByAddress("zeDeviceSynchronize", nullptr), nullptr);
}

// What an older loader has not is other memory of the program.
TEST(LaterFunctions, SlotsAreTouchedWhereTheLoaderHasThem) {
  for (const uint32_t minor : {0u, 4u, 5u, 6u, 13u, 14u, 15u, 16u, 20u}) {
    std::vector<void*> table(kSlots, Address(Loaders));
    TakeLaterFunctions(DdiTable::k_zeCommandList, Version(minor), table.data());
    size_t taken = 0;
    for (const void* slot : table) taken += slot != Address(Loaders);
    EXPECT_EQ(taken, minor < 6 ? 0u : minor < 14 ? 1u : minor < 16 ? 3u : 6u) << minor;
  }
}

// Loaders of API 1.11 have it in two orders.
TEST(LaterFunctions, AnUnknownOrderOfExperimentalFunctionsIsLeftAlone) {
  for (const uint32_t minor : {8u, 9u, 10u, 11u, 12u}) {
    std::vector<void*> table(kSlots, Address(Loaders));
    TakeLaterFunctions(DdiTable::k_zeCommandListExp, Version(minor), table.data());
    EXPECT_EQ(table[1] != Address(Loaders), minor >= 9 && minor != 11) << minor;
  }
}

struct Asked {
  uint32_t flags;
  const void* next;
};
std::vector<Asked> g_asked;
bool g_refuse_times;
char g_event_handle, g_context_handle;

ze_result_t Create(ze_context_handle_t, ze_device_handle_t,
                   const hooks::CounterBasedDescription* description, ze_event_handle_t* out) {
  if (description == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  g_asked.push_back({description->flags, description->next});
  if (g_refuse_times && (description->flags & 0x30) != 0)
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  *out = reinterpret_cast<ze_event_handle_t>(&g_event_handle);
  return ZE_RESULT_SUCCESS;
}

// Whether the made event has times that can be read.
bool Made(uint32_t flags, const void* next = nullptr) {
  g_asked.clear();
  const hooks::CounterBasedDescription description = {0, next, flags, 0, 0};
  ze_event_handle_t event = nullptr;
  EXPECT_EQ(hooks::EventCounterBasedCreate(Create,
                                           reinterpret_cast<ze_context_handle_t>(&g_context_handle),
                                           nullptr, &description, &event),
            ZE_RESULT_SUCCESS);
  return g_objects.events.Find(event)->has_times;
}

TEST(CounterBasedEvents, GetTimesWhereNothingSpeaksAgainstIt) {
  test::UseTestDriver();
  EXPECT_TRUE(Made(0));
  EXPECT_EQ(g_asked.at(0).flags, 0x15u);  // 0 means: for immediate lists
  EXPECT_TRUE(Made(0x2));
  EXPECT_EQ(g_asked.at(0).flags, 0x16u);
  EXPECT_TRUE(Made(0x25));  // has the host's already
  EXPECT_EQ(g_asked.at(0).flags, 0x25u);
}

TEST(CounterBasedEvents, AreTheProgramsWhereTheyAreSharedOrExtended) {
  EXPECT_FALSE(Made(0xd));
  EXPECT_EQ(g_asked.at(0).flags, 0xdu);
  const char extension = 0;
  EXPECT_FALSE(Made(0x5, &extension));
  EXPECT_EQ(g_asked.at(0).next, &extension);
  EXPECT_TRUE(Made(0x15, &extension));
}

TEST(CounterBasedEvents, ADriverThatRefusesTimesGivesWhatTheProgramAskedFor) {
  g_refuse_times = true;
  EXPECT_FALSE(Made(0x5));
  EXPECT_EQ(g_asked.size(), 2u);
  EXPECT_EQ(g_asked.at(1).flags, 0x5u);
  g_refuse_times = false;
  EXPECT_EQ(hooks::EventCounterBasedCreate(Create, nullptr, nullptr, nullptr, nullptr),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

uint32_t g_pool_flags;
ze_result_t PoolCreate(ze_context_handle_t, const ze_event_pool_desc_t* description, uint32_t,
                       ze_device_handle_t*, ze_event_pool_handle_t* out) {
  g_pool_flags = description->flags;
  if (g_refuse_times && (description->flags & ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP) != 0)
    return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  *out = reinterpret_cast<ze_event_pool_handle_t>(&g_pool_flags);
  return ZE_RESULT_SUCCESS;
}

bool PoolHasTimes(uint32_t flags, const void* next = nullptr) {
  ze_event_pool_desc_t description{};
  description.flags = flags;
  description.pNext = next;
  description.count = 1;
  ze_event_pool_handle_t pool = nullptr;
  EXPECT_EQ(hooks::EventPoolCreate(nullptr, &description, 0, nullptr, &pool), ZE_RESULT_SUCCESS);
  return g_objects.pools.Find(pool)->has_times;
}

TEST(EventPools, GetTimesWhereNothingSpeaksAgainstIt) {
  test::UseTestDriver();
  g_api.EventPoolCreate = PoolCreate;
  EXPECT_TRUE(PoolHasTimes(0));
  EXPECT_EQ(g_pool_flags, 5u);
  EXPECT_FALSE(PoolHasTimes(ZE_EVENT_POOL_FLAG_IPC));
  EXPECT_EQ(g_pool_flags, 2u);
  ze_base_desc_t counter_based{};
  counter_based.stype = static_cast<ze_structure_type_t>(0x00020014);
  EXPECT_TRUE(PoolHasTimes(0, &counter_based));
  EXPECT_TRUE(g_objects.pools.Find(&g_pool_flags)->counter_based);
  ze_base_desc_t unknown{};
  unknown.stype = static_cast<ze_structure_type_t>(0x00020099);
  EXPECT_FALSE(PoolHasTimes(0, &unknown));
  g_refuse_times = true;
  EXPECT_FALSE(PoolHasTimes(1));
  EXPECT_EQ(g_pool_flags, 1u);
  g_refuse_times = false;
}

ze_event_handle_t g_asked_event;
ze_result_t AskTimes(ze_event_handle_t event, ze_device_handle_t, uint32_t*, void*) {
  g_asked_event = event;
  return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}
ze_result_t AskFlags(ze_event_pool_handle_t, ze_event_pool_flags_t* flags) {
  *flags = g_pool_flags;
  return ZE_RESULT_SUCCESS;
}

// A pool of these flags, and the event in it.
ze_event_handle_t EventOfPool(uint32_t flags, ze_event_pool_handle_t* pool) {
  ze_event_pool_desc_t of_pool{};
  of_pool.flags = flags;
  of_pool.count = 1;
  const ze_event_desc_t of_event{};
  ze_event_handle_t event = nullptr;
  auto context = reinterpret_cast<ze_context_handle_t>(&g_context_handle);
  EXPECT_EQ(hooks::EventPoolCreate(context, &of_pool, 0, nullptr, pool), ZE_RESULT_SUCCESS);
  EXPECT_EQ(hooks::EventCreate(*pool, &of_event, &event), ZE_RESULT_SUCCESS);
  return event;
}

TEST(Answers, SayNothingOfWhatWasAdded) {
  test::UseTestDriver();
  g_api.EventPoolCreate = PoolCreate;
  ze_event_pool_handle_t pool = nullptr;
  const ze_event_handle_t plain = EventOfPool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, &pool);
  ASSERT_EQ(g_pool_flags, 5u);
  ze_event_pool_flags_t flags = 0;
  EXPECT_EQ(hooks::EventPoolGetFlags(AskFlags, pool, &flags), ZE_RESULT_SUCCESS);
  EXPECT_EQ(flags, 1u);
  const uint64_t alive = test::EventsAlive();
  EXPECT_EQ(hooks::EventQueryKernelTimestampsExt(AskTimes, plain, nullptr, nullptr, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(g_asked_event, plain) << "the driver is asked of one as the program wanted it";
  EXPECT_EQ(g_pool_flags, 1u);
  EXPECT_EQ(test::EventsAlive(), alive);
}

TEST(Answers, AreTheDriversWhereNothingWasAdded) {
  test::UseTestDriver();
  g_api.EventPoolCreate = PoolCreate;
  ze_event_pool_handle_t pool = nullptr;
  const ze_event_handle_t timed = EventOfPool(5, &pool);
  EXPECT_EQ(hooks::EventQueryTimestampsExp(AskTimes, timed, nullptr, nullptr, nullptr),
            ZE_RESULT_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(g_asked_event, timed);
  ze_event_pool_flags_t flags = 0;
  EXPECT_EQ(hooks::EventPoolGetFlags(AskFlags, pool, &flags), ZE_RESULT_SUCCESS);
  EXPECT_EQ(flags, 5u);
}

}  // namespace
}  // namespace syncline::level_zero
