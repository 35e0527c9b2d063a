// SPDX-License-Identifier: Apache-2.0
// NVTX's ranges, as HTA expects them, and NCCL's words: NCCL tells of its calls by NVTX.
#include "model/devices/source_facts.h"

#include "model/findings/collective_words.h"

namespace syncline {
namespace {

constexpr std::string_view kCalls[] = {"ncclAllGather", "ncclAllReduce", "ncclReduceScatter",
                                       "ncclBroadcast", "ncclBcast",     "ncclReduce"};
// "ncclDevKernel_AllReduce_Sum_f32_RING", "ncclSymkDevKernel_...".
constexpr std::pair<std::string_view, CollectiveKind> kKinds[] = {
    {"AllGather_", CollectiveKind::kAllGather},
    {"AllReduce_", CollectiveKind::kAllReduce},
    {"ReduceScatter_", CollectiveKind::kReduceScatter},
    {"Broadcast_", CollectiveKind::kBroadcast},
    {"Reduce_", CollectiveKind::kReduce}};
constexpr CollectiveWords kNccl = {.domain = "NCCL",
                                   .communicator = "NCCL communicator ID",
                                   .ranks = "No. of ranks",
                                   .rank = "Rank",
                                   .peer = "Peer rank",
                                   .group_start = "ncclGroupStart",
                                   .group_end = "ncclGroupEnd",
                                   .calls = kCalls,
                                   .send = "ncclSend",
                                   .receive = "ncclRecv",
                                   .library = "nccl",
                                   .kernel = "Kernel_",
                                   .kinds = kKinds,
                                   .send_receive = "SendRecv"};

}  // namespace

extern const SourceFacts kSourceFacts_nvtx;
const SourceFacts kSourceFacts_nvtx = {.source = SYNCLINE_SOURCE_nvtx,
                                       .name = "nvtx",
                                       .ranges_on_devices = true,
                                       .ranges_of_tasks =
                                           "nvtx.start_range and nvtx.end_range, or "
                                           "torch.cuda.nvtx.range_start and range_end",
                                       .collectives = &kNccl};

}  // namespace syncline
