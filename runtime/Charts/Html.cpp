//===- Html.cpp - Parts of pages that stand alone -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Charts/Html.h"

#include <cstdio>

using namespace ingot;

// The colours of curves are those of Okabe and Ito, which most people with
// color blindness can tell apart. They are made darker on a light background,
// and lighter on a dark one.
const char *const ingot::chartColours = R"(
:root { color-scheme: light dark; --ink: #222; --dim: #5c5c5c; --line: #c9c9c9; --paper: #fff; --card: #f4f5f7;
 --s0: #0072b2; --s1: #d55e00; --s2: #00795a; --s3: #a8487e; --s4: #946200; --s5: #2277aa; --s6: #8a3b00; --s7: #444; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --dim: #a8a8a8; --line: #4a4d52; --paper: #16181b; --card: #22252a;
 --s0: #56b4e9; --s1: #ff9248; --s2: #2ccb9b; --s3: #e79fc6; --s4: #f0b429; --s5: #9ad0f5; --s6: #d99a6c; --s7: #bbb; } }
)";

static constexpr const char *pageStyle = R"(
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; padding: 0 1em; max-width: 68em; color: var(--ink); background: var(--paper); }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin: 1.6em 0 .5em; }
small { color: var(--dim); } td, th { padding: .1em 1.2em .1em 0; text-align: left; vertical-align: top; }
.charts { display: flex; flex-wrap: wrap; gap: 1em; } .charts svg { max-width: 100%; height: auto; }
)";

std::string ingot::htmlEscaped(std::string_view text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    default:
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  return result;
}

std::string ingot::htmlNumber(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.5g", value);
  return text;
}

std::string ingot::htmlPageStart(std::string_view title,
                                 std::string_view style) {
  std::string name = htmlEscaped(title);
  return "<!doctype html>\n<meta charset=utf-8>\n<meta name=viewport "
         "content='width=device-width'>\n<title>" +
         name + "</title>\n<style>" + chartColours + pageStyle +
         std::string(style) + "</style>\n<h1>" + name + "</h1>\n";
}
