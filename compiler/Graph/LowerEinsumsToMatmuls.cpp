//===- LowerEinsumsToMatmuls.cpp - Einsums as matmuls ---------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// All labels of one kind (M, N or K) collapse to one dimension of a matrix. If
// they are adjacent and in order, a reshape suffices, which costs nothing.
// Otherwise the operand is transposed first.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/Passes.h"
#include "dialects/Ingot/IR/ArrayOps.h"
#include "dialects/Ingot/IR/NNOps.h"
#include "dialects/Ingot/IR/ProductOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_LOWEREINSUMSTOMATMULSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-lower-einsums-to-matmuls"

using namespace mlir;
using namespace mlir::ingot;

namespace {

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Whether a reshape to the tensor's shape can be created without computing
/// sizes: at most one dimension is dynamic, and can be written as -1.
bool isMostlyStatic(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getNumDynamicDims() <= 1;
}

/// The rewrite of an einsum of two operands to a matmul.
class EinsumToMatmulRewriter {
public:
  explicit EinsumToMatmulRewriter(EinsumOp op) : op(op), b(op.getLoc(), op) {}

  /// Whether the einsum is a matmul. Sorts its labels into M, N and K.
  bool find() {
    Type element = typeOf(op.getOutput()).getElementType();
    if (op.getInputs().size() != 2 || !(element.isF32() || element.isF64()) ||
        !llvm::all_of(op->getOperands(), isMostlyStatic) ||
        !isMostlyStatic(op.getOutput()))
      return false;
    SmallVector<StringRef> terms = getEquationTerms(op.getEquation());
    output = terms[2];
    for (unsigned i : {0, 1}) {
      StringRef term = terms[i], other = terms[1 - i];
      inputs[i] = {op.getInputs()[i], term.str()};
      for (char letter : term) {
        bool isShared = other.contains(letter),
             stays = terms[2].contains(letter);
        // An einsum is not a matmul if a label occurs twice in one operand (a
        // diagonal), or in both operands and also in the result (a batch
        // dimension), or in one operand but not in the result (a sum over one
        // operand).
        if (isShared == stays || term.count(letter) != 1)
          return false;
      }
    }
    summed = common(inputs[0].term, inputs[1].term);
    // The operand that has the result's last label supplies the columns (N).
    if (!output.empty() && StringRef(inputs[0].term).contains(output.back()))
      std::swap(inputs[0], inputs[1]);
    rows = common(output, inputs[0].term);
    columns = common(output, inputs[1].term);
    // Choose an order of the summed labels (K) for which at least one operand
    // need not be transposed, if there is such an order. If each operand needs
    // a different order, use that of operand 1.
    if (!isMatrix(inputs[0].term, rows, summed) &&
        isMatrix(inputs[0].term, rows, common(inputs[0].term, summed)))
      summed = common(inputs[0].term, summed);
    if (!isMatrix(inputs[1].term, summed, columns) &&
        isMatrix(inputs[1].term, common(inputs[1].term, summed), columns))
      summed = common(inputs[1].term, summed);
    return !summed.empty() && isLeftDynamicOnce();
  }

  void replace() {
    bool isFirstTransposed = inputs[0].term == summed + rows && !rows.empty();
    Value x = isFirstTransposed ? matrix(inputs[0], summed, rows)
                                : matrix(inputs[0], rows, summed);
    bool isSecondTransposed =
        inputs[1].term == columns + summed && !columns.empty();
    Value y = isSecondTransposed ? matrix(inputs[1], columns, summed)
                                 : matrix(inputs[1], summed, columns);
    SmallVector<int64_t> shape = {product(rows), product(columns)};
    Value result = MatMulOp::create(
        b, RankedTensorType::get(shape, typeOf(x).getElementType()), x, y,
        isFirstTransposed, isSecondTransposed, /*sum_block=*/IntegerAttr());
    EinsumOperand whole = {reshape(result, sizesOf(rows + columns)),
                           rows + columns};
    op.replaceAllUsesWith(transposed(whole, output));
    op.erase();
  }

private:
  struct EinsumOperand {
    Value value;
    std::string term;
  };

  /// Returns the labels that `order` and `others` share, in the order of
  /// `order`.
  static std::string common(StringRef order, StringRef others) {
    std::string found;
    for (char letter : order)
      if (others.contains(letter))
        found.push_back(letter);
    return found;
  }

  static bool isMatrix(StringRef term, const std::string &outer,
                       const std::string &inner) {
    return term == outer + inner || term == inner + outer;
  }

  /// Whether each of the three matrices (both operands and the result) has at
  /// most one dynamic label. Two labels of dynamic size could not collapse to
  /// one matrix dimension, and the reshape of the result could infer only one
  /// of two unknown sizes.
  bool isLeftDynamicOnce() const {
    auto count = [&](StringRef letters) {
      return llvm::count_if(sizesOf(letters), ShapedType::isDynamic);
    };
    return count(rows + columns) <= 1 && count(rows + summed) <= 1 &&
           count(summed + columns) <= 1;
  }

  SmallVector<int64_t> sizesOf(StringRef letters) const {
    SmallVector<int64_t> sizes;
    for (char letter : letters) {
      int64_t size = ShapedType::kDynamic;
      for (const EinsumOperand &input : inputs)
        if (size_t place = input.term.find(letter);
            place != std::string::npos && ShapedType::isDynamic(size))
          size = typeOf(input.value).getDimSize(place);
      sizes.push_back(size);
    }
    return sizes;
  }

  int64_t product(StringRef letters) const {
    SmallVector<int64_t> sizes = sizesOf(letters);
    return ShapedType::isDynamicShape(sizes)
               ? ShapedType::kDynamic
               : ShapedType::getNumElements(sizes);
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    if (typeOf(value).getShape() == shape)
      return value;
    SmallVector<int64_t> target(shape);
    for (int64_t &size : target)
      if (ShapedType::isDynamic(size))
        size = -1;
    return ReshapeOp::create(
        b, RankedTensorType::get(shape, typeOf(value).getElementType()), value,
        createConstant(b, b.getLoc(), b.getI64TensorAttr(target)));
  }

  Value transposed(const EinsumOperand &input, StringRef order) {
    if (input.term == order)
      return input.value;
    SmallVector<int32_t> dims;
    SmallVector<int64_t> shape;
    for (char letter : order) {
      dims.push_back(static_cast<int32_t>(input.term.find(letter)));
      shape.push_back(typeOf(input.value).getDimSize(dims.back()));
    }
    return TransposeOp::create(
        b, RankedTensorType::get(shape, typeOf(input.value).getElementType()),
        input.value, createConstant(b, b.getLoc(), b.getI32TensorAttr(dims)));
  }

  Value matrix(const EinsumOperand &input, const std::string &outer,
               const std::string &inner) {
    return reshape(transposed(input, outer + inner),
                   {product(outer), product(inner)});
  }

  EinsumOp op;
  ImplicitLocOpBuilder b;
  EinsumOperand inputs[2];
  std::string output, rows, columns, summed;
};

struct LowerEinsumsToMatmuls
    : ::ingot::graph::impl::LowerEinsumsToMatmulsPassBase<
          LowerEinsumsToMatmuls> {
  void runOnOperation() override {
    SmallVector<EinsumOp> einsums;
    getOperation().walk([&](EinsumOp op) { einsums.push_back(op); });
    for (EinsumOp op : einsums) {
      EinsumToMatmulRewriter product(op);
      bool isMatmul = product.find();
      LLVM_DEBUG(llvm::dbgs() << "einsum '" << op.getEquation() << "' at "
                              << op.getLoc() << (isMatmul ? " is" : " is not")
                              << " a matmul of static sizes\n");
      if (!isMatmul)
        continue;
      product.replace();
      ++numMatmuls;
    }
  }
};

} // namespace
