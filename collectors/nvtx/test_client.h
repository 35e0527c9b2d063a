// SPDX-License-Identifier: Apache-2.0
// What the tests share as programs that use NVTX: the vendor's headers with their code, and helpers
// for attributes.
#pragma once

#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSync.h>

#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/trace.h"

namespace syncline::test {

inline nvtxEventAttributes_t Attributes(const char* message = nullptr) {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.messageType = message != nullptr ? NVTX_MESSAGE_TYPE_ASCII : NVTX_MESSAGE_UNKNOWN;
  attributes.message.ascii = message;
  return attributes;
}

inline nvtxEventAttributes_t Registered(nvtxStringHandle_t string) {
  nvtxEventAttributes_t attributes = Attributes();
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = string;
  return attributes;
}

// Every test begins with an empty session and ends with a trace that a reader accepts.
class NvtxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    nvtxInitialize(nullptr);
    ResetSession();
  }
  void TearDown() override { EXPECT_EQ(ReadTrace().errors, std::vector<std::string>()); }
};

}  // namespace syncline::test
