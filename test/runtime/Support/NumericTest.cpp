//===- NumericTest.cpp - One element of any numeric type ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Support/Numeric.h"

#include "runtime/ABI/Tensor.h"
#include "runtime/Support/Json.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

using namespace ingot;

namespace {

std::string text(int32_t dtype, const void *data) {
  std::string result;
  appendElement(result, dtype, data);
  return result;
}

TEST(NumericTest, FloatsAreReadBackExactly) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    uint32_t bits = random();
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value))
      continue;
    EXPECT_EQ(std::strtod(text(INGOT_FLOAT, &value).c_str(), nullptr),
              static_cast<double>(value));
  }
}

TEST(NumericTest, DecimalsAreParsedAsStrtodAndStrtofDo) {
  std::vector<std::string> texts = {"0",
                                    "-0",
                                    "0.",
                                    ".5",
                                    "-.5",
                                    ".",
                                    "-",
                                    "",
                                    "1e",
                                    "1e+",
                                    "1e5",
                                    "1E-5",
                                    "1e400",
                                    "-1e400",
                                    "1e-400",
                                    "3.5e38",
                                    "1e-46",
                                    "1e-40",
                                    "0x1p3",
                                    "0x",
                                    "-0X1.8P-2",
                                    "inf",
                                    "-inf",
                                    "Infinity",
                                    "infin",
                                    "nan",
                                    "-nan",
                                    "nan(12)",
                                    "1.5.5",
                                    "1 ",
                                    " 1",
                                    "+1",
                                    "--1",
                                    "1,5",
                                    "1f",
                                    "00012.50",
                                    "1_0",
                                    "9007199254740993",
                                    "16777217",
                                    "4.9e-324",
                                    "2.2250738585072011e-308",
                                    "1.17549429e-38",
                                    "7.0064923216240854e-46",
                                    "340282356779733661637539395458142568447"};
  std::mt19937_64 random(2);
  for (int i = 0; i < 20000; ++i) {
    auto digits = std::to_string(random() >> random() % 64);
    if (random() % 2)
      digits.insert(random() % (digits.size() + 1), ".");
    if (random() % 2)
      digits += "e" + std::to_string(static_cast<int>(random() % 100) - 50);
    texts.push_back((random() % 2 ? "-" : "") + digits);
  }
  for (const std::string &text : texts) {
    const char *first = text.c_str();
    char *end = nullptr;
    double wide = std::strtod(first, &end), wideFound = 0;
    float narrow = std::strtof(first, nullptr), narrowFound = 0;
    bool isNumber = !text.empty() && text[0] != ' ' && !*end;
    EXPECT_EQ(parseElement(text, INGOT_DOUBLE, &wideFound), isNumber) << text;
    EXPECT_EQ(parseElement(text, INGOT_FLOAT, &narrowFound), isNumber) << text;
    if (!isNumber)
      continue;
    EXPECT_EQ(std::memcmp(&wide, &wideFound, sizeof(wide)), 0) << text;
    EXPECT_EQ(std::memcmp(&narrow, &narrowFound, sizeof(narrow)), 0) << text;
  }
}

TEST(NumericTest, PrintsShortestDigits) {
  double tenth = 0.1, big = 1e22, third = 1.0 / 3;
  float loss = 2.345616340637207f;
  EXPECT_EQ(text(INGOT_DOUBLE, &tenth), "0.1");
  EXPECT_EQ(text(INGOT_DOUBLE, &big), "1e+22");
  EXPECT_EQ(text(INGOT_DOUBLE, &third), "0.3333333333333333");
  EXPECT_EQ(text(INGOT_FLOAT, &loss), "2.345616340637207");
}

TEST(NumericTest, NaNAndInfAreJsonStrings) {
  float nan = std::nanf(""), infinity = INFINITY, less = -INFINITY;
  EXPECT_EQ(text(INGOT_FLOAT, &nan), "\"NaN\"");
  EXPECT_EQ(text(INGOT_FLOAT, &infinity), "\"Infinity\"");
  EXPECT_EQ(text(INGOT_FLOAT, &less), "\"-Infinity\"");
}

TEST(NumericTest, IntegersArePrintedAndParsedToTheirEnds) {
  uint64_t most = UINT64_MAX;
  int64_t least = INT64_MIN;
  int8_t small = -128;
  EXPECT_EQ(text(INGOT_UINT64, &most), "18446744073709551615");
  EXPECT_EQ(text(INGOT_INT64, &least), "-9223372036854775808");
  EXPECT_EQ(text(INGOT_INT8, &small), "-128");
  uint64_t parsed = 0;
  EXPECT_TRUE(parseElement("18446744073709551615", INGOT_UINT64, &parsed));
  EXPECT_EQ(parsed, most);
  EXPECT_FALSE(parseElement("18446744073709551616", INGOT_UINT64, &parsed));
  EXPECT_FALSE(parseElement("-1", INGOT_UINT8, &parsed));
  EXPECT_FALSE(parseElement("128", INGOT_INT8, &parsed));
  EXPECT_FALSE(parseElement("", INGOT_INT32, &parsed));
  EXPECT_FALSE(parseElement("1 ", INGOT_INT32, &parsed));
}

TEST(NumericTest, HalfRoundsAsIeeeDoes) {
  // The expected bits are those of NumPy 1.26's astype(float16).
  const std::pair<float, uint16_t> expected[] = {
      {0.0f, 0x0},         {1e-8f, 0x0},
      {6e-8f, 0x1},        {3e-5f, 0x1f7},
      {6.1e-5f, 0x3ff},    {0.333333f, 0x3555},
      {1.0005f, 0x3c01},   {1.00048828125f, 0x3c00},
      {2047.5f, 0x6800},   {2048.5f, 0x6800},
      {65519.9f, 0x7bff},  {65520.0f, 0x7c00},
      {1e9f, 0x7c00},      {-0.0f, 0x8000},
      {-3.14159f, 0xc248},
  };
  for (auto [value, bits] : expected)
    EXPECT_EQ(floatToHalf(value), bits) << value;
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = halfToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(value))));
    else
      EXPECT_EQ(floatToHalf(value), bits);
  }
}

TEST(NumericTest, Bfloat16RoundsToNearestEven) {
  EXPECT_EQ(floatToBfloat16(1.0f), 0x3f80);
  // A tie, rounded down to even.
  EXPECT_EQ(floatToBfloat16(1.00390625f), 0x3f80);
  EXPECT_EQ(floatToBfloat16(1.01171875f), 0x3f82); // a tie, rounded up to even
  // Larger than the largest bfloat16.
  EXPECT_EQ(floatToBfloat16(3.4e38f), 0x7f80);
  EXPECT_TRUE(std::isnan(bfloat16ToFloat(floatToBfloat16(std::nanf("")))));
}

TEST(JsonTest, StringsAreAlwaysValidJson) {
  auto quoted = [](std::string_view value) {
    std::string result;
    appendJsonString(result, value);
    return result;
  };
  EXPECT_EQ(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c\\nd\"");
  EXPECT_EQ(quoted(std::string_view("\0\x1f", 2)), "\"\\u0000\\u001f\"");
  EXPECT_EQ(quoted("gr\xc3\xb6\xc3\x9f"
                   "e"),
            "\"gr\xc3\xb6\xc3\x9f"
            "e\"");
  // Bytes that are not UTF-8: a lone continuation byte, an overlong form, a
  // surrogate, a cut-off sequence.
  EXPECT_EQ(quoted("\x80"), "\"\\u0080\"");
  EXPECT_EQ(quoted("\xc0\xaf"), "\"\\u00c0\\u00af\"");
  EXPECT_EQ(quoted("\xed\xa0\x80"), "\"\\u00ed\\u00a0\\u0080\"");
  EXPECT_EQ(quoted("\xe2\x82"), "\"\\u00e2\\u0082\"");
}

TEST(JsonTest, TensorsAreNestedLists) {
  const int64_t dims[] = {2, 1, 2}, none[] = {0, 3};
  const int32_t values[] = {1, -2, 3, 4};
  std::string result;
  appendJsonTensor(result, {"x", INGOT_INT32, 3, dims}, values);
  appendJsonTensor(result, {"x", INGOT_INT32, 2, none}, values);
  EXPECT_EQ(result, "[[[1,-2]],[[3,4]]][]");
}

TEST(JsonTest, ManyEmptyListsAreOmitted) {
  const int64_t few[] = {2, 0}, many[] = {2, INT32_MAX, 0};
  std::string result;
  appendJsonTensor(result, {"x", INGOT_INT32, 2, few}, nullptr);
  appendJsonTensor(result, {"x", INGOT_INT32, 3, many}, nullptr);
  EXPECT_EQ(result, "[[],[]][[],[]]");
}

} // namespace
