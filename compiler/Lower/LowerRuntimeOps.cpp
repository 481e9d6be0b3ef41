//===- LowerRuntimeOps.cpp - Runtime ops as host ops ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Lower/EntryLowering.h"

#include "compiler/Lower/Patterns.h"

#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/DType.h"
#include "dialects/Ingot/IR/ImageFileOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/RequireOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/StringOps.h"
#include "dialects/Ingot/IR/Traits.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::lower {

EntryLowering::EntryLowering(func::FuncOp function,
                             const SymbolIndices &numbers)
    : function(function), numbers(numbers),
      builder(function.getLoc(), function.getContext()) {
  builder.setInsertionPointToEnd(function.addEntryBlock());
}

Value EntryLowering::load(unsigned index, Type type, bool writable) {
  return bufferization::ToTensorOp::create(builder, type,
                                           function.getArgument(index),
                                           /*restrict=*/true, writable);
}

void EntryLowering::fetch(Value value, unsigned index) {
  host::FetchOp::create(builder, value, builder.getI32IntegerAttr(index));
}

void EntryLowering::store(Value value, unsigned index) {
  bufferization::MaterializeInDestinationOp::create(
      builder, TypeRange(), value, function.getArgument(index),
      /*restrict=*/true, /*writable=*/true);
}

void EntryLowering::lowerBody(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    lower(&op);
}

IntegerAttr EntryLowering::numberOf(FlatSymbolRefAttr symbol) {
  return builder.getI32IntegerAttr(numbers[symbol]);
}

void EntryLowering::lower(Operation *op) {
  builder.setLoc(op->getLoc());
  llvm::TypeSwitch<Operation *>(op)
      .Case<ConstantOp>([&](ConstantOp constant) { lowerConstant(constant); })
      .Case<IteratorNextOp>([&](IteratorNextOp next) {
        auto call = host::IteratorNextOp::create(
            builder, next.getResultTypes(), numberOf(next.getIteratorAttr()));
        next.replaceAllUsesWith(call.getResults());
      })
      .Case<IteratorMakeOp>([&](IteratorMakeOp make) {
        host::IteratorMakeOp::create(builder, numberOf(make.getIteratorAttr()));
      })
      .Case<SaveOp>([&](SaveOp save) {
        host::SaveOp::create(builder, numberOf(save.getSaverAttr()),
                             save.getPrefix());
      })
      .Case<RestoreOp>([&](RestoreOp restore) {
        host::RestoreOp::create(builder, numberOf(restore.getSaverAttr()),
                                restore.getPrefix());
      })
      .Case<ScalarSummaryOp>([&](ScalarSummaryOp summary) {
        Type element = operandElementType(summary, 0);
        host::ScalarSummaryOp::create(
            builder, summary.getTagAttr(),
            builder.getI32IntegerAttr(getDTypeNumber(element)),
            summary.getValue());
      })
      .Case<ReportUninitializedOp>([&](ReportUninitializedOp report) {
        SmallVector<int32_t> indices = llvm::map_to_vector(
            report.getVariables().getAsRange<FlatSymbolRefAttr>(),
            [&](FlatSymbolRefAttr symbol) { return numbers[symbol]; });
        host::ReportUninitializedOp::create(builder, indices);
      })
      .Case<RequireOp>([&](RequireOp require) { lowerRequire(require); })
      .Case<ParseExampleOp>([&](ParseExampleOp parse) { lowerParse(parse); })
      .Case<ReadFileOp>([&](ReadFileOp read) { lowerReadFile(read); })
      .Case<DecodeRawOp>([&](DecodeRawOp decode) {
        if (!decode.use_empty())
          lowerCall(decode);
      })
      .Default([&](Operation *other) {
        if (other->hasTrait<trait::ComputedByRuntime>())
          return lowerCall(other);
        other->moveBefore(builder.getInsertionBlock(),
                          builder.getInsertionPoint());
        for (Region &region : other->getRegions())
          for (Block &block : region)
            lowerNested(block);
      });
}

/// Lowers the ops in the block of a branch or loop, each within this block.
/// Only the ops of an entry's own block are moved to the new function.
void EntryLowering::lowerNested(Block &block) {
  OpBuilder::InsertionGuard guard(builder);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    builder.setInsertionPoint(&op);
    lower(&op);
    if (isa<IngotDialect>(op.getDialect()))
      op.erase();
  }
}

void EntryLowering::lowerConstant(ConstantOp constant) {
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValueAttr());
  auto type = cast<RankedTensorType>(constant.getType());
  Value value;
  // A constant whose elements are all equal is stored as this one element, from
  // which a fill op makes the tensor.
  if (elements && elements.isSplat() && type.getRank() != 0) {
    Value element =
        arith::ConstantOp::create(builder, elements.getSplatValue<TypedAttr>());
    value =
        linalg::FillOp::create(builder, element,
                               tensor::EmptyOp::create(builder, type.getShape(),
                                                       type.getElementType())
                                   .getResult())
            .getResult(0);
  } else {
    value = arith::ConstantOp::create(builder,
                                      cast<TypedAttr>(constant.getValueAttr()));
  }
  constant.replaceAllUsesWith(value);
}

/// Returns the default value of an Example's feature as an attribute; a unit
/// attribute if the default is empty, which makes the feature required. `value`
/// is already lowered, since its op precedes the op that parses Examples.
Attribute EntryLowering::defaultOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape() && type.getNumElements() == 0)
    return builder.getUnitAttr();
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return constant.getValue();
  if (auto fill = value.getDefiningOp<linalg::FillOp>()) {
    Attribute element;
    if (matchPattern(fill.getInputs()[0], m_Constant(&element)))
      return DenseElementsAttr::get(type, element);
  }
  if (auto strings = value.getDefiningOp<host::StringsOp>()) {
    SmallVector<StringRef> texts(
        strings.getValues().getAsValueRange<StringAttr>());
    return DenseStringElementsAttr::get(
        RankedTensorType::get(type.getShape(),
                              StringType::get(builder.getContext())),
        texts);
  }
  return builder.getUnitAttr();
}

/// Whether the op's last result is an element of a TensorList and has a static
/// shape. As nothing overwrites elements of lists, the runtime then returns a
/// pointer to the element instead of a copy.
static bool lendsElement(Operation *op) {
  return isa<TensorListGetItemOp, TensorListPopBackOp>(op) &&
         cast<RankedTensorType>(op->getResults().back().getType())
             .hasStaticShape();
}

/// Returns the attributes of a runtime op in the form that the runtime expects:
/// the index of a symbol instead of the symbol, and the number of an element
/// type (DType) instead of the type.
DictionaryAttr EntryLowering::attributesOf(Operation *op) {
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : op->getAttrs()) {
    if (attribute.getName() == elementTypesAttrName)
      continue;
    Attribute value = attribute.getValue();
    if (auto symbol = dyn_cast<FlatSymbolRefAttr>(value))
      value = builder.getI64IntegerAttr(numbers[symbol]);
    else if (auto type = dyn_cast<TypeAttr>(value))
      value = builder.getI64IntegerAttr(getDTypeNumber(type.getValue()));
    attributes.push_back(builder.getNamedAttr(attribute.getName(), value));
  }
  if (lendsElement(op))
    attributes.push_back(
        builder.getNamedAttr("lent", builder.getBoolAttr(true)));
  return builder.getDictionaryAttr(attributes);
}

void EntryLowering::lowerCall(Operation *op) {
  SmallVector<Value> outputs;
  SmallVector<int32_t> inputTypes, outputTypes;
  for (unsigned index = 0; index < op->getNumOperands(); ++index)
    inputTypes.push_back(getDTypeNumber(operandElementType(op, index)));
  for (auto [index, result] : llvm::enumerate(op->getResultTypes())) {
    auto type = cast<RankedTensorType>(result);
    outputTypes.push_back(getDTypeNumber(resultElementType(op, index)));
    bool isLent = index + 1 == op->getNumResults() && lendsElement(op);
    if (type.hasStaticShape() && !isLent)
      outputs.push_back(tensor::EmptyOp::create(builder, type.getShape(),
                                                type.getElementType()));
  }
  auto name = dyn_cast<NameLoc>(op->getLoc());
  auto call = host::CallOp::create(
      builder, op->getResultTypes(),
      builder.getStringAttr("ingot_op_" + op->getName().stripDialect()),
      name ? name.getName() : builder.getStringAttr(""), attributesOf(op),
      op->getOperands(), outputs, builder.getDenseI32ArrayAttr(inputTypes),
      builder.getDenseI32ArrayAttr(outputTypes));
  op->replaceAllUsesWith(call.getResults());
}

/// Lowers the reading of a file. If only a decode_raw uses the file's contents,
/// lowers both ops to one call, at this place, that reads the numbers into the
/// memory of the result. Large initial values are read like this, and a string
/// would occupy its memory until the end of the run.
void EntryLowering::lowerReadFile(ReadFileOp read) {
  auto decode = read.getContents().hasOneUse()
                    ? dyn_cast<DecodeRawOp>(*read.getContents().user_begin())
                    : DecodeRawOp();
  if (!decode)
    return lowerCall(read);
  auto name = dyn_cast<NameLoc>(read.getLoc());
  int32_t output = getDTypeNumber(resultElementType(decode, 0));
  auto type = cast<RankedTensorType>(decode.getType());
  SmallVector<Value> outputs;
  if (type.hasStaticShape())
    outputs.push_back(tensor::EmptyOp::create(builder, type.getShape(),
                                              type.getElementType()));
  auto call = host::CallOp::create(
      builder, decode->getResultTypes(),
      builder.getStringAttr("ingot_op_read_raw_file"),
      name ? name.getName() : builder.getStringAttr(""), attributesOf(decode),
      read->getOperands(), outputs,
      builder.getDenseI32ArrayAttr(getDTypeNumber(operandElementType(read, 0))),
      builder.getDenseI32ArrayAttr(output));
  decode.replaceAllUsesWith(call->getResult(0));
  // lower() skips the op, which has no uses any more.
  decode.getInputMutable().assign(read.getFilename());
}

/// Lowers a shape check to a branch that is taken only if the check fails, and
/// in it a runtime call that reports the mismatch.
void EntryLowering::lowerRequire(RequireOp require) {
  Value isWrong = arith::XOrIOp::create(
      builder, require.getCondition(),
      arith::ConstantOp::create(builder, builder.getBoolAttr(true)));
  auto branch = scf::IfOp::create(builder, isWrong, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> numbers, inputs;
  Type i64 = builder.getI64Type();
  for (Value number : require.getNumbers())
    numbers.push_back(arith::IndexCastOp::create(builder, i64, number));
  SmallVector<int32_t> types;
  if (!numbers.empty()) {
    inputs.push_back(tensor::FromElementsOp::create(builder, numbers));
    types.push_back(getDTypeNumber(i64));
  }
  // The error is reported at the check's first location, which is that of the
  // checked node. The other locations are those of ops that rely on the check.
  Location loc = require.getLoc();
  if (auto all = dyn_cast<FusedLoc>(loc))
    loc = all.getLocations().front();
  auto name = dyn_cast<NameLoc>(loc);
  host::CallOp::create(
      builder, TypeRange(), builder.getStringAttr("ingot_op_refuse"),
      name ? name.getName() : builder.getStringAttr(""),
      builder.getDictionaryAttr(
          builder.getNamedAttr("text", require.getTextAttr())),
      inputs, ValueRange(), builder.getDenseI32ArrayAttr(types),
      builder.getDenseI32ArrayAttr({}));
}

void EntryLowering::lowerParse(ParseExampleOp parse) {
  SmallVector<Value> outputs;
  SmallVector<int32_t> dtypes;
  SmallVector<Attribute> defaults;
  for (auto [output, value] :
       llvm::zip(parse.getOutputs(), parse.getDefaults())) {
    auto type = cast<RankedTensorType>(output.getType());
    // The only dynamic dimension of a parsed feature is the first one, the
    // number of Examples.
    SmallVector<Value> sizes;
    if (!type.hasStaticShape())
      sizes.push_back(tensor::DimOp::create(builder, parse.getSerialized(), 0));
    outputs.push_back(tensor::EmptyOp::create(builder, type.getShape(),
                                              type.getElementType(), sizes));
    dtypes.push_back(getDTypeNumber(resultElementType(parse, dtypes.size())));
    defaults.push_back(defaultOf(value));
  }
  auto serialized = cast<RankedTensorType>(parse.getSerialized().getType());
  int64_t count =
      serialized.hasStaticShape() ? serialized.getNumElements() : -1;
  auto call = host::ParseExampleOp::create(
      builder, TypeRange(ValueRange(outputs)), builder.getI64IntegerAttr(count),
      parse.getSerialized(), outputs, parse.getKeysAttr(),
      builder.getDenseI32ArrayAttr(dtypes), parse.getDenseShapesAttr(),
      builder.getArrayAttr(defaults));
  parse.replaceAllUsesWith(call.getResults());
}

} // namespace ingot::lower
