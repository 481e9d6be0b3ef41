//===- DatasetOpSpec.h - Rows of dataset ops in the op table ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Rows of the op table for dataset ops whose operands and attributes are the
// same in TensorFlow and in the ingot dialect. The rows are generated from the
// definitions of the ingot ops (`elements` of IngotBase.td).
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_INPUT_DATASETOPSPEC_H
#define INGOT_COMPILER_IMPORT_INPUT_DATASETOPSPEC_H

#include "compiler/Import/Ops/OneToOneOpSpec.h"

namespace ingot::importer {

struct DatasetOpSpec : OneToOneOpSpec {
  /// Where the types of the dataset's elements come from.
  enum Elements {
    Input,   // from the elements of the input dataset
    Record,  // each element is a scalar string
    Declared // from attributes of the node
  };
  Elements elements;
  unsigned numDatasets;                        // number of dataset operands
  llvm::SmallVector<llvm::StringRef, 1> flags; // boolean attributes
};

/// Returns the op table's rows of all dataset ops. If several TensorFlow ops
/// are imported as the same ingot op, the exporter turns this ingot op into the
/// first of them.
llvm::ArrayRef<DatasetOpSpec> getDatasetSpecs();

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_INPUT_DATASETOPSPEC_H
