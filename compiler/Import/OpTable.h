//===- OpTable.h - The table of supported TensorFlow ops --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The table of all ops that the importer supports, by TensorFlow's names.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPTABLE_H
#define INGOT_COMPILER_IMPORT_OPTABLE_H

#include "proto/Graph.pb.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include <optional>

namespace ingot::importer {

class NodeImport;
struct ComputeSpec;

/// The side effect of running a node.
enum class Effect {
  Pure,
  Reads,    // the value of a variable
  Consumes, // draws an element of an iterator, or records something
  Writes,   // a variable, or restarts an iterator
  Called    // the effects of the functions in its attributes
};

/// A row of the op table: how nodes of one TensorFlow op are imported.
struct OpInfo {
  Effect effect;
  /// Imports one node: creates its ops and sets its outputs.
  void (*import)(NodeImport &node);
  /// The inputs and attributes of the op, if its import function reads them
  /// from the table; else null.
  const ComputeSpec *compute = nullptr;
  /// The names of the op's output arguments, each of which is one tensor; empty
  /// if there is only one. Function bodies name outputs by them.
  llvm::SmallVector<llvm::StringRef, 2> outputs = {};
  /// For ops whose output arguments are lists of tensors: returns the index of
  /// the first output of `argument`, or std::nullopt.
  std::optional<int> (*findPort)(const proto::NodeDef &node,
                                 llvm::StringRef argument) = nullptr;
  /// Whether the first output is the reference variable that is the first
  /// input, as TF1's ops on reference variables have it.
  bool givesReference = false;
};

using OpTable = llvm::StringMap<OpInfo>;

/// Returns the table of all supported ops.
const OpTable &getOpTable();

/// Returns the row of an op, or null if the op is not supported.
const OpInfo *findOp(llvm::StringRef op);

/// Returns whether an op creates a variable, as a resource handle or as a TF1
/// reference.
bool isVariable(llvm::StringRef op);
/// Returns whether an op creates one of TF1's reference variables.
bool isReferenceVariable(llvm::StringRef op);

/// Returns the index of the first output of a node's output argument
/// `argument`, by which function bodies name outputs, or std::nullopt if the op
/// has no argument of that name. For ops with only one output argument the name
/// is not checked.
std::optional<int> firstPortOf(const proto::NodeDef &node,
                               llvm::StringRef argument);

/// Adds the ops that become one op of ours.
void addOpRows(OpTable &table);
// Each of these adds a family of ops that need more than a row, and is in a
// file of its own, such as ArrayOps.cpp.
void addArrayOps(OpTable &table);
void addCallOps(OpTable &table);
void addCheckpointOps(OpTable &table);
void addComputeOps(OpTable &table);
void addControlOps(OpTable &table);
void addColorOps(OpTable &table);
void addFakeQuantOps(OpTable &table);
void addConvolutionOps(OpTable &table);
void addDatasetOps(OpTable &table);
void addFeatureOps(OpTable &table);
void addExampleOps(OpTable &table);
void addInputOps(OpTable &table);
void addListOps(OpTable &table);
void addNormalizationOps(OpTable &table);
void addOptimizerOps(OpTable &table);
void addPointwiseOps(OpTable &table);
void addPoolingOps(OpTable &table);
void addProductOps(OpTable &table);
void addRaisedOps(OpTable &table);
void addRandomOps(OpTable &table);
void addRearrangeOps(OpTable &table);
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

#endif // INGOT_COMPILER_IMPORT_OPTABLE_H
