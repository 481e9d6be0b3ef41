//===- StackTensorLists.cpp - TensorLists of counted loops as tensors -----===//
// SPDX-License-Identifier: Apache-2.0
//
// Turns TensorLists of loops into tensors. In the typical case, a loop whose
// trip count is known, or bounded, at compile time pushes one element to a list
// in each iteration, and its gradient loop pops the elements in reverse order.
// Then the position of each element follows from the loop counter, so the list
// can become a tensor with one row per iteration, which kernels write and read
// in place. Values that exist before the loop, such as rows of its input, are
// not stored at all.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/Passes.h"
#include "compiler/Graph/PoppedValue.h"

#include "dialects/Ingot/IR/ListOps.h"
#include "dialects/Ingot/IR/MathOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/TensorOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/MathExtras.h"

namespace ingot::graph {
#define GEN_PASS_DEF_STACKTENSORLISTSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-stack-tensor-lists"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::CountedLoop;
using ::ingot::graph::ForwardOrReverseLoopIndex;
using ::ingot::graph::getRow;
using ::ingot::graph::poppedValue;
using ::ingot::graph::scalarConstant;

namespace {

/// Replaces loop-carried TensorLists of one loop by tensors.
class LoopTensorListReplacer {
public:
  LoopTensorListReplacer(CountedLoop loop, int64_t rowAlignment,
                         int64_t maxBytes)
      : loop(loop), rowAlignment(rowAlignment), maxBytes(maxBytes) {}

  bool convert();
  unsigned countConverted() const { return numConverted; }

private:
  bool isRow(Type type) const;
  bool canStack(Type row) const;
  Value rowsBefore(Value list, Type row) const;
  bool readElements();
  bool readElement(TensorListGetItemOp get);
  bool convertPushed(unsigned state);
  bool convertRead(unsigned state);
  bool convertLast(unsigned state, TensorListGetItemOp get, Value next);
  bool convertWritten(unsigned state);
  SmallVector<TensorListSetItemOp> writesOf(unsigned state) const;
  std::optional<ForwardOrReverseLoopIndex>
  placeOfAll(ArrayRef<TensorListSetItemOp> writes) const;
  bool keepLast(unsigned state, TensorListSetItemOp set);
  bool stacksAllRows(unsigned state, Type row) const;
  void makeRows(unsigned state, Value value, ForwardOrReverseLoopIndex place,
                Operation *at, bool areAllRead);
  void setType(unsigned state, Type type);
  void forget(unsigned state);

  CountedLoop loop;
  int64_t rowAlignment, maxBytes;
  unsigned numConverted = 0;
};

} // namespace

/// Returns the only user of a value; null if there are several or none.
static Operation *userOf(Value value) {
  return value.hasOneUse() ? *value.user_begin() : nullptr;
}

static int64_t bytesOf(RankedTensorType type) {
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

/// Whether tensors of this type can be rows of a stacked tensor: the type is
/// static, and its size keeps each row aligned as kernels expect.
bool LoopTensorListReplacer::isRow(Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getNumElements() == 0 ||
      !tensor.getElementType().isIntOrFloat() ||
      tensor.getElementTypeBitWidth() % 8 != 0)
    return false;
  return bytesOf(tensor) % rowAlignment == 0;
}

/// Whether values of type `row` can be rows of a tensor that the loop carries.
/// A tensor has a row for each iteration that a loop may have, and a program
/// may allow many more iterations than its loop has, so these tensors share a
/// budget.
bool LoopTensorListReplacer::canStack(Type row) const {
  if (!isRow(row) || loop.isExact)
    return isRow(row);
  int64_t left = maxBytes;
  for (Type type : loop.op->getResultTypes())
    if (auto carried = dyn_cast<RankedTensorType>(type);
        carried && carried.hasStaticShape() &&
        carried.getElementType().isIntOrFloat())
      left -= bytesOf(carried);
  return bytesOf(cast<RankedTensorType>(row)) <= left / loop.trips;
}

/// If `list` was made before the loop from the rows of a tensor, and each row
/// has the type `row`, returns this tensor; null otherwise.
Value LoopTensorListReplacer::rowsBefore(Value list, Type row) const {
  auto made = list.getDefiningOp<TensorListFromTensorOp>();
  if (!made || !loop.isOutside(list) || !isRow(row))
    return nullptr;
  auto rows = dyn_cast<RankedTensorType>(made.getTensor().getType());
  return rows && rows.hasStaticShape() && getRowType(rows) == row
             ? made.getTensor()
             : Value();
}

/// Returns the type of a tensor with `count` rows of type `row`.
static RankedTensorType rowsOf(RankedTensorType row, int64_t count) {
  Shape shape(llvm::to_vector(row.getShape()));
  return RankedTensorType::get(*withRows(shape, count), row.getElementType());
}

static int64_t countRows(Value rows) {
  return cast<RankedTensorType>(rows.getType()).getDimSize(0);
}

/// Returns `place`, an index that depends on the loop counter, if it is the
/// index of a row of `rows` in each of the loop's iterations, of which there
/// are at most `trips`; otherwise returns std::nullopt. If the index counts
/// from the loop's end, `rows` must have exactly `trips` rows, because the
/// index then also counts from the end of `rows`.
static std::optional<ForwardOrReverseLoopIndex>
placeIn(Value rows, std::optional<ForwardOrReverseLoopIndex> place,
        int64_t trips) {
  if (!place || countRows(rows) < trips ||
      (place->fromEnd && countRows(rows) != trips))
    return std::nullopt;
  return place;
}

/// Replaces reads of elements of loop-invariant lists by reads of rows of the
/// tensors from which the lists were made.
bool LoopTensorListReplacer::readElements() {
  bool changes = false;
  for (auto get :
       llvm::make_early_inc_range(loop.body().getOps<TensorListGetItemOp>())) {
    Type type = get.getItem().getType();
    Value rows = rowsBefore(get.getInput(), type);
    std::optional<ForwardOrReverseLoopIndex> place =
        rows ? placeIn(rows, loop.placeOf(get.getIndex()), loop.trips)
             : std::nullopt;
    if (!place)
      continue;
    OpBuilder builder(get);
    get.getItem().replaceAllUsesWith(
        getRow(builder, get.getLoc(), rows, *place, type));
    get.erase();
    changes = true;
  }
  return changes;
}

/// Makes loop-carried list `state` dead: lets the body yield the list
/// unchanged. ingot-drop-dead-loop-state later removes it.
void LoopTensorListReplacer::forget(unsigned state) {
  loop.next(state).set(loop.argument(state));
}

void LoopTensorListReplacer::setType(unsigned state, Type type) {
  loop.op->getResult(state).setType(type);
  for (Region *region : {&loop.op.getTest(), &loop.op.getBody()})
    region->front().getArgument(state).setType(type);
}

/// Replaces loop-carried list `state` by a tensor with one row per iteration:
/// each iteration writes `value` to the row with index `place`, at the op `at`.
/// If the loop may have fewer iterations than rows and ops `areAllRead`, rows
/// that no iteration writes are zeros, as are elements of a list.
void LoopTensorListReplacer::makeRows(unsigned state, Value value,
                                      ForwardOrReverseLoopIndex place,
                                      Operation *at, bool areAllRead) {
  auto row = cast<RankedTensorType>(value.getType());
  RankedTensorType type = rowsOf(row, loop.trips);
  OpBuilder before(loop.op), builder(at);
  Value init;
  if (areAllRead && !loop.isExact)
    init = createConstant(before, at->getLoc(),
                          cast<ElementsAttr>(before.getZeroAttr(type)));
  else
    init = RowsEmptyOp::create(before, at->getLoc(), type);
  loop.op->setOperand(state, init);
  setType(state, type);
  loop.next(state).set(RowsSetOp::create(builder, at->getLoc(), type,
                                         loop.argument(state), place.counter,
                                         value, place.fromEnd));
}

/// `use` is the operand by which the loop `reader` gets a list as the initial
/// value of a loop-carried value. If each iteration just pops one element of
/// this list, returns the pop op; otherwise null.
static TensorListPopBackOp popOf(OpOperand &use, const CountedLoop &reader) {
  unsigned state = use.getOperandNumber();
  auto pop =
      dyn_cast_or_null<TensorListPopBackOp>(userOf(reader.argument(state)));
  return pop && reader.isUsedInBodyOnly(state) &&
                 reader.op->getResult(state).use_empty() &&
                 reader.next(state).get() == pop.getList() &&
                 pop.getList().hasOneUse()
             ? pop
             : TensorListPopBackOp();
}

/// Converts loop-carried list `state` to a stacked tensor if it starts empty,
/// each iteration pushes one element, and only other loops pop the elements.
/// Returns whether the list was converted.
bool LoopTensorListReplacer::convertPushed(unsigned state) {
  auto push =
      dyn_cast_or_null<TensorListPushBackOp>(userOf(loop.argument(state)));
  auto empty = loop.op.getInits()[state].getDefiningOp<TensorListEmptyOp>();
  if (!push || !empty || !loop.isUsedInBodyOnly(state) ||
      loop.next(state).get() != push.getList() || !push.getList().hasOneUse())
    return false;
  // If the maximum number of elements of the list is below the trip count, a
  // push must fail at run time, as in TensorFlow. So keep the list.
  std::optional<int64_t> most = scalarConstant(empty.getMaxNumElements());
  if (!most || (*most >= 0 && *most < loop.trips))
    return false;
  Value pushed = push.getTensor();
  SmallVector<std::pair<CountedLoop, TensorListPopBackOp>> readers;
  OpResult list = loop.op->getResult(state);
  for (OpOperand &use : list.getUses()) {
    auto other = dyn_cast<WhileOp>(use.getOwner());
    std::optional<CountedLoop> reader;
    if (other && other->getBlock() == loop.op->getBlock())
      reader = CountedLoop::of(other);
    TensorListPopBackOp pop =
        reader && reader->hasTripsOf(loop) && reader->index(/*isReverse=*/true)
            ? popOf(use, *reader)
            : nullptr;
    if (!pop || pop.getTensor().getType() != pushed.getType())
      return false;
    readers.push_back({*reader, pop});
  }
  if (readers.empty())
    return false;
  bool isKept = false;
  for (auto &[reader, pop] : readers) {
    auto builder = OpBuilder::atBlockBegin(&reader.body());
    Value value = poppedValue(pushed, loop, reader, builder);
    if (!value && !canStack(pushed.getType()))
      return false;
    isKept |= !value;
    if (value)
      pop.getTensor().replaceAllUsesWith(value);
  }
  // The loops that popped elements no longer need the list. Make them carry the
  // empty list unchanged, as dead state.
  for (auto &[reader, pop] : readers) {
    unsigned read = cast<BlockArgument>(pop.getInput()).getArgNumber();
    auto builder = OpBuilder::atBlockBegin(&reader.body());
    if (isKept)
      pop.getTensor().replaceAllUsesWith(
          getRow(builder, pop.getLoc(), list, *reader.index(/*isReverse=*/true),
                 pushed.getType()));
    reader.next(read).set(reader.argument(read));
    reader.op->setOperand(read, empty.getList());
    pop.erase();
  }
  if (isKept)
    makeRows(state, pushed, *loop.index(/*isReverse=*/false), push,
             /*areAllRead=*/false);
  else
    forget(state);
  push.erase();
  return true;
}

/// Converts loop-carried list `state` to a stacked tensor if each iteration
/// reads one element and then at most overwrites this element. Returns whether
/// the list was converted.
bool LoopTensorListReplacer::convertRead(unsigned state) {
  TensorListGetItemOp get;
  TensorListSetItemOp set;
  BlockArgument list = loop.argument(state);
  Value next = loop.next(state).get();
  for (Operation *user : list.getUsers()) {
    if (user == loop.body().getTerminator() && next == list)
      continue;
    if (auto found = dyn_cast<TensorListGetItemOp>(user); found && !get)
      get = found;
    else if (auto found = dyn_cast<TensorListSetItemOp>(user); found && !set)
      set = found;
    else
      return false;
  }
  if (!get || !loop.isUsedInBodyOnly(state) ||
      !loop.op->getResult(state).use_empty() ||
      (set ? next != set.getList() || !set.getList().hasOneUse() ||
                 set.getIndex() != get.getIndex()
           : next != list))
    return false;
  std::optional<ForwardOrReverseLoopIndex> place = loop.placeOf(get.getIndex());
  Type type = get.getItem().getType();
  Value init = loop.op.getInits()[state];
  OpBuilder builder(get);
  Value item;
  // The list is a gradient that starts as zeros. Each element is read before it
  // is first written, so each read returns zero.
  if (auto zeros = init.getDefiningOp<VariantZerosOp>(); place && zeros) {
    if (!isRow(type))
      return false;
    item = createConstant(
        builder, get.getLoc(),
        cast<ElementsAttr>(builder.getZeroAttr(cast<ShapedType>(type))));
  } else if (Value rows = rowsBefore(init, type)) {
    if (scalarConstant(get.getIndex()) == 0 && countRows(rows) == 1 && set &&
        set.getItem().getType() == type) {
      // If all iterations read and write the only element of the list, the loop
      // carries this element instead of the list.
      OpBuilder before(loop.op);
      auto shape = cast<RankedTensorType>(type).getShape();
      loop.op->setOperand(
          state,
          ReshapeOp::create(before, get.getLoc(), type, rows,
                            createConstant(before, get.getLoc(),
                                           before.getI64TensorAttr(shape))));
      setType(state, type);
      loop.next(state).set(set.getItem());
      item = list;
    } else if (std::optional<ForwardOrReverseLoopIndex> there =
                   placeIn(rows, place, loop.trips)) {
      item = getRow(builder, get.getLoc(), rows, *there, type);
    }
  }
  if (!item)
    return false;
  get.getItem().replaceAllUsesWith(item);
  get.erase();
  if (set) {
    if (item != list)
      forget(state);
    set.erase();
  }
  return true;
}

/// Returns the ops by which each iteration writes elements of loop-carried list
/// `state`. Either an iteration writes one element of this list directly, or it
/// adds other lists to it, in each of which a single element was written.
/// Returns an empty vector if an iteration uses the list in any other way.
SmallVector<TensorListSetItemOp>
LoopTensorListReplacer::writesOf(unsigned state) const {
  BlockArgument list = loop.argument(state);
  Operation *user = userOf(list);
  Value next = loop.next(state).get();
  if (!user || !loop.isUsedInBodyOnly(state) || next.getDefiningOp() != user ||
      !next.hasOneUse())
    return {};
  Operation *init = loop.op.getInits()[state].getDefiningOp();
  if (auto set = dyn_cast<TensorListSetItemOp>(user)) {
    if (set.getInput() == list && isa_and_present<TensorListReserveOp>(init))
      return {set};
    return {};
  }
  if (!isa<VariantAddOp>(user) || !isa_and_present<VariantZerosOp>(init))
    return {};
  SmallVector<TensorListSetItemOp> writes;
  for (Value part : user->getOperands()) {
    if (part == list)
      continue;
    auto set = part.getDefiningOp<TensorListSetItemOp>();
    if (!set || !set.getList().hasOneUse() ||
        !set.getInput().getDefiningOp<TensorListReserveOp>())
      return {};
    writes.push_back(set);
  }
  return writes;
}

/// Returns the index of the list element that all of `writes` write in each
/// iteration. Returns std::nullopt if `writes` is empty, or if their indices or
/// element types may differ.
std::optional<ForwardOrReverseLoopIndex>
LoopTensorListReplacer::placeOfAll(ArrayRef<TensorListSetItemOp> writes) const {
  std::optional<ForwardOrReverseLoopIndex> first;
  Type type;
  for (TensorListSetItemOp set : writes) {
    std::optional<ForwardOrReverseLoopIndex> place =
        loop.placeOf(set.getIndex());
    if (!place)
      return std::nullopt;
    if (!first) {
      first = place;
      type = set.getItem().getType();
    }
    // All counters of a loop have the same value. So two indices are equal if
    // both count from the start, if both count from the end, or if the loop has
    // only one iteration.
    if ((loop.isReverse(*place) != loop.isReverse(*first) && loop.trips != 1) ||
        set.getItem().getType() != type)
      return std::nullopt;
  }
  return first;
}

/// Handles list `state` if it has only one element, which every iteration
/// overwrites with the next value of another loop-carried value. After the
/// loop, this element equals the final value of the other loop-carried value,
/// so the latter replaces the results of the ops that stack the list. Returns
/// whether the list was replaced.
bool LoopTensorListReplacer::keepLast(unsigned state, TensorListSetItemOp set) {
  auto reserve = loop.op.getInits()[state].getDefiningOp<TensorListReserveOp>();
  auto stacksOne = [](Operation *user) {
    int64_t count = cast<TensorListStackOp>(user).getNumElements();
    return count < 0 || count == 1;
  };
  // Without an iteration the list has no element yet.
  if (!loop.isExact || !reserve || scalarConstant(set.getIndex()) != 0 ||
      scalarConstant(reserve.getNumElements()) != 1 ||
      !llvm::all_of(loop.op->getResult(state).getUsers(), stacksOne))
    return false;
  for (BlockArgument other : loop.body().getArguments()) {
    Value last = loop.op->getResult(other.getArgNumber());
    if (other.getArgNumber() == state ||
        loop.next(other.getArgNumber()).get() != set.getItem() ||
        !isRow(last.getType()))
      continue;
    RankedTensorType type = rowsOf(cast<RankedTensorType>(last.getType()), 1);
    for (Operation *user :
         llvm::make_early_inc_range(loop.op->getResult(state).getUsers())) {
      OpBuilder builder(user);
      auto stack = cast<TensorListStackOp>(user);
      stack.getTensor().replaceAllUsesWith(ReshapeOp::create(
          builder, stack.getLoc(), type, last,
          createConstant(builder, stack.getLoc(),
                         builder.getI64TensorAttr(type.getShape()))));
      stack.erase();
    }
    forget(state);
    return true;
  }
  return false;
}

/// Whether `shape`, by which a list op states the shape of elements, is the
/// whole shape of `type`.
static bool isShapeOf(Value shape, Type type) {
  DenseIntElementsAttr stated;
  return matchPattern(shape, m_Constant(&stated)) &&
         stated.getType().getRank() == 1 &&
         llvm::equal(llvm::map_range(
                         stated.getValues<APInt>(),
                         [](const APInt &dim) { return dim.getSExtValue(); }),
                     cast<RankedTensorType>(type).getShape());
}

/// Whether ops that use list `state` after the loop stack as many elements of
/// type `row` as the loop has iterations, or at most has.
bool LoopTensorListReplacer::stacksAllRows(unsigned state, Type row) const {
  auto reserve = loop.op.getInits()[state].getDefiningOp<TensorListReserveOp>();
  auto count = reserve ? scalarConstant(reserve.getNumElements())
                       : std::optional<int64_t>();
  return llvm::all_of(
      loop.op->getResult(state).getUsers(), [&](Operation *user) {
        auto stack = cast<TensorListStackOp>(user);
        int64_t known = stack.getNumElements();
        bool hasRows =
            known == loop.trips || (known < 0 && count == loop.trips);
        if (loop.isExact)
          return hasRows;
        // Elements that no iteration has written are zeros if their shape is
        // known: as that of others or, if there may be none, as it is stated.
        return hasRows && (!reserve || count == loop.trips) &&
               (!loop.mayBeEmpty || isShapeOf(stack.getElementShape(), row) ||
                (reserve && isShapeOf(reserve.getElementShape(), row)));
      });
}

/// Converts loop-carried list `state` to a stacked tensor if no two iterations
/// write the same element, and all ops that use the list after the loop stack
/// it. Returns whether the list was converted.
bool LoopTensorListReplacer::convertWritten(unsigned state) {
  SmallVector<TensorListSetItemOp> writes = writesOf(state);
  OpResult list = loop.op->getResult(state);
  if (writes.empty() || list.use_empty() ||
      !llvm::all_of(list.getUsers(), [](Operation *user) {
        return isa<TensorListStackOp>(user);
      }))
    return false;
  if (keepLast(state, writes.front()))
    return true;
  std::optional<ForwardOrReverseLoopIndex> place = placeOfAll(writes);
  if (!place || !canStack(writes.front().getItem().getType()) ||
      !stacksAllRows(state, writes.front().getItem().getType()))
    return false;
  Operation *last = loop.next(state).get().getDefiningOp();
  OpBuilder builder(last);
  Value row;
  for (TensorListSetItemOp set : writes)
    row = row ? AddOp::create(builder, last->getLoc(), row.getType(), row,
                              set.getItem())
              : Value(set.getItem());
  makeRows(state, row, *place, last, /*areAllRead=*/true);
  for (Operation *user : llvm::make_early_inc_range(list.getUsers()))
    if (auto stack = dyn_cast<TensorListStackOp>(user)) {
      stack.getTensor().replaceAllUsesWith(list);
      stack.erase();
    }
  last->erase();
  for (TensorListSetItemOp set : writes)
    if (set != last)
      set.erase();
  return true;
}

bool LoopTensorListReplacer::convert() {
  bool changes = readElements();
  for (unsigned state = 0; state < loop.op->getNumResults(); ++state)
    if (isList(loop.op->getResult(state)) &&
        (convertPushed(state) || convertRead(state) || convertWritten(state))) {
      changes = true;
      ++numConverted;
    }
  return changes;
}

namespace {

struct StackTensorLists
    : ::ingot::graph::impl::StackTensorListsPassBase<StackTensorLists> {
  using StackTensorListsPassBase::StackTensorListsPassBase;

  void runOnOperation() override {
    if (policy.bytesOfListRows == 0)
      return;
    // Once the lists of one loop have become tensors, the element sizes of
    // lists in other loops may become static. So repeat until nothing changes.
    while (convertAll())
      if (failed(simplify()))
        return signalPassFailure();
  }

private:
  bool convertAll() {
    SmallVector<WhileOp> loops;
    for (auto entry : getOperation().getOps<EntryOp>())
      entry.walk([&](WhileOp loop) { loops.push_back(loop); });
    bool changes = false;
    for (WhileOp loop : loops)
      if (std::optional<CountedLoop> counted = CountedLoop::of(loop)) {
        LoopTensorListReplacer lists(*counted, policy.bytesOfListRows,
                                     maxBytes);
        changes |= lists.convert();
        numLists += lists.countConverted();
        LLVM_DEBUG(if (lists.countConverted() != 0) llvm::dbgs()
                   << "loop at " << loop.getLoc() << ": "
                   << lists.countConverted() << " lists\n");
      }
    return changes;
  }

  LogicalResult simplify() {
    OpPassManager manager(ModuleOp::getOperationName());
    manager.addPass(::ingot::graph::createInferShapesPass());
    manager.addPass(::ingot::graph::createDropDeadLoopStatePass());
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    return runPipeline(manager, getOperation());
  }
};

} // namespace
