//===- GraphImpl.cpp - A program under construction -----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Builder/GraphImpl.h"

#include "dialects/Ingot/IR/InferredOps.h"
#include "dialects/Ingot/IR/IngotDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

GraphImpl::GraphImpl()
    : context(MLIRContext::Threading::DISABLED), builder(&context) {
  context.loadDialect<IngotDialect, func::FuncDialect>();
  context.printOpOnDiagnostic(false);
  module = ModuleOp::create(builder, UnknownLoc::get(&context));
}

void GraphImpl::error(const llvm::Twine &where, const llvm::Twine &message) {
  std::string place = where.str();
  std::string text =
      (place.empty() ? message : "'" + place + "': " + message).str();
  // A network that is built several times reports the same error each time.
  // Record the error only once.
  if (!llvm::is_contained(errors, text))
    errors.push_back(std::move(text));
}

static std::string nameOf(Location loc) {
  auto name = dyn_cast<NameLoc>(loc);
  return name ? name.getName().str() : std::string();
}

DiagnosticCollector::DiagnosticCollector(GraphImpl &data)
    : handler(&data.context, [&data](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return success();
        std::string text = diagnostic.str();
        StringRef message = text;
        // Users know an op by its name in the graph, which the location gives.
        // So drop the prefix "'ingot.OP' op" of MLIR's message.
        if (message.consume_front("'ingot."))
          message = message.split("op ").second;
        data.error(nameOf(diagnostic.getLocation()), message);
        return success();
      }) {}

std::optional<SmallVector<Value>> unwrap(ArrayRef<Tensor> tensors) {
  SmallVector<Value> values;
  for (Tensor tensor : tensors) {
    if (!tensor)
      return std::nullopt;
    values.push_back(unwrap(tensor));
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Names of symbols, ops and layers
//===----------------------------------------------------------------------===//

std::string GraphImpl::uniqueSymbol(StringRef name) {
  std::string symbol = name.empty() ? "_" : name.str();
  for (int number = 1; !symbols.insert(symbol).second; ++number)
    symbol = (name + "_" + llvm::Twine(number)).str();
  return symbol;
}

Location GraphImpl::newLocation(StringRef name) {
  std::string full = scope + name.str();
  unsigned count = names[full]++;
  if (count)
    full += "_" + std::to_string(count);
  return NameLoc::get(StringAttr::get(&context, full));
}

std::string GraphImpl::layerName(StringRef kind) {
  unsigned count = layers[scope + kind.str()]++;
  return count ? (kind + "_" + llvm::Twine(count)).str() : kind.str();
}

void GraphImpl::restartLayers(StringRef scope) {
  SmallVector<std::string> inside;
  for (const auto &layer : layers)
    if (layer.first().starts_with(scope))
      inside.push_back(layer.first().str());
  for (const std::string &layer : inside)
    layers.erase(layer);
}

//===----------------------------------------------------------------------===//
// Creation of types and constants
//===----------------------------------------------------------------------===//

Type GraphImpl::elementType(DType dtype) {
  switch (dtype) {
  case DType::Float32:
    return builder.getF32Type();
  case DType::Float64:
    return builder.getF64Type();
  case DType::Float16:
    return builder.getF16Type();
  case DType::BFloat16:
    return builder.getBF16Type();
  case DType::Bool:
    return builder.getI1Type();
  case DType::Int8:
    return builder.getI8Type();
  case DType::Int16:
    return builder.getI16Type();
  case DType::Int32:
    return builder.getI32Type();
  case DType::Int64:
    return builder.getI64Type();
  case DType::UInt8:
    return builder.getIntegerType(8, false);
  case DType::UInt16:
    return builder.getIntegerType(16, false);
  case DType::UInt32:
    return builder.getIntegerType(32, false);
  case DType::UInt64:
    return builder.getIntegerType(64, false);
  case DType::String:
    return StringType::get(&context);
  }
  return builder.getF32Type();
}

RankedTensorType GraphImpl::tensorType(DType dtype, const Shape &shape,
                                       const llvm::Twine &where) {
  SmallVector<int64_t> dims;
  for (int64_t dim : shape) {
    if (dim < unknown) {
      error(where, "invalid dimension " + llvm::Twine(dim) +
                       "; expected a size, or -1 if it is unknown");
      return {};
    }
    dims.push_back(dim == unknown ? ShapedType::kDynamic : dim);
  }
  return RankedTensorType::get(dims, elementType(dtype));
}

ElementsAttr GraphImpl::elements(const Array &array, const llvm::Twine &where) {
  RankedTensorType type = tensorType(array.dtype(), array.shape(), where);
  if (!type)
    return {};
  int64_t expected = 1;
  for (int64_t dim : array.shape())
    if (dim < 0 || __builtin_mul_overflow(expected, dim, &expected)) {
      error(where, dim < 0 ? "an array needs a static shape"
                           : "an array has more than 2^63 - 1 elements");
      return {};
    }
  auto check = [&](size_t found, int64_t wanted) {
    if (static_cast<uint64_t>(wanted) == found)
      return true;
    error(where, "an array has " + llvm::Twine(found) +
                     (array.dtype() == DType::String ? " strings" : " bytes") +
                     ", but its shape needs " + llvm::Twine(wanted));
    return false;
  };
  if (array.dtype() == DType::String) {
    if (!check(array.strings().size(), expected))
      return {};
    SmallVector<StringRef> texts(array.strings().begin(),
                                 array.strings().end());
    return DenseStringElementsAttr::get(type, texts);
  }
  int64_t width = type.getElementType().isInteger(1)
                      ? 1
                      : type.getElementType().getIntOrFloatBitWidth() / 8;
  if (expected > INT64_MAX / width) {
    error(where, "an array of " + llvm::Twine(expected) +
                     " elements has more than 2^63 - 1 bytes");
    return {};
  }
  if (!check(array.bytes().size(), expected * width))
    return {};
  if (expected == 0)
    return DenseElementsAttr::get(type, ArrayRef<mlir::Attribute>());
  if (type.getElementType().isInteger(1)) {
    SmallVector<bool> bits;
    for (char byte : array.bytes())
      bits.push_back(byte != 0);
    return DenseElementsAttr::get(type, bits);
  }
  return DenseElementsAttr::getFromRawBuffer(
      type, ArrayRef<char>(array.bytes().data(), array.bytes().size()));
}

DenseElementsAttr splat(RankedTensorType type, double value) {
  Type element = type.getElementType();
  if (auto number = dyn_cast<FloatType>(element)) {
    llvm::APFloat converted(value);
    bool lost;
    converted.convert(number.getFloatSemantics(),
                      llvm::APFloat::rmNearestTiesToEven, &lost);
    return DenseElementsAttr::get(type, converted);
  }
  unsigned width = element.getIntOrFloatBitWidth();
  llvm::APInt integer(64, static_cast<uint64_t>(static_cast<int64_t>(value)));
  return DenseElementsAttr::get(type, integer.zextOrTrunc(width));
}

Value GraphImpl::constant(ElementsAttr value) {
  Operation *op = create("constant", {}, builder.getNamedAttr("value", value),
                         value.getShapedType());
  return op ? op->getResult(0) : Value();
}

Value GraphImpl::ints(ArrayRef<int64_t> values, bool isScalar, bool is64Bits) {
  Type element = is64Bits ? builder.getI64Type() : builder.getI32Type();
  SmallVector<int64_t, 1> shape;
  if (!isScalar)
    shape.push_back(values.size());
  auto type = RankedTensorType::get(shape, element);
  SmallVector<llvm::APInt> numbers;
  for (int64_t value : values)
    numbers.push_back(llvm::APInt(is64Bits ? 64 : 32, value, true, true));
  return constant(DenseElementsAttr::get(type, numbers));
}

Value GraphImpl::boolean(bool value) {
  return constant(DenseElementsAttr::get(
      RankedTensorType::get({}, builder.getI1Type()), value));
}

Value GraphImpl::string(StringRef value) {
  return constant(DenseStringElementsAttr::get(
      RankedTensorType::get({}, StringType::get(&context)), value));
}

Value GraphImpl::strings(ArrayRef<std::string> values) {
  SmallVector<StringRef> texts(values.begin(), values.end());
  return constant(DenseStringElementsAttr::get(
      RankedTensorType::get({static_cast<int64_t>(texts.size())},
                            StringType::get(&context)),
      texts));
}

//===----------------------------------------------------------------------===//
// Creation of ops
//===----------------------------------------------------------------------===//

Operation *GraphImpl::create(StringRef op, ValueRange operands,
                             ArrayRef<NamedAttribute> attributes) {
  return create(newLocation(op), op, operands, attributes);
}

Operation *GraphImpl::create(Location loc, StringRef op, ValueRange operands,
                             ArrayRef<NamedAttribute> attributes) {
  auto name = RegisteredOperationName::lookup(("ingot." + op).str(), &context);
  if (!name) {
    error(nameOf(loc), "unknown op '" + op + "'");
    return nullptr;
  }
  if (!name->hasInterface<InferTypeOpInterface>()) {
    error(nameOf(loc),
          "cannot infer the result types of '" + op + "' from its operands");
    return nullptr;
  }
  if (!builder.getInsertionBlock()) {
    error(nameOf(loc), "no open entry; begin one first");
    return nullptr;
  }
  DiagnosticCollector collect(*this);
  size_t before = errors.size();
  Operation *made =
      createInferred(builder, loc, name->getStringRef(), operands, attributes);
  if (!made) {
    if (errors.size() == before)
      error(nameOf(loc), "cannot infer the result types of '" + op +
                             "': its operands are incompatible");
    return nullptr;
  }
  if (succeeded(verify(made, /*verifyRecursively=*/false)))
    return made;
  made->erase();
  return nullptr;
}

Operation *GraphImpl::create(StringRef op, ValueRange operands,
                             ArrayRef<NamedAttribute> attributes,
                             TypeRange results) {
  Location loc = newLocation(op);
  if (!builder.getInsertionBlock()) {
    error(nameOf(loc), "no open entry; begin one first");
    return nullptr;
  }
  OperationState state(loc, ("ingot." + op).str());
  state.addOperands(operands);
  state.addTypes(results);
  state.addAttributes(attributes);
  return builder.create(state);
}

void GraphImpl::within(Block *block, llvm::function_ref<void()> make) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(block);
  make();
}

} // namespace ingot::graph
