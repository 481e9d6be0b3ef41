//===- GraphFingerprint.cpp - A hash of a training step -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Checkpoint/GraphFingerprint.h"

#include "runtime/Checkpoint/MetaGraphWire.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <vector>

using namespace ingot;
using namespace ingot::wire;

namespace {

/// A 64-bit hash of a sequence of numbers and strings. It distinguishes the
/// programs of one user. It is not a cryptographic hash: collisions can be
/// constructed.
class Hash {
public:
  Hash &add(uint64_t number) {
    // Combine the state with the number as Boost's hash_combine does. Then
    // apply the finalizer of MurmurHash3, whose output bits depend on all input
    // bits.
    state ^= number + 0x9e3779b97f4a7c15 + (state << 6) + (state >> 2);
    state = (state ^ (state >> 33)) * 0xff51afd7ed558ccd;
    state = (state ^ (state >> 33)) * 0xc4ceb9fe1a85ec53;
    state ^= state >> 33;
    return *this;
  }
  Hash &add(std::string_view bytes) {
    add(bytes.size());
    for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at,
                  std::min(sizeof(word), bytes.size() - at));
      add(word);
    }
    return *this;
  }
  uint64_t value() const { return state; }

private:
  uint64_t state = 0;
};

struct Node {
  std::string_view name, op;
  std::vector<std::string_view> inputs;
  std::vector<std::pair<std::string_view, std::string_view>> attributes;
};

Node readNode(std::string_view message) {
  Node node;
  WireFieldIterator fields(message);
  for (WireField field; fields.next(field);)
    if (field.number == nodeDef::name)
      node.name = field.payload;
    else if (field.number == nodeDef::op)
      node.op = field.payload;
    else if (field.number == nodeDef::input)
      node.inputs.push_back(field.payload);
    else if (field.number == nodeDef::attr)
      node.attributes.emplace_back(fieldOf(field.payload, mapKey),
                                   fieldOf(field.payload, mapValue));
  // Sort the attributes: they are entries of a protobuf map, which serializers
  // may write in any order.
  std::sort(node.attributes.begin(), node.attributes.end());
  return node;
}

bool isVariable(std::string_view op) {
  return op == "VarHandleOp" || op == "VariableV2" || op == "Variable";
}

/// Returns true if the op yields input data. Hashing stops there, as the input
/// pipeline is not part of the step.
bool isInput(std::string_view op) {
  return op.starts_with("Iterator") || op == "OneShotIterator";
}

/// Returns true if an attribute has no influence on what a step computes, or,
/// like a seed, differs between two exports of the same program.
bool isIgnored(std::string_view attribute, std::string_view op) {
  return attribute.starts_with("_") || attribute == "seed" ||
         attribute == "seed2" || attribute == "shared_name" ||
         attribute == "container" ||
         (isInput(op) && attribute != "output_types");
}

/// Splits an edge ("^name", "name:1" or, in a function, "name:output:1") into
/// the node's name and its output; "^" stands for a control edge.
std::pair<std::string_view, std::string_view>
splitInput(std::string_view edge) {
  if (edge.starts_with('^'))
    return {edge.substr(1), "^"};
  size_t colon = edge.find(':');
  if (colon == std::string_view::npos)
    return {edge, "0"};
  return {edge.substr(0, colon), edge.substr(colon + 1)};
}

/// Computes the hashes of a MetaGraphDef's nodes and functions.
class GraphHasher {
public:
  explicit GraphHasher(std::string_view metaGraph) : metaGraph(metaGraph) {}
  GraphFingerprint run(std::string_view loss);

private:
  /// The nodes of the graph or of one function.
  struct GraphHashingState {
    std::vector<Node> nodes;
    std::map<std::string_view, size_t> indices;
    std::map<std::string_view, size_t> arguments;
    std::vector<uint64_t> hashes;
    std::vector<char> states;  // 0: new, 1: inputs are being hashed, 2: done
    std::vector<size_t> loops; // NextIteration nodes; inputs are hashed last
    /// The names of the nodes in collection `ingot_data`, whose values are not
    /// hashed.
    std::set<std::string_view> dataNodes;
  };

  static void addNode(GraphHashingState &scope, std::string_view message);
  std::vector<size_t> findRoots(GraphHashingState &scope,
                                std::string_view loss);
  uint64_t hashEdge(GraphHashingState &scope, std::string_view edge);
  void visit(GraphHashingState &scope, size_t root);
  uint64_t hashLoops(GraphHashingState &scope);
  uint64_t hashNode(GraphHashingState &scope, const Node &node);
  uint64_t hashAttribute(std::string_view value);
  uint64_t hashFunction(std::string_view name);

  std::string_view metaGraph;
  std::map<std::string_view, std::string_view> functions;
  std::map<std::string_view, uint64_t> functionHashes;
  std::map<std::string, int64_t> ops;
};

void GraphHasher::addNode(GraphHashingState &scope, std::string_view message) {
  scope.nodes.push_back(readNode(message));
  scope.indices[scope.nodes.back().name] = scope.nodes.size() - 1;
}

/// Returns the nodes that make up a step: the node that computes the loss, and
/// the nodes of collection `train_op` or, without this collection, all updates
/// by optimizers.
std::vector<size_t> GraphHasher::findRoots(GraphHashingState &scope,
                                           std::string_view loss) {
  std::vector<size_t> roots;
  auto add = [&](std::string_view name) {
    auto found = scope.indices.find(splitInput(name).first);
    if (found != scope.indices.end())
      roots.push_back(found->second);
  };
  forEach(metaGraph, metaGraphDef::collection, [&](std::string_view entry) {
    std::string_view key = fieldOf(entry, mapKey);
    if (key != "train_op" && key != dataNodesCollection)
      return;
    std::string_view list =
        fieldOf(fieldOf(entry, mapValue), collectionDef::nodeList);
    forEach(list, collectionDef::value, [&](std::string_view name) {
      if (key == "train_op")
        add(name);
      else
        scope.dataNodes.insert(splitInput(name).first);
    });
  });
  if (roots.empty())
    for (size_t i = 0; i < scope.nodes.size(); ++i)
      if (scope.nodes[i].op.find("Apply") != std::string_view::npos)
        roots.push_back(i);
  if (!loss.empty())
    add(loss);
  return roots;
}

/// Hashes `root` and all nodes on which it depends. Uses an explicit stack
/// instead of recursion, which would overflow the thread's stack on deep
/// graphs.
void GraphHasher::visit(GraphHashingState &scope, size_t root) {
  std::vector<size_t> stack = {root};
  while (!stack.empty()) {
    size_t index = stack.back();
    const Node &node = scope.nodes[index];
    if (scope.states[index] == 0) {
      scope.states[index] = 1;
      // Do not follow the back edge of a TensorFlow 1 loop here: in a cycle, no
      // node could be hashed after all of its inputs. hashLoops() hashes the
      // inputs of these nodes last.
      if (node.op == "NextIteration" || node.op == "RefNextIteration") {
        scope.loops.push_back(index);
        continue;
      }
      for (std::string_view edge : node.inputs)
        if (auto input = scope.indices.find(splitInput(edge).first);
            input != scope.indices.end() && scope.states[input->second] == 0)
          stack.push_back(input->second);
      continue;
    }
    stack.pop_back();
    if (std::exchange(scope.states[index], 2) != 2)
      scope.hashes[index] = hashNode(scope, node);
  }
}

/// Hashes the inputs of the NextIteration nodes that have been visited.
uint64_t GraphHasher::hashLoops(GraphHashingState &scope) {
  uint64_t sum = 0;
  // `scope.loops` may grow here: the body of one loop may contain another loop.
  for (size_t i = 0; i < scope.loops.size(); ++i)
    for (std::string_view edge : scope.nodes[scope.loops[i]].inputs)
      if (auto input = scope.indices.find(splitInput(edge).first);
          input != scope.indices.end()) {
        visit(scope, input->second);
        sum += hashEdge(scope, edge);
      }
  return sum;
}

uint64_t GraphHasher::hashEdge(GraphHashingState &scope,
                               std::string_view edge) {
  auto [name, output] = splitInput(edge);
  if (auto argument = scope.arguments.find(name);
      argument != scope.arguments.end())
    return Hash().add("argument").add(argument->second).value();
  auto input = scope.indices.find(name);
  return Hash()
      .add(input == scope.indices.end() ? 0 : scope.hashes[input->second])
      .add(output)
      .value();
}

uint64_t GraphHasher::hashNode(GraphHashingState &scope, const Node &node) {
  Hash hash;
  ++ops[std::string(node.op)];
  if (functions.contains(node.op))
    hash.add(hashFunction(node.op));
  else
    hash.add(node.op);
  // Hash the names of variables and placeholders, too: checkpoints refer to
  // variables by name, and users feed placeholders by name.
  if (isVariable(node.op) || node.op.starts_with("Placeholder"))
    hash.add(node.name);
  if (node.op == "NextIteration" || node.op == "RefNextIteration" ||
      scope.dataNodes.contains(node.name))
    return hash.value();
  for (auto [name, value] : node.attributes)
    if (!isIgnored(name, node.op))
      hash.add(name).add(hashAttribute(value));
  uint64_t controls = 0; // a sum: the order has no effect
  for (std::string_view edge : node.inputs)
    if (edge.starts_with('^'))
      controls += hashEdge(scope, edge);
    else if (!isInput(node.op))
      hash.add(hashEdge(scope, edge));
  return hash.add(controls).value();
}

/// Hashes an AttrValue. A function is hashed by its body and not by its name,
/// which ends in a number that TensorFlow's tracing changes from export to
/// export.
uint64_t GraphHasher::hashAttribute(std::string_view value) {
  constexpr uint32_t func = 10, list = 1, listFunc = 9, nameOfFunction = 1;
  if (std::string_view function = fieldOf(value, func); !function.empty())
    return hashFunction(fieldOf(function, nameOfFunction));
  Hash hash;
  bool hasFunctions = false;
  forEach(fieldOf(value, list), listFunc, [&](std::string_view function) {
    hasFunctions = true;
    hash.add(hashFunction(fieldOf(function, nameOfFunction)));
  });
  return hasFunctions ? hash.value() : hash.add(value).value();
}

uint64_t GraphHasher::hashFunction(std::string_view name) {
  constexpr uint32_t inputArg = 2, outputArg = 3, argName = 1, ret = 4;
  auto [known, isNew] = functionHashes.try_emplace(name, 1);
  auto definition = functions.find(name);
  if (!isNew || definition == functions.end())
    return known->second;
  GraphHashingState scope;
  std::string_view signature =
      fieldOf(definition->second, functionDef::signature);
  forEach(signature, inputArg, [&](std::string_view argument) {
    scope.arguments.emplace(fieldOf(argument, argName), scope.arguments.size());
  });
  forEach(definition->second, functionDef::node,
          [&](std::string_view message) { addNode(scope, message); });
  scope.hashes.resize(scope.nodes.size());
  scope.states.resize(scope.nodes.size());
  // Hash all nodes, not only those on which results depend: a function also
  // runs nodes for their side effects.
  uint64_t all = 0;
  for (size_t i = 0; i < scope.nodes.size(); ++i) {
    visit(scope, i);
    all += scope.hashes[i];
  }
  all += hashLoops(scope);
  std::map<std::string_view, std::string_view> results;
  forEach(definition->second, ret, [&](std::string_view entry) {
    results[fieldOf(entry, mapKey)] = fieldOf(entry, mapValue);
  });
  Hash hash;
  hash.add(scope.arguments.size()).add(all);
  forEach(signature, outputArg, [&](std::string_view result) {
    hash.add(hashEdge(scope, results[fieldOf(result, argName)]));
  });
  return functionHashes[name] = hash.value();
}

GraphFingerprint GraphHasher::run(std::string_view loss) {
  std::string_view graph = fieldOf(metaGraph, metaGraphDef::graph);
  forEach(fieldOf(graph, graphDef::library), libraryFunction,
          [&](std::string_view function) {
            functions[fieldOf(fieldOf(function, functionDef::signature),
                              opDef::name)] = function;
          });
  GraphHashingState scope;
  forEach(graph, graphDef::node,
          [&](std::string_view message) { addNode(scope, message); });
  scope.hashes.resize(scope.nodes.size());
  scope.states.resize(scope.nodes.size());
  std::vector<size_t> roots = findRoots(scope, loss);
  if (roots.empty())
    return {};
  uint64_t sum = 0;
  for (size_t root : roots) {
    visit(scope, root);
    sum += scope.hashes[root];
  }
  uint64_t loops = hashLoops(scope);
  char text[32];
  std::snprintf(
      text, sizeof(text), "1-%016llx",
      static_cast<unsigned long long>(Hash().add(sum).add(loops).value()));
  return {text, std::move(ops)};
}

} // namespace

Expected<GraphFingerprint> ingot::fingerprintOf(std::string_view metaGraph,
                                                std::string_view loss) {
  WireFieldIterator fields(metaGraph);
  for (WireField field; fields.next(field);) {
  }
  if (fields.isBroken())
    return Status(StatusCode::DataLoss,
                  "the graph is not a valid MetaGraphDef");
  return GraphHasher(metaGraph).run(loss);
}
