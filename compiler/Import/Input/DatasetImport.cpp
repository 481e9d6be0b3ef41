//===- DatasetImport.cpp - Common parts of dataset imports ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Import/Input/DatasetImport.h"

#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/ConstantOps.h"
#include "dialects/Ingot/IR/DatasetOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Appends to `types` the types that the node's attributes declare for the
// components of a dataset's or iterator's element. Returns false, with a
// recorded problem, if they are malformed.
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
    // A sparse tensor in an element is declared as a variant with the shape of
    // the sparse tensor. But the element contains the serialized sparse tensor,
    // which is a tensor of strings, so the declared shape does not apply.
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

// Infers the types in `components` that have no rank. The elements of such
// components are serialized sparse or ragged tensors, whose shape a node cannot
// declare. An op that makes batches adds a dimension to the elements of its
// operand, and an op that makes slices removes a dimension.
static void inferRanks(StringRef opName, ValueRange operands,
                       MutableArrayRef<Type> components) {
  bool addsDim = opName == BatchDatasetOp::getOperationName(),
       slices = opName == TensorSliceDatasetOp::getOperationName();
  if (!addsDim && !slices && opName != UnbatchDatasetOp::getOperationName())
    return;
  SmallVector<Type> types(operands.getTypes());
  if (!slices)
    types.assign(componentsOf(operands[0]).begin(),
                 componentsOf(operands[0]).end());
  for (auto [component, type] : llvm::zip(components, types)) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    if (!isa<UnrankedTensorType>(component) || !ranked)
      continue;
    SmallVector<int64_t> dims(ranked.getShape());
    if (addsDim)
      dims.insert(dims.begin(), ShapedType::kDynamic);
    else if (!dims.empty())
      dims.erase(dims.begin());
    component = RankedTensorType::get(dims, ranked.getElementType());
  }
}

// Creates a dataset op, and makes its result output 0 of the node. The
// components of the elements have the types `declared`; types without a rank
// are inferred if possible. Returns null, with a recorded problem, if the op is
// invalid.
Operation *createDataset(NodeImport &node, StringRef opName,
                         ValueRange operands, ArrayRef<Type> declared,
                         ArrayRef<NamedAttribute> attributes) {
  SmallVector<Type> components(declared);
  inferRanks(opName, operands, components);
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

// Refines the types that a node declares for the components of its elements by
// the types that were computed from the node's inputs.
void refineComponents(SmallVectorImpl<Type> &declared,
                      ArrayRef<Type> computed) {
  if (declared.size() != computed.size())
    return;
  for (auto [type, other] : llvm::zip(declared, computed)) {
    auto tensor = dyn_cast<TensorType>(type);
    auto otherTensor = dyn_cast<TensorType>(other);
    // If a component is a dataset, its declared type is just `variant`, so use
    // the computed type instead.
    type = tensor && otherTensor ? refineType(tensor, otherTensor) : other;
  }
}

bool expectTensors(NodeImport &node, Value dataset) {
  if (llvm::all_of(componentsOf(dataset), llvm::IsaPred<TensorType>))
    return true;
  node.unsupported("elements that are datasets; turn windows into tensors with "
                   "flat_map or interleave");
  return false;
}

// Returns whether a captured argument of a dataset's function is a tensor that
// is not constant: an op computes it at run time, or it is a component of an
// element of an enclosing dataset.
static bool isZipped(const ImportedNodeOutput &captured) {
  return captured.value && isa<TensorType>(captured.value.getType()) &&
         !isa_and_nonnull<ConstantOp>(captured.value.getDefiningOp());
}

void zipCaptured(NodeImport &node, DatasetFunctionInputs &function) {
  SmallVector<Value> tensors;
  for (const ImportedNodeOutput &captured : function.captured)
    if (isZipped(captured))
      tensors.push_back(captured.value);
  if (tensors.empty())
    return;
  OpBuilder &builder = node.body.builder;
  auto type = DatasetType::get(
      node.context(), SmallVector<Type>(ValueRange(tensors).getTypes()));
  Value forever = createConstant(
      builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()),
                             int64_t(-1)));
  Value once = TensorDatasetOp::create(builder, node.loc, type, tensors);
  Value repeated =
      RepeatDatasetOp::create(builder, node.loc, type, once, forever);
  SmallVector<Type> components(componentsOf(function.input));
  llvm::append_range(components, type.getComponents());
  function.input = ZipDatasetOp::create(
      builder, node.loc, DatasetType::get(node.context(), components),
      ValueRange{function.input, repeated});
  function.numZipped = tensors.size();
}

// Appends the captures of the function to `arguments`, in the order in which
// the function receives them. Captured tensors that are not constants have
// become components of the element (`zipCaptured`): on entry, they are the last
// `numZipped` elements of `arguments`, and they move to their positions among
// the captures. Captured constants are cloned by `cloneInto` if it is not null.
// A captured resource remains a reference to the node that creates it.
bool addCaptured(NodeImport &node, const DatasetFunctionInputs &function,
                 OpBuilder *cloneInto,
                 SmallVectorImpl<ImportedNodeOutput> &arguments) {
  SmallVector<ImportedNodeOutput> zipped(arguments.end() - function.numZipped,
                                         arguments.end());
  arguments.pop_back_n(function.numZipped);
  size_t numTaken = 0;
  for (const ImportedNodeOutput &captured : function.captured) {
    if (function.numZipped && isZipped(captured)) {
      arguments.push_back(zipped[numTaken++]);
      continue;
    }
    if (!captured.value || !cloneInto) {
      arguments.push_back(captured);
      continue;
    }
    Operation *op = captured.value.getDefiningOp();
    if (!isa_and_nonnull<ConstantOp>(op)) {
      node.unsupported("the function captures a tensor that is not constant; "
                       "compute it inside of the function");
      return false;
    }
    arguments.push_back(cloneInto->clone(*op)->getResult(0));
  }
  return true;
}

std::optional<DatasetFunctionInputs> functionOf(NodeImport &node,
                                                size_t numTensors,
                                                StringRef attribute,
                                                size_t numStates) {
  size_t numCaptured = node.attributes.getTypes("Targuments").size();
  size_t first = 1 + numStates;
  if (!node.expectInputs(first + numCaptured + numTensors))
    return std::nullopt;
  DatasetFunctionInputs function;
  function.function = node.attributes.getFunction(attribute);
  if (!function.function) {
    node.malformed("attribute '" + attribute + "' is missing");
    return std::nullopt;
  }
  function.input = node.dataset(0);
  function.state = node.tensors(1, first);
  for (size_t i = 0; i < numCaptured; ++i)
    function.captured.push_back(
        node.body.argument(node.node.inputs[first + i]));
  function.tensors = node.tensors(first + numCaptured, node.numInputs());
  if (node.hasFailed())
    return std::nullopt;
  return function;
}

func::FuncOp compileFunction(NodeImport &node,
                             const DatasetFunctionInputs &function) {
  Program &program = node.body.program;
  if (!expectTensors(node, function.input))
    return {};
  SmallVector<Type> components(function.stateTypes);
  llvm::append_range(components, componentsOf(function.input));
  if (function.captured.empty()) {
    func::FuncOp op = program.function(function.function->name(), components,
                                       node.body.problems);
    if (!op)
      node.fail();
    return op;
  }
  llvm::SaveAndRestore within(program.place, Program::ExecutionPlace::Function);
  StringRef name = function.function->name();
  OpBuilder builder = OpBuilder::atBlockEnd(program.module.getBody());
  auto op = func::FuncOp::create(
      builder, NameLoc::get(builder.getStringAttr(name)),
      program.uniqueSymbol(name), builder.getFunctionType(components, {}));
  op.setPrivate();
  Block &block = *op.addEntryBlock();
  builder.setInsertionPointToEnd(&block);
  SmallVector<ImportedNodeOutput> arguments(block.getArguments()), results;
  bool ok = addCaptured(node, function, &builder, arguments) &&
            program.importCall(*function.function, block, arguments, results,
                               node.body.problems);
  SmallVector<Value> values;
  for (const ImportedNodeOutput &result : results)
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
  BlockImport::eraseDead(block);
  return op;
}

static bool makesDataset(Operation &op) {
  return op.getNumResults() == 1 && isa<DatasetType>(op.getResult(0).getType());
}

// Returns the ops in the body of a dataset's function whose results are tensors
// that depend on the body's arguments, in the order of the body.
static SmallVector<Operation *> computedFromArguments(Block &block) {
  SmallVector<Operation *> computing;
  llvm::DenseSet<Value> given(block.args_begin(), block.args_end());
  // A random op yields different numbers for each element of the dataset. So
  // ops that depend on its state are computed for each element, like ops that
  // depend on the function's arguments, and not only once before the first
  // element.
  block.walk([&](ReadOp read) { given.insert(read.getOutput()); });
  for (Operation &op : block.without_terminator()) {
    auto takesGiven = [&](Operation *nested) {
      return llvm::any_of(nested->getOperands(),
                          [&](Value v) { return given.contains(v); })
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    };
    if (makesDataset(op) ||
        (!isa<ReadOp>(op) && !op.walk(takesGiven).wasInterrupted()))
      continue;
    given.insert(op.result_begin(), op.result_end());
    computing.push_back(&op);
  }
  return computing;
}

func::FuncOp outlineOperands(NodeImport &node, Block &block, StringRef name) {
  SmallVector<Operation *> computing = computedFromArguments(block);
  llvm::SetVector<Value> taken;
  for (Operation &op : block)
    op.walk([&](Operation *nested) {
      if (!makesDataset(*nested))
        return;
      for (Value operand : nested->getOperands())
        if (operand.getParentBlock() == &block &&
            isa<TensorType>(operand.getType()) &&
            (isa<BlockArgument>(operand) ||
             llvm::is_contained(computing, operand.getDefiningOp())))
          taken.insert(operand);
    });

  Program &program = node.body.program;
  OpBuilder builder = OpBuilder::atBlockEnd(program.module.getBody());
  SmallVector<BlockArgument> given;
  for (BlockArgument argument : block.getArguments())
    if (isa<TensorType>(argument.getType()))
      given.push_back(argument);
  auto types = SmallVector<Type>(ValueRange(taken.getArrayRef()).getTypes());
  auto operands = func::FuncOp::create(
      builder, node.loc, program.uniqueSymbol((name + "/operands").str()),
      builder.getFunctionType(
          llvm::map_to_vector(given, [](Value v) { return v.getType(); }),
          types));
  operands.setPrivate();
  Block &body = *operands.addEntryBlock();
  builder.setInsertionPointToEnd(&body);
  IRMapping mapping;
  for (auto [from, to] : llvm::zip(given, body.getArguments()))
    mapping.map(from, to);
  for (Operation &op : block.without_terminator())
    if (!makesDataset(op))
      builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : taken)
    results.push_back(mapping.lookup(value));
  func::ReturnOp::create(builder, node.loc, results);
  BlockImport::eraseDead(body);

  for (Value value : taken)
    value.replaceUsesWithIf(
        block.addArgument(value.getType(), value.getLoc()),
        [&](OpOperand &use) { return makesDataset(*use.getOwner()); });
  for (Operation *op : llvm::reverse(computing))
    op->erase();
  for (BlockArgument argument : llvm::reverse(given))
    block.eraseArgument(argument.getArgNumber());
  return operands;
}

// `block` is the body of a function that makes datasets. It may contain ops
// that compute operands of these datasets from the block's arguments. Moves
// such ops into a map over the input dataset, so that the operands are only
// constants and block arguments.
static void mapOperands(NodeImport &node, Block &block,
                        DatasetFunctionInputs &function) {
  if (computedFromArguments(block).empty() ||
      !llvm::all_of(block.getArgumentTypes(), llvm::IsaPred<TensorType>))
    return;
  func::FuncOp operands =
      outlineOperands(node, block, function.function->name());
  auto type = DatasetType::get(node.context(), operands.getResultTypes());
  function.input = MapDatasetOp::create(node.body.builder, node.loc, type,
                                        function.input, operands.getSymName());
}

std::unique_ptr<Region> importBody(
    NodeImport &node, DatasetFunctionInputs &function, Value &dataset,
    llvm::function_ref<void(Block &, SmallVectorImpl<ImportedNodeOutput> &)>
        prepare) {
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  zipCaptured(node, function);
  for (Type component : componentsOf(function.input))
    block.addArgument(component, node.loc);
  SmallVector<ImportedNodeOutput> arguments(block.getArguments()), results;
  if (!addCaptured(node, function, nullptr, arguments))
    return nullptr;
  if (prepare)
    prepare(block, arguments);
  llvm::SaveAndRestore within(node.body.program.place,
                              Program::ExecutionPlace::Function);
  if (!node.body.program.importCall(*function.function, block, arguments,
                                    results, node.body.problems)) {
    node.fail();
    return nullptr;
  }
  dataset = results.size() == 1 ? results[0].value : Value();
  if (!dataset || !isa<DatasetType>(dataset.getType())) {
    node.malformed("function '" + function.function->name() +
                   "' must return one dataset, but returns " +
                   (results.size() == 1
                        ? std::string("something else")
                        : std::to_string(results.size()) + " results"));
    return nullptr;
  }
  OpBuilder builder(node.context());
  builder.setInsertionPointToEnd(&block);
  YieldOp::create(builder, node.loc, dataset);
  BlockImport::eraseDead(block);
  mapOperands(node, block, function);
  return region;
}

} // namespace ingot::importer
