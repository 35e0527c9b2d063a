// SPDX-License-Identifier: Apache-2.0
// The question comes to our function as long as the loader uses our tables; when it does not any
// more, that is told once, nothing is touched, and the loader is not asked again.
#include "collectors/level_zero/tables_watch.h"

#include <gtest/gtest.h>

#include "collectors/level_zero/hooks.h"
#include "collectors/level_zero/objects.h"
#include "collectors/level_zero/test_driver.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/recorded.h"

namespace syncline::level_zero {
namespace {

using syncline::test::ReadRecords;
using syncline::test::Recorded;

int g_of_driver;
ze_result_t Drivers(ze_driver_handle_t, const char*, void**) {
  ++g_of_driver;
  return ZE_RESULT_ERROR_INVALID_ARGUMENT;
}
ze_result_t GetDrivers(uint32_t* count, ze_driver_handle_t* drivers) {
  *count = 1;
  drivers[0] = reinterpret_cast<ze_driver_handle_t>(&g_of_driver);
  return ZE_RESULT_SUCCESS;
}

bool g_ours;  // the loader's tables
int g_asked;
uint32_t Loaders(void* driver, const char* name, void** address) {
  ++g_asked;
  auto* handle = static_cast<ze_driver_handle_t>(driver);
  return static_cast<uint32_t>(g_ours
                                   ? hooks::DriverGetExtensionFunctionAddress(handle, name, address)
                                   : Drivers(handle, name, address));
}

int Coverages() {
  int coverages = 0;
  for (const Recorded& record : ReadRecords()) coverages += record.kind == RecordKind::kGpuCoverage;
  return coverages;
}

TEST(TablesWatch, TellsOnceWhenCallsAreNotSeenAnyMore) {
  syncline::test::ResetSession();
  test::UseTestDriver();
  EXPECT_TRUE(WatchTables()) << "nobody to ask";
  g_api.DriverGet = GetDrivers;
  g_api.DriverGetExtensionFunctionAddress = Drivers;
  KeepQuestion(Loaders);
  EXPECT_TRUE(WatchTables()) << "it never came: perhaps another loader's";
  EXPECT_EQ(g_of_driver, 1);
  g_ours = true;
  EXPECT_TRUE(WatchTables());
  EXPECT_EQ(g_of_driver, 1) << "our function answers";
  EXPECT_EQ(Coverages(), 0);
  g_ours = false;
  EXPECT_FALSE(WatchTables());
  EXPECT_EQ(Coverages(), 1);
  EXPECT_TRUE(g_books_are_old);
  g_ours = true;
  const int asked = g_asked;
  EXPECT_FALSE(WatchTables());
  EXPECT_EQ(g_asked, asked);
  EXPECT_EQ(Coverages(), 1);
  g_books_are_old = false;
}

TEST(TablesWatch, AnswersNoQuestionOfThePrograms) {
  char same_words[] = "syncline: is this call seen?";
  EXPECT_FALSE(IsOurQuestion(same_words));
  EXPECT_FALSE(IsOurQuestion("zeDeviceSynchronize"));
  EXPECT_FALSE(IsOurQuestion(nullptr));
}

}  // namespace
}  // namespace syncline::level_zero
