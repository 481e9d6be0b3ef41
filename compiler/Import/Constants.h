//===- Constants.h - Constant tensors of graphs -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// TensorProto as attributes, with TensorFlow's rules for omitted values.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_CONSTANTS_H
#define INGOT_COMPILER_IMPORT_CONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "proto/Graph.pb.h"
#include <optional>

namespace ingot::importer {

/// The tensor's value. With fewer values than elements the last one repeats;
/// with none, elements are zeros or empty strings. Otherwise null, with `error`
/// set to what was found and what was expected.
mlir::ElementsAttr convertTensor(const proto::TensorProto &tensor,
                                 mlir::MLIRContext *context,
                                 std::string &error);

/// The value with these bytes, little-endian and one byte per bool, as in raw
/// content and checkpoints. Null, with `error` set, if their number does not
/// fit the type, or for strings.
mlir::ElementsAttr convertBytes(mlir::RankedTensorType type,
                                llvm::StringRef bytes, std::string &error);

/// The strings of a string tensor in row-major order; nothing for a tensor of
/// another type or of an unreasonable shape.
std::optional<std::vector<std::string>>
getStrings(const proto::TensorProto &tensor);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_CONSTANTS_H
