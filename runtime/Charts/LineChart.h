//===- LineChart.h - Diagrams of curves over steps --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_CHARTS_LINECHART_H
#define INGOT_RUNTIME_CHARTS_LINECHART_H

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ingot {

/// A curve: values at ascending steps. A value that is NaN or infinite leaves a
/// gap in the curve.
struct ChartSeries {
  std::string name;
  std::vector<std::pair<int64_t, double>> points;
  size_t colour = 0; // of eight
  bool dashed = false;
  bool dots = false; // marks each point, unless there are too many
};

struct LineChart {
  std::string title;
  std::vector<ChartSeries> series;
  /// True for losses: the axis is logarithmic if all values are positive and
  /// the largest is much larger than the smallest.
  bool mayBeLogarithmic = false;
};

/// Returns a diagram as an SVG image for a page (htmlPageStart()); "" without
/// curves.
std::string svgChart(const LineChart &chart);

/// Returns diagrams in two columns, as the contents of an SVG file.
std::string svgFile(std::span<const LineChart> charts);

} // namespace ingot

#endif // INGOT_RUNTIME_CHARTS_LINECHART_H
