//===- Attributes.h - NodeDef attributes from MLIR's ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Converts values, types and shapes to the attributes of a NodeDef.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_EXPORT_ATTRIBUTES_H
#define INGOT_COMPILER_EXPORT_ATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include "proto/Graph.pb.h"

#include <map>
#include <string>

namespace ingot::exporter {

using AttributeMap = std::map<std::string, proto::AttrValue>;

/// Returns TensorFlow's type for the element type of a tensor: DT_VARIANT for
/// runtime objects such as TensorLists, and DT_INVALID for a type that no
/// tensor has.
proto::DataType toDataType(mlir::Type element);

/// Returns TensorFlow's element type for `type`, a tensor or a dataset. A
/// dataset is no tensor in the ingot dialect, but a DT_VARIANT scalar in
/// TensorFlow.
proto::DataType toTensorType(mlir::Type type);

/// Returns the shape of a tensor, with -1 for dynamic sizes.
proto::TensorShapeProto toShape(mlir::Type tensor);
proto::TensorShapeProto toShape(llvm::ArrayRef<int64_t> dims);

proto::AttrValue boolean(bool value);
proto::AttrValue integer(int64_t value);
proto::AttrValue number(float value);
proto::AttrValue text(llvm::StringRef value);
proto::AttrValue type(proto::DataType value);
proto::AttrValue shape(proto::TensorShapeProto value);
proto::AttrValue integers(llvm::ArrayRef<int64_t> values);
proto::AttrValue types(llvm::ArrayRef<proto::DataType> values);
proto::AttrValue function(llvm::StringRef name);

/// Adds the attributes that declare the components of a dataset's elements:
/// their element types under the name `typesName`, and their shapes as
/// `output_shapes`.
void addComponents(AttributeMap &attributes, llvm::ArrayRef<mlir::Type> types,
                   llvm::StringRef typesName = "output_types");

/// Returns the `value` attribute of a Const node.
proto::AttrValue tensor(mlir::ElementsAttr value);
/// Return the `value` attribute of a Const node with a vector of strings, or
/// with a scalar string.
proto::AttrValue strings(llvm::ArrayRef<llvm::StringRef> values);
proto::AttrValue string(llvm::StringRef value);

} // namespace ingot::exporter

#endif // INGOT_COMPILER_EXPORT_ATTRIBUTES_H
