// SPDX-License-Identifier: Apache-2.0
// The presented version: its parsing, its API number and the record sizes that follow from it.
#include "tests/simulated_gpu/cupti/version.h"

#include <gtest/gtest.h>

#include "tests/simulated_gpu/cupti/fake_engine.h"
#include "tests/simulated_gpu/cupti/layouts.h"

namespace simgpu::cupti {
namespace {

TEST(Version, ParsesWhatIsAVersionOnly) {
  EXPECT_EQ(ParseVersion("12.4"), 1204u);
  EXPECT_EQ(ParseVersion("13.0"), 1300u);
  for (const char* bad : {"", "12", "12.", ".4", "11.8", "12.4.1", "12.4x", "a.b", "13.100"}) {
    EXPECT_EQ(ParseVersion(bad), std::nullopt) << bad;
  }
}

TEST(Version, ApiNumberIsTheHeaders) {
  EXPECT_EQ(ApiVersion(1200), 19u);
  EXPECT_EQ(ApiVersion(1201), 19u) << "12.1 is not in the list: as 12.0";
  EXPECT_EQ(ApiVersion(1206), 24u);
  EXPECT_EQ(ApiVersion(1209), 28u);
  EXPECT_EQ(ApiVersion(1300), 130001u);
  EXPECT_EQ(ApiVersion(1301), 130100u);
  EXPECT_EQ(ApiVersion(1304), 130400u);
}

TEST(Version, IsWhatCuptiGetVersionAnswers) {
  FakeEngine::Start(1204);
  uint32_t version = 0;
  ASSERT_EQ(cuptiGetVersion(&version), CUPTI_SUCCESS);
  EXPECT_EQ(version, 22u);
  EXPECT_EQ(cuptiGetVersion(nullptr), CUPTI_ERROR_INVALID_PARAMETER);
}

TEST(Layouts, SizesAreThoseOfTheStructs) {
  const uint32_t kernel = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  EXPECT_EQ(RecordSize(kernel, 1200), sizeof(CUpti_ActivityKernel9));
  EXPECT_EQ(RecordSize(kernel, 1209), sizeof(CUpti_ActivityKernel9));
  EXPECT_EQ(RecordSize(kernel, 1300), sizeof(CUpti_ActivityKernel10));
  EXPECT_EQ(RecordSize(kernel, 1301), sizeof(CUpti_ActivityKernel10) + 8);
  EXPECT_EQ(RecordSize(kernel, 1303), sizeof(CUpti_ActivityKernel10) + 16);
  EXPECT_EQ(RecordSize(kernel, 1304), sizeof(CUpti_ActivityKernel10) + 32);
  EXPECT_EQ(RecordSize(CUPTI_ACTIVITY_KIND_MEMCPY, 1207), sizeof(CUpti_ActivityMemcpy5));
  EXPECT_EQ(RecordSize(CUPTI_ACTIVITY_KIND_MEMCPY, 1208), sizeof(CUpti_ActivityMemcpy6));
  EXPECT_EQ(RecordSize(CUPTI_ACTIVITY_KIND_OVERHEAD, 1203), sizeof(CUpti_ActivityOverhead2));
  EXPECT_EQ(RecordSize(CUPTI_ACTIVITY_KIND_MARKER, 1300), 0u) << "not modelled";
}

TEST(Layouts, NoVersionMakesARecordShorterThanAnOlderOne) {
  for (uint32_t kind = 1; kind < 64; ++kind) {
    size_t before = 0;
    for (Version version = 1200; version <= 1309; ++version) {
      const size_t size = RecordSize(kind, version);
      EXPECT_GE(size, before) << kind << " in " << version;
      EXPECT_EQ(size % 8, 0u) << kind << " in " << version;
      before = size;
    }
  }
}

TEST(Layouts, KindsComeWithTheirVersion) {
  EXPECT_FALSE(KindExists(0, 1300));
  EXPECT_TRUE(KindExists(CUPTI_ACTIVITY_KIND_JIT, 1200));
  EXPECT_FALSE(KindExists(CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS, 1207));
  EXPECT_TRUE(KindExists(CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS, 1208));
  EXPECT_FALSE(KindExists(63, 1399));
}

}  // namespace
}  // namespace simgpu::cupti
