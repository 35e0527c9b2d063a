// SPDX-License-Identifier: Apache-2.0
// Both axes are logarithmic, in whole decades. A roof rises with what memory brings, up to what a
// format allows.
#include "writers/tables/roofline.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/reached_rates.h"
#include "report/words.h"
#include "writers/tables/html_text.h"

namespace syncline {
namespace {

constexpr double kPictureWidth = 1000, kPictureHeight = 400;
constexpr double kLeftMargin = 104, kRightMargin = 28, kTopMargin = 14, kBottomMargin = 42;
constexpr size_t kMostDots = 60, kMostLabels = 6;
constexpr double kLeastRadius = 4, kMostRadius = 22;
constexpr const char* kDotClasses[kNumberFormats] = {"k5", "k3", "k0", "k2", "k1", "k4"};

struct Dot {
  std::string name;
  double intensity;  // FLOP for each byte
  double rate;       // FLOP/s
  double share;      // of all operators' time on devices
  size_t format;     // of most of it
};

struct Roof {
  size_t format;
  const char* name;
  double flops;  // a second
  double bytes;  // the same
  bool promised;
};

// Of one axis, in decades.
struct Axis {
  bool any = false;
  double low = 0, high = 0;
  void See(double value) {
    const double decade = std::log10(value);
    if (!std::exchange(any, true)) low = high = decade;
    low = std::min(low, decade);
    high = std::max(high, decade);
  }
  void Round() {
    low = std::floor(low - 0.05);
    high = std::ceil(high + 0.05);
  }
  double Share(double value) const { return (std::log10(value) - low) / (high - low); }
};

struct Plane {
  Axis x, y;
  double X(double intensity) const {
    return kLeftMargin + (kPictureWidth - kLeftMargin - kRightMargin) * x.Share(intensity);
  }
  double Y(double rate) const {
    return kPictureHeight - kBottomMargin -
           (kPictureHeight - kTopMargin - kBottomMargin) * y.Share(rate);
  }
};

std::vector<Dot> DotsOf(const Report& report) {
  constexpr double kSecond = 1e9;
  std::vector<Dot> dots;
  double all_ns = 0;
  for (const ReportOperator& row : report.operators)
    all_ns += static_cast<double>(row.sums.own.device_ns);
  for (const ReportOperator& row : report.operators) {
    const ComputedWork& work = row.sums.computed;
    const double flops = SumOf(work.flops);
    if (flops == 0 || work.device_ns == 0 || !work.bytes_known || work.bytes == 0) continue;
    const auto most = std::max_element(work.flops.begin(), work.flops.end());
    const auto ns = static_cast<double>(work.device_ns);
    dots.push_back({row.key.name, flops / work.bytes, kSecond * flops / ns, ns / all_ns,
                    static_cast<size_t>(most - work.flops.begin())});
  }
  StableSort(&dots, [](const Dot& a, const Dot& b) { return a.share > b.share; });
  dots.resize(std::min(dots.size(), kMostDots));
  return dots;
}

std::vector<Roof> RoofsOf(const Report& report, const std::vector<Dot>& dots) {
  constexpr double kGiga = 1e9;
  size_t devices = 0;
  const DevicePeaks* const peaks = PeaksOf(report, "", 0, &devices);
  std::vector<Roof> roofs;
  for (size_t format = 0; format < kNumberFormats; ++format) {
    if (std::none_of(dots.begin(), dots.end(),
                     [format](const Dot& dot) { return dot.format == format; }))
      continue;
    const PeakRange peak =
        peaks == nullptr ? PeakRange() : PeakOf(*peaks, static_cast<NumberFormat>(format));
    const double bytes = peaks == nullptr || peaks->gb_per_s == 0 ? BestBytesPerSecond(report)
                                                                  : kGiga * peaks->gb_per_s;
    double best = 0;
    for (const ReportOperator& row : report.operators)
      best = std::max(best, row.sums.computed.best[format]);
    const char* const name = kNumberFormatNames[format];
    roofs.push_back({format, name, peak.low == 0 ? best : peak.low, bytes, peak.low != 0});
    if (peak.high != peak.low) roofs.push_back({format, "tf32", peak.high, bytes, true});
  }
  return roofs;
}

Plane PlaneOf(const std::vector<Dot>& dots, const std::vector<Roof>& roofs) {
  Plane plane;
  for (const Dot& dot : dots) {
    plane.x.See(dot.intensity);
    plane.y.See(dot.rate);
  }
  for (const Roof& roof : roofs) {
    plane.x.See(roof.flops / roof.bytes);
    plane.y.See(roof.flops);
  }
  plane.x.Round();
  plane.y.Round();
  return plane;
}

std::string Line(const char* style, double x1, double y1, double x2, double y2) {
  return Text("<line class=\"", style, "\" x1=\"", HtmlNumber(x1, 1), "\" y1=\"", HtmlNumber(y1, 1),
              "\" x2=\"", HtmlNumber(x2, 1), "\" y2=\"", HtmlNumber(y2, 1), "\"/>");
}

std::string Words(const char* anchor, double x, double y, const std::string& words) {
  return Text("<text text-anchor=\"", anchor, "\" x=\"", HtmlNumber(x, 1), "\" y=\"",
              HtmlNumber(y, 1), "\">", words, "</text>");
}

// "0.01", "1", "1,000".
std::string IntensityText(double decade) {
  constexpr double kLeastShown = -6, kMostShown = 12;
  const double value = std::pow(10, decade);
  if (decade < kLeastShown || decade > kMostShown) return Text("10^", HtmlNumber(decade, 0));
  if (decade >= 0) return CountText(static_cast<uint64_t>(std::llround(value)));
  return HtmlNumber(value, static_cast<int>(-decade));
}

std::string AxesSvg(const Plane& plane) {
  constexpr double kMostLines = 12;  // of an axis
  std::string svg;
  const auto each = [](const Axis& axis, const auto& draw) {
    const double step = std::ceil((axis.high - axis.low) / kMostLines);
    for (double decade = axis.low; decade <= axis.high + 0.5; decade += step) draw(decade);
  };
  each(plane.x, [&](double decade) {
    const double x = plane.X(std::pow(10, decade));
    svg += Line("grid", x, kTopMargin, x, kPictureHeight - kBottomMargin) +
           Words("middle", x, kPictureHeight - kBottomMargin + 17, IntensityText(decade));
  });
  each(plane.y, [&](double decade) {
    const double y = plane.Y(std::pow(10, decade));
    svg += Line("grid", kLeftMargin, y, kPictureWidth - kRightMargin, y) +
           Words("end", kLeftMargin - 8, y + 4, Text(FlopsText(std::pow(10, decade)), "/s"));
  });
  return svg + Words("end", kPictureWidth - kRightMargin, kPictureHeight - 6,
                     "FLOP for each byte that has to be moved at least");
}

std::string RoofSvg(const Plane& plane, const Roof& roof) {
  const char* const style = roof.promised ? "roof" : "roof seen";
  const double ridge = roof.flops / roof.bytes;
  const double from = std::max(std::pow(10, plane.x.low), std::pow(10, plane.y.low) / roof.bytes);
  const double x = plane.X(ridge), y = plane.Y(roof.flops);
  std::string svg = Line(style, x, y, kPictureWidth - kRightMargin, y);
  if (from < ridge) svg += Line(style, plane.X(from), plane.Y(from * roof.bytes), x, y);
  return svg + Words("end", kPictureWidth - kRightMargin - 4, y - 5,
                     Text(roof.name, roof.promised ? ", datasheet: " : ", best seen: ",
                          FlopsText(roof.flops), "/s"));
}

std::string DotSvg(const Plane& plane, const Dot& dot) {
  const double radius =
      kLeastRadius + (kMostRadius - kLeastRadius) * std::sqrt(std::clamp(dot.share, 0.0, 1.0));
  return Text("<circle class=\"", kDotClasses[dot.format], "\" cx=\"",
              HtmlNumber(plane.X(dot.intensity), 1), "\" cy=\"", HtmlNumber(plane.Y(dot.rate), 1),
              "\" r=\"", HtmlNumber(radius, 1), "\"><title>", HtmlText(dot.name), ", ",
              kNumberFormatNames[dot.format], ": ", FlopsText(dot.rate), "/s, ",
              HtmlNumber(dot.intensity, 1), " FLOP a byte, ", ShareText(dot.share),
              " of the operators' GPU time</title></circle>");
}

// Of the largest, where there is room.
std::string LabelsSvg(const Plane& plane, const std::vector<Dot>& dots) {
  constexpr double kLetter = 7, kHigh = 15;
  struct Box {
    double x, y, width;
  };
  std::vector<Box> taken;
  std::string svg;
  for (const Dot& dot : dots) {
    const double radius = kLeastRadius + (kMostRadius - kLeastRadius) * std::sqrt(dot.share);
    Box box{plane.X(dot.intensity) + radius + 4, plane.Y(dot.rate) + 4,
            kLetter * static_cast<double>(std::min<size_t>(dot.name.size(), 40))};
    const bool left = box.x + box.width > kPictureWidth - kRightMargin;
    if (left) box.x -= 2 * radius + 8 + box.width;
    const bool meets = std::any_of(taken.begin(), taken.end(), [&](const Box& other) {
      return std::abs(other.y - box.y) < kHigh && box.x < other.x + other.width &&
             other.x < box.x + box.width;
    });
    const bool hides = std::any_of(dots.begin(), dots.end(), [&](const Dot& other) {
      const double x = plane.X(other.intensity), y = plane.Y(other.rate) + 4;
      return &other != &dot && std::abs(y - box.y) < kHigh && box.x < x && x < box.x + box.width;
    });
    if (meets || hides || taken.size() >= kMostLabels) continue;
    taken.push_back(box);
    svg += Words(left ? "end" : "start", left ? box.x + box.width : box.x, box.y,
                 HtmlText(dot.name, 40));
  }
  return svg;
}

std::string LegendOf(const std::vector<Roof>& roofs) {
  std::string html = "<ul class=\"legend\">";
  for (const Roof& roof : roofs) {
    if (std::string_view(roof.name) != kNumberFormatNames[roof.format]) continue;
    html +=
        Text("<li><svg viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect class=\"",
             kDotClasses[roof.format], "\" width=\"10\" height=\"10\"/></svg>", roof.name, "</li>");
  }
  return html + "<li>the larger a dot, the more of the operators' GPU time</li></ul>";
}

}  // namespace

std::string RooflineSvg(const Report& report) {
  const std::vector<Dot> dots = DotsOf(report);
  if (dots.empty() || report.lost_matters) return "";
  const std::vector<Roof> roofs = RoofsOf(report, dots);
  const Plane plane = PlaneOf(dots, roofs);
  std::string svg =
      Text(LegendOf(roofs), "<svg class=\"roofline\" viewBox=\"0 0 ", HtmlNumber(kPictureWidth, 0),
           " ", HtmlNumber(kPictureHeight, 0),
           "\" role=\"img\" aria-label=\"Roofline of operators: FLOP/s by FLOP for each byte\">",
           AxesSvg(plane));
  for (const Roof& roof : roofs) svg += RoofSvg(plane, roof);
  for (const Dot& dot : dots) svg += DotSvg(plane, dot);
  return svg + LabelsSvg(plane, dots) + "</svg>";
}

}  // namespace syncline
