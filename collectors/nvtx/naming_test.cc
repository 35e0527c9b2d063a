// SPDX-License-Identifier: Apache-2.0
// Names of categories, threads and resources; calls that are accepted but not recorded.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "collectors/nvtx/test_client.h"

// After the client's headers: these leave the vendor's code out.
#include "collectors/nvtx/hooks.h"
#include "collectors/nvtx/naming.h"

namespace syncline::test {
namespace {

class Naming : public NvtxTest {};

nvtxEventAttributes_t InCategory(uint32_t category) {
  nvtxEventAttributes_t attributes = Attributes("in a category");
  attributes.category = category;
  return attributes;
}

TEST_F(Naming, DefinesCategoriesInEachStreamThatUsesThem) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("categories");
  nvtxNameCategoryA(3, "default three");
  nvtxDomainNameCategoryA(domain, 3, "three");
  nvtxDomainNameCategoryW(domain, 4, L"v\u00eer");
  const auto mark = [domain](uint32_t category) {
    const nvtxEventAttributes_t attributes = InCategory(category);
    nvtxDomainMarkEx(domain, &attributes);
  };
  mark(3);
  std::thread(mark, 4).join();
  nvtxEventAttributes_t attributes = InCategory(3);
  nvtxMarkEx(&attributes);
  mark(99);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 4u);
  EXPECT_EQ(trace.events[0].category, "three");
  EXPECT_EQ(trace.events[1].category, "default three");
  EXPECT_EQ(trace.events[2].category, "");
  EXPECT_EQ(trace.events[2].attributes.category, 99u);
  EXPECT_EQ(trace.events[3].category, "v\xc3\xaer");
}

TEST_F(Naming, TakesNewNamesOfCategories) {
  const nvtxEventAttributes_t attributes = InCategory(5);
  nvtxNameCategoryA(5, "before");
  nvtxMarkEx(&attributes);
  const int definitions = ReadTrace().definitions;
  nvtxNameCategoryA(5, "before");
  nvtxMarkEx(&attributes);
  nvtxNameCategoryW(5, L"after");
  nvtxNameCategoryA(5, nullptr);
  nvtxMarkEx(&attributes);
  const Trace trace = ReadTrace();
  EXPECT_EQ(trace.events[1].category, "before");
  EXPECT_EQ(trace.events[2].category, "after");
  EXPECT_EQ(trace.definitions, definitions + 1);
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(Naming, DefinesCategoriesAgainInAForksChild) {
  const nvtxEventAttributes_t attributes = InCategory(6);
  nvtxNameCategoryA(6, "inherited");
  nvtxMarkEx(&attributes);
  const pid_t child = fork();
  if (child == 0) {
    nvtxMarkEx(&attributes);
    const Trace trace = ReadTrace();
    _exit(trace.events.size() == 1 && trace.events[0].category == "inherited" ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST_F(Naming, RecordsThreadNames) {
  nvtxNameOsThreadA(4711, "another thread");
  nvtxNameOsThreadW(static_cast<uint32_t>(gettid()), L"th\u00efs");
  nvtxNameOsThreadA(1, nullptr);
  nvtxNameOsThreadW(1, nullptr);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.named.size(), 2u);
  EXPECT_EQ(trace.named[0].kind, RecordKind::kThreadName);
  EXPECT_EQ(trace.named[0].id, 4711u);
  EXPECT_EQ(trace.named[0].text, "another thread");
  EXPECT_EQ(trace.named[1].text, "th\xc3\xafs");
}

TEST_F(Naming, CountsNumbersThatNoThreadHas) {
  nvtxNameOsThreadA(0, "none");
  nvtxNameOsThreadA(0xffffffff, "none");
  nvtxNameOsThreadA(1u << 22, "none");
  nvtxNameOsThreadA((1u << 22) - 1, "the last");
  const Trace trace = ReadTrace();
  EXPECT_EQ(trace.named.size(), 1u);
  EXPECT_EQ(Losses(kLoss_bad_attributes), 3u);
}

TEST_F(Naming, RecordsResources) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("resources");
  nvtxResourceAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  attributes.identifierType = NVTX_RESOURCE_TYPE_GENERIC_POINTER;
  attributes.identifier.pValue = &domain;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "a pointer";
  nvtxResourceHandle_t handle = nvtxDomainResourceCreate(domain, &attributes);
  EXPECT_NE(handle, nullptr);
  nvtxDomainResourceDestroy(handle);
  nvtxDomainResourceDestroy(handle);
  attributes.identifierType = NVTX_RESOURCE_TYPE_GENERIC_THREAD_POSIX;
  attributes.identifier.ullValue = static_cast<uint64_t>(pthread_self());
  attributes.messageType = NVTX_MESSAGE_TYPE_UNICODE;
  attributes.message.unicode = L"me";
  nvtxDomainResourceCreate(nullptr, &attributes);
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterStringA(domain, "by handle");
  attributes.identifierType = NVTX_RESOURCE_TYPE_SYNC_PTHREAD_MUTEX;
  nvtxDomainResourceCreate(domain, &attributes);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.named.size(), 4u);
  EXPECT_EQ(trace.named[0].kind, RecordKind::kResource);
  EXPECT_EQ(trace.named[0].id, static_cast<uint32_t>(NVTX_RESOURCE_TYPE_GENERIC_POINTER));
  EXPECT_EQ(trace.named[0].key, reinterpret_cast<uintptr_t>(&domain));
  EXPECT_EQ(trace.named[0].domain, "resources");
  EXPECT_EQ(trace.named[1].id, static_cast<uint32_t>(NVTX_RESOURCE_TYPE_GENERIC_THREAD_NATIVE));
  EXPECT_EQ(trace.named[2].kind, RecordKind::kThreadName);
  EXPECT_EQ(trace.named[2].id, static_cast<uint32_t>(gettid()));
  EXPECT_EQ(trace.named[2].text, "me");
  EXPECT_EQ(trace.named[3].text, "by handle");
}

TEST_F(Naming, SurvivesBadResources) {
  EXPECT_NE(nvtxDomainResourceCreate(nullptr, nullptr), nullptr);
  nvtxResourceAttributes_t attributes = {};
  nvtxDomainResourceCreate(nullptr, &attributes);
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_RESOURCE_ATTRIB_STRUCT_SIZE;
  attributes.messageType = 77;
  nvtxDomainResourceCreate(reinterpret_cast<nvtxDomainHandle_t>(0x77), &attributes);
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;  // and null
  nvtxDomainResourceCreate(nullptr, &attributes);
  nvtxDomainResourceDestroy(reinterpret_cast<nvtxResourceHandle_t>(0x77));
  EXPECT_EQ(Losses(kLoss_bad_attributes), 4u);
  EXPECT_EQ(ReadTrace().named.size(), 0u);
}

// CUDA's and OpenCL's naming functions need their vendor's headers in a program, so our side is
// called directly.
TEST_F(Naming, RecordsNamesOfVendorsObjects) {
  int object = 0;
  nvtx::hook::NameCuDeviceA(1, "cu device");
  nvtx::hook::NameCuContextW(&object, L"cu context");
  nvtx::hook::NameCuStreamA(&object, "cu stream");
  nvtx::hook::NameCuEventA(&object, "cu event");
  nvtx::hook::NameCudaDeviceW(2, L"cuda device");
  nvtx::hook::NameCudaStreamA(&object, "cuda stream");
  nvtx::hook::NameCudaEventA(&object, "cuda event");
  nvtx::hook::NameClDeviceA(&object, "cl device");
  nvtx::hook::NameClEventW(&object, L"cl event");
  nvtx::hook::NameCudaStreamA(&object, nullptr);
  const struct {
    uint32_t type;
    uint64_t key;
    const char* text;
  } kExpected[] = {
      {0x40001, 1, "cu device"},  {0x40002, 0, "cu context"},  {0x40003, 0, "cu stream"},
      {0x40004, 0, "cu event"},   {0x50000, 2, "cuda device"}, {0x50001, 0, "cuda stream"},
      {0x50002, 0, "cuda event"}, {0x60001, 0, "cl device"},   {0x60007, 0, "cl event"}};
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.named.size(), 9u);
  for (size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(trace.named[i].id, kExpected[i].type);
    EXPECT_EQ(trace.named[i].key,
              kExpected[i].key != 0 ? kExpected[i].key : reinterpret_cast<uintptr_t>(&object));
    EXPECT_EQ(trace.named[i].text, kExpected[i].text);
  }
}

TEST_F(Naming, CountsUserSynchronisation) {
  nvtxSyncUserAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_SYNCUSER_ATTRIB_STRUCT_SIZE;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "my lock";
  nvtxSyncUser_t sync = nvtxDomainSyncUserCreate(nullptr, &attributes);
  ASSERT_NE(sync, nullptr);
  nvtxDomainSyncUserAcquireStart(sync);
  nvtxDomainSyncUserAcquireFailed(sync);
  nvtxDomainSyncUserAcquireStart(sync);
  nvtxDomainSyncUserAcquireSuccess(sync);
  nvtxDomainSyncUserReleasing(sync);
  nvtxDomainSyncUserDestroy(sync);
  EXPECT_NE(nvtxDomainSyncUserCreate(nullptr, nullptr), nullptr);
  EXPECT_EQ(Losses(kLoss_unsupported), 5u);
  EXPECT_EQ(Losses(kLoss_bad_attributes), 1u);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.named.size(), 1u);
  EXPECT_EQ(trace.named[0].id, nvtx::kSyncUserResource);
  EXPECT_EQ(trace.named[0].text, "my lock");
}

TEST_F(Naming, CountsCounters) {
  nvtxCounterAttr_t attributes = {};
  attributes.structSize = sizeof(attributes);
  attributes.name = "a counter";
  const uint64_t dynamic = nvtxCounterRegister(nullptr, &attributes);
  EXPECT_NE(dynamic, 0u);
  attributes.counterId = NVTX_COUNTER_ID_STATIC_START + 1;
  EXPECT_EQ(nvtxCounterRegister(nullptr, &attributes), attributes.counterId);
  EXPECT_EQ(nvtxCounterRegister(nullptr, nullptr), 0u);
  nvtxCounterSampleInt64(nullptr, dynamic, 1);
  nvtxCounterSampleFloat64(nullptr, dynamic, 1.0);
  EXPECT_EQ(Losses(kLoss_unsupported), 2u);
  EXPECT_EQ(AllLosses(), 2u);
}

}  // namespace
}  // namespace syncline::test
