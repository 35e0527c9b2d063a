// SPDX-License-Identifier: Apache-2.0
// Any bytes as a spool: reading ends, and what comes out is a valid trace.
#include <cstring>

#include "inject/core/crc32c.h"
#include "inject/core/domain_marks.h"
#include "model/run/spool_facts.h"
#include "model/testing/fuzz.h"
#include "model/testing/spool_builder.h"
#include "offline/rank_pipeline.h"
#include "writers/chrome/chrome_sink.h"

#include <nlohmann/json.hpp>

namespace syncline {
namespace {

class StringSink : public ByteSink {
 public:
  Status Write(std::string_view bytes) override {
    text.append(bytes);
    return Status();
  }
  std::string text;
};

// Repairs checksums and numbers of the blocks, so that mutations reach the records.
void Repair(std::string* bytes) {
  uint32_t sequence = 0;
  for (size_t at = 0; at + sizeof(BlockHead) <= bytes->size();) {
    BlockHead head;
    std::memcpy(&head, bytes->data() + at, sizeof(head));
    const size_t left = bytes->size() - at - sizeof(head);
    if (head.magic != kBlockMagic || head.bytes > left) {
      at += 8;
      continue;
    }
    head.sequence = sequence++;
    head.checksum = 0;
    head.checksum =
        Crc32c(Crc32c(0, &head, sizeof(head)), bytes->data() + at + sizeof(head), head.bytes);
    std::memcpy(bytes->data() + at, &head, sizeof(head));
    at += sizeof(head) + ((head.bytes + 7) & ~size_t{7});
  }
}

void Run(const std::string& bytes, TimeUnit unit) {
  const testing::MemoryFile file(bytes.data(), bytes.size());
  SpoolFacts facts;
  const Status known = ReadSpoolFacts(file.path(), &facts);
  testing::Require(known.ok() || !known.message().empty(), "a failure has a message");
  RankJob job;
  job.rank = 0;
  job.processes.emplace_back().spool = file.path();
  const bool limited = bytes.size() % 2 == 0;
  ChromeJob chrome;
  chrome.output = "fuzz";
  chrome.unit = unit;
  chrome.shown = {limited ? 1000u : 0u, limited ? "*e*" : ""};
  chrome.step_range = limited ? "*e*" : "";
  StringSink sink;
  std::vector<std::unique_ptr<RankSink>> sinks;
  sinks.push_back(std::make_unique<ChromeSink>(chrome, &sink));
  RankPipeline rank(job, std::move(sinks));
  rank.Read();
  testing::Require(rank.Write().status.ok(), "a damaged spool is written");
  const auto trace = nlohmann::json::parse(sink.text, nullptr, false);
  testing::Require(trace.is_object() && trace["traceEvents"].is_array(), "the trace is valid JSON");
}

}  // namespace
}  // namespace syncline

namespace syncline::testing {
namespace {

void AddGpuRecords(RecordBatch* batch) {
  const uint64_t device = kStartRealtime;
  const KernelDetails kernel = PlausibleKernel();
  batch->Device(0, PlausibleDevice(), "GPU").DeviceClock(kStartTicks, device, kStartTicks + 40);
  batch->Name(3, "cudaLaunchKernel").Name(4, "_Z1f1AIiiES_IS0_S0_ES_IS1_S1_E");
  batch->Call(PlausibleCall(CallRole::kLaunch, 3, kStartTicks + 96, kStartTicks + 100, 7));
  batch->Call(PlausibleCall(CallRole::kCopy, 3, kStartTicks + 97, kStartTicks + 99, 7, 1,
                            kDriverCall | kInnerCall));
  DeviceOpRecord op = PlausibleOp(DeviceOpType::kKernel, 7, 7, device + 120, device + 150);
  op.head.id = 4;
  batch->DeviceOp(op, &kernel);
  op = PlausibleOp(DeviceOpType::kPeerCopy, 7, 8, device + 140, device + 160);
  op.from = op.to = MemoryKind::kDevice;
  op.target_device = 1;
  batch->DeviceOp(op);
  batch->DeviceOp(PlausibleOp(DeviceOpType::kGraph, 0, 9, device + 160, device + 170));
  for (uint8_t type = 1; type <= 8; ++type) {
    DeviceEventRecord note{};
    note.begin = device + 170 + type;
    note.end = note.begin + 5;
    note.bytes = 4096;
    note.correlation = 10u + type;
    note.context = 1;
    note.stream = 7;
    note.type = static_cast<DeviceEventType>(type);
    note.detail = 1;
    note.memory = MemoryKind::kDevice;
    batch->DeviceEvent(note);
  }
  batch->Coverage(kStartTicks + 60, GpuCoverage::kLent, 1);
  batch->Coverage(kStartTicks + 80, GpuCoverage::kAll, 0);
  batch->DeviceClock(kStartTicks + 1000000, device + 9000000, kStartTicks + 1000040);
}

// Line tables of each kind, and calls on those lines.
void AddStacks(RecordBatch* batch) {
  batch->Code(1, 10, "/home/me/train.py", "step", std::string_view("\0\1\4\2", 4), 0x308);
  batch->Code(2, 20, "/x/lib/python3.10/a.py", "f", std::string_view("\4\1\2\x80", 4), 0x30a);
  batch->Code(3, 30, "<string>", "<module>", "\xe8\x41\x02\xf1\xd8\x04\x05", 0x30b, kTableCut);
  batch->Module(1, "\x12\x34\x56\x78", "/nowhere/libsolver.so");
  const StackFrame frames[] = {NativeStackFrame(1, 0x1234), {1, 4}, {2, 2}, {3, 6}, {9, -1}};
  batch->Stack(1, frames, kStackLent, 2).Stack(2, {frames, 1}, kStackCut);
  batch->CallWithStack(
      PlausibleCall(CallRole::kSynchronizeDevice, 3, kStartTicks + 102, kStartTicks + 106, 30), 1);
  batch->CallWithStack(PlausibleCall(CallRole::kCopy, 3, kStartTicks + 107, kStartTicks + 109, 31),
                       2);
}

// A module, with an operator in it, and one that goes back through that.
void AddModules(RecordBatch* batch) {
  RangeAttributes of_module{}, of_operator{};
  of_module.payload_type = static_cast<uint32_t>(PayloadType::kModule);
  of_module.payload = of_module.forward_thread = 1;
  of_module.arguments = 2;
  of_operator.payload_type = static_cast<uint32_t>(PayloadType::kOperator);
  of_operator.payload = 7;
  batch->Text(RecordKind::kDomain, 8, 8, "modules", kDomainOfModules, 1)
      .Text(RecordKind::kDomain, 9, 9, "operators", kDomainOfOperators, 1)
      .Range(2, kStartTicks + 12, kStartTicks + 14, 9, kHasAttributes, &of_operator)
      .Range(1, kStartTicks + 11, kStartTicks + 15, 8, kHasAttributes, &of_module);
  of_operator.forward_thread = 1;
  batch->Range(2, kStartTicks + 16, kStartTicks + 18, 9, kHasAttributes, &of_operator);
}

// Blocks of an allocator: taken, given back, and one for which there was no room.
void AddMemory(RecordBatch* batch) {
  MemoryRecord memory{};
  memory.head.id = 1;
  memory.ticks = kStartTicks + 5;
  memory.address = 4096;
  memory.bytes = 512;
  memory.allocated = memory.held = 1024;
  memory.device_type = 1;
  batch->Memory(memory);
  memory.bytes = -512;
  batch->Memory(memory);
  memory.head.flags = kOutOfMemory;
  batch->Memory(memory);
}

// Nodes of graphs and their clones, a clone before its original, and one of itself.
void AddGraphNodes(RecordBatch* batch) {
  const NodeRange ranges[] = {{1, 0, 0, 1, {}}, {2, 1, 9, 1, {}}, {99, 99, 99, 1, {}}};
  batch->GraphNode(12, 11).GraphNode(11, 0, ranges, 1).GraphNode(13, 0).GraphNode(14, 14);
}

// The same records of a process with a gate, which was open for some of them.
std::string Gated(RecordBatch batch) {
  SpoolProcess process = PlausibleProcess();
  process.facts.gate = uint32_t{kIsGated} | kNoStep;
  batch.Gate(GateEvent::kOpened, kStartTicks + 25, 1, 4210)
      .Gate(GateEvent::kStepBegins, kStartTicks + 26, 1, 4210)
      .Gate(GateEvent::kClosed, kStartTicks + 110, 2, 4210, kNoStage)
      .Gate(GateEvent::kThreadOpened, kStartTicks + 111, 3, 4210)
      .Gate(GateEvent::kLastStepEnds, kStartTicks + 130, 3, 4210)
      .Gate(GateEvent::kBareStepBegins, kStartTicks + 135, 3, 4210)
      .Gate(GateEvent::kBareStepBegins, kStartTicks + 136, 3, 4210)
      .Range(2, 0, kStartTicks + 140, 0, kBegunClosed);
  OpenRange open{};
  open.begin = 1;
  open.name = 1;
  open.flags = kBegunClosed;
  SpoolBuilder spool;
  spool.Process(process).Records(0, batch).Open(0, 1, 4210, {&open, 1});
  spool.Gate({PlausibleGate(GateEvent::kOpened, kStartTicks + 150, 4, 0), {1, 2, 3}, 4})
      .End(kStartTicks + 300, true, 0);
  return spool.bytes();
}

}  // namespace

std::vector<std::string> FuzzSeeds() {
  const RangeAttributes attributes{{3}, {0xff}, 1, static_cast<uint32_t>(PayloadType::kDouble),
                                   1,   0,      0};
  const SchemaField fields[] = {{"n", 16, 0}, {"list", 15, 4, 0, 3 << 4}, {"text", 76, 8, 4}};
  RecordBatch batch;
  batch.Stream(1, 4210, true).Name(1, "outer").Name(2, "inner \"x\" \xff").Domain(1, 7, "NCCL");
  batch.Text(RecordKind::kCategory, 1, 3, "collective", 1)
      .Text(RecordKind::kThreadName, 4300, 0, "loader");
  batch.Text(RecordKind::kSchema, 1, 1 << 24, SerialiseSchema("s", 0, fields), 0, kStructSchema);
  batch.Text(RecordKind::kPayload, 1, kStartTicks + 20, std::string("\1\0\0\0\5\0\0\0abc", 12));
  batch.Range(2, kStartTicks + 20, kStartTicks + 30, 1, kHasPayload, &attributes);
  batch.Range(1, kStartTicks + 25, kStartTicks + 40, 1, kCrossing)
      .Mark(1, kStartTicks + 50, &attributes);
  batch.Start(1, kStartTicks + 60, 5, 1)
      .End(kStartTicks + 70, 5)
      .Start(2, kStartTicks + 80, 6, 1)
      .Pad(2);
  batch.Text(RecordKind::kResource, 1, 0x1234, "stream 1");
  AddModules(&batch);
  AddGpuRecords(&batch);
  AddStacks(&batch);
  AddMemory(&batch);
  AddGraphNodes(&batch);
  RecordBatch more;
  more.Stream(1, 4210, true, 1).Range(1, kStartTicks + 90, kStartTicks + 95).StreamEnd(1, 4210);
  OpenRange open{};
  open.begin = kStartTicks + 10;
  open.name = 1;
  SpoolCounters counters{};
  counters.losses[0] = 3;
  counters.exit_state = 1;
  counters.exit_ticks = kStartTicks + 200;
  const Anchor anchors[2] = {PlausibleAnchor(kStartTicks + 1000),
                             PlausibleAnchor(kStartTicks + 2000000000)};
  SpoolBuilder whole, tsc, small;
  whole.Process(PlausibleProcess())
      .Anchors(anchors)
      .Records(0, batch)
      .Records(3, more)
      .Open(0, 1, 4210, {&open, 1})
      .OpenCall(0, 1, 4210, PlausibleCall(CallRole::kSynchronizeDevice, 1, kStartTicks + 90, 0, 12),
                1);
  whole.Counters(counters).Log("log line\n").End(kStartTicks + 300, true, 9);
  SpoolProcess process = PlausibleProcess();
  process.clock = static_cast<uint32_t>(ClockId::kTsc);
  tsc.Process(process).Anchors(anchors).Records(0, batch);
  small.Process(PlausibleProcess()).Records(0, more);
  return {whole.bytes(), tsc.bytes(), small.bytes(), Gated(batch)};
}

}  // namespace syncline::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  // Both as it is, and as damage that no checksum betrays.
  if (size % 4 == 0) {
    syncline::Run(bytes, syncline::TimeUnit::kUs);
  }
  syncline::Repair(&bytes);
  syncline::Run(bytes, syncline::TimeUnit::kNs);
  return 0;
}

#if SYNCLINE_LIBFUZZER
extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// Begins from the seeds: from nothing it would take long to find a valid block.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (size < 64) {
    static const std::vector<std::string> kSeeds = syncline::testing::FuzzSeeds();
    const std::string& chosen = kSeeds[seed % kSeeds.size()];
    if (chosen.size() <= max_size) {
      std::memcpy(data, chosen.data(), chosen.size());
      size = chosen.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
#endif
