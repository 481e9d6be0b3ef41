//===- SavedModel.cpp - Exports predictions as a SavedModel ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/SavedModel.h"

#include "compiler/Export/Attributes.h"
#include "compiler/Export/Export.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"
#include "dialects/Ingot/IR/TableOps.h"
#include "dialects/Ingot/IR/VariableOps.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

/// Returns the constants that init entries assign to variables, keyed by the
/// variables' symbols. A constant is null if the variable's initial value is
/// computed, or if several ops assign the variable.
static llvm::StringMap<ConstantOp> findInitialValues(ModuleOp module) {
  llvm::StringMap<ConstantOp> values;
  for (auto entry : module.getOps<EntryOp>()) {
    if (entry.getRole() != Role::init)
      continue;
    for (auto assign : entry.getBody().front().getOps<AssignOp>()) {
      auto value = assign.getValue().getDefiningOp<ConstantOp>();
      // If several ops assign the variable, its final value depends on the
      // order in which they run. So the variable counts as not constant.
      if (!values.try_emplace(assign.getVariable(), value).second)
        values[assign.getVariable()] = nullptr;
    }
  }
  return values;
}

/// Replaces reads of variables in `entries` by the constants that initialize
/// the variables. Fails, with errors, if a variable has no constant initial
/// value.
static LogicalResult inlineVariables(ModuleOp module,
                                     ArrayRef<EntryOp> entries) {
  llvm::StringMap<ConstantOp> values = findInitialValues(module);
  bool ok = true;
  for (EntryOp entry : entries)
    for (auto read :
         llvm::make_early_inc_range(entry.getBody().front().getOps<ReadOp>())) {
      ConstantOp value = values.lookup(read.getVariable());
      if (!value) {
        ok = false;
        read.emitError("variable '")
            << read.getVariable()
            << "' has no constant initial value in the program: a SavedModel "
               "needs one for each variable that a predict entry reads; to "
               "export trained values, use 'export --saved-model' of the "
               "compiled trainer";
        continue;
      }
      OpBuilder builder(read);
      Value constant =
          createConstant(builder, read.getLoc(), value.getValueAttr());
      read.replaceAllUsesWith(constant);
      read.erase();
    }
  return success(ok);
}

// Returns the name of the tensor of feed or fetch `name`. Appends output number
// 0 (":0") if `name` has no output number.
static std::string tensorName(StringRef name) {
  auto [node, port] = name.rsplit(':');
  unsigned number;
  return port.empty() || port.getAsInteger(10, number) ? (name + ":0").str()
                                                       : name.str();
}

static proto::TensorInfo describe(StringRef name, Type type) {
  proto::TensorInfo info;
  info.set_name(tensorName(name));
  info.set_dtype(toTensorType(type));
  *info.mutable_tensor_shape() = toShape(type);
  return info;
}

/// Returns the name of a feed or fetch in the signature of `entry`: NAME if it
/// is called ENTRY/NAME, or else its whole name.
static std::string keyOf(EntryOp entry, StringRef name) {
  name.consume_front((getUserName(entry) + "/").str());
  return name.str();
}

/// Returns the method of TensorFlow Serving that the entry's signature is for.
/// Classify and Regress calls pass serialized tf.Examples as the only feed,
/// `inputs`.
static StringRef methodOf(EntryOp entry) {
  StringRef name = getUserName(entry);
  bool takesInputs =
      entry.getFeeds().size() == 1 &&
      keyOf(entry, cast<StringAttr>(entry.getFeeds()[0])) == "inputs";
  if (takesInputs && name.ends_with("classification"))
    return "tensorflow/serving/classify";
  if (takesInputs && name.ends_with("regression"))
    return "tensorflow/serving/regress";
  return "tensorflow/serving/predict";
}

static proto::SignatureDef describe(EntryOp entry) {
  proto::SignatureDef signature;
  signature.set_method_name(methodOf(entry).str());
  Block &block = entry.getBody().front();
  for (auto [name, argument] :
       llvm::zip(entry.getFeeds().getAsValueRange<StringAttr>(),
                 block.getArguments()))
    (*signature.mutable_inputs())[keyOf(entry, name)] =
        describe(name, argument.getType());
  for (auto [name, value] :
       llvm::zip(entry.getFetches().getAsValueRange<StringAttr>(),
                 block.getTerminator()->getOperands()))
    (*signature.mutable_outputs())[keyOf(entry, name)] =
        describe(name, value.getType());
  return signature;
}

// Reports an error for a predict entry that reads a lookup table without
// filling it: the SavedModel contains only predict entries, so no other entry
// could fill the table.
static LogicalResult checkTables(ArrayRef<EntryOp> entries) {
  for (EntryOp entry : entries) {
    llvm::DenseSet<Attribute> filled;
    entry->walk([&](Operation *op) {
      if (isa<TableInsertOp, TableInsertFileOp>(op))
        filled.insert(op->getAttr("table"));
    });
    WalkResult found = entry->walk([&](TableFindOp find) {
      if (filled.contains(find.getTableAttr()))
        return WalkResult::advance();
      find.emitError("this op looks up keys in table '")
          << find.getTable()
          << "', whose contents a SavedModel does not contain: look up the "
             "keys before the prediction, and feed their values";
      return WalkResult::interrupt();
    });
    if (found.wasInterrupted())
      return failure();
  }
  return success();
}

FailureOr<proto::SavedModel> exportSavedModel(ModuleOp module) {
  SmallVector<EntryOp> entries;
  for (auto entry : module.getOps<EntryOp>())
    if (entry.getRole() == Role::predict)
      entries.push_back(entry);
  if (entries.empty())
    return module.emitError("a SavedModel needs an entry of role predict, but "
                            "the program has none");
  if (failed(inlineVariables(module, entries)) || failed(checkTables(entries)))
    return failure();
  proto::SavedModel model;
  model.set_saved_model_schema_version(1);
  proto::MetaGraphDef &graph = *model.add_meta_graphs();
  graph.mutable_meta_info_def()->add_tags("serve");
  graph.mutable_meta_info_def()->set_tensorflow_version("2.15.0");
  for (EntryOp entry : entries)
    (*graph.mutable_signature_def())[getUserName(entry).str()] =
        describe(entry);
  graph.mutable_signature_def()->insert(
      {"serving_default", describe(entries.front())});
  // Erase all entries but the predict entries, and all variables, savers and
  // iterators: predictions do not need them.
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    bool isKept =
        isa<EntryOp>(op) && cast<EntryOp>(op).getRole() == Role::predict;
    if (!isKept && isa<EntryOp, VariableOp, SaverOp, IteratorOp>(op))
      op.erase();
  }
  auto exported = exportGraphDef(module);
  if (failed(exported))
    return failure();
  *graph.mutable_graph_def() = std::move(*exported);
  return model;
}

} // namespace ingot::exporter
