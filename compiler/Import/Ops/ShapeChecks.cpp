//===- ShapeChecks.cpp - Checks of equal shapes ---------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Checks that operands of a node have equal shapes if the TensorFlow op
// requires it. Without the check, the ingot op would broadcast them.
//
//===----------------------------------------------------------------------===//

#include "compiler/Import/Ops/ShapeChecks.h"

#include "dialects/Ingot/IR/RequireOps.h"
#include "dialects/Ingot/IR/ShapeInference.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::importer {

// Returns whether the static types of `lhs` and `rhs` imply that their shapes
// are equal, except along the dimensions in `free`.
static bool areKnownSame(Value lhs, Value rhs, ArrayRef<int64_t> free) {
  Shape a = getTensorShape(lhs.getType()), b = getTensorShape(rhs.getType());
  if (!a || !b || a->size() != b->size())
    return false;
  auto rank = static_cast<int64_t>(a->size());
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(free, dim) &&
        !llvm::is_contained(free, dim - rank) &&
        (ShapedType::isDynamic((*a)[dim]) || (*a)[dim] != (*b)[dim]))
      return false;
  return true;
}

static void require(NodeImport &node, Value lhs, Value rhs, const Twine &text,
                    ArrayRef<int64_t> free, bool areShapes) {
  Builder &builder = node.body.builder;
  SmallVector<NamedAttribute> attributes = {
      node.named("text", builder.getStringAttr(text)),
      node.named("free", builder.getDenseI64ArrayAttr(free))};
  if (areShapes)
    attributes.push_back(node.named("are_shapes", builder.getUnitAttr()));
  node.create<RequireSameShapeOp>({lhs, rhs}, attributes);
}

void checkSameShape(NodeImport &node, Value lhs, Value rhs, const Twine &text,
                    ArrayRef<int64_t> free) {
  if (!areKnownSame(lhs, rhs, free))
    require(node, lhs, rhs, text, free, false);
}

void checkSameSizes(NodeImport &node, Value lhs, Value rhs, const Twine &text,
                    ArrayRef<int64_t> free) {
  require(node, lhs, rhs, text, free, true);
}

namespace {

/// A row of the table below: the op `op` requires that its inputs `lhs` and
/// `rhs` have the same shape, except in the case that `exception` names. If the
/// shapes differ, the error message is `text`.
struct EqualShapeCheckRow {
  enum Exception {
    None,
    OtherRank, // shapes are not compared if the ranks differ
    Scalar,    // `lhs` may be a scalar
    Matrices   // the last two dimensions may differ
  };

  StringLiteral op;
  unsigned lhs, rhs;
  StringLiteral text;
  Exception exception = None;
};

} // namespace

static constexpr StringLiteral sameSize =
    "Inputs must have the same size and shape.  Input 0: {} != input 1: {}";
static constexpr StringLiteral sameCount =
    "The two arguments to a cwise op must have same number of elements, got "
    "shapes {} and {}";
static constexpr StringLiteral sameAsInput =
    "clip_value_min and clip_value_max must be either of the same shape as "
    "input, or a scalar. clip value shape: {}, input shape: {}";

static constexpr StringLiteral sameGradient =
    "gradient and input must be the same size: {} vs. {}";
static constexpr StringLiteral sameResponse =
    "input_grads, input_image, and out_image should have the same shape: {} "
    "vs. {}";

static constexpr EqualShapeCheckRow checks[] = {
    {"EluGrad", 0, 1, sameSize},
    {"LeakyReluGrad", 0, 1, sameSize},
    {"Relu6Grad", 0, 1, sameSize},
    {"ReluGrad", 0, 1, sameSize},
    {"SeluGrad", 0, 1, sameSize},
    {"SoftplusGrad", 0, 1, sameSize},
    {"SoftsignGrad", 0, 1, sameSize},

    {"InvGrad", 0, 1, sameCount, EqualShapeCheckRow::OtherRank},
    {"ReciprocalGrad", 0, 1, sameCount, EqualShapeCheckRow::OtherRank},
    {"RsqrtGrad", 0, 1, sameCount, EqualShapeCheckRow::OtherRank},
    {"SigmoidGrad", 0, 1, sameCount, EqualShapeCheckRow::OtherRank},
    {"SqrtGrad", 0, 1, sameCount, EqualShapeCheckRow::OtherRank},
    {"TanhGrad", 0, 1, sameCount, EqualShapeCheckRow::OtherRank},

    {"FakeQuantWithMinMaxArgsGradient", 0, 1, sameGradient},
    {"FakeQuantWithMinMaxVarsGradient", 0, 1, sameGradient},
    {"FakeQuantWithMinMaxVarsPerChannelGradient", 0, 1, sameGradient},

    {"LRNGrad", 0, 1, sameResponse},
    {"LRNGrad", 0, 2, sameResponse},

    {"ApproximateEqual", 0, 1,
     "x and y must be of the same shape. x shape: {}. y shape: {}"},
    {"BatchMatMul", 0, 1,
     "In[0] and In[1] must have the same batch dimensions: {} vs. {}",
     EqualShapeCheckRow::Matrices},
    {"Cross", 0, 1, "Both inputs must be of same shape: {} vs. {}"},
    {"ClipByValue", 1, 0, sameAsInput, EqualShapeCheckRow::Scalar},
    {"ClipByValue", 2, 0, sameAsInput, EqualShapeCheckRow::Scalar},
    {"Select", 1, 2,
     "'then' and 'else' must have the same size.  but received: {} vs. {}"},
};

static bool isExcepted(EqualShapeCheckRow::Exception exception, Value lhs,
                       Value rhs) {
  Shape a = getTensorShape(lhs.getType()), b = getTensorShape(rhs.getType());
  if (exception == EqualShapeCheckRow::OtherRank)
    return a && b && a->size() != b->size();
  return exception == EqualShapeCheckRow::Scalar && a && a->empty();
}

void checkShapes(NodeImport &node) {
  for (const EqualShapeCheckRow &check : checks) {
    if (check.op != node.node.op())
      continue;
    if (std::max(check.lhs, check.rhs) >= node.numInputs())
      return; // the op's import function reports the missing input
    Value lhs = node.tensor(check.lhs), rhs = node.tensor(check.rhs);
    if (!lhs || !rhs)
      return;
    SmallVector<int64_t> free;
    if (check.exception == EqualShapeCheckRow::Matrices)
      free = {-2, -1};
    if (!isExcepted(check.exception, lhs, rhs))
      checkSameShape(node, lhs, rhs, check.text, free);
  }
}

} // namespace ingot::importer
