//===- WireFormatCheckTest.cpp - Damage is located ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/WireFormatCheck.h"
#include "proto/MetaGraph.pb.h"
#include <gtest/gtest.h>

using namespace ingot::importer;

static std::optional<WireFormatError> check(const std::string &bytes) {
  return checkWireFormat(bytes, *ingot::proto::MetaGraphDef::descriptor());
}

static std::string sample() {
  ingot::proto::MetaGraphDef graph;
  ingot::proto::NodeDef &node = *graph.mutable_graph_def()->add_node();
  node.set_name("a");
  node.set_op("Const");
  (*node.mutable_attr())["value"].mutable_tensor()->add_float_val(1.5f);
  graph.mutable_saver_def()->set_max_to_keep(5);
  return graph.SerializeAsString();
}

TEST(WireFormatCheckTest, WellFormedBytesPass) {
  EXPECT_FALSE(check(sample()));
}

TEST(WireFormatCheckTest, EveryTruncationInsideAFieldIsFound) {
  std::string bytes = sample();
  ingot::proto::MetaGraphDef graph;
  for (size_t size = 1; size < bytes.size(); ++size) {
    bool parses = graph.ParseFromString(bytes.substr(0, size));
    EXPECT_EQ(check(bytes.substr(0, size)).has_value(), !parses) << size;
  }
}

TEST(WireFormatCheckTest, TheFieldAndItsOffsetAreNamed) {
  std::string bytes = sample();
  // Makes the length of the node's name larger than the file. graph_def, node
  // and name each begin with a tag and a length of one byte.
  bytes[5] = 120;
  std::optional<WireFormatError> error = check(bytes);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->offset, 4u);
  EXPECT_NE(error->message.find("field 'name' of NodeDef has length 120"),
            std::string::npos)
      << error->message;
}

TEST(WireFormatCheckTest, TextThatIsNotUtf8IsNamed) {
  std::string bytes = sample();
  bytes[6] = '\xff';
  std::optional<WireFormatError> error = check(bytes);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->offset, 4u);
  EXPECT_NE(error->message.find("UTF-8"), std::string::npos);
}

// Encodes a field of bytes: tag, length, contents.
static std::string wrap(unsigned number, const std::string &bytes) {
  std::string field(1, static_cast<char>(number << 3 | 2));
  size_t size = bytes.size();
  for (; size >= 0x80; size >>= 7)
    field += static_cast<char>((size & 0x7f) | 0x80);
  return field + static_cast<char>(size) + bytes;
}

TEST(WireFormatCheckTest, EndlessNestingIsRefused) {
  // A function as an attribute of a function, nested 30 times.
  std::string bytes;
  for (int depth = 0; depth < 30; ++depth)
    bytes = wrap(10, wrap(2, wrap(2, bytes)));
  const auto &descriptor = *ingot::proto::AttrValue::descriptor();
  EXPECT_FALSE(checkWireFormat(bytes, descriptor));
  for (int depth = 0; depth < 10; ++depth)
    bytes = wrap(10, wrap(2, wrap(2, bytes)));
  std::optional<WireFormatError> error = checkWireFormat(bytes, descriptor);
  ASSERT_TRUE(error);
  EXPECT_NE(error->message.find("nested more than 100 levels"),
            std::string::npos);
}
