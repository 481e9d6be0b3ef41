//===- DatasetTableBuilder.cpp - Input pipelines as descriptor tables -----===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/ABI/DatasetTableBuilder.h"

#include "dialects/Ingot/IR/DType.h"
#include "dialects/Ingot/IR/DatasetOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "runtime/ABI/Dataset.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::abi {

Row<ingot_tensor_spec> TensorSpecBuilder::spec(llvm::StringRef name,
                                               RankedTensorType type) {
  SmallVector<int64_t> dims;
  for (int64_t size : type.getShape())
    dims.push_back(ShapedType::isDynamic(size) ? -1 : size);
  return {.name = data.string(name),
          .dtype = getDTypeNumber(type.getElementType()),
          .rank = type.getRank(),
          .dims = data.integers64(dims).address};
}

Row<ingot_tensor_spec> TensorSpecBuilder::storedSpec(RankedTensorType type) {
  // The descriptor has no dtype for some element types, such as i128. Such a
  // tensor is described as INGOT_DTYPE_OTHER. As spec() accepts only known
  // types, it is called with float32 instead, and the dtype is set afterwards.
  Type element = type.getElementType();
  bool isKnown =
      isa<FloatType>(element) ||
      (element.isSignlessInteger() && element.getIntOrFloatBitWidth() <= 64);
  Row<ingot_tensor_spec> row = spec(
      "", isKnown ? type
                  : RankedTensorType::get(type.getShape(),
                                          Float32Type::get(type.getContext())));
  if (!isKnown)
    row.dtype = INGOT_DTYPE_OTHER;
  return row;
}

uint32_t DatasetTableBuilder::addBody(Region &region) {
  for (BlockArgument argument : region.getArguments())
    if (isa<DatasetType>(argument.getType()))
      numbers[argument] = addWindow(argument);
  for (Operation &op : region.front())
    if (op.getNumResults() == 1 && isa<DatasetType>(op.getResult(0).getType()))
      numbers[op.getResult(0)] = addDataset(&op);
  return numbers.lookup(
      cast<YieldOp>(region.front().getTerminator()).getDataset());
}

GlobalArray<ingot_dataset_operand>
DatasetTableBuilder::operands(Operation *op) {
  SmallVector<Row<ingot_dataset_operand>> rows;
  for (Value operand : op->getOperands()) {
    if (isa<DatasetType>(operand.getType()))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(operand)) {
      rows.push_back(
          {.constant = nullptr, .argument = argument.getArgNumber()});
      continue;
    }
    ElementsAttr value;
    matchPattern(operand, m_Constant(&value));
    Row<ingot_constant> constant = {
        .spec = specs.spec("", cast<RankedTensorType>(value.getShapedType())),
        .data = data.elements(value)};
    rows.push_back({.constant = data.row("constant", constant), .argument = 0});
  }
  return data.table("operands", rows);
}

// Returns the table of a dataset op's boolean, unit, integer and string
// attributes. Leaves out the function that the op calls, which has a member of
// its own in ingot_dataset, and the operand segment sizes, which follow from
// the operands.
GlobalArray<ingot_attribute> DatasetTableBuilder::attributes(Operation *op) {
  SmallVector<Row<ingot_attribute>> rows;
  for (NamedAttribute attribute : op->getAttrs()) {
    Row<ingot_attribute> row = {.name = data.string(attribute.getName()),
                                .integer = 0,
                                .string = nullptr};
    if (auto flag = dyn_cast<BoolAttr>(attribute.getValue()))
      row.integer = flag.getValue();
    else if (auto number = dyn_cast<IntegerAttr>(attribute.getValue()))
      row.integer = number.getInt();
    else if (auto text = dyn_cast<StringAttr>(attribute.getValue()))
      row.string = data.string(text.getValue());
    else if (isa<UnitAttr>(attribute.getValue()))
      row.integer = 1;
    else if (isa<FlatSymbolRefAttr>(attribute.getValue()) ||
             attribute.getName() == "operandSegmentSizes")
      continue;
    else
      llvm::reportFatalInternalError(
          Twine("attribute '") + attribute.getName().getValue() +
          "' of a dataset op has an unsupported type: expected a boolean, "
          "unit, integer or string");
    rows.push_back(row);
  }
  return data.table("attributes", rows);
}

// Returns descriptions (ingot_tensor_spec) of the components of a dataset's
// elements. A component that is itself a dataset is described as a scalar
// variant.
GlobalArray<ingot_tensor_spec> DatasetTableBuilder::components(Type dataset) {
  SmallVector<Row<ingot_tensor_spec>> rows;
  for (Type type : cast<DatasetType>(dataset).getComponents())
    rows.push_back(isa<DatasetType>(type)
                       ? Row<ingot_tensor_spec>{.name = data.string(""),
                                                .dtype = INGOT_VARIANT,
                                                .rank = 0,
                                                .dims = nullptr}
                       : specs.spec("", cast<RankedTensorType>(type)));
  return data.table("components", rows);
}

// Adds the record of a dataset that is itself an element of another dataset,
// such as a window, which is an element of a WindowDataset.
uint32_t DatasetTableBuilder::addWindow(BlockArgument argument) {
  SmallVector<Row<ingot_dataset_operand>> operands = {
      {.constant = nullptr, .argument = argument.getArgNumber()}};
  auto location = dyn_cast<NameLoc>(argument.getLoc());
  datasets.push_back(
      {.node = data.string(location ? location.getName().strref()
                                    : "WindowElements"),
       .op = data.string("WindowElements"),
       .inputs = nullptr,
       .operands = data.table("operands", operands),
       .attributes = nullptr,
       .function = -1,
       .body = -1,
       .components = components(argument.getType()),
       .code = data.external<void>("ingot_dataset_window_elements")});
  return datasets.size() - 1;
}

// Returns the address of the runtime's function that implements a dataset op.
// The artifact's reference to that function makes the linker include it.
GlobalAddress<void> DatasetTableBuilder::code(Operation *op) {
  StringRef name = op->getName().stripDialect();
  if (auto cache = dyn_cast<CacheDatasetOp>(op)) {
    DenseStringElementsAttr file;
    bool inMemory = matchPattern(cache.getFilename(), m_Constant(&file)) &&
                    llvm::all_of(file.getValues<StringRef>(),
                                 [](StringRef text) { return text.empty(); });
    if (!inMemory)
      name = "file_cache";
  }
  return data.external<void>(("ingot_dataset_" + name).str());
}

// Adds the record of a dataset op, after the records of its inputs and of the
// datasets in its region. Returns the record's index.
uint32_t DatasetTableBuilder::addDataset(Operation *op) {
  SmallVector<int32_t> inputs;
  for (Value operand : op->getOperands())
    if (isa<DatasetType>(operand.getType()))
      inputs.push_back(static_cast<int32_t>(numbers.lookup(operand)));
  int64_t function = -1, body = -1;
  if (auto name = op->getAttrOfType<FlatSymbolRefAttr>("function"))
    if (auto found = functions.find(name.getValue()); found != functions.end())
      function = found->second;
  if (isa<FlatMapDatasetOp, InterleaveDatasetOp>(op))
    body = addBody(op->getRegion(0));
  auto location = dyn_cast<NameLoc>(op->getLoc());
  datasets.push_back({.node = data.string(location ? location.getName().strref()
                                                   : getDatasetName(op)),
                      .op = data.string(getDatasetName(op)),
                      .inputs = data.integers32(inputs),
                      .operands = operands(op),
                      .attributes = attributes(op),
                      .function = function,
                      .body = body,
                      .components = components(op->getResult(0).getType()),
                      .code = code(op)});
  return datasets.size() - 1;
}

} // namespace ingot::abi
