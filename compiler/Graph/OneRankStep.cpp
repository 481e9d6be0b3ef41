//===- OneRankStep.cpp - Steps of a rank that trains alone ----------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/OneRankStep.h"

#include "compiler/Graph/BatchSliceRegionBuilder.h"
#include "compiler/Graph/Passes.h"

#include "dialects/Host/HostAttributes.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/GradientOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/PoolingOps.h"
#include "dialects/Ingot/IR/ProductOps.h"
#include "dialects/Ingot/IR/RearrangeOps.h"
#include "dialects/Ingot/IR/RequireValuesOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-split-batch-into-slices"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

/// Returns the size of the product's dimension K.
static int64_t depthOf(MatMulOp product) {
  return cast<RankedTensorType>(product.getA().getType())
      .getDimSize(product.getTransposeA() ? 0 : 1);
}

namespace {

/// How the clone computes an op of the split step.
enum class OneRankForm {
  Whole,      // for all rows at once
  SumBlocks,  // a GEMM that sums over the batch, slice by slice
  Slices,     // in a slice_region of its own
  Unsupported // not with the same bits
};

class OneRankStepBuilder {
public:
  OneRankStepBuilder(EntryOp step, const BatchSplitPlan &split,
                     const TargetPolicy &policy)
      : step(step), split(split), policy(policy),
        slices(split.getBatch().slices) {}

  EntryOp build() {
    SmallVector<std::pair<Operation *, OneRankForm>> changed;
    for (Operation &op : step.getBody().front())
      if (const OpBatchSplit *made = split.find(&op)) {
        OneRankForm form = formOf(&op, *made);
        if (form == OneRankForm::Unsupported) {
          LLVM_DEBUG(llvm::dbgs()
                     << "no clone for one rank, because of " << op << '\n');
          return {};
        }
        if (form != OneRankForm::Whole)
          changed.push_back({&op, form});
      }
    IRMapping mapping;
    auto clone = cast<EntryOp>(step->clone(mapping));
    clone.setSymName((step.getSymName() + ".one_rank").str());
    clone->removeAttr(host::fullBatchOfAttrName);
    clone->setAttr(host::oneRankOfAttrName,
                   FlatSymbolRefAttr::get(step.getSymNameAttr()));
    clone->setAttr(host::numSlicesAttrName,
                   Builder(step.getContext()).getI64IntegerAttr(slices));
    for (auto [op, form] : changed) {
      Operation *own = mapping.lookup(op);
      if (form == OneRankForm::SumBlocks)
        cast<MatMulOp>(own).setSumBlock(depthOf(cast<MatMulOp>(own)) / slices);
      else
        computeSlices(own, *split.find(op));
    }
    return clone;
  }

private:
  OneRankForm formOf(Operation *op, const OpBatchSplit &made) const;
  bool mayRoundOtherwise(Operation *op, const OpBatchSplit &made) const;
  bool isOneSum(MatMulOp product) const;
  void computeSlices(Operation *op, const OpBatchSplit &made) const;

  Type partType(Type type, int64_t cut) const {
    if (cut == whole)
      return type;
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<int64_t> shape(tensor.getShape());
    shape[cut] /= slices;
    return tensor.clone(shape);
  }

  EntryOp step;
  const BatchSplitPlan &split;
  const TargetPolicy &policy;
  int64_t slices;
};

} // namespace

static bool isProduct(Operation *op) {
  return isa<MatMulOp, BatchMatMulOp, EinsumOp, Conv2DOp, Conv2DBackpropInputOp,
             Conv2DBackpropFilterOp>(op);
}

/// Whether the op only moves elements, or computes each one by itself.
static bool sumsNothing(Operation *op) {
  return isElementwise(op) ||
         isa<ReshapeOp, ExpandDimsOp, SqueezeOp, TransposeOp, TileOp,
             BroadcastToOp, ConcatOp, SplitOp, ReverseOp, OneHotOp, GatherOp,
             GatherNdOp, SliceOp, StridedSliceOp, StridedSliceUpdateOp,
             ZerosLikeOp, StopGradientOp, MaxPoolOp, RequireIndicesOp>(op);
}

static int64_t elementsOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.hasStaticShape() ? type.getNumElements()
                               : std::numeric_limits<int64_t>::max();
}

/// Returns the most elements, or products, that `op` may add to a sum within a
/// row of the batch.
static int64_t mostSummed(Operation *op, const OpBatchSplit &made) {
  auto sizeOf = [](Value value, int64_t dim) {
    return cast<RankedTensorType>(value.getType()).getDimSize(dim);
  };
  if (auto product = dyn_cast<MatMulOp>(op))
    return depthOf(product);
  if (auto product = dyn_cast<BatchMatMulOp>(op))
    return sizeOf(product.getX(),
                  rankOf(product.getX()) - (product.getAdjX() ? 2 : 1));
  if (isa<Conv2DOp, Conv2DBackpropInputOp>(op)) {
    Value filter = op->getOperand(1);
    return elementsOf(filter) / std::min(sizeOf(filter, 2), sizeOf(filter, 3));
  }
  int64_t most = 0;
  for (auto [value, cut] : llvm::zip(op->getOperands(), made.cuts))
    if (cut != whole)
      most = std::max(most, elementsOf(value) / sizeOf(value, cut));
  return most;
}

/// Whether a sum within a row may have another order if the op is computed for
/// all rows and not for those of a slice. Long sums are split into blocks by
/// the sizes of all loops (SplitReductions.cpp), but not if the rows are a grid
/// that is large enough.
bool OneRankStepBuilder::mayRoundOtherwise(Operation *op,
                                           const OpBatchSplit &made) const {
  if (sumsNothing(op) || mostSummed(op, made) < policy.reductions.minReduced)
    return false;
  auto isGrid = [&](Value value, int64_t cut) {
    return cut == 0 && cast<RankedTensorType>(value.getType()).getDimSize(0) >=
                           slices * policy.reductions.minGridRows;
  };
  return !llvm::all_of(
      llvm::zip(op->getResults(), made.results),
      [&](auto pair) { return isGrid(std::get<0>(pair), std::get<1>(pair)); });
}

/// Whether `op` may sum products of broadcast operands. If both ops share a
/// kernel, which depends on the number of rows, they are a contraction, with
/// one rounding for each product and addition (FuseElementwise.cpp).
static bool mayContract(Operation *op) {
  if (sumsNothing(op) || isProduct(op))
    return false;
  return llvm::any_of(op->getOperands(), [](Value value) {
    Operation *producer = value.getDefiningOp();
    while (isa_and_nonnull<ReshapeOp, ExpandDimsOp, SqueezeOp, TransposeOp>(
        producer))
      producer = producer->getOperand(0).getDefiningOp();
    auto product = dyn_cast_or_null<MulOp>(producer);
    return product && llvm::none_of(product->getOperands(), [&](Value factor) {
             return factor.getType() == product.getType();
           });
  });
}

/// Whether a slice adds its products of K in one sum. The sum of a small result
/// is split into blocks if K is long (SplitReductions.cpp).
bool OneRankStepBuilder::isOneSum(MatMulOp product) const {
  return depthOf(product) / slices < policy.reductions.minReduced ||
         llvm::any_of(
             cast<RankedTensorType>(product.getType()).getShape(),
             [&](int64_t size) {
               return size >= policy.reductions.minGridRows;
             });
}

OneRankForm OneRankStepBuilder::formOf(Operation *op,
                                       const OpBatchSplit &made) const {
  // 16-bit numbers are multiplied in pairs if there are enough rows.
  if (isProduct(op)) {
    Type element = getElementTypeOrSelf(op->getResult(0));
    if (!element.isF32() && !element.isF64())
      return OneRankForm::Unsupported;
  }
  if (mayContract(op))
    return OneRankForm::Unsupported;
  // Matrices of a single row have loops of their own.
  for (auto [value, cut] : llvm::zip(op->getOperands(), made.cuts))
    if (cut != whole &&
        cast<RankedTensorType>(value.getType()).getDimSize(cut) < 2 * slices)
      return OneRankForm::Unsupported;
  bool isCombined =
      llvm::any_of(llvm::zip(op->getResults(), made.results), [](auto pair) {
        return std::get<1>(pair) == whole && !std::get<0>(pair).use_empty();
      });
  if (isCombined) {
    auto product = dyn_cast<MatMulOp>(op);
    return product && isOneSum(product) ? OneRankForm::SumBlocks
                                        : OneRankForm::Slices;
  }
  if (!mayRoundOtherwise(op, made))
    return OneRankForm::Whole;
  bool isGatherable =
      !made.shape &&
      llvm::all_of(made.results, [](int64_t cut) { return cut == 0; });
  return isGatherable ? OneRankForm::Slices : OneRankForm::Unsupported;
}

/// Moves an op into a slice_region, which all slices of this rank run.
void OneRankStepBuilder::computeSlices(Operation *op,
                                       const OpBatchSplit &made) const {
  Block block;
  OpBuilder inside(op->getContext());
  inside.setInsertionPointToEnd(&block);
  SmallVector<Value> inputs, operands;
  SmallVector<int64_t> cuts;
  for (auto [value, cut] : llvm::zip(op->getOperands(), made.cuts)) {
    if (cut == whole) {
      operands.push_back(value);
      continue;
    }
    inputs.push_back(value);
    cuts.push_back(cut);
    operands.push_back(
        block.addArgument(partType(value.getType(), cut), value.getLoc()));
  }
  SmallVector<Type> types;
  SmallVector<StringRef> exchanges;
  for (auto [type, cut] : llvm::zip(op->getResultTypes(), made.results)) {
    types.push_back(partType(type, cut));
    exchanges.push_back(::ingot::exchangeKindText(
        cut == whole ? made.combine : INGOT_EXCHANGE_GATHER));
  }
  OperationState state(op->getLoc(), op->getName(), operands, types,
                       op->getDiscardableAttrDictionary().getValue());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *part = inside.create(state);
  ResultOp::create(inside, op->getLoc(), TypeRange(), part->getResults(),
                   ArrayRef<NamedAttribute>());
  OpBuilder builder(op);
  SmallVector<int64_t> joins(types.size(), 0);
  Operation *region =
      createSliceRegion(builder, op->getLoc(), inputs, op->getResultTypes(),
                        slices, cuts, exchanges, joins, block);
  op->replaceAllUsesWith(region);
  op->erase();
}

EntryOp cloneForOneRank(EntryOp step, const BatchSplitPlan &split,
                        const TargetPolicy &policy) {
  if (!policy.sumsGEMMsInBlocks ||
      !policy.rewrites.has(Rewrite::SpecializeStepsForOneRank) ||
      !split.getBatch().hasEqualSlices())
    return {};
  return OneRankStepBuilder(step, split, policy).build();
}

} // namespace ingot::graph
