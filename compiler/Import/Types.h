//===- Types.h - TensorFlow's types as MLIR's -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Element types and shapes; a failed conversion says why.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_TYPES_H
#define INGOT_COMPILER_IMPORT_TYPES_H

#include "mlir/IR/BuiltinTypes.h"

#include "proto/Graph.pb.h"

namespace ingot::importer {

/// Null for types that no tensor of a program has (complex, quantized,
/// resource, variant, references).
mlir::Type convertElementType(proto::DataType type, mlir::MLIRContext *context);

/// TensorFlow's name of a type: "float32"; "dtype 200" for an unknown one.
std::string getTypeName(proto::DataType type);

/// A tensor type; unranked if `shape` is null or of unknown rank. Null, with
/// `error` set to what was found, for an unsupported element type or malformed
/// dimensions.
mlir::TensorType convertTensorType(proto::DataType type,
                                   const proto::TensorShapeProto *shape,
                                   mlir::MLIRContext *context,
                                   std::string &error);

/// The meet of two types of the same tensor; `type` itself if they contradict
/// each other.
mlir::TensorType refineType(mlir::TensorType type, mlir::TensorType other);

/// "float32 [64, ?]", the form in reports.
std::string describeType(mlir::Type type);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_TYPES_H
