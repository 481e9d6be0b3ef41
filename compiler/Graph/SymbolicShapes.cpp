//===- SymbolicShapes.cpp - Which open dimensions are the same ------------===//

#include "compiler/Graph/SymbolicShapes.h"

#include "compiler/Graph/Batches.h"
#include "dialects/Ingot/InputOps.h"
#include "dialects/Ingot/IteratorOps.h"
#include "dialects/Ingot/PartialInts.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

int64_t SymbolicShapes::nextPrime() {
  auto isPrime = [](int64_t number) {
    for (int64_t factor = 3; factor * factor <= number; factor += 2)
      if (number % factor == 0)
        return false;
    return true;
  };
  do
    last += 2;
  while (!isPrime(last));
  return last;
}

Type SymbolicShapes::standIn(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.hasStaticShape())
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = nextPrime();
  return tensor.clone(shape);
}

/// Whether the components of an iterator's elements have one batch dimension
/// in common.
static bool isBatched(IteratorNextOp next, const SymbolTable &symbols) {
  auto iterator = symbols.lookup<IteratorOp>(next.getIterator());
  return iterator && batchOf(iterator);
}

void SymbolicShapes::visit(Operation *op, const SymbolTable &symbols) {
  SmallVector<Type> types;
  auto inferable = dyn_cast<InferTypeOpInterface>(op);
  // What the shape function refuses is open, as far as is known.
  ScopedDiagnosticHandler quiet(op->getContext(),
                                [](Diagnostic &) { return success(); });
  if (!inferable || failed(inferable.inferReturnTypes(
                        op->getContext(), std::nullopt, op->getOperands(),
                        op->getDiscardableAttrDictionary(),
                        op->getPropertiesStorage(), op->getRegions(), types)))
    types.clear();
  auto next = dyn_cast<IteratorNextOp>(op);
  int64_t batch = next && isBatched(next, symbols) ? nextPrime() : 0;
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    auto tensor = dyn_cast<RankedTensorType>(result.getType());
    if (!tensor)
      continue;
    SmallVector<int64_t> shape(tensor.getShape());
    auto inferred = index < types.size()
                        ? dyn_cast<RankedTensorType>(types[index])
                        : RankedTensorType();
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (!ShapedType::isDynamic(size))
        continue;
      if (inferred && inferred.getRank() == tensor.getRank() &&
          !inferred.isDynamicDim(dim))
        size = inferred.getDimSize(dim);
      else if (batch && dim == 0)
        size = batch;
    }
    result.setType(standIn(tensor.clone(shape)));
  }
}

SymbolicShapes::SymbolicShapes(Operation *root, const SymbolTable &symbols) {
  copy = root->clone(twins);
  copy->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(standIn(argument.getType()));
    if (op != *copy)
      visit(op, symbols);
  });
  for (auto [value, twin] : twins.getValueMap())
    if (auto tensor = dyn_cast<RankedTensorType>(twin.getType()))
      numbers[value] = SmallVector<int64_t>(tensor.getShape());
}

std::optional<SmallVector<int64_t>>
SymbolicShapes::elements(Value value) const {
  Value twin = twins.lookupOrNull(value);
  return twin ? getPartialInts(twin) : std::nullopt;
}

ArrayRef<int64_t> SymbolicShapes::operator[](Value value) const {
  auto found = numbers.find(value);
  return found == numbers.end() ? ArrayRef<int64_t>() : found->second;
}

} // namespace ingot::graph
