//===- Constants.h - Constant tensors of graphs -----------------*- C++ -*-===//
//
// TensorProto as attributes, with TensorFlow's rules for the values it leaves
// out.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_CONSTANTS_H
#define INGOT_COMPILER_IMPORT_CONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "proto/Graph.pb.h"
#include <optional>

namespace ingot::importer {

/// The tensor's value. Fewer values than elements: the last one repeats; none:
/// zeros or empty strings. Null, with `error` set to what was found and what
/// was expected, for anything else.
mlir::ElementsAttr convertTensor(const proto::TensorProto &tensor,
                                 mlir::MLIRContext *context,
                                 std::string &error);

/// The value whose bytes these are, little endian and one byte a bool: so raw
/// content and checkpoints have them. Null, with `error` set, where there are
/// more or fewer bytes than the type has, or for strings.
mlir::ElementsAttr convertBytes(mlir::RankedTensorType type,
                                llvm::StringRef bytes, std::string &error);

/// The strings of a string tensor in row-major order; nothing for a tensor of
/// another type or of an unreasonable shape.
std::optional<std::vector<std::string>>
getStrings(const proto::TensorProto &tensor);

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_CONSTANTS_H
