// SPDX-License-Identifier: Apache-2.0
// Rates held against datasheets, and what is said where these do not tell.
#include "report/reached_rates.h"

#include <gtest/gtest.h>

#include "report/sections.h"

namespace syncline {
namespace {

ByFormat Of(NumberFormat format, double flops) {
  ByFormat numbers{};
  numbers[static_cast<size_t>(format)] = flops;
  return numbers;
}

ReportDevice Device(const char* rank, int32_t pid, const char* name) {
  ReportDevice device;
  device.rank = rank;
  device.use.pid = pid;
  device.use.source = "cuda";
  device.use.name = name;
  device.use.computing_ns = 1;
  return device;
}

std::string ShareText(const DevicePeaks* peaks, const ByFormat& flops, uint64_t ns) {
  return ValueText(ShareOfPeak(peaks, flops, ns), ValueKind::kPeakShare);
}

TEST(ReachedRates, DevicesAreKnownByTheirWholeName) {
  ASSERT_NE(PeaksOfDevice("cuda", "NVIDIA A100-SXM4-40GB"), nullptr);
  EXPECT_EQ(PeaksOfDevice("cuda", "NVIDIA A100-SXM4-40GB"),
            PeaksOfDevice("cuda", "A100-SXM4-40GB"));
  for (const char* other : {"NVIDIA A10G", "NVIDIA H100 80GB HBM3 MIG 1g.10gb", "Simulated GPU",
                            "NVIDIA GeForce RTX 4090 D", "NVIDIA ", ""})
    EXPECT_EQ(PeaksOfDevice("cuda", other), nullptr) << other;
  EXPECT_EQ(PeaksOfDevice("level_zero", "NVIDIA A10"), nullptr);
}

TEST(ReachedRates, NoFormatIsFasterThanASmallerOne) {
  for (const char* name :
       {"NVIDIA GB200", "NVIDIA B200", "NVIDIA H200", "NVIDIA H200 NVL", "NVIDIA H100 80GB HBM3",
        "NVIDIA H100 NVL", "NVIDIA H100 PCIe", "NVIDIA A100-SXM4-80GB", "NVIDIA A100-PCIE-40GB",
        "NVIDIA A100 80GB PCIe", "NVIDIA A10", "NVIDIA L4", "NVIDIA L40S", "Tesla V100-SXM2-16GB",
        "Tesla V100S-PCIE-32GB", "Tesla T4", "NVIDIA GeForce RTX 4090",
        "NVIDIA GeForce RTX 3090"}) {
    const DevicePeaks* const peaks = PeaksOfDevice("cuda", name);
    ASSERT_NE(peaks, nullptr) << name;
    EXPECT_LE(peaks->fp64, peaks->fp32) << name;
    EXPECT_LE(peaks->fp32, std::max(peaks->tf32, peaks->fp16)) << name;
    EXPECT_LT(peaks->tf32, peaks->fp16) << name;
    EXPECT_TRUE(peaks->bf16 == 0 || peaks->bf16 == peaks->fp16) << name;
    EXPECT_TRUE(peaks->fp8 == 0 || peaks->fp8 > 1.9 * peaks->fp16) << name;
    EXPECT_GT(peaks->gb_per_s, 0) << name;
  }
}

TEST(ReachedRates, SharesOfThePeak) {
  const DevicePeaks* const a100 = PeaksOfDevice("cuda", "NVIDIA A100-SXM4-80GB");
  const DevicePeaks* const v100 = PeaksOfDevice("cuda", "Tesla V100-SXM2-16GB");
  constexpr uint64_t kSecond = 1'000'000'000;
  EXPECT_EQ(ShareText(a100, Of(NumberFormat::kBf16, 156e12), kSecond), "50 %");
  EXPECT_EQ(ShareText(a100, Of(NumberFormat::kFp32, 15.6e12), kSecond), "10 to 80 %")
      << "as tf32, or not";
  EXPECT_EQ(ShareText(v100, Of(NumberFormat::kFp32, 7.85e12), kSecond), "50 %");
  EXPECT_EQ(ShareText(v100, Of(NumberFormat::kBf16, 1), kSecond), "?");
  EXPECT_EQ(ShareText(a100, Of(NumberFormat::kOther, 1), kSecond), "?");
  EXPECT_EQ(ShareText(nullptr, Of(NumberFormat::kBf16, 1), kSecond), "-");
  EXPECT_EQ(ShareText(a100, {}, kSecond), "-");
  EXPECT_EQ(ShareText(a100, Of(NumberFormat::kBf16, 1), 0), "-");
  ByFormat mixed = Of(NumberFormat::kBf16, 156e12);
  mixed[static_cast<size_t>(NumberFormat::kFp64)] = 19.5e12 / 4;
  EXPECT_EQ(ShareText(a100, mixed, kSecond), "75 %") << "times add up";
  mixed[static_cast<size_t>(NumberFormat::kOther)] = 1e12;
  EXPECT_EQ(ShareText(a100, mixed, kSecond), "75 %") << "too little to matter";
  mixed[static_cast<size_t>(NumberFormat::kOther)] = 1e13;
  EXPECT_EQ(ShareText(a100, mixed, kSecond), "?");
}

TEST(ReachedRates, WhatTakesLongerBounds) {
  const DevicePeaks* const a100 = PeaksOfDevice("cuda", "NVIDIA A100-SXM4-80GB");
  const auto bound = [&](NumberFormat format, double flops, double bytes, bool known = true) {
    ComputedWork work;
    work.flops = Of(format, flops);
    work.bytes = bytes;
    work.bytes_known = known;
    return ValueText(BoundBy(a100, work), ValueKind::kText);
  };
  EXPECT_EQ(bound(NumberFormat::kBf16, 312e12, 2038e9), "compute");
  EXPECT_EQ(bound(NumberFormat::kBf16, 312e12, 2040e9), "memory");
  EXPECT_EQ(bound(NumberFormat::kFp32, 156e12, 2038e9), "compute") << "also as tf32";
  EXPECT_EQ(bound(NumberFormat::kFp32, 100e12, 2038e9), "?") << "as tf32 it is memory";
  EXPECT_EQ(bound(NumberFormat::kFp32, 19e12, 2038e9), "memory");
  EXPECT_EQ(bound(NumberFormat::kBf16, 1, 1, false), "?");
  EXPECT_EQ(bound(NumberFormat::kBf16, 0, 1), "-");
}

TEST(ReachedRates, SeveralKindsOfDevicesHaveNoPeak) {
  Report report;
  report.devices = {Device("rank-0", 1, "NVIDIA H200"), Device("rank-0", 1, "NVIDIA H200"),
                    Device("rank-0", 2, "NVIDIA L4"), Device("rank-1", 1, "NVIDIA L4")};
  report.devices.push_back(Device("rank-1", 1, "NVIDIA A10"));
  report.devices.back().use.computing_ns = 0;  // it does not count
  size_t count = 0;
  EXPECT_EQ(PeaksOf(report, "rank-0", 1, &count), PeaksOfDevice("cuda", "NVIDIA H200"));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(PeaksOf(report, "rank-0", 0, &count), nullptr);
  EXPECT_EQ(PeaksOf(report, "rank-1", 0, &count), PeaksOfDevice("cuda", "NVIDIA L4"));
  EXPECT_EQ(PeaksOf(report, "", 0, &count), nullptr);
  EXPECT_EQ(RatesText(report), "") << "nothing was computed";
  report.operators.emplace_back().sums.computed.flops = Of(NumberFormat::kBf16, 1);
  EXPECT_EQ(RatesText(report),
            "devices are of several kinds, or not known: rates are held against no peak");
}

TEST(ReachedRates, HowMuchIsKnownAndNothingWhereRecordsAreLost) {
  Report report;
  report.devices = {Device("rank-0", 1, "NVIDIA L4")};
  ComputedWork& work = report.operators.emplace_back().sums.computed;
  work.flops = Of(NumberFormat::kBf16, 1e12);
  work.best = Of(NumberFormat::kBf16, 1e12);
  work.device_ns = 10'000'000;
  report.kernels.emplace_back().sums.total_ns = 40'000'000;
  Section section = RatesSection(report, {});
  EXPECT_EQ(section.note,
            "operators whose FLOP are known take 25 % of the time of kernels and graphs; peak: L4 "
            "datasheet, dense; what is fp32 may be computed as tf32, then the higher peak holds");
  const auto rate = [&](const char* column) {
    const size_t at = ColumnNamed(section, column);
    return ValueText(section.rows[0][at], section.columns[at].kind);
  };
  EXPECT_EQ(rate("best seen"), "1.00 TFLOP/s");
  report.lost_matters = true;
  section = RatesSection(report, {});
  EXPECT_EQ(rate("best seen"), "?");
  EXPECT_EQ(rate("datasheet"), "121 TFLOP/s");
  section = OperatorsSection(report, {});
  EXPECT_EQ(rate("FLOP/s"), "?");
}

TEST(ReachedRates, AStepOfSeveralDevices) {
  Report report;
  report.devices = {Device("rank-0", 1, "NVIDIA A100-SXM4-80GB"),
                    Device("rank-0", 1, "NVIDIA A100-SXM4-80GB")};
  ReportSteps& steps = report.steps.emplace_back();
  steps.rank = "rank-0";
  steps.pid = 1;
  steps.name = "step #";
  steps.steps = {{0, 1, 0}};
  steps.work = {Of(NumberFormat::kBf16, 624e9), 700e9, 4, 4'000'000};
  const Section section = StepsSection(report, {});
  EXPECT_EQ(section.note,
            "a step of rank-0 computes 156 GFLOP on its GPU, 25 % of its GPU's peak (MFU)");
  steps.work.flops = {};
  EXPECT_EQ(StepsSection(report, {}).note, "a step of rank-0 computes 175 GFLOP");
  steps.work = {};
  EXPECT_EQ(StepsSection(report, {}).note, "");
}

TEST(ReachedRates, FlopsHaveThreeDigits) {
  EXPECT_EQ(FlopsText(0), "0 FLOP");
  EXPECT_EQ(FlopsText(999), "999 FLOP");
  EXPECT_EQ(FlopsText(1000), "1.00 kFLOP");
  EXPECT_EQ(FlopsText(99.96e12), "100 TFLOP");
  EXPECT_EQ(FlopsText(12.34e12), "12.3 TFLOP");
  EXPECT_EQ(FlopsText(9.996e15), "10.0 PFLOP");
  EXPECT_EQ(FlopsText(1e30), "1000000000 ZFLOP");
}

}  // namespace
}  // namespace syncline
