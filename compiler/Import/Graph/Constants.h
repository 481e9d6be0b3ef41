//===- Constants.h - Constant tensors of graphs -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Converts TensorProtos to attributes, with TensorFlow's rules for omitted
// values.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_CONSTANTS_H
#define INGOT_COMPILER_IMPORT_GRAPH_CONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "proto/Graph.pb.h"
#include <optional>

namespace ingot::importer {

/// Returns the tensor's value. If there are fewer values than elements, the
/// last value repeats; if there are none, the elements are zeros or empty
/// strings. On failure, returns null and sets `error` to a description of the
/// problem.
mlir::ElementsAttr convertTensor(const proto::TensorProto &tensor,
                                 mlir::MLIRContext *context,
                                 std::string &error);

/// Returns a constant of type `type` whose elements are stored in `bytes`, as
/// in `tensor_content` and in checkpoints: little-endian, with one byte per
/// bool. Returns null, with `error` set, if the number of bytes does not match
/// `type`, or if `type` is a tensor of strings.
mlir::ElementsAttr convertBytes(mlir::RankedTensorType type,
                                llvm::StringRef bytes, std::string &error);

/// Returns the strings of a string tensor in row-major order; std::nullopt for
/// a tensor of another type, or with a shape of unknown rank or too many
/// elements.
std::optional<std::vector<std::string>>
getStrings(const proto::TensorProto &tensor);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_CONSTANTS_H
