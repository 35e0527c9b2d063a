// SPDX-License-Identifier: Apache-2.0
// The fields of each record, and the form it has in each version.
#include <gtest/gtest.h>
#include <nvtx3/nvToolsExt.h>

#include <cstddef>
#include <cstring>

#include "tests/simulated_gpu/cupti/fake_engine.h"
#include "tests/simulated_gpu/cupti/layouts.h"
#include "tests/simulated_gpu/cupti/test_client.h"

namespace simgpu::cupti {
namespace {

constexpr uint64_t kMs = 1'000'000;

// Starts afresh, switches one kind on, lets `happen` tell the library something, and returns what
// came.
template <typename Happen>
std::vector<TestRecord> RecordsOf(CUpti_ActivityKind kind, const Happen& happen,
                                  Version version = 1300) {
  FakeEngine& engine = FakeEngine::Start(version);
  TestClient& client = TestClient::Start();
  EXPECT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS);
  EXPECT_NE(engine.categories.load(), 0u) << "the engine is asked for it";
  happen(engine);
  cuptiActivityFlushAll(0);
  return client.Records(kind);
}

Operation Copy(CopyKind kind) {
  Operation copy = DoneKernel();
  copy.kind = OperationKind::kMemcpy;
  copy.copy_kind = kind;
  copy.source_kind = MemoryKind::kPageable;
  copy.target_kind = MemoryKind::kDevice;
  copy.bytes = 4096;
  copy.is_async = false;
  return copy;
}

TEST(Records, KernelInEveryVersion) {
  for (const Version version : {1200u, 1204u, 1209u, 1300u, 1301u, 1302u, 1303u, 1304u, 1305u}) {
    Operation kernel = DoneKernel();
    kernel.cluster[0] = 2;
    kernel.registers = 40;
    kernel.dynamic_shared = 1024;
    kernel.priority = -3;
    kernel.graph_id = 3;
    kernel.graph_exec_id = 4;
    kernel.graph_node_id = 5;
    const auto records = RecordsOf(
        CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
        [&](FakeEngine& engine) {
          engine.Submit(kernel);
          engine.Submit(kernel);
        },
        version);
    ASSERT_EQ(records.size(), 2u) << version << ": iteration finds the second behind the first";
    const auto& record = records[1].As<KernelRecord>();
    EXPECT_STREQ(record.known.name, "_Z6kernelv");
    EXPECT_EQ(record.known.end - record.known.start, kMs);
    EXPECT_EQ(record.known.gridX, 4);
    EXPECT_EQ(record.known.blockX, 256);
    EXPECT_EQ(record.known.clusterX, 2u);
    EXPECT_EQ(record.known.registersPerThread, 40);
    EXPECT_EQ(record.known.sharedMemoryExecuted, 1024u);
    EXPECT_EQ(record.known.streamId, 7u);
    EXPECT_EQ(record.known.graphId, 4u);
    EXPECT_EQ(record.priority, version >= 1301 ? -3 : 0) << version;
    EXPECT_EQ(record.source_graph_id, version >= 1304 ? 3u : 0u) << version;
  }
}

TEST(Records, MemcpyInItsTwoForms) {
  for (const Version version : {1207u, 1208u, 1304u}) {
    const auto records = RecordsOf(
        CUPTI_ACTIVITY_KIND_MEMCPY,
        [](FakeEngine& engine) { engine.Submit(Copy(CopyKind::kHostToDevice)); }, version);
    ASSERT_EQ(records.size(), 1u);
    const auto& copy = records[0].As<CUpti_ActivityMemcpy6>();
    EXPECT_EQ(copy.copyKind, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
    EXPECT_EQ(copy.srcKind, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE);
    EXPECT_EQ(copy.dstKind, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
    EXPECT_EQ(copy.flags, CUPTI_ACTIVITY_FLAG_NONE) << "not an Async call";
    EXPECT_EQ(copy.bytes, 4096u);
    EXPECT_EQ(copy.copyCount, version >= 1208 ? 1u : 0u);
  }
}

TEST(Records, PeerCopiesAreAKindOfTheirOwn) {
  Operation peer = Copy(CopyKind::kPeerToPeer);
  peer.source_device = 1;
  peer.target_context_id = 6;
  const auto happen = [&](FakeEngine& engine) { engine.Submit(peer); };
  EXPECT_TRUE(RecordsOf(CUPTI_ACTIVITY_KIND_MEMCPY, happen).empty());
  const auto records = RecordsOf(CUPTI_ACTIVITY_KIND_MEMCPY2, happen);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].As<CUpti_ActivityMemcpyPtoP4>().srcDeviceId, 1u);
  EXPECT_EQ(records[0].As<CUpti_ActivityMemcpyPtoP4>().dstContextId, 6u);
  EXPECT_EQ(records[0].As<CUpti_ActivityMemcpyPtoP4>().bytes, 4096u);
}

TEST(Records, Memset) {
  Operation memset = Copy(CopyKind::kUnknown);
  memset.kind = OperationKind::kMemset;
  memset.value = 0xAB;
  memset.is_async = true;
  memset.target_kind = MemoryKind::kPinned;
  const auto records =
      RecordsOf(CUPTI_ACTIVITY_KIND_MEMSET, [&](FakeEngine& engine) { engine.Submit(memset); });
  ASSERT_EQ(records.size(), 1u);
  const auto& record = records[0].As<CUpti_ActivityMemset4>();
  EXPECT_EQ(record.value, 0xABu);
  EXPECT_EQ(record.flags, CUPTI_ACTIVITY_FLAG_MEMSET_ASYNC);
  EXPECT_EQ(record.memoryKind, CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
  EXPECT_EQ(record.end - record.start, kMs);
}

TEST(Records, CollectivesAreKernels) {
  Operation collective = DoneKernel();
  collective.kind = OperationKind::kCollective;
  const auto records = RecordsOf(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                 [&](FakeEngine& e) { e.Submit(collective); });
  EXPECT_EQ(records.size(), 1u);
}

Synchronization Synchronized(SynchronizationKind kind) {
  Synchronization synchronization{};
  synchronization.kind = kind;
  synchronization.correlation = 55;
  synchronization.context_id = 1;
  synchronization.stream_id = 13;
  synchronization.event_id = 21;
  synchronization.event_sync_id = 34;
  synchronization.end_ns = NowNs();
  synchronization.start_ns = synchronization.end_ns - kMs;
  return synchronization;
}

TEST(Records, SynchronizationNamesOnlyWhatItsTypeHas) {
  struct Row {
    SynchronizationKind kind;
    bool has_stream, has_event;
  };
  for (const Row& row : {Row{SynchronizationKind::kEventSynchronize, false, true},
                         Row{SynchronizationKind::kStreamWaitEvent, true, true},
                         Row{SynchronizationKind::kStreamSynchronize, true, false},
                         Row{SynchronizationKind::kContextSynchronize, false, false}}) {
    const Synchronization told = Synchronized(row.kind);
    const auto records = RecordsOf(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, [&](FakeEngine& engine) {
      cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CUDA_EVENT);
      engine.observer->synchronized(&told);
    });
    ASSERT_EQ(records.size(), 1u);
    const auto& record = records[0].As<CUpti_ActivitySynchronization2>();
    EXPECT_EQ(record.type, static_cast<uint32_t>(row.kind));
    EXPECT_EQ(record.streamId, row.has_stream ? 13u : CUPTI_SYNCHRONIZATION_INVALID_VALUE);
    EXPECT_EQ(record.cudaEventId, row.has_event ? 21u : CUPTI_SYNCHRONIZATION_INVALID_VALUE);
    EXPECT_EQ(record.cudaEventSyncId, row.has_event ? 34u : CUPTI_SYNCHRONIZATION_INVALID_VALUE);
    EXPECT_EQ(record.correlationId, 55u);
    EXPECT_EQ(record.end - record.start, kMs);
  }
}

TEST(Records, EventIdsOfSynchronizationsNeedTheEventKindFrom129On) {
  const Synchronization told = Synchronized(SynchronizationKind::kEventSynchronize);
  const auto happen = [&](FakeEngine& engine) { engine.observer->synchronized(&told); };
  EXPECT_EQ(RecordsOf(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, happen, 1208)[0]
                .As<CUpti_ActivitySynchronization2>()
                .cudaEventSyncId,
            34u);
  EXPECT_EQ(RecordsOf(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, happen, 1209)[0]
                .As<CUpti_ActivitySynchronization2>()
                .cudaEventSyncId,
            CUPTI_SYNCHRONIZATION_INVALID_VALUE);
}

TEST(Records, FailedSynchronizationsCanBeLeftOut) {
  Synchronization failed = Synchronized(SynchronizationKind::kStreamSynchronize);
  failed.result = 600;
  const auto records = RecordsOf(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, [&](FakeEngine& engine) {
    engine.observer->synchronized(&failed);
    cuptiActivityEnableAllSyncRecords(0);
    engine.observer->synchronized(&failed);
  });
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].As<CUpti_ActivitySynchronization2>().returnValue, 600u);
}

TEST(Records, EventsHaveADeviceTimeOnlyWhenAskedFor) {
  Operation event = Kernel(NowNs() - kMs, NowNs() - kMs);
  event.kind = OperationKind::kEventRecord;
  event.event_id = 21;
  event.event_sync_id = 34;
  const auto records = RecordsOf(CUPTI_ACTIVITY_KIND_CUDA_EVENT, [&](FakeEngine& engine) {
    engine.Submit(event);
    cuptiActivityEnableCudaEventDeviceTimestamps(1);
    engine.Submit(event);
  });
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].As<CUpti_ActivityCudaEvent2>().eventId, 21u);
  EXPECT_EQ(records[0].As<CUpti_ActivityCudaEvent2>().cudaEventSyncId, 34u);
  EXPECT_EQ(records[0].As<CUpti_ActivityCudaEvent2>().deviceTimestamp, 0u);
  EXPECT_NE(records[1].As<CUpti_ActivityCudaEvent2>().deviceTimestamp, 0u);
}

TEST(Records, MemoryAndPools) {
  MemoryEvent memory{};
  memory.action = MemoryAction::kAllocate;
  memory.kind = MemoryKind::kDevice;
  memory.address = 0x7000;
  memory.bytes = 512;
  memory.context_id = 1;
  memory.time_ns = NowNs();
  memory.stream_id = 9;
  const auto tell = [&](FakeEngine& engine) {
    engine.observer->memory(&memory);
    memory.is_async = true;
    memory.pool = 0x9000;
    memory.pool_used_bytes = 77;
    engine.observer->memory(&memory);
  };
  const auto records = RecordsOf(CUPTI_ACTIVITY_KIND_MEMORY2, tell);
  ASSERT_EQ(records.size(), 2u);
  const auto& plain = records[0].As<CUpti_ActivityMemory4>();
  EXPECT_EQ(plain.memoryOperationType, CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION);
  EXPECT_EQ(plain.address, 0x7000u);
  EXPECT_EQ(plain.streamId, CUPTI_INVALID_STREAM_ID) << "only stream-ordered calls have a stream";
  EXPECT_NE(plain.timestamp, 0u);
  const auto& pooled = records[1].As<CUpti_ActivityMemory4>();
  EXPECT_EQ(pooled.streamId, 9u);
  EXPECT_EQ(pooled.memoryPoolConfig.address, 0x9000u);
  EXPECT_EQ(pooled.memoryPoolConfig.utilizedSize, 77u);
  PoolEvent pool{};
  pool.action = PoolAction::kTrimmed;
  pool.pool = 0x9000;
  pool.least_bytes_to_keep = 5;
  const auto pools =
      RecordsOf(CUPTI_ACTIVITY_KIND_MEMORY_POOL, [&](FakeEngine& e) { e.observer->pool(&pool); });
  ASSERT_EQ(pools.size(), 1u);
  EXPECT_EQ(pools[0].As<CUpti_ActivityMemoryPool3>().memoryPoolOperationType,
            CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED);
  EXPECT_EQ(pools[0].As<CUpti_ActivityMemoryPool3>().minBytesToKeep, 5u);
}

TEST(Records, OverheadsOfTheDriverAndOfCuptisOwn) {
  Overhead full{};
  full.kind = OverheadKind::kQueueFull;
  full.correlation = 8;
  full.start_ns = NowNs() - kMs;
  full.end_ns = NowNs();
  const auto tell = [&](FakeEngine& engine) { engine.observer->overhead(&full); };
  const auto records = RecordsOf(CUPTI_ACTIVITY_KIND_OVERHEAD, tell);
  ASSERT_EQ(records.size(), 2u) << "the second: that a buffer was asked for";
  const auto& overhead = records[0].As<CUpti_ActivityOverhead3>();
  EXPECT_EQ(overhead.overheadKind, CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL);
  EXPECT_EQ(overhead.correlationId, 8u);
  EXPECT_EQ(overhead.end - overhead.start, full.end_ns - full.start_ns);
  EXPECT_NE(overhead.overheadData, nullptr);
  EXPECT_EQ(records[1].As<CUpti_ActivityOverhead3>().overheadKind,
            CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST);
  EXPECT_TRUE(RecordsOf(CUPTI_ACTIVITY_KIND_OVERHEAD, tell, 1203).empty())
      << "neither existed in 12.3";
}

TEST(Records, DevicesStreamsAndModules) {
  const auto device = RecordsOf(CUPTI_ACTIVITY_KIND_DEVICE, [](FakeEngine& engine) {
    Resource resource{};
    resource.kind = ResourceKind::kDevice;
    resource.device = 1;
    engine.observer->resource(&resource, true);
  });
  ASSERT_EQ(device.size(), 1u);
  EXPECT_STREQ(device[0].As<CUpti_ActivityDevice5>().name, "Simulated H100");
  EXPECT_EQ(device[0].As<CUpti_ActivityDevice5>().id, 1u);
  const auto stream = RecordsOf(CUPTI_ACTIVITY_KIND_STREAM, [](FakeEngine& engine) {
    Resource resource{};
    resource.kind = ResourceKind::kStream;
    resource.id = 14;
    resource.flags = 1;
    resource.priority = -2;
    engine.observer->resource(&resource, true);
    engine.observer->resource(&resource, false);
  });
  ASSERT_EQ(stream.size(), 1u) << "at its creation only";
  EXPECT_EQ(stream[0].As<CUpti_ActivityStream>().flag,
            CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING);
  EXPECT_EQ(static_cast<int32_t>(stream[0].As<CUpti_ActivityStream>().priority), -2);
  const auto module = RecordsOf(CUPTI_ACTIVITY_KIND_MODULE, [](FakeEngine& engine) {
    ModuleEvent event{};
    event.loaded = true;
    event.module_id = 6;
    event.image_bytes = 99;
    engine.observer->module(&event);
  });
  ASSERT_EQ(module.size(), 1u);
  EXPECT_EQ(module[0].As<CUpti_ActivityModule>().cubinSize, 99u);
}

// What the NVTX header of a program offers a tool: tables of the functions that it calls.
NvtxFunctionPointer g_core[NVTX_CBID_CORE_SIZE], g_cudart[NVTX_CBID_CUDART_SIZE];
NvtxFunctionPointer* g_core_table[NVTX_CBID_CORE_SIZE + 1];
NvtxFunctionPointer* g_cudart_table[NVTX_CBID_CUDART_SIZE + 1];

int GetTable(NvtxCallbackModule module, NvtxFunctionTable* table, unsigned* size) {
  for (unsigned i = 0; i < NVTX_CBID_CORE_SIZE; ++i) g_core_table[i] = &g_core[i];
  for (unsigned i = 0; i < NVTX_CBID_CUDART_SIZE; ++i) g_cudart_table[i] = &g_cudart[i];
  if (module != NVTX_CB_MODULE_CORE && module != NVTX_CB_MODULE_CUDART) return 0;
  *table = module == NVTX_CB_MODULE_CORE ? g_core_table : g_cudart_table;
  // An old client: its second table ends before the streams.
  *size = module == NVTX_CB_MODULE_CORE ? unsigned{NVTX_CBID_CORE_SIZE}
                                        : unsigned{NVTX_CBID_CUDART_NameCudaStreamA};
  return 1;
}

const void* Export(uint32_t id) {
  static const NvtxExportTableCallbacks callbacks{sizeof callbacks, GetTable};
  return id == NVTX_ETID_CALLBACKS ? &callbacks : nullptr;
}

extern "C" int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t);

TEST(Records, NamesComeFromNvtx) {
  FakeEngine::Start();
  TestClient& client = TestClient::Start();
  ASSERT_EQ(InitializeInjectionNvtx2(Export), 1);
  EXPECT_EQ(g_cudart[NVTX_CBID_CUDART_NameCudaStreamA], nullptr) << "behind the end of the table";
  const auto name_thread =
      reinterpret_cast<nvtxNameOsThreadA_impl_fntype>(g_core[NVTX_CBID_CORE_NameOsThreadA]);
  const auto name_device =
      reinterpret_cast<void (*)(int, const char*)>(g_cudart[NVTX_CBID_CUDART_NameCudaDeviceA]);
  name_thread(77, "before it is on");
  ASSERT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_NAME), CUPTI_SUCCESS);
  name_thread(77, "loader");
  name_device(1, "second");
  cuptiActivityFlushAll(0);
  const auto names = client.Records(CUPTI_ACTIVITY_KIND_NAME);
  ASSERT_EQ(names.size(), 2u);
  EXPECT_STREQ(names[0].As<CUpti_ActivityName>().name, "loader");
  EXPECT_EQ(names[0].As<CUpti_ActivityName>().objectId.pt.threadId, 77u);
  EXPECT_EQ(names[1].As<CUpti_ActivityName>().objectKind, CUPTI_ACTIVITY_OBJECT_DEVICE);
  EXPECT_EQ(names[1].As<CUpti_ActivityName>().objectId.dcs.deviceId, 1u);
}

}  // namespace
}  // namespace simgpu::cupti
