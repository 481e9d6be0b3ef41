//===- HtmlCurves.cpp - Losses of an iteration, drawn ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "tools/AdaNetTool/Html.h"

#include <algorithm>
#include <cmath>

using namespace ingot;
using namespace ingot::adanet;

static constexpr double width = 560, height = 180;

// Colors that most people with color blindness can tell apart.
static constexpr const char *colours[] = {"#0072b2", "#d55e00", "#009e73",
                                          "#cc79a7", "#e69f00", "#56b4e9",
                                          "#8a3b00", "#444444"};

namespace {
/// The ranges of a diagram's axes: the smallest and largest step, and the
/// smallest and largest loss, of all its curves.
struct AxisRanges {
  double firstStep = INFINITY, lastStep = -INFINITY;
  double low = INFINITY, high = -INFINITY;

  explicit AxisRanges(const std::vector<LossCurve> &curves) {
    for (const LossCurve &curve : curves)
      for (const auto &[step, loss] : curve.points) {
        auto at = static_cast<double>(step);
        firstStep = std::min(firstStep, at);
        lastStep = std::max(lastStep, at);
        low = std::min(low, loss);
        high = std::max(high, loss);
      }
  }
  std::string point(double step, double loss) const {
    double x = lastStep > firstStep
                   ? (step - firstStep) / (lastStep - firstStep)
                   : 0.5;
    double y = high > low ? (high - loss) / (high - low) : 0.5;
    return htmlNumber(x * width) + "," + htmlNumber(y * height);
  }
};
} // namespace

static std::string line(const LossCurve &curve, const AxisRanges &frame,
                        const std::string &colour) {
  std::string points, dots;
  for (const auto &[step, loss] : curve.points) {
    std::string point = frame.point(static_cast<double>(step), loss);
    points += (points.empty() ? "" : " ") + point;
    size_t comma = point.find(',');
    dots += "<circle cx='" + point.substr(0, comma) + "' cy='" +
            point.substr(comma + 1) + "' r=2 fill='" + colour + "'/>";
  }
  return "<polyline fill=none stroke='" + colour + "' stroke-width=1.5" +
         (curve.isEnsemble ? "" : " stroke-dasharray='4 3'") + " points='" +
         points + "'/>" + dots;
}

std::string adanet::htmlCurves(const std::vector<LossCurve> &curves) {
  if (curves.empty())
    return "";
  AxisRanges frame(curves);
  std::string lines, legend;
  for (size_t i = 0; i < curves.size(); ++i) {
    std::string colour = colours[i % std::size(colours)];
    lines += line(curves[i], frame, colour);
    legend += "<span style='color:" + colour + "'>" +
              (curves[i].isEnsemble ? "&#9473; " : "&#9476; ") +
              htmlEscaped(curves[i].name) + " " +
              htmlNumber(curves[i].points.back().second) + "</span><br>\n";
  }
  return "<div class=row><svg width=640 height=230 viewBox='-70 -15 640 230'>"
         "<path d='M0 0V180H560' fill=none stroke='#999'/>" +
         lines + "<text x=-8 y=8 text-anchor=end>" + htmlNumber(frame.high) +
         "</text><text x=-8 y=180 text-anchor=end>" + htmlNumber(frame.low) +
         "</text><text x=0 y=200>step " + htmlNumber(frame.firstStep) +
         "</text><text x=560 y=200 text-anchor=end>" +
         htmlNumber(frame.lastStep) +
         "</text></svg><div><small>AdaNet losses of candidates (averages) and, "
         "dashed, losses of members<br>\n" +
         legend + "</small></div></div>\n";
}
