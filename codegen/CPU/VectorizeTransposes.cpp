//===- VectorizeTransposes.cpp - Transposes as shuffles of registers ------===//
// SPDX-License-Identifier: Apache-2.0
//
// Transposes square blocks in registers: a block of w x w elements takes w
// loads of rows, log2(w) rounds of w shuffles, and w stores of columns, instead
// of w * w scalar loads and stores.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/Passes.h"
#include "codegen/Kernels/KernelAccess.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/Support/Debug.h"

namespace ingot::cpu {
#define GEN_PASS_DEF_VECTORIZETRANSPOSESPASS
#include "codegen/CPU/Passes.h.inc"
} // namespace ingot::cpu

#define DEBUG_TYPE "ingot-cpu-vectorize-transposes"

using namespace mlir;

namespace {

/// The maximum width of a square. Each row of a square takes one vector
/// register.
constexpr int64_t maxWidth = 16;

/// Lowers one transpose to loops over square blocks. A block's rows are vectors
/// of the source, its columns vectors of the target.
class TransposeLowering {
public:
  TransposeLowering(linalg::TransposeOp op, int64_t width)
      : op(op), builder(op.getLoc(), op), source(op.getInput()),
        target(op.getInit()), permutation(op.getPermutation()), width(width),
        columnDim(permutation.size() - 1), rowDim(permutation.back()),
        position(permutation.size()) {}

  void run() {
    auto type = cast<MemRefType>(source.getType());
    for (int64_t dim = 0; dim < columnDim; ++dim)
      if (dim != rowDim)
        position[dim] = loop(at(0), sizeOf(dim), 1);
    if (type.isDynamicDim(rowDim) || type.isDynamicDim(columnDim))
      coverDynamic();
    else
      cover(0, type.getDimSize(rowDim), 0, type.getDimSize(columnDim), width);
    op->erase();
  }

private:
  Value at(int64_t index) {
    return arith::ConstantIndexOp::create(builder, index);
  }

  Value sizeOf(int64_t dim) {
    auto type = cast<MemRefType>(source.getType());
    return type.isDynamicDim(dim)
               ? memref::DimOp::create(builder, source, dim).getResult()
               : at(type.getDimSize(dim));
  }

  /// Builds a loop, moves the insertion point into its body, and returns the
  /// loop's index.
  Value loop(Value from, Value to, int64_t step) {
    auto loop = scf::ForOp::create(builder, from, to, at(step));
    builder.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  }

  /// Builds loops over all squares of width `width` in a range of rows and
  /// columns. Both sizes of the range are multiples of the width.
  void copySquares(Value firstRow, Value endRow, Value firstColumn,
                   Value endColumn, int64_t width) {
    OpBuilder::InsertionGuard guard(builder);
    Value row = loop(firstRow, endRow, width);
    Value column = loop(firstColumn, endColumn, width);
    copySquare(row, column, width);
  }

  /// Covers a range of rows and columns with squares whose width is at most
  /// `width`, and the remainder recursively with smaller squares, down to
  /// single elements.
  void cover(int64_t row, int64_t endRow, int64_t column, int64_t endColumn,
             int64_t width) {
    int64_t rows = endRow - row, columns = endColumn - column;
    if (rows == 0 || columns == 0)
      return;
    while (width > std::min(rows, columns))
      width /= 2;
    int64_t wholeRow = endRow - rows % width;
    int64_t wholeColumn = endColumn - columns % width;
    copySquares(at(row), at(wholeRow), at(column), at(wholeColumn), width);
    cover(row, endRow, wholeColumn, endColumn, width);
    cover(wholeRow, endRow, column, wholeColumn, width);
  }

  /// Returns `size` rounded down to a multiple of `width`, the squares' width.
  Value whole(Value size, int64_t width) {
    Value rest = arith::RemUIOp::create(builder, size, at(width));
    return arith::SubIOp::create(builder, size, rest);
  }

  /// Emits the transpose if the source has a dynamic number of rows or columns.
  /// Along a dynamic dimension, the elements after the last whole square are
  /// copied one by one.
  void coverDynamic() {
    auto type = cast<MemRefType>(source.getType());
    Value rows = sizeOf(rowDim), columns = sizeOf(columnDim);
    if (type.isDynamicDim(rowDim) && type.isDynamicDim(columnDim)) {
      Value wholeRows = whole(rows, width),
            wholeColumns = whole(columns, width);
      copySquares(at(0), wholeRows, at(0), wholeColumns, width);
      copySquares(at(0), rows, wholeColumns, columns, 1);
      copySquares(wholeRows, rows, at(0), wholeColumns, 1);
      return;
    }
    bool hasRows = type.isDynamicDim(columnDim);
    int64_t known = type.getDimSize(hasRows ? rowDim : columnDim);
    for (int64_t from = 0, side = width; from < known;) {
      while (side > known - from)
        side /= 2;
      int64_t to = known - (known - from) % side;
      if (hasRows) {
        Value most = whole(columns, side);
        copySquares(at(from), at(to), at(0), most, side);
        copySquares(at(from), at(to), most, columns, 1);
      } else {
        Value most = whole(rows, side);
        copySquares(at(0), most, at(from), at(to), side);
        copySquares(most, rows, at(from), at(to), 1);
      }
      from = to;
    }
  }

  /// Returns `index` plus the constant `by`.
  Value offset(Value index, int64_t by) {
    return by == 0 ? index
                   : arith::AddIOp::create(builder, index, at(by)).getResult();
  }

  SmallVector<Value> sourceIndices(Value row, Value column) {
    SmallVector<Value> indices(position);
    indices[rowDim] = row;
    indices[columnDim] = column;
    return indices;
  }

  SmallVector<Value> targetIndices(Value row, Value column) {
    SmallVector<Value> from = sourceIndices(row, column), indices;
    for (int64_t dim : permutation)
      indices.push_back(from[dim]);
    return indices;
  }

  /// Builds the transpose of the square whose first source element is at `row`
  /// and `column`.
  void copySquare(Value row, Value column, int64_t width) {
    if (width == 1) {
      Value element =
          memref::LoadOp::create(builder, source, sourceIndices(row, column));
      memref::StoreOp::create(builder, element, target,
                              targetIndices(row, column));
      return;
    }
    auto type = VectorType::get(
        {width}, cast<MemRefType>(source.getType()).getElementType());
    SmallVector<Value> lines;
    for (int64_t line = 0; line < width; ++line)
      lines.push_back(vector::LoadOp::create(
          builder, type, source, sourceIndices(offset(row, line), column)));
    transpose(lines);
    for (int64_t line = 0; line < width; ++line)
      vector::StoreOp::create(builder, lines[line], target,
                              targetIndices(row, offset(column, line)));
  }

  /// Transposes the square whose rows are the vectors `lines`, in place.
  /// Recursively, a transpose exchanges the off-diagonal quarters and
  /// transposes all quarters. Here the 2x2 blocks of single elements come
  /// first, then the 2x2 blocks of these blocks, and so on: log2(width) rounds,
  /// each with one two-operand shuffle for each line.
  void transpose(MutableArrayRef<Value> lines) {
    int64_t width = lines.size();
    for (int64_t distance = 1; distance < width; distance *= 2) {
      SmallVector<int64_t> upper, lower;
      for (int64_t lane = 0; lane < width; ++lane) {
        bool isRight = lane & distance;
        upper.push_back(isRight ? width + lane - distance : lane);
        lower.push_back(isRight ? width + lane : lane + distance);
      }
      for (int64_t line = 0; line < width; ++line) {
        if (line & distance)
          continue;
        Value first = lines[line], second = lines[line + distance];
        lines[line] = vector::ShuffleOp::create(builder, first, second, upper);
        lines[line + distance] =
            vector::ShuffleOp::create(builder, first, second, lower);
      }
    }
  }

  linalg::TransposeOp op;
  ImplicitLocOpBuilder builder;
  Value source, target;
  ArrayRef<int64_t> permutation;
  int64_t width;
  /// Two dimensions of the source: `columnDim` is innermost in the source,
  /// `rowDim` becomes innermost in the target. The squares extend along both.
  int64_t columnDim, rowDim;
  SmallVector<Value> position; // current index, indexed by source dimension
};

/// Returns the width of the squares. It is 0 if the transpose is not
/// vectorized, because its innermost dimension stays innermost, or because
/// vectors cannot have its element type.
int64_t widthOf(linalg::TransposeOp op, unsigned vectorBits) {
  ArrayRef<int64_t> permutation = op.getPermutation();
  Type element = getElementTypeOrSelf(op.getInit().getType());
  if (!op.hasPureBufferSemantics() || permutation.size() < 2 ||
      permutation.back() == static_cast<int64_t>(permutation.size()) - 1 ||
      !::ingot::kernels::isContiguousInside(op.getInput()) ||
      !::ingot::kernels::isContiguousInside(op.getInit()))
    return 0;
  if (!element.isF32() && !element.isF64() && !element.isInteger(8) &&
      !element.isInteger(16) && !element.isInteger(32) &&
      !element.isInteger(64))
    return 0;
  return std::min<int64_t>(maxWidth,
                           vectorBits / element.getIntOrFloatBitWidth());
}

struct VectorizeTransposes
    : ::ingot::cpu::impl::VectorizeTransposesPassBase<VectorizeTransposes> {
  using VectorizeTransposesPassBase::VectorizeTransposesPassBase;

  void runOnOperation() override {
    SmallVector<linalg::TransposeOp> ops;
    getOperation().walk([&](linalg::TransposeOp op) { ops.push_back(op); });
    for (linalg::TransposeOp op : ops)
      if (int64_t width = widthOf(op, vectorBits)) {
        LLVM_DEBUG(llvm::dbgs()
                   << "transpose at " << op.getLoc() << " by squares of "
                   << width << " x " << width << '\n');
        TransposeLowering(op, width).run();
        ++numVectorized;
      }
  }
};

} // namespace
