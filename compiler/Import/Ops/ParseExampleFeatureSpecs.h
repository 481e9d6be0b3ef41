//===- ParseExampleFeatureSpecs.h - Features that a node parses -*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Helpers for the import of ops that parse Examples or SequenceExamples.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_OPS_PARSEEXAMPLEFEATURESPECS_H
#define INGOT_COMPILER_IMPORT_OPS_PARSEEXAMPLEFEATURESPECS_H

#include "compiler/Import/ControlFlow/BlockImport.h"
#include "compiler/Import/Ops/OpTable.h"
#include "proto/Types.pb.h"

namespace ingot::importer {

/// The keys and types of the features that a node parses. The versions of
/// ParseExample state the keys in different ways, as inputs or as attributes.
struct ParseExampleFeatureSpecs {
  std::vector<std::string> sparseKeys, denseKeys, raggedKeys;
  std::vector<proto::DataType> sparseTypes, denseTypes, raggedTypes, splitTypes;
  /// The index of the node's first input that is the default of a dense
  /// feature. The defaults are in the order of the dense keys.
  size_t firstDefault = 0;
  /// The node's attribute with the shapes of dense features.
  llvm::StringRef denseShapes = "dense_shapes";
};

/// Appends the strings of input `input`, which must be constant, to `keys`.
/// Returns false after a problem.
bool addKeys(NodeImport &node, size_t input, std::vector<std::string> &keys);

/// Checks that features of the kind `kind` have as many keys as types.
/// Otherwise records a problem and returns false.
bool checkCount(NodeImport &node, llvm::StringRef kind, size_t keys,
                size_t types);

/// Converts the element types of features to an array attribute. If one is not
/// supported, records a problem and returns null.
mlir::ArrayAttr typeList(NodeImport &node,
                         const std::vector<proto::DataType> &types);

mlir::ArrayAttr textList(NodeImport &node,
                         const std::vector<std::string> &texts);

/// Creates the op that parses `operands[0]`, the serialized Examples; the other
/// operands are the defaults. Returns null after a problem.
mlir::Operation *createParse(NodeImport &node,
                             const ParseExampleFeatureSpecs &features,
                             llvm::SmallVector<mlir::Value> operands);

/// Adds the ops that parse SequenceExamples (SequenceExampleOps.cpp) to the
/// table. addExampleOps() calls it.
void addSequenceExampleOps(OpTable &table);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_OPS_PARSEEXAMPLEFEATURESPECS_H
