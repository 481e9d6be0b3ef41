//===- DatasetTables.cpp - Pipelines as the runtime reads them ------------===//

#include "codegen/ABI/DatasetTables.h"

#include "dialects/Ingot/DType.h"
#include "dialects/Ingot/DatasetOps.h"
#include "runtime/ABI/Program.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::abi {

Record Specs::spec(llvm::StringRef name, RankedTensorType type) {
  SmallVector<int64_t> dims;
  for (int64_t size : type.getShape())
    dims.push_back(ShapedType::isDynamic(size) ? -1 : size);
  return {Field::address(data.string(name)),
          Field::i32(getDTypeNumber(type.getElementType())),
          Field::i32(type.getRank()), Field::address(data.integers64(dims))};
}

uint32_t DatasetTables::addBody(Region &region) {
  for (BlockArgument argument : region.getArguments())
    if (isa<DatasetType>(argument.getType()))
      numbers[argument] = addWindow(argument);
  for (Operation &op : region.front())
    if (op.getNumResults() == 1 && isa<DatasetType>(op.getResult(0).getType()))
      numbers[op.getResult(0)] = addDataset(&op);
  return numbers.lookup(
      cast<YieldOp>(region.front().getTerminator()).getDataset());
}

StringAttr DatasetTables::operands(Operation *op, size_t &count) {
  SmallVector<Record> records;
  for (Value operand : op->getOperands()) {
    if (isa<DatasetType>(operand.getType()))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(operand)) {
      records.push_back(
          {Field::address({}), Field::i32(argument.getArgNumber())});
      continue;
    }
    ElementsAttr value;
    matchPattern(operand, m_Constant(&value));
    Record constant =
        specs.spec("", cast<RankedTensorType>(value.getShapedType()));
    constant.push_back(Field::address(data.elements(value)));
    records.push_back(
        {Field::address(data.table("constant", constant)), Field::i32(0)});
  }
  count = records.size();
  return data.table("operands", records);
}

StringAttr DatasetTables::attributes(Operation *op, size_t &count) {
  SmallVector<Record> records;
  for (NamedAttribute attribute : op->getAttrs()) {
    Record record = {Field::address(data.string(attribute.getName())),
                     Field::i64(0), Field::address({})};
    if (auto flag = dyn_cast<BoolAttr>(attribute.getValue()))
      record[1] = Field::i64(flag.getValue());
    else if (auto number = dyn_cast<IntegerAttr>(attribute.getValue()))
      record[1] = Field::i64(number.getInt());
    else if (auto text = dyn_cast<StringAttr>(attribute.getValue()))
      record[2] = Field::address(data.string(text.getValue()));
    else
      continue;
    records.push_back(record);
  }
  count = records.size();
  return data.table("attributes", records);
}

StringAttr DatasetTables::componentTable(Type dataset) {
  SmallVector<Record> records;
  for (Type type : cast<DatasetType>(dataset).getComponents())
    records.push_back(isa<DatasetType>(type)
                          ? Record{Field::address(data.string("")),
                                   Field::i32(INGOT_VARIANT), Field::i32(0),
                                   Field::address(data.integers64({}))}
                          : specs.spec("", cast<RankedTensorType>(type)));
  return data.table("components", records);
}

// A dataset that is a component of the element that the body is given.
uint32_t DatasetTables::addWindow(BlockArgument argument) {
  Record operand = {Field::address({}), Field::i32(argument.getArgNumber())};
  auto location = dyn_cast<NameLoc>(argument.getLoc());
  auto type = cast<DatasetType>(argument.getType());
  datasets.push_back(
      {Field::address(data.string(location ? location.getName().strref()
                                           : "WindowElements")),
       Field::address(data.string("WindowElements")), Field::i32(0),
       Field::address(data.integers32({})), Field::i32(1),
       Field::address(data.table("operands", operand)), Field::i32(0),
       Field::address({}), Field::i32(-1), Field::i32(-1),
       Field::i32(type.getComponents().size()),
       Field::address(componentTable(type)),
       Field::address(data.external("ingot_dataset_window_elements"))});
  return datasets.size() - 1;
}

// The runtime's side of a dataset, which is linked because of this.
StringAttr DatasetTables::code(Operation *op) {
  StringRef name = op->getName().stripDialect();
  if (auto cache = dyn_cast<CacheDatasetOp>(op)) {
    DenseStringElementsAttr file;
    bool inMemory = matchPattern(cache.getFilename(), m_Constant(&file)) &&
                    llvm::all_of(file.getValues<StringRef>(),
                                 [](StringRef text) { return text.empty(); });
    if (!inMemory)
      name = "file_cache";
  }
  return data.external(("ingot_dataset_" + name).str());
}

uint32_t DatasetTables::addDataset(Operation *op) {
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
  auto type = cast<DatasetType>(op->getResult(0).getType());
  size_t numOperands, numAttributes;
  StringAttr operandTable = operands(op, numOperands);
  StringAttr attributeTable = attributes(op, numAttributes);
  auto location = dyn_cast<NameLoc>(op->getLoc());
  datasets.push_back(
      {Field::address(data.string(location ? location.getName().strref()
                                           : getDatasetName(op))),
       Field::address(data.string(getDatasetName(op))),
       Field::i32(inputs.size()), Field::address(data.integers32(inputs)),
       Field::i32(numOperands), Field::address(operandTable),
       Field::i32(numAttributes), Field::address(attributeTable),
       Field::i32(function), Field::i32(body),
       Field::i32(type.getComponents().size()),
       Field::address(componentTable(type)), Field::address(code(op))});
  return datasets.size() - 1;
}

} // namespace ingot::abi
