//===- Attributes.cpp - NodeDef attributes from MLIR's --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Export/Attributes.h"

#include "dialects/Ingot/IR/IngotDialect.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::exporter {

proto::DataType toDataType(Type element) {
  if (isa<StringType>(element))
    return proto::DT_STRING;
  if (isa<VariantType>(element))
    return proto::DT_VARIANT;
  if (element.isF32())
    return proto::DT_FLOAT;
  if (element.isF64())
    return proto::DT_DOUBLE;
  if (element.isF16())
    return proto::DT_HALF;
  if (element.isBF16())
    return proto::DT_BFLOAT16;
  if (auto complex = dyn_cast<ComplexType>(element))
    return complex.getElementType().isF64() ? proto::DT_COMPLEX128
                                            : proto::DT_COMPLEX64;
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return proto::DT_INVALID;
  bool isUnsigned = integer.isUnsigned();
  switch (integer.getWidth()) {
  case 1:
    return proto::DT_BOOL;
  case 8:
    return isUnsigned ? proto::DT_UINT8 : proto::DT_INT8;
  case 16:
    return isUnsigned ? proto::DT_UINT16 : proto::DT_INT16;
  case 32:
    return isUnsigned ? proto::DT_UINT32 : proto::DT_INT32;
  case 64:
    return isUnsigned ? proto::DT_UINT64 : proto::DT_INT64;
  default:
    return proto::DT_INVALID;
  }
}

proto::DataType toTensorType(Type type) {
  if (isa<DatasetType>(type))
    return proto::DT_VARIANT;
  return toDataType(getElementTypeOrSelf(type));
}

proto::TensorShapeProto toShape(ArrayRef<int64_t> dims) {
  proto::TensorShapeProto shape;
  for (int64_t dim : dims)
    shape.add_dim()->set_size(ShapedType::isDynamic(dim) ? -1 : dim);
  return shape;
}

proto::TensorShapeProto toShape(Type tensor) {
  auto type = dyn_cast<ShapedType>(tensor);
  if (type && type.hasRank())
    return toShape(type.getShape());
  proto::TensorShapeProto unknown;
  unknown.set_unknown_rank(true);
  return unknown;
}

proto::AttrValue boolean(bool value) {
  proto::AttrValue result;
  result.set_b(value);
  return result;
}

proto::AttrValue integer(int64_t value) {
  proto::AttrValue result;
  result.set_i(value);
  return result;
}

proto::AttrValue number(float value) {
  proto::AttrValue result;
  result.set_f(value);
  return result;
}

proto::AttrValue text(StringRef value) {
  proto::AttrValue result;
  result.set_s(value.str());
  return result;
}

proto::AttrValue type(proto::DataType value) {
  proto::AttrValue result;
  result.set_type(value);
  return result;
}

proto::AttrValue shape(proto::TensorShapeProto value) {
  proto::AttrValue result;
  *result.mutable_shape() = std::move(value);
  return result;
}

proto::AttrValue integers(ArrayRef<int64_t> values) {
  proto::AttrValue result;
  result.mutable_list();
  for (int64_t value : values)
    result.mutable_list()->add_i(value);
  return result;
}

proto::AttrValue types(ArrayRef<proto::DataType> values) {
  proto::AttrValue result;
  result.mutable_list();
  for (proto::DataType value : values)
    result.mutable_list()->add_type(value);
  return result;
}

proto::AttrValue function(StringRef name) {
  proto::AttrValue result;
  result.mutable_func()->set_name(name.str());
  return result;
}

// Returns the shape of a component of a dataset's elements. A serialized sparse
// tensor is a vector of four strings in the ingot dialect, but of three in
// TensorFlow. As the type does not tell which vectors of four strings are
// serialized sparse tensors, each of them gets an unknown size.
static proto::TensorShapeProto toComponentShape(Type component) {
  proto::TensorShapeProto shape = toShape(component);
  int rank = shape.dim_size();
  if (toTensorType(component) == proto::DT_STRING && rank > 0 &&
      shape.dim(rank - 1).size() == 4)
    shape.mutable_dim(rank - 1)->set_size(-1);
  return shape;
}

void addComponents(AttributeMap &attributes, ArrayRef<Type> components,
                   StringRef typesName) {
  proto::AttrValue &dtypes = attributes[typesName.str()];
  proto::AttrValue &shapes = attributes["output_shapes"];
  dtypes.mutable_list();
  shapes.mutable_list();
  for (Type component : components) {
    dtypes.mutable_list()->add_type(toTensorType(component));
    *shapes.mutable_list()->add_shape() = toComponentShape(component);
  }
}

proto::AttrValue tensor(ElementsAttr value) {
  proto::AttrValue result;
  proto::TensorProto &tensor = *result.mutable_tensor();
  auto type = cast<ShapedType>(value.getType());
  tensor.set_dtype(toDataType(type.getElementType()));
  *tensor.mutable_tensor_shape() = toShape(type);
  if (auto strings = dyn_cast<DenseStringElementsAttr>(value)) {
    for (StringRef element : strings.getRawStringData())
      tensor.add_string_val(element.str());
  } else if (type.getElementType().isInteger(1)) {
    for (bool element : value.getValues<bool>())
      tensor.add_bool_val(element);
  } else if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    ArrayRef<char> bytes = dense.getRawData();
    std::string &content = *tensor.mutable_tensor_content();
    int64_t copies = dense.isSplat() ? type.getNumElements() : 1;
    for (int64_t i = 0; i < copies; ++i)
      content.append(bytes.data(), bytes.size());
  }
  return result;
}

proto::AttrValue strings(ArrayRef<StringRef> values) {
  proto::AttrValue result;
  proto::TensorProto &tensor = *result.mutable_tensor();
  tensor.set_dtype(proto::DT_STRING);
  tensor.mutable_tensor_shape()->add_dim()->set_size(
      static_cast<int64_t>(values.size()));
  for (StringRef value : values)
    tensor.add_string_val(value.str());
  return result;
}

proto::AttrValue string(StringRef value) {
  proto::AttrValue result = strings(value);
  result.mutable_tensor()->mutable_tensor_shape()->clear_dim();
  return result;
}

} // namespace ingot::exporter
