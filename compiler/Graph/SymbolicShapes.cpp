//===- SymbolicShapes.cpp - Equalities of dynamic dimensions --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/SymbolicShapes.h"

#include "compiler/Graph/IteratorBatches.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/ConvolutionOps.h"
#include "dialects/Ingot/IR/FourierOps.h"
#include "dialects/Ingot/IR/IndexingOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/MatrixOps.h"
#include "dialects/Ingot/IR/ParallelOps.h"
#include "dialects/Ingot/IR/PartialConstants.h"
#include "dialects/Ingot/IR/PointwiseOps.h"
#include "dialects/Ingot/IR/PoolingOps.h"
#include "dialects/Ingot/IR/SpectralOps.h"
#include "dialects/Ingot/IR/StridedSlices.h"
#include "dialects/Ingot/IR/TensorOps.h"
#include "dialects/Ingot/IR/Windows.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;
using namespace mlir::ingot;

namespace ingot::graph {

/// Evaluates the sizes of all tensors on a clone of an entry or function, in
/// which numbers replace dynamic sizes.
class TensorSizeEvaluator {
public:
  TensorSizeEvaluator(Operation *root, const SymbolTable &symbols,
                      ArrayRef<Value> sameRows, bool isSecond);

  /// Returns the type that `value` has in this evaluation, with numbers in
  /// place of dynamic sizes.
  RankedTensorType typeOf(Value value) const {
    Value twin = isomorphic.lookupOrNull(value);
    return twin ? dyn_cast<RankedTensorType>(twin.getType())
                : RankedTensorType();
  }
  std::optional<SmallVector<int64_t>> elements(Value value) const {
    Value twin = isomorphic.lookupOrNull(value);
    return twin ? getPartialInts(twin) : std::nullopt;
  }
  int64_t nextPrime();

private:
  int64_t nextNumber() { return isSecond ? nextMultiple() : nextPrime(); }
  int64_t nextMultiple();
  /// Returns `type` with a new number in place of each dynamic dimension.
  Type standIn(Type type);
  /// Returns the number for the size max(whole - dropped, 0) / stride, rounded
  /// up.
  int64_t partOf(int64_t whole, int64_t dropped, int64_t stride);
  void setSliceSizes(StridedSliceOp op, Type &inferred);
  void setWindowSizes(const WindowAttributes &window, Value image,
                      ArrayRef<int64_t> sizes, Type &inferred);
  void setSizesOfParts(Operation *op, Type &inferred);
  void visit(Operation *op);
  void visitBlock(Block &block);
  void visitLoop(WhileOp loop);
  void visitSlices(SliceRegionOp slices);
  void visitBranches(IfOp branches);

  static constexpr int64_t leastPrime = SymbolicShapes::leastPrime;
  const SymbolTable &symbols;
  bool isSecond;
  IRMapping isomorphic;
  OwningOpRef<Operation *> copy;
  /// The types that the values of the clone (`copy`) had before numbers
  /// replaced dynamic sizes.
  DenseMap<Value, Type> originals;
  int64_t last = leastPrime;
  size_t round = 0; // index of the divisor in nextMultiple()
  int64_t lastMultiple = 2 * leastPrime;
  /// Maps the arguments of partOf() (whole, dropped, stride) to the number that
  /// it returns.
  std::map<std::tuple<int64_t, int64_t, int64_t>, int64_t> parts;
  /// Maps each number that partOf() has returned for a stride of 1 to the
  /// arguments `whole` and `dropped`.
  std::map<int64_t, std::pair<int64_t, int64_t>> remainders;
};

/// The first evaluation represents each dynamic dimension by a prime of its
/// own. A product of primes determines its factors, so dimensions with the same
/// number are products of the same sizes, unless one of them is a sum that
/// happens to have this value.
int64_t TensorSizeEvaluator::nextPrime() {
  auto isPrime = [](int64_t number) {
    for (int64_t factor = 3; factor * factor <= number; factor += 2)
      if (number % factor == 0)
        return false;
    return true;
  };
  do
    last += 2;
  while (!isPrime(last));
  return last;
}

/// The second evaluation represents each dynamic dimension by a multiple of
/// common strides, so that divisions by strides leave no remainder. These
/// numbers descend, while the primes of the first evaluation ascend, so a
/// maximum that selects one dimension in the first evaluation selects the other
/// one in the second.
int64_t TensorSizeEvaluator::nextMultiple() {
  static constexpr int64_t divisors[] = {32 * 3 * 5 * 7, 32 * 3, 4, 1};
  int64_t divisor = divisors[std::min<size_t>(round, 3)];
  lastMultiple = (lastMultiple - 1) / divisor * divisor;
  if (lastMultiple > leastPrime)
    return lastMultiple;
  ++round;
  lastMultiple = 2 * leastPrime;
  return nextMultiple();
}

Type TensorSizeEvaluator::standIn(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.hasStaticShape())
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  for (int64_t &size : shape)
    if (ShapedType::isDynamic(size))
      size = nextNumber();
  return tensor.clone(shape);
}

/// Whether the elements of `next` are batches, so that all of their components
/// have the same first dimension.
static bool isBatched(IteratorNextOp next, const SymbolTable &symbols) {
  auto iterator = symbols.lookup<IteratorOp>(next.getIterator());
  return iterator && batchOf(iterator);
}

/// Slices and windows select a part of a dimension. The size of this part is
/// not a polynomial in the dimension's size n: x[1:] is empty for n = 0 as well
/// as for n = 1, and n / 3 is equal to (n + 1) / 3 for some n. So the size gets
/// a new number, which all parts with the same n, `dropped` and `stride` share.
int64_t TensorSizeEvaluator::partOf(int64_t whole, int64_t dropped,
                                    int64_t stride) {
  if (dropped == 0 && stride == 1)
    return whole;
  // max(max(n - a, 0) - b, 0) is max(n - a - b, 0).
  if (auto found = remainders.find(whole);
      found != remainders.end() && dropped >= 0) {
    whole = found->second.first;
    dropped += found->second.second;
  }
  int64_t &number = parts[{whole, dropped, stride}];
  if (number == 0)
    number = nextNumber();
  if (stride == 1)
    remainders[number] = {whole, dropped};
  return number;
}

/// Returns how many elements a slice leaves out at both ends of a dimension
/// whose dynamic size is `whole`. Returns std::nullopt if this number depends
/// on `whole`.
static std::optional<int64_t> droppedBy(const SlicedDim &sliced, int64_t whole,
                                        int64_t leastPrime) {
  auto isSmall = [&](int64_t position) {
    return ShapedType::isStatic(position) && std::abs(position) < leastPrime;
  };
  if (!isSmall(sliced.stride) || sliced.stride == 0)
    return std::nullopt;
  bool isUp = sliced.stride > 0;
  int64_t first = 0, last = 0;
  if (!sliced.beginMasked) {
    if (!isSmall(sliced.begin) || (sliced.begin >= 0) != isUp)
      return std::nullopt;
    first = isUp ? sliced.begin : -1 - sliced.begin;
  }
  if (!sliced.endMasked && !(isUp && sliced.end == whole)) {
    if (!isSmall(sliced.end) || (sliced.end < 0) != isUp)
      return std::nullopt;
    last = isUp ? -sliced.end : sliced.end + 1;
  }
  return first + last;
}

/// Sets the sizes of a strided slice's result. Begin and end are clamped to the
/// size of the input, and comparing them with a number in place of a dynamic
/// size does not tell whether they are clamped at run time.
void TensorSizeEvaluator::setSliceSizes(StridedSliceOp op, Type &inferred) {
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(inferred);
  if (!input || !result)
    return;
  FailureOr<SlicePlan> plan =
      planStridedSlice(std::nullopt, input.getRank(), op.getBegin(),
                       op.getEnd(), op.getStrides(), SliceMasks(op));
  if (failed(plan))
    return;
  SmallVector<int64_t> shape(result.getShape());
  size_t dim = 0;
  for (const SlicedDim &sliced : *plan) {
    if (sliced.kind == SlicedDim::Index)
      continue;
    int64_t &size = shape[dim++];
    if (sliced.kind == SlicedDim::New || sliced.entry < 0)
      continue;
    int64_t whole = input.getDimSize(sliced.dim);
    if (ShapedType::isStatic(whole) && whole >= leastPrime) {
      std::optional<int64_t> dropped = droppedBy(sliced, whole, leastPrime);
      size = dropped ? partOf(whole, *dropped, std::abs(sliced.stride))
                     : ShapedType::kDynamic;
      continue;
    }
    auto isOpen = [&](bool isMasked, int64_t position) {
      return !isMasked && (ShapedType::isDynamic(position) ||
                           std::abs(position) >= leastPrime);
    };
    if (isOpen(sliced.beginMasked, sliced.begin) ||
        isOpen(sliced.endMasked, sliced.end))
      size = ShapedType::kDynamic;
  }
  inferred = result.clone(shape);
}

/// Sets dimensions 1 and 2 of the inferred type: the numbers of windows of size
/// `sizes` along the height and the width of `image`.
void TensorSizeEvaluator::setWindowSizes(const WindowAttributes &window,
                                         Value image, ArrayRef<int64_t> sizes,
                                         Type &inferred) {
  auto input = dyn_cast<RankedTensorType>(image.getType());
  auto result = dyn_cast<RankedTensorType>(inferred);
  if (!input || !result || input.getRank() != 4 || result.getRank() < 3)
    return;
  SmallVector<int64_t> shape(result.getShape());
  for (unsigned i = 0; i < 2; ++i) {
    int64_t whole = input.getDimSize(i + 1);
    if (ShapedType::isDynamic(whole) || whole < leastPrime)
      continue;
    int64_t dilation = window.dilations.empty() ? 1 : window.dilations[i];
    int64_t dropped = 0;
    if (window.padding != "SAME")
      dropped = (sizes[i] - 1) * dilation;
    if (window.padding == "EXPLICIT")
      dropped -=
          window.explicitPaddings[2 * i] + window.explicitPaddings[2 * i + 1];
    bool isKnown = window.padding == "SAME" ||
                   (ShapedType::isStatic(sizes[i]) && sizes[i] < leastPrime);
    shape[i + 1] = isKnown ? partOf(whole, dropped, window.strides[i])
                           : ShapedType::kDynamic;
  }
  inferred = result.clone(shape);
}

/// Marks the -1 dimension of a reshape's result as dynamic if another dimension
/// is dynamic. TensorFlow usually divides the number of elements by the other
/// sizes. If one of these is 0 at run time, it cannot divide, and computes the
/// size for -1 from the nonzero dimensions of the input instead.
static void dropInferredSize(ReshapeOp op, int64_t leastPrime, Type &inferred) {
  auto result = dyn_cast<RankedTensorType>(inferred);
  std::optional<SmallVector<int64_t>> sizes = getPartialInts(op.getShape());
  if (!result || !sizes ||
      result.getRank() != static_cast<int64_t>(sizes->size()))
    return;
  auto isOpen = [&](int64_t size) {
    return ShapedType::isDynamic(size) || size >= leastPrime;
  };
  SmallVector<int64_t> shape(result.getShape());
  for (auto [size, wanted] : llvm::zip(shape, *sizes))
    if (wanted == -1 && llvm::any_of(*sizes, isOpen))
      size = ShapedType::kDynamic;
  inferred = result.clone(shape);
}

/// Corrects the inferred type of a slice, reshape, convolution or pool, for
/// which the shape function's arithmetic is wrong on numbers that replace
/// dynamic sizes.
void TensorSizeEvaluator::setSizesOfParts(Operation *op, Type &inferred) {
  if (auto slice = dyn_cast<StridedSliceOp>(op))
    return setSliceSizes(slice, inferred);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return dropInferredSize(reshape, leastPrime, inferred);
  if (auto convolution = dyn_cast<Conv2DOp>(op)) {
    Value filter = convolution.getFilter();
    int64_t sizes[] = {getDim(filter.getType(), 0),
                       getDim(filter.getType(), 1)};
    return setWindowSizes(getWindowAttributes(convolution),
                          convolution.getInput(), sizes, inferred);
  }
  if (auto patches = dyn_cast<ExtractPatchesOp>(op))
    return setWindowSizes(getWindowAttributes(patches), patches.getInput(),
                          patches.getWindow(), inferred);
  auto setPoolSizes = [&](auto pool) {
    setWindowSizes(
        {pool.getStrides(), {}, pool.getPadding(), pool.getExplicitPaddings()},
        pool.getInput(), pool.getWindow(), inferred);
  };
  if (auto pool = dyn_cast<MaxPoolOp>(op))
    setPoolSizes(pool);
  else if (auto pool = dyn_cast<AvgPoolOp>(op))
    setPoolSizes(pool);
}

/// Returns whether the op's shape function compares or divides dynamic sizes.
/// The numbers that replace them do not tell the outcome at run time.
static bool comparesSizes(Operation *op, int64_t leastPrime) {
  auto isOpen = [&](int64_t size) { return size >= leastPrime; };
  if (isa<RangeOp>(op)) {
    std::optional<SmallVector<int64_t>> step =
        getPartialInts(op->getOperand(2));
    return !step || step->size() != 1 || std::abs(step->front()) != 1;
  }
  if (isa<RFFTOp, RFFT2DOp, RFFT3DOp>(op)) {
    std::optional<SmallVector<int64_t>> sizes =
        getPartialInts(op->getOperand(1));
    return !sizes || llvm::any_of(*sizes, isOpen);
  }
  if (!isa<QROp, SVDOp, MatrixDiagPartOp>(op))
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  int64_t rank = type ? type.getRank() : 0;
  return rank >= 2 && (isOpen(type.getDimSize(rank - 2)) ||
                       isOpen(type.getDimSize(rank - 1)));
}

void TensorSizeEvaluator::visit(Operation *op) {
  SmallVector<Type> types;
  auto inferable = dyn_cast<InferTypeOpInterface>(op);
  // Shape functions see primes in place of dynamic sizes and may reject them.
  // This is not an error: it only means that the sizes of the results are
  // unknown.
  ScopedDiagnosticHandler quiet(op->getContext(),
                                [](Diagnostic &) { return success(); });
  if (!inferable || failed(inferable.inferReturnTypes(
                        op->getContext(), std::nullopt, op->getOperands(),
                        op->getDiscardableAttrDictionary(),
                        op->getPropertiesStorage(), op->getRegions(), types)))
    types.clear();
  if (comparesSizes(op, leastPrime))
    types.clear();
  if (!types.empty())
    setSizesOfParts(op, types.front());
  auto next = dyn_cast<IteratorNextOp>(op);
  int64_t batch = next && isBatched(next, symbols) ? nextNumber() : 0;
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    auto tensor = dyn_cast<RankedTensorType>(originals.lookup(result));
    if (!tensor)
      continue;
    // The dynamic dimensions of a TensorList itself need no numbers, only those
    // of its elements do. So use only the element type of the inferred type.
    if (isa<VariantType>(tensor.getElementType())) {
      result.setType(index < types.size() ? refineItems(tensor, types[index])
                                          : Type(tensor));
      continue;
    }
    SmallVector<int64_t> shape(tensor.getShape());
    auto inferred = index < types.size()
                        ? dyn_cast<RankedTensorType>(types[index])
                        : RankedTensorType();
    for (auto [dim, size] : llvm::enumerate(shape)) {
      if (!ShapedType::isDynamic(size))
        continue;
      if (inferred && inferred.getRank() == tensor.getRank() &&
          !inferred.isDynamicDim(dim))
        size = inferred.getDimSize(dim);
      else if (batch && dim == 0)
        size = batch;
    }
    result.setType(standIn(tensor.clone(shape)));
  }
}

/// Returns `original`, with each dynamic dimension replaced by the number that
/// the types `a` and `b` have for it, if they have the same number.
static Type commonType(Type original, Type a, Type b) {
  auto tensor = dyn_cast<RankedTensorType>(original);
  auto first = dyn_cast<RankedTensorType>(a);
  auto second = dyn_cast<RankedTensorType>(b);
  if (!tensor || !first || !second || first.getRank() != tensor.getRank() ||
      second.getRank() != tensor.getRank())
    return original;
  if (isa<VariantType>(tensor.getElementType()))
    return refineItems(original, joinTypes(first, second));
  SmallVector<int64_t> shape(tensor.getShape());
  for (auto [dim, size] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(size) &&
        first.getDimSize(dim) == second.getDimSize(dim))
      size = first.getDimSize(dim);
  return tensor.clone(shape);
}

void TensorSizeEvaluator::visitLoop(WhileOp loop) {
  Block &test = loop.getTest().front(), &body = loop.getBody().front();
  // Find the numbers of loop-carried values by an optimistic fixpoint
  // iteration: at first, assume that all values keep the numbers of their
  // initial values.
  SmallVector<Type> kept;
  for (auto [argument, init] :
       llvm::zip(body.getArguments(), loop.getInits().getTypes()))
    kept.push_back(commonType(originals.lookup(argument), init, init));
  while (true) {
    for (auto [i, type] : llvm::enumerate(kept)) {
      Type state = standIn(type);
      test.getArgument(i).setType(state);
      body.getArgument(i).setType(state);
    }
    visitBlock(test);
    visitBlock(body);
    bool isCertain = true;
    for (auto [argument, type, next] :
         llvm::zip(body.getArguments(), kept,
                   body.getTerminator()->getOperandTypes())) {
      Type both = commonType(originals.lookup(argument), type, next);
      isCertain &= both == type;
      type = both;
    }
    if (isCertain)
      break;
  }
  for (auto [result, type] : llvm::zip(loop.getResults(), kept))
    result.setType(standIn(type));
}

void TensorSizeEvaluator::visitBranches(IfOp branches) {
  Block &first = branches.getThenBranch().front();
  Block &second = branches.getElseBranch().front();
  visitBlock(first);
  visitBlock(second);
  for (auto [result, a, b] : llvm::zip(
           branches.getResults(), first.getTerminator()->getOperandTypes(),
           second.getTerminator()->getOperandTypes()))
    result.setType(standIn(commonType(originals.lookup(result), a, b)));
}

void TensorSizeEvaluator::visitSlices(SliceRegionOp slices) {
  // If inputs are split along dimensions of equal sizes, their parts in one
  // slice of the batch have equal sizes, too. So give the split dimensions of
  // these parts the same number.
  DenseMap<int64_t, int64_t> sizeOfPart;
  Block &body = slices.getBody().front();
  for (auto [argument, input, cut] :
       llvm::zip(body.getArguments(), slices.getInputs(), slices.getCuts())) {
    auto type = dyn_cast<RankedTensorType>(originals.lookup(argument));
    auto cutType = dyn_cast<RankedTensorType>(input.getType());
    if (type && cutType && type.isDynamicDim(cut)) {
      int64_t &size = sizeOfPart[cutType.getDimSize(cut)];
      if (size == 0)
        size = nextNumber();
      SmallVector<int64_t> shape(cutType.getShape());
      shape[cut] = size;
      type = type.clone(shape);
    }
    argument.setType(standIn(type ? Type(type) : originals.lookup(argument)));
  }
  visitBlock(body);
}

void TensorSizeEvaluator::visitBlock(Block &block) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<WhileOp>(op)) {
      visitLoop(loop);
      continue;
    }
    if (auto branches = dyn_cast<IfOp>(op)) {
      visitBranches(branches);
      continue;
    }
    visit(&op);
    if (auto slices = dyn_cast<SliceRegionOp>(op)) {
      visitSlices(slices);
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region) {
        for (BlockArgument argument : inner.getArguments())
          argument.setType(standIn(originals.lookup(argument)));
        visitBlock(inner);
      }
  }
}

TensorSizeEvaluator::TensorSizeEvaluator(Operation *root,
                                         const SymbolTable &symbols,
                                         ArrayRef<Value> sameRows,
                                         bool isSecond)
    : symbols(symbols), isSecond(isSecond) {
  copy = root->clone(isomorphic);
  for (auto [value, twin] : isomorphic.getValueMap())
    originals[twin] = twin.getType();
  // It is known only at run time which of two dynamic sizes is larger, and what
  // remainder a division leaves. So the attribute makes the results of these
  // ops unknown, unless the two sizes are equal or the remainder is 0.
  copy->walk([](Operation *op) {
    if (isa<MaximumOp, MinimumOp, FloorDivOp, FloorModOp>(op))
      op->setDiscardableAttr(
          largestComparedAttrName,
          Builder(op->getContext()).getI64IntegerAttr(leastPrime - 1));
  });
  for (Region &region : copy->getRegions())
    for (Block &block : region) {
      for (BlockArgument argument : block.getArguments())
        argument.setType(standIn(argument.getType()));
      for (Value value : sameRows) {
        auto first = cast<RankedTensorType>(
            isomorphic.lookup(sameRows.front()).getType());
        Value twin = isomorphic.lookup(value);
        auto type = cast<RankedTensorType>(twin.getType());
        SmallVector<int64_t> shape(type.getShape());
        shape[0] = first.getDimSize(0);
        twin.setType(type.clone(shape));
      }
      visitBlock(block);
    }
}

SymbolicShapes::SymbolicShapes(Operation *root, const SymbolTable &symbols,
                               ArrayRef<Value> sameRows)
    : first(std::make_unique<TensorSizeEvaluator>(root, symbols, sameRows,
                                                  /*isSecond=*/false)),
      second(std::make_unique<TensorSizeEvaluator>(root, symbols, sameRows,
                                                   /*isSecond=*/true)) {
  // Record the values in program order, so that the sizes of arguments and
  // inputs keep their primes: the number of a size is its value in the first
  // evaluation, unless an earlier size has the same value there, but another
  // value in the second evaluation.
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      record(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          record(argument);
  });
}

SymbolicShapes::SymbolicShapes(SymbolicShapes &&) noexcept = default;
SymbolicShapes &SymbolicShapes::operator=(SymbolicShapes &&) noexcept = default;
SymbolicShapes::~SymbolicShapes() = default;

void SymbolicShapes::record(Value value) {
  RankedTensorType a = first->typeOf(value), b = second->typeOf(value);
  if (!a || !b || a.getRank() != b.getRank())
    return;
  SmallVector<int64_t> &sizes = numbers[value];
  for (auto [x, y] : llvm::zip(a.getShape(), b.getShape()))
    sizes.push_back(numberOf(x, y));
}

int64_t SymbolicShapes::numberOf(int64_t a, int64_t b) const {
  if (ShapedType::isDynamic(a) || ShapedType::isDynamic(b))
    return ShapedType::kDynamic;
  if (a == b && a < leastPrime)
    return a;
  int64_t &number = pairs[{a, b}];
  if (number == 0)
    number = a >= leastPrime && taken.insert(a).second ? a : first->nextPrime();
  return number;
}

std::optional<SmallVector<int64_t>>
SymbolicShapes::elements(Value value) const {
  std::optional<SmallVector<int64_t>> a = first->elements(value);
  std::optional<SmallVector<int64_t>> b = second->elements(value);
  if (!a || !b || a->size() != b->size())
    return std::nullopt;
  for (auto [x, y] : llvm::zip(*a, *b))
    x = numberOf(x, y);
  return a;
}

ArrayRef<int64_t> SymbolicShapes::operator[](Value value) const {
  auto found = numbers.find(value);
  return found == numbers.end() ? ArrayRef<int64_t>() : found->second;
}

} // namespace ingot::graph
