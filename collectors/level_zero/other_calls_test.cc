// SPDX-License-Identifier: Apache-2.0
// Slots are touched where the program's loader has them, and what is put there calls the vendor's.
#include "collectors/level_zero/other_calls.h"

#include <gtest/gtest.h>
#include <level_zero/ze_ddi.h>

#include <cstring>

#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/recorded.h"

namespace syncline::level_zero {
namespace {

using syncline::test::ReadRecords;
using syncline::test::Recorded;

constexpr uint32_t kOldest = 1u << 16;

ze_result_t ZE_APICALL Caches(ze_device_handle_t, uint32_t* count, ze_device_cache_properties_t*) {
  *count = 3;
  return ZE_RESULT_ERROR_DEVICE_LOST;
}
ze_result_t ZE_APICALL Reserve(ze_device_handle_t, size_t, size_t) { return ZE_RESULT_SUCCESS; }

// As a loader of API 1.0 has it: what came later is other memory of the program.
TEST(OtherCalls, LeaveAloneWhatAnOlderLoaderHasNot) {
  ze_device_dditable_t table{};
  table.pfnGetCacheProperties = Caches;
  table.pfnReserveCacheExt = Reserve;
  TakeOthers(DdiTable::k_zeDevice, kOldest, &table);
  EXPECT_NE(table.pfnGetCacheProperties, Caches);
  EXPECT_EQ(table.pfnReserveCacheExt, Reserve);
  TakeOthers(DdiTable::k_zeDevice, ZE_API_VERSION_CURRENT, &table);
  EXPECT_NE(table.pfnReserveCacheExt, Reserve);
}

TEST(OtherCalls, AreRecordedAndAnsweredByTheVendor) {
  syncline::test::ResetSession();
  ze_device_dditable_t table{};
  table.pfnGetCacheProperties = Caches;
  TakeOthers(DdiTable::k_zeDevice, ZE_API_VERSION_CURRENT, &table);
  TakeOthers(DdiTable::k_zeDevice, ZE_API_VERSION_CURRENT, &table);  // asked for twice
  uint32_t count = 0;
  EXPECT_EQ(table.pfnGetCacheProperties(nullptr, &count, nullptr), ZE_RESULT_ERROR_DEVICE_LOST);
  EXPECT_EQ(count, 3u);
  int calls = 0;
  for (const Recorded& record : ReadRecords()) calls += record.kind == RecordKind::kCall;
  EXPECT_EQ(calls, 1);
}

// Those of experimental functions have changed their order from version to version.
TEST(OtherCalls, LeaveAloneExperimentalTablesOfOtherVersions) {
  ze_kernel_exp_dditable_t table{}, before{};
  std::memset(&table, 0x5a, sizeof(table));
  before = table;
  TakeOthers(DdiTable::k_zeKernelExp, ZE_API_VERSION_CURRENT + 1, &table);
  EXPECT_EQ(std::memcmp(&table, &before, sizeof(table)), 0);
  TakeOthers(DdiTable::k_zeKernelExp, ZE_API_VERSION_CURRENT, &table);
  EXPECT_NE(std::memcmp(&table, &before, sizeof(table)), 0);
}

}  // namespace
}  // namespace syncline::level_zero
