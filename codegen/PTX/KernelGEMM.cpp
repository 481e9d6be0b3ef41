//===- KernelGEMM.cpp - A kernel's GEMM and its epilogue ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Matches a kernel on buffers that is one GEMM, with optional im2col before it
// and an elementwise epilogue after it. Kernels with any other op do not match,
// because the generated tiles replace all ops of the kernel.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/KernelGEMM.h"

#include "codegen/KernelGrid.h"
#include "codegen/Kernels/KernelAccess.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "ingot-ptx-tile-gemms"

using namespace mlir;

namespace ingot::ptx {

Type KernelGEMM::factorType() const {
  return getElementTypeOrSelf(op->getOperand(0).getType());
}

bool KernelGEMM::isExact() const {
  return factorType().isF32() &&
         getElementTypeOrSelf(op->getOperands().back().getType()).isF32();
}

/// Returns each buffer that has a dimension indexed by `loop`, with the number
/// of that dimension. Arguments of the kernel come first. Buffers with im2col
/// come last, as they will be erased.
static SmallVector<std::pair<Value, unsigned>>
placesOf(const KernelGEMM &product, unsigned loop) {
  SmallVector<std::pair<Value, unsigned>> places;
  auto collect = [&](linalg::GenericOp op) {
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, result] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (result == getAffineDimExpr(loop, op.getContext()))
          places.push_back({operand.get(), dim});
  };
  collect(product.op);
  // The loops of an epilogue op are the result's dimensions in order, so the
  // loops of M, N and the batch dimensions have the same indices as in the
  // GEMM.
  if (loop != product.sum())
    llvm::for_each(product.consumers, collect);
  auto order = [&](Value buffer) {
    return isa<BlockArgument>(buffer) ? 0
           : llvm::none_of(product.patches,
                           [&](const Im2colOperand &patches) {
                             return patches.op &&
                                    buffer == patches.view->getResult(0);
                           })
               ? 1
               : 2;
  };
  llvm::stable_sort(places, [&](const auto &a, const auto &b) {
    return order(a.first) < order(b.first);
  });
  return places;
}

std::pair<Value, unsigned> KernelGEMM::placeOf(unsigned loop) const {
  return placesOf(*this, loop).front();
}

int64_t KernelGEMM::sizeOf(unsigned loop) const {
  auto [buffer, dim] = placeOf(loop);
  return cast<MemRefType>(buffer.getType()).getDimSize(dim);
}

Value sourceOf(Value buffer) {
  while (Operation *view = buffer.getDefiningOp()) {
    if (!isa<memref::CollapseShapeOp, memref::ExpandShapeOp>(view))
      break;
    buffer = view->getOperand(0);
  }
  return buffer;
}

std::optional<int64_t> slotOf(const KernelGEMM &product, unsigned loop) {
  auto [buffer, dim] = product.placeOf(loop);
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return codegen::slotOfSize(argument, dim);
  return std::nullopt;
}

void KernelGEMM::erase() {
  for (linalg::GenericOp consumer : llvm::reverse(consumers))
    consumer.erase();
  op.erase();
  if (fill)
    fill.erase();
  for (Im2colOperand &made : patches) {
    if (!made.op)
      continue;
    Value memory = made.op.getDpsInits()[0];
    Value shape;
    if (auto reshape = dyn_cast<memref::ReshapeOp>(made.view))
      shape = reshape.getShape();
    made.view->erase();
    made.op.erase();
    for (Value unused : {memory, shape})
      if (unused && unused.getDefiningOp<memref::AllocOp>()) {
        for (Operation *user : llvm::make_early_inc_range(unused.getUsers()))
          user->erase();
        unused.getDefiningOp()->erase();
      }
  }
}

//===----------------------------------------------------------------------===//
// Recognition of the op that is a GEMM
//===----------------------------------------------------------------------===//

/// If `value`, a factor of the product in the body, is a block argument or the
/// arith.extf of one, returns this argument. Otherwise returns null.
static BlockArgument factorOf(Value value) {
  if (auto widened = value.getDefiningOp<arith::ExtFOp>())
    value = widened.getIn();
  return dyn_cast<BlockArgument>(value);
}

/// Whether the op's body adds the product of both inputs to the accumulator.
static bool addsOneProduct(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1)
    return false;
  Block *body = op.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || add.getLhs() != body->getArgument(2) ||
      !body->getArgument(2).hasOneUse())
    return false;
  auto multiply = add.getRhs().getDefiningOp<arith::MulFOp>();
  if (!multiply)
    return false;
  BlockArgument a = factorOf(multiply.getLhs()),
                b = factorOf(multiply.getRhs());
  return a && b && a != b && a != body->getArgument(2) &&
         b != body->getArgument(2) && a.getType() == b.getType() &&
         a.hasOneUse() && b.hasOneUse();
}

/// Whether the op is a (batched) GEMM: one reduction loop, and at least two
/// parallel loops.
static bool isProduct(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 1 && op.getNumParallelLoops() >= 2 &&
         addsOneProduct(op);
}

/// Whether an operand is indexed by loops and constants only.
static bool isIndexedByLoops(AffineMap map) {
  return llvm::all_of(map.getResults(),
                      llvm::IsaPred<AffineDimExpr, AffineConstantExpr>);
}

/// Interchanges the op's loops, so that they are in the order of the result's
/// dimensions, with K last. Returns false if a parallel loop is missing in the
/// result.
static bool sortLoops(linalg::GenericOp &op) {
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<unsigned> order;
  for (AffineExpr expression : result.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expression);
    if (!dim || llvm::is_contained(order, dim.getPosition()))
      return false;
    order.push_back(dim.getPosition());
  }
  if (order.size() != op.getNumParallelLoops())
    return false;
  SmallVector<unsigned> reduction;
  op.getReductionDims(reduction);
  order.push_back(reduction.front());
  if (llvm::is_sorted(order))
    return true;
  IRRewriter rewriter(op);
  FailureOr<linalg::GenericOp> sorted =
      linalg::interchangeGenericOp(rewriter, op, order);
  if (succeeded(sorted))
    op = *sorted;
  return succeeded(sorted);
}

/// Chooses the loops of M and N. N is the result's innermost dimension if
/// possible, so that stores are coalesced. Returns false if there are no such
/// loops.
static bool chooseDimensions(KernelGEMM &product) {
  linalg::GenericOp op = product.op;
  unsigned last = product.sum() - 1;
  auto has = [&](unsigned factor, unsigned loop) {
    return op.getMatchingIndexingMap(op.getDpsInputOperand(factor))
        .isFunctionOfDim(loop);
  };
  auto isOnly = [&](unsigned factor, unsigned loop) {
    return has(factor, loop) && !has(1 - factor, loop);
  };
  if (!has(0, product.sum()) || !has(1, product.sum()))
    return false;
  // Returns the largest of the parallel loops that index only operand `factor`,
  // not the other one.
  auto largest = [&](unsigned factor) -> std::optional<unsigned> {
    std::optional<unsigned> found;
    for (unsigned loop = 0; loop <= last; ++loop)
      if (isOnly(factor, loop) &&
          (!found || kernels::estimated(product.sizeOf(loop)) >=
                         kernels::estimated(product.sizeOf(*found))))
        found = loop;
    return found;
  };
  product.factors[1] = isOnly(0, last) ? 0 : 1;
  product.factors[0] = 1 - product.factors[1];
  std::optional<unsigned> row = largest(product.factors[0]),
                          column = largest(product.factors[1]);
  if (!row || !column)
    return false;
  product.row = *row;
  product.column = isOnly(product.factors[1], last) ? last : *column;
  return true;
}

//===----------------------------------------------------------------------===//
// Recognition of GEMM operands that are im2col
//===----------------------------------------------------------------------===//

/// Whether an op computes im2col into a temporary of the kernel. Its body loads
/// from the image, so it has no inputs, only indices.
static bool makesPatches(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 0 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != 5 || op.getNumParallelLoops() != 5)
    return false;
  OpOperand *made = op.getDpsInitOperand(0);
  return op.getMatchingIndexingMap(made).isIdentity() &&
         op.getMatchingBlockArgument(made).use_empty() &&
         made->get().getDefiningOp<memref::AllocOp>() &&
         !ShapedType::isDynamicShape(
             ArrayRef(op.getStaticLoopRanges()).drop_front());
}

/// Returns the op that views `memory` as a matrix with `columns` columns.
/// Returns null if there is no such view, or if an op other than that view and
/// `maker` uses the memory.
static Operation *matrixOf(Value memory, Operation *maker, int64_t columns) {
  Operation *view = nullptr;
  for (Operation *user : memory.getUsers()) {
    if (user == maker || isa<memref::DeallocOp>(user))
      continue;
    if (view || !isa<memref::CollapseShapeOp, memref::ReshapeOp>(user))
      return nullptr;
    view = user;
  }
  if (!view || !view->hasOneUse())
    return nullptr;
  auto type = cast<MemRefType>(view->getResult(0).getType());
  return type.getRank() == 2 && type.getDimSize(1) == columns ? view : nullptr;
}

/// Returns the im2col op that computes the GEMM's operand `factor`, and the op
/// that views the im2col tensor as a matrix. Both are null if the operand is
/// not im2col.
static Im2colOperand patchesOf(Value factor) {
  Operation *view = factor.getDefiningOp();
  if (!isa_and_nonnull<memref::CollapseShapeOp, memref::ReshapeOp>(view))
    return {};
  Value memory = view->getOperand(0);
  for (Operation *user : memory.getUsers()) {
    auto op = dyn_cast<linalg::GenericOp>(user);
    if (!op || !makesPatches(op) || op.getDpsInits()[0] != memory)
      continue;
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    if (matrixOf(memory, op, sizes[3] * sizes[4]) == view)
      return {op, view};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Recognition of kernels with a GEMM and its epilogue
//===----------------------------------------------------------------------===//

/// Whether `op` is elementwise: for element i of its results it reads only
/// element i of the buffers in `made`, which the GEMM and earlier epilogue ops
/// write. Then the thread that has computed the GEMM's element i can compute
/// element i of `op` at once.
static bool isElementwise(linalg::GenericOp op, unsigned rank,
                          const DenseSet<Value> &made) {
  if (op.getNumLoops() != rank || op.getNumParallelLoops() != rank)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isInit = op.isDpsInit(&operand);
    if ((isInit || made.contains(operand.get())) && !map.isIdentity())
      return false;
    if (!isIndexedByLoops(map))
      return false;
  }
  // A load in the body could read an element that another thread writes, so an
  // op with loads is not elementwise.
  return !op.getBlock()
              ->walk([](memref::LoadOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

static bool isAllocation(Value buffer) {
  return isa_and_nonnull<memref::AllocOp>(buffer.getDefiningOp());
}

namespace {

/// Checks whether a kernel consists of one GEMM, its im2col and its epilogue,
/// and records their ops in a KernelGEMM.
class KernelGEMMFinder {
public:
  explicit KernelGEMMFinder(func::FuncOp kernel)
      : body(kernel.getBody().front()) {}

  std::optional<KernelGEMM> find() {
    for (Operation &op : body.without_terminator())
      if (!take(op)) {
        LLVM_DEBUG(if (product.op) llvm::dbgs()
                   << "no tiled GEMM at " << product.op.getLoc() << ": "
                   << op.getName() << " is not part of an epilogue\n");
        return std::nullopt;
      }
    if (!product.op)
      return std::nullopt;
    // The generated code would fill only the accumulators, so a kernel that
    // fills any other buffer is refused.
    if (fills.size() != (product.fill ? 1 : 0))
      return refuse("the kernel fills a buffer other than the GEMM's result");
    if (!findPatches())
      return refuse("an index of an operand is not a loop of the GEMM, or the "
                    "GEMM does not read an im2col of the kernel");
    if (!staysApart())
      return refuse("a block may read elements that another block writes");
    if (!sortLoops(product.op) || !chooseDimensions(product))
      return refuse("the loops are not the dimensions M, N and K of a GEMM");
    findTemporaries();
    return product;
  }

private:
  std::nullopt_t refuse([[maybe_unused]] StringRef reason) {
    LLVM_DEBUG(llvm::dbgs() << "no tiled GEMM at " << product.op.getLoc()
                            << ": " << reason << '\n');
    return std::nullopt;
  }

  /// Records `op` as the GEMM, its im2col, a fill or an op of the epilogue.
  /// Returns false if `op` is neither one of these nor another op that the
  /// pattern allows.
  bool take(Operation &op) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic && !product.op && isProduct(generic))
      return takeProduct(generic);
    if (generic && !product.op && makesPatches(generic)) {
      makers.insert(generic);
      return true;
    }
    // Stores to the shape operand of a memref.reshape are allowed.
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return isAllocation(store.getMemRef()) &&
             llvm::all_of(store.getMemRef().getUsers(),
                          llvm::IsaPred<memref::StoreOp, memref::ReshapeOp>);
    if (auto fill = dyn_cast<linalg::FillOp>(op); fill && !product.op) {
      fills[fill.getOutputs()[0]] = fill;
      return true;
    }
    if (product.op && generic &&
        isElementwise(generic, product.op.getNumLoops() - 1, made)) {
      product.consumers.push_back(generic);
      for (Value init : generic.getDpsInits())
        made.insert(init);
      return true;
    }
    // Ops without loops compute scalars, such as the learning rate of Adam.
    // They are allowed before and after the GEMM, because each block computes
    // these scalars itself, and staysApart() checks that they do not read the
    // GEMM's result.
    auto once = dyn_cast<linalg::LinalgOp>(op);
    if (once)
      return once.getNumLoops() == 0 &&
             llvm::all_of(once.getDpsInits(), isAllocation);
    return isMemoryEffectFree(&op) ||
           isa<memref::AllocOp, memref::DeallocOp, memref::ReshapeOp,
               memref::LoadOp>(op);
  }

  bool takeProduct(linalg::GenericOp generic) {
    Value result = generic.getDpsInits()[0];
    product.op = generic;
    made.insert(result);
    if (linalg::FillOp fill = fills.lookup(result)) {
      product.fill = fill;
      product.start = fill.getInputs()[0];
    }
    return true;
  }

  /// Finds the im2col ops that compute the GEMM's operands. Returns false if
  /// another op computes im2col, or if an operand is indexed by anything but
  /// single loops. There is one exception: with split-K, the index of im2col
  /// along K is computed from two loops, one over the parts of K and one within
  /// a part.
  bool findPatches() {
    for (OpOperand &operand : product.op->getOpOperands()) {
      AffineMap map = product.op.getMatchingIndexingMap(&operand);
      unsigned i = operand.getOperandNumber();
      if (i < 2 && (product.patches[i] = patchesOf(operand.get())).op)
        makers.erase(product.patches[i].op);
      else if (!isIndexedByLoops(map))
        return false;
    }
    return makers.empty();
  }

  /// Whether blocks of threads are independent: none of them reads elements
  /// that another one writes.
  bool staysApart() {
    DenseSet<Value> written;
    for (Value buffer : made)
      written.insert(kernels::rootOf(buffer));
    auto isWritten = [&](Value value) {
      return isa<MemRefType>(value.getType()) &&
             written.contains(kernels::rootOf(value));
    };
    auto found = body.walk([&](memref::LoadOp load) {
      return isWritten(load.getMemRef()) ? WalkResult::interrupt()
                                         : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return false;
    for (Operation &op : body.without_terminator()) {
      auto computed = dyn_cast<linalg::LinalgOp>(op);
      if (!computed || isa<linalg::FillOp>(op))
        continue;
      for (OpOperand *input : computed.getDpsInputOperands()) {
        // An epilogue op may read the element that its own thread has computed.
        bool isOwn = &op != product.op.getOperation() &&
                     made.contains(input->get()) &&
                     computed.getMatchingIndexingMap(input).isIdentity();
        if (!isOwn && isWritten(input->get()))
          return false;
      }
    }
    return true;
  }

  /// Collects the temporaries that only the GEMM and its epilogue use: their
  /// elements stay in registers.
  void findTemporaries() {
    for (Value buffer : made)
      if (isAllocation(buffer) &&
          llvm::all_of(buffer.getUsers(), [&](Operation *user) {
            auto generic = dyn_cast<linalg::GenericOp>(user);
            return user == product.op || user == product.fill ||
                   isa<memref::DeallocOp>(user) ||
                   (generic && llvm::is_contained(product.consumers, generic));
          }))
        product.temporaries.insert(buffer);
  }

  Block &body;
  KernelGEMM product;
  DenseMap<Value, linalg::FillOp> fills; // keyed by the filled buffer
  DenseSet<Value> made;         // buffers that the GEMM or the epilogue writes
  DenseSet<Operation *> makers; // im2col ops not yet matched to an operand
};

} // namespace

std::optional<KernelGEMM> findProduct(func::FuncOp kernel) {
  return KernelGEMMFinder(kernel).find();
}

} // namespace ingot::ptx
