//===- InputOps.cpp - Iterators -------------------------------------------===//

#include "compiler/Import/DatasetImport.h"
#include "compiler/Import/Program.h"
#include "compiler/Import/Types.h"

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

static void importGetNext(NodeImport &node) {
  SmallVector<Type> declared;
  if (!node.expectInputs(1) ||
      !declaredComponents(node, "output_types", declared))
    return;
  IteratorOp iterator = iteratorOf(node, 0);
  if (!iterator)
    return;
  ArrayAttr components = iterator.getComponents();
  if (components.size() != declared.size())
    return node.malformed("takes " + llvm::Twine(declared.size()) +
                          " tensors from an iterator that gives " +
                          llvm::Twine(components.size()));
  for (auto [type, component] : llvm::zip(declared, components)) {
    auto given = cast<TensorType>(cast<TypeAttr>(component).getValue());
    auto taken = cast<TensorType>(type);
    if (given.getElementType() != taken.getElementType() ||
        failed(verifyCompatibleShape(given, taken)))
      return node.malformed("takes " + describeType(taken) +
                            " from an iterator that gives " +
                            describeType(given));
    type = refineType(taken, given);
  }
  auto op = IteratorNextOp::create(node.body.builder, node.loc, declared,
                                   iterator.getSymName());
  for (auto [port, result] : llvm::enumerate(op.getResults()))
    node.setOutput(port, result);
}

static void importMakeIterator(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  if (IteratorOp iterator = iteratorOf(node, 1))
    IteratorMakeOp::create(node.body.builder, node.loc, iterator.getSymName());
}

void addInputOps(OpTable &table) {
  auto add = [&](StringRef op, Effect effect, void (*import)(NodeImport &)) {
    table[op] = {effect, import};
  };
  for (StringRef op : iteratorOps)
    add(op, Effect::Pure, importHandle);
  add("IteratorGetNext", Effect::Consumes, importGetNext);
  add("IteratorGetNextSync", Effect::Consumes, importGetNext);
  add("MakeIterator", Effect::Writes, importMakeIterator);
  addDatasetOps(table);
  addExampleOps(table);
}

} // namespace ingot::importer
