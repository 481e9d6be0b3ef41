//===- DatasetSpec.h - Datasets that map to TensorFlow's --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Rows for dataset ops with TensorFlow's operands and attributes, generated
// from their definitions (`elements` of IngotBase.td).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_DATASETSPEC_H
#define INGOT_COMPILER_IMPORT_DATASETSPEC_H

#include "compiler/Import/ComputeSpec.h"

namespace ingot::importer {

struct DatasetSpec : ComputeSpec {
  /// The kind of element.
  enum Elements {
    Input,   // those of the input
    Record,  // a string scalar
    Declared // what the node says
  };
  Elements elements;
  unsigned numDatasets;                        // the first operands
  llvm::SmallVector<llvm::StringRef, 1> flags; // boolean attributes
};

/// All rows; of those that become the same op, the one to export comes first.
llvm::ArrayRef<DatasetSpec> getDatasetSpecs();

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_DATASETSPEC_H
