//===- MakeBatchSizesStatic.cpp - Makes batch sizes static ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/DatasetOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"
#include "dialects/Ingot/IR/SymbolNames.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_MAKEBATCHSIZESSTATICPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-make-batch-sizes-static"

using namespace mlir;
using namespace mlir::ingot;

/// Whether the dataset never ends, so that no batch is partial.
static bool isEndless(Value dataset) {
  Operation *op = dataset.getDefiningOp();
  if (auto repeat = dyn_cast_or_null<RepeatDatasetOp>(op)) {
    std::optional<int64_t> count = getConstantInt(repeat.getCount());
    return (count && *count < 0) || isEndless(repeat.getInput());
  }
  if (auto zip = dyn_cast_or_null<ZipDatasetOp>(op))
    return llvm::all_of(zip.getInputs(), isEndless);
  return op && op->hasTrait<trait::NeverEndsBeforeInput>() &&
         isEndless(op->getOperand(0));
}

/// Returns the number of elements in the dataset; std::nullopt if it is not
/// static.
static std::optional<int64_t> countOf(Value dataset) {
  Operation *op = dataset.getDefiningOp();
  if (auto slices = dyn_cast_or_null<TensorSliceDatasetOp>(op)) {
    if (slices->getNumOperands() == 0)
      return std::nullopt;
    auto rows = dyn_cast<RankedTensorType>(slices->getOperand(0).getType());
    return rows && rows.getRank() > 0 && !rows.isDynamicDim(0)
               ? std::optional(rows.getDimSize(0))
               : std::nullopt;
  }
  return isa_and_nonnull<ShuffleDatasetOp, MapDatasetOp, ParallelMapDatasetOp,
                         CacheDatasetOp, PrefetchDatasetOp>(op)
             ? countOf(op->getOperand(0))
             : std::nullopt;
}

/// Returns the size of every batch; std::nullopt if it is unknown or the last
/// batch may be partial.
static std::optional<int64_t> fixedBatchSize(BatchDatasetOp batch) {
  std::optional<int64_t> size = getConstantInt(batch.getBatchSize());
  std::optional<int64_t> drops = getConstantInt(batch.getDropRemainder());
  if (!size || *size <= 0)
    return std::nullopt;
  if ((drops && *drops != 0) || isEndless(batch.getInput()))
    return size;
  std::optional<int64_t> count = countOf(batch.getInput());
  return count && *count % *size == 0 ? size : std::nullopt;
}

/// Returns the types `current` of a dataset's components, with those dimensions
/// made static that are static in `known`.
static SmallVector<Type> merged(ArrayRef<Type> current, ArrayRef<Type> known) {
  SmallVector<Type> types;
  for (auto [a, b] : llvm::zip(current, known)) {
    auto tensor = dyn_cast<TensorType>(a);
    types.push_back(
        tensor && areCompatibleTypes(a, b)
            ? getTensorType(refineShape(getTensorShape(a), getTensorShape(b)),
                            tensor.getElementType())
            : a);
  }
  return types;
}

static void setComponents(Value dataset, ArrayRef<Type> known) {
  auto type = cast<DatasetType>(dataset.getType());
  if (type.getComponents().size() != known.size())
    return;
  dataset.setType(
      DatasetType::get(type.getContext(), merged(type.getComponents(), known)));
}

static ArrayRef<Type> componentsOf(Value dataset) {
  return cast<DatasetType>(dataset.getType()).getComponents();
}

/// Makes the sizes of batches in the iterator's pipeline static if no batch is
/// partial. Returns the number of batch ops with a static size.
static unsigned specialize(IteratorOp iterator) {
  unsigned numStatic = 0;
  for (Operation &op : iterator.getBody().front()) {
    if (auto batch = dyn_cast<BatchDatasetOp>(op)) {
      std::optional<int64_t> size = fixedBatchSize(batch);
      LLVM_DEBUG(llvm::dbgs() << "batch size at " << batch.getLoc() << ": ";
                 if (size) llvm::dbgs() << *size << '\n';
                 else llvm::dbgs() << "dynamic\n");
      numStatic += size.has_value();
      SmallVector<Type> known;
      for (Type component : componentsOf(batch.getInput())) {
        Shape shape = getTensorShape(component);
        if (shape)
          shape->insert(shape->begin(), size.value_or(ShapedType::kDynamic));
        known.push_back(
            getTensorType(shape, cast<TensorType>(component).getElementType()));
      }
      setComponents(batch.getDataset(), known);
    } else if (op.hasTrait<trait::YieldsUnchangedInputElements>()) {
      setComponents(op.getResult(0), componentsOf(op.getOperand(0)));
    }
  }
  // If several pipelines may initialize this iterator, their batch sizes may
  // differ. So the batch dimension of its components stays dynamic.
  if (iterator->hasAttr(madeIntoAttrName))
    return numStatic;
  auto yield = cast<YieldOp>(iterator.getBody().front().getTerminator());
  SmallVector<Type> current(
      iterator.getComponents().getAsValueRange<TypeAttr>());
  SmallVector<Attribute> components;
  for (Type type : merged(current, componentsOf(yield.getDataset())))
    components.push_back(TypeAttr::get(type));
  iterator.setComponentsAttr(ArrayAttr::get(iterator.getContext(), components));
  return numStatic;
}

namespace {
struct MakeBatchSizesStatic
    : ::ingot::graph::impl::MakeBatchSizesStaticPassBase<MakeBatchSizesStatic> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto iterator : getOperation().getOps<IteratorOp>())
      numStatic += specialize(iterator);
    getOperation().walk([&](IteratorNextOp next) {
      auto iterator = symbols.lookup<IteratorOp>(next.getIterator());
      if (!iterator ||
          iterator.getComponents().size() != next.getComponents().size())
        return;
      SmallVector<Type> known(
          iterator.getComponents().getAsValueRange<TypeAttr>());
      SmallVector<Type> current(next.getResultTypes());
      for (auto [result, type] :
           llvm::zip(next.getComponents(), merged(current, known)))
        result.setType(type);
    });
  }
};
} // namespace
