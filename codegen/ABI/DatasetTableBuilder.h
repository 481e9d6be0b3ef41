//===- DatasetTableBuilder.h - Pipelines as descriptor tables ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Builds the descriptor's tensor specs, and one ingot_dataset record for each
// op of an input pipeline.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_ABI_DATASETTABLEBUILDER_H
#define INGOT_CODEGEN_ABI_DATASETTABLEBUILDER_H

#include "codegen/ABI/GlobalConstantPool.h"
#include "dialects/Ingot/IR/IteratorOps.h"

#include "llvm/ADT/StringMap.h"

namespace ingot::abi {

/// Builds rows of type ingot_tensor_spec, to be members of other structs.
class TensorSpecBuilder {
public:
  explicit TensorSpecBuilder(GlobalConstantPool &data) : data(data) {}
  Row<ingot_tensor_spec> spec(llvm::StringRef name,
                              mlir::RankedTensorType type);
  /// Returns the spec of a kernel's argument. Its dtype is INGOT_DTYPE_OTHER
  /// unless the element type is a float or an integer of up to 64 bits.
  Row<ingot_tensor_spec> storedSpec(mlir::RankedTensorType type);

private:
  GlobalConstantPool &data;
};

/// Adds the ingot_dataset records of all input pipelines of a program to one
/// table.
class DatasetTableBuilder {
public:
  DatasetTableBuilder(GlobalConstantPool &data, TensorSpecBuilder &specs,
                      const llvm::StringMap<uint32_t> &functions,
                      llvm::SmallVectorImpl<Row<ingot_dataset>> &datasets)
      : data(data), specs(specs), functions(functions), datasets(datasets) {}

  /// Adds the records of an iterator's pipeline. Returns the index of the
  /// pipeline's root dataset, from which the iterator takes elements.
  uint32_t addPipeline(mlir::ingot::IteratorOp iterator) {
    return addBody(iterator.getBody());
  }

private:
  uint32_t addBody(mlir::Region &region);
  uint32_t addDataset(mlir::Operation *op);
  uint32_t addWindow(mlir::BlockArgument argument);
  GlobalArray<ingot_tensor_spec> components(mlir::Type dataset);
  GlobalArray<ingot_dataset_operand> operands(mlir::Operation *op);
  GlobalArray<ingot_attribute> attributes(mlir::Operation *op);
  GlobalAddress<void> code(mlir::Operation *op);

  GlobalConstantPool &data;
  TensorSpecBuilder &specs;
  const llvm::StringMap<uint32_t> &functions;
  llvm::SmallVectorImpl<Row<ingot_dataset>> &datasets;
  llvm::DenseMap<mlir::Value, uint32_t> numbers;
};

} // namespace ingot::abi

#endif // INGOT_CODEGEN_ABI_DATASETTABLEBUILDER_H
