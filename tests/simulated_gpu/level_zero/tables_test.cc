// SPDX-License-Identifier: Apache-2.0
// The table of a loader that is newer than the headers of this build.
#include <gtest/gtest.h>
#include <level_zero/ze_ddi.h>

namespace simgpu::level_zero {
namespace {

struct NewerTable {
  ze_command_list_dditable_t known;
  void* next;  // zeCommandListHostSynchronize, from API 1.6 on
};

void* NextSlot(int minor) {
  NewerTable table{};
  const auto version = static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, minor));
  EXPECT_EQ(zeGetCommandListProcAddrTable(version, &table.known), ZE_RESULT_SUCCESS);
  return table.next;
}

TEST(Tables, ASlotBehindOursIsFilledWhereTheLoaderHasIt) {
  if (ZE_API_VERSION_CURRENT >= ZE_MAKE_VERSION(1, 6)) GTEST_SKIP() << "the headers have it";
  EXPECT_EQ(NextSlot(4), nullptr);
  EXPECT_EQ(NextSlot(5), nullptr);
  EXPECT_NE(NextSlot(6), nullptr);
  EXPECT_NE(NextSlot(17), nullptr);
}

}  // namespace
}  // namespace simgpu::level_zero
