//===- InputOps.cpp - Iterators -------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/InputOps.h"
#include "compiler/Import/ControlFlow/ControlFlow.h"
#include "compiler/Import/Graph/ConvertTypes.h"
#include "compiler/Import/Graph/FeedableIterators.h"
#include "compiler/Import/Input/DatasetImport.h"
#include "compiler/Import/Program.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/SymbolNames.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

static constexpr StringRef iteratorOps[] = {"IteratorV2", "Iterator",
                                            "OneShotIterator"};

bool isIterator(StringRef op) { return llvm::is_contained(iteratorOps, op); }

// Returns the iterator that input `input` of the node is a handle of. On
// failure, records a problem and returns null.
static IteratorOp iteratorOf(NodeImport &node, size_t input) {
  ResourceHandle handle = node.handle(input);
  // If the op that creates the iterator is not supported, report that op
  // instead of this node's op.
  if (!findOp(handle.op())) {
    node.body.problems.unsupported(handle.op(), handle.name());
    node.fail();
    return {};
  }
  if (!isIterator(handle.op())) {
    node.malformed("input " + llvm::Twine(input) + ", '" + handle.name() +
                   "' (" + handle.op() + "), is not an iterator");
    return {};
  }
  IteratorOp iterator = node.body.program.iterator(handle, node.body.problems);
  if (!iterator)
    node.fail();
  return iterator;
}

// Imports a node that creates an iterator. Creates no op, because the iterator
// is imported when another node uses its handle (`iteratorOf`).
static void importHandle(NodeImport &) {}

// Draws the next element of the iterator in input 0 and returns its tensors. If
// `asOptional`, the first tensor is a bool that says whether there was an
// element. Returns an empty vector, with a recorded problem, if the types that
// the node declares are not those of the iterator's elements.
static SmallVector<Value> takeElement(NodeImport &node, bool asOptional) {
  SmallVector<Type> declared;
  if (!node.expectInputs(1) ||
      !declaredComponents(node, "output_types", declared))
    return {};
  IteratorOp iterator = iteratorOf(node, 0);
  if (!iterator)
    return {};
  if (iterator->hasAttr(givesOptionalsAttrName) != asOptional) {
    node.unsupported("an iterator with both get_next and get_next_as_optional; "
                     "use one of them");
    return {};
  }
  if (asOptional)
    declared.insert(declared.begin(),
                    RankedTensorType::get({}, node.body.builder.getI1Type()));
  ArrayAttr components = iterator.getComponents();
  if (components.size() != declared.size()) {
    node.malformed("takes " + llvm::Twine(declared.size() - asOptional) +
                   " tensors from an iterator whose elements have " +
                   llvm::Twine(components.size() - asOptional));
    return {};
  }
  for (auto [type, component] : llvm::zip(declared, components)) {
    auto given = cast<TensorType>(cast<TypeAttr>(component).getValue());
    auto taken = cast<TensorType>(type);
    if (given.getElementType() != taken.getElementType() ||
        failed(verifyCompatibleShape(given, taken))) {
      node.malformed("takes " + describeType(taken) + " from an iterator of " +
                     describeType(given));
      return {};
    }
    type = refineType(taken, given);
  }
  auto op = IteratorNextOp::create(node.body.builder, node.loc, declared,
                                   iterator.getSymName());
  return SmallVector<Value>(op.getResults());
}

static void importGetNext(NodeImport &node) {
  SmallVector<Value> element = takeElement(node, /*asOptional=*/false);
  for (auto [port, value] : llvm::enumerate(element))
    node.setOutput(port, value);
}

// Imports IteratorGetNextAsOptional: creates an optional that contains the next
// element, or is empty at the end of the input.
static void importGetNextAsOptional(NodeImport &node) {
  SmallVector<Value> element = takeElement(node, /*asOptional=*/true);
  if (element.empty())
    return;
  ArrayRef<Value> components = ArrayRef(element).drop_front();
  auto make = [&](StringRef op, ValueRange operands) {
    return [&node, op, operands](Block &,
                                 SmallVectorImpl<ImportedNodeOutput> &results) {
      Operation *optional = node.create(op, operands);
      if (optional)
        results.push_back(optional->getResult(0));
      return optional != nullptr;
    };
  };
  SmallVector<ImportedNodeOutput> optional;
  if (importIf(node, element.front(),
               make(OptionalFromValueOp::getOperationName(), components),
               make(OptionalNoneOp::getOperationName(), {}), optional))
    node.setOutput(0, optional.front());
}

static void importMakeIterator(NodeImport &node) {
  if (!node.expectInputs(2))
    return;
  if (IteratorOp iterator = iteratorOf(node, 1))
    IteratorMakeOp::create(
        node.body.builder, node.loc,
        node.body.program.iteratorOver(iterator, node.node.inputs[0]));
}

// Imports a node that connectFeedableIterators() has not replaced.
static void importFromStringHandle(NodeImport &node) {
  node.unsupported(node.attributes.getString(
      feedableIteratorAttrName,
      "it is in a function; call it outside of functions"));
}

void addInputOps(OpTable &table) {
  auto add = [&](StringRef op, Effect effect, void (*import)(NodeImport &)) {
    table[op] = {effect, import};
  };
  for (StringRef op : iteratorOps)
    add(op, Effect::Pure, importHandle);
  for (StringRef op :
       {"IteratorFromStringHandle", "IteratorFromStringHandleV2"})
    add(op, Effect::Pure, importFromStringHandle);
  add("IteratorGetNext", Effect::Consumes, importGetNext);
  add("IteratorGetNextSync", Effect::Consumes, importGetNext);
  add("IteratorGetNextAsOptional", Effect::Consumes, importGetNextAsOptional);
  add("MakeIterator", Effect::Writes, importMakeIterator);
  addDatasetOps(table);
  addExampleOps(table);
}

} // namespace ingot::importer
