//===- RequireValuesOps.cpp - Run-time checks of values -------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "dialects/Ingot/IR/RequireValuesOps.h"

#include "dialects/Ingot/IR/Folding.h"
#include "dialects/Ingot/IR/ShapeInference.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>

using namespace mlir;
using namespace mlir::ingot;

#define GET_OP_CLASSES
#include "dialects/Ingot/IngotRequireValuesOps.cpp.inc"

void mlir::ingot::addRequireValuesOps(IngotDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/Ingot/IngotRequireValuesOps.cpp.inc"
      >();
}

// Returns the elements of a constant as int64, or std::nullopt for other
// values. An unsigned element above the int64 range becomes negative. As such
// an element and a negative index are both invalid, checks have the right
// result.
static std::optional<SmallVector<int64_t>> getConstants(Value value) {
  DenseIntElementsAttr constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  bool isSigned = !isUnsigned(getElementTypeOrSelf(value.getType()));
  return llvm::map_to_vector(
      constant.getValues<APInt>(), [&](const APInt &element) {
        return isSigned ? element.getSExtValue()
                        : static_cast<int64_t>(element.getZExtValue());
      });
}

/// Reports an error if `kind` is not one of `kinds`.
static LogicalResult checkKind(std::optional<Location> loc, StringRef kind,
                               ArrayRef<StringRef> kinds, StringRef what) {
  if (llvm::is_contained(kinds, kind))
    return success();
  return emitOptionalError(loc, "'", kind, "' is not a kind of ", what);
}

/// Erases `op` if `isKnown`, that is, if its operands are constants for which
/// the required condition is true.
template <typename OpT>
static LogicalResult eraseKnown(OpT op, bool isKnown,
                                PatternRewriter &rewriter) {
  if (!isKnown)
    return rewriter.notifyMatchFailure(
        op, "expected constant operands that meet the requirement");
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// The op ingot.require_indices
//===----------------------------------------------------------------------===//

LogicalResult RequireIndicesOp::inferReturnTypes(MLIRContext *context,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  Type limits = adaptor.getLimits().getType();
  // The limits must be a vector or a scalar (require_indices_c1).
  if (!mayHaveRank(limits, 0) && !mayHaveRank(limits, 1))
    return emitOptionalError(
        loc, "the limits must be a vector or a scalar, but have shape ",
        toString(getTensorShape(limits)));
  // `kind` must be one of those in IndexCheckKinds.def (require_indices_c2).
  return checkKind(loc, adaptor.getKind(),
                   {
#define INGOT_INDEX_KIND(name, first, isInclusive) #name,
#include "runtime/ABI/IndexCheckKinds.def"
                   },
                   "index check: IndexCheckKinds.def lists all kinds");
}

// Whether an index lies in the valid range for dimensions of size `limit`.
// `kind` tells where the range starts and whether it includes `limit`
// (IndexCheckKinds).
static bool liesBelow(int64_t number, int64_t limit, StringRef kind) {
#define INGOT_INDEX_KIND(name, first, isInclusive)                             \
  if (kind == #name)                                                           \
    return number >= (first) &&                                                \
           (number < limit || (isInclusive && number == limit));
#include "runtime/ABI/IndexCheckKinds.def"
  return false;
}

bool RequireIndicesOp::areKnown(Value indices, ArrayRef<int64_t> limits,
                                StringRef kind, int64_t axis) {
  std::optional<SmallVector<int64_t>> numbers = getConstants(indices);
  auto type = dyn_cast<RankedTensorType>(indices.getType());
  if (!numbers || !type)
    return false;
  int64_t depth = 1, rank = limits.size();
  if (kind == "diagonal")
    return llvm::all_of(*numbers, [&](int64_t k) {
      if (k == 0 || rank < 2)
        return k == 0;
      int64_t size = k < 0 ? limits[rank - 2] : limits[rank - 1];
      return ShapedType::isStatic(size) && std::abs(k) < size;
    });
  if (kind == "broadcast")
    return llvm::all_of(
        llvm::zip(llvm::reverse(*numbers), llvm::reverse(limits)),
        [](auto sizes) {
          auto [a, b] = sizes;
          return ShapedType::isStatic(b) && (a == b || a == 1 || b == 1);
        });
  if (kind == "concat")
    /// A check of kind `concat` is kept even if its operands are constants:
    /// whether it is needed depends on the sizes of the concatenated inputs.
    return false;
  if (kind == "coordinates")
    depth = type.getRank() == 0 ? 0 : type.getShape().back();
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis + depth > rank)
    return false;
  // If a dimension other than the indexed one has size 0, a gather or segment
  // op reads and writes no element, so any index is valid.
  if (kind == "gather" || kind == "segment")
    for (auto [i, limit] : llvm::enumerate(limits))
      if (static_cast<int64_t>(i) != axis && limit == 0)
        return true;
  for (auto [i, number] : llvm::enumerate(*numbers)) {
    // A dynamic dimension may have size 0 at run time, so use 0 as the limit:
    // no index is known to be valid.
    int64_t limit = limits[axis + (depth ? i % depth : 0)];
    if (!liesBelow(number, ShapedType::isDynamic(limit) ? 0 : limit, kind))
      return false;
  }
  return true;
}

/// Whether an op equal to `op` precedes it in its block: the indices have then
/// been checked already, and `op` is redundant.
static bool isRequiredBefore(RequireIndicesOp op) {
  return llvm::any_of(op.getIndices().getUsers(), [&](Operation *user) {
    return user != op && user->getBlock() == op->getBlock() &&
           user->isBeforeInBlock(op) &&
           OperationEquivalence::isEquivalentTo(
               user, op, OperationEquivalence::IgnoreLocations);
  });
}

LogicalResult RequireIndicesOp::canonicalize(RequireIndicesOp op,
                                             PatternRewriter &rewriter) {
  std::optional<SmallVector<int64_t>> limits = getConstants(op.getLimits());
  return eraseKnown(op,
                    (limits && areKnown(op.getIndices(), *limits, op.getKind(),
                                        op.getAxis())) ||
                        isRequiredBefore(op),
                    rewriter);
}

//===----------------------------------------------------------------------===//
// The op ingot.require_numbers
//===----------------------------------------------------------------------===//

LogicalResult RequireNumbersOp::inferReturnTypes(MLIRContext *context,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  // `kind` must be one of those in NumberCheckKinds.def (require_numbers_c1).
  return checkKind(loc, adaptor.getKind(),
                   {
#define INGOT_NUMBER_KIND(name, holds, message) #name,
#include "runtime/ABI/NumberCheckKinds.def"
                   },
                   "number check: NumberCheckKinds.def lists all kinds");
}

/// Whether a number fulfills the condition that NumberCheckKinds.def states for
/// `kind`.
static bool holds(double number, StringRef kind) {
#define INGOT_NUMBER_KIND(name, condition, message)                            \
  if (kind == #name)                                                           \
    return condition;
#include "runtime/ABI/NumberCheckKinds.def"
  return false;
}

bool RequireNumbersOp::areKnown(Value numbers, StringRef kind) {
  DenseElementsAttr constant;
  if (!matchPattern(numbers, m_Constant(&constant)))
    return false;
  // The conditions compare a number with 0 or 1, or test whether it is finite.
  // Rounding an integer to double does not change their results.
  bool isSigned = !isUnsigned(constant.getElementType());
  if (isa<IntegerType>(constant.getElementType()))
    return llvm::all_of(constant.getValues<APInt>(), [&](const APInt &number) {
      return holds(number.roundToDouble(isSigned), kind);
    });
  if (isa<FloatType>(constant.getElementType()))
    return llvm::all_of(constant.getValues<APFloat>(),
                        [&](const APFloat &number) {
                          bool isNegative = number.isNegative();
                          double sign = isNegative ? -1 : 1;
                          return holds(number.isNaN()        ? std::nan("")
                                       : number.isInfinity() ? sign * HUGE_VAL
                                       : number.isZero()     ? 0
                                                             : sign,
                                       kind);
                        });
  return false;
}

LogicalResult RequireNumbersOp::canonicalize(RequireNumbersOp op,
                                             PatternRewriter &rewriter) {
  return eraseKnown(op, areKnown(op.getNumbers(), op.getKind()), rewriter);
}

//===----------------------------------------------------------------------===//
// The op ingot.require_order
//===----------------------------------------------------------------------===//

LogicalResult RequireOrderOp::inferReturnTypes(MLIRContext *context,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  Type numbers = adaptor.getNumbers().getType();
  // The numbers must be a vector (require_order_c1).
  if (!mayHaveRank(numbers, 1))
    return emitOptionalError(loc,
                             "the numbers must be a vector, but have shape ",
                             toString(getTensorShape(numbers)));
  // `kind` must be permutation, inverted, segments or sparse_segments
  // (require_order_c2).
  return checkKind(loc, adaptor.getKind(),
                   {"permutation", "inverted", "segments", "sparse_segments"},
                   "order check: expected permutation, inverted, segments or "
                   "sparse_segments");
}

bool RequireOrderOp::areKnown(Value value, StringRef kind) {
  std::optional<SmallVector<int64_t>> numbers = getConstants(value);
  if (!numbers)
    return false;
  if (kind == "segments" || kind == "sparse_segments") {
    int64_t limit = kind == "segments" ? std::numeric_limits<int64_t>::max()
                                       : std::numeric_limits<int32_t>::max();
    return numbers->empty() ||
           (llvm::is_sorted(*numbers) && numbers->front() >= 0 &&
            numbers->back() < limit);
  }
  auto size = static_cast<int64_t>(numbers->size());
  SmallVector<bool> isSeen(numbers->size());
  for (int64_t number : *numbers) {
    number += number < 0 && kind == "permutation" ? size : 0;
    if (number < 0 || number >= size || isSeen[number])
      return false;
    isSeen[number] = true;
  }
  return true;
}

LogicalResult RequireOrderOp::canonicalize(RequireOrderOp op,
                                           PatternRewriter &rewriter) {
  return eraseKnown(op, areKnown(op.getNumbers(), op.getKind()), rewriter);
}
