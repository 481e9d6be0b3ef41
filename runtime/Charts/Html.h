//===- Html.h - Parts of pages that stand alone -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_CHARTS_HTML_H
#define INGOT_RUNTIME_CHARTS_HTML_H

#include <string>
#include <string_view>

namespace ingot {

/// Escapes text for HTML and SVG. Names come from files and must not act as
/// markup.
std::string htmlEscaped(std::string_view text);

/// Returns a number with at most five significant digits.
std::string htmlNumber(double value);

/// Returns the start of a page up to its heading, `title`. Besides its own CSS
/// rules, the page has those in `style`, which may use the page's CSS
/// variables: colours that are legible on light and dark screens (--ink, --dim,
/// --line, --paper, --card, and the colours in `chartColours`).
std::string htmlPageStart(std::string_view title, std::string_view style = "");

/// CSS variables with the colours of pages and diagrams, for a light and for a
/// dark background.
extern const char *const chartColours;

} // namespace ingot

#endif // INGOT_RUNTIME_CHARTS_HTML_H
