//===- DatasetOps.cpp - Verifiers of the datasets of IngotDataset.td ------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/DatasetOps.h"

#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/RandomOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotDatasetOps.cpp.inc"

void mlir::ingot::addDatasetOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotDatasetOps.cpp.inc"
      >();
}

StringRef mlir::ingot::getDatasetName(Operation *op) {
  static const llvm::StringMap<StringRef> names = {
#include "dialects/Ingot/DatasetNames.inc"
  };
  return names.lookup(op->getName().getStringRef());
}

static ArrayRef<Type> getComponents(Value dataset) {
  return cast<DatasetType>(dataset.getType()).getComponents();
}

// Reports an error if the types of the components of the op's result contradict
// `expected`. `source` says in the message where `expected` comes from, such as
// "the input's are".
static LogicalResult verifyComponents(Operation *op, TypeRange expected,
                                      StringRef source) {
  TypeRange found = getComponents(op->getResult(0));
  if (areCompatibleTypeLists(found, expected))
    return success();
  return op->emitOpError("the result's elements are (")
         << found << "), but " << source << " (" << expected
         << "): the types must match";
}

// Elements of a dataset of files must be single strings without dimensions
// (file_dataset_c1).
static LogicalResult verifyRecords(Operation *op) {
  Type record = RankedTensorType::get({}, StringType::get(op->getContext()));
  return verifyComponents(op, record, "a file's records are");
}

// The compression, if it is a constant, must be "", "GZIP" or "ZLIB"
// (file_dataset_c2).
LogicalResult mlir::ingot::verifyCompression(Operation *op, Value compression) {
  DenseStringElementsAttr constant;
  if (!matchPattern(compression, m_Constant(&constant)))
    return success();
  for (StringRef name : constant.getValues<StringRef>())
    if (!name.empty() && name != "GZIP" && name != "ZLIB")
      return op->emitOpError("compression '")
             << name << "' is not supported, expected '', 'GZIP' or 'ZLIB'";
  return success();
}

LogicalResult TextLineDatasetOp::verify() {
  if (failed(verifyCompression(*this, getCompressionType())))
    return failure();
  return verifyRecords(*this);
}

LogicalResult TFRecordDatasetV2Op::verify() {
  if (failed(verifyCompression(*this, getCompressionType())))
    return failure();
  auto offsets = getConstantInts(getByteOffsets());
  auto files = getNumElements(getTensorShape(getFilenames().getType()));
  // Constant offsets must not be negative, and there must be one for each file
  // (tf_record_dataset_v2_c1).
  if (offsets && files && *files != static_cast<int64_t>(offsets->size()))
    return emitOpError("there are ")
           << offsets->size() << " byte offsets for " << *files
           << " files, but each file needs one";
  for (int64_t offset : offsets.value_or(SmallVector<int64_t>()))
    if (offset < 0)
      return emitOpError("byte offsets must not be negative, but one is ")
             << offset;
  return verifyRecords(*this);
}

LogicalResult FixedLengthRecordDatasetOp::verify() {
  std::optional<int64_t> length = getConstantInt(getRecordBytes());
  // A constant length of records must be positive (fixed_length_c1).
  if (length && *length <= 0)
    return emitOpError("the length of records must be positive, but is ")
           << *length;
  for (Value size : {getHeaderBytes(), getRecordBytes(), getFooterBytes()})
    // Constant sizes of headers, records and footers must be 0 to 2^40
    // (fixed_length_c2).
    if (std::optional<int64_t> bytes = getConstantInt(size);
        bytes && (*bytes < 0 || *bytes > int64_t(1) << 40))
      return emitOpError("the length of a header, record or footer must be 0 "
                         "to 2^40 bytes, but is ")
             << *bytes;
  if (failed(verifyCompression(*this, getCompressionType())))
    return failure();
  return verifyRecords(*this);
}

LogicalResult ZipDatasetOp::verify() {
  SmallVector<Type> components;
  for (Value input : getInputs())
    llvm::append_range(components, getComponents(input));
  // There must be at least one input, and the result's components must be the
  // components of all inputs in order (zip_dataset_c1).
  if (getInputs().empty())
    return emitOpError("needs at least one input");
  return verifyComponents(*this, components, "the inputs' are");
}

LogicalResult ConcatenateDatasetOp::verify() {
  if (failed(verifyComponents(*this, getComponents(getFirst()),
                              "the first input's are")))
    return failure();
  // Both inputs must have the result's components (concatenate_dataset_c1).
  return verifyComponents(*this, getComponents(getSecond()),
                          "the second input's are");
}

LogicalResult InterleaveDatasetOp::verify() {
  Block &block = getBody().front();
  // The block's arguments must be the input's components
  // (interleave_dataset_c1).
  if (!areCompatibleTypeLists(block.getArgumentTypes(),
                              getComponents(getInput())))
    return emitOpError("the region's arguments are (")
           << block.getArgumentTypes() << "), but the input's elements are ("
           << TypeRange(getComponents(getInput())) << ")";
  std::optional<int64_t> cycle = getConstantInt(getCycleLength());
  std::optional<int64_t> turn = getConstantInt(getBlockLength());
  // A constant cycle length must be positive or -1, and a constant block length
  // must be positive (interleave_dataset_c3).
  if (cycle && *cycle <= 0 && *cycle != -1)
    return emitOpError("the cycle length must be positive, or -1 for "
                       "AUTOTUNE, but is ")
           << *cycle;
  if (turn && *turn <= 0)
    return emitOpError("the block length must be positive, but is ") << *turn;
  auto yield = dyn_cast<YieldOp>(block.back());
  // The region must yield a dataset of the result's components
  // (interleave_dataset_c2).
  if (!yield)
    return emitOpError("the region must end in ingot.yield of one dataset");
  return verifyComponents(*this, getComponents(yield.getDataset()),
                          "the yielded dataset's are");
}

// Each element of the result is an element of the input, so the result has the
// input's components (part_dataset_c1).
static LogicalResult verifySameElements(Operation *op) {
  return verifyComponents(op, getComponents(op->getOperand(0)),
                          "the input's are");
}

LogicalResult FilterDatasetOp::verify() { return verifySameElements(*this); }

// Whether ingot-lower-entries-to-functions has lowered a dataset's function:
// the function then receives buffers, also those to which it writes its
// results.
static bool isLowered(FunctionOpInterface function) {
  return llvm::any_of(function.getArgumentTypes(),
                      [](Type type) { return isa<MemRefType>(type); });
}

// Verifies that the function receives the components of an element and returns
// one boolean, which says whether to keep the element (filter_dataset_c1).
static LogicalResult verifyPredicate(Operation *op, FlatSymbolRefAttr symbol,
                                     TypeRange input,
                                     SymbolTableCollection &symbols) {
  auto function =
      symbols.lookupNearestSymbolFrom<FunctionOpInterface>(op, symbol);
  if (!function)
    return op->emitOpError() << symbol << " is not a function of the program";
  if (isLowered(function))
    return success();
  Type verdict =
      RankedTensorType::get({}, IntegerType::get(op->getContext(), 1));
  if (areCompatibleTypeLists(getElementArguments(function), input) &&
      areCompatibleTypeLists(getElementResults(function), verdict))
    return success();
  return op->emitOpError() << "predicate " << symbol << " has type ("
                           << getElementArguments(function) << ") -> ("
                           << getElementResults(function) << "), expected ("
                           << input << ") -> (" << verdict << ")";
}

LogicalResult
FilterDatasetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyPredicate(*this, getFunctionAttr(), getComponents(getInput()),
                         symbols);
}

LogicalResult TakeWhileDatasetOp::verify() { return verifySameElements(*this); }

LogicalResult
TakeWhileDatasetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  return verifyPredicate(*this, getFunctionAttr(), getComponents(getInput()),
                         symbols);
}

// The function must receive the state and the components of an input's element,
// and return the new state and the components of a result's element
// (scan_dataset_c1).
LogicalResult ScanDatasetOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getFunctionAttr());
  if (!function)
    return emitOpError() << getFunctionAttr()
                         << " is not a function of the program";
  if (isLowered(function))
    return success();
  SmallVector<Type> arguments(getInitialState().getTypes());
  SmallVector<Type> results = arguments;
  llvm::append_range(arguments, getComponents(getInput()));
  llvm::append_range(results, getComponents(getDataset()));
  if (areCompatibleTypeLists(getElementArguments(function), arguments) &&
      areCompatibleTypeLists(getElementResults(function), results))
    return success();
  return emitOpError() << getFunctionAttr() << " takes ("
                       << getElementArguments(function) << ") and returns ("
                       << getElementResults(function) << "), but should take ("
                       << TypeRange(arguments) << ") and return ("
                       << TypeRange(results) << ")";
}

LogicalResult ShardDatasetOp::verify() {
  std::optional<int64_t> count = getConstantInt(getNumShards());
  std::optional<int64_t> index = getConstantInt(getIndex());
  // A constant index must lie within a constant number of shards
  // (shard_dataset_c1).
  if (count && *count <= 0)
    return emitOpError("the number of shards must be positive, but is ")
           << *count;
  if (index && *index < 0)
    return emitOpError("the index of a shard must not be negative, but is ")
           << *index;
  if (count && index && *index >= *count)
    return emitOpError(
               "the index of a shard must be less than the number of shards, ")
           << *count << ", but is " << *index;
  return verifySameElements(*this);
}

LogicalResult AssertCardinalityDatasetOp::verify() {
  return verifySameElements(*this);
}

LogicalResult CacheDatasetOp::verify() {
  DenseStringElementsAttr file;
  bool isInFile = matchPattern(getFilename(), m_Constant(&file)) &&
                  llvm::any_of(file.getValues<StringRef>(),
                               [](StringRef name) { return !name.empty(); });
  ArrayRef<Type> components = getComponents(getInput());
  // If `filename` is a constant that is not empty, the components of elements
  // must be tensors (cache_dataset_c1).
  if (isInFile && (components.empty() ||
                   !llvm::all_of(components, llvm::IsaPred<TensorType>)))
    return emitOpError("a cache in a file needs elements of one or more "
                       "tensors, but the input's elements are (")
           << TypeRange(components) << ")";
  return verifySameElements(*this);
}

LogicalResult UnbatchDatasetOp::verify() {
  SmallVector<Type> rows;
  for (Type type : getComponents(getInput())) {
    Shape shape = getTensorShape(type);
    if (shape && shape->empty())
      return emitOpError("cannot unbatch scalar components, but the input's "
                         "elements are (")
             << TypeRange(getComponents(getInput())) << ")";
    if (shape)
      shape->erase(shape->begin());
    rows.push_back(getTensorType(shape, getElementTypeOrSelf(type)));
  }
  // The result's components must be those of the input without their first
  // dimension (unbatch_dataset_c1).
  return verifyComponents(*this, rows, "the input's rows are");
}

LogicalResult PaddedBatchDatasetOp::verify() {
  size_t count = getComponents(getInput()).size();
  // There must be a shape and a padding value for each component of an element
  // (padded_batch_c1).
  if (getPaddedShapes().size() != count || getPaddingValues().size() != count)
    return emitOpError("expected one padded shape and one padding value for "
                       "each of the ")
           << count << " components, but got " << getPaddedShapes().size()
           << " padded shapes and " << getPaddingValues().size()
           << " padding values";
  std::optional<int64_t> size = getConstantInt(getBatchSize());
  // A constant batch size must be positive (padded_batch_c2).
  if (size && *size <= 0)
    return emitOpError("the batch size must be positive, but is ") << *size;
  return success();
}

// Returns false if `value` is a constant that does not list column indices in
// ascending order. Sets `count` to the number of indices, or to 0 if `value` is
// not constant.
static bool areColumns(Value value, size_t &count) {
  auto columns = getConstantInts(value);
  count = columns ? columns->size() : 0;
  return !columns || ((columns->empty() || columns->front() >= 0) &&
                      llvm::adjacent_find(*columns, std::greater_equal<>()) ==
                          columns->end());
}

LogicalResult CSVDatasetOp::verify() {
  SmallVector<Type> columns;
  for (Value value : getRecordDefaults()) {
    Type element = getElementTypeOrSelf(value.getType());
    // Each component must be a scalar of its default's type: float32, float64,
    // int32, int64 or string (csv_dataset_c1).
    if (!element.isF32() && !element.isF64() && !element.isInteger(32) &&
        !element.isInteger(64) && !isa<StringType>(element))
      return emitOpError("columns must be float32, float64, int32, int64 or "
                         "string, not ")
             << element;
    Shape shape = getTensorShape(value.getType());
    // A default must have at most one element, and `select_cols`, if it is
    // constant and not empty, must have as many elements as there are defaults
    // (csv_dataset_c4).
    if (shape && (shape->size() > 1 || (shape->size() == 1 && (*shape)[0] > 1)))
      return emitOpError("a default must have at most one element, but has "
                         "shape ")
             << toString(shape);
    columns.push_back(RankedTensorType::get({}, element));
  }
  DenseStringElementsAttr delimiter;
  // A constant `field_delim` must be one character (csv_dataset_c2).
  if (matchPattern(getFieldDelim(), m_Constant(&delimiter)) &&
      delimiter.getNumElements() == 1 &&
      (*delimiter.getValues<StringRef>().begin()).size() != 1)
    return emitOpError("field_delim must be one character, but is '")
           << *delimiter.getValues<StringRef>().begin() << "'";
  if (failed(verifyCompression(*this, getCompressionType())))
    return failure();
  size_t numSelected, numExcluded;
  // Constant `select_cols` and `exclude_cols` must be column indices in
  // ascending order, and one of the two must be empty (csv_dataset_c3).
  if (!areColumns(getSelectCols(), numSelected))
    return emitOpError("select_cols must list column indices, 0 or more, in "
                       "ascending order, but is ")
           << toString(*getConstantInts(getSelectCols()));
  if (!areColumns(getExcludeCols(), numExcluded))
    return emitOpError("exclude_cols must list column indices, 0 or more, in "
                       "ascending order, but is ")
           << toString(*getConstantInts(getExcludeCols()));
  if (numSelected && numExcluded)
    return emitOpError("select_cols and exclude_cols are both given, but one "
                       "of them must be empty");
  // `select_cols` must have as many elements as there are defaults
  // (csv_dataset_c4).
  if (numSelected && numSelected != columns.size())
    return emitOpError("select_cols lists ")
           << numSelected << " columns, but record_defaults has "
           << columns.size() << " values";
  return verifyComponents(*this, columns, "the columns are");
}

LogicalResult GroupDatasetOp::verify() {
  ArrayRef<Type> input = getComponents(getInput());
  Type number = RankedTensorType::get({}, IntegerType::get(getContext(), 64));
  int64_t numOperands = getNumTensors();
  // The input's first two components, an element's key and the size of the
  // key's windows, must be int64 scalars. At least `num_tensors` components
  // must follow (group_dataset_c1).
  if (input.size() < 2 || numOperands < 0 ||
      numOperands > static_cast<int64_t>(input.size()) - 2 ||
      !areCompatibleTypeLists(input.take_front(2), {number, number}))
    return emitOpError(
               "each element of the input must consist of a key and a window "
               "size (int64 scalars), the components to group, and ")
           << numOperands << " tensors (num_tensors), but its components are ("
           << TypeRange(input) << ")";
  SmallVector<Type> windows;
  for (Type component : input.drop_front(2).drop_back(numOperands))
    windows.push_back(DatasetType::get(getContext(), component));
  llvm::append_range(windows, input.take_back(numOperands));
  // Each element of the result must consist of one dataset (a window) for each
  // component to group, followed by the last `num_tensors` components of the
  // input's element (group_dataset_c2).
  return verifyComponents(*this, windows, "the windows are");
}

LogicalResult UniqueDatasetOp::verify() {
  ArrayRef<Type> input = getComponents(getInput());
  Type element = input.size() == 1 ? getElementTypeOrSelf(input[0]) : Type();
  // Elements of the input must have one component, of int32, int64 or string
  // (unique_dataset_c1).
  if (!element || !(element.isInteger(32) || element.isInteger(64) ||
                    isa<StringType>(element)))
    return emitOpError("elements must have one component, of int32, int64 or "
                       "string, but are (")
           << TypeRange(input) << ")";
  return verifySameElements(*this);
}

LogicalResult IgnoreErrorsDatasetOp::verify() {
  return verifySameElements(*this);
}

LogicalResult MatchingFilesDatasetOp::verify() { return verifyRecords(*this); }

LogicalResult OptionalDatasetOp::verify() {
  SmallVector<Type> components = {
      RankedTensorType::get({}, IntegerType::get(getContext(), 1))};
  llvm::append_range(components, getComponents(getInput()));
  // The result's components must be a boolean scalar, followed by the input's
  // components (optional_dataset_c1).
  return verifyComponents(*this, components,
                          "a flag and the input's components are");
}

LogicalResult WindowDatasetOp::verify() {
  SmallVector<Type> windows;
  for (Type component : getComponents(getInput()))
    windows.push_back(DatasetType::get(getContext(), component));
  // Each component of the result must be a dataset whose elements are the
  // input's component with the same index (window_dataset_c1).
  if (failed(verifyComponents(*this, windows, "the input's windows are")))
    return failure();
  std::pair<StringRef, Value> numbers[] = {
      {"size", getSize()}, {"shift", getShift()}, {"stride", getStride()}};
  for (auto [name, number] : numbers)
    // A constant size, shift or stride must be positive (window_dataset_c2).
    if (std::optional<int64_t> value = getConstantInt(number);
        value && *value <= 0)
      return emitOpError("the ")
             << name << " of windows must be positive, but is " << *value;
  for (Value number : {getShift(), getStride()})
    // A constant shift or stride must be at most 2^31 (window_dataset_c3).
    if (std::optional<int64_t> value = getConstantInt(number);
        value && *value > int64_t(1) << 31)
      return emitOpError(
                 "the shift and the stride must be at most 2^31, but one is ")
             << *value;
  return success();
}

LogicalResult RebatchDatasetOp::verify() {
  auto sizes = getConstantInts(getBatchSizes());
  // Constant batch sizes must not be negative, and at least one must be
  // positive (rebatch_dataset_c2).
  for (int64_t size : sizes.value_or(SmallVector<int64_t>()))
    if (size < 0)
      return emitOpError("batch sizes must not be negative, but one is ")
             << size;
  if (sizes && llvm::all_of(*sizes, [](int64_t size) { return size == 0; }))
    return emitOpError("at least one batch size must be positive, but the "
                       "batch sizes are ")
           << toString(*sizes);
  // The result's components must be those of the input, apart from the size of
  // their first dimension (rebatch_dataset_c1).
  SmallVector<Type> batches;
  for (Type component : getComponents(getInput())) {
    Shape shape = getTensorShape(component);
    if (shape && shape->empty())
      return emitOpError("cannot rebatch scalar components, but the input's "
                         "elements are (")
             << TypeRange(getComponents(getInput())) << ")";
    if (shape)
      shape->front() = ShapedType::kDynamic;
    batches.push_back(getTensorType(shape, getElementTypeOrSelf(component)));
  }
  return verifyComponents(*this, batches,
                          "new batches of the input's rows are");
}

LogicalResult RandomDatasetOp::verify() {
  Type number = RankedTensorType::get({}, IntegerType::get(getContext(), 64));
  // The element must be one int64 scalar (random_dataset_c1).
  return verifyComponents(*this, number, "random numbers are");
}

LogicalResult DirectedInterleaveDatasetOp::verify() {
  Type number = RankedTensorType::get({}, IntegerType::get(getContext(), 64));
  TypeRange choices = getComponents(getSelector());
  // The selector's element must be one int64 scalar (directed_interleave_c1).
  if (!areCompatibleTypeLists(choices, number))
    return emitOpError("the selector's elements must be (")
           << number << "), but are (" << choices << ")";
  // There must be at least one input, and every input must have the result's
  // components (directed_interleave_c2).
  if (getInputs().empty())
    return emitOpError("needs at least one input");
  for (Value input : getInputs())
    if (failed(verifyComponents(*this, getComponents(input), "an input's are")))
      return failure();
  return success();
}
