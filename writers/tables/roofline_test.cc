// SPDX-License-Identifier: Apache-2.0
// The picture of a few operators, and of numbers that no run has.
#include "writers/tables/roofline.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace syncline {
namespace {

constexpr size_t kFp32 = static_cast<size_t>(NumberFormat::kFp32),
                 kBf16 = static_cast<size_t>(NumberFormat::kBf16);

void AddOperator(const char* name, size_t format, double flops, double bytes, Report* report) {
  constexpr uint64_t kNs = 1000;
  ReportOperator& row = report->operators.emplace_back();
  row.key.name = name;
  row.sums.own.device_ns = kNs;
  ComputedWork& work = row.sums.computed;
  work.flops[format] = flops;
  work.best[format] = 1e6 * flops;
  work.device_ns = kNs;
  work.bytes = bytes;
  work.best_bytes = 1e6 * bytes;
}

void AddDevice(const char* name, Report* report) {
  ReportDevice& device = report->devices.emplace_back();
  device.use.source = "cuda";
  device.use.name = name;
  device.use.computing_ns = 1;
}

size_t TimesIn(const std::string& text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// All coordinates lie within the picture.
void ExpectWithin(const std::string& svg) {
  for (const char* key : {" x=\"", " y=\"", "x1=\"", "x2=\"", "y1=\"", "y2=\"", "cx=\"", "cy=\""}) {
    const std::string_view name(key);
    for (size_t at = svg.find(name); at != std::string::npos; at = svg.find(name, at + 1)) {
      const double value = std::atof(svg.c_str() + at + name.size());
      EXPECT_TRUE(value >= 0 && value <= 1000) << svg.substr(at, 30);
    }
  }
}

TEST(Roofline, ADotForEachOperatorUnderItsRoof) {
  Report report;
  EXPECT_EQ(RooflineSvg(report), "");
  AddOperator("aten::mm", kBf16, 1e9, 1e6, &report);
  AddOperator("aten::bmm<script>", kBf16, 1e6, 1e5, &report);
  AddDevice("NVIDIA H200", &report);
  std::string svg = RooflineSvg(report);
  EXPECT_EQ(TimesIn(svg, "<circle"), 2u);
  EXPECT_EQ(TimesIn(svg, "class=\"roof\""), 2u) << "the slope and what is level";
  EXPECT_NE(svg.find("bf16, datasheet: 990 TFLOP/s"), std::string::npos);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  ExpectWithin(svg);
  AddOperator("aten::addmm", kFp32, 1e8, 1e6, &report);
  svg = RooflineSvg(report);
  EXPECT_NE(svg.find("tf32, datasheet: 49"), std::string::npos) << svg;
  EXPECT_NE(svg.find("fp32, datasheet: 67.0 TFLOP/s"), std::string::npos);
  ExpectWithin(svg);
  report.devices[0].use.name = "Simulated GPU";
  svg = RooflineSvg(report);
  EXPECT_NE(svg.find("fp32, best seen: 100 TFLOP/s"), std::string::npos);
  EXPECT_EQ(svg.find("datasheet"), std::string::npos);
  ExpectWithin(svg);
}

TEST(Roofline, OfNumbersThatNoRunHas) {
  Report report;
  AddOperator("a", kBf16, 1e-6, 1e30, &report);
  AddOperator("b", kFp32, 1e30, 1e-6, &report);
  AddOperator("c", kFp32, 5, 0, &report);
  ExpectWithin(RooflineSvg(report));
  EXPECT_EQ(TimesIn(RooflineSvg(report), "<circle"), 2u) << "without bytes there is none";
  for (int i = 0; i < 100; ++i) AddOperator("d", kFp32, 5, 5, &report);
  ExpectWithin(RooflineSvg(report));
  report.operators.resize(1);
  ExpectWithin(RooflineSvg(report));
}

}  // namespace
}  // namespace syncline
