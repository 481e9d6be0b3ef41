//===- SignaturesTest.cpp - Attributes follow from signatures -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/Signatures.h"
#include "compiler/Export/NodeDefWriter.h"

#include <gtest/gtest.h>

using namespace ingot::exporter;
namespace proto = ingot::proto;

static NodeOutput argument(const char *name, proto::DataType dtype) {
  return {name, "", 0, 0, dtype};
}

TEST(Signatures, ListsOfOneTypeAndOfSeveral) {
  const OpSignature *concat = findSignature("ConcatV2");
  ASSERT_TRUE(concat);
  EXPECT_EQ(concat->inputs[0].number, "N");
  EXPECT_EQ(concat->inputs[0].type, "T");
  EXPECT_EQ(concat->inputs[1].type, "Tidx");
  const OpSignature *many = findSignature("IdentityN");
  ASSERT_TRUE(many);
  EXPECT_TRUE(many->inputs[0].isTypeList);
  EXPECT_FALSE(findSignature("NoSuchOp"));
}

TEST(NodeDefWriter, TypesAndNumbersFollowFromInputs) {
  google::protobuf::RepeatedPtrField<proto::NodeDef> nodes;
  NodeDefWriter scope(nodes, /*isFunction=*/false);
  NodeSpec spec;
  spec.op = "DynamicStitch";
  spec.inputs = {argument("i", proto::DT_INT32), argument("j", proto::DT_INT32),
                 argument("x", proto::DT_HALF), argument("y", proto::DT_HALF)};
  spec.outputs = {proto::DT_HALF};
  scope.add(spec);
  ASSERT_EQ(nodes.size(), 1);
  EXPECT_EQ(nodes[0].attr().at("N").i(), 2);
  EXPECT_EQ(nodes[0].attr().at("T").type(), proto::DT_HALF);
}

TEST(NodeDefWriter, FunctionsNameOutputsByArgument) {
  google::protobuf::RepeatedPtrField<proto::NodeDef> nodes;
  NodeSpec spec;
  spec.op = "Split";
  spec.inputs = {argument("axis", proto::DT_INT32),
                 argument("x", proto::DT_FLOAT)};
  spec.outputs.assign(3, proto::DT_FLOAT);
  spec.attributes["num_split"] = integer(3);
  for (bool isFunction : {false, true}) {
    NodeDefWriter scope(nodes, isFunction);
    auto outputs = scope.add(spec);
    ASSERT_EQ(outputs.size(), 3u);
    EXPECT_EQ(scope.reference(outputs[2]),
              isFunction ? "Split:output:2" : "Split:2");
    EXPECT_EQ(scope.reference(outputs[0]),
              isFunction ? "Split:output:0" : "Split");
  }
}

TEST(NodeDefWriter, EntriesShareNodesThatAreTheSameAndNoOthers) {
  google::protobuf::RepeatedPtrField<proto::NodeDef> nodes;
  NodeDefWriter scope(nodes, /*isFunction=*/false);
  NodeSpec spec;
  spec.op = "Neg";
  spec.name = "y";
  spec.inputs = {argument("x", proto::DT_FLOAT)};
  spec.outputs = {proto::DT_FLOAT};
  auto nameOf = [&](NodeSpec added) {
    std::string name;
    scope.add(std::move(added), &name);
    return name;
  };
  EXPECT_EQ(nameOf(spec), "y");
  // The same node, used twice in an entry, is exported as two nodes.
  EXPECT_EQ(nameOf(spec), "y_1");
  scope.beginEntry();
  EXPECT_EQ(nameOf(spec), "y");
  scope.beginEntry();
  spec.inputs = {argument("z", proto::DT_FLOAT)};
  EXPECT_EQ(nameOf(spec), "y_2");
  EXPECT_EQ(nodes.size(), 3);
}
