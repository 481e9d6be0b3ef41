//===- StringConversions.cpp - Converts numbers and strings ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/ElementTypeDispatch.h"
#include "runtime/Ops/RawNumbers.h"
#include "runtime/Support/ParseNumber.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <type_traits>

using namespace ingot;
using namespace ingot::ops;

/// Returns the printf conversion that the attributes of `as_string` describe.
static std::string conversionOf(OpKernelContext &op, bool isFloat,
                                bool isSigned) {
  std::string format = "%" + std::string(op.text("fill"));
  if (int64_t width = op.integer("width", -1); width > -1)
    format += std::to_string(width);
  if (!isFloat)
    return format + (isSigned ? "lld" : "llu");
  if (int64_t precision = op.integer("precision", -1); precision > -1)
    format += "." + std::to_string(precision);
  return format + (op.flag("shortest")     ? "g"
                   : op.flag("scientific") ? "e"
                                           : "f");
}

static std::string print(const std::string &format, auto value) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  int size = std::snprintf(nullptr, 0, format.c_str(), value);
  std::string text(static_cast<size_t>(std::max(size, 0)), '\0');
  std::snprintf(text.data(), text.size() + 1, format.c_str(), value);
#pragma GCC diagnostic pop
  return text;
}

INGOT_RUNTIME_OP(as_string) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<ingot_string>(0, input.dims()));
  return visitElements(input.dtype(), [&]<typename T>() {
    constexpr bool isFloat = !std::is_integral_v<T>;
    auto elements = input.as<T>();
    constexpr bool isSigned = !std::is_unsigned_v<T>;
    std::string format = conversionOf(op, isFloat, isSigned);
    for (size_t i = 0; i < output.size(); ++i) {
      std::string text;
      if constexpr (std::is_same_v<T, ingot_string>)
        text = view(elements[i]);
      else if constexpr (std::is_same_v<T, bool>)
        text = elements[i] ? "true" : "false";
      else if constexpr (isFloat)
        text = print(format, static_cast<double>(elements[i]));
      else if constexpr (isSigned)
        text = print(format, static_cast<long long>(elements[i]));
      else
        text = print(format, static_cast<unsigned long long>(elements[i]));
      INGOT_ASSIGN_OR_RETURN(output[i], op.string(text));
    }
    return Status::ok();
  });
}

INGOT_RUNTIME_OP(string_to_number) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(void *memory, op.allocate(0, input.dims()));
  int32_t dtype = op.outputType(0);
  char *output = static_cast<char *>(memory);
  for (int64_t i = 0; i < input.numElements(); ++i) {
    std::string_view text = input.text(static_cast<size_t>(i));
    if (!parseNumber(text, dtype, output))
      return op.invalid(
          "StringToNumberOp could not correctly convert string: " +
          std::string(text));
    output += elementSize(dtype);
  }
  return Status::ok();
}

Expected<int64_t> ingot::ops::countRawNumbers(const OpKernelContext &op,
                                              size_t length) {
  size_t size = elementSize(op.outputType(0));
  if (length % size != 0)
    return op.invalid("the length of the strings (" + std::to_string(length) +
                      " bytes) must be a multiple of the size of out_type (" +
                      std::to_string(size) + ")");
  return static_cast<int64_t>(length / size);
}

void ingot::ops::orderRawNumbers(const OpKernelContext &op,
                                 std::span<char> bytes) {
  auto size = static_cast<std::ptrdiff_t>(elementSize(op.outputType(0)));
  if (!op.flag("little_endian", true))
    for (auto at = bytes.begin(); bytes.end() - at >= size; at += size)
      std::reverse(at, at + size);
}

// Copies the bytes of a string to the output, which interprets them as numbers.
static void decodeBytes(const OpKernelContext &op, std::string_view text,
                        char *output) {
  std::copy(text.begin(), text.end(), output);
  orderRawNumbers(op, {output, text.size()});
}

INGOT_RUNTIME_OP(decode_padded_raw) {
  OpInput input = op.input(0);
  auto size = static_cast<int64_t>(elementSize(op.outputType(0)));
  int64_t length = op.input(1).integer(0);
  if (length <= 0 || length % size != 0)
    return op.invalid(
        "fixed_length (" + std::to_string(length) +
        ") must be a positive multiple of the size of out_type (" +
        std::to_string(size) + ")");
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end());
  dims.push_back(length / size);
  INGOT_ASSIGN_OR_RETURN(void *memory, op.allocate(0, dims));
  std::string padded;
  for (int64_t i = 0; i < input.numElements(); ++i) {
    padded = input.text(static_cast<size_t>(i))
                 .substr(0, static_cast<size_t>(length));
    padded.resize(static_cast<size_t>(length));
    decodeBytes(op, padded, static_cast<char *>(memory) + i * length);
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(decode_raw) {
  OpInput input = op.input(0);
  size_t length = input.numElements() ? input.text(0).size() : 0;
  for (int64_t i = 0; i < input.numElements(); ++i)
    if (input.text(static_cast<size_t>(i)).size() != length)
      return op.invalid(
          "element " + std::to_string(i) + " has " +
          std::to_string(input.text(static_cast<size_t>(i)).size()) +
          " bytes, but element 0 has " + std::to_string(length) +
          ": all strings must have the same length");
  INGOT_ASSIGN_OR_RETURN(int64_t count, countRawNumbers(op, length));
  std::vector<int64_t> dims(input.dims().begin(), input.dims().end());
  dims.push_back(count);
  INGOT_ASSIGN_OR_RETURN(void *memory, op.allocate(0, dims));
  char *output = static_cast<char *>(memory);
  for (int64_t i = 0; i < input.numElements(); ++i) {
    std::string_view text = input.text(static_cast<size_t>(i));
    decodeBytes(op, text, output);
    output += length;
  }
  return Status::ok();
}
