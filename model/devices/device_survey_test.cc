// SPDX-License-Identifier: Apache-2.0
// What a first reading keeps, of good spools and of hostile ones.
#include "model/devices/device_survey.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

DeviceEventRecord Event(uint32_t event, uint32_t correlation, uint32_t stream) {
  DeviceEventRecord note{};
  note.type = DeviceEventType::kEvent;
  note.head.id = event;
  note.correlation = correlation;
  note.stream = stream;
  return note;
}

TEST(CorrelationSet, AllOf32Bits) {
  CorrelationSet set;
  for (const uint32_t id : {1u, 65535u, 65536u, 1u << 28, (1u << 28) + 1, UINT32_MAX}) {
    EXPECT_FALSE(set.Has(id));
    set.Add(id);
    EXPECT_TRUE(set.Has(id)) << id;
  }
  set.Add(0);
  EXPECT_FALSE(set.Has(0));
  EXPECT_FALSE(set.Has(2));
  EXPECT_FALSE(set.Has(UINT32_MAX - 1));
}

TEST(CorrelationSet, PagesAreLimited) {
  CorrelationSet set;
  for (uint32_t page = 0; page < 1 << 16; ++page) set.Add(page << 16 | 1);
  EXPECT_TRUE(set.Has(1));
  EXPECT_FALSE(set.Has(UINT32_MAX - 65534));
}

TEST(DeviceSurvey, SourcesOfASpoolShareTheirRoom) {
  auto room = std::make_shared<SurveyRoom>();
  std::vector<std::unique_ptr<DeviceSurvey>> all;
  for (Source source = 1; source < kMaxSources; ++source) {
    all.push_back(std::make_unique<DeviceSurvey>(source, room));
    for (uint32_t page = 0; page < 4096; ++page) all.back()->ops.Add(page << 16 | 1);
  }
  EXPECT_EQ(room->pages, 0u);
  EXPECT_TRUE(all[2]->ops.Has(1));
  EXPECT_FALSE(all[3]->ops.Has(1)) << "three full sets, whoever fills them";
}

TEST(CorrelationSet, WhatIsNotInAnother) {
  CorrelationSet set, other;
  EXPECT_EQ(set.CountWithout(other), 0u);
  for (const uint32_t id : {1u, 2u, 65536u, 65537u, 1u << 28}) set.Add(id);
  EXPECT_EQ(set.CountWithout(other), 5u);
  for (const uint32_t id : {2u, 3u, 65537u, 1u << 30}) other.Add(id);
  EXPECT_EQ(set.CountWithout(other), 3u);
  EXPECT_EQ(set.CountWithout(set), 0u);
}

TEST(DeviceSurvey, EventsComeInAnyOrder) {
  DeviceSurvey survey(2);
  constexpr uint32_t kMany = 1000000;
  for (uint32_t i = kMany; i > 0; --i) survey.OnDeviceEvent(Event(3, 2 * i, i));
  survey.Finish();
  EXPECT_EQ(survey.LastRecorded(3, 2), nullptr);
  ASSERT_NE(survey.LastRecorded(3, 3), nullptr);
  EXPECT_EQ(survey.LastRecorded(3, 3)->stream, 1u);
  EXPECT_EQ(survey.LastRecorded(3, UINT32_MAX)->stream, kMany);
  EXPECT_EQ(survey.LastRecorded(4, 3), nullptr);
}

TEST(DeviceSurvey, ADeviceIsItsUuidOrItsAddress) {
  DeviceFacts facts{};
  EXPECT_EQ(IdOfDevice(facts), "");
  facts.pci = PciAddress(1, 0x65, 31, 7);
  EXPECT_EQ(IdOfDevice(facts), "0001:65:1f.7");
  facts.uuid[0] = 0xab;
  EXPECT_EQ(IdOfDevice(facts), "ab000000-0000-0000-0000-000000000000");
  EXPECT_EQ(PciText(PciAddress(0, 1, 0, 0)), "0000:01:00.0");
  EXPECT_EQ(PciAddress(0x10000, 1, 0, 0), 0u) << "no other domain's address";
}

// A source may tell the address by itself, before the facts or behind them.
TEST(DeviceSurvey, AnAddressByItself) {
  DeviceSurvey survey(2);
  DeviceEventRecord note{};
  note.type = DeviceEventType::kDeviceAddress;
  const auto tell = [&](uint32_t device) {
    note.device = device;
    note.address = PciAddress(0, 0x40 + device, 0, 0);
    survey.OnDeviceEvent(note);
  };
  tell(0);
  for (uint64_t device : {0, 1, 2}) survey.OnDevice(device, DeviceFacts{}, "a");
  tell(1);
  tell(3);
  survey.Finish();
  ASSERT_EQ(survey.infos.size(), 3u) << "of the fourth nothing else is known";
  EXPECT_EQ(PciText(survey.infos[0].facts.pci), "0000:40:00.0");
  EXPECT_EQ(PciText(survey.infos[1].facts.pci), "0000:41:00.0");
  EXPECT_EQ(survey.infos[2].facts.pci, 0u);
}

}  // namespace
}  // namespace syncline
