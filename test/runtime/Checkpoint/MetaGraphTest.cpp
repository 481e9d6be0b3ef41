//===- MetaGraphTest.cpp - The graph beside a checkpoint ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// The graphs are put together here in protobuf's wire format, with the field
// numbers of TensorFlow's .proto files. The expected results are those that
// tf.train.export_meta_graph documents for its arguments.
//
//===----------------------------------------------------------------------===//

#include "runtime/Checkpoint/MetaGraph.h"

#include <gtest/gtest.h>
#include <zlib.h>

using namespace ingot;

namespace {

/// Encodes a string or message as field `number`.
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
// Encoded AttrValues: field 5 is a bool, field 6 a type.
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

std::string edited(const std::string &graph,
                   const MetaGraphExportOptions &edits) {
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

TEST(MetaGraph, ClearsDevicesOfNodesOnly) {
  auto graph = [](const std::string &deviceOfNodes) {
    std::string function = field(1, field(1, "f")) +
                           field(3, field(1, "n") + field(2, "NoOp") + device);
    return field(2, node("a", "Add", deviceOfNodes + attr("T", isFloat)) +
                        node("b", "NoOp", deviceOfNodes) +
                        field(2, field(1, function)));
  };
  MetaGraphExportOptions edits;
  edits.clearDevices = true;
  EXPECT_EQ(edited(graph(device), edits), graph(""));
}

TEST(MetaGraph, StripsDefaultAttributes) {
  auto graph = [](const std::string &strippedTrue, const std::string &mark) {
    std::string ops = opWithDefault("MatMul", "transpose_a", isTrue) +
                      opWithDefault("F", "x", isTrue);
    // Attributes that are kept: one with another value than the default, one
    // without a default, those of an op that is not in the list, and of a call
    // of a function that has the name of an op.
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
  MetaGraphExportOptions edits;
  edits.stripDefaultAttrs = true;
  // Field stripped_default_attrs (7) says that default attributes were removed.
  EXPECT_EQ(edited(graph(attr("transpose_a", isTrue), ""), edits),
            graph("", "\x38\x01"));
}

TEST(MetaGraph, StripsDefaultsInFunctions) {
  auto graph = [](const std::string &attribute, const std::string &mark) {
    std::string function =
        field(1, field(1, "F")) +
        field(3, field(1, "n") + field(2, "MatMul") + attribute);
    return field(1, field(5, "2.15.0") + mark) +
           field(2, field(2, field(1, function)));
  };
  std::string ops = field(1000, opWithDefault("MatMul", "transpose_a", isTrue));
  MetaGraphExportOptions edits;
  // Field 1000, which has the op definitions for the edits, is not written to
  // the file.
  EXPECT_EQ(edited(graph(attr("transpose_a", isTrue), "") + ops, edits),
            graph(attr("transpose_a", isTrue), ""));
  edits.stripDefaultAttrs = true;
  EXPECT_EQ(edited(graph(attr("transpose_a", isTrue), "") + ops, edits),
            graph("", "\x38\x01"));
}

TEST(MetaGraph, StripsOtherSavers) {
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
  MetaGraphExportOptions edits;
  edits.clearExtraneousSavers = true;
  EXPECT_EQ(edited(graph, edits), expected);
  // If the program has no SaverDef of its own, neither has the edited graph.
  EXPECT_EQ(edited(field(2, node("save/SaveV2", "SaveV2")) +
                       collection("savers", field(2, field(1, saverDef))),
                   edits),
            field(2, ""));
}

TEST(MetaGraph, NamesTheSaverAskedFor) {
  std::string other = field(1, "a/full/Const:0") +
                      field(2, "a/full/control_dependency:0") +
                      field(3, "a/full/restore_all");
  std::string savers =
      collection("savers", field(2, field(1, saverDef) + field(1, other)));
  MetaGraphExportOptions edits;
  edits.saver = "a/full";
  EXPECT_EQ(edited(field(2, "") + field(3, saverDef) + savers, edits),
            field(2, "") + savers + field(3, other));
  EXPECT_EQ(edited(field(2, "") + savers, edits),
            field(2, "") + savers + field(3, other));
  edits.saver = "full";
  EXPECT_EQ(edited(field(2, "") + field(3, saverDef) + savers, edits),
            field(2, "") + field(3, saverDef) + savers);
}

TEST(MetaGraph, KeepsTheCollectionsAskedFor) {
  std::string names = field(1, field(1, "a:0"));
  MetaGraphExportOptions edits;
  edits.collections = {"losses", "nothing"};
  EXPECT_EQ(edited(field(2, "") + collection("train_op", names) +
                       collection("losses", names),
                   edits),
            field(2, "") + collection("losses", names));
}

// Same as tf.train.export_meta_graph(export_scope="net").
TEST(MetaGraph, IsCutToAScope) {
  auto place = [](const std::string &names) {
    return attr("_class", field(1, names));
  };
  std::string graph = field(
      2, node("x", "Placeholder") +
             node("net/w", "VarHandleOp", place(field(2, "loc:@x"))) +
             node("net/y", "MatMul",
                  field(3, "x") + field(3, "net/w:1") + field(3, "^net/z") +
                      field(3, "^outside") + place(field(2, "loc:@net/w"))) +
             node("after/net", "NoOp"));
  std::string cut = field(2, node("w", "VarHandleOp", place("")) +
                                 node("y", "MatMul",
                                      field(3, "$unbound_inputs_x") +
                                          field(3, "w:1") + field(3, "^z") +
                                          field(3, "^$unbound_inputs_outside") +
                                          place(field(2, "loc:@w"))));
  auto variable = [](const std::string &scope) {
    return field(1, scope + "w:0") + field(2, scope + "w/Assign") + "\x28\x01" +
           field(6, scope + "w/init:0");
  };
  std::string outside = field(1, "v:0") + field(2, "v/Assign");
  std::string inScope = field(1, "net/s/Const:0") +
                        field(2, "net/s/Identity:0") +
                        field(3, "net/s/restore_all") + "\x20\x05";
  std::string stripped = field(1, "s/Const:0") + field(2, "s/Identity:0") +
                         field(3, "s/restore_all") + "\x20\x05";
  graph +=
      collection("variables",
                 field(2, field(1, outside) + field(1, variable("net/")))) +
      collection("savers", field(2, field(1, saverDef) + field(1, inScope))) +
      collection("train_op", field(1, field(1, "after/net"))) +
      collection("losses", field(1, field(1, "net/y:0") + field(1, "x:0"))) +
      collection("numbers", field(3, "\x07"));
  cut += collection("variables", field(2, field(1, variable("")))) +
         collection("savers", field(2, field(1, stripped))) +
         collection("losses", field(1, field(1, "y:0"))) +
         collection("numbers", field(3, "\x07")) +
         collection("unbound_inputs",
                    field(2, field(1, "$unbound_inputs_x") +
                                 field(1, "^$unbound_inputs_outside")));
  MetaGraphExportOptions edits;
  edits.exportScope = "net";
  EXPECT_EQ(edited(graph, edits), cut);
  edits.exportScope = "net/";
  EXPECT_EQ(edited(graph, edits), cut);
}

// The field numbers are those of control_flow.proto and queue_runner.proto.
TEST(MetaGraph, ContextsOfAScopeAreCutOutOfIt) {
  auto graph = [](const std::string &a, const std::string &rest) {
    auto values = [&](int number) {
      return field(number, field(1, a + "x/read") + field(1, "far") +
                               field(2, field(1, a + "y") +
                                            field(2, a + "loop/Enter:0")));
    };
    std::string branch = field(1, a + "loop/cond") + field(2, a + "p:0") +
                         field(3, a + "pivot:0") + "\x20\x01" + values(5);
    std::string whole =
        field(1, a + "loop") + "\x10\x0a\x18\x01" + field(5, a + "p:0") +
        field(6, a + "q:0") + field(7, a + "r:0") + field(8, a + "exit:0") +
        field(8, a + "exit_1:0") + values(9) + field(10, a + "enter:0") +
        field(11, a + "most:0") + field(12, field(1, branch)) +
        field(12, field(2, field(1, a + "loop/inner")));
    std::string runner = field(1, a + "queue") + field(2, a + "enqueue") +
                         field(3, a + "close") + field(4, a + "cancel") +
                         "\x28\x0b";
    return field(2, node(a + "b", "NoOp")) +
           collection("while_context", field(2, field(1, whole) + rest)) +
           collection("cond_context", field(2, field(1, branch) + rest)) +
           collection("queue_runners", field(2, field(1, runner) + rest));
  };
  MetaGraphExportOptions edits;
  edits.exportScope = "net";
  std::string outside = field(1, field(1, "other/loop"));
  EXPECT_EQ(edited(graph("net/", outside), edits), graph("", ""));
  // Contexts that are all outside leave no collection.
  EXPECT_EQ(edited(field(2, node("net/b", "NoOp")) +
                       collection("while_context", field(2, outside)),
                   edits),
            field(2, node("b", "NoOp")));
}

TEST(MetaGraph, ContextsNestedTooDeepAreRefused) {
  std::string context = field(1, "net/loop");
  for (int i = 0; i < 70; ++i)
    context = field(1, "net/loop") + field(12, field(2, context));
  MetaGraphExportOptions edits;
  edits.exportScope = "net";
  EXPECT_FALSE(editMetaGraph(
      collection("while_context", field(2, field(1, context))), edits));
}

TEST(MetaGraph, HasATextForm) {
  std::string bytes =
      field(1, field(5, "2.15.0") + "\x38\x01") +
      field(2,
            node("a", "Const",
                 attr("dtype", isFloat) +
                     attr("value",
                          field(8, std::string("\x08\x01") +
                                       field(2, field(2, "\x08\x02")) +
                                       field(5, std::string(
                                                    "\0\0\x20\x40\0\0\xc0\x7f",
                                                    8))))) +
                field(4, "\x08\xad\x0c")) +
      collection(
          "k", field(3, field(1, std::string("\x07\xff\xff\xff\xff\xff\xff\xff"
                                             "\xff\xff\x01")))) +
      collection("s", field(2, field(1, "\"\n\x01")));
  auto text = metaGraphText(bytes);
  ASSERT_TRUE(text) << text.status().message();
  EXPECT_EQ(*text, R"(meta_info_def {
  tensorflow_version: "2.15.0"
  stripped_default_attrs: true
}
graph_def {
  node {
    name: "a"
    op: "Const"
    attr {
      key: "dtype"
      value {
        type: DT_FLOAT
      }
    }
    attr {
      key: "value"
      value {
        tensor {
          dtype: DT_FLOAT
          tensor_shape {
            dim {
              size: 2
            }
          }
          float_val: 2.5
          float_val: nan
        }
      }
    }
  }
  versions {
    producer: 1581
  }
}
collection_def {
  key: "k"
  value {
    int64_list {
      value: 7
      value: -1
    }
  }
}
collection_def {
  key: "s"
  value {
    bytes_list {
      value: "\"\n\001"
    }
  }
}
)");
  EXPECT_FALSE(metaGraphText(bytes.substr(0, bytes.size() - 1)));
  // A field that the table does not know is an error; it is not left out.
  EXPECT_EQ(metaGraphText(field(900, "x")).status().code(),
            StatusCode::Unimplemented);
}

// The bytes and the text are those of TensorFlow 2.15's tf.io.write_graph.
TEST(MetaGraph, NumbersOfAGraphDefArePrintedAsByWriteGraph) {
  const std::string hex =
      "0a7d0a016e1201582a750a01761270426e08012a380000000000000080cd"
      "cccc3dacc5273717b7d138ca1b0e5aa95f63580020f147ffff7fff010000"
      "000000807f000080ff0000c07fabaaaa3e32309a9999999999b93f92d54d"
      "06cff0804448afbc9af2d77a3e000000000000144000003426f56b0c4335"
      "0f63bab4697b43";
  std::string graph;
  for (size_t at = 0; at < hex.size(); at += 2)
    graph += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  std::string text;
  Status status = printGraphDef(field(1, "") + field(2, graph),
                                [&](std::string_view piece) {
                                  text += piece;
                                  return Status::ok();
                                });
  ASSERT_TRUE(status.isOk()) << status.message();
  EXPECT_EQ(text, R"(node {
  name: "n"
  op: "X"
  attr {
    key: "v"
    value {
      tensor {
        dtype: DT_FLOAT
        float_val: 0.0
        float_val: -0.0
        float_val: 0.10000000149011612
        float_val: 9.999999747378752e-06
        float_val: 9.999999747378752e-05
        float_val: 1.0000000272564224e+16
        float_val: 999999986991104.0
        float_val: 123456.0
        float_val: -3.4028234663852886e+38
        float_val: 1.401298464324817e-45
        float_val: inf
        float_val: -inf
        float_val: nan
        float_val: 0.3333333432674408
        double_val: 0.1
        double_val: 1e+22
        double_val: 1e-07
        double_val: 5.0
        double_val: 1000000000000000.0
        double_val: 1.2345678901234568e+17
      }
    }
  }
}
)");
}

// The text of a large constant is four times as long.
TEST(MetaGraph, TheTextOfAGraphDefIsHandedOnInPieces) {
  constexpr size_t bytes = 300'000, mostOfPiece = 70'000;
  std::string graph = field(2, field(1, field(1, std::string(bytes, '\1'))));
  std::string text;
  size_t longest = 0;
  ASSERT_TRUE(printGraphDef(graph, [&](std::string_view piece) {
                text += piece;
                longest = std::max(longest, piece.size());
                return Status::ok();
              }).isOk());
  std::string expected = "node {\n  name: \"";
  for (size_t i = 0; i < bytes; ++i)
    expected += "\\001";
  EXPECT_EQ(text, expected + "\"\n}\n");
  EXPECT_LE(longest, mostOfPiece);
}

TEST(MetaGraph, AFailureToTakeTextIsReturned) {
  int calls = 0;
  Status status =
      printGraphDef(field(2, field(1, field(1, std::string(300'000, 'n')))),
                    [&](std::string_view) {
                      ++calls;
                      return Status(StatusCode::ResourceExhausted, "full");
                    });
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_EQ(calls, 1);
}

TEST(MetaGraph, HasDebugInfo) {
  std::string debug = field(1, "train.py");
  EXPECT_EQ(debugInfoOf(field(2, node("a", "NoOp") + field(5, debug))), debug);
  EXPECT_EQ(debugInfoOf(field(2, node("a", "NoOp"))), "");
  auto text = debugInfoText(debug);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "files: \"train.py\"\n");
}

TEST(MetaGraph, InvalidBytesAreRejected) {
  MetaGraphExportOptions edits;
  edits.stripDefaultAttrs = edits.clearDevices = true;
  edits.clearExtraneousSavers = true;
  std::string whole = field(1, field(2, opWithDefault("A", "b", isTrue))) +
                      field(2, node("a", "A", attr("b", isTrue))) +
                      collection("savers", field(2, field(1, saverDef)));
  size_t refused = 0;
  for (size_t size = 0; size < whole.size(); ++size)
    refused += !editMetaGraph(whole.substr(0, size), edits);
  // Truncation is an error except in the three places where it falls between
  // two fields.
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
