//===- ByteSizes.cpp - Numbers of bytes in flags and messages -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/ByteSizes.h"

#include <charconv>
#include <cstdio>

using namespace ingot;

std::optional<uint64_t> ingot::parseByteSize(const std::string &text) {
  uint64_t value = 0;
  const char *end = text.data() + text.size();
  auto [rest, code] = std::from_chars(text.data(), end, value);
  std::string_view suffix(rest, static_cast<size_t>(end - rest));
  int shift = suffix.empty()  ? 0
              : suffix == "K" ? 10
              : suffix == "M" ? 20
              : suffix == "G" ? 30
                              : -1;
  if (code != std::errc() || shift < 0 || value > UINT64_MAX >> shift)
    return std::nullopt;
  return value << shift;
}

std::string ingot::byteSizeText(uint64_t bytes) {
  char text[32];
  double size = static_cast<double>(bytes);
  const char *units[] = {"bytes", "KiB", "MiB", "GiB"};
  size_t unit = 0;
  for (; size >= 1024 && unit < 3; ++unit)
    size /= 1024;
  std::snprintf(text, sizeof(text), "%.4g ", size);
  return text + std::string(units[unit]);
}
