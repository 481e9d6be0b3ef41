//===- Html.h - Parts of the page that `show --html` prints -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TOOLS_ADANETTOOL_HTML_H
#define INGOT_TOOLS_ADANETTOOL_HTML_H

#include "tools/AdaNetTool/ModelOverview.h"

namespace ingot::adanet {

/// Returns a diagram of an iteration's curves, as an SVG image; "" without
/// curves.
std::string htmlCurves(const std::vector<LossCurve> &curves);

} // namespace ingot::adanet

#endif // INGOT_TOOLS_ADANETTOOL_HTML_H
