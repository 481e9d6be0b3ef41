//===- Saver.cpp - Recognizes the graph's savers --------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Saver.h"

#include "compiler/Import/Graph/Collections.h"
#include "compiler/Import/Graph/FunctionCallTree.h"
#include "compiler/Import/Input/DatasetImport.h"
#include "compiler/Import/Ops/OpTable.h"
#include "compiler/Import/Tables.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

namespace {
/// Identifies a tensor in a checkpoint: its key, and its slice, which is "" for
/// a whole tensor.
using Key = std::pair<std::string, std::string>;

using NodeInCallFrame = FunctionCallTree::NodeInCallFrame;
using OutputInCallFrame = FunctionCallTree::OutputInCallFrame;

/// Collects the items that one Saver saves and restores.
class SaverImport {
public:
  SaverImport(Program &program, const proto::SaverDef &def,
              ImportErrors &problems)
      : program(program), graph(program.graph), def(def), problems(problems),
        calls(program) {}

  SaverOp run();

private:
  struct SaverItem {
    StringAttr target; // symbol of a variable or iterator
    unsigned shard;
  };
  /// A lookup table that the checkpoint contains: the names (`keys`) of two
  /// tensors, first the one with the table's keys, then the one with its
  /// values.
  struct SavedLookupTableTensors {
    std::array<std::string, 2> keys;
    unsigned shard;
  };

  bool importSaves(int target);
  bool importSave(NodeInCallFrame node);
  bool importRestores(int target);
  bool importRestore(NodeInCallFrame assign,
                     std::map<Key, StringAttr> &restored);
  bool addSavedTable(NodeInCallFrame save, const Key &key,
                     OutputInCallFrame table, int port, unsigned shard);
  bool importTableRestore(NodeInCallFrame import);
  bool checkTableRestores(NodeInCallFrame restore);
  /// Returns the key that a restore node reads for `value`, an input of node
  /// `user`. Records a problem and returns null if no restore yields `value`.
  const Key *restoredKey(NodeInCallFrame user, OutputInCallFrame value);
  ArrayAttr tablesAttr(Builder &builder) const;
  bool findShard(NodeInCallFrame save, unsigned &shard);
  /// Returns the keys and slices of the tensors that a save or restore node
  /// handles. If they are not constant, records a problem and returns null.
  const std::vector<Key> *keysOf(NodeInCallFrame node);
  bool addSaved(NodeInCallFrame save, const Key &key, OutputInCallFrame value,
                unsigned shard);
  StringAttr targetOfHandle(OutputInCallFrame handle);
  std::string filename() const;

  std::optional<std::vector<std::string>> strings(OutputInCallFrame place) {
    auto [frame, output] = calls.source(place);
    return frame->graph->constantStrings(output);
  }
  std::optional<int64_t> integer(OutputInCallFrame place) {
    auto [frame, output] = calls.source(place);
    return frame->graph->constantInt(output);
  }
  bool unsupported(NodeInCallFrame node, const llvm::Twine &reason) {
    problems.unsupported(node->op(), node.name(), reason);
    return false;
  }
  bool malformed(NodeInCallFrame node, const llvm::Twine &message) {
    problems.malformed("node '" + node.name() + "' (" + node->op() +
                       "): " + message);
    return false;
  }

  Program &program;
  const Graph &graph;
  const proto::SaverDef &def;
  ImportErrors &problems;
  llvm::MapVector<Key, SaverItem, std::map<Key, unsigned>> items;
  llvm::MapVector<StringAttr, SavedLookupTableTensors> tables;
  llvm::DenseMap<StringAttr, std::array<Key, 2>> restoredTables;
  std::map<std::string, std::string> constants;
  std::optional<int64_t> numShards;
  bool reshapes = false;
  FunctionCallTree calls;
  std::map<ResourceHandle::Key, std::optional<std::vector<Key>>> keys;
};
} // namespace

// Returns whether an op saves tensors. SaveV2 belongs to the V2 format;
// SaveSlices and Save, which has no slices, to savers of the V1 format.
static bool isSave(StringRef op) {
  return op == "SaveV2" || op == "SaveSlices" || op == "Save";
}

static bool isRestore(StringRef op) {
  return op == "RestoreV2" || op == "RestoreSlice" || op == "Restore";
}

// Returns the number of inputs of a save or restore node that come before the
// saved values: the file name, the tensor names and the slices. Save and
// Restore have no slices.
static size_t firstValue(const FunctionCallTree::NodeInCallFrame &node) {
  return node->op() == "Save" || node->op() == "Restore" ? 2 : 3;
}

const std::vector<Key> *SaverImport::keysOf(NodeInCallFrame node) {
  auto [it, isNew] = keys.try_emplace(node.handle().key());
  if (!isNew)
    return it->second ? &*it->second : nullptr;
  size_t described = firstValue(node);
  if (node->inputs.size() < described) {
    malformed(node, "has " + llvm::Twine(node->inputs.size()) +
                        " inputs, expected at least " + llvm::Twine(described));
    return nullptr;
  }
  auto names = strings(node.input(1));
  auto slices = described == 3 ? strings(node.input(2))
                : names ? std::optional(std::vector<std::string>(names->size()))
                        : std::nullopt;
  if (!names || !slices) {
    unsupported(node, "the names and slices of the tensors must be constants");
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

StringAttr SaverImport::targetOfHandle(OutputInCallFrame handle) {
  NodeInCallFrame node = calls.sourceNode(handle);
  if (isVariable(node->op()))
    if (VariableOp variable = program.variable(node.handle(), problems))
      return variable.getSymNameAttr();
  if (isIterator(node->op()))
    if (IteratorOp iterator = program.iterator(node.handle(), problems))
      return iterator.getSymNameAttr();
  return {};
}

// Adds the keys (`port` 0) or the values (`port` 1) of the lookup table whose
// handle is `table` to the saver. Returns false after a problem.
bool SaverImport::addSavedTable(NodeInCallFrame save, const Key &key,
                                OutputInCallFrame table, int port,
                                unsigned shard) {
  TableOp op = program.table(calls.sourceNode(table).handle(), problems);
  if (!op)
    return false;
  if (!key.second.empty())
    return unsupported(save, "saves a slice of table '" + getUserName(op) +
                                 "'; tables can only be saved whole");
  if (op.getInitializedOnce())
    return unsupported(save, "saves table '" + getUserName(op) +
                                 "', which is initialized in each session; "
                                 "leave it out of the Saver's list");
  auto [it, isNew] = tables.try_emplace(op.getSymNameAttr());
  std::string &saved = it->second.keys[port];
  if (!saved.empty() || (!isNew && it->second.shard != shard))
    return unsupported(save, "saves table '" + getUserName(op) +
                                 "' twice; list it once in the Saver");
  saved = key.first;
  it->second.shard = shard;
  return true;
}

// Adds `value`, which node `save` saves, to the saver: the value of a variable
// or iterator, the contents of a table, or a constant string, in which
// TensorFlow 2 describes its objects. Returns false after a problem.
bool SaverImport::addSaved(NodeInCallFrame save, const Key &key,
                           OutputInCallFrame value, unsigned shard) {
  OutputInCallFrame place = calls.source(value);
  NodeInCallFrame source{place.first, place.second.first};
  // A reference variable's output is its value. Other variables, and iterators,
  // are saved through a node that reads them.
  bool isReference = isReferenceVariable(source->op());
  if (isReference || ((source->op() == "ReadVariableOp" ||
                       source->op() == "SerializeIterator") &&
                      !source->inputs.empty())) {
    OutputInCallFrame resource = isReference ? place : source.input(0);
    NodeInCallFrame handle = calls.sourceNode(resource);
    if (isVariable(handle->op()) || isIterator(handle->op())) {
      // If the variable or iterator cannot be compiled, `targetOfHandle` has
      // recorded the problem and returns null.
      StringAttr target = targetOfHandle(resource);
      if (target && !items.insert({key, SaverItem{target, shard}}).second)
        return malformed(save, "saves '" + key.first + "' twice");
      return target != nullptr;
    }
  }
  if (source->op() == "LookupTableExportV2" && !source->inputs.empty() &&
      (place.second.second == 0 || place.second.second == 1))
    return addSavedTable(save, key, source.input(0), place.second.second,
                         shard);
  auto text = strings(place);
  if (text && text->size() == 1 && key.second.empty()) {
    constants[key.first] = text->front();
    return true;
  }
  return unsupported(save, "saves '" +
                               place.first->graph->nameOf(place.second) +
                               "' (" + source->op() +
                               "), which is neither a variable, a table nor "
                               "an iterator; keep it in a variable, or leave "
                               "it out of the Saver's list");
}

bool SaverImport::findShard(NodeInCallFrame save, unsigned &shard) {
  shard = 0;
  NodeInCallFrame prefix = calls.sourceNode(save.input(0));
  if (prefix->op() != "ShardedFilename")
    return true;
  if (prefix->inputs.size() != 3)
    return malformed(save, "takes its file name from '" + prefix.name() +
                               "', which does not have three inputs");
  std::optional<int64_t> number = integer(prefix.input(1));
  std::optional<int64_t> count = integer(prefix.input(2));
  if (!number || !count)
    return unsupported(
        save,
        "the shard number and count of its ShardedFilename must be constants");
  if (*count < 1 || *number < 0 || *number >= *count || *count > 99999)
    return malformed(save, "writes shard " + llvm::Twine(*number) + " of " +
                               llvm::Twine(*count) +
                               ", but shards are numbered from 0, and their "
                               "count must be 1 to 99999");
  if (numShards.value_or(*count) != *count)
    return malformed(save, "writes one of " + llvm::Twine(*count) +
                               " shards, but another node one of " +
                               llvm::Twine(*numShards));
  numShards = count;
  shard = *number;
  return true;
}

bool SaverImport::importSave(NodeInCallFrame node) {
  unsigned shard;
  const std::vector<Key> *saved = keysOf(node);
  if (!saved || !findShard(node, shard))
    return false;
  size_t first = firstValue(node), values = node->inputs.size() - first;
  if (values != saved->size())
    return malformed(node, "has " + llvm::Twine(saved->size()) + " names for " +
                               llvm::Twine(values) + " tensors");
  bool ok = true;
  for (size_t index = 0; index < values; ++index)
    ok &= addSaved(node, (*saved)[index], node.input(first + index), shard);
  return ok;
}

bool SaverImport::importSaves(int target) {
  bool found = false, ok = true;
  for (NodeInCallFrame node : calls.reach(target)) {
    if (!isSave(node->op()))
      continue;
    found = true;
    if (node->op() != "SaveV2" && !program.upgradeSavers) {
      emitWarning(program.module.getLoc())
          << "the graph's saver writes checkpoints of format V1; the trainer "
             "writes format V2 (for V1, use --write-version v1)";
      program.upgradeSavers = true;
    }
    ok &= importSave(node);
  }
  if (!found)
    return malformed({calls.root(), target},
                     "saves nothing: it depends on no SaveV2");
  return ok;
}

const Key *SaverImport::restoredKey(NodeInCallFrame user,
                                    OutputInCallFrame value) {
  auto [frame, output] = calls.source(value);
  // tf.train.Saver(reshape=True) adds a Reshape of the restored value to the
  // variable's shape; look through it.
  if (StringRef op = (*frame->graph)[output.first].op();
      (op == "Reshape" || op == "EnsureShape") &&
      !(*frame->graph)[output.first].inputs.empty()) {
    reshapes |= op == "Reshape";
    std::tie(frame, output) =
        calls.source({frame, (*frame->graph)[output.first].inputs[0]});
  }
  NodeInCallFrame source{frame, output.first};
  if (!isRestore(source->op())) {
    unsupported(user,
                "restores from '" + frame->graph->nameOf(output) + "' (" +
                    source->op() +
                    "), expected a RestoreV2, RestoreSlice or Restore node");
    return nullptr;
  }
  const std::vector<Key> *stored = keysOf(source);
  if (!stored)
    return nullptr;
  if (output.second < 0 ||
      static_cast<size_t>(output.second) >= stored->size()) {
    malformed(user, "takes output " + llvm::Twine(output.second) + " of '" +
                        source.name() + "', which restores " +
                        llvm::Twine(stored->size()) + " tensors");
    return nullptr;
  }
  return &(*stored)[output.second];
}

bool SaverImport::importRestore(NodeInCallFrame assign,
                                std::map<Key, StringAttr> &restored) {
  if (assign->inputs.size() != 2)
    return malformed(assign, "has " + llvm::Twine(assign->inputs.size()) +
                                 " inputs, expected 2");
  const Key *key = restoredKey(assign, assign.input(1));
  if (!key)
    return false;
  StringAttr target = targetOfHandle(assign.input(0));
  if (!target)
    return malformed(
        assign,
        "restores to something that is neither a variable nor an iterator");
  restored[*key] = target;
  return true;
}

bool SaverImport::importTableRestore(NodeInCallFrame import) {
  if (import->inputs.size() != 3)
    return malformed(import, "has " + llvm::Twine(import->inputs.size()) +
                                 " inputs, expected 3");
  const Key *keys = restoredKey(import, import.input(1));
  const Key *values = keys ? restoredKey(import, import.input(2)) : nullptr;
  if (!values)
    return false;
  TableOp table =
      program.table(calls.sourceNode(import.input(0)).handle(), problems);
  if (table)
    restoredTables[table.getSymNameAttr()] = {*keys, *values};
  return table != nullptr;
}

// Checks that the restore node restores each saved table from the keys under
// which it was saved, and no other table. Returns false after a problem.
bool SaverImport::checkTableRestores(NodeInCallFrame restore) {
  bool ok = true;
  for (auto &[symbol, item] : tables) {
    auto it = restoredTables.find(symbol);
    if (item.keys[0].empty() || item.keys[1].empty())
      ok = malformed(restore, "belongs to a saver that saves only keys or only "
                              "values of table '" +
                                  symbol.getValue() + "'");
    else if (it == restoredTables.end())
      ok = malformed(restore, "does not restore table '" + symbol.getValue() +
                                  "', which its saver saves");
    else
      for (unsigned part = 0; part < 2; ++part)
        if (it->second[part] != Key(item.keys[part], ""))
          ok = malformed(restore, "restores table '" + symbol.getValue() +
                                      "' from '" + it->second[part].first +
                                      "', saved as '" + item.keys[part] + "'");
  }
  if (restoredTables.size() > tables.size())
    ok = malformed(restore, "restores tables that its saver does not save");
  return ok;
}

// Checks that the restore node `target` restores each saved item to the
// variable or iterator that it was saved from, and restores nothing else.
// Returns false after a problem.
bool SaverImport::importRestores(int target) {
  std::map<Key, StringAttr> restored;
  bool ok = true;
  for (NodeInCallFrame node : calls.reach(target))
    if (node->op() == "AssignVariableOp" || node->op() == "Assign" ||
        node->op() == "DeserializeIterator")
      ok &= importRestore(node, restored);
    else if (node->op() == "LookupTableImportV2")
      ok &= importTableRestore(node);
  if (!ok)
    return false;
  NodeInCallFrame restore{calls.root(), target};
  for (auto &[key, item] : items) {
    auto it = restored.find(key);
    if (it == restored.end())
      ok = malformed(restore, "does not restore '" + key.first +
                                  "', which its saver saves");
    else if (it->second != item.target)
      ok = malformed(restore, "restores '" + key.first + "' to '" +
                                  it->second.getValue() + "', saved from '" +
                                  item.target.getValue() + "'");
  }
  for (auto &[key, target] : restored)
    if (!items.count(key))
      ok = malformed(restore, "restores '" + key.first +
                                  "', which its saver does not save");
  return checkTableRestores(restore) && ok;
}

ArrayAttr SaverImport::tablesAttr(Builder &builder) const {
  SmallVector<Attribute> all;
  for (const auto &[symbol, item] : tables)
    all.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("table", FlatSymbolRefAttr::get(symbol)),
         builder.getNamedAttr("keys", builder.getStringAttr(item.keys[0])),
         builder.getNamedAttr("values", builder.getStringAttr(item.keys[1])),
         builder.getNamedAttr(
             "shard",
             builder.getI32IntegerAttr(static_cast<int32_t>(item.shard)))}));
  return builder.getArrayAttr(all);
}

// Returns the saver's default prefix of checkpoints: the constant default of
// the placeholder of the file name, or "model" if there is none.
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
  // The saver's symbol is `scope` + "/saver". The entries that save and restore
  // are named after nodes in `scope`, and none of these nodes is called
  // "saver", so the symbols differ.
  auto saver = SaverOp::create(
      builder, loc, program.uniqueSymbol((scope + "/saver").str()),
      builder.getArrayAttr(itemAttrs), builder.getStringAttr(filename()),
      builder.getI32IntegerAttr(numShards.value_or(1)),
      numShards ? builder.getUnitAttr() : UnitAttr(),
      builder.getI32IntegerAttr(def.max_to_keep()),
      builder.getF32FloatAttr(def.keep_checkpoint_every_n_hours()));
  if (reshapes)
    saver->setAttr(reshapeAttrName, builder.getUnitAttr());
  if (!tables.empty())
    saver->setAttr(savedTablesAttrName, tablesAttr(builder));
  if (!constants.empty()) {
    SmallVector<NamedAttribute> texts;
    for (const auto &[key, text] : constants)
      texts.emplace_back(builder.getStringAttr(key),
                         builder.getStringAttr(text));
    saver->setAttr(constantsAttrName, builder.getDictionaryAttr(texts));
  }
  return saver;
}

SaverOp importSaver(Program &program, const proto::SaverDef &def,
                    ImportErrors &problems) {
  ImportErrors::ImportErrorScope scope(problems, "save");
  return SaverImport(program, def, problems).run();
}

// `variable` is a slice of a partitioned tensor. Returns its position in this
// tensor, in the format of tf.Variable's SaveSliceInfo.spec: "10 4 0,6:0,4" has
// the shape of the full tensor, then offset and size of the slice in each
// dimension. If the slice does not match the variable, records a problem and
// returns std::nullopt.
static std::optional<std::string> sliceOf(const proto::VariableDef &def,
                                          VariableOp variable,
                                          ImportErrors &problems) {
  const proto::SaveSliceInfoDef &slice = def.save_slice_info_def();
  auto type = dyn_cast<RankedTensorType>(variable.getType());
  auto isLikeVariable = [&](const auto &sizes) {
    return type && static_cast<int64_t>(sizes.size()) == type.getRank();
  };
  bool fits = isLikeVariable(slice.full_shape()) &&
              isLikeVariable(slice.var_offset()) &&
              llvm::equal(slice.var_shape(), type.getShape());
  std::string full, parts;
  for (int i = 0; fits && i < slice.full_shape_size(); ++i) {
    int64_t size = type.getDimSize(i), offset = slice.var_offset(i);
    fits = offset >= 0 && size >= 0 && offset <= slice.full_shape(i) - size;
    full += llvm::itostr(slice.full_shape(i)) + " ";
    parts += (i ? ":" : "") + llvm::itostr(offset) + "," + llvm::itostr(size);
  }
  if (fits)
    return full + parts;
  problems.malformed("variable '" + def.variable_name() +
                     "' is not a slice of '" + slice.full_name() +
                     "', as its save_slice_info_def says");
  return std::nullopt;
}

void importPartsSaver(Program &program, ImportErrors &problems) {
  if (!program.module.getOps<SaverOp>().empty())
    return;
  llvm::DenseMap<Operation *, proto::VariableDef> parts;
  for (const proto::VariableDef &def :
       getVariables(program.source, "variables")) {
    auto handle = program.graph.findTensor(def.variable_name());
    if (!handle || !def.has_save_slice_info_def())
      continue;
    if (VariableOp variable = program.findVariable(
            program.graph.skipIdentities({handle->first, 0}).first))
      parts[variable] = def;
  }
  if (parts.empty())
    return;
  OpBuilder builder = OpBuilder::atBlockEnd(program.module.getBody());
  std::vector<std::pair<Key, StringAttr>> saved;
  for (auto variable : program.module.getOps<VariableOp>()) {
    if (variable.getLocal() || variable->hasAttr(randomStateAttrName))
      continue;
    auto part = parts.find(variable);
    Key key(variable.getSymName().str(), "");
    if (part != parts.end()) {
      std::optional<std::string> slice =
          sliceOf(part->second, variable, problems);
      if (!slice)
        return;
      key = {part->second.save_slice_info_def().full_name(), *slice};
    }
    saved.emplace_back(key, variable.getSymNameAttr());
  }
  llvm::sort(saved, llvm::less_first());
  SmallVector<Attribute> items;
  for (const auto &[key, symbol] : saved)
    items.push_back(SavedItemAttr::get(builder.getContext(), key.first,
                                       FlatSymbolRefAttr::get(symbol),
                                       key.second, 0));
  SaverOp::create(
      builder, program.module.getLoc(), program.uniqueSymbol("save/saver"),
      builder.getArrayAttr(items), builder.getStringAttr("model"),
      builder.getI32IntegerAttr(1), UnitAttr(), builder.getI32IntegerAttr(5),
      builder.getF32FloatAttr(10000.0f));
}

} // namespace ingot::importer
