// SPDX-License-Identifier: Apache-2.0
// Any bytes as a log of the compiler: events or none, each of a process, and of one line.
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
          "\n\tGraph break in user code at /a/b.py:6\n\t  Explanation: none\n"};
}

}  // namespace syncline::testing

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using syncline::testing::Require;
  std::istringstream file(std::string(reinterpret_cast<const char*>(data), size));
  syncline::torch::ReadCompileLog(file, [](const syncline::CompileEvent& event) {
    Require(event.pid > 0, "an event is of a process");
    Require(event.why.find('\n') == std::string::npos, "a reason is one line");
    Require(event.why.size() <= 300, "a reason is short");
  });
  return 0;
}
