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
  Called    // what the functions do that its attributes name
};

struct OpInfo {
  Effect effect;
  /// Imports one node: creates its ops and sets its outputs.
  void (*import)(NodeImport &node);
  /// For ops that become one op on tensors: that op's row.
  const ComputeSpec *compute = nullptr;
  /// Names of its output arguments, each one tensor, if there are several:
  /// function bodies name outputs so.
  llvm::SmallVector<llvm::StringRef, 2> outputs = {};
  /// The same for ops with lists of tensors as output arguments.
  std::optional<int> (*findPort)(const proto::NodeDef &node,
                                 llvm::StringRef argument) = nullptr;
  /// For TF1's ops on reference variables: the first output is the variable of
  /// the first input.
  bool givesReference = false;
};

using OpTable = llvm::StringMap<OpInfo>;

/// All supported ops.
const OpTable &getOpTable();

/// The op's row, or null.
const OpInfo *findOp(llvm::StringRef op);

/// Whether an op creates a variable: a handle, or TF1's reference.
bool isVariable(llvm::StringRef op);
/// Whether an op creates one of TF1's reference variables.
bool isReferenceVariable(llvm::StringRef op);

/// The number of the first output of an output argument, for the ops of the
/// table that have several: function bodies name outputs so. The argument's
/// name is not checked for ops with only one.
std::optional<int> firstPortOf(const proto::NodeDef &node,
                               llvm::StringRef argument);

/// The ops that become one of ours.
void addOpRows(OpTable &table);
// Those that need more than a row, by family, each in a file of its own.
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
