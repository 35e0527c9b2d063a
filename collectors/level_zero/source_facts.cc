// SPDX-License-Identifier: Apache-2.0
// Level Zero's words. What its calls wait for stands in wait_rules.cc.
#include "model/devices/source_facts.h"

namespace syncline {

extern const WaitRules kWaitRules_level_zero;

namespace {

constexpr AdviceRow kAdvice[] = {
    {ProblemKind::kCopyBack,
     "copy by an asynchronous list into memory of zeMemAllocHost, and wait where the data is "
     "needed"},
    {ProblemKind::kSynchronousCopy,
     "copy by an asynchronous list from or to memory of zeMemAllocHost, and wait where the data is "
     "needed"},
    {ProblemKind::kDeviceWait,
     "leave it out, or wait for the one event whose result is needed (zeEventHostSynchronize)"},
    {ProblemKind::kQuerySpin,
     "submit the next work instead, or wait once with zeEventHostSynchronize"},
    {ProblemKind::kAllocation, "allocate before the loop and use the memory again"},
    {ProblemKind::kLaunchBound,
     "fewer and larger kernels, or a command list that is closed once and executed again"},
    {ProblemKind::kCopyBlocks,
     "copy on a queue of its own, from and to memory of zeMemAllocHost, while the step before "
     "computes"},
};

constexpr DeviceWords kDevices = {
    .interface = "Level Zero",
    .overhead = "Level Zero overhead",
    .trace_word = "xpu",  // as Kineto has it
};

}  // namespace

extern const SourceFacts kSourceFacts_level_zero;
const SourceFacts kSourceFacts_level_zero = {
    .source = SYNCLINE_SOURCE_level_zero,
    .name = "level_zero",
    .has_devices = true,
    .devices = kDevices,
    .call_category = "xpu_runtime",
    .lower_call_category = "xpu_driver",
    .waits = &kWaitRules_level_zero,
    .advice = kAdvice,
};

}  // namespace syncline
