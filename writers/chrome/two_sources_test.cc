// SPDX-License-Identifier: Apache-2.0
// Two sources in one process that use the same numbers for different things.
#include <gtest/gtest.h>

#include <set>

#include "inject/core/payload_schema.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/testing/trace_writing.h"
#include "writers/testing/trace_check.h"

namespace syncline::two_sources_test {
namespace {

using testing::kStartRealtime;
using testing::kStartTicks;
using testing::PlausibleCall;
using testing::PlausibleOp;
using testing::RecordBatch;

using Json = nlohmann::ordered_json;

constexpr Source kCuda = 2, kOther = 14;  // nobody's
enum Names : uint32_t { kLaunch = 1, kSubmit, kKernel, kTask };
constexpr uint32_t kMs = 1000000;
// The clock of the other's device 1 began when its driver did.
constexpr uint64_t kOtherClock = 5000;

class TwoSources : public ::testing::Test {
 protected:
  TwoSources() {
    batch.Stream(1, 4210, true).Name(kLaunch, "cudaLaunchKernel", 211).Name(kSubmit, "submit", 3);
    batch.Name(kKernel, "kernel_of_cuda").Name(kTask, "task_of_other");
    batch.DeviceClock(kStartTicks, kStartRealtime, kStartTicks, kCuda);
    batch.DeviceClock(kStartTicks, kOtherClock, kStartTicks, kOther, 1 + 1);
    batch.Device(0, testing::PlausibleDevice(), "A", kCuda);
    batch.Device(1, testing::PlausibleDevice(), "B", kOther);
  }

  void Call(Source source, uint32_t name, uint64_t at, uint8_t traits = 0) {
    CallRecord call =
        PlausibleCall(CallRole::kLaunch, name, kStartTicks + at, kStartTicks + at + 1000, 5);
    call.source = source;
    call.role |= traits;
    batch.Call(call);
  }
  void Op(Source source, uint32_t device, uint32_t name, uint64_t device_ns) {
    DeviceOpRecord op =
        PlausibleOp(DeviceOpType::kKernel, 7, 5, device_ns + kMs, device_ns + 2 * kMs);
    op.source = source;
    op.device = device;
    op.head.id = name;
    const KernelDetails kernel = testing::PlausibleKernel();
    batch.DeviceOp(op, &kernel);
  }

  Json Write() {
    testing::SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess()).Records(0, batch);
    spool.End(kStartTicks + 100 * kMs, true, 0);
    TraceJob job;
    job.rank = 0;
    job.output = scratch / "rank-0.trace.json";
    job.processes.emplace_back().spool = spool.Save(scratch / "s.spool");
    result = WriteRankTrace(job);
    EXPECT_TRUE(result.status.ok()) << result.status.message();
    return Json::parse(testing::ReadTrace(job.output));
  }
  static Json Only(const Json& trace, const std::string& phase, const std::string& name) {
    Json found;
    for (const Json& event : trace["traceEvents"]) {
      if (event["ph"] != phase || event["name"] != name) continue;
      EXPECT_TRUE(found.is_null()) << name;
      found = event;
    }
    EXPECT_FALSE(found.is_null()) << name;
    return found;
  }

  testing::Scratch scratch;
  RankResult result;
  RecordBatch batch;
};

TEST_F(TwoSources, NothingIsMixed) {
  Call(kCuda, kLaunch, 0);
  Call(kOther, kSubmit, 10000);
  Op(kCuda, 0, kKernel, kStartRealtime);
  Op(kOther, 1, kTask, kOtherClock);
  const Json trace = Write();
  const Json launch = Only(trace, "X", "cudaLaunchKernel");
  const Json submit = Only(trace, "X", "submit");
  const Json kernel = Only(trace, "X", "kernel_of_cuda");
  const Json task = Only(trace, "X", "task_of_other");
  EXPECT_EQ(launch["cat"], "cuda_runtime");
  EXPECT_EQ(submit["cat"], "unknown_runtime");
  EXPECT_EQ(submit["args"]["cbid"], 3);
  EXPECT_EQ(launch["args"]["correlation"], kernel["args"]["correlation"]);
  EXPECT_EQ(submit["args"]["correlation"], task["args"]["correlation"]);
  EXPECT_NE(launch["args"]["correlation"], submit["args"]["correlation"]);
  EXPECT_EQ(kernel["pid"], 0);
  EXPECT_NE(task["pid"], kernel["pid"]);
  EXPECT_NE(task["pid"], 1) << "that would be CUDA's second device";
  EXPECT_EQ(kernel["ts"], task["ts"]) << "each by its own clock";
  std::set<std::string> arrows;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "s") arrows.insert(event["id"].dump());
  }
  EXPECT_EQ(arrows.size(), 2u);
  EXPECT_EQ(trace["deviceProperties"].size(), 2u);
  ASSERT_TRUE(trace["metadata"]["processes"][0]["device_clock"].is_array());
  EXPECT_EQ(trace["metadata"]["processes"][0]["device_clock"][0]["source"], "cupti");
  EXPECT_EQ(result.manifest.losses.size(), 0u);
}

TEST_F(TwoSources, WorkOfOneIsNotOwedByTheOther) {
  Call(kCuda, kLaunch, 0);
  Op(kOther, 1, kTask, kOtherClock);
  const Json trace = Write();
  for (const Json& event : trace["traceEvents"]) EXPECT_NE(event["ph"], "s");
}

TEST_F(TwoSources, ACallHasTypedArguments) {
  const testing::SchemaField fields[] = {{"bytes", 18}, {"blocks", 17, 8}};
  batch.Text(RecordKind::kSchema, 1, 1u << 24, testing::SerialiseSchema("submitted", 16, fields), 0,
             kStructSchema);
  const uint64_t values[2] = {4096, 12};
  const std::string bytes(reinterpret_cast<const char*>(values), sizeof(values));
  batch.Text(RecordKind::kPayload, 1, kStartTicks + 10000, bytes, 0, kSchemaPayload);
  Call(kOther, kSubmit, 10000, kCallHasPayload);
  Call(kOther, kSubmit, 20000, kCallHasPayload);  // its arguments were lost
  const Json trace = Write();
  size_t with_arguments = 0;
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] != "submit" || !event["args"].contains("arguments")) continue;
    ++with_arguments;
    EXPECT_EQ(event["args"]["arguments"].dump(), "{\"bytes\":4096,\"blocks\":12}");
  }
  EXPECT_EQ(with_arguments, 1u);
  EXPECT_EQ(result.manifest.losses.at("damaged"), 1u);
}

}  // namespace
}  // namespace syncline::two_sources_test
