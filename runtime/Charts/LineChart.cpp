//===- LineChart.cpp - Diagrams of curves over steps ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Charts/LineChart.h"

#include "runtime/Charts/Html.h"

#include <algorithm>
#include <cmath>

using namespace ingot;

// Lengths in pixels: `width` is the diagram's width, `leftEdge`, `rightEdge`
// and `topEdge` are the distances of the plot from the diagram's edges, and
// `lineHeight` is the distance between two lines of the legend.
static constexpr double width = 480, leftEdge = 62, rightEdge = 14,
                        topEdge = 26, plotHeight = 190, axisHeight = 24,
                        lineHeight = 15,
                        plotWidth = width - leftEdge - rightEdge,
                        bottom = topEdge + plotHeight;
/// A curve with more than `mostDots` points gets no marks, because they would
/// hide the curve. Of a curve with more than `mostPoints` points only some are
/// drawn, because neighbouring points could not be told apart.
static constexpr size_t mostDots = 60, mostPoints = 800;

namespace {
/// One axis: its range, and the distance between its ticks.
struct Axis {
  double low = INFINITY, high = -INFINITY, tick = 1;
  bool isLogarithmic = false;

  void include(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  /// Chooses ticks of 1, 2 or 5 times a power of ten, about `count` of them.
  void chooseTicks(int count, double least) {
    if (!(low <= high))
      low = high = 0;
    // If the range is too small for the precision of a double, adding the
    // distance of ticks to a value may not change it, so that forEachTick()
    // would not end. So enlarge such a range.
    constexpr double closest = 1e-12;
    if (high - low <= closest * std::max(std::abs(low), std::abs(high))) {
      double room = low == 0 ? 1 : std::abs(low) / 2;
      low -= room;
      high += room;
    }
    double rough = (high - low) / count;
    double power = std::pow(10, std::floor(std::log10(rough)));
    double times = rough / power;
    tick = power * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
    tick = std::max(tick, least);
  }
  /// Calls visit(value) for each tick.
  template <typename FunctionT> void forEachTick(FunctionT visit) const {
    if (isLogarithmic) {
      // Powers of ten are ticks. If the range has few of them, twice and five
      // times these powers are ticks, too; if it has many, only every second or
      // third power (and so on) is a tick.
      double decades = std::log10(high) - std::log10(low);
      double factor = std::pow(10, std::max(1.0, std::ceil(decades / 8)));
      for (double power = std::pow(10, std::floor(std::log10(low)));
           power <= high; power *= factor)
        for (double times : {1, 2, 5})
          if (power * times >= low && power * times <= high &&
              (times == 1 || decades < 2.5))
            visit(power * times);
      return;
    }
    for (double at = std::ceil(low / tick) * tick; at <= high + tick * 1e-6;
         at += tick)
      visit(std::abs(at) < tick * 1e-6 ? 0.0 : at);
  }
  double part(double value) const {
    return isLogarithmic ? (std::log(value) - std::log(low)) /
                               (std::log(high) - std::log(low))
                         : (value - low) / (high - low);
  }
};
} // namespace

static std::string attribute(const char *name, double value) {
  return std::string(name) + "'" + htmlNumber(value) + "'";
}

static std::string line(double x1, double y1, double x2, double y2,
                        const std::string &style) {
  return "<path style='" + style + "' d='M" + htmlNumber(x1) + " " +
         htmlNumber(y1) + "L" + htmlNumber(x2) + " " + htmlNumber(y2) + "'/>\n";
}

static std::string text(double x, double y, const char *style,
                        const std::string &words) {
  return "<text style='" + std::string(style) + "'" + attribute(" x=", x) +
         attribute(" y=", y) + ">" + htmlEscaped(words) + "</text>\n";
}

static std::string colourOf(const ChartSeries &series) {
  return "var(--s" + std::to_string(series.colour % 8) + ")";
}

static std::string strokeOf(const ChartSeries &series) {
  return "fill:none;stroke:" + colourOf(series) + ";stroke-width:1.6" +
         (series.dashed ? ";stroke-dasharray:5 3" : "");
}

static std::string dot(double x, double y, const ChartSeries &series) {
  return "<circle style='fill:" + colourOf(series) + "'" +
         attribute(" cx=", x) + attribute(" cy=", y) + " r='2.2'/>\n";
}

static std::string drawAxes(const Axis &steps, const Axis &values) {
  std::string svg;
  values.forEachTick([&](double at) {
    double y = bottom - values.part(at) * plotHeight;
    svg += line(leftEdge, y, leftEdge + plotWidth, y, "stroke:var(--line)") +
           text(leftEdge - 6, y + 4, "fill:var(--dim);text-anchor:end",
                htmlNumber(at));
  });
  steps.forEachTick([&](double at) {
    double x = leftEdge + steps.part(at) * plotWidth;
    svg += line(x, bottom, x, bottom + 4, "stroke:var(--dim)") +
           text(x, bottom + 16, "fill:var(--dim);text-anchor:middle",
                htmlNumber(at));
  });
  return svg + line(leftEdge, topEdge, leftEdge, bottom, "stroke:var(--dim)") +
         line(leftEdge, bottom, leftEdge + plotWidth, bottom,
              "stroke:var(--dim)");
}

static std::string drawCurve(const ChartSeries &series, const Axis &steps,
                             const Axis &values) {
  size_t stride = 1 + series.points.size() / mostPoints;
  bool hasDots = series.dots && series.points.size() <= mostDots;
  std::string svg, points, dots;
  size_t count = 0;
  auto flush = [&] {
    if (count > 1)
      svg += "<polyline style='" + strokeOf(series) + "' points='" + points +
             "'/>\n";
    // A single point has no line, so mark it.
    if (hasDots || count == 1)
      svg += dots;
    points.clear();
    dots.clear();
    count = 0;
  };
  for (size_t i = 0; i < series.points.size(); ++i) {
    const auto &[step, value] = series.points[i];
    if (!std::isfinite(value))
      flush();
    else if (i % stride == 0 || i + 1 == series.points.size()) {
      double x = leftEdge + steps.part(static_cast<double>(step)) * plotWidth,
             y = bottom - values.part(value) * plotHeight;
      points += htmlNumber(x) + "," + htmlNumber(y) + " ";
      dots = (hasDots ? dots : "") + dot(x, y, series);
      ++count;
    }
  }
  flush();
  return svg;
}

/// Draws the legend: a piece of each curve, its name and its last value.
static std::string drawLegend(const LineChart &chart) {
  constexpr size_t mostCharacters = 56;
  double y = bottom + axisHeight + 12;
  std::string svg;
  for (const ChartSeries &series : chart.series) {
    svg += line(leftEdge, y - 4, leftEdge + 24, y - 4, strokeOf(series));
    if (series.dots)
      svg += dot(leftEdge + 12, y - 4, series);
    std::string name = series.name;
    // A long name is usually a path, whose end says more than its beginning. So
    // cut off the beginning.
    if (name.size() > mostCharacters)
      name = "..." + name.substr(name.size() - mostCharacters);
    if (!series.points.empty())
      name += "  " + htmlNumber(series.points.back().second);
    svg += text(leftEdge + 32, y, "fill:var(--ink)", name);
    y += lineHeight;
  }
  return svg;
}

static std::string draw(const LineChart &chart) {
  Axis steps, values;
  for (const ChartSeries &series : chart.series)
    for (const auto &[step, value] : series.points) {
      steps.include(static_cast<double>(step));
      if (std::isfinite(value))
        values.include(value);
    }
  // An axis is logarithmic only if all its values are above `least`: powers of
  // ten below `least` may be subnormal numbers.
  constexpr double muchLarger = 30, least = 1e-300;
  values.isLogarithmic = chart.mayBeLogarithmic && values.low > least &&
                         values.high > values.low * muchLarger;
  steps.chooseTicks(6, 1);
  values.chooseTicks(5, 0);
  std::string svg =
      text(leftEdge, 16, "fill:var(--ink);font-weight:bold",
           chart.title + (values.isLogarithmic ? " (logarithmic)" : "")) +
      drawAxes(steps, values);
  for (const ChartSeries &series : chart.series)
    svg += drawCurve(series, steps, values);
  return svg + drawLegend(chart);
}

static double heightOf(const LineChart &chart) {
  return bottom + axisHeight + 8 +
         lineHeight * static_cast<double>(chart.series.size());
}

static std::string image(double width, double height, const std::string &body) {
  return "<svg xmlns='http://www.w3.org/2000/svg'" +
         attribute(" width=", width) + attribute(" height=", height) +
         " viewBox='0 0 " + htmlNumber(width) + " " + htmlNumber(height) +
         "' style='font:11px system-ui,sans-serif'>\n" + body + "</svg>\n";
}

std::string ingot::svgChart(const LineChart &chart) {
  return chart.series.empty() ? "" : image(width, heightOf(chart), draw(chart));
}

std::string ingot::svgFile(std::span<const LineChart> charts) {
  std::string body = "<style>" + std::string(chartColours) +
                     "</style><rect width='100%' height='100%' "
                     "style='fill:var(--paper)'/>\n";
  double top = 0, below = 0;
  for (size_t i = 0; i < charts.size(); ++i) {
    if (i % 2 == 0)
      top = below;
    body += "<g transform='translate(" + htmlNumber(i % 2 == 0 ? 0 : width) +
            " " + htmlNumber(top) + ")'>\n" + draw(charts[i]) + "</g>\n";
    below = std::max(below, top + heightOf(charts[i]));
  }
  return image(charts.size() > 1 ? 2 * width : width, below, body);
}
