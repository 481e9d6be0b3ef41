//===- IteratorOps.cpp - Verifier of iterators ----------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/IteratorOps.h"

#include "dialects/Ingot/IR/OpFamilies.h"
#include "dialects/Ingot/IR/SymbolNames.h"

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotIteratorOps.cpp.inc"

void mlir::ingot::addIteratorOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotIteratorOps.cpp.inc"
      >();
}

LogicalResult IteratorOp::verify() {
  auto yield = dyn_cast<YieldOp>(getBody().front().back());
  // The region must end in an `ingot.yield` of one dataset (iterator_c1).
  if (!yield)
    return emitOpError("the region must end in ingot.yield of one dataset");
  auto dataset = cast<DatasetType>(yield.getDataset().getType());
  SmallVector<Type> components =
      llvm::to_vector(getComponents().getAsValueRange<TypeAttr>());
  if (!areCompatibleTypeLists(components, dataset.getComponents())) {
    // The components must agree with those of the yielded dataset
    // (iterator_c2).
    InFlightDiagnostic error = emitOpError("the iterator's elements are (");
    error << TypeRange(components) << "), but the dataset's are ("
          << TypeRange(dataset.getComponents()) << "): the types must match";
    error.attachNote(yield.getLoc()) << "the dataset is yielded here";
    return error;
  }
  if (Attribute made = (*this)->getAttr(madeIntoAttrName)) {
    auto symbol = dyn_cast<FlatSymbolRefAttr>(made);
    auto first =
        symbol ? SymbolTable::lookupNearestSymbolFrom<IteratorOp>(*this, symbol)
               : IteratorOp();
    // The attribute `ingot.made_into` must name an iterator of the program
    // (iterator_c3).
    if (!first)
      return emitOpError("'") << madeIntoAttrName
                              << "' must name an iterator of the program, but "
                                 "is "
                              << made;
  }
  return success();
}
