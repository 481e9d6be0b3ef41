//===- Html.h - Parts of the page that `show --html` prints -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_TOOLS_ADANETTOOL_HTML_H
#define INGOT_TOOLS_ADANETTOOL_HTML_H

#include "tools/AdaNetTool/ModelOverview.h"

#include <string_view>

namespace ingot::adanet {

/// Escapes text for HTML. Names come from checkpoints and must not act as
/// markup.
std::string htmlEscaped(std::string_view text);
std::string htmlNumber(double value);

/// Returns a drawing of an iteration's curves with its legend; "" without
/// curves.
std::string htmlCurves(const std::vector<LossCurve> &curves);

} // namespace ingot::adanet

#endif // INGOT_TOOLS_ADANETTOOL_HTML_H
