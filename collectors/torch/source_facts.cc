// SPDX-License-Identifier: Apache-2.0
// What to do, as users of PyTorch do it.
#include "model/devices/source_facts.h"

#include "collectors/torch/backward_range.h"
#include "collectors/torch/facts/argument_text.h"
#include "collectors/torch/facts/collective_call.h"
#include "collectors/torch/facts/compile_log.h"
#include "collectors/torch/facts/operator_work.h"
#include "collectors/torch/option_words.h"
#include "inject/core/options.h"

namespace syncline {
namespace {

void TellArguments(std::string_view name, std::string_view bytes, std::string* out) {
  torch::AppendArguments(bytes, out);
  if (const auto call = torch::CollectiveOfOperator(name, bytes))
    torch::AppendCollective(*call, out);
  if (const auto work = torch::WorkOfOperator(name, bytes))
    out->append(", \"flops\": ").append(std::to_string(work->flops));
}

constexpr char kFused[] =
    "one kernel for all parameters: fused=True in the optimizer, or foreach=True";

constexpr AdviceRow kAdvice[] = {
    {ProblemKind::kSlowLaunch, kFused, "Optimizer.step#"},
    {ProblemKind::kLaunchBound, kFused, "Optimizer.step#"},
    {ProblemKind::kQueueFull, kFused, "Optimizer.step#"},
    {ProblemKind::kCopyBack,
     "copy into a pinned tensor with non_blocking=True, and wait where the data is needed"},
    {ProblemKind::kPageableCopy,
     "pin the buffer (pin_memory=True) and copy with non_blocking=True"},
    {ProblemKind::kSynchronousCopy,
     "copy with non_blocking=True from or to pinned memory (pin_memory=True), and wait where the "
     "data is needed"},
    {ProblemKind::kDeviceWait,
     "leave synchronize() out, or wait for the one Event whose result is needed"},
    {ProblemKind::kQuerySpin, "submit the next work instead, or wait once, by Event.synchronize()"},
    {ProblemKind::kQueueFull,
     "fewer and larger kernels (torch.compile), or a graph: a full queue alone costs nothing"},
    {ProblemKind::kSaving,
     "save less often, or in another thread from a copy in pinned memory "
     "(torch.distributed.checkpoint.async_save)"},
    {ProblemKind::kAllocation,
     "keep tensors for the next step and leave empty_cache() out of the loop; memory that grows is "
     "taken each time"},
    {ProblemKind::kDataWork,
     "prepare it ahead: a DataLoader with (more) num_workers, persistent_workers and pin_memory, "
     "or a thread"},
    {ProblemKind::kSlowLaunch,
     "fewer and larger kernels (torch.compile), or a graph of them (mode=\"reduce-overhead\")"},
    {ProblemKind::kSharedDevice,
     "give each rank a GPU of its own: torch.cuda.set_device(int(os.environ[\"LOCAL_RANK\"]))"},
    {ProblemKind::kLaunchBound,
     "fewer and larger kernels (torch.compile), or a graph of them (mode=\"reduce-overhead\")"},
    {ProblemKind::kCommunication,
     "begin as soon as its data is there, while other work computes: async_op=True; "
     "DistributedDataParallel with a smaller bucket_cap_mb; FSDP with backward_prefetch"},
    {ProblemKind::kDefaultStream, "work in a torch Stream: it does not wait for the default one"},
};

// torch.distributed's.
constexpr std::string_view kCalls[] = {"all_gather",
                                       "all_gather_into_tensor",
                                       "all_reduce",
                                       "all_to_all",
                                       "all_to_all_single",
                                       "barrier",
                                       "batch_isend_irecv",
                                       "batch_op_issue",
                                       "broadcast",
                                       "gather",
                                       "irecv",
                                       "isend",
                                       "monitored_barrier",
                                       "recv",
                                       "recv_any_source",
                                       "reduce",
                                       "reduce_scatter",
                                       "reduce_scatter_tensor",
                                       "scatter",
                                       "send",
                                       "c10d::*",
                                       "gloo:*",
                                       "nccl:*",
                                       "record_param_comms"};

// c10::DeviceType.
std::string_view DeviceWord(uint8_t type) {
  switch (type) {
    case 1:
      return "cuda";
    case 6:
      return "hip";
    case 12:
      return "xpu";
    case 13:
      return "mps";
    case 20:
      return "privateuseone";
    default:
      return "";
  }
}

constexpr CompileLog kCompileLog = {"TORCH_TRACE", OptionIndex("torch.compile"), "torch.compile",
                                    torch::ReadCompileLog};

}  // namespace

extern const SourceFacts kSourceFacts_torch;
const SourceFacts kSourceFacts_torch = {.source = SYNCLINE_SOURCE_torch,
                                        .name = "torch",
                                        .ranges_of_calls = kCalls,
                                        .optimizer_range = "Optimizer.step#",
                                        .fetch_range = "enumerate(DataLoader)#",
                                        .backward_range = torch::kBackwardRange,
                                        .helper_threads = "pt_autograd_",
                                        .ranges_on_devices = true,
                                        .operator_arguments = TellArguments,
                                        .operator_shapes = torch::ShapesText,
                                        .operator_cost = torch::WorkOfOperator,
                                        .operator_collective = torch::CollectiveOfOperator,
                                        .collective_operators = "c10d::",
                                        .waiting_operator = "_c10d_functional::wait_tensor",
                                        .memory_device = DeviceWord,
                                        .memory_option = OptionIndex("torch.memory"),
                                        .off_option = OptionIndex("torch"),
                                        .off_word = torch::kOff,
                                        .small_memory_block = uint64_t{1} << 20,
                                        .compile_log = &kCompileLog,
                                        .advice = kAdvice,
                                        .framework_kernels = "at::native",
                                        .saving_file = "torch/serialization.py"};

}  // namespace syncline
