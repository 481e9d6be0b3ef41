//===- LowerEntries.cpp - Entries become functions ------------------------===//

#include "compiler/Lower/Patterns.h"

#include "dialects/Ingot/ConstantOps.h"
#include "dialects/Ingot/DType.h"
#include "dialects/Ingot/InputOps.h"
#include "dialects/Ingot/IteratorOps.h"
#include "dialects/Ingot/Names.h"
#include "dialects/Ingot/ProgramOps.h"
#include "dialects/Ingot/RandomOps.h"
#include "dialects/Ingot/StateOps.h"
#include "dialects/Ingot/VariableOps.h"
#include "runtime/ABI/Program.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace ingot::lower {
#define GEN_PASS_DEF_LOWERENTRIESPASS
#include "compiler/Lower/Passes.h.inc"
} // namespace ingot::lower

using namespace mlir;
using namespace mlir::ingot;

namespace {

/// The numbers that the descriptor gives to the program's symbols.
struct Numbering {
  explicit Numbering(ModuleOp module) {
    for (Operation &op : *module.getBody())
      if (isa<VariableOp, IteratorOp, SaverOp>(op)) {
        int32_t &next = isa<VariableOp>(op)   ? variables
                        : isa<IteratorOp>(op) ? iterators
                                              : savers;
        numbers[SymbolTable::getSymbolName(&op)] = next++;
        symbols[SymbolTable::getSymbolName(&op)] = &op;
      }
  }

  int32_t operator[](FlatSymbolRefAttr symbol) const {
    return numbers.lookup(symbol.getAttr());
  }
  RankedTensorType typeOf(FlatSymbolRefAttr variable) const {
    return cast<RankedTensorType>(
        cast<VariableOp>(symbols.lookup(variable.getAttr())).getType());
  }

  int32_t variables = 0, iterators = 0, savers = 0;
  DenseMap<StringAttr, int32_t> numbers;
  DenseMap<StringAttr, Operation *> symbols;
};

/// How tensors of `type` lie in memory: dense.
MemRefType storageOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get(tensor.getShape(),
                         storedElementType(tensor.getElementType()));
}

class EntryLowering {
public:
  EntryLowering(func::FuncOp function, const Numbering &numbering)
      : function(function), numbering(numbering),
        builder(function.getLoc(), function.getContext()) {
    builder.setInsertionPointToEnd(function.addEntryBlock());
  }

  /// The tensor behind argument `index`; written where it is updated.
  Value load(unsigned index, Type type, bool writable) {
    return bufferization::ToTensorOp::create(builder, type,
                                             function.getArgument(index),
                                             /*restrict=*/true, writable);
  }

  /// A result of dynamic shape is handed out where it lies.
  void fetch(Value value, unsigned index) {
    host::FetchOp::create(builder, value, builder.getI32IntegerAttr(index));
  }

  void store(Value value, unsigned index) {
    bufferization::MaterializeInDestinationOp::create(
        builder, TypeRange(), value, function.getArgument(index),
        /*restrict=*/true, /*writable=*/true);
  }

  /// Moves an op of the entry's body here, as what it is on this side.
  void lower(Operation *op) {
    builder.setLoc(op->getLoc());
    llvm::TypeSwitch<Operation *>(op)
        .Case<ConstantOp>([&](ConstantOp constant) { lowerConstant(constant); })
        .Case<IteratorNextOp>([&](IteratorNextOp next) {
          auto call = host::IteratorNextOp::create(
              builder, next.getResultTypes(),
              builder.getI32IntegerAttr(numbering[next.getIteratorAttr()]));
          next.replaceAllUsesWith(call.getResults());
        })
        .Case<IteratorMakeOp>([&](IteratorMakeOp make) {
          host::IteratorMakeOp::create(
              builder,
              builder.getI32IntegerAttr(numbering[make.getIteratorAttr()]));
        })
        .Case<SaveOp>([&](SaveOp save) {
          host::SaveOp::create(
              builder,
              builder.getI32IntegerAttr(numbering[save.getSaverAttr()]),
              save.getPrefix());
        })
        .Case<RestoreOp>([&](RestoreOp restore) {
          host::RestoreOp::create(
              builder,
              builder.getI32IntegerAttr(numbering[restore.getSaverAttr()]),
              restore.getPrefix());
        })
        .Case<ScalarSummaryOp>([&](ScalarSummaryOp summary) {
          Type element = ::ingot::lower::operandElementType(summary, 0);
          host::ScalarSummaryOp::create(
              builder, summary.getTagAttr(),
              builder.getI32IntegerAttr(getDTypeNumber(element)),
              summary.getValue());
        })
        .Case<ReportUninitializedOp>([&](ReportUninitializedOp report) {
          SmallVector<int32_t> indices = llvm::map_to_vector(
              report.getVariables().getAsRange<FlatSymbolRefAttr>(),
              [&](FlatSymbolRefAttr symbol) { return numbering[symbol]; });
          host::ReportUninitializedOp::create(builder, indices);
        })
        .Case<ParseExampleOp>([&](ParseExampleOp parse) { lowerParse(parse); })
        .Default([&](Operation *other) {
          if (other->hasTrait<trait::RunsInRuntime>())
            return lowerCall(other);
          other->moveBefore(builder.getInsertionBlock(),
                            builder.getInsertionPoint());
          for (Region &region : other->getRegions())
            for (Block &block : region)
              lowerNested(block);
        });
  }

private:
  /// The same for what stands in a branch or loop.
  void lowerNested(Block &block) {
    OpBuilder::InsertionGuard guard(builder);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      builder.setInsertionPoint(&op);
      lower(&op);
      if (isa<IngotDialect>(op.getDialect()))
        op.erase();
    }
  }

  void lowerConstant(ConstantOp constant) {
    auto elements = dyn_cast<DenseElementsAttr>(constant.getValueAttr());
    auto type = cast<RankedTensorType>(constant.getType());
    Value value;
    // A constant of one value is no data.
    if (elements && elements.isSplat() && type.getRank() != 0) {
      Value element = arith::ConstantOp::create(
          builder, elements.getSplatValue<TypedAttr>());
      value = linalg::FillOp::create(
                  builder, element,
                  tensor::EmptyOp::create(builder, type.getShape(),
                                          type.getElementType())
                      .getResult())
                  .getResult(0);
    } else {
      value = arith::ConstantOp::create(
          builder, cast<TypedAttr>(constant.getValueAttr()));
    }
    constant.replaceAllUsesWith(value);
  }

  /// A default value as data; unit where it is empty: then the feature must be
  /// present. It stands before the op, so it is lowered already.
  Attribute defaultOf(Value value) {
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

  /// The attributes of a runtime op; what the program numbers, by number.
  DictionaryAttr attributesOf(Operation *op) {
    SmallVector<NamedAttribute> attributes;
    for (NamedAttribute attribute : op->getAttrs()) {
      if (attribute.getName() == ::ingot::lower::elementTypesAttrName)
        continue;
      Attribute value = attribute.getValue();
      if (auto symbol = dyn_cast<FlatSymbolRefAttr>(value))
        value = builder.getI64IntegerAttr(numbering[symbol]);
      else if (auto type = dyn_cast<TypeAttr>(value))
        value = builder.getI64IntegerAttr(getDTypeNumber(type.getValue()));
      attributes.push_back(builder.getNamedAttr(attribute.getName(), value));
    }
    return builder.getDictionaryAttr(attributes);
  }

  void lowerCall(Operation *op) {
    SmallVector<Value> outputs;
    SmallVector<int32_t> inputTypes, outputTypes;
    for (unsigned index = 0; index < op->getNumOperands(); ++index)
      inputTypes.push_back(
          getDTypeNumber(::ingot::lower::operandElementType(op, index)));
    for (auto [index, result] : llvm::enumerate(op->getResultTypes())) {
      auto type = cast<RankedTensorType>(result);
      outputTypes.push_back(
          getDTypeNumber(::ingot::lower::resultElementType(op, index)));
      if (type.hasStaticShape())
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

  void lowerParse(ParseExampleOp parse) {
    SmallVector<Value> outputs;
    SmallVector<int32_t> dtypes;
    SmallVector<Attribute> defaults;
    for (auto [output, value] :
         llvm::zip(parse.getOutputs(), parse.getDefaults())) {
      auto type = cast<RankedTensorType>(output.getType());
      // Only how many Examples there are may be open.
      SmallVector<Value> sizes;
      if (!type.hasStaticShape())
        sizes.push_back(
            tensor::DimOp::create(builder, parse.getSerialized(), 0));
      outputs.push_back(tensor::EmptyOp::create(builder, type.getShape(),
                                                type.getElementType(), sizes));
      dtypes.push_back(getDTypeNumber(
          ::ingot::lower::resultElementType(parse, dtypes.size())));
      defaults.push_back(defaultOf(value));
    }
    auto serialized = cast<RankedTensorType>(parse.getSerialized().getType());
    int64_t count =
        serialized.hasStaticShape() ? serialized.getNumElements() : -1;
    auto call = host::ParseExampleOp::create(
        builder, TypeRange(ValueRange(outputs)),
        builder.getI64IntegerAttr(count), parse.getSerialized(), outputs,
        parse.getKeysAttr(), builder.getDenseI32ArrayAttr(dtypes),
        parse.getDenseShapesAttr(), builder.getArrayAttr(defaults));
    parse.replaceAllUsesWith(call.getResults());
  }

  func::FuncOp function;
  const Numbering &numbering;
  ImplicitLocOpBuilder builder;
};

/// A function's arguments and what is said of each.
struct Arguments {
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;

  unsigned add(Builder &builder, StringRef name, int32_t number, Type type) {
    types.push_back(type);
    attributes.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(name, builder.getI32IntegerAttr(number))));
    return types.size() - 1;
  }
};

/// The user's types of feeds or fetches, as ingot-lower-element-types has
/// written them down.
Attribute typesOf(Operation *op, StringRef name, TypeRange stored) {
  if (Attribute types = op->getAttr(name))
    return types;
  return Builder(op->getContext()).getTypeArrayAttr(SmallVector<Type>(stored));
}

/// Where an entry's results go: into memory of the caller where the shape is
/// static.
class Fetches {
public:
  Fetches(TypeRange types, Builder &builder, Arguments &arguments) {
    for (auto [index, type] : llvm::enumerate(types))
      places.push_back(
          cast<ShapedType>(type).hasStaticShape()
              ? std::optional(arguments.add(builder, host::fetchAttrName, index,
                                            storageOf(type)))
              : std::nullopt);
  }

  void store(EntryLowering &lowering, ValueRange values) const {
    for (auto [index, value] : llvm::enumerate(values)) {
      if (places[index])
        lowering.store(value, *places[index]);
      else
        lowering.fetch(value, index);
    }
  }

private:
  SmallVector<std::optional<unsigned>> places;
};

func::FuncOp lowerEntry(EntryOp entry, const Numbering &numbering) {
  Builder builder(entry.getContext());
  Block &body = entry.getBody().front();
  Operation *terminator = body.getTerminator();
  unsigned numVariables = entry.getVariables().size();
  unsigned numFetches = entry.getFetches().size();
  auto variables = entry.getVariables().getAsRange<FlatSymbolRefAttr>();
  auto updates = entry.getUpdates().getAsRange<FlatSymbolRefAttr>();
  ValueRange fed = ValueRange(body.getArguments()).drop_front(numVariables);
  ValueRange fetched = terminator->getOperands().take_front(numFetches);
  ValueRange updated = terminator->getOperands().drop_front(numFetches);

  Arguments arguments;
  llvm::MapVector<Attribute, unsigned> argumentOf;
  DenseSet<Attribute> written;
  for (FlatSymbolRefAttr symbol : updates)
    written.insert(symbol);
  auto addVariable = [&](FlatSymbolRefAttr symbol) {
    if (!argumentOf.contains(symbol))
      argumentOf[symbol] =
          arguments.add(builder, host::variableAttrName, numbering[symbol],
                        storageOf(numbering.typeOf(symbol)));
  };
  llvm::for_each(variables, addVariable);
  llvm::for_each(updates, addVariable);
  unsigned firstFeed = arguments.types.size();
  for (auto [index, value] : llvm::enumerate(fed))
    arguments.add(builder, host::feedAttrName, index,
                  storageOf(value.getType()));
  Fetches fetches(fetched.getTypes(), builder, arguments);

  SmallVector<int32_t> assigned = llvm::map_to_vector(
      updates, [&](FlatSymbolRefAttr symbol) { return numbering[symbol]; });
  // What a restore sets is known when it runs, not here.
  auto description = builder.getDictionaryAttr(
      {builder.getNamedAttr("assigned", builder.getDenseI32ArrayAttr(assigned)),
       builder.getNamedAttr(
           "feed_types",
           typesOf(entry, ::ingot::lower::feedTypesAttrName, TypeRange(fed))),
       builder.getNamedAttr("feeds", entry.getFeedsAttr()),
       builder.getNamedAttr("fetch_types",
                            typesOf(entry, ::ingot::lower::fetchTypesAttrName,
                                    TypeRange(fetched))),
       builder.getNamedAttr("fetches", entry.getFetchesAttr()),
       builder.getNamedAttr("name", builder.getStringAttr(getUserName(entry))),
       builder.getNamedAttr(
           "role", builder.getI32IntegerAttr(
                       entry->hasAttr("ingot.after_step")
                           ? static_cast<int32_t>(INGOT_ROLE_AFTER_STEP)
                           : static_cast<int32_t>(entry.getRole())))});
  auto function =
      func::FuncOp::create(entry.getLoc(), entry.getSymName(),
                           builder.getFunctionType(arguments.types, {}),
                           ArrayRef<NamedAttribute>{builder.getNamedAttr(
                               ::ingot::lower::entryAttrName, description)});
  function.setAllArgAttrs(arguments.attributes);

  EntryLowering lowering(function, numbering);
  DenseMap<Value, Attribute> variableOf;
  for (auto [symbol, argument] : llvm::zip(variables, body.getArguments())) {
    Value value = lowering.load(argumentOf[symbol], argument.getType(),
                                written.contains(symbol));
    argument.replaceAllUsesWith(value);
    variableOf[value] = symbol;
  }
  for (auto [index, argument] : llvm::enumerate(fed)) {
    argument.replaceAllUsesWith(lowering.load(
        firstFeed + index, argument.getType(), /*writable=*/false));
  }
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    lowering.lower(&op);

  OpBuilder end = OpBuilder::atBlockEnd(&function.getBody().front());
  // A variable's old value that another one takes over is set aside before
  // either is written.
  SmallVector<Value> newValues;
  for (auto [symbol, value] : llvm::zip(updates, updated)) {
    Attribute source = variableOf.lookup(value);
    newValues.push_back(
        source && source != symbol && written.contains(source)
            ? Value(bufferization::AllocTensorOp::create(
                  end, entry.getLoc(), cast<RankedTensorType>(value.getType()),
                  ValueRange(), value))
            : value);
  }
  fetches.store(lowering, fetched);
  for (auto [symbol, value] : llvm::zip(updates, newValues))
    if (variableOf.lookup(value) != symbol)
      lowering.store(value, argumentOf[symbol]);
  func::ReturnOp::create(end, entry.getLoc());
  end.setInsertionPointToEnd(&function.getBody().front());
  return function;
}

/// Which result of `parse` has the elements of `value`, row by row where it
/// parses several Examples. -1: none.
int32_t parsedFeature(Value value, ParseExampleOp parse) {
  auto type = cast<RankedTensorType>(value.getType());
  while (isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(
      value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto parsed = cast<RankedTensorType>(value.getType());
  unsigned numExampleDims =
      cast<RankedTensorType>(parse.getSerialized().getType()).getRank();
  auto split = [&](RankedTensorType type) {
    return std::pair(
        type.getShape().take_front(numExampleDims),
        ShapedType::getNumElements(type.getShape().drop_front(numExampleDims)));
  };
  bool isRowByRow = type.getRank() >= numExampleDims &&
                    llvm::none_of(type.getShape().drop_front(numExampleDims),
                                  ShapedType::isDynamic) &&
                    split(type) == split(parsed);
  return value.getDefiningOp() == parse && isRowByRow
             ? static_cast<int32_t>(cast<OpResult>(value).getResultNumber())
             : -1;
}

/// Of a function in which nothing can fail but a parse of its only argument:
/// which of the parsed features each result is. Null for any other.
Attribute parsedFeatures(Block &body) {
  ParseExampleOp parse;
  for (Operation &op : body.without_terminator()) {
    if (auto found = dyn_cast<ParseExampleOp>(op)) {
      if (parse)
        return {};
      parse = found;
    } else if (!isa<ConstantOp, host::StringsOp, host::LaunchOp>(op) &&
               !(isa<tensor::TensorDialect, arith::ArithDialect>(
                     op.getDialect()) &&
                 op.getNumRegions() == 0)) {
      return {};
    }
  }
  if (!parse || body.getNumArguments() != 1 ||
      parse.getSerialized() != body.getArgument(0))
    return {};
  SmallVector<int32_t> features;
  for (Value result : body.getTerminator()->getOperands())
    features.push_back(parsedFeature(result, parse));
  return Builder(parse.getContext()).getDenseI32ArrayAttr(features);
}

static IntegerAttr countAttr(Operation *op, StringRef name) {
  auto count = op->getAttrOfType<IntegerAttr>(name);
  return count ? count : Builder(op->getContext()).getI64IntegerAttr(0);
}

/// A function of datasets, likewise: inputs are feeds, results fetches.
func::FuncOp lowerFunction(func::FuncOp source, const Numbering &numbering) {
  Builder builder(source.getContext());
  Block &body = source.getBody().front();
  ValueRange returned = body.getTerminator()->getOperands();
  Arguments arguments;
  for (auto [index, argument] : llvm::enumerate(body.getArguments()))
    arguments.add(builder, host::feedAttrName, index,
                  storageOf(argument.getType()));
  Fetches fetches(source.getResultTypes(), builder, arguments);
  SmallVector<NamedAttribute> description = {
      builder.getNamedAttr("feed_types",
                           typesOf(source, ::ingot::lower::feedTypesAttrName,
                                   body.getArgumentTypes())),
      builder.getNamedAttr("fetch_types",
                           typesOf(source, ::ingot::lower::fetchTypesAttrName,
                                   source.getResultTypes())),
      builder.getNamedAttr("positions",
                           countAttr(source, randomPositionsAttrName)),
      builder.getNamedAttr("seeds", countAttr(source, randomSeedsAttrName))};
  if (Attribute features = parsedFeatures(body))
    description.push_back(builder.getNamedAttr("parsed", features));
  auto function =
      func::FuncOp::create(source.getLoc(), source.getName(),
                           builder.getFunctionType(arguments.types, {}),
                           ArrayRef<NamedAttribute>{builder.getNamedAttr(
                               ::ingot::lower::functionAttrName,
                               builder.getDictionaryAttr(description))});
  function.setAllArgAttrs(arguments.attributes);
  EntryLowering lowering(function, numbering);
  for (auto [index, argument] : llvm::enumerate(body.getArguments())) {
    argument.replaceAllUsesWith(
        lowering.load(index, argument.getType(), /*writable=*/false));
  }
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
    lowering.lower(&op);
  fetches.store(lowering, returned);
  OpBuilder end = OpBuilder::atBlockEnd(&function.getBody().front());
  func::ReturnOp::create(end, source.getLoc());
  return function;
}

struct LowerEntries : ::ingot::lower::impl::LowerEntriesPassBase<LowerEntries> {
  void runOnOperation() override {
    Numbering numbering(getOperation());
    for (Operation &op :
         llvm::make_early_inc_range(*getOperation().getBody())) {
      func::FuncOp lowered;
      if (auto entry = dyn_cast<EntryOp>(op))
        lowered = lowerEntry(entry, numbering);
      else if (auto function = dyn_cast<func::FuncOp>(op);
               function && !function->hasAttr(host::kernelAttrName))
        lowered = lowerFunction(function, numbering);
      if (!lowered)
        continue;
      op.getBlock()->getOperations().insert(op.getIterator(), lowered);
      // Its body has moved; what is left are constants and the terminator.
      op.dropAllReferences();
      for (Block &block : op.getRegion(0))
        block.dropAllDefinedValueUses();
      op.erase();
    }
  }
};

} // namespace
