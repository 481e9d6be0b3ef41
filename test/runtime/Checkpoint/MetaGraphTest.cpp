//===- MetaGraphTest.cpp - The graph beside a checkpoint ------------------===//
//
// The graphs are put together here by the numbers of TensorFlow's .proto files,
// in protobuf's wire format; what is expected of them is what
// tf.train.export_meta_graph says of its arguments.
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint/MetaGraph.h"

#include <gtest/gtest.h>
#include <zlib.h>

using namespace ingot;

namespace {

/// A string or message field.
std::string field(int number, const std::string &payload) {
  std::string start;
  for (size_t left : {static_cast<size_t>(number) << 3 | 2, payload.size()}) {
    for (; left >= 0x80; left >>= 7)
      start.push_back(static_cast<char>(left | 0x80));
    start.push_back(static_cast<char>(left));
  }
  return start + payload;
}

std::string attr(const std::string &name, const std::string &value) {
  return field(5, field(1, name) + field(2, value));
}

std::string node(const std::string &name, const std::string &op,
                 const std::string &rest = "") {
  return field(1, field(1, name) + field(2, op) + rest);
}

const std::string device = field(4, "/cpu:0");
// AttrValues: bool b = 5, type = 6.
const std::string isTrue = "\x28\x01", isFloat = "\x30\x01";

std::string opWithDefault(const std::string &op, const std::string &attribute,
                          const std::string &value) {
  return field(1,
               field(1, op) + field(4, field(1, attribute) + field(3, value)));
}

std::string collection(const std::string &key, const std::string &value) {
  return field(4, field(1, key) + field(2, value));
}

const std::string saverDef = field(1, "save/Const:0") +
                             field(2, "save/Identity:0") +
                             field(3, "save/restore_all");
const std::string otherSaver =
    field(2, "save_1/Identity:0") + field(3, "save_1/restore_all");

std::string edited(const std::string &graph, const MetaGraphEdits &edits) {
  auto result = editMetaGraph(graph, edits);
  EXPECT_TRUE(result) << result.status().message();
  return result ? *result : "";
}

TEST(MetaGraph, IsKeptAsItIsWhereNothingIsLeftOut) {
  std::string graph = field(1, field(5, "2.15.0")) +
                      field(2, node("a", "NoOp", device) + "\x18\x07") +
                      field(3, saverDef) + collection("x", field(2, "y"));
  EXPECT_EQ(edited(graph, {}), graph);
}

TEST(MetaGraph, LosesDevicesOfNodesButNotOfFunctions) {
  auto graph = [](const std::string &deviceOfNodes) {
    std::string function = field(1, field(1, "f")) +
                           field(3, field(1, "n") + field(2, "NoOp") + device);
    return field(2, node("a", "Add", deviceOfNodes + attr("T", isFloat)) +
                        node("b", "NoOp", deviceOfNodes) +
                        field(2, field(1, function)));
  };
  MetaGraphEdits edits;
  edits.clearDevices = true;
  EXPECT_EQ(edited(graph(device), edits), graph(""));
}

TEST(MetaGraph, LosesAttributesWithTheirDefaultValue) {
  auto graph = [](const std::string &strippedTrue, const std::string &mark) {
    std::string ops = opWithDefault("MatMul", "transpose_a", isTrue) +
                      opWithDefault("F", "x", isTrue);
    // The other value, no default, an op that the list lacks, and a function
    // with the name of an op: these stay.
    std::string kept = attr("transpose_a", "\x28\x00") + attr("T", isFloat);
    std::string function =
        field(1, field(1, "F")) +
        field(3, field(1, "n") + field(2, "MatMul") + strippedTrue);
    return field(1, field(2, ops) + field(5, "2.15.0") + mark) +
           field(2, node("a", "MatMul", strippedTrue + attr("T", isFloat)) +
                        node("b", "MatMul", kept) +
                        node("c", "Other", attr("transpose_a", isTrue)) +
                        node("d", "F", attr("x", isTrue)) +
                        field(2, field(1, function)));
  };
  MetaGraphEdits edits;
  edits.stripDefaultAttrs = true;
  // stripped_default_attrs = 7 says that it was done.
  EXPECT_EQ(edited(graph(attr("transpose_a", isTrue), ""), edits),
            graph("", "\x38\x01"));
}

TEST(MetaGraph, LosesDefaultsOfOpsThatOnlyFunctionsUse) {
  auto graph = [](const std::string &attribute, const std::string &mark) {
    std::string function =
        field(1, field(1, "F")) +
        field(3, field(1, "n") + field(2, "MatMul") + attribute);
    return field(1, field(5, "2.15.0") + mark) +
           field(2, field(2, field(1, function)));
  };
  std::string ops = field(1000, opWithDefault("MatMul", "transpose_a", isTrue));
  MetaGraphEdits edits;
  // What only the program needs is in no file.
  EXPECT_EQ(edited(graph(attr("transpose_a", isTrue), "") + ops, edits),
            graph(attr("transpose_a", isTrue), ""));
  edits.stripDefaultAttrs = true;
  EXPECT_EQ(edited(graph(attr("transpose_a", isTrue), "") + ops, edits),
            graph("", "\x38\x01"));
}

TEST(MetaGraph, LosesScopesOfOtherSavers) {
  std::string kept =
      node("save/Const", "Const") + node("save/SaveV2", "SaveV2") +
      node("save/RestoreV2", "RestoreV2") + node("save_2/x", "NoOp") +
      node("saved/x", "NoOp") + node("SaveV2", "NoOp");
  std::string gone =
      node("save_1/Const", "Const") + node("save_1/SaveV2", "SaveV2") +
      node("save_1/deep/er", "NoOp") + node("restore/RestoreV2", "RestoreV2");
  std::string names = field(1, "save/Const:0"), lost = field(1, "save_1/x:0");
  std::string graph = field(2, kept + gone) + field(3, saverDef) +
                      collection("savers", field(2, field(1, otherSaver) +
                                                        field(1, saverDef))) +
                      collection("tensors", field(1, names + lost)) +
                      collection("bytes", field(2, lost));
  std::string expected = field(2, kept) + field(3, saverDef) +
                         collection("savers", field(2, field(1, saverDef))) +
                         collection("tensors", field(1, names)) +
                         collection("bytes", field(2, lost));
  MetaGraphEdits edits;
  edits.clearExtraneousSavers = true;
  EXPECT_EQ(edited(graph, edits), expected);
  // Without a SaverDef of its own the graph keeps none.
  EXPECT_EQ(edited(field(2, node("save/SaveV2", "SaveV2")) +
                       collection("savers", field(2, field(1, saverDef))),
                   edits),
            field(2, ""));
}

TEST(MetaGraph, ThatIsNoneIsAnError) {
  MetaGraphEdits edits;
  edits.stripDefaultAttrs = edits.clearDevices = true;
  edits.clearExtraneousSavers = true;
  std::string whole = field(1, field(2, opWithDefault("A", "b", isTrue))) +
                      field(2, node("a", "A", attr("b", isTrue))) +
                      collection("savers", field(2, field(1, saverDef)));
  size_t refused = 0;
  for (size_t size = 0; size < whole.size(); ++size)
    refused += !editMetaGraph(whole.substr(0, size), edits);
  // All but those that end between two fields.
  EXPECT_EQ(refused, whole.size() - 3);
}

TEST(MetaGraph, IsUnpacked) {
  std::string graph(100000, 'g');
  std::string packed(::compressBound(graph.size()), '\0');
  uLongf size = packed.size();
  ASSERT_EQ(::compress(reinterpret_cast<Bytef *>(packed.data()), &size,
                       reinterpret_cast<const Bytef *>(graph.data()),
                       graph.size()),
            Z_OK);
  packed.resize(size);
  auto unpacked = unpackMetaGraph(packed, graph.size());
  ASSERT_TRUE(unpacked) << unpacked.status().message();
  EXPECT_EQ(*unpacked, graph);
  EXPECT_FALSE(unpackMetaGraph(packed, graph.size() - 1));
  EXPECT_FALSE(unpackMetaGraph(packed, graph.size() + 1));
  EXPECT_FALSE(unpackMetaGraph(packed.substr(1), graph.size()));
}

} // namespace
