//===- ProductRequirements.cpp - Sizes of products and losses -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/NormalizationOps.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/ProductOps.h"
#include "dialects/Ingot/Requirements/ShapeRequirementBuilder.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ingot {

static void require(MatMulOp op, ShapeRequirementBuilder &r) {
  Value a = op.getA(), b = op.getB();
  if (!areRanked({a, b}))
    return;
  Number inner = r.size(a, op.getTransposeA() ? 0 : 1);
  r.require(r.equal(inner, r.size(b, op.getTransposeB() ? 1 : 0)),
            r.says() << "Matrix size-incompatible: In[0]: " << a
                     << ", In[1]: " << b);
}

static void require(BatchMatMulOp op, ShapeRequirementBuilder &r) {
  Value x = op.getX(), y = op.getY();
  if (!areRanked({x, y}))
    return;
  SmallVector<Number> a = r.sizes(x), b = r.sizes(y);
  Number innerA = a[a.size() - (op.getAdjX() ? 2 : 1)];
  Number innerB = b[b.size() - (op.getAdjY() ? 1 : 2)];
  r.require(r.equal(innerA, innerB),
            r.says() << "Matrix size-incompatible: In[0]: " << x
                     << ", In[1]: " << y);
  r.require(r.broadcastable(ArrayRef(a).drop_back(2), ArrayRef(b).drop_back(2)),
            r.says() << "In[0] and In[1] must have compatible batch "
                        "dimensions: "
                     << x << " vs. " << y);
}

static void require(EinsumOp op, ShapeRequirementBuilder &r) {
  if (!areRanked(op.getInputs()))
    return;
  // For each subscript letter of the einsum, the size of its dimension in the
  // first operand whose subscripts contain the letter.
  llvm::SmallMapVector<char, Number, 8> known;
  SmallVector<StringRef> terms = getEquationTerms(op.getEquation());
  Number one = r.number(1);
  for (auto [term, input] : llvm::zip(terms, op.getInputs()))
    for (auto [dim, letter] : llvm::enumerate(term)) {
      Number size = r.size(input, dim);
      auto [first, isNew] = known.insert({letter, size});
      if (isNew)
        continue;
      Number other = first->second;
      Number fits = r.equal(other, size);
      if (llvm::isDigit(letter))
        fits =
            r.either(fits, r.either(r.equal(other, one), r.equal(size, one)));
      r.require(fits, r.says()
                          << "Expected dimension " << other << " for label '"
                          << Twine(letter) << "' of the equation "
                          << op.getEquation() << ", but got " << size);
      if (ShapeRequirementBuilder::known(other) == 1 && llvm::isDigit(letter))
        first->second = size;
    }
}

static void require(BiasAddOp op, ShapeRequirementBuilder &r) {
  Value value = op.getValue(), bias = op.getBias();
  if (!areRanked({value, bias}) || rankOf(value) < 2)
    return;
  int64_t channels = op.getDataFormat() == "NCHW" ? 1 : rankOf(value) - 1;
  r.require(r.equal(r.size(value, channels), r.size(bias, 0)),
            r.says() << "Must provide as many biases as the channel dimension "
                        "of the input tensor: "
                     << bias << " vs. " << r.size(value, channels) << " in "
                     << value);
}

static void require(FakeQuantOp op, ShapeRequirementBuilder &r) {
  Value input = op.getInput();
  if (op.getKind() != "channels" || !isRanked(input) || rankOf(input) == 0)
    return;
  for (auto [bound, name] :
       {std::pair(op.getMin(), "min"), std::pair(op.getMax(), "max")})
    if (isRanked(bound) && rankOf(bound) == 1)
      r.require(r.equal(r.size(bound, 0), r.size(input, rankOf(input) - 1)),
                r.says() << name << " has incorrect size, expected "
                         << r.size(input, rankOf(input) - 1) << " was "
                         << r.size(bound, 0));
}

static void require(SoftmaxCrossEntropyOp op, ShapeRequirementBuilder &r) {
  Value logits = op.getLogits(), labels = op.getLabels();
  if (areRanked({logits, labels}))
    r.require(r.broadcastable(r.sizes(logits), r.sizes(labels)),
              r.says() << "logits and labels must be broadcastable: "
                          "logits_size="
                       << logits << " labels_size=" << labels);
}

static void require(SparseSoftmaxCrossEntropyOp op,
                    ShapeRequirementBuilder &r) {
  Value logits = op.getLogits(), labels = op.getLabels();
  if (!areRanked({logits, labels}))
    return;
  r.require(r.equal(r.size(logits, 0), r.size(labels, 0)),
            r.says() << "logits and labels must have the same first "
                        "dimension, got logits shape "
                     << logits << " and labels shape " << labels);
  r.require(r.less(r.number(0), r.size(logits, 1)),
            r.says() << "Must have at least one class, but got logits shape "
                     << logits);
}

void attachProductRequirements(MLIRContext &context) {
  attachModels<MatMulOp, BatchMatMulOp, EinsumOp, BiasAddOp, FakeQuantOp,
               SoftmaxCrossEntropyOp, SparseSoftmaxCrossEntropyOp>(context);
}

} // namespace mlir::ingot
