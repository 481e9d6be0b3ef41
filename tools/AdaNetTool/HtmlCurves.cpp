//===- HtmlCurves.cpp - Losses of an iteration, drawn ---------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Charts/LineChart.h"
#include "tools/AdaNetTool/Html.h"

using namespace ingot;
using namespace ingot::adanet;

std::string adanet::htmlCurves(const std::vector<LossCurve> &curves) {
  LineChart chart;
  chart.title = "AdaNet losses (averages) and, dashed, losses of members";
  for (const LossCurve &curve : curves)
    chart.series.push_back({curve.name, curve.points, chart.series.size(),
                            /*dashed=*/!curve.isEnsemble, /*dots=*/true});
  return svgChart(chart);
}
