//===- OpTable.h - The table of supported TensorFlow ops --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The table of all ops that the importer supports, by TensorFlow's names.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPS_OPTABLE_H
#define INGOT_COMPILER_IMPORT_OPS_OPTABLE_H

#include "proto/Graph.pb.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace ingot::importer {

class NodeImport;
struct OneToOneOpSpec;

/// The kinds of side effects of nodes, from the least to the greatest. A
/// function, for example, has the greatest effect of its nodes.
enum class Effect {
  Pure,
  Reads,    // reads a variable
  Consumes, // takes an element or a random number, or writes a summary or file
  Writes,   // writes a variable, or restarts an iterator
  Called    // has the effects of the functions in its attributes
};

/// A row of the op table: describes how nodes of one TensorFlow op are
/// imported.
struct OpTableRow {
  Effect effect;
  /// Imports one node: creates its ops and sets its outputs.
  void (*import)(NodeImport &node);
  /// The inputs and attributes of the op, for import functions that read them
  /// from the table; otherwise null.
  const OneToOneOpSpec *compute = nullptr;
  /// The names of the op's output arguments, each of which is one tensor.
  /// Function bodies name outputs by them. Empty if the op has only one output
  /// argument.
  llvm::SmallVector<llvm::StringRef, 2> outputs = {};
  /// For an op whose output arguments are lists of tensors: returns the index
  /// of the node's first output that belongs to `argument`, or std::nullopt if
  /// there is no such argument.
  std::optional<int> (*findPort)(const proto::NodeDef &node,
                                 llvm::StringRef argument) = nullptr;
  /// Whether the op returns the reference variable in its first input as its
  /// first output, like TF1's Assign.
  bool givesReference = false;
  /// If the importer supports only a part of what TensorFlow's op does, the
  /// restriction as text for the documentation page of ops.
  llvm::StringRef restriction = "";
};

using OpTable = llvm::StringMap<OpTableRow>;

/// Returns the table of all supported ops.
const OpTable &getOpTable();

/// Returns the row of an op, or null if the op is not supported.
const OpTableRow *findOp(llvm::StringRef op);

/// Returns whether an op creates a variable, as a resource handle or as a TF1
/// reference.
bool isVariable(llvm::StringRef op);
/// Returns whether an op creates one of TF1's reference variables.
bool isReferenceVariable(llvm::StringRef op);

/// Returns the index of a node's first output that belongs to the output
/// argument `argument`; function bodies name outputs in this way. Returns
/// std::nullopt if the op has no argument of that name. The name is not checked
/// if the op has only one output argument.
std::optional<int> firstPortOf(const proto::NodeDef &node,
                               llvm::StringRef argument);

/// Adds the TensorFlow ops that become one ingot op (OneToOneOpTableRow) to the
/// table.
void addOpRows(OpTable &table);
// Each of the following functions adds a family of ops to the table. These ops
// have import functions of their own, because no OneToOneOpTableRow describes
// them. Each family is defined in a file of its own, such as ArrayOps.cpp.
void addAccumulatorOps(OpTable &table);
void addSparseAccumulatorOps(OpTable &table);
void addArrayOps(OpTable &table);
void addCallOps(OpTable &table);
void addCheckpointOps(OpTable &table);
void addComputeOps(OpTable &table);
void addControlOps(OpTable &table);
void addColorOps(OpTable &table);
void addFakeQuantOps(OpTable &table);
void addConvolutionOps(OpTable &table);
void addCropOps(OpTable &table);
void addDataFormatOps(OpTable &table);
void addDatasetOps(OpTable &table);
void addFeatureOps(OpTable &table);
void addExampleOps(OpTable &table);
void addGlobalNormalizationOps(OpTable &table);
void addInputOps(OpTable &table);
void addListOps(OpTable &table);
void addNormalizationOps(OpTable &table);
void addOptimizerOps(OpTable &table);
void addPointwiseOps(OpTable &table);
void addPoolingOps(OpTable &table);
void addProductOps(OpTable &table);
void addQuantizeOps(OpTable &table);
void addRaggedCountOps(OpTable &table);
void addRaisedControlFlowOps(OpTable &table);
void addQueueOps(OpTable &table);
void addRaggedOps(OpTable &table);
void addRandomOps(OpTable &table);
void addRearrangeOps(OpTable &table);
void addRecurrentCellOps(OpTable &table);
void addReductionOps(OpTable &table);
void addReportOps(OpTable &table);
void addResizeOps(OpTable &table);
void addScatterOps(OpTable &table);
void addSetOps(OpTable &table);
void addSparseOps(OpTable &table);
void addStateOps(OpTable &table);
void addStringOps(OpTable &table);
void addTableOps(OpTable &table);
void addTensorArrayOps(OpTable &table);
void addVolumeOps(OpTable &table);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_OPTABLE_H
