//===- Json.h - Prints JSON -------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_JSON_H
#define INGOT_RUNTIME_SUPPORT_JSON_H

#include "runtime/ABI/Tensor.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace ingot {

/// Appends `value` as a JSON string. Bytes that are not UTF-8 are read as
/// Latin-1, so that the result is always valid JSON.
void appendJsonString(std::string &text, std::string_view value);

/// Returns how deep lists and objects are nested in `text`, which need not be
/// valid JSON. Callers check this before they parse `text`, because parsers
/// recurse once per level and could overflow the stack.
size_t nestingOfJson(std::string_view text);

/// The largest nesting depth of JSON that the runtime reads.
inline constexpr size_t mostJsonLevels = 64;

/// Appends a dense row-major tensor as nested lists; a scalar without brackets.
/// Numbers are printed by appendElement(). If the type has no text form, each
/// element is printed as null.
void appendJsonTensor(std::string &text, const ingot_tensor_spec &spec,
                      const void *data);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_JSON_H
