//===- TransposeShortReductions.cpp - Reduce a short row in each lane -----===//
// SPDX-License-Identifier: Apache-2.0
//
// Moves reductions along short rows to transposed tensors, so that each lane of
// a vector reduces a row of its own. A lane adds its row's elements in
// ascending order, as a scalar loop over the row does.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/CPU/SumOrder.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/Debug.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_TRANSPOSESHORTREDUCTIONSPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

#define DEBUG_TYPE "ingot-cpu-transpose-short-reductions"

using namespace mlir;
using utils::IteratorType;

namespace {

/// Rows with at least this number of elements are not transposed, as they fill
/// whole vectors.
constexpr int64_t minColumns = 32;

/// The minimum number of rows for which transposing saves time.
constexpr int64_t minRows = 16;

/// Some ops of a kernel work on matrices with few columns, whose rows do not
/// fill vectors. Makes these ops work on transposed matrices.
class ShortRowTransposer {
public:
  explicit ShortRowTransposer(func::FuncOp kernel)
      : kernel(kernel), rewriter(kernel.getContext()) {}

  /// Rewrites the kernel's ops, and returns the number of ops that work on
  /// transposed tensors afterwards.
  unsigned run() {
    SmallVector<linalg::GenericOp> ops;
    for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
      if (isNarrow(op))
        ops.push_back(op);
    // Without a reduction along rows, the transposes would take more time than
    // they save.
    if (llvm::none_of(ops, reducesRows))
      return 0;
    unsigned numTransposed = 0;
    for (linalg::GenericOp op : ops)
      if (isWorthIt(op)) {
        rewrite(op);
        ++numTransposed;
      }
    LLVM_DEBUG(llvm::dbgs()
               << "transpose " << numTransposed << " of " << ops.size()
               << " narrow ops of " << kernel.getName() << '\n');
    return numTransposed;
  }

private:
  static bool reducesRows(linalg::GenericOp op) {
    return op.getIteratorTypesArray().back() == IteratorType::reduction;
  }

  /// Whether the op has two loops, over rows and over a few columns, and can be
  /// computed on transposed operands: each operand is the whole matrix, a
  /// vector, or a scalar.
  static bool isNarrow(linalg::GenericOp op) {
    if (op.getNumLoops() != 2 ||
        op.getIteratorTypesArray().front() != IteratorType::parallel)
      return false;
    SmallVector<int64_t> ranges = op.getStaticLoopRanges();
    if (ShapedType::isDynamic(ranges[1]) || ranges[1] < 2 ||
        ranges[1] >= minColumns ||
        (!ShapedType::isDynamic(ranges[0]) && ranges[0] < minRows))
      return false;
    // A row is summed in `sumLanesOf` partial sums. Transposed code would add
    // all elements of a row in one ascending chain. Both give the same bits
    // only if no partial sum has several elements.
    if (reducesRows(op) && ranges[1] >= 2 * ::ingot::cpu::sumLanesOf(op))
      return false;
    auto isPlain = [](AffineMap map) {
      return map.isProjectedPermutation() &&
             (map.getNumResults() < 2 || map.isIdentity());
    };
    if (!llvm::all_of(op.getIndexingMapsArray(), isPlain))
      return false;
    AffineExpr row = getAffineDimExpr(0, op.getContext());
    for (OpOperand &init : op.getDpsInitsMutable()) {
      AffineMap map = op.getMatchingIndexingMap(&init);
      if (reducesRows(op) ? map.getNumResults() != 1 || map.getResult(0) != row
                          : map.getNumResults() != 2 ||
                                op.payloadUsesValueFromOperand(&init))
        return false;
    }
    return true;
  }

  /// Whether the operand is indexed by both loops.
  static bool isMatrix(linalg::GenericOp op, OpOperand &operand) {
    return op.getMatchingIndexingMap(&operand).getNumResults() == 2;
  }

  /// Whether computing the op on transposed tensors is faster. For a reduction
  /// along rows this is always so. Any other op must save at least as many
  /// transposes as it needs: it needs one for each input that has no transpose
  /// yet, and saves one for each input that was computed in transposed form.
  bool isWorthIt(linalg::GenericOp op) {
    if (reducesRows(op))
      return true;
    int64_t missing = 0;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (isMatrix(op, *operand)) {
        missing += !columns.contains(operand->get());
        missing -= computed.contains(operand->get());
      }
    return missing <= 0;
  }

  /// Returns the transpose of `value`, which is built at most once.
  Value columnsOf(Value value) {
    Value &known = columns[value];
    if (!known) {
      Location loc = value.getLoc();
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(rewriter, loc, value);
      std::swap(sizes[0], sizes[1]);
      Value empty = tensor::EmptyOp::create(
          rewriter, loc, sizes, getElementTypeOrSelf(value.getType()));
      known = linalg::TransposeOp::create(rewriter, loc, value, empty,
                                          ArrayRef<int64_t>{1, 0})
                  ->getResult(0);
    }
    return known;
  }

  /// Replaces the op by one with its loops interchanged, on transposed
  /// matrices.
  void rewrite(linalg::GenericOp op) {
    rewriter.setInsertionPoint(op);
    SmallVector<Value> inputs, inits;
    for (OpOperand *operand : op.getDpsInputOperands())
      inputs.push_back(isMatrix(op, *operand) ? columnsOf(operand->get())
                                              : operand->get());
    for (OpOperand &init : op.getDpsInitsMutable()) {
      if (!isMatrix(op, init)) {
        inits.push_back(init.get());
        continue;
      }
      SmallVector<OpFoldResult> sizes =
          tensor::getMixedSizes(rewriter, op.getLoc(), init.get());
      std::swap(sizes[0], sizes[1]);
      inits.push_back(
          tensor::EmptyOp::create(rewriter, op.getLoc(), sizes,
                                  getElementTypeOrSelf(init.get().getType())));
    }
    auto turned = linalg::GenericOp::create(
        rewriter, op.getLoc(), ValueRange(inits).getTypes(), inputs, inits,
        turn(op.getIndexingMapsArray()),
        {op.getIteratorTypesArray()[1], IteratorType::parallel});
    turned.getRegion().takeBody(op.getRegion());
    turned.walk(
        [](linalg::IndexOp index) { index.setDim(1 - index.getDim()); });
    for (OpOperand &init : op.getDpsInitsMutable()) {
      OpResult old = op.getTiedOpResult(&init);
      replace(old, isMatrix(op, init) ? init.get() : Value(),
              turned.getResult(old.getResultNumber()));
    }
    rewriter.eraseOp(op);
  }

  /// Returns the op's indexing maps after interchanging its two loops: d0 is
  /// now the column and d1 the row. A matrix keeps the identity map, as it is
  /// transposed; in the map of a vector, d0 and d1 are exchanged.
  static SmallVector<AffineMap> turn(ArrayRef<AffineMap> maps) {
    SmallVector<AffineMap> turned;
    for (AffineMap map : maps) {
      if (map.getNumResults() == 1)
        map = AffineMap::getMultiDimMapWithTargets(
            2, {1 - map.getDimPosition(0)}, map.getContext());
      turned.push_back(map);
    }
    return turned;
  }

  /// Replaces the matrix `old` by the transpose of `result`, with `rows` as the
  /// destination of the transpose. If `rows` is null, `old` and `result` are
  /// vectors, and `result` replaces `old` directly.
  void replace(Value old, Value rows, Value result) {
    if (!rows)
      return rewriter.replaceAllUsesWith(old, result);
    Value back = linalg::TransposeOp::create(rewriter, old.getLoc(), result,
                                             rows, ArrayRef<int64_t>{1, 0})
                     ->getResult(0);
    columns[back] = result;
    computed.insert(back);
    rewriter.replaceAllUsesWith(old, back);
  }

  func::FuncOp kernel;
  IRRewriter rewriter;
  DenseMap<Value, Value> columns; // transposes, keyed by the original
  DenseSet<Value> computed;       // results that were computed transposed
};

struct TransposeShortReductions
    : ::ingot::cpu::impl::TransposeShortReductionsPassBase<
          TransposeShortReductions> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(host::kernelAttrName) && !kernel.isExternal())
        numTransposed += ShortRowTransposer(kernel).run();
  }
};

} // namespace
