//===- DatasetImport.cpp - What imports of datasets share -----------------===//

#include "compiler/Import/DatasetImport.h"

#include "compiler/Import/Program.h"
#include "compiler/Import/Types.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// The types that a node declares for an element of a dataset or iterator;
// false, with the problem recorded, where they make no sense.
bool declaredComponents(NodeImport &node, StringRef typesName,
                        SmallVectorImpl<Type> &types) {
  std::vector<proto::DataType> dtypes = node.attributes.getTypes(typesName);
  const proto::AttrValue::ListValue *shapes =
      node.attributes.getList("output_shapes");
  if (shapes && shapes->shape_size() != static_cast<int>(dtypes.size())) {
    node.malformed("declares " + llvm::Twine(dtypes.size()) + " types and " +
                   llvm::Twine(shapes->shape_size()) + " shapes");
    return false;
  }
  for (auto [index, dtype] : llvm::enumerate(dtypes)) {
    std::string error;
    const proto::TensorShapeProto *shape =
        shapes ? &shapes->shape(index) : nullptr;
    // Sparse tensors are strings in here, of another number.
    bool isSparse = dtype == proto::DT_VARIANT;
    Type type =
        convertTensorType(isSparse ? proto::DT_STRING : dtype,
                          isSparse ? nullptr : shape, node.context(), error);
    if (!type) {
      node.unsupported(error);
      return false;
    }
    types.push_back(type);
  }
  return true;
}

// Creates a dataset op whose element has these types.
Operation *createDataset(NodeImport &node, StringRef opName,
                         ValueRange operands, ArrayRef<Type> components,
                         ArrayRef<NamedAttribute> attributes) {
  OperationState state(node.loc, opName);
  state.addOperands(operands);
  state.addTypes(DatasetType::get(node.context(), components));
  if (!attributes.empty())
    state.propertiesAttr = DictionaryAttr::get(node.context(), attributes);
  Operation *op = node.verified(node.body.builder.create(state));
  if (op)
    node.setOutput(0, op->getResult(0));
  return op;
}

ArrayRef<Type> componentsOf(Value dataset) {
  return cast<DatasetType>(dataset.getType()).getComponents();
}

// What is known of a result's components from its inputs and from what the
// node declares.
void refineComponents(SmallVectorImpl<Type> &declared,
                      ArrayRef<Type> computed) {
  if (declared.size() != computed.size())
    return;
  for (auto [type, other] : llvm::zip(declared, computed))
    type = refineType(cast<TensorType>(type), cast<TensorType>(other));
}

// What a function captures beside the element's tensors. A compiled function
// holds constants itself, and knows resources by name.
static bool addCaptured(NodeImport &node, const DatasetFunction &function,
                        OpBuilder *cloneInto,
                        SmallVectorImpl<Argument> &arguments) {
  for (const Argument &captured : function.captured) {
    if (!captured.value || !cloneInto) {
      arguments.push_back(captured);
      continue;
    }
    Operation *op = captured.value.getDefiningOp();
    if (!isa_and_nonnull<ConstantOp>(op)) {
      node.unsupported("its function uses a tensor from outside that is not a "
                       "constant");
      return false;
    }
    arguments.push_back(cloneInto->clone(*op)->getResult(0));
  }
  return true;
}

std::optional<DatasetFunction> functionOf(NodeImport &node, size_t numTensors,
                                          StringRef attribute) {
  size_t numCaptured = node.attributes.getTypes("Targuments").size();
  if (!node.expectInputs(1 + numCaptured + numTensors))
    return std::nullopt;
  DatasetFunction function;
  function.function = node.attributes.getFunction(attribute);
  if (!function.function) {
    node.malformed("attribute '" + attribute + "' is missing");
    return std::nullopt;
  }
  function.input = node.dataset(0);
  for (size_t i = 1; i <= numCaptured; ++i)
    function.captured.push_back(node.body.argument(node.node.inputs[i]));
  function.tensors = node.tensors(1 + numCaptured, node.numInputs());
  if (node.hasFailed())
    return std::nullopt;
  return function;
}

func::FuncOp compileFunction(NodeImport &node,
                             const DatasetFunction &function) {
  Program &program = node.body.program;
  ArrayRef<Type> components = componentsOf(function.input);
  if (function.captured.empty()) {
    func::FuncOp op = program.function(function.function->name(), components,
                                       node.body.problems);
    if (!op)
      node.fail();
    return op;
  }
  StringRef name = function.function->name();
  OpBuilder builder = OpBuilder::atBlockEnd(program.module.getBody());
  auto op = func::FuncOp::create(
      builder, NameLoc::get(builder.getStringAttr(name)),
      program.uniqueSymbol(name), builder.getFunctionType(components, {}));
  op.setPrivate();
  Block &block = *op.addEntryBlock();
  builder.setInsertionPointToEnd(&block);
  SmallVector<Argument> arguments(block.getArguments()), results;
  bool ok = addCaptured(node, function, &builder, arguments) &&
            program.importCall(*function.function, block, arguments, results,
                               node.body.problems);
  SmallVector<Value> values;
  for (const Argument &result : results)
    values.push_back(result.value);
  if (!ok || !llvm::all_of(values, [](Value value) {
        return value && isa<TensorType>(value.getType());
      })) {
    op.erase();
    node.fail();
    return {};
  }
  builder.setInsertionPointToEnd(&block);
  func::ReturnOp::create(builder, op.getLoc(), values);
  op.setFunctionType(
      builder.getFunctionType(components, ValueRange(values).getTypes()));
  Body::eraseDead(block);
  return op;
}

std::unique_ptr<Region>
importBody(NodeImport &node, const DatasetFunction &function, Value &dataset) {
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  for (Type component : componentsOf(function.input))
    block.addArgument(component, node.loc);
  SmallVector<Argument> arguments(block.getArguments()), results;
  if (!addCaptured(node, function, nullptr, arguments))
    return nullptr;
  if (!node.body.program.importCall(*function.function, block, arguments,
                                    results, node.body.problems)) {
    node.fail();
    return nullptr;
  }
  dataset = results.size() == 1 ? results[0].value : Value();
  if (!dataset || !isa<DatasetType>(dataset.getType())) {
    node.malformed("function '" + function.function->name() +
                   "' does not make one dataset");
    return nullptr;
  }
  OpBuilder builder(node.context());
  builder.setInsertionPointToEnd(&block);
  YieldOp::create(builder, node.loc, dataset);
  Body::eraseDead(block);
  return region;
}

} // namespace ingot::importer
