//===- ControlOps.cpp - Functional branches and loops ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Imports If, Case and While. The bodies of their functions become regions. A
// value or resource that a loop passes on unchanged is not loop-carried: the
// loop's regions use the value that is defined before the loop.
//
//===----------------------------------------------------------------------===//

#include "dialects/Ingot/IR/ControlOps.h"

#include "compiler/Import/ControlFlow/ControlFlow.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MathReductionOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

Value toCondition(NodeImport &node, Value value) {
  auto type = cast<TensorType>(value.getType());
  OpBuilder &builder = node.body.builder;
  auto constant = [&](DenseElementsAttr value) -> Value {
    return createConstant(builder, node.loc, value);
  };
  // TensorFlow's rule: a scalar is true if it is not zero, and a tensor of
  // higher rank is true if it has at least one element. A tensor of unknown
  // rank is assumed to be a scalar, because nearly all conditions are scalars.
  if (type.hasRank() && type.getRank() != 0) {
    // The tensor is true if it has elements. With a static shape the result is
    // a constant; otherwise, the number of elements is compared with zero
    // below.
    if (std::optional<int64_t> count = getNumElements(getTensorShape(type)))
      return constant(DenseElementsAttr::get(
          RankedTensorType::get({}, builder.getI1Type()), *count != 0));
    auto i64 = TypeAttr::get(builder.getI64Type());
    Operation *shape =
        node.create<ShapeOp>(value, {node.named("output_type", i64)});
    Operation *count =
        shape ? node.create<ProdOp>({shape->getResult(0),
                                     constant(builder.getI32TensorAttr({0}))})
              : nullptr;
    if (!count)
      return {};
    value = count->getResult(0);
    type = cast<TensorType>(value.getType());
  }
  Type element = type.getElementType();
  if (element.isInteger(1))
    return value;
  if (!element.isIntOrFloat()) {
    node.unsupported("a condition of type " + describeType(type));
    return {};
  }
  auto scalar = RankedTensorType::get({}, element);
  Value zero = constant(DenseElementsAttr::get(
      scalar, isa<FloatType>(element)
                  ? Attribute(builder.getFloatAttr(element, 0))
                  : Attribute(builder.getIntegerAttr(element, 0))));
  Operation *differs = node.create<NotEqualOp>({value, zero});
  return differs ? differs->getResult(0) : Value();
}

/// Appends the tensor results of two branches to `firstValues` and
/// `secondValues`, and to `types` the most precise type that includes the types
/// of both. A result that is a resource is skipped, but must be the same
/// resource in both branches. Returns false after a problem.
static bool joinResults(NodeImport &node, ArrayRef<ImportedNodeOutput> first,
                        ArrayRef<ImportedNodeOutput> second,
                        SmallVectorImpl<Type> &types,
                        SmallVectorImpl<Value> &firstValues,
                        SmallVectorImpl<Value> &secondValues) {
  if (first.size() != second.size()) {
    node.malformed("branches return " + Twine(first.size()) + " and " +
                   Twine(second.size()) + " results");
    return false;
  }
  for (auto [a, b] : llvm::zip(first, second)) {
    if (!a.value && !b.value && a.handle.key() == b.handle.key())
      continue;
    if (!a.value || !b.value) {
      node.unsupported(
          "the two branches return different resources for the same result; "
          "return the same variable, table or iterator");
      return false;
    }
    Type type = joinTypes(a.value.getType(), b.value.getType());
    if (!type || !isa<TensorType>(type)) {
      node.malformed("branches return " + describeType(a.value.getType()) +
                     " and " + describeType(b.value.getType()) +
                     " for the same result");
      return false;
    }
    types.push_back(type);
    firstValues.push_back(a.value);
    secondValues.push_back(b.value);
  }
  return true;
}

/// Creates the value that a branch returns in place of a result that only the
/// other branch computes: zeros, with size 0 along dynamic dimensions. The
/// value is never used. Returns null, with a recorded problem, for types
/// without zeros.
static Value makeNothing(NodeImport &node, Block &block, Type type) {
  OpBuilder builder(node.context());
  builder.setInsertionPointToEnd(&block);
  auto tensor = dyn_cast<TensorType>(type);
  SmallVector<int64_t> shape;
  if (tensor && tensor.hasRank())
    for (int64_t size : tensor.getShape())
      shape.push_back(std::max<int64_t>(size, 0));
  DenseElementsAttr zeros =
      tensor && (tensor.getElementType().isIntOrFloat() ||
                 isa<ComplexType>(tensor.getElementType()))
          ? makeZeros(RankedTensorType::get(shape, tensor.getElementType()))
          : DenseElementsAttr();
  if (zeros)
    return createConstant(builder, node.loc, zeros);
  node.unsupported("the gradient reads a value of the branch that is not "
                   "taken, and no zeros can stand in for its type, " +
                   describeType(type));
  return {};
}

static void endBlock(NodeImport &node, Block &block, ValueRange values) {
  // Use a new builder: the insertion point of `node.body.builder` must not
  // change, and the region of `block` is not part of an op yet.
  OpBuilder builder(node.context());
  builder.setInsertionPointToEnd(&block);
  ResultOp::create(builder, node.loc, values);
  BlockImport::eraseDead(block);
}

bool importIf(NodeImport &node, Value condition, BranchImport thenBranch,
              BranchImport elseBranch,
              SmallVectorImpl<ImportedNodeOutput> &results) {
  OpBuilder &builder = node.body.builder;
  Region regions[2];
  SmallVector<ImportedNodeOutput> given[2];
  for (unsigned i = 0; i < 2; ++i) {
    Block &block = regions[i].emplaceBlock();
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    if (!(i == 0 ? thenBranch : elseBranch)(block, given[i])) {
      node.fail();
      return false;
    }
  }
  for (auto [a, b] : llvm::zip(given[0], given[1])) {
    bool isA = !a.value && !a.handle.graph && b.value;
    bool isB = !b.value && !b.handle.graph && a.value;
    ImportedNodeOutput &missing = isA ? a : b;
    if (isA || isB)
      missing.value = makeNothing(node, regions[isA ? 0 : 1].front(),
                                  (isA ? b : a).value.getType());
    if (node.hasFailed())
      return false;
  }
  SmallVector<Type> types;
  SmallVector<Value> values[2];
  if (!joinResults(node, given[0], given[1], types, values[0], values[1]))
    return false;
  for (unsigned i = 0; i < 2; ++i)
    endBlock(node, regions[i].front(), values[i]);
  auto op = IfOp::create(builder, node.loc, types, condition);
  op.getThenBranch().takeBody(regions[0]);
  op.getElseBranch().takeBody(regions[1]);
  unsigned next = 0;
  for (const ImportedNodeOutput &argument : given[0])
    results.push_back(argument.value ? ImportedNodeOutput(op.getResult(next++))
                                     : argument);
  return true;
}

bool importWhile(NodeImport &node, ArrayRef<Value> inits, TestImport test,
                 BodyImport body, SmallVectorImpl<Value> &results) {
  // Find the types of the loop-carried values as a fixed point: start with the
  // types of the initial values, import the body, and join them with the types
  // that it returns, until they no longer change. Each trial but the last makes
  // at least one dimension dynamic, so the search ends.
  static constexpr unsigned maxTrials = 16;
  SmallVector<Type> types(ValueRange(inits).getTypes());
  SmallVector<Location> locations(types.size(), node.loc);
  OpBuilder &builder = node.body.builder;
  for (unsigned trial = 0; trial < maxTrials; ++trial) {
    Region testRegion, bodyRegion;
    SmallVector<Value> next;
    {
      OpBuilder::InsertionGuard guard(builder);
      Block *block = builder.createBlock(&testRegion, {}, types, locations);
      Value condition = test(*block);
      if (!condition) {
        node.fail();
        return false;
      }
      ConditionOp::create(builder, node.loc, condition);
      BlockImport::eraseDead(*block);
      block = builder.createBlock(&bodyRegion, {}, types, locations);
      if (!body(*block, next)) {
        node.fail();
        return false;
      }
      endBlock(node, *block, next);
    }
    bool isFixed = true;
    for (auto [i, value] : llvm::enumerate(next)) {
      Type joined = joinTypes(types[i], value.getType());
      if (!joined) {
        node.malformed("loop-carried value " + Twine(i) + " is " +
                       describeType(types[i]) + " initially and " +
                       describeType(value.getType()) + " after an iteration");
        return false;
      }
      isFixed &= joined == types[i];
      types[i] = joined;
    }
    if (!isFixed)
      continue;
    auto op = WhileOp::create(builder, node.loc, types, inits);
    op.getTest().takeBody(testRegion);
    op.getBody().takeBody(bodyRegion);
    llvm::append_range(results, op.getResults());
    return true;
  }
  node.malformed("the sizes of loop-carried values still change after " +
                 Twine(maxTrials) + " rounds of shape inference");
  return false;
}

/// Returns the tensors and resources of a node's inputs, from input `first` on.
static SmallVector<ImportedNodeOutput> argumentsOf(NodeImport &node,
                                                   size_t first) {
  SmallVector<ImportedNodeOutput> arguments;
  for (Output input : ArrayRef<Output>(node.node.inputs).drop_front(first))
    arguments.push_back(node.body.currentArgument(input, node.loc));
  return arguments;
}

/// Returns a BranchImport that imports a call of `function` with `arguments`.
static auto callOf(NodeImport &node, const proto::NameAttrList &function,
                   ArrayRef<ImportedNodeOutput> arguments) {
  return [&node, &function, arguments](
             Block &block, SmallVectorImpl<ImportedNodeOutput> &results) {
    return node.body.program.importCall(function, block, arguments, results,
                                        node.body.problems);
  };
}

static void setOutputs(NodeImport &node, ArrayRef<ImportedNodeOutput> results) {
  for (auto [port, result] : llvm::enumerate(results))
    node.setOutput(port, result);
}

static const proto::NameAttrList *functionOf(NodeImport &node, StringRef name) {
  const proto::NameAttrList *function = node.attributes.getFunction(name);
  if (!function)
    node.malformed("attribute '" + name + "' is missing");
  return function;
}

static void importIfNode(NodeImport &node) {
  if (!node.expectAtLeastInputs(1))
    return;
  const proto::NameAttrList *thenBranch = functionOf(node, "then_branch");
  const proto::NameAttrList *elseBranch = functionOf(node, "else_branch");
  Value condition = node.tensor(0);
  if (!thenBranch || !elseBranch || !condition)
    return;
  condition = toCondition(node, condition);
  if (!condition)
    return node.fail();
  SmallVector<ImportedNodeOutput> arguments = argumentsOf(node, 1), results;
  if (importIf(node, condition, callOf(node, *thenBranch, arguments),
               callOf(node, *elseBranch, arguments), results))
    setOutputs(node, results);
}

/// Imports branches of a Case as nested `ingot.if`s. `branches` are the
/// branches of the Case from number `first` on. Branch i is taken if `index` is
/// i, and the last branch for every other value of `index`.
static bool importBranches(NodeImport &node, Value index,
                           ArrayRef<const proto::NameAttrList *> branches,
                           int32_t first,
                           ArrayRef<ImportedNodeOutput> arguments,
                           SmallVectorImpl<ImportedNodeOutput> &results) {
  OpBuilder &builder = node.body.builder;
  Value number = createConstant(
      builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI32Type()),
                             first));
  Operation *isFirst = node.create<EqualOp>({index, number});
  if (!isFirst)
    return false;
  auto others = [&](Block &block, SmallVectorImpl<ImportedNodeOutput> &given) {
    auto rest = branches.drop_front();
    return rest.size() == 1
               ? callOf(node, *rest.front(), arguments)(block, given)
               : importBranches(node, index, rest, first + 1, arguments, given);
  };
  return importIf(node, isFirst->getResult(0),
                  callOf(node, *branches.front(), arguments), others, results);
}

static void importCase(NodeImport &node) {
  if (!node.expectAtLeastInputs(1))
    return;
  const proto::AttrValue::ListValue *list = node.attributes.getList("branches");
  Value index = node.tensor(0);
  if (!list || list->func().empty())
    return node.malformed("attribute 'branches' is missing");
  if (!index)
    return;
  SmallVector<const proto::NameAttrList *> branches;
  for (const proto::NameAttrList &function : list->func())
    branches.push_back(&function);
  // The `ingot.if` of each branch is nested in the one of the branch before it,
  // so limit the number of branches.
  if (branches.size() > 256)
    return node.unsupported(Twine(branches.size()) +
                            " branches; at most 256 are supported");
  SmallVector<ImportedNodeOutput> arguments = argumentsOf(node, 1), results;
  bool done =
      branches.size() == 1
          ? callOf(node, *branches[0], arguments)(*node.body.builder.getBlock(),
                                                  results)
          : importBranches(node, index, branches, 0, arguments, results);
  if (!done)
    return node.fail();
  setOutputs(node, results);
}

static void importWhileNode(NodeImport &node) {
  const proto::NameAttrList *test = functionOf(node, "cond");
  const proto::NameAttrList *body = functionOf(node, "body");
  if (!test || !body)
    return;
  Program &program = node.body.program;
  ImportErrors &problems = node.body.problems;
  if (program.effectOf(*test) == Effect::Writes)
    return node.unsupported(
        "the loop's condition writes variables; write them in the loop's body");
  std::optional<SmallVector<int>> origins =
      program.argumentsReturned(*body, problems);
  if (!origins)
    return node.fail();
  SmallVector<ImportedNodeOutput> arguments = argumentsOf(node, 0);
  if (origins->size() != arguments.size())
    return node.malformed("body returns " + Twine(origins->size()) +
                          " results for " + Twine(arguments.size()) +
                          " inputs");
  // An input is not loop-carried if it is a resource, or a value that the body
  // returns unchanged. It is the same in all iterations, so the body uses the
  // resource or value that is defined before the loop.
  SmallVector<unsigned> changing;
  SmallVector<Value> inits;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    if ((*origins)[i] == static_cast<int>(i) || !argument.value)
      continue;
    changing.push_back(i);
    inits.push_back(argument.value);
  }
  auto call = [&](const proto::NameAttrList &function, Block &block,
                  SmallVectorImpl<ImportedNodeOutput> &results) {
    SmallVector<ImportedNodeOutput> inside(arguments);
    for (auto [place, value] : llvm::zip(changing, block.getArguments()))
      inside[place] = ImportedNodeOutput(value);
    return program.importCall(function, block, inside, results, problems);
  };
  auto importTest = [&](Block &block) -> Value {
    SmallVector<ImportedNodeOutput> given;
    if (!call(*test, block, given))
      return {};
    if (given.size() != 1 || !given[0].value) {
      node.malformed("function '" + test->name() +
                     "', the condition, must return one tensor, but returns " +
                     (given.size() == 1
                          ? std::string("a resource")
                          : std::to_string(given.size()) + " results"));
      return {};
    }
    return toCondition(node, given[0].value);
  };
  auto importBody = [&](Block &block, SmallVectorImpl<Value> &next) {
    SmallVector<ImportedNodeOutput> given;
    if (!call(*body, block, given))
      return false;
    for (auto [i, result] : llvm::enumerate(given))
      if (!arguments[i].value &&
          (result.value || result.handle.key() != arguments[i].handle.key())) {
        node.unsupported("input " + Twine(i) +
                         ", a resource, changes between iterations; use the "
                         "same variable, table or iterator in all of them");
        return false;
      }
    for (unsigned i : changing) {
      if (!given[i].value) {
        node.malformed("body returns a resource as result " + Twine(i));
        return false;
      }
      next.push_back(given[i].value);
    }
    return true;
  };
  SmallVector<Value> values;
  if (!importWhile(node, inits, importTest, importBody, values))
    return;
  for (auto [i, value] : llvm::zip(changing, values))
    arguments[i] = ImportedNodeOutput(value);
  setOutputs(node, arguments);
}

void addControlOps(OpTable &table) {
  for (StringRef op : {"If", "StatelessIf"})
    table[op] = {Effect::Called, importIfNode};
  for (StringRef op : {"Case", "StatelessCase"})
    table[op] = {Effect::Called, importCase};
  for (StringRef op : {"While", "StatelessWhile"})
    table[op] = {Effect::Called, importWhileNode};
}

} // namespace ingot::importer
