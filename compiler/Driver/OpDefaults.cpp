//===- OpDefaults.cpp - Defaults of ops used in functions only ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Driver/OpDefaults.h"

#include "runtime/Checkpoint/MetaGraph.h"
#include "llvm/ADT/StringExtras.h"

#include <google/protobuf/unknown_field_set.h>
#include <map>
#include <set>

using namespace ingot;

namespace {

/// The default value of an op's attribute. The value is a serialized AttrValue
/// in hexadecimal digits.
struct OpAttributeDefault {
  const char *op, *attribute, *value;
};

const OpAttributeDefault defaults[] = {
#include "compiler/Driver/OpDefaults.inc"
};

} // namespace

std::string ingot::opsOfFunctions(const proto::MetaGraphDef &graph) {
  const proto::GraphDef &def = graph.graph_def();
  std::set<std::string> wanted;
  for (const proto::FunctionDef &function : def.library().function())
    for (const proto::NodeDef &node : function.node_def())
      wanted.insert(node.op());
  for (const proto::OpDef &op : graph.meta_info_def().stripped_op_list().op())
    wanted.erase(op.name());
  // A node whose op is the name of a library function calls that function.
  // Functions have no OpDef, so their names are not looked up.
  for (const proto::FunctionDef &function : def.library().function())
    wanted.erase(function.signature().name());
  std::map<std::string, proto::OpDef> ops;
  for (const OpAttributeDefault &row : defaults) {
    std::string bytes;
    if (!wanted.count(row.op) || !llvm::tryGetFromHex(row.value, bytes))
      continue;
    proto::OpDef &op = ops[row.op];
    op.set_name(row.op);
    proto::OpDef::AttrDef &attribute = *op.add_attr();
    attribute.set_name(row.attribute);
    attribute.mutable_default_value()->ParseFromString(bytes);
  }
  if (ops.empty())
    return "";
  proto::OpList list;
  for (auto &[name, op] : ops)
    *list.add_op() = op;
  google::protobuf::UnknownFieldSet fields;
  fields.AddLengthDelimited(metaGraphOpsOfFunctions, list.SerializeAsString());
  std::string text;
  (void)fields.SerializeToString(&text);
  return text;
}
