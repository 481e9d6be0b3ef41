//===- InputOps.cpp - Iterators -------------------------------------------===//

#include "compiler/Import/DatasetImport.h"
#include "compiler/Import/Program.h"
#include "compiler/Import/Types.h"
#include "dialects/Ingot/Names.h"
#include "dialects/Ingot/ReportOps.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static constexpr StringRef iteratorOps[] = {"IteratorV2", "Iterator",
                                            "OneShotIterator"};

// The iterator whose handle an input is; null where there is a problem.
static IteratorOp iteratorOf(NodeImport &node, size_t input) {
  Handle handle = node.handle(input);
  // Of an iterator made otherwise, that op is the problem.
  if (!findOp(handle.op())) {
    node.body.problems.unsupported(handle.op(), handle.name());
    node.fail();
    return {};
  }
  if (!llvm::is_contained(iteratorOps, handle.op())) {
    node.malformed("input " + llvm::Twine(input) + ", '" + handle.name() +
                   "' (" + handle.op() + "), is not an iterator");
    return {};
  }
  IteratorOp iterator = node.body.program.iterator(handle, node.body.problems);
  if (!iterator)
    node.fail();
  return iterator;
}

static void importHandle(NodeImport &) {}

static Value constantBool(NodeImport &node, bool value) {
  OpBuilder &builder = node.body.builder;
  return ConstantOp::create(
      builder, node.loc,
      DenseElementsAttr::get(RankedTensorType::get({}, builder.getI1Type()),
                             value));
}

// The iterator's next element, of the declared types; nothing, and a problem,
// where it has others.
static SmallVector<Value> takeElement(NodeImport &node, IteratorOp iterator,
                                      SmallVector<Type> declared,
                                      bool asOptional) {
  if (iterator->hasAttr(givesOptionalsAttrName) != asOptional) {
    node.unsupported("an iterator that is asked for elements and for "
                     "optionals");
    return {};
  }
  if (asOptional)
    declared.insert(declared.begin(),
                    RankedTensorType::get({}, node.body.builder.getI1Type()));
  ArrayAttr components = iterator.getComponents();
  if (components.size() != declared.size()) {
    node.malformed("takes " + llvm::Twine(declared.size() - asOptional) +
                   " tensors from an iterator that gives " +
                   llvm::Twine(components.size() - asOptional));
    return {};
  }
  for (auto [type, component] : llvm::zip(declared, components)) {
    auto given = cast<TensorType>(cast<TypeAttr>(component).getValue());
    auto taken = cast<TensorType>(type);
    if (given.getElementType() != taken.getElementType() ||
        failed(verifyCompatibleShape(given, taken))) {
      node.malformed("takes " + describeType(taken) +
                     " from an iterator that gives " + describeType(given));
      return {};
    }
    type = refineType(taken, given);
  }
  auto op = IteratorNextOp::create(node.body.builder, node.loc, declared,
                                   iterator.getSymName());
  return SmallVector<Value>(op.getResults());
}

static void importGetNext(NodeImport &node) {
  SmallVector<Type> declared;
  if (!node.expectInputs(1) ||
      !declaredComponents(node, "output_types", declared))
    return;
  IteratorOp iterator = iteratorOf(node, 0);
  if (!iterator)
    return;
  SmallVector<Value> element =
      takeElement(node, iterator, declared, /*asOptional=*/false);
  for (auto [port, value] : llvm::enumerate(element))
    node.setOutput(port, value);
}

// The flag and the components of an optional, whose handle an input is.
static ArrayRef<Value> optionalOf(NodeImport &node) {
  if (!node.expectInputs(1))
    return {};
  Handle handle = node.handle(0);
  if (ArrayRef<Value> values = node.body.program.optional(handle);
      !values.empty())
    return values;
  // Of one with a problem that is the problem.
  if (!handle.op().starts_with("Optional") &&
      handle.op() != "IteratorGetNextAsOptional")
    node.unsupported("an optional that '" + handle.name() + "' (" +
                     handle.op() + ") gives");
  node.fail();
  return {};
}

static void importGetNextAsOptional(NodeImport &node) {
  SmallVector<Type> declared;
  if (!node.expectInputs(1) ||
      !declaredComponents(node, "output_types", declared))
    return;
  if (IteratorOp iterator = iteratorOf(node, 0))
    node.body.program.setOptional(
        {&node.body.graph, node.index},
        takeElement(node, iterator, declared, /*asOptional=*/true));
}

static void importOptionalFromValue(NodeImport &node) {
  SmallVector<Value> values = {constantBool(node, true)};
  llvm::append_range(values, node.tensors(0, node.numInputs()));
  if (!node.hasFailed())
    node.body.program.setOptional({&node.body.graph, node.index}, values);
}

static void importOptionalNone(NodeImport &node) {
  node.body.program.setOptional({&node.body.graph, node.index},
                                constantBool(node, false));
}

static void importOptionalHasValue(NodeImport &node) {
  ArrayRef<Value> optional = optionalOf(node);
  if (!optional.empty())
    node.setOutput(0, optional.front());
}

static void importOptionalGetValue(NodeImport &node) {
  SmallVector<Type> declared;
  if (!declaredComponents(node, "output_types", declared))
    return;
  ArrayRef<Value> optional = optionalOf(node);
  if (optional.empty())
    return;
  ArrayRef<Value> components = optional.drop_front();
  if (components.size() != declared.size())
    return components.empty()
               ? node.unsupported("the value of an optional that has none")
               : node.malformed("takes " + llvm::Twine(declared.size()) +
                                " tensors from an optional of " +
                                llvm::Twine(components.size()));
  OpBuilder &builder = node.body.builder;
  auto text = RankedTensorType::get({}, StringType::get(node.context()));
  Value message = ConstantOp::create(
      builder, node.loc,
      DenseElementsAttr::get(
          text, ArrayRef<StringRef>{"the optional does not have a value"}));
  node.create<AssertOp>({optional.front(), message},
                        node.named("summarize", builder.getI64IntegerAttr(3)));
  for (auto [port, value] : llvm::enumerate(components))
    node.setOutput(port, value);
}

static void importMakeIterator(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  if (IteratorOp iterator = iteratorOf(node, 1))
    IteratorMakeOp::create(
        node.body.builder, node.loc,
        node.body.program.iteratorOver(iterator, node.node.inputs[0]));
}

void addInputOps(OpTable &table) {
  auto add = [&](StringRef op, Effect effect, void (*import)(NodeImport &)) {
    table[op] = {effect, import};
  };
  for (StringRef op : iteratorOps)
    add(op, Effect::Pure, importHandle);
  add("IteratorGetNext", Effect::Consumes, importGetNext);
  add("IteratorGetNextSync", Effect::Consumes, importGetNext);
  add("IteratorGetNextAsOptional", Effect::Consumes, importGetNextAsOptional);
  add("OptionalFromValue", Effect::Pure, importOptionalFromValue);
  add("OptionalNone", Effect::Pure, importOptionalNone);
  add("OptionalHasValue", Effect::Pure, importOptionalHasValue);
  add("OptionalGetValue", Effect::Pure, importOptionalGetValue);
  add("MakeIterator", Effect::Writes, importMakeIterator);
  addDatasetOps(table);
  addExampleOps(table);
}

} // namespace ingot::importer
