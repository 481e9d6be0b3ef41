//===- DatasetSpec.h - Datasets that map to TensorFlow's --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Rows of the op table for dataset ops whose operands and attributes equal
// those of the TensorFlow op, generated from the definitions of our ops
// (`elements` of IngotBase.td).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_DATASETSPEC_H
#define INGOT_COMPILER_IMPORT_DATASETSPEC_H

#include "compiler/Import/ComputeSpec.h"

namespace ingot::importer {

struct DatasetSpec : ComputeSpec {
  /// What determines the types of the op's elements.
  enum Elements {
    Input,   // the types of the input's elements
    Record,  // always a string scalar
    Declared // the node's attributes
  };
  Elements elements;
  unsigned numDatasets;                        // number of dataset operands
  llvm::SmallVector<llvm::StringRef, 1> flags; // boolean attributes
};

/// Returns all rows. Of several TensorFlow ops that become the same op of ours,
/// the one that the exporter writes comes first.
llvm::ArrayRef<DatasetSpec> getDatasetSpecs();

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_DATASETSPEC_H
