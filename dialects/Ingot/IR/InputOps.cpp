//===- InputOps.cpp - Verifiers of datasets and iterators -----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/InputOps.h"

#include "dialects/Ingot/IR/DatasetOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/RandomOps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotInputOps.cpp.inc"

void mlir::ingot::addInputOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotInputOps.cpp.inc"
      >();
}

static ArrayRef<Type> getComponents(Value dataset) {
  return cast<DatasetType>(dataset.getType()).getComponents();
}

// Reports an error if `found`, the types of components, contradict `expected`.
// `source` says in the message where `expected` comes from, such as "the
// iterator's are".
static LogicalResult verifyComponents(Operation *op, TypeRange found,
                                      TypeRange expected, StringRef source) {
  if (areCompatibleTypeLists(found, expected))
    return success();
  return op->emitOpError("the result's elements are (")
         << found << "), but " << source << " (" << expected
         << "): the types must match";
}

LogicalResult IteratorNextOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto iterator =
      symbols.lookupNearestSymbolFrom<IteratorOp>(*this, getIteratorAttr());
  // The symbol must name an iterator (iterator_next_c1).
  if (!iterator)
    return emitOpError() << getIteratorAttr()
                         << " is not an iterator of the program";
  SmallVector<Type> components =
      llvm::to_vector(iterator.getComponents().getAsValueRange<TypeAttr>());
  // The results must not contradict the iterator's components
  // (iterator_next_c2).
  return verifyComponents(*this, getResultTypes(), components,
                          "the iterator's are");
}

LogicalResult IteratorMakeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // The symbol must name an iterator (iterator_make_c1).
  if (!symbols.lookupNearestSymbolFrom<IteratorOp>(*this, getIteratorAttr()))
    return emitOpError() << getIteratorAttr()
                         << " is not an iterator of the program";
  return success();
}

LogicalResult ParseExampleOp::verify() {
  size_t count = getKeys().size();
  // There must be a default, a shape and a result for each feature key
  // (parse_example_c1).
  if (getDefaults().size() != count || getDenseShapes().size() != count ||
      getOutputs().size() != count)
    return emitOpError("there are ")
           << count << " keys, but " << getDefaults().size() << " defaults, "
           << getDenseShapes().size() << " shapes and " << getOutputs().size()
           << " results: each key needs one of each";
  Shape serialized = getTensorShape(getSerialized().getType());
  for (auto [key, shapeAttr, value, output] :
       llvm::zip_equal(getKeys().getAsRange<StringAttr>(), getDenseShapes(),
                       getDefaults(), getOutputs())) {
    Type element = getElementTypeOrSelf(output);
    // Results must be float, int64 or string (parse_example_c2).
    if (!element.isF32() && !element.isSignlessInteger(64) &&
        !isa<StringType>(element))
      return emitOpError("feature ")
             << key << " has elements of type " << element
             << ", but features are float, int64 or string";
    // A feature's default must have the element type of its result
    // (parse_example_c2).
    if (getElementTypeOrSelf(value) != element)
      return emitOpError("feature ")
             << key << " has elements of type " << element
             << ", but its default has elements of type "
             << getElementTypeOrSelf(value);
    auto shape = dyn_cast<DenseI64ArrayAttr>(shapeAttr);
    // The shape of each feature key must be an array of i64 (parse_example_c1).
    if (!shape)
      return emitOpError("the shape of feature ")
             << key << " must be an array of i64, but is " << shapeAttr;
    if (!serialized)
      continue;
    SmallVector<int64_t> expected(*serialized);
    for (int64_t dim : shape.asArrayRef())
      expected.push_back(dim < 0 ? ShapedType::kDynamic : dim);
    // A result's shape must be the shape of `serialized` followed by the shape
    // of the feature (parse_example_c3).
    if (!areCompatibleShapes(expected, getTensorShape(output.getType())))
      return emitOpError("the result for feature ")
             << key << " must have shape " << toString(expected)
             << ", but has shape "
             << toString(getTensorShape(output.getType()));
  }
  return success();
}

LogicalResult TensorDatasetOp::verify() {
  // The result's components must be the operands' types (tensor_dataset_c1).
  return verifyComponents(*this, getComponents(getDataset()), getOperandTypes(),
                          "the tensors are");
}

LogicalResult TensorSliceDatasetOp::verify() {
  SmallVector<Type> slices;
  int64_t length = ShapedType::kDynamic;
  // The result's components must be the operands' types without their first
  // dimension, whose size must be the same in all operands
  // (tensor_slice_dataset_c1).
  for (Type type : getOperandTypes()) {
    Shape shape = getTensorShape(type);
    if (!shape) {
      slices.push_back(type);
      continue;
    }
    if (shape->empty())
      return emitOpError(
          "cannot slice a scalar: each operand needs a first dimension");
    if (!areCompatibleDims(length, shape->front()))
      return emitOpError(
                 "the tensors must have the same first dimension, but got ")
             << length << " and " << shape->front();
    if (ShapedType::isDynamic(length))
      length = shape->front();
    shape->erase(shape->begin());
    slices.push_back(getTensorType(shape, getElementTypeOrSelf(type)));
  }
  return verifyComponents(*this, getComponents(getDataset()), slices,
                          "the tensors' slices are");
}

LogicalResult RangeDatasetOp::verify() {
  ArrayRef<Type> components = getComponents(getDataset());
  // Elements of a range dataset are int64 in TensorFlow, but any numeric type
  // may be declared: TensorFlow casts the elements to it.
  bool isNumber = components.size() == 1 &&
                  getElementTypeOrSelf(components[0]).isIntOrFloat() &&
                  !getElementTypeOrSelf(components[0]).isInteger(1) &&
                  !getElementTypeOrSelf(components[0]).isF16() &&
                  !getElementTypeOrSelf(components[0]).isBF16();
  // A constant step must not be 0 (range_dataset_c2).
  if (getConstantInt(getStep()).value_or(1) == 0)
    return emitOpError("the step must not be 0");
  Type number = isNumber ? getElementTypeOrSelf(components[0])
                         : IntegerType::get(getContext(), 64);
  // The element must be a scalar: an integer of 8 to 64 bits, a float32 or a
  // float64 (range_dataset_c1).
  return verifyComponents(*this, components, RankedTensorType::get({}, number),
                          "a range's are");
}

LogicalResult TFRecordDatasetOp::verify() {
  if (failed(verifyCompression(*this, getCompressionType())))
    return failure();
  Type record = RankedTensorType::get({}, StringType::get(getContext()));
  // The element must be one string scalar (tf_record_dataset_c1).
  return verifyComponents(*this, getComponents(getDataset()), record,
                          "records are");
}

// The function must receive the components of an input's element, and return
// those of a result's element (map_dataset_c1).
static LogicalResult verifyMapFunction(Operation *op, FlatSymbolRefAttr symbol,
                                       TypeRange input, TypeRange output,
                                       SymbolTableCollection &symbols) {
  auto function =
      symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, symbol);
  if (!function)
    return op->emitOpError() << symbol << " is not a function of the program";
  auto mismatch = [&](StringRef does, TypeRange found, StringRef what,
                      TypeRange expected) {
    InFlightDiagnostic error = op->emitOpError()
                               << symbol << " " << does << " (" << found
                               << "), but " << what << " (" << expected
                               << "): the function's types must match";
    error.attachNote(function.getLoc()) << "the function is defined here";
    return error;
  };
  // A function that ingot-lower-entries-to-functions has lowered takes buffers,
  // also for its results, so its types are no longer those of the elements.
  if (llvm::any_of(function.getArgumentTypes(),
                   [](Type type) { return isa<MemRefType>(type); }))
    return success();
  if (!areCompatibleTypeLists(getElementArguments(function), input))
    return mismatch("takes", getElementArguments(function),
                    "the input's elements are", input);
  if (!areCompatibleTypeLists(getElementResults(function), output))
    return mismatch("returns", getElementResults(function),
                    "the result's elements are", output);
  return success();
}

LogicalResult MapDatasetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMapFunction(*this, getFunctionAttr(), getComponents(getInput()),
                           getComponents(getDataset()), symbols);
}

LogicalResult
ParallelMapDatasetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyMapFunction(*this, getFunctionAttr(), getComponents(getInput()),
                           getComponents(getDataset()), symbols);
}

LogicalResult FlatMapDatasetOp::verify() {
  Block &block = getBody().front();
  // The block's arguments must be the input's components (flat_map_dataset_c1).
  if (!areCompatibleTypeLists(block.getArgumentTypes(),
                              getComponents(getInput())))
    return emitOpError("the region's arguments are (")
           << block.getArgumentTypes() << "), but the input's elements are ("
           << TypeRange(getComponents(getInput())) << ")";
  auto yield = dyn_cast<YieldOp>(block.back());
  // The region must yield a dataset of the result's components
  // (flat_map_dataset_c2).
  if (!yield)
    return emitOpError("the region must end in ingot.yield of one dataset");
  return verifyComponents(*this, getComponents(getDataset()),
                          getComponents(yield.getDataset()),
                          "the yielded dataset's are");
}

// The result must have the input's components, because each element of the
// result is an element of the input (same_elements_c1).
static LogicalResult verifySameElements(Operation *op) {
  return verifyComponents(op, getComponents(op->getResult(0)),
                          getComponents(op->getOperand(0)), "the input's are");
}

LogicalResult ShuffleDatasetOp::verify() {
  std::optional<int64_t> size = getConstantInt(getBufferSize());
  // A constant buffer size must be positive (shuffle_dataset_c1).
  if (size && *size <= 0)
    return emitOpError("the buffer size must be positive, but is ") << *size;
  return verifySameElements(*this);
}

LogicalResult RepeatDatasetOp::verify() { return verifySameElements(*this); }
LogicalResult TakeDatasetOp::verify() { return verifySameElements(*this); }
LogicalResult SkipDatasetOp::verify() { return verifySameElements(*this); }
LogicalResult PrefetchDatasetOp::verify() {
  std::optional<int64_t> size = getConstantInt(getBufferSize());
  // A constant buffer size must not be negative, except for -1
  // (prefetch_dataset_c1).
  if (size && *size < -1)
    return emitOpError("the buffer size must be at least 0, or -1 for "
                       "AUTOTUNE, but is ")
           << *size;
  return verifySameElements(*this);
}

LogicalResult BatchDatasetOp::verify() {
  std::optional<int64_t> size = getConstantInt(getBatchSize());
  // A constant batch size must be positive (batch_dataset_c2).
  if (size && *size <= 0)
    return emitOpError("the batch size must be positive, but is ") << *size;
  // The result's components must be those of the input with the batch as first
  // dimension (batch_dataset_c1).
  SmallVector<Type> batches;
  for (Type type : getComponents(getInput())) {
    if (!isa<TensorType>(type))
      return emitOpError("only tensors can be batched, but a component is ")
             << type;
    Shape shape = getTensorShape(type);
    if (shape)
      shape->insert(shape->begin(), size ? *size : ShapedType::kDynamic);
    batches.push_back(getTensorType(shape, getElementTypeOrSelf(type)));
  }
  return verifyComponents(*this, getComponents(getDataset()), batches,
                          "the input's batches are");
}
