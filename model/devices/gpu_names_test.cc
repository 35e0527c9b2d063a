// SPDX-License-Identifier: Apache-2.0
// Names for handles, which come before or after the handle's object and may be used again.
#include "model/devices/gpu_names.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr Source kCuda = 2;
enum Types : uint32_t { kCuContext = 0x40002, kCuStream, kCudaDevice = 0x50000, kCudaStream };

DeviceEventRecord Note(DeviceEventType type, uint64_t handle, uint32_t context, uint32_t stream) {
  DeviceEventRecord note{};
  note.type = type;
  note.address = handle;
  note.context = context;
  note.stream = stream;
  return note;
}

TEST(GpuNames, HandlesOfStreamsAndContexts) {
  GpuNames names(FactsOfSource(kCuda));
  names.OnDeviceEvent(Note(DeviceEventType::kStreamHandle, 0x1000, 1, 13));
  names.OnDeviceEvent(Note(DeviceEventType::kContextHandle, 0x2000, 1, 0));
  names.OnResource(kCudaStream, 0x1000, "compute");
  names.OnResource(kCuContext, 0x2000, "main");
  names.OnResource(kCuStream, 0x3000, "comes later");
  EXPECT_EQ(names.Stream(1, 13), "compute");
  EXPECT_EQ(names.Context(1), "main");
  EXPECT_EQ(names.Stream(1, 14), "");
  EXPECT_EQ(names.Stream(2, 13), "");
  EXPECT_EQ(names.Context(2), "");
  names.OnDeviceEvent(Note(DeviceEventType::kStreamHandle, 0x3000, 1, 14));
  EXPECT_EQ(names.Stream(1, 14), "comes later");
}

TEST(GpuNames, AHandleThatIsUsedAgain) {
  GpuNames names(FactsOfSource(kCuda));
  names.OnDeviceEvent(Note(DeviceEventType::kStreamHandle, 0x1000, 1, 13));
  names.OnResource(kCudaStream, 0x1000, "first");
  names.OnDeviceEvent(Note(DeviceEventType::kStreamHandle, 0x1000, 1, 14));
  EXPECT_EQ(names.Stream(1, 13), "first");
  EXPECT_EQ(names.Stream(1, 14), "");
  names.OnResource(kCudaStream, 0x1000, "second");
  EXPECT_EQ(names.Stream(1, 13), "first");
  EXPECT_EQ(names.Stream(1, 14), "second");
}

TEST(GpuNames, TheDefaultStreamOfTheOnlyContext) {
  GpuNames names(FactsOfSource(kCuda));
  names.OnResource(kCudaStream, 0, "default");
  names.OnResource(kCudaStream, 2, "of each thread");
  EXPECT_EQ(names.Stream(1, 7), "");
  names.OnDeviceEvent(Note(DeviceEventType::kContext, 0, 1, 7));
  EXPECT_EQ(names.Stream(1, 7), "default");
  EXPECT_EQ(names.Stream(1, 8), "");
  names.OnDeviceEvent(Note(DeviceEventType::kContext, 0, 2, 17));
  EXPECT_EQ(names.Stream(1, 7), "");
}

TEST(GpuNames, DevicesByTheirNumber) {
  GpuNames names(FactsOfSource(kCuda));
  names.OnResource(kCudaDevice, 1, "second");
  names.OnResource(0x70000, 0, "of another kind");
  EXPECT_EQ(names.Device(1), "second");
  EXPECT_EQ(names.Device(0), "");
}

// The numbers of another source's devices are its own.
TEST(GpuNames, WhatIsNotTheSourcesIsPassedBy) {
  GpuNames names(FactsOfSource(7));
  names.OnResource(kCudaDevice, 1, "of CUDA");
  EXPECT_EQ(names.Device(1), "");
}

}  // namespace
}  // namespace syncline
