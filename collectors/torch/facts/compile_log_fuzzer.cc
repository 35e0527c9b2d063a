// SPDX-License-Identifier: Apache-2.0
// Any bytes as a log of the compiler: events and parts of code or none, each of a process.
#include <sstream>

#include "collectors/torch/facts/compile_log.h"
#include "model/testing/fuzz.h"

namespace syncline::testing {

std::vector<std::string> FuzzSeeds() {
  const std::string head = "V1130 05:31:00.303000 115 torch/_dynamo/utils.py:2132] ";
  return {
      head +
          R"({"compilation_metrics": {"compile_id": "0/1", "co_name": "f", "co_filename": "a.py", )"
          R"("co_firstlineno": 4, "entire_frame_compile_time_s": 1e300, "fail_type": "x"}})",
      head +
          R"({"artifact": {"name": "recompile_reasons"}, "frame_id": 0, "frame_compile_id": 1})" +
          "\n\t[\"0/0: size\"]\n" + head +
          R"({"compilation_metrics": {"compile_id": "0/1", "co_name": "torch_dynamo_resume_in_f_at_6"}})",
      head + R"({"artifact": {"name": "dynamo_graph_break_reason"}})" +
          "\n\tGraph break in user code at /a/b.py:6\n\t  Explanation: none\n",
      head + R"({"chromium_event": {}, "frame_id": 0, "frame_compile_id": 0})" +
          "\n\t{\"name\": \"dynamo\", \"ph\": \"B\", \"ts\": 1796027515974803.0}\n" + head +
          R"({"chromium_event": {}, "frame_id": 0, "frame_compile_id": 0})" +
          "\n\t{\"name\": \"dynamo\", \"ph\": \"E\", \"ts\": 1796027516974803.0}\n" + head +
          R"({"bwd_compilation_metrics": {"compile_id": "0/0", "duration_us": 7, "start_time": 1796027515.9}})",
      head + R"({"dynamo_output_graph": {}, "frame_id": 0, "frame_compile_id": 0})" +
          "\n\t        # File: /a/b.py:3 in f, code: z = x\n\t        z: \"f32[16]\" = "
          "torch.relu(x)\n" +
          head + R"({"inductor_output_code": {}, "frame_id": 0, "frame_compile_id": 0})" +
          "\n\t# AOT ID: ['0_backward']\n\t# Topologically Sorted Source Nodes: [z], Original "
          "ATen: "
          "[aten.relu]\n\t#   z => relu\n\ttriton_poi_0 = async_compile.triton('triton_poi_0', "
          "'''\n"
          "\tx\n\t''', device_str='cuda')\n\t        buf0 = torch.ops.aten.histc.default(z)\n" +
          head +
          R"({"artifact": {"name": "inductor_provenance_tracking_kernel_stack_traces"}, "frame_id": 0})" +
          "\n\t{\"triton_poi_0:1\": [\"File \\\"/a/b.py\\\", line 7, in f\"]}\n"};
}

}  // namespace syncline::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using syncline::testing::Require;
  std::istringstream file(std::string(reinterpret_cast<const char*>(data), size));
  const auto event = [](const syncline::CompileEvent& told) {
    Require(told.pid >= 0, "a process has a number, or none");
    Require(told.why.find('\n') == std::string::npos, "a reason is one line");
    Require(told.why.size() <= 300, "a reason is short");
    uint64_t begin = 0;
    for (const syncline::CompilePhase& phase : told.phases) {
      Require(phase.begin_ns >= begin && phase.end_ns >= phase.begin_ns, "phases are in order");
      begin = phase.begin_ns;
    }
  };
  const auto part = [](const syncline::CompiledPart& told) {
    Require(told.pid >= 0 && !told.name.empty(), "a part has a name");
    Require(told.operators.size() <= 64 && told.lines.size() <= 32, "a part is small");
  };
  const auto left_out = [](uint64_t count) { Require(count != 0, "what is left out is counted"); };
  syncline::torch::ReadCompileLog(file, {event, part, left_out});
  return 0;
}
