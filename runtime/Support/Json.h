//===- Json.h - Printing JSON -----------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_JSON_H
#define INGOT_RUNTIME_SUPPORT_JSON_H

#include "runtime/ABI/Tensor.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ingot {

/// `value` in quotes. Bytes that aren't UTF-8 are read as Latin-1, so that the
/// result is always JSON.
void appendJsonString(std::string &text, std::string_view value);

/// How deep lists and objects are nested in `text`, JSON or not. Checked before
/// parsing, as parsers and readers recurse once per level.
size_t nestingOfJson(std::string_view text);

/// No JSON that is read here has more levels.
inline constexpr size_t mostJsonLevels = 64;

/// A dense row-major tensor as nested lists; a scalar as its element. Numbers
/// as appendElement() prints them; null for elements that can't be printed.
void appendJsonTensor(std::string &text, const ingot_tensor_spec &spec,
                      const void *data);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_JSON_H
