//===- ConvertTypes.h - Converts TensorFlow's types to MLIR's ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Converts TensorFlow's element types and shapes to MLIR's, and describes types
// in messages.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_CONVERTTYPES_H
#define INGOT_COMPILER_IMPORT_GRAPH_CONVERTTYPES_H

#include "mlir/IR/BuiltinTypes.h"

#include "proto/Graph.pb.h"

namespace ingot::importer {

/// Returns the MLIR element type for `type`. Returns null for types that no
/// tensor of a program can have (quantized, resource, variant, references).
mlir::Type convertElementType(proto::DataType type, mlir::MLIRContext *context);

/// Returns TensorFlow's name of an element type, such as "float32", or "dtype
/// 200" if it has none.
std::string getTypeName(proto::DataType type);

/// Returns the type of a tensor with element type `type`. It is unranked if
/// `shape` is null or of unknown rank. For an unsupported element type or
/// malformed dimensions, sets `error` to a description of them and returns
/// null.
mlir::TensorType convertTensorType(proto::DataType type,
                                   const proto::TensorShapeProto *shape,
                                   mlir::MLIRContext *context,
                                   std::string &error);

/// Combines two types of the same tensor: in the result, a size is static if it
/// is static in at least one of the types. Returns `type` if the types
/// contradict each other.
mlir::TensorType refineType(mlir::TensorType type, mlir::TensorType other);

/// Returns a type as messages and reports show it: "float32 [64, ?]".
std::string describeType(mlir::Type type);
/// Returns a list of types in this form: "(float32 [64, ?], int32 [])".
std::string describeTypes(llvm::ArrayRef<mlir::Type> types);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_CONVERTTYPES_H
