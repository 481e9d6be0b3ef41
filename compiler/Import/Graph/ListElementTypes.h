//===- ListElementTypes.h - Element types of lists and arrays ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Converts the element types of TensorLists, TF1's TensorArrays and stacks. A
// list may contain lists, and a stack may contain handles of stacks. TensorFlow
// declares such element types only as variants or resources.
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_COMPILER_IMPORT_GRAPH_LISTELEMENTTYPES_H
#define INGOT_COMPILER_IMPORT_GRAPH_LISTELEMENTTYPES_H

#include "compiler/Import/ControlFlow/BlockImport.h"
#include "compiler/Import/Graph/ConvertTypes.h"

namespace ingot::importer {

/// Converts `dtype`, the element type of a TensorList, a TensorArray or a
/// stack, to an MLIR type. If it is not supported, records a problem and
/// returns null.
inline mlir::Type toElementType(NodeImport &node, proto::DataType dtype) {
  if (dtype == proto::DT_VARIANT || dtype == proto::DT_RESOURCE)
    return mlir::ingot::VariantType::get(node.context());
  mlir::Type type = convertElementType(dtype, node.context());
  if (!type)
    node.unsupported("element type " + getTypeName(dtype));
  return type;
}

/// Returns the element type that attribute `attribute` of the node states. If
/// the type is not supported, records a problem and returns null.
inline mlir::Type elementTypeOf(NodeImport &node, llvm::StringRef attribute) {
  return toElementType(node,
                       node.attributes.getType(attribute, proto::DT_INVALID));
}

} // namespace ingot::importer

#endif // INGOT_COMPILER_IMPORT_GRAPH_LISTELEMENTTYPES_H
