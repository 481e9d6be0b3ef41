//===- ListsToRows.cpp - Lists of counted loops become tensors ------------===//
//
// A loop that runs a known number of times puts one element into a list in each
// iteration; its gradient takes them out again, the last one first. Where an
// element lies is then known: it is a row of a tensor, which the kernels write
// and read in place. What was in memory before the loop, such as the rows of
// its input, need not be kept at all.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/CountedLoops.h"
#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/ListOps.h"
#include "dialects/Ingot/MathOps.h"
#include "dialects/Ingot/ProgramOps.h"
#include "dialects/Ingot/TensorOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace ingot::graph {
#define GEN_PASS_DEF_LISTSTOROWSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::CountedLoop;
using ::ingot::graph::Place;
using ::ingot::graph::scalarConstant;

namespace {

/// The states of one loop that are lists.
class LoopLists {
public:
  LoopLists(CountedLoop loop, int64_t bytesOfRow)
      : loop(loop), bytesOfRow(bytesOfRow) {}

  bool convert();

private:
  bool isRow(Type type) const;
  Value rowsBefore(Value list, Type row) const;
  bool readElements();
  bool readElement(TensorListGetItemOp get);
  bool convertPushed(unsigned state);
  bool convertRead(unsigned state);
  bool convertLast(unsigned state, TensorListGetItemOp get, Value next);
  bool convertWritten(unsigned state);
  TensorListSetItemOp writeOf(unsigned state) const;
  bool keepLast(unsigned state, TensorListSetItemOp set);
  Value poppedValue(Value pushed, const CountedLoop &reader,
                    OpBuilder &builder) const;
  void makeRows(unsigned state, Value value, Place place, Operation *at);
  void setType(unsigned state, Type type);
  void forget(unsigned state);

  CountedLoop loop;
  int64_t bytesOfRow;
};

} // namespace

/// The only user of a value; null where there are several.
static Operation *userOf(Value value) {
  return value.hasOneUse() ? *value.user_begin() : nullptr;
}

/// Whether tensors of this type may be rows: kernels find them where they
/// expect the beginning of a tensor.
bool LoopLists::isRow(Type type) const {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getNumElements() == 0 ||
      !tensor.getElementType().isIntOrFloat() ||
      tensor.getElementTypeBitWidth() % 8 != 0)
    return false;
  return tensor.getNumElements() * tensor.getElementTypeBitWidth() / 8 %
             bytesOfRow ==
         0;
}

/// The tensor whose rows a list has that is there before the loop: as many as
/// there are iterations, each of type `row`.
Value LoopLists::rowsBefore(Value list, Type row) const {
  auto made = list.getDefiningOp<TensorListFromTensorOp>();
  if (!made || !loop.isOutside(list) || !isRow(row))
    return nullptr;
  auto rows = dyn_cast<RankedTensorType>(made.getTensor().getType());
  return rows && rows.hasStaticShape() && getRowType(rows) == row
             ? made.getTensor()
             : Value();
}

/// A tensor of so many rows.
static RankedTensorType rowsOf(RankedTensorType row, int64_t count) {
  Shape shape(llvm::to_vector(row.getShape()));
  return RankedTensorType::get(*withRows(shape, count), row.getElementType());
}

static int64_t countRows(Value rows) {
  return cast<RankedTensorType>(rows.getType()).getDimSize(0);
}

/// Row `place` of tensors that have as many rows as the loop has iterations,
/// or more: from the end counts from the last iteration's.
static std::optional<Place> placeIn(Value rows, std::optional<Place> place,
                                    int64_t trips) {
  if (!place || countRows(rows) < trips ||
      (place->fromEnd && countRows(rows) != trips))
    return std::nullopt;
  return place;
}

static Value getRow(OpBuilder &builder, Location loc, Value rows, Place place,
                    Type type) {
  return RowsGetOp::create(builder, loc, type, rows, place.counter,
                           place.fromEnd);
}

/// Elements of lists that the loop does not change.
bool LoopLists::readElements() {
  bool changes = false;
  for (auto get :
       llvm::make_early_inc_range(loop.body().getOps<TensorListGetItemOp>())) {
    Type type = get.getItem().getType();
    Value rows = rowsBefore(get.getInput(), type);
    std::optional<Place> place =
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

/// The list is nobody's any more: its state stays what it was, until
/// ingot-drop-unused-state takes it out of the loop.
void LoopLists::forget(unsigned state) {
  loop.next(state).set(loop.argument(state));
}

void LoopLists::setType(unsigned state, Type type) {
  loop.op->getResult(state).setType(type);
  for (Region *region : {&loop.op.getTest(), &loop.op.getBody()})
    region->front().getArgument(state).setType(type);
}

/// Has the state be a tensor of which each iteration writes the row at `place`.
void LoopLists::makeRows(unsigned state, Value value, Place place,
                         Operation *at) {
  auto row = cast<RankedTensorType>(value.getType());
  RankedTensorType type = rowsOf(row, loop.trips);
  OpBuilder before(loop.op), builder(at);
  loop.op->setOperand(state, RowsEmptyOp::create(before, at->getLoc(), type));
  setType(state, type);
  loop.next(state).set(RowsSetOp::create(builder, at->getLoc(), type,
                                         loop.argument(state), place.counter,
                                         value, place.fromEnd));
}

/// What the loop `reader` takes out of a list, in an iteration that counts as
/// many from its end as the one from the start that has put `pushed` there;
/// null where that is a row of the list's own.
Value LoopLists::poppedValue(Value pushed, const CountedLoop &reader,
                             OpBuilder &builder) const {
  Location loc = pushed.getLoc();
  if (loop.isOutside(pushed))
    return reader.isOutside(pushed) ? pushed : Value();
  auto flipped = [&](const Place &place) {
    return Place{reader.counter(), !place.fromEnd};
  };
  if (std::optional<Place> place = loop.placeOf(pushed)) {
    if (place->fromEnd)
      return reader.counter();
    auto last = createConstant(
        builder, loc,
        DenseIntElementsAttr::get(cast<ShapedType>(pushed.getType()),
                                  static_cast<int32_t>(loop.trips - 1)));
    return SubOp::create(builder, loc, pushed.getType(), last,
                         reader.counter());
  }
  auto get = pushed.getDefiningOp<RowsGetOp>();
  std::optional<Place> place;
  if (get && loop.isOutside(get.getRows()) && reader.isOutside(get.getRows()) &&
      countRows(get.getRows()) == loop.trips)
    place = loop.placeOf(get.getIndex());
  if (!place)
    return nullptr;
  place->fromEnd ^= get.getFromEnd();
  return getRow(builder, loc, get.getRows(), flipped(*place), pushed.getType());
}

/// A loop that takes an element out of the list in each iteration, and nothing
/// else; null where the use is something else.
static TensorListPopBackOp popOf(OpOperand &use, const CountedLoop &reader) {
  unsigned state = use.getOperandNumber();
  auto pop =
      dyn_cast_or_null<TensorListPopBackOp>(userOf(reader.argument(state)));
  return pop && reader.isOnlyInBody(state) &&
                 reader.op->getResult(state).use_empty() &&
                 reader.next(state).get() == pop.getList() &&
                 pop.getList().hasOneUse()
             ? pop
             : TensorListPopBackOp();
}

/// A list that starts empty, gets an element in each iteration, and is taken
/// apart by other loops.
bool LoopLists::convertPushed(unsigned state) {
  auto push =
      dyn_cast_or_null<TensorListPushBackOp>(userOf(loop.argument(state)));
  auto empty = loop.op.getInits()[state].getDefiningOp<TensorListEmptyOp>();
  if (!push || !empty || !loop.isOnlyInBody(state) ||
      loop.next(state).get() != push.getList() || !push.getList().hasOneUse())
    return false;
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
        reader && reader->trips == loop.trips ? popOf(use, *reader) : nullptr;
    if (!pop || pop.getTensor().getType() != pushed.getType())
      return false;
    readers.push_back({*reader, pop});
  }
  if (readers.empty())
    return false;
  bool isKept = false;
  for (auto &[reader, pop] : readers) {
    auto builder = OpBuilder::atBlockBegin(&reader.body());
    Value value = poppedValue(pushed, reader, builder);
    if (!value && !isRow(pushed.getType()))
      return false;
    isKept |= !value;
    if (value)
      pop.getTensor().replaceAllUsesWith(value);
  }
  // The readers' own states go where the list is nobody's any more.
  for (auto &[reader, pop] : readers) {
    unsigned read = cast<BlockArgument>(pop.getInput()).getArgNumber();
    auto builder = OpBuilder::atBlockBegin(&reader.body());
    if (isKept)
      pop.getTensor().replaceAllUsesWith(getRow(builder, pop.getLoc(), list,
                                                Place{reader.counter(), true},
                                                pushed.getType()));
    reader.next(read).set(reader.argument(read));
    reader.op->setOperand(read, empty.getList());
    pop.erase();
  }
  if (isKept)
    makeRows(state, pushed, Place{loop.counter()}, push);
  else
    forget(state);
  push.erase();
  return true;
}

/// A list of which each iteration reads one element, which is written, if at
/// all, when it has been read.
bool LoopLists::convertRead(unsigned state) {
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
  if (!get || !loop.isOnlyInBody(state) ||
      !loop.op->getResult(state).use_empty() ||
      (set ? next != set.getList() || !set.getList().hasOneUse() ||
                 set.getIndex() != get.getIndex()
           : next != list))
    return false;
  std::optional<Place> place = loop.placeOf(get.getIndex());
  Type type = get.getItem().getType();
  Value init = loop.op.getInits()[state];
  OpBuilder builder(get);
  Value item;
  if (auto zeros = init.getDefiningOp<VariantZerosOp>(); place && zeros) {
    if (!isRow(type))
      return false;
    item = createConstant(
        builder, get.getLoc(),
        cast<ElementsAttr>(builder.getZeroAttr(cast<ShapedType>(type))));
  } else if (Value rows = rowsBefore(init, type)) {
    if (scalarConstant(get.getIndex()) == 0 && countRows(rows) == 1 && set &&
        set.getItem().getType() == type) {
      // The first iteration's alone.
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
    } else if (std::optional<Place> there = placeIn(rows, place, loop.trips)) {
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

/// The op that writes an element in each iteration: of the list that is the
/// state, or of a list that is added to it.
TensorListSetItemOp LoopLists::writeOf(unsigned state) const {
  Operation *user = userOf(loop.argument(state));
  Value next = loop.next(state).get();
  if (!user || !loop.isOnlyInBody(state) || next.getDefiningOp() != user ||
      !next.hasOneUse())
    return nullptr;
  if (auto set = dyn_cast<TensorListSetItemOp>(user))
    return set.getInput() == loop.argument(state) &&
                   loop.op.getInits()[state]
                       .getDefiningOp<TensorListReserveOp>()
               ? set
               : TensorListSetItemOp();
  auto sum = dyn_cast<VariantAddOp>(user);
  if (!sum || !loop.op.getInits()[state].getDefiningOp<VariantZerosOp>())
    return nullptr;
  for (Value part : sum->getOperands())
    if (auto set = part.getDefiningOp<TensorListSetItemOp>();
        set && set.getList().hasOneUse() &&
        set.getInput().getDefiningOp<TensorListReserveOp>())
      return set;
  return nullptr;
}

/// A list of one element, which each iteration replaces: what is stacked is
/// the last one, which another state is as well.
bool LoopLists::keepLast(unsigned state, TensorListSetItemOp set) {
  auto reserve = loop.op.getInits()[state].getDefiningOp<TensorListReserveOp>();
  if (!reserve || scalarConstant(set.getIndex()) != 0 ||
      scalarConstant(reserve.getNumElements()) != 1)
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

/// A list of which each iteration writes an element of its own, and that is
/// then stacked.
bool LoopLists::convertWritten(unsigned state) {
  TensorListSetItemOp set = writeOf(state);
  OpResult list = loop.op->getResult(state);
  if (!set || list.use_empty() ||
      !llvm::all_of(list.getUsers(), [](Operation *user) {
        return isa<TensorListStackOp>(user);
      }))
    return false;
  if (keepLast(state, set))
    return true;
  Value item = set.getItem();
  std::optional<Place> place = loop.placeOf(set.getIndex());
  auto reserve = loop.op.getInits()[state].getDefiningOp<TensorListReserveOp>();
  auto count = reserve ? scalarConstant(reserve.getNumElements())
                       : std::optional<int64_t>();
  bool hasRows = llvm::all_of(list.getUsers(), [&](Operation *user) {
    int64_t known = cast<TensorListStackOp>(user).getNumElements();
    return known == loop.trips || (known < 0 && count == loop.trips);
  });
  if (!place || !hasRows || !isRow(item.getType()))
    return false;
  Operation *last = loop.next(state).get().getDefiningOp();
  makeRows(state, item, *place, last);
  for (Operation *user : llvm::make_early_inc_range(list.getUsers()))
    if (auto stack = dyn_cast<TensorListStackOp>(user)) {
      stack.getTensor().replaceAllUsesWith(list);
      stack.erase();
    }
  last->erase();
  if (last != set)
    set.erase();
  return true;
}

bool LoopLists::convert() {
  bool changes = readElements();
  for (unsigned state = 0; state < loop.op->getNumResults(); ++state)
    if (isList(loop.op->getResult(state)))
      changes |=
          convertPushed(state) || convertRead(state) || convertWritten(state);
  return changes;
}

namespace {

struct ListsToRows : ::ingot::graph::impl::ListsToRowsPassBase<ListsToRows> {
  using ListsToRowsPassBase::ListsToRowsPassBase;

  void runOnOperation() override {
    // What one loop's lists have become says how large another one's are.
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
      if (std::optional<CountedLoop> counted = CountedLoop::of(loop))
        changes |= LoopLists(*counted, bytesOfRow).convert();
    return changes;
  }

  LogicalResult simplify() {
    OpPassManager manager(ModuleOp::getOperationName());
    manager.addPass(::ingot::graph::createInferShapesPass());
    manager.addPass(::ingot::graph::createDropUnusedStatePass());
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    return runPipeline(manager, getOperation());
  }
};

} // namespace
