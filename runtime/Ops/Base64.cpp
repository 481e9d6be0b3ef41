//===- Base64.cpp - Encodes and decodes web-safe base64 -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Ops/OpKernelContext.h"

using namespace ingot;
using namespace ingot::ops;

static constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static std::string encode(std::string_view text, bool pad) {
  std::string result;
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    bits = bits << 8 | static_cast<unsigned char>(c);
    for (count += 8; count >= 6; count -= 6)
      result += alphabet[bits >> (count - 6) & 63];
  }
  if (count > 0)
    result += alphabet[bits << (6 - count) & 63];
  while (pad && result.size() % 4 != 0)
    result += '=';
  return result;
}

static bool decode(std::string_view text, std::string &result) {
  result.clear();
  size_t padding = 0;
  while (!text.empty() && text.back() == '=' && padding < 2) {
    text.remove_suffix(1);
    ++padding;
  }
  if (text.size() % 4 == 1 || (padding && (text.size() + padding) % 4 != 0))
    return false;
  uint32_t bits = 0;
  int count = 0;
  for (char c : text) {
    // Accept the digits 62 and 63 of both alphabets: "+/" of standard base64,
    // and "-_" of web-safe base64, whose digits `alphabet` contains.
    size_t digit = alphabet.find(c == '+' ? '-' : c == '/' ? '_' : c);
    if (digit == std::string_view::npos)
      return false;
    bits = bits << 6 | static_cast<uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      result += static_cast<char>(bits >> count & 255);
    }
  }
  return true;
}

INGOT_RUNTIME_OP(encode_base64) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<ingot_string>(0, input.dims()));
  for (size_t i = 0; i < output.size(); ++i) {
    INGOT_ASSIGN_OR_RETURN(output[i],
                           op.string(encode(input.text(i), op.flag("pad"))));
  }
  return Status::ok();
}

INGOT_RUNTIME_OP(decode_base64) {
  OpInput input = op.input(0);
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<ingot_string>(0, input.dims()));
  std::string bytes;
  for (size_t i = 0; i < output.size(); ++i) {
    if (!decode(input.text(i), bytes))
      return op.invalid("element " + std::to_string(i) + ", '" +
                        std::string(input.text(i)) + "', is not base64");
    INGOT_ASSIGN_OR_RETURN(output[i], op.string(bytes));
  }
  return Status::ok();
}
