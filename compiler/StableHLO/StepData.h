//===- StepData.h - Nodes of input pipelines --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_COMPILER_STABLEHLO_STEPDATA_H
#define INGOT_COMPILER_STABLEHLO_STEPDATA_H

#include "compiler/StableHLO/StepGraph.h"

namespace ingot::stablehlo {

/// The type in which the bytes of elements are decoded: booleans are bytes.
proto::DataType rawType(proto::DataType type);
/// The attributes `output_types` and `output_shapes` of a dataset.
AttributeMap elementTypes(llvm::ArrayRef<TensorType> types);
/// The type of an example of a batch.
TensorType exampleOf(const TensorType &batch);
/// Adds a node that makes a dataset.
Tensor dataset(GraphBuilder &b, llvm::StringRef op,
               llvm::ArrayRef<Tensor> inputs, AttributeMap attributes = {});

} // namespace ingot::stablehlo

#endif // INGOT_COMPILER_STABLEHLO_STEPDATA_H
