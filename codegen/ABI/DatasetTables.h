//===- DatasetTables.h - Pipelines as the runtime reads them ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Tensor specs, and one ingot_dataset record for each op of a pipeline.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_ABI_DATASETTABLES_H
#define INGOT_CODEGEN_ABI_DATASETTABLES_H

#include "codegen/ABI/GlobalData.h"
#include "dialects/Ingot/IteratorOps.h"

#include "llvm/ADT/StringMap.h"

namespace ingot::abi {

/// Builds ingot_tensor_spec, which is embedded in other structs.
class Specs {
public:
  explicit Specs(GlobalData &data) : data(data) {}
  Row<ingot_tensor_spec> spec(llvm::StringRef name,
                              mlir::RankedTensorType type);
  /// Of a kernel's argument: its element type may be one that only code knows.
  Row<ingot_tensor_spec> storedSpec(mlir::RankedTensorType type);

private:
  GlobalData &data;
};

/// Adds the records of one pipeline after another.
class DatasetTables {
public:
  DatasetTables(GlobalData &data, Specs &specs,
                const llvm::StringMap<uint32_t> &functions,
                llvm::SmallVectorImpl<Row<ingot_dataset>> &datasets)
      : data(data), specs(specs), functions(functions), datasets(datasets) {}

  /// The number of the iterator's root dataset.
  uint32_t addPipeline(mlir::ingot::IteratorOp iterator) {
    return addBody(iterator.getBody());
  }

private:
  uint32_t addBody(mlir::Region &region);
  uint32_t addDataset(mlir::Operation *op);
  uint32_t addWindow(mlir::BlockArgument argument);
  List<ingot_tensor_spec> components(mlir::Type dataset);
  List<ingot_dataset_operand> operands(mlir::Operation *op);
  List<ingot_attribute> attributes(mlir::Operation *op);
  Address<void> code(mlir::Operation *op);

  GlobalData &data;
  Specs &specs;
  const llvm::StringMap<uint32_t> &functions;
  llvm::SmallVectorImpl<Row<ingot_dataset>> &datasets;
  llvm::DenseMap<mlir::Value, uint32_t> numbers;
};

} // namespace ingot::abi

#endif // INGOT_CODEGEN_ABI_DATASETTABLES_H
