// SPDX-License-Identifier: Apache-2.0
// Attaching to copies of NVTX of all ages, to several at once, and behind a user's own tool.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "collectors/nvtx/nvtx_entry.h"
#include "collectors/nvtx/nvtx_headers.h"
#include "collectors/nvtx/test_tool.h"
#include "inject/core/thread_log.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/trace.h"

namespace syncline::test {
namespace {

constexpr unsigned kModules = 7;
constexpr unsigned kSlots = 24;

// A copy of NVTX in a program: tables of any size, one more slot behind each that nobody may touch.
struct Client {
  explicit Client(unsigned core2_size = 16, unsigned core_size = 16) {
    const unsigned sizes[kModules] = {0, core_size, 9, 15, 7, core2_size, 7};
    for (unsigned module = 0; module < kModules; ++module) {
      size[module] = sizes[module];
      for (unsigned id = 0; id < kSlots; ++id) {
        function[module][id] = &Fresh;
        table[module][id] = id == 0 || id > sizes[module] ? nullptr : &function[module][id];
      }
    }
  }

  static void Fresh() {}

  int Attach(const char* tool = nullptr) {
    current = this;
    return nvtx::Attach(reinterpret_cast<void*>(&GetExportTable), tool);
  }

  static const void* GetExportTable(uint32_t id) {
    static const NvtxExportTableCallbacks kCallbacks = {sizeof(NvtxExportTableCallbacks),
                                                        GetModuleFunctionTable};
    return id == NVTX_ETID_CALLBACKS ? &kCallbacks : nullptr;
  }

  static int GetModuleFunctionTable(NvtxCallbackModule module, NvtxFunctionTable* out_table,
                                    unsigned* out_size) {
    if (static_cast<unsigned>(module) >= kModules || current->size[module] == 0) return 0;
    *out_table = current->table[module];
    *out_size = current->size[module];
    return 1;
  }

  template <typename R, typename... A>
  R Call(unsigned module, unsigned id, A... arguments) {
    return reinterpret_cast<R (*)(A...)>(function[module][id])(arguments...);
  }
  int PushA(const char* message) {
    return Call<int>(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushA, message);
  }
  int Pop() { return Call<int>(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePop); }
  nvtxDomainHandle_t DomainCreateA(const char* name) {
    return Call<nvtxDomainHandle_t>(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainCreateA, name);
  }

  bool IsFresh(unsigned module, unsigned id) const { return function[module][id] == &Fresh; }

  static thread_local Client* current;
  unsigned size[kModules];
  NvtxFunctionPointer function[kModules][kSlots];
  NvtxFunctionPointer* table[kModules][kSlots];
};
thread_local Client* Client::current = nullptr;

// A copy's payload extension.
struct Extension {
  explicit Extension(size_t count = 63, uint16_t module = NVTX_EXT_PAYLOAD_MODULEID)
      : segment{0, count, slots}, info{3, sizeof(info), module,  0x0104,
                                       1, &segment,     nullptr, nullptr} {}

  int Attach(const char* tool = nullptr) { return nvtx::AttachExtension(&info, tool); }

  intptr_t slots[64] = {};
  nvtxExtModuleSegment_t segment;
  nvtxExtModuleInfo_t info;
};

class AttachTest : public ::testing::Test {
 protected:
  void SetUp() override { ResetSession(); }
};

TEST_F(AttachTest, FillsEverySlot) {
  Client client;
  EXPECT_EQ(client.Attach(), 1);
  for (unsigned module = 1; module < kModules; ++module) {
    for (unsigned id = 1; id < client.size[module]; ++id)
      EXPECT_FALSE(client.IsFresh(module, id)) << module << " " << id;
    for (unsigned id = client.size[module]; id < kSlots; ++id)
      EXPECT_TRUE(client.IsFresh(module, id)) << module << " " << id;
  }
}

TEST_F(AttachTest, ServesTheShorterTablesOfVersion2) {
  Client client(15);
  EXPECT_EQ(client.Attach(), 1);
  EXPECT_FALSE(client.IsFresh(NVTX_CB_MODULE_CORE2, 14));
  EXPECT_TRUE(client.IsFresh(NVTX_CB_MODULE_CORE2, 15));  // nvtxInitialize is of version 3
  Client oldest(0, 12);
  EXPECT_EQ(oldest.Attach(), 1);
  EXPECT_TRUE(oldest.IsFresh(NVTX_CB_MODULE_CORE2, 1));
  EXPECT_EQ(oldest.PushA("from the oldest"), 0);
  EXPECT_EQ(oldest.Pop(), 0);
  Trace trace = ReadTrace();
  trace.One(RecordKind::kRange, "from the oldest");
  EXPECT_EQ(trace.errors, std::vector<std::string>());
}

TEST_F(AttachTest, ServesLongerTablesOfLaterVersions) {
  Client client(20, 20);
  EXPECT_EQ(client.Attach(), 1);
  EXPECT_FALSE(client.IsFresh(NVTX_CB_MODULE_CORE, 15));
  EXPECT_TRUE(client.IsFresh(NVTX_CB_MODULE_CORE, 16));
}

TEST_F(AttachTest, RefusesWhatIsNoTable) {
  EXPECT_EQ(nvtx::Attach(nullptr, nullptr), 0);
  NvtxGetExportTableFunc_t none = [](uint32_t) -> const void* { return nullptr; };
  EXPECT_EQ(nvtx::Attach(reinterpret_cast<void*>(none), nullptr), 0);
  NvtxGetExportTableFunc_t small = [](uint32_t) -> const void* {
    static const NvtxExportTableCallbacks kSmall = {8, nullptr};
    return &kSmall;
  };
  EXPECT_EQ(nvtx::Attach(reinterpret_cast<void*>(small), nullptr), 0);
  NvtxGetExportTableFunc_t null = [](uint32_t) -> const void* {
    static const NvtxExportTableCallbacks kNull = {sizeof(kNull), nullptr};
    return &kNull;
  };
  EXPECT_EQ(nvtx::Attach(reinterpret_cast<void*>(null), nullptr), 0);
}

TEST_F(AttachTest, LeavesTheProgramAloneWhereTheCollectorIsOff) {
  SetCollectorEnabled(false);
  Client client;
  EXPECT_EQ(client.Attach(), 0);
  EXPECT_TRUE(client.IsFresh(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushA));
  Extension extension;
  EXPECT_EQ(extension.Attach(), 0);
  EXPECT_EQ(extension.slots[0], 0);
}

TEST_F(AttachTest, ServesManyCopiesAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<bool> go{false};
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&go] {
      while (!go) {
      }
      for (int i = 0; i < 100; ++i) {
        Client client(i % 2 == 0 ? 16 : 15);
        ASSERT_EQ(client.Attach(), 1);
        nvtxDomainHandle_t domain = client.DomainCreateA("copies");
        ASSERT_NE(domain, nullptr);
        ASSERT_EQ(client.PushA("copy"), 0);
        ASSERT_EQ(client.Pop(), 0);
      }
    });
  }
  go = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ReadTrace().events.size(), 800u);
}

TEST_F(AttachTest, HandlesOfOneCopyServeInAnother) {
  Client one;
  Client two(15);
  one.Attach();
  two.Attach();
  nvtxDomainHandle_t domain = one.DomainCreateA("shared");
  nvtxEventAttributes_t attributes = {};
  attributes.version = 2;
  attributes.size = sizeof(attributes);
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = "range";
  const nvtxEventAttributes_t* pointer = &attributes;
  EXPECT_EQ(two.Call<int>(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePushEx, domain, pointer),
            0);
  EXPECT_EQ(one.Call<int>(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePop, domain), 0);
  Trace trace = ReadTrace();
  EXPECT_EQ(trace.One(RecordKind::kRange, "range").domain, "shared");
}

TEST_F(AttachTest, FillsExtensionsUpToTheirSize) {
  Extension extension;
  EXPECT_EQ(extension.Attach(), 1);
  for (const int id : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17})
    EXPECT_NE(extension.slots[id], 0) << id;
  for (const int id : {10, 11, 13, 14, 15, 18, 62}) EXPECT_EQ(extension.slots[id], 0) << id;
  Extension small(5);
  EXPECT_EQ(small.Attach(), 1);
  EXPECT_NE(small.slots[4], 0);
  EXPECT_EQ(small.slots[5], 0);
  Extension unknown(63, 250);
  EXPECT_EQ(unknown.Attach(), 1);
  for (const intptr_t slot : unknown.slots) EXPECT_EQ(slot, 0);
  EXPECT_EQ(nvtx::AttachExtension(nullptr, nullptr), 0);
  unknown.info.structSize = 8;
  EXPECT_EQ(unknown.Attach(), 0);
}

// A user's own tool, set before us. The order of these tests matters: what a tool installed is
// remembered for good.
class WithTool : public AttachTest {
 protected:
  void SetUp() override {
    AttachTest::SetUp();
    library_ = dlopen(SYNCLINE_TEST_TOOL, RTLD_LAZY);
    ASSERT_NE(library_, nullptr) << dlerror();
    calls_ = reinterpret_cast<decltype(&ToolCalls)>(dlsym(library_, "ToolCalls"));
    reset_ = reinterpret_cast<decltype(&ToolReset)>(dlsym(library_, "ToolReset"));
    accept_ = reinterpret_cast<decltype(&ToolAccept)>(dlsym(library_, "ToolAccept"));
    accept_(1);
    reset_();
  }

  std::vector<ToolCall> Calls() {
    int count = 0;
    const ToolCall* calls = calls_(&count);
    return {calls, calls + count};
  }

  void* library_ = nullptr;
  decltype(&ToolCalls) calls_ = nullptr;
  decltype(&ToolReset) reset_ = nullptr;
  decltype(&ToolAccept) accept_ = nullptr;
};

TEST_F(WithTool, RecordsAloneWhereTheToolRefuses) {
  accept_(0);
  Client client;
  EXPECT_EQ(client.Attach(SYNCLINE_TEST_TOOL), 1);
  Extension extension;
  EXPECT_EQ(extension.Attach(SYNCLINE_TEST_TOOL), 1);
  EXPECT_EQ(Calls().size(), 2u);
  EXPECT_EQ(client.PushA("alone"), 0);
  EXPECT_EQ(client.Pop(), 0);
  EXPECT_EQ(Calls().size(), 2u);
}

TEST_F(WithTool, LeavesNoTraceWhereTheToolRefusesAndTheCollectorIsOff) {
  accept_(0);
  SetCollectorEnabled(false);
  Client client;
  EXPECT_EQ(LeftOut(), 0u);
  EXPECT_EQ(client.Attach(SYNCLINE_TEST_TOOL), 0);
  EXPECT_EQ(LeftOut(), 1u << SYNCLINE_SOURCE_nvtx) << "the launcher is told";
  EXPECT_TRUE(client.IsFresh(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushA));
  Extension extension;
  EXPECT_EQ(extension.Attach(SYNCLINE_TEST_TOOL), 0);
  EXPECT_EQ(extension.slots[NVTX3EXT_CBID_nvtxPayloadSchemaRegister], 0);
}

TEST_F(WithTool, RecordsAloneWhereTheToolCannotBeLoaded) {
  Client client;
  errno = 4711;
  EXPECT_EQ(client.Attach("/nonexistent/tool.so"), 1);
  EXPECT_EQ(client.Attach(""), 1);
  EXPECT_EQ(errno, 4711);
  EXPECT_EQ(client.PushA("alone"), 0);
  EXPECT_EQ(client.Pop(), 0);
}

TEST_F(WithTool, GetsTheProgramWholeWhereTheCollectorIsOff) {
  SetCollectorEnabled(false);
  Client client;
  EXPECT_EQ(client.Attach(SYNCLINE_TEST_TOOL), 1);
  EXPECT_EQ(client.PushA("its own"), 41);
  ASSERT_EQ(Calls().size(), 2u);
  EXPECT_STREQ(Calls()[1].text, "its own");
  EXPECT_EQ(ReadTrace().events.size(), 0u);
}

TEST_F(WithTool, BothSeeEveryCall) {
  Client client;
  EXPECT_EQ(client.Attach(SYNCLINE_TEST_TOOL), 1);
  reset_();
  EXPECT_EQ(client.PushA("both"), 41);  // the tool's answer wins
  EXPECT_EQ(client.Pop(), 42);
  const char* message = "ours alone";
  client.Call<void>(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_MarkA, message);
  ASSERT_EQ(Calls().size(), 2u);
  EXPECT_STREQ(Calls()[0].function, "PushA");
  EXPECT_STREQ(Calls()[0].text, "both");
  Trace trace = ReadTrace();
  trace.One(RecordKind::kRange, "both");
  trace.One(RecordKind::kMark, "ours alone");
  EXPECT_EQ(trace.errors, std::vector<std::string>());
}

TEST_F(WithTool, EachGetsItsOwnHandles) {
  Client client;
  client.Attach(SYNCLINE_TEST_TOOL);
  reset_();
  const char* text = "string";
  nvtxDomainHandle_t domain = client.DomainCreateA("domain");
  auto* string = client.Call<nvtxStringHandle_t>(
      NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRegisterStringA, domain, text);
  nvtxEventAttributes_t attributes = {};
  attributes.version = 3;
  attributes.size = sizeof(attributes);
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = string;
  const nvtxEventAttributes_t* pointer = &attributes;
  nvtxResourceAttributes_t* no_resource = nullptr;
  EXPECT_EQ(
      client.Call<int>(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePushEx, domain, pointer),
      43);
  EXPECT_EQ(client.Call<int>(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangePop, domain), 44);
  const auto id = client.Call<nvtxRangeId_t>(NVTX_CB_MODULE_CORE2,
                                             NVTX_CBID_CORE2_DomainRangeStartEx, domain, pointer);
  client.Call<void>(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangeEnd, domain, id);
  auto* resource = client.Call<nvtxResourceHandle_t>(
      NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainResourceCreate, domain, no_resource);
  client.Call<void>(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainResourceDestroy, resource);
  client.Call<void>(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainDestroy, domain);
  const std::vector<ToolCall> calls = Calls();
  ASSERT_EQ(calls.size(), 9u);
  const auto tools_domain = reinterpret_cast<const void*>(calls[0].value);
  EXPECT_NE(tools_domain, domain);
  EXPECT_NE(calls[1].value, reinterpret_cast<uint64_t>(string));
  for (const int i : {1, 2, 3, 4, 5, 6, 8})
    EXPECT_EQ(calls[static_cast<size_t>(i)].domain, tools_domain) << i;
  EXPECT_EQ(calls[2].value, calls[1].value);  // the registered string, as the tool knows it
  EXPECT_EQ(calls[5].value, calls[4].value);  // the range's id
  EXPECT_NE(calls[4].value, id);
  EXPECT_EQ(calls[7].value, calls[6].value);  // the resource
  Trace trace = ReadTrace();
  EXPECT_EQ(trace.One(RecordKind::kRange, "string").domain, "domain");
  EXPECT_EQ(trace.One(RecordKind::kRangeStart, "string").end, id);
  EXPECT_EQ(trace.Of(RecordKind::kRangeEnd).size(), 1u);
  EXPECT_EQ(trace.errors, std::vector<std::string>());
}

// What we do not record now is the tool's all the same.
TEST_F(WithTool, AClosedGateKeepsNoEndFromTheTool) {
  Client client;
  client.Attach(SYNCLINE_TEST_TOOL);
  nvtxDomainHandle_t domain = client.DomainCreateA("domain");
  client.Call<int>(NVTX_CB_MODULE_CORE, NVTX_CBID_CORE_RangePushA, "ours");
  reset_();
  t_log->segment->gate = kNotProfiled;
  nvtxEventAttributes_t attributes = {};
  attributes.version = 3;
  attributes.size = sizeof(attributes);
  const nvtxEventAttributes_t* pointer = &attributes;
  const auto id = client.Call<nvtxRangeId_t>(NVTX_CB_MODULE_CORE2,
                                             NVTX_CBID_CORE2_DomainRangeStartEx, domain, pointer);
  client.Call<void>(NVTX_CB_MODULE_CORE2, NVTX_CBID_CORE2_DomainRangeEnd, domain, id);
  t_log->segment->gate = 0;
  const std::vector<ToolCall> calls = Calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1].value, calls[0].value) << "the range's id, as the tool knows it";
  EXPECT_TRUE(ReadTrace().Of(RecordKind::kRangeStart).empty());
  EXPECT_TRUE(ReadTrace().Of(RecordKind::kRangeEnd).empty());
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(WithTool, KnowsSchemasByTheToolsIds) {
  Client client;
  client.Attach(SYNCLINE_TEST_TOOL);
  Extension extension;
  EXPECT_EQ(extension.Attach(SYNCLINE_TEST_TOOL), 1);
  const nvtxPayloadSchemaEntry_t entry = {
      0, NVTX_PAYLOAD_ENTRY_TYPE_INT32, "x", nullptr, 0, 0, nullptr, nullptr};
  nvtxPayloadSchemaAttr_t attributes = {};
  attributes.fieldMask =
      NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES;
  attributes.entries = &entry;
  attributes.numEntries = 1;
  const auto register_schema =
      reinterpret_cast<uint64_t (*)(nvtxDomainHandle_t, const nvtxPayloadSchemaAttr_t*)>(
          extension.slots[NVTX3EXT_CBID_nvtxPayloadSchemaRegister]);
  const auto mark =
      reinterpret_cast<void (*)(nvtxDomainHandle_t, const nvtxPayloadData_t*, size_t)>(
          extension.slots[NVTX3EXT_CBID_nvtxMarkPayload]);
  const uint64_t id = register_schema(nullptr, &attributes);
  EXPECT_EQ(id, NVTX_PAYLOAD_SCHEMA_ID_DYNAMIC_START + 77);
  const int value = 3;
  const nvtxPayloadData_t data = {id, sizeof(value), &value};
  mark(nullptr, &data, 1);
  const Trace trace = ReadTrace();
  ASSERT_EQ(trace.events.size(), 1u);
  ASSERT_EQ(trace.events[0].payloads.size(), 1u);
  EXPECT_EQ(trace.events[0].payloads[0].schema.id, id);
}

}  // namespace
}  // namespace syncline::test
