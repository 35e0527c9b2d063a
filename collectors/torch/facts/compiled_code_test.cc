// SPDX-License-Identifier: Apache-2.0
// Graphs and code of PyTorch 2.15 (in one case 2.4), on a GPU and on the CPU, as its log has them.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "collectors/torch/facts/compile_log.h"

namespace syncline::torch {
namespace {

// "kind name [operators] [lines] graph", one a line.
std::string PartsOf(const std::string& log) {
  std::istringstream file(log);
  std::string text;
  const auto part = [&](const CompiledPart& told) {
    constexpr const char* kKinds[] = {"generated", "library", "fallback"};
    text += std::string(kKinds[static_cast<size_t>(told.kind)]) + " " + told.name + " [";
    for (const std::string& one : told.operators) text += one + " ";
    text += "] [";
    for (const CompiledLine& line : told.lines)
      text += line.file + ":" + std::to_string(line.line) + " " + line.function + " ";
    text += "] " + told.graph + "\n";
  };
  ReadCompileLog(file, {[](const CompileEvent&) {}, part, [](uint64_t) {}});
  return text;
}

std::string Logged(const std::string& key, const std::string& payload,
                   const std::string& id = R"("frame_id": 0, "frame_compile_id": 1)") {
  std::string log = "V1130 05:31:00.303000 115 torch/a.py:2132] {" + key + ", " + id + "}\n";
  std::istringstream lines(payload);
  for (std::string line; std::getline(lines, line);) log += "\t" + line + "\n";
  return log;
}

std::string Artifact(const std::string& name, const std::string& payload) {
  return Logged(R"("artifact": {"name": ")" + name + "\"}", payload);
}

const char* const kTraced = R"(class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[16, 16][16, 1]cuda:0"):
        l_x_ = L_x_

        # File: /a/b.py:3 in f, code: z = torch.relu(x + y)
        add: "f32[16, 16][16, 1]cuda:0" = l_x_ + l_x_;  l_x_ = None
        z: "f32[16, 16][16, 1]cuda:0" = torch.relu(add);  add = None

        # No stacktrace found for following nodes
        w: "f32[16][1]cuda:0" = z * 2.0
        # File: /a/b.py:9 in torch_dynamo_resume_in_g_at_8, code: return w.sum()
        sum_1: "f32[16][1]cuda:0" = w.sum();  w = None)";
const char* const kLast = R"(class <lambda>(torch.nn.Module):
        # File: /a/b.py:5 in f, code: w = z * 2.0
        mul: "f32[16][1]cuda:0" = torch.ops.aten.mul.Tensor(relu, 2.0);  relu = None
        # File: /a/b.py:3 in f, code: z = torch.relu(x + y)
        relu: "f32[16, 16][16, 1]cuda:0" = torch.ops.aten.relu.default(add))";

std::string Code(const std::string& id, const std::string& comment) {
  return "# AOT ID: ['" + id + "']\naten = torch.ops.aten\n" + comment +
         R"(
# Source node to ATen node mapping:
#   add => add
#   sum_1 => sum_1
#   w => mul
#   z => relu
# Graph fragment:
#   %arg0_1 : Tensor "f32[16, 16]" = PlaceHolder[target=arg0_1]
triton_per_0 = async_compile.triton('triton_per_0', '''
import triton
buf0 = torch.ops.aten.not_a_call(1)
# Source Nodes: [no], Original ATen: [aten.no]
''', device_str='cuda')

class Runner:
            triton_per_0.run(arg0_1, buf0, 16, 16, stream=raw_stream0)
            # Topologically Sorted Source Nodes: [z], Original ATen: [aten.mm]
            extern_kernels.mm(buf0, arg0_1, out=buf1)
            buf2 = torch.ops.aten.histc.default(buf1, 4)
            assert_alignment(buf2, 16, 'torch.ops.aten.histc.default'))";
}
const char* const kComment =
    "# Topologically Sorted Source Nodes: [add, z, w, sum_1], Original ATen: [aten.add, aten.relu, "
    "aten.mul, aten.sum]";

TEST(CompiledCodeTest, TellsWhatAKernelIsMadeOf) {
  EXPECT_EQ(
      PartsOf(Logged(R"("dynamo_output_graph": {"sizes": {}})", kTraced) +
              Artifact("inductor_post_grad_graph", kLast) +
              Logged(R"("inductor_output_code": {})", Code("0_inference", kComment))),
      "generated triton_per_0 [aten.add aten.relu aten.mul aten.sum ] [/a/b.py:3 f /a/b.py:5 f "
      "/a/b.py:9 g ] 0/1\n"
      "library extern_kernels.mm [aten.mm ] [/a/b.py:3 f ] 0/1\n"
      "fallback aten.histc.default [aten.histc ] [] 0/1\n");
}

// In 2.4 the last graph is an entry of its own, and comments lack a word.
TEST(CompiledCodeTest, ReadsOlderLogs) {
  const std::string told =
      PartsOf(Logged(R"("inductor_post_grad_graph": {})", kLast) +
              Logged(R"("inductor_output_code": {"filename": "/c.py"})",
                     Code("0_inference", "# Source Nodes: [w], Original ATen: [aten.mul]")));
  EXPECT_TRUE(told.starts_with("generated triton_per_0 [aten.mul ] [/a/b.py:5 f ] 0/1\n")) << told;
}

// "add" of backward need not be that of the program's graph; what "z" is made of has another name.
TEST(CompiledCodeTest, GuessesNoLineOfBackward) {
  const std::string told =
      PartsOf(Logged(R"("dynamo_output_graph": {"sizes": {}})", kTraced) +
              Logged(R"("inductor_output_code": {})", Code("0_backward", kComment)));
  EXPECT_TRUE(
      told.starts_with("generated triton_per_0 [aten.add aten.relu aten.mul aten.sum ] [/a/b.py:3 "
                       "f ] 0/1 backward\n"))
      << told;
}

// Kernels of the CPU have no comment: with INDUCTOR_PROVENANCE=1 the log has it elsewhere.
TEST(CompiledCodeTest, TakesWhatTheCompilerWasAskedToTell) {
  const std::string code = R"(# AOT ID: ['0_inference']
cpp_fused_0 = async_compile.cpp_pybinding(['const float*', 'float*'], r'''
extern "C"  void  kernel(const float* in_ptr0)
''')
        cpp_fused_0(arg0_1, buf0)
        extern_kernels.mm(buf0, arg0_1, out=buf1)
        extern_kernels.mm(buf1, arg0_1, out=buf2))";
  const std::string stack =
      R"(  File \"/a/m.py\", line 1, in g\n    h()\n  File \"/a/b.py\", line )";
  const std::string log =
      Artifact("inductor_post_grad_graph", kLast) + Logged(R"("inductor_output_code": {})", code) +
      Artifact("inductor_provenance_tracking_node_mappings",
               R"({"cppCodeToPost": {"cpp_fused_0:1": ["relu", "mul", "other"], "x:1": 7}})") +
      Artifact("inductor_provenance_tracking_kernel_stack_traces",
               R"({"cpp_fused_0:1": [")" + stack + R"(7, in f\n    z\n", ")" + stack +
                   R"(5, in f"], "extern_kernels.mm:2": [")" + stack +
                   R"(8, in f"], "extern_kernels.mm:10": [")" + stack + R"(9, in f"]})");
  EXPECT_EQ(PartsOf(log),
            "generated cpp_fused_0 [aten.mul aten.relu ] [/a/b.py:5 f /a/b.py:7 f ] 0/1\n"
            "library extern_kernels.mm [] [/a/b.py:8 f ] 0/1\n"
            "library extern_kernels.mm [] [/a/b.py:9 f ] 0/1\n");
}

TEST(CompiledCodeTest, EachGraphOfACompilationIsTold) {
  const std::string forward =
      "# AOT ID: ['0_forward']\nk_0 = async_compile.triton('k_0', '''\n''')";
  const std::string backward =
      "# AOT ID: ['0_backward']\nk_1 = async_compile.triton('k_1', '''\n''')";
  EXPECT_EQ(PartsOf(Logged(R"("inductor_output_code": {})", forward) +
                    Logged(R"("inductor_output_code": {})", backward)),
            "generated k_0 [] [] 0/1 forward\ngenerated k_1 [] [] 0/1 backward\n");
}

TEST(CompiledCodeTest, TellsHowMuchIsTooMuch) {
  std::string code = "# AOT ID: ['0_forward']\n";
  for (int i = 0; i < 5000; ++i) code += "extern_kernels.mm(a)\n";
  std::istringstream file(Logged(R"("inductor_output_code": {})", code));
  uint64_t parts = 0, left_out = 0;
  ReadCompileLog(file, {[](const CompileEvent&) {}, [&](const CompiledPart&) { ++parts; },
                        [&](uint64_t count) { left_out += count; }});
  EXPECT_EQ(parts, 4096u);
  EXPECT_EQ(left_out, 5000u - 4096u);
}

}  // namespace
}  // namespace syncline::torch
