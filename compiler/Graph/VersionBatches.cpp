//===- VersionBatches.cpp - A static version for full batches -------------===//

#include "compiler/Graph/Batches.h"
#include "compiler/Graph/Passes.h"
#include "dialects/Ingot/InputOps.h"
#include "dialects/Ingot/IteratorOps.h"
#include "dialects/Ingot/ProgramOps.h"

#include "mlir/IR/Builders.h"

namespace ingot::graph {
#define GEN_PASS_DEF_VERSIONBATCHESPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;

/// The type of a component in a full batch.
static Type inFullBatch(Type type, int64_t size) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getRank() == 0 || !tensor.isDynamicDim(0))
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  shape.front() = size;
  return tensor.clone(shape);
}

/// The elements that the entry takes, which a version of it gets as feeds.
static SmallVector<IteratorNextOp> elementsOf(EntryOp entry) {
  return SmallVector<IteratorNextOp>(
      entry.getBody().front().getOps<IteratorNextOp>());
}

/// The types of the elements' components in full batches; empty where those
/// are no more static than what is known anyway.
static SmallVector<Type> fullBatchTypes(ArrayRef<IteratorNextOp> elements,
                                        const SymbolTable &symbols) {
  SmallVector<Type> types;
  bool improves = false;
  for (IteratorNextOp next : elements) {
    auto iterator = symbols.lookup<IteratorOp>(next.getIterator());
    std::optional<int64_t> size =
        iterator ? ::ingot::graph::batchSizeOf(iterator) : std::nullopt;
    for (Type type : next.getResultTypes()) {
      types.push_back(size ? inFullBatch(type, *size) : type);
      improves |= types.back() != type;
    }
  }
  return improves ? types : SmallVector<Type>();
}

static void addVersion(EntryOp entry, ArrayRef<IteratorNextOp> elements,
                       ArrayRef<Type> types, SymbolTable &symbols) {
  Builder builder(entry.getContext());
  auto version = cast<EntryOp>(entry->clone());
  version.setSymName((entry.getSymName() + "__full_batch").str());
  symbols.insert(version, std::next(Block::iterator(entry)));
  version->setAttr(::ingot::graph::versionOfAttrName,
                   FlatSymbolRefAttr::get(entry.getSymNameAttr()));
  entry->setAttr(::ingot::graph::versionAttrName,
                 FlatSymbolRefAttr::get(version.getSymNameAttr()));

  Block &body = version.getBody().front();
  SmallVector<Attribute> feeds(version.getFeeds().getValue());
  unsigned nextType = 0;
  for (IteratorNextOp next : elementsOf(version)) {
    for (OpResult component : next->getResults()) {
      feeds.push_back(builder.getStringAttr(
          next.getIterator() + ":" + Twine(component.getResultNumber())));
      component.replaceAllUsesWith(
          body.addArgument(types[nextType++], next.getLoc()));
    }
    next.erase();
  }
  version.setFeedsAttr(builder.getArrayAttr(feeds));
  // The entry looks at its elements before it does anything else.
  Block &original = entry.getBody().front();
  for (IteratorNextOp next : llvm::reverse(elements))
    next->moveBefore(&original, original.begin());
}

namespace {
struct VersionBatches
    : ::ingot::graph::impl::VersionBatchesPassBase<VersionBatches> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<EntryOp> entries(getOperation().getOps<EntryOp>());
    for (EntryOp entry : entries) {
      SmallVector<IteratorNextOp> elements = elementsOf(entry);
      SmallVector<Type> types = fullBatchTypes(elements, symbols);
      if (!types.empty())
        addVersion(entry, elements, types, symbols);
    }
  }
};
} // namespace
