//===- ConstantsTest.cpp - TensorFlow's rules for constant tensors --------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/Constants.h"
#include "dialects/Ingot/IR/IngotDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

using namespace ::ingot::importer;
using namespace mlir;

namespace {
class ConstantsTest : public testing::Test {
protected:
  ConstantsTest() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<mlir::ingot::IngotDialect>();
  }

  ElementsAttr convert(const std::string &text) {
    ::ingot::proto::TensorProto tensor;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &tensor));
    error.clear();
    return convertTensor(tensor, &context, error);
  }

  template <typename T> std::vector<T> valuesOf(ElementsAttr attr) {
    auto dense = dyn_cast_if_present<DenseElementsAttr>(attr);
    if (!dense)
      return {};
    auto values = dense.getValues<T>();
    return std::vector<T>(values.begin(), values.end());
  }

  MLIRContext context;
  std::string error;
};
} // namespace

TEST_F(ConstantsTest, TheLastOfTooFewValuesRepeats) {
  ElementsAttr value = convert("dtype: DT_INT32 tensor_shape { dim { size: 2 } "
                               "dim { size: 2 } } int_val: 5 int_val: 7");
  EXPECT_EQ(valuesOf<int32_t>(value), (std::vector<int32_t>{5, 7, 7, 7}));
}

TEST_F(ConstantsTest, NoValuesAreZeros) {
  ElementsAttr value =
      convert("dtype: DT_FLOAT tensor_shape { dim { size: 3 } }");
  EXPECT_EQ(valuesOf<float>(value), (std::vector<float>{0, 0, 0}));
}

TEST_F(ConstantsTest, ContentIsLittleEndian) {
  ElementsAttr value = convert("dtype: DT_INT64 tensor_shape { dim { size: 1 } "
                               "} tensor_content: '\\001\\002\\000\\000\\000"
                               "\\000\\000\\000'");
  EXPECT_EQ(valuesOf<int64_t>(value), std::vector<int64_t>{0x0201});
}

TEST_F(ConstantsTest, BoolsComeFromValuesAndFromBytes) {
  EXPECT_EQ(
      valuesOf<bool>(convert("dtype: DT_BOOL tensor_shape { dim { size: 3 } } "
                             "bool_val: true bool_val: false bool_val: true")),
      (std::vector<bool>{true, false, true}));
  EXPECT_EQ(
      valuesOf<bool>(convert("dtype: DT_BOOL tensor_shape { dim { size: 3 } } "
                             "tensor_content: '\\001\\000\\000'")),
      (std::vector<bool>{true, false, false}));
}

TEST_F(ConstantsTest, HalvesAreBitPatterns) {
  // 0x3c00 is 1.0 in IEEE half precision, 0x3f80 in bfloat16.
  for (auto [dtype, bits] :
       {std::pair("DT_HALF", "15360"), std::pair("DT_BFLOAT16", "16256")}) {
    ElementsAttr value = convert(std::string("dtype: ") + dtype +
                                 " tensor_shape {} half_val: " + bits);
    auto values = valuesOf<llvm::APFloat>(value);
    ASSERT_EQ(values.size(), 1u) << dtype;
    EXPECT_EQ(values[0].convertToFloat(), 1.0f) << dtype;
  }
}

TEST_F(ConstantsTest, RawContentOfStringsIsSizesAndBytes) {
  // The bytes of tf.io.serialize_tensor(["abc", "", "de"]).
  ElementsAttr value =
      convert("dtype: DT_STRING tensor_shape { dim { size: 3 } } "
              "tensor_content: '\\003\\000\\002abcde'");
  auto strings = dyn_cast_if_present<DenseStringElementsAttr>(value);
  ASSERT_TRUE(strings) << error;
  EXPECT_EQ(strings.getRawStringData()[0], "abc");
  EXPECT_EQ(strings.getRawStringData()[1], "");
  EXPECT_EQ(strings.getRawStringData()[2], "de");
  // Contents that are truncated, that state a size beyond the end, or that
  // leave bytes over.
  for (const char *content :
       {"\\003\\000\\002abcd", "\\003\\000",
        "\\003\\000\\377\\377\\377\\377abcde", "\\001\\001\\001abcde",
        "\\377\\377\\377\\377\\377\\377\\377\\377\\377\\377"})
    EXPECT_FALSE(convert("dtype: DT_STRING tensor_shape { dim { size: 3 } } "
                         "tensor_content: '" +
                         std::string(content) + "'"))
        << content;
}

TEST_F(ConstantsTest, StringsKeepTheirZeroBytes) {
  ElementsAttr value =
      convert("dtype: DT_STRING tensor_shape { dim { size: 2 } } "
              "string_val: 'a\\000b' string_val: ''");
  auto strings = dyn_cast_if_present<DenseStringElementsAttr>(value);
  ASSERT_TRUE(strings);
  EXPECT_EQ(strings.getRawStringData()[0], StringRef("a\0b", 3));
  EXPECT_EQ(strings.getRawStringData()[1], "");
}

TEST_F(ConstantsTest, TensorsWithoutElementsHaveNone) {
  for (const char *dtype : {"DT_FLOAT", "DT_BOOL", "DT_INT64", "DT_STRING"}) {
    ElementsAttr value = convert(std::string("dtype: ") + dtype +
                                 " tensor_shape { dim { size: 0 } }");
    ASSERT_TRUE(value) << dtype << ": " << error;
    EXPECT_EQ(value.getNumElements(), 0) << dtype;
  }
}

TEST_F(ConstantsTest, AHugeTensorOfOneValueIsNotExpanded) {
  ElementsAttr value =
      convert("dtype: DT_FLOAT tensor_shape { dim { size: 1000000000 } "
              "dim { size: 1000 } } float_val: 2.5");
  ASSERT_TRUE(value) << error;
  EXPECT_TRUE(value.isSplat());
}

TEST_F(ConstantsTest, WhatDoesNotFitIsRefused) {
  for (const char *text :
       {"dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 1 "
        "int_val: 2",
        "dtype: DT_INT32 tensor_shape { dim { size: 2 } } tensor_content: "
        "'abc'",
        "dtype: DT_INT32 tensor_shape { dim { size: -1 } } int_val: 1",
        "dtype: DT_INT32 tensor_shape { dim { size: 4611686018427387904 } "
        "dim { size: 4611686018427387904 } }",
        "dtype: DT_FLOAT tensor_shape { dim { size: 9000000000 } } "
        "float_val: 1 float_val: 2",
        "dtype: DT_STRING tensor_shape { dim { size: 2 } } tensor_content: "
        "'ab'",
        "dtype: DT_RESOURCE tensor_shape {}", "tensor_shape {}",
        "dtype: DT_FLOAT tensor_shape { unknown_rank: true }"}) {
    EXPECT_FALSE(convert(text)) << text;
    EXPECT_FALSE(error.empty()) << text;
  }
}
