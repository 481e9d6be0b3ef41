//===- PrintTensors.cpp - Prints tensors as TensorFlow does ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/PrintTensors.h"

#include "runtime/Ops/ElementTypeDispatch.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace ingot::ops {

static void appendFloat(std::string &text, double value, bool isDouble) {
  if (std::isnan(value) || std::isinf(value)) {
    text += std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
    return;
  }
  char buffer[40];
  std::snprintf(buffer, sizeof(buffer), "%.*g", isDouble ? 15 : 6, value);
  bool isExact =
      isDouble ? std::strtod(buffer, nullptr) == value
               : std::strtof(buffer, nullptr) == static_cast<float>(value);
  if (!isExact)
    std::snprintf(buffer, sizeof(buffer), "%.*g", isDouble ? 17 : 9, value);
  text += buffer;
}

/// Appends `bytes` with C's escapes for quotes, backslashes and control
/// characters. Bytes outside ASCII are copied unchanged.
static void appendEscaped(std::string &text, std::string_view bytes) {
  for (char c : bytes) {
    size_t known = std::string_view("\n\r\t\"'\\").find(c);
    auto code = static_cast<unsigned char>(c);
    if (known != std::string_view::npos) {
      text += '\\';
      text += "nrt\"'\\"[known];
    } else if (code >= 0x20 && code != 0x7f) {
      text += c;
    } else {
      char octal[8];
      std::snprintf(octal, sizeof(octal), "\\%03o", code);
      text += octal;
    }
  }
}

void appendText(std::string &text, const OpInput &input, size_t i,
                bool isQuoted) {
  Status status = visitElements(input.dtype(), [&]<typename T>() {
    const T &element = input.as<T>()[i];
    if constexpr (std::is_same_v<T, ingot_string>) {
      text += isQuoted ? "\"" : "";
      appendEscaped(text, view(element));
      text += isQuoted ? "\"" : "";
    } else if constexpr (std::is_integral_v<T>) {
      text += std::to_string(element);
    } else {
      appendFloat(text, static_cast<double>(element),
                  std::is_same_v<T, double>);
    }
    return Status::ok();
  });
  if (!status.isOk())
    text += "?";
}

namespace {

class TensorSummarizer {
public:
  TensorSummarizer(const OpInput &input, int64_t limit)
      : input(input), limit(limit) {}

  /// Adds the elements of dimension `axis` and higher, from flat index `next`
  /// on, until `limit` elements have been added.
  void addRows(size_t axis) {
    int64_t size = input.dim(axis);
    for (int64_t i = 0; i < size && !isFull(); ++i) {
      if (axis + 1 == input.rank()) {
        text += i ? " " : "";
        appendText(text, input, static_cast<size_t>(next++), false);
        if (isFull() && i + 1 < size && axis > 0)
          text += "...";
        continue;
      }
      text += "[";
      addRows(axis + 1);
      text += "]";
    }
  }

  /// Adds the elements at both ends of dimension `axis`. `first` is the flat
  /// index of the dimension's first element.
  void addEnds(size_t axis, int64_t first) {
    if (axis == input.rank())
      return appendText(text, input, static_cast<size_t>(first), true);
    int64_t size = input.dim(axis), stride = 1;
    for (int64_t dim : input.dims().subspan(axis + 1))
      stride *= dim;
    text += "[";
    for (int64_t i = 0; i < size; ++i) {
      bool isSkipped = i >= limit && i < size - limit;
      if (i > 0 && (!isSkipped || i == limit))
        addSpacing(axis);
      if (!isSkipped)
        addEnds(axis + 1, first + i * stride);
      else if (i == limit)
        text += "...";
    }
    text += "]";
  }

  std::string text;

private:
  bool isFull() const { return next >= limit; }

  // Adds the line breaks between two rows, and indents the next row by the
  // number of open brackets.
  void addSpacing(size_t axis) {
    size_t inner = input.rank() - axis - 1;
    text += inner ? std::string(inner, '\n') + std::string(axis + 1, ' ')
                  : std::string(" ");
  }

  const OpInput &input;
  int64_t limit;
  int64_t next = 0;
};

} // namespace

std::string summarize(const OpInput &input, int64_t limit) {
  int64_t size = input.numElements();
  if (limit < 0)
    limit = size;
  TensorSummarizer summarizer(input, limit);
  if (input.rank() > 0)
    summarizer.addRows(0);
  else if (limit > 0)
    appendText(summarizer.text, input, 0, false);
  return std::move(summarizer.text) + (size > limit ? "..." : "");
}

std::string summarizeEnds(const OpInput &input, int64_t limit) {
  TensorSummarizer summarizer(input, limit < 0 ? input.numElements() : limit);
  summarizer.addEnds(0, 0);
  return std::move(summarizer.text);
}

} // namespace ingot::ops
