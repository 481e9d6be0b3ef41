//===- ConvertTypes.cpp - Converts TensorFlow's types to MLIR's -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Graph/ConvertTypes.h"

#include "dialects/Ingot/IR/IngotDialect.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

// TensorFlow's own limit on the rank of a tensor (TensorShape::MaxDimensions).
static constexpr int maxRank = 254;

namespace ingot::importer {

Type convertElementType(proto::DataType type, MLIRContext *context) {
  switch (type) {
  case proto::DT_FLOAT:
    return Float32Type::get(context);
  case proto::DT_DOUBLE:
    return Float64Type::get(context);
  case proto::DT_HALF:
    return Float16Type::get(context);
  case proto::DT_BFLOAT16:
    return BFloat16Type::get(context);
  case proto::DT_COMPLEX64:
    return ComplexType::get(Float32Type::get(context));
  case proto::DT_COMPLEX128:
    return ComplexType::get(Float64Type::get(context));
  case proto::DT_BOOL:
    return IntegerType::get(context, 1);
  case proto::DT_INT8:
    return IntegerType::get(context, 8);
  case proto::DT_INT16:
    return IntegerType::get(context, 16);
  case proto::DT_INT32:
    return IntegerType::get(context, 32);
  case proto::DT_INT64:
    return IntegerType::get(context, 64);
  case proto::DT_UINT8:
    return IntegerType::get(context, 8, IntegerType::Unsigned);
  case proto::DT_UINT16:
    return IntegerType::get(context, 16, IntegerType::Unsigned);
  case proto::DT_UINT32:
    return IntegerType::get(context, 32, IntegerType::Unsigned);
  case proto::DT_UINT64:
    return IntegerType::get(context, 64, IntegerType::Unsigned);
  case proto::DT_STRING:
    return mlir::ingot::StringType::get(context);
  default:
    return {};
  }
}

std::string getTypeName(proto::DataType type) {
  switch (type) {
  case proto::DT_FLOAT:
    return "float32";
  case proto::DT_DOUBLE:
    return "float64";
  case proto::DT_HALF:
    return "float16";
  default:
    break;
  }
  if (!proto::DataType_IsValid(type))
    return "dtype " + std::to_string(static_cast<int>(type));
  // The enum value's name "DT_INT64" becomes "int64".
  return llvm::StringRef(proto::DataType_Name(type)).drop_front(3).lower();
}

TensorType convertTensorType(proto::DataType type,
                             const proto::TensorShapeProto *shape,
                             MLIRContext *context, std::string &error) {
  Type element = convertElementType(type, context);
  if (!element) {
    error = "element type " + getTypeName(type);
    return {};
  }
  if (!shape || shape->unknown_rank())
    return UnrankedTensorType::get(element);
  if (shape->dim_size() > maxRank) {
    error = "a shape of rank " + std::to_string(shape->dim_size()) +
            ", greater than " + std::to_string(maxRank);
    return {};
  }
  SmallVector<int64_t> dims;
  int64_t count = 1;
  for (const proto::TensorShapeProto::Dim &dim : shape->dim()) {
    // Reject shapes whose size in bytes may overflow int64. The largest element
    // type, complex128, has 16 bytes.
    if (dim.size() < -1 ||
        (dim.size() > 0 && count > INT64_MAX / 16 / dim.size())) {
      error = "a shape with dimension " + std::to_string(dim.size()) +
              (dim.size() < -1 ? ", expected -1 (unknown) or a size"
                               : ", which makes the tensor too large");
      return {};
    }
    if (dim.size() > 0)
      count *= dim.size();
    dims.push_back(dim.size() == -1 ? ShapedType::kDynamic : dim.size());
  }
  return RankedTensorType::get(dims, element);
}

TensorType refineType(TensorType type, TensorType other) {
  if (!other || type.getElementType() != other.getElementType())
    return type;
  if (!type.hasRank())
    return other;
  if (!other.hasRank() || other.getRank() != type.getRank())
    return type;
  SmallVector<int64_t> dims;
  for (auto [dim, otherDim] : llvm::zip(type.getShape(), other.getShape())) {
    if (ShapedType::isStatic(dim) && ShapedType::isStatic(otherDim) &&
        dim != otherDim)
      return type;
    dims.push_back(ShapedType::isStatic(dim) ? dim : otherDim);
  }
  return RankedTensorType::get(dims, type.getElementType());
}

static std::string describeElement(Type type) {
  if (type.isInteger(1))
    return "bool";
  if (type.isBF16())
    return "bfloat16";
  if (auto complex = dyn_cast<ComplexType>(type))
    return "complex" +
           std::to_string(2 * complex.getElementType().getIntOrFloatBitWidth());
  if (isa<FloatType>(type))
    return "float" + std::to_string(type.getIntOrFloatBitWidth());
  if (auto integer = dyn_cast<IntegerType>(type))
    return (integer.isUnsigned() ? "uint" : "int") +
           std::to_string(integer.getWidth());
  return "string";
}

std::string describeType(Type type) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return "dataset";
  std::string text = describeElement(tensor.getElementType());
  if (!tensor.hasRank())
    return text + " [unknown rank]";
  text += " [";
  for (auto [index, dim] : llvm::enumerate(tensor.getShape())) {
    if (index)
      text += ", ";
    text += ShapedType::isDynamic(dim) ? "?" : std::to_string(dim);
  }
  return text + "]";
}

std::string describeTypes(llvm::ArrayRef<Type> types) {
  std::string text;
  for (Type type : types)
    text += (text.empty() ? "(" : ", ") + describeType(type);
  return text.empty() ? "()" : text + ")";
}

} // namespace ingot::importer
