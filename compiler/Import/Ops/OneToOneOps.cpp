//===- OneToOneOps.cpp - TensorFlow ops that become one ingot op ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// The rows of the op table for TensorFlow ops that become one ingot op. They
// are generated from the definitions of the ingot ops (IngotTensorFlow.td).
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/OneToOneOpSpec.h"
#include "compiler/Import/Ops/OpTable.h"
#include "llvm/ADT/STLExtras.h"

namespace ingot::importer {

llvm::ArrayRef<OneToOneOpTableRow> getOpRows() {
  static const std::vector<OneToOneOpTableRow> rows = {
#include "dialects/Ingot/TensorFlowOps.inc"
  };
  return rows;
}

const OneToOneOpSpec &getOpRow(llvm::StringRef name) {
  return llvm::find_if(getOpRows(),
                       [&](const OneToOneOpTableRow &row) {
                         return row.spec.name == name;
                       })
      ->spec;
}

void addOpRows(OpTable &table) {
  for (const OneToOneOpTableRow &row : getOpRows())
    table[row.spec.name] = {row.effect, importCompute, &row.spec, row.outputs};
}

} // namespace ingot::importer
