//===- DatasetSpec.h - Datasets that are as TensorFlow's --------*- C++ -*-===//
//
// Rows for dataset ops whose operands and attributes are TensorFlow's, written
// from their definitions (`elements` of IngotBase.td).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_DATASETSPEC_H
#define INGOT_COMPILER_IMPORT_DATASETSPEC_H

#include "compiler/Import/ComputeSpec.h"

namespace ingot::importer {

struct DatasetSpec : ComputeSpec {
  /// What an element is.
  enum Elements {
    Input,   // what the input's are
    Record,  // a string scalar
    Declared // what the node says
  };
  Elements elements;
  unsigned numDatasets;                        // which come first
  llvm::SmallVector<llvm::StringRef, 1> flags; // boolean attributes
};

/// All rows; of those that become the same op, the one to export first.
llvm::ArrayRef<DatasetSpec> getDatasetSpecs();

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_DATASETSPEC_H
