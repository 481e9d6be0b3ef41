//===- EnsembleRequirements.cpp - Sizes of members and of their weights ---===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/EnsembleOps.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

namespace mlir::ingot {

// Requires that `member` and the matrix `weight` can be multiplied. The message
// is that of TensorFlow's op, because the user's graph contains that op.
static void requireProduct(Value member, Value weight,
                           ShapeRequirementBuilder &r) {
  r.require(r.equal(r.size(member, rankOf(member) - 1), r.size(weight, 0)),
            r.says() << "Matrix size-incompatible: In[0]: " << member
                     << ", In[1]: " << weight);
}

static void require(MixtureOp op, ShapeRequirementBuilder &r) {
  if (!areRanked(op.getOperands()))
    return;
  SmallVector<Number> all;
  for (auto [member, weight] : llvm::zip(op.getMembers(), op.getWeights())) {
    SmallVector<Number> sizes = r.sizes(member);
    if (rankOf(weight) == 2) {
      requireProduct(member, weight, r);
      sizes.back() = r.size(weight, 1);
    } else if (rankOf(weight) == 1) {
      r.require(r.equal(sizes.back(), r.size(weight, 0)),
                r.says() << "Incompatible shapes: " << member << " vs. "
                         << weight);
    }
    if (!all.empty())
      r.require(r.sameSizes(all, sizes),
                (r.says() << "Incompatible shapes: ").shape(all)
                    << " vs. " << member);
    all = sizes;
  }
  if (Value bias = op.getBias())
    r.require(r.equal(all.back(), r.size(bias, 0)),
              r.says() << "Incompatible shapes: " << bias << " of the bias vs. "
                       << all.back());
}

static void require(MixtureGradOp op, ShapeRequirementBuilder &r) {
  Value gradient = op.getGradient();
  if (!areRanked(op.getOperands()))
    return;
  for (auto [member, rank] : llvm::zip(op.getMembers(), op.getWeightRanks())) {
    Number fits = rank == 2 ? r.equal(r.size(member, 0), r.size(gradient, 0))
                            : r.sameSizes(r.sizes(member), r.sizes(gradient));
    r.require(fits, r.says() << "Incompatible shapes: " << member << " vs. "
                             << gradient);
  }
}

static void require(EmaOp op, ShapeRequirementBuilder &r) {
  Value biased = op.getBiased(), value = op.getValue();
  if (areRanked({biased, value}))
    r.require(r.sameSizes(r.sizes(biased), r.sizes(value)),
              r.says() << "Incompatible shapes: " << biased << " vs. "
                       << value);
}

static void require(SelectBestOp op, ShapeRequirementBuilder &r) {
  size_t candidates = op.getLosses().size();
  ValueRange values = op.getValues();
  for (size_t list = 0; list != values.size(); list += candidates) {
    ValueRange ofOne = values.slice(list, candidates);
    if (!areRanked(ofOne))
      continue;
    for (Value value : ofOne.drop_front())
      r.require(r.sameSizes(r.sizes(ofOne.front()), r.sizes(value)),
                r.says() << "Shapes of all inputs must match: " << ofOne.front()
                         << " vs. " << value);
  }
}

void attachEnsembleRequirements(MLIRContext &context) {
  attachModels<MixtureOp, MixtureGradOp, EmaOp, SelectBestOp>(context);
}

} // namespace mlir::ingot
