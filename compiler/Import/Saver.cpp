//===- Saver.cpp - The graph's savers, understood -------------------------===//

#include "compiler/Import/Saver.h"

#include "compiler/Import/OpTable.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {
/// A tensor's key in the checkpoint and its slice.
using Key = std::pair<std::string, std::string>;

/// Collects what one Saver saves and restores.
class SaverImport {
public:
  SaverImport(Program &program, const proto::SaverDef &def, Problems &problems)
      : program(program), graph(program.graph), def(def), problems(problems) {}

  SaverOp run();

private:
  struct Item {
    StringAttr target; // symbol of a variable or iterator
    unsigned shard;
  };

  bool importSaves(int target);
  bool importSave(int node);
  bool importRestores(int target);
  bool findShard(int save, unsigned &shard);
  /// What a SaveV2 or RestoreV2 names; null, and a problem, where it is not
  /// constant.
  const std::vector<Key> *keysOf(int node);
  StringAttr savedTarget(int save, Output value);
  StringAttr targetOfHandle(Output handle);
  std::string filename() const;

  bool unsupported(int node, const llvm::Twine &reason) {
    problems.unsupported(graph[node].op(), graph.qualifiedName(node), reason);
    return false;
  }
  bool malformed(int node, const llvm::Twine &message) {
    problems.malformed("node '" + graph.qualifiedName(node) + "' (" +
                       graph[node].op() + "): " + message);
    return false;
  }

  Program &program;
  const Graph &graph;
  const proto::SaverDef &def;
  Problems &problems;
  llvm::MapVector<Key, Item, std::map<Key, unsigned>> items;
  std::optional<int64_t> numShards;
  std::map<int, std::optional<std::vector<Key>>> keys;
};
} // namespace

// All that a target needs, in the graph's order.
static SmallVector<int> sortedReach(const Graph &graph, int target) {
  llvm::DenseSet<int> reached = reach(graph, target, {});
  SmallVector<int> nodes(reached.begin(), reached.end());
  llvm::sort(nodes);
  return nodes;
}

const std::vector<Key> *SaverImport::keysOf(int node) {
  auto [it, isNew] = keys.try_emplace(node);
  if (!isNew)
    return it->second ? &*it->second : nullptr;
  const Graph::Node &def = graph[node];
  if (def.inputs.size() < 3) {
    malformed(node, "has " + llvm::Twine(def.inputs.size()) +
                        " inputs and not at least 3");
    return nullptr;
  }
  auto names = graph.constantStrings(def.inputs[1]);
  auto slices = graph.constantStrings(def.inputs[2]);
  if (!names || !slices) {
    unsupported(node, "its names or slices are not constant");
    return nullptr;
  }
  if (names->size() != slices->size()) {
    malformed(node, "has " + llvm::Twine(names->size()) + " names and " +
                        llvm::Twine(slices->size()) + " slices");
    return nullptr;
  }
  it->second.emplace();
  for (auto [name, slice] : llvm::zip(*names, *slices))
    it->second->push_back({name, slice});
  return &*it->second;
}

StringAttr SaverImport::targetOfHandle(Output handle) {
  int node = graph.skipIdentities(handle).first;
  if (isVariable(graph[node].op()))
    if (VariableOp variable = program.variable(node, problems))
      return variable.getSymNameAttr();
  if (graph[node].op() == "IteratorV2")
    if (IteratorOp iterator = program.iterator(node, problems))
      return iterator.getSymNameAttr();
  return {};
}

// The variable or iterator whose value a SaveV2 takes; null, and a problem,
// where it is anything else.
StringAttr SaverImport::savedTarget(int save, Output value) {
  Output source = graph.skipIdentities(value);
  const Graph::Node &node = graph[source.first];
  if ((node.op() == "ReadVariableOp" || node.op() == "SerializeIterator") &&
      !node.inputs.empty()) {
    const Graph::Node &handle =
        graph[graph.skipIdentities(node.inputs[0]).first];
    // The handle's own problem, if it has one, is recorded in there.
    if (handle.op() == "VarHandleOp" || handle.op() == "IteratorV2")
      return targetOfHandle(node.inputs[0]);
  }
  if (isReferenceVariable(node.op()))
    return targetOfHandle(source);
  unsupported(save, "saves '" + graph.nameOf(source) + "' (" + node.op() +
                        "), which is neither a variable nor an iterator");
  return {};
}

bool SaverImport::findShard(int save, unsigned &shard) {
  shard = 0;
  const Graph::Node &prefix =
      graph[graph.skipIdentities(graph[save].inputs[0]).first];
  if (prefix.op() != "ShardedFilename")
    return true;
  if (prefix.inputs.size() != 3)
    return malformed(save, "takes its file's name from '" +
                               graph.qualifiedName(graph.find(prefix.name())) +
                               "', which has not three inputs");
  std::optional<int64_t> number = graph.constantInt(prefix.inputs[1]);
  std::optional<int64_t> count = graph.constantInt(prefix.inputs[2]);
  if (!number || !count)
    return unsupported(save, "its shard's number is not constant");
  if (*count < 1 || *number < 0 || *number >= *count || *count > 99999)
    return malformed(save, "writes shard " + llvm::Twine(*number) + " of " +
                               llvm::Twine(*count));
  if (numShards.value_or(*count) != *count)
    return malformed(save, "writes one of " + llvm::Twine(*count) +
                               " shards, another node one of " +
                               llvm::Twine(*numShards));
  numShards = count;
  shard = *number;
  return true;
}

bool SaverImport::importSave(int node) {
  unsigned shard;
  const std::vector<Key> *saved = keysOf(node);
  if (!saved || !findShard(node, shard))
    return false;
  ArrayRef<Output> values = ArrayRef(graph[node].inputs).drop_front(3);
  if (values.size() != saved->size())
    return malformed(node, "has " + llvm::Twine(saved->size()) + " names for " +
                               llvm::Twine(values.size()) + " tensors");
  bool ok = true;
  for (auto [key, value] : llvm::zip(*saved, values)) {
    StringAttr target = savedTarget(node, value);
    if (!target) {
      ok = false;
      continue;
    }
    if (!items.insert({key, Item{target, shard}}).second)
      ok = malformed(node, "saves '" + key.first + "' twice");
  }
  return ok;
}

bool SaverImport::importSaves(int target) {
  bool found = false, ok = true;
  for (int node : sortedReach(graph, target)) {
    StringRef op = graph[node].op();
    if (op == "SaveV2") {
      found = true;
      ok &= importSave(node);
    } else if (op == "SaveSlices" || op == "Save") {
      problems.unsupported(op, graph.qualifiedName(node));
      return false;
    }
  }
  if (!found)
    return malformed(target, "saves nothing: no SaveV2 comes before it");
  return ok;
}

// Every variable and iterator that the restore op reaches must get what the
// save op saves of it.
bool SaverImport::importRestores(int target) {
  std::map<Key, StringAttr> restored;
  bool ok = true;
  for (int node : sortedReach(graph, target)) {
    const Graph::Node &assign = graph[node];
    if (assign.op() != "AssignVariableOp" && assign.op() != "Assign" &&
        assign.op() != "DeserializeIterator")
      continue;
    if (assign.inputs.size() != 2)
      return malformed(node, "has not two inputs");
    Output source = graph.skipIdentities(assign.inputs[1]);
    // Saver(reshape=True) gives the value the variable's shape.
    if (graph[source.first].op() == "Reshape" &&
        !graph[source.first].inputs.empty())
      source = graph.skipIdentities(graph[source.first].inputs[0]);
    if (graph[source.first].op() != "RestoreV2") {
      ok = unsupported(node, "restores from '" + graph.nameOf(source) + "' (" +
                                 graph[source.first].op() + ")");
      continue;
    }
    const std::vector<Key> *stored = keysOf(source.first);
    if (!stored)
      return false;
    if (source.second < 0 ||
        static_cast<size_t>(source.second) >= stored->size()) {
      ok = malformed(node, "takes output " + llvm::Twine(source.second) +
                               " of '" + graph.qualifiedName(source.first) +
                               "', which restores " +
                               llvm::Twine(stored->size()) + " tensors");
      continue;
    }
    StringAttr target = targetOfHandle(assign.inputs[0]);
    if (!target)
      return malformed(node, "restores neither a variable nor an iterator");
    restored[(*stored)[source.second]] = target;
  }
  if (!ok)
    return false;
  for (auto &[key, item] : items) {
    auto it = restored.find(key);
    if (it == restored.end())
      ok = malformed(target, "does not restore '" + key.first +
                                 "', which its saver saves");
    else if (it->second != item.target)
      ok = malformed(target, "restores '" + key.first + "' to '" +
                                 it->second.getValue() + "', saved from '" +
                                 item.target.getValue() + "'");
  }
  if (restored.size() > items.size())
    ok = malformed(target, "restores more than its saver saves");
  return ok;
}

// The default prefix, which PlaceholderWithDefault gives unless it is fed.
std::string SaverImport::filename() const {
  if (auto tensor = graph.findTensor(def.filename_tensor_name()))
    if (auto strings = graph.constantStrings({tensor->first, 0}))
      if (strings->size() == 1)
        return strings->front();
  return "model";
}

SaverOp SaverImport::run() {
  auto save = graph.findTensor(def.save_tensor_name());
  auto restore = graph.findTensor(def.restore_op_name());
  if (!save || !restore) {
    problems.malformed("the graph's SaverDef names '" +
                       (save ? def.restore_op_name() : def.save_tensor_name()) +
                       "', which does not exist");
    return {};
  }
  if (!importSaves(save->first) || !importRestores(restore->first))
    return {};

  OpBuilder builder = OpBuilder::atBlockEnd(program.module.getBody());
  SmallVector<Attribute> itemAttrs;
  for (auto &[key, item] : items)
    itemAttrs.push_back(SavedItemAttr::get(builder.getContext(), key.first,
                                           FlatSymbolRefAttr::get(item.target),
                                           key.second, item.shard));
  StringRef scope = StringRef(def.save_tensor_name()).rsplit('/').first;
  if (!StringRef(def.save_tensor_name()).contains('/'))
    scope = "save";
  Location loc =
      NameLoc::get(builder.getStringAttr(graph.qualifiedName(save->first)));
  // An entry is called as the scope is; symbols are unique in a module.
  return SaverOp::create(
      builder, loc, program.uniqueSymbol((scope + "/saver").str()),
      builder.getArrayAttr(itemAttrs), builder.getStringAttr(filename()),
      builder.getI32IntegerAttr(numShards.value_or(1)),
      numShards ? builder.getUnitAttr() : UnitAttr(),
      builder.getI32IntegerAttr(def.max_to_keep()),
      builder.getF32FloatAttr(def.keep_checkpoint_every_n_hours()));
}

SaverOp importSaver(Program &program, const proto::SaverDef &def,
                    Problems &problems) {
  Problems::Scope scope(problems, "save");
  return SaverImport(program, def, problems).run();
}

} // namespace ingot::importer
