//===- ReplaceArraysByLists.cpp - TensorArrays of counted loops as lists -===//
// SPDX-License-Identifier: Apache-2.0
//
// Replaces TensorArrays, which ops change in order, by lists, which are values.
// An array and the arrays of its gradients are replaced if each of them has its
// elements written at most once, by one op, and then read at most once, by one
// op. Elements that are not written are zeros.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/CountedStack.h"
#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/ListOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_REPLACEARRAYSBYLISTSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-replace-arrays-by-lists"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::appendLoopState;
using ::ingot::graph::CountedLoop;
using ::ingot::graph::countedLoopAround;
using ::ingot::graph::CountedStack;
using ::ingot::graph::scalarConstant;

namespace {

/// The op that writes elements of an array, and the op that reads them.
struct Accesses {
  Operation *write = nullptr; // a tensor_array_write or tensor_array_scatter
  Operation *read = nullptr;  // a tensor_array_read or tensor_array_gather
};

/// Replaces one array and those of its gradients.
class ArrayReplacer {
public:
  explicit ArrayReplacer(TensorArrayOp array)
      : array(array), block(array->getBlock()), builder(array),
        elements(builder.getNamedAttr(array.getElementTypeAttrName(),
                                      array.getElementTypeAttr())),
        size(scalarConstant(array.getSize()).value_or(-1)) {}

  /// Returns whether the arrays were replaced.
  bool run();

private:
  bool findAccesses();
  bool find(Value handle, Accesses &accesses);
  bool isReplaceable(const Accesses &accesses);
  bool isWholeRange(Value indices) const;
  bool visitsEach(const CountedLoop &loop, Value index) const;
  bool accessesEach(Operation *access) const;
  bool writesAll(Operation *write) const;
  bool areOthersZero(Operation *write);
  bool isElement(Type type);
  bool writesElements(Operation *write);
  Value makeList(Operation *write);
  void readList(Operation *read, Value list);
  Value scalar(int32_t value);

  TensorArrayOp array;
  Block *block;
  OpBuilder builder;
  NamedAttribute elements; // the attribute that states their type
  int64_t size;
  Accesses own;
  llvm::MapVector<StringAttr, Accesses> gradients; // by their source
  SmallVector<TensorArrayGradOp> gradientOps;
};

} // namespace

/// Notes what ops write and read the array `handle`. Returns false if one is
/// used in another way, or if there are several of a kind.
bool ArrayReplacer::find(Value handle, Accesses &accesses) {
  for (Operation *user : handle.getUsers()) {
    bool writes = isa<TensorArrayWriteOp, TensorArrayScatterOp>(user);
    if (!writes && !isa<TensorArrayReadOp, TensorArrayGatherOp>(user)) {
      if (isa<TensorArrayGradOp>(user) && handle == array.getHandle())
        continue;
      return false;
    }
    Operation *&access = writes ? accesses.write : accesses.read;
    if (access)
      return false;
    access = user;
  }
  return true;
}

bool ArrayReplacer::findAccesses() {
  if (!find(array.getHandle(), own))
    return false;
  for (Operation *user : array->getUsers())
    if (auto gradient = dyn_cast<TensorArrayGradOp>(user)) {
      gradientOps.push_back(gradient);
      if (!find(gradient.getHandle(), gradients[gradient.getSourceAttr()]))
        return false;
    }
  return true;
}

/// Whether `indices` are those of all elements, in order.
bool ArrayReplacer::isWholeRange(Value indices) const {
  DenseIntElementsAttr constant;
  if (!matchPattern(indices, m_Constant(&constant)) ||
      constant.getNumElements() != size)
    return false;
  return llvm::all_of(
      llvm::enumerate(constant.getValues<APInt>()),
      [](auto place) { return place.value() == place.index(); });
}

/// Whether `index` is that of an element, another one in each iteration of the
/// loop: the loop's counter, or one that an earlier loop has pushed on a stack.
/// If the loop's trip count is exact, its iterations access all elements.
bool ArrayReplacer::visitsEach(const CountedLoop &loop, Value index) const {
  if (loop.trips != size)
    return false;
  if (loop.placeOf(index))
    return true;
  auto pop = index.getDefiningOp<StackPopOp>();
  auto stack = pop ? pop.getHandle().getDefiningOp<StackOp>() : StackOp();
  std::optional<CountedStack> counted;
  if (stack)
    counted = CountedStack::of(stack);
  return counted && counted->reader.op == loop.op &&
         counted->writer.placeOf(counted->push.getValue());
}

/// Whether the op accesses each element once, or some elements once if it is in
/// a loop of fewer iterations.
bool ArrayReplacer::accessesEach(Operation *access) const {
  if (auto scatter = dyn_cast<TensorArrayScatterOp>(access))
    return access->getBlock() == block && isWholeRange(scatter.getIndices());
  if (auto gather = dyn_cast<TensorArrayGatherOp>(access))
    return access->getBlock() == block && isWholeRange(gather.getIndices());
  std::optional<CountedLoop> loop = countedLoopAround(access, block);
  Value index = isa<TensorArrayReadOp>(access)
                    ? cast<TensorArrayReadOp>(access).getIndex()
                    : cast<TensorArrayWriteOp>(access).getIndex();
  return loop && visitsEach(*loop, index);
}

bool ArrayReplacer::writesAll(Operation *write) const {
  std::optional<CountedLoop> loop = countedLoopAround(write, block);
  return !loop || loop->isExact;
}

/// Whether reads of elements that `write` does not write return zeros: their
/// shape must be known, as that which the array states, that of all elements,
/// one of which is written, or that of the element to which a gradient belongs.
bool ArrayReplacer::areOthersZero(Operation *write) {
  if (writesAll(write) ||
      (array.getHasShape() &&
       llvm::all_of(array.getElementShape(),
                    [](int64_t size) { return size >= 0; })))
    return true;
  if (array.getIdenticalElementShapes() &&
      !countedLoopAround(write, block)->mayBeEmpty)
    return true;
  return write != own.write && own.write && writesAll(own.write);
}

/// Whether the array takes elements of this type, which must be static.
bool ArrayReplacer::isElement(Type type) {
  auto tensor = dyn_cast_or_null<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      tensor.getElementType() != array.getElementType())
    return false;
  ArrayRef<int64_t> shape = array.getElementShape();
  return !array.getHasShape() ||
         (static_cast<int64_t>(shape.size()) == tensor.getRank() &&
          llvm::all_of(llvm::zip(shape, tensor.getShape()), [](auto dims) {
            auto [declared, actual] = dims;
            return declared < 0 || declared == actual;
          }));
}

/// Whether all elements that `write` writes suit the array.
bool ArrayReplacer::writesElements(Operation *write) {
  if (auto single = dyn_cast<TensorArrayWriteOp>(write))
    return isElement(single.getValue().getType());
  Type rows = cast<TensorArrayScatterOp>(write).getValue().getType();
  return isElement(getRowType(rows)) &&
         cast<RankedTensorType>(rows).getDimSize(0) == size;
}

bool ArrayReplacer::isReplaceable(const Accesses &accesses) {
  auto [write, read] = accesses;
  if (!write && !read)
    return true;
  if (!write || !read || !accessesEach(write) || !accessesEach(read) ||
      !writesElements(write) || !areOthersZero(write) ||
      getElementTypeOrSelf(read->getResult(0)) != array.getElementType())
    return false;
  Operation *first = block->findAncestorOpInBlock(*write),
            *second = block->findAncestorOpInBlock(*read);
  return first != second && first->isBeforeInBlock(second);
}

Value ArrayReplacer::scalar(int32_t value) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  return createConstant(builder, array.getLoc(),
                        DenseIntElementsAttr::get(type, value));
}

/// Replaces the op that writes the array. Returns the list of its elements.
Value ArrayReplacer::makeList(Operation *write) {
  MLIRContext *context = array.getContext();
  Location loc = write->getLoc();
  if (auto scatter = dyn_cast<TensorArrayScatterOp>(write)) {
    builder.setInsertionPoint(scatter);
    Value rows = scatter.getValue();
    Value list = TensorListFromTensorOp::create(
        builder, loc,
        TypeRange{getListType(context, getRowType(rows.getType()))},
        ValueRange{rows, scalar(-1)}, ArrayRef<NamedAttribute>());
    scatter.erase();
    return list;
  }
  auto single = cast<TensorArrayWriteOp>(write);
  auto loop = cast<WhileOp>(single->getParentOp());
  builder.setInsertionPoint(loop);
  ArrayRef<int64_t> dims =
      cast<RankedTensorType>(single.getValue().getType()).getShape();
  Value shape = createConstant(builder, loc, builder.getI64TensorAttr(dims));
  Value reserved = TensorListReserveOp::create(
      builder, loc, TypeRange{getListType(context, NoneType::get(context))},
      ValueRange{shape, scalar(static_cast<int32_t>(size))}, elements);
  Type type = getListType(context, single.getValue().getType());
  loop = appendLoopState(loop, reserved, type);
  Operation *end = loop.getBody().front().getTerminator();
  unsigned last = end->getNumOperands() - 1;
  builder.setInsertionPoint(single);
  Value set = TensorListSetItemOp::create(
      builder, loc, TypeRange{type},
      ValueRange{end->getOperand(last), single.getIndex(), single.getValue()},
      ArrayRef<NamedAttribute>());
  end->setOperand(last, set);
  single.erase();
  return loop->getResults().back();
}

/// Replaces the op that reads the array, by one that reads the list.
void ArrayReplacer::readList(Operation *read, Value list) {
  builder.setInsertionPoint(read);
  Location loc = read->getLoc();
  Type type = read->getResult(0).getType();
  Value value;
  if (auto single = dyn_cast<TensorArrayReadOp>(read))
    value = TensorListGetItemOp::create(
        builder, loc, TypeRange{type},
        ValueRange{list, single.getIndex(), scalar(-1)}, elements);
  else
    value = TensorListStackOp::create(
        builder, loc, TypeRange{type}, ValueRange{list, scalar(-1)},
        {elements, builder.getNamedAttr("num_elements",
                                        builder.getI64IntegerAttr(size))});
  read->getResult(0).replaceAllUsesWith(value);
  read->erase();
}

bool ArrayReplacer::run() {
  if (size < 1 || !findAccesses())
    return false;
  SmallVector<Accesses> arrays = {own};
  for (auto &[source, accesses] : gradients)
    arrays.push_back(accesses);
  if (!llvm::all_of(arrays,
                    [&](const Accesses &one) { return isReplaceable(one); }))
    return false;
  for (auto [write, read] : arrays)
    if (write)
      readList(read, makeList(write));
  for (TensorArrayGradOp gradient : gradientOps)
    gradient.erase();
  array.erase();
  return true;
}

namespace {
struct ReplaceArraysByLists
    : ::ingot::graph::impl::ReplaceArraysByListsPassBase<ReplaceArraysByLists> {
  void runOnOperation() override {
    SmallVector<TensorArrayOp> arrays;
    getOperation().walk([&](TensorArrayOp array) { arrays.push_back(array); });
    for (TensorArrayOp array : arrays) {
      LLVM_DEBUG(llvm::dbgs() << "array at " << array.getLoc() << '\n');
      numReplaced += ArrayReplacer(array).run();
    }
  }
};
} // namespace
