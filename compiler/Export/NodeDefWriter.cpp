//===- NodeDefWriter.cpp - Nodes of a graph or a function -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/NodeDefWriter.h"

#include "compiler/Export/Signatures.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

namespace ingot::exporter {

std::string toNodeName(StringRef name) {
  std::string result;
  for (char c : name)
    result.push_back(llvm::isAlnum(c) || StringRef("_.-/").contains(c) ? c
                                                                       : '_');
  if (result.empty() || !(llvm::isAlnum(result[0]) || result[0] == '.'))
    result.insert(0, 1, 'n');
  return result;
}

// Returns for each argument the number of tensors, out of `total`, that belong
// to it. For an argument that is a list of tensors, an attribute states this
// number. Lists whose attribute is not set share the remaining tensors evenly.
static SmallVector<int> countTensors(ArrayRef<OpArgument> arguments, int total,
                                     const AttributeMap &attributes) {
  auto known = [&](StringRef counter) -> int {
    auto found = attributes.find(counter.str());
    if (found == attributes.end())
      return -1;
    return found->second.has_list() ? found->second.list().type_size()
                                    : static_cast<int>(found->second.i());
  };
  int fixed = 0, shares = 0;
  for (const OpArgument &argument : arguments) {
    int count = argument.counter().empty() ? 1 : known(argument.counter());
    (count < 0 ? shares : fixed) += count < 0 ? 1 : count;
  }
  SmallVector<int> counts;
  for (const OpArgument &argument : arguments) {
    int count = argument.counter().empty() ? 1 : known(argument.counter());
    counts.push_back(count >= 0 ? count
                                : std::max(0, (total - fixed) / shares));
  }
  return counts;
}

// Adds the attributes that state types and numbers of tensors, unless they are
// set already. Derives them from the op's arguments and from `dtypes`, the
// types of the tensors.
static void addImplied(ArrayRef<OpArgument> arguments,
                       ArrayRef<proto::DataType> dtypes,
                       AttributeMap &attributes) {
  SmallVector<int> counts =
      countTensors(arguments, static_cast<int>(dtypes.size()), attributes);
  size_t next = 0;
  for (auto [argument, count] : llvm::zip(arguments, counts)) {
    size_t size = std::min<size_t>(count, dtypes.size() - next);
    ArrayRef<proto::DataType> own = dtypes.slice(next, size);
    next += size;
    if (argument.isTypeList) {
      attributes.try_emplace(argument.type.str(), types(own));
      continue;
    }
    if (!argument.number.empty())
      attributes.try_emplace(argument.number.str(), integer(count));
    if (!argument.type.empty() && !own.empty())
      attributes.try_emplace(argument.type.str(), type(own.front()));
  }
}

// Returns the outputs of a node, named as in the signature of the node's op.
static SmallVector<NodeOutput> nameOutputs(const proto::NodeDef &node,
                                           const OpSignature *signature,
                                           ArrayRef<proto::DataType> dtypes,
                                           const AttributeMap &attributes) {
  SmallVector<NodeOutput> outputs;
  int port = 0;
  auto add = [&](StringRef argument, int index) {
    if (static_cast<size_t>(port) < dtypes.size())
      outputs.push_back(
          {node.name(), argument.str(), index, port, dtypes[port]});
    ++port;
  };
  if (!signature)
    return outputs;
  SmallVector<int> counts = countTensors(
      signature->outputs, static_cast<int>(dtypes.size()), attributes);
  for (auto [argument, count] : llvm::zip(signature->outputs, counts))
    for (int index = 0; index < count; ++index)
      add(argument.name, index);
  return outputs;
}

std::string NodeDefWriter::uniqueName(StringRef base) {
  std::string name = base.str();
  while (places.contains(name) || reserved.contains(name))
    name = (base + "_" + llvm::Twine(++numbers[base])).str();
  return name;
}

std::string NodeDefWriter::reference(const NodeOutput &tensor) const {
  if (tensor.argument.empty())
    return tensor.node;
  if (isFunction)
    return tensor.node + ":" + tensor.argument + ":" +
           std::to_string(tensor.index);
  return tensor.port == 0 ? tensor.node
                          : tensor.node + ":" + std::to_string(tensor.port);
}

const proto::NodeDef *NodeDefWriter::find(StringRef name) const {
  auto found = places.find(name);
  if (found == places.end() || found->second < 0)
    return nullptr;
  return &nodes.Get(found->second);
}

// Returns whether two nodes have the same op, inputs and attributes.
static bool isSame(const proto::NodeDef &lhs, const proto::NodeDef &rhs,
                   const AttributeMap &attributes) {
  if (lhs.op() != rhs.op() || lhs.input_size() != rhs.input_size() ||
      lhs.attr_size() != static_cast<int>(attributes.size()) ||
      !std::equal(lhs.input().begin(), lhs.input().end(), rhs.input().begin()))
    return false;
  return llvm::all_of(attributes, [&](const auto &attribute) {
    auto found = lhs.attr().find(attribute.first);
    return found != lhs.attr().end() &&
           found->second.SerializeAsString() ==
               attribute.second.SerializeAsString();
  });
}

SmallVector<NodeOutput> NodeDefWriter::add(NodeSpec spec, std::string *name) {
  const OpSignature *signature = findSignature(spec.op);
  if (signature) {
    SmallVector<proto::DataType> dtypes;
    for (const NodeOutput &input : spec.inputs)
      dtypes.push_back(input.dtype);
    addImplied(signature->inputs, dtypes, spec.attributes);
    addImplied(signature->outputs, spec.outputs, spec.attributes);
  }
  proto::NodeDef node;
  node.set_op(spec.op.str());
  for (const NodeOutput &input : spec.inputs)
    node.add_input(reference(input));
  llvm::sort(spec.controls);
  spec.controls.erase(llvm::unique(spec.controls), spec.controls.end());
  for (const std::string &control : spec.controls)
    node.add_input("^" + control);

  std::string wish = toNodeName(spec.name.empty() ? spec.op.str() : spec.name);
  auto place = places.find(wish);
  bool isThere = !spec.name.empty() && place != places.end() &&
                 place->second >= 0 && !ofThisEntry.contains(wish) &&
                 isSame(nodes.Get(place->second), node, spec.attributes);
  bool isFree = place == places.end() &&
                (spec.mayTakeReserved || !reserved.contains(wish));
  node.set_name(isThere || isFree ? wish : uniqueName(wish));
  ofThisEntry.insert(node.name());
  if (name)
    *name = node.name();
  if (!isThere) {
    for (const auto &[key, value] : spec.attributes)
      (*node.mutable_attr())[key] = value;
    places[node.name()] = nodes.size();
    *nodes.Add() = node;
  }
  return nameOutputs(node, signature, spec.outputs, spec.attributes);
}

} // namespace ingot::exporter
