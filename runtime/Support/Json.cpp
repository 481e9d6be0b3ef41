//===- Json.cpp - Prints JSON ---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/Json.h"

#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <algorithm>
#include <cstdio>

using namespace ingot;

/// Returns the length of the UTF-8 sequence at the start of `text`, or 0 if it
/// is invalid.
static size_t utf8Length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  size_t length = byte(0) < 0x80   ? 1
                  : byte(0) < 0xc2 ? 0
                  : byte(0) < 0xe0 ? 2
                  : byte(0) < 0xf0 ? 3
                  : byte(0) < 0xf5 ? 4
                                   : 0;
  if (length == 0 || length > text.size())
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  if (length == 3 && ((byte(0) == 0xe0 && byte(1) < 0xa0) || // overlong form
                      (byte(0) == 0xed && byte(1) >= 0xa0))) // UTF-16 surrogate
    return 0;
  if (length == 4 && ((byte(0) == 0xf0 && byte(1) < 0x90) ||
                      (byte(0) == 0xf4 && byte(1) >= 0x90)))
    return 0;
  return length;
}

void ingot::appendJsonString(std::string &text, std::string_view value) {
  text += '"';
  while (!value.empty()) {
    unsigned char c = static_cast<unsigned char>(value.front());
    size_t length = utf8Length(value);
    if (c == '"' || c == '\\') {
      text += '\\';
      text += static_cast<char>(c);
    } else if (c == '\n') {
      text += "\\n";
    } else if (c < 0x20 || c == 0x7f || length == 0) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", c);
      text += escape;
    } else {
      text += value.substr(0, length);
    }
    value.remove_prefix(length == 0 ? 1 : length);
  }
  text += '"';
}

size_t ingot::nestingOfJson(std::string_view text) {
  size_t depth = 0, deepest = 0;
  bool isQuoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (isQuoted) {
      i += c == '\\';
      isQuoted = c != '"';
    } else if (c == '"') {
      isQuoted = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

/// Returns true if dimension `dim` of a tensor without elements is too large to
/// be printed as lists. In float32[2^40,0], for instance, the first size is
/// huge, although the tensor takes no memory.
static bool isVoid(const ingot_tensor_spec &spec, uint32_t dim) {
  constexpr int64_t mostLists = 1 << 20;
  const int64_t *end = spec.dims + spec.rank;
  return spec.dims[dim] > mostLists &&
         std::find(spec.dims + dim, end, 0) != end;
}

/// Prints the elements of dimensions `dim` and higher as nested lists, and
/// moves `data` past them.
static void appendDimension(std::string &text, const ingot_tensor_spec &spec,
                            uint32_t dim, const char *&data) {
  if (dim < spec.rank) {
    text += '[';
    int64_t size = isVoid(spec, dim) ? 0 : spec.dims[dim];
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0)
        text += ',';
      appendDimension(text, spec, dim + 1, data);
    }
    text += ']';
  } else if (spec.dtype == INGOT_STRING) {
    auto *string = reinterpret_cast<const ingot_string *>(data);
    appendJsonString(text, {string->data, string->size});
    data += sizeof(ingot_string);
  } else if (isNumeric(spec.dtype)) {
    appendElement(text, spec.dtype, data);
    data += dtypeSize(spec.dtype);
  } else {
    text += "null";
  }
}

void ingot::appendJsonTensor(std::string &text, const ingot_tensor_spec &spec,
                             const void *data) {
  auto *bytes = static_cast<const char *>(data);
  appendDimension(text, spec, 0, bytes);
}
