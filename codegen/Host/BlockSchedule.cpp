//===- BlockSchedule.cpp - A block's ops as a schedule --------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/BlockSchedule.h"

#include "codegen/Host/LaunchSequences.h"

#include "mlir/Dialect/Bufferization/Transforms/BufferViewFlowAnalysis.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <limits>

using namespace mlir;

namespace ingot::hostgen {

/// Whether the op may write the buffer that is its operand. Assumes so of ops
/// that are not known here.
static bool mayWrite(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (isa<ViewLikeOpInterface, memref::LoadOp, memref::DimOp>(op))
    return false;
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return operand.get() == copy.getTarget();
  if (auto call = dyn_cast<host::CallOp>(op))
    return llvm::is_contained(call.getOutputs(), operand.get());
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return destination.isDpsInit(&operand);
  return true;
}

/// Whether `value` is a buffer or a view of one, whose memory is known.
static bool isView(Value value) {
  return value.getDefiningOp<memref::AllocOp>() ||
         value.getDefiningOp<ViewLikeOpInterface>();
}

BlockSchedule::BlockSchedule(Block &block, const SymbolTable &symbols)
    : block(block) {
  for (Operation &op : block) {
    if (isa<memref::AllocOp, ViewLikeOpInterface>(op))
      continue;
    indices[&op] = static_cast<unsigned>(ops.size());
    schedule.ops.push_back({});
    schedule.ops.back().origin = static_cast<unsigned>(ops.size());
    ops.push_back(&op);
  }
  auto function = block.getParentOp()->getParentOfType<func::FuncOp>();
  if (!function)
    function = cast<func::FuncOp>(block.getParentOp());
  addBuffers(function);
  addTemporaries(function);
  addWrites();
  addCosts(symbols);
}

void BlockSchedule::addBuffers(func::FuncOp function) {
  BufferViewFlowAnalysis views(function);
  for (const ArenaBuffer &buffer : arenaBuffersOf(function)) {
    memref::AllocOp allocation = buffer.allocation;
    if (allocation->getBlock() != &block)
      continue;
    allocations.push_back(allocation);
    schedule.buffers.push_back({buffer.size});
    auto aliases = views.resolve(allocation);
    addUses(static_cast<unsigned>(allocations.size() - 1),
            SmallVector<Value>(aliases.begin(), aliases.end()));
  }
}

/// Adds the uses of a buffer to the ops of the schedule. `aliases` are the
/// values that may be the buffer, or views of it.
void BlockSchedule::addUses(unsigned buffer, ValueRange aliases) {
  bool isOnlyViewed = llvm::all_of(aliases, isView);
  for (Value alias : aliases)
    for (OpOperand &use : alias.getUses()) {
      Operation *at = block.findAncestorOpInBlock(*use.getOwner());
      if (!at)
        schedule.buffers[buffer].isLiveThroughout = true;
      if (!at || isa<ViewLikeOpInterface>(at))
        continue;
      ScheduledOp &op = schedule.ops[indices.at(at)];
      // An op that may change which value is the buffer counts as a writer.
      bool writes = mayWrite(use) || !isOnlyViewed;
      auto &list = writes ? op.writes : op.reads;
      if (!llvm::is_contained(list, buffer))
        list.push_back(buffer);
    }
}

/// Adds the bytes of buffers that are allocated in the regions of ops.
void BlockSchedule::addTemporaries(func::FuncOp function) {
  llvm::DenseMap<Operation *, std::vector<ArenaBuffer>> inner;
  for (const ArenaBuffer &buffer : arenaBuffersOf(function)) {
    memref::AllocOp allocation = buffer.allocation;
    Operation *at = block.findAncestorOpInBlock(*allocation);
    if (at && at != allocation)
      inner[at].push_back(buffer);
  }
  for (auto &[op, buffers] : inner)
    schedule.ops[indices.at(op)].temporaryBytes = liveBytesOf(buffers);
}

void BlockSchedule::addWrites() {
  for (auto [index, op] : llvm::enumerate(ops))
    op->walk([&, index = index](Operation *inner) {
      if (isa<host::IteratorNextOp, host::IteratorMakeOp>(inner))
        requests.push_back(static_cast<unsigned>(index));
      for (OpOperand &operand : inner->getOpOperands())
        if (isa<MemRefType>(operand.get().getType()) && mayWrite(operand))
          writes[rootOf(operand.get())].push_back(static_cast<unsigned>(index));
    });
}

/// Allows to repeat the launches of kernels whose cost is known.
void BlockSchedule::addCosts(const SymbolTable &symbols) {
  for (auto [index, op] : llvm::enumerate(ops)) {
    auto launch = dyn_cast<host::LaunchOp>(op);
    Operation *kernel = launch ? symbols.lookup(launch.getKernel()) : nullptr;
    if (!kernel)
      continue;
    auto flops = kernel->getAttrOfType<IntegerAttr>(host::flopsAttrName);
    auto bytes = kernel->getAttrOfType<IntegerAttr>(host::bytesAttrName);
    if (!flops || !bytes)
      continue;
    schedule.ops[index].cost = flops.getInt() + bytes.getInt();
    schedule.ops[index].lastPlace =
        lastPlaceOf(static_cast<unsigned>(index), launch);
  }
}

/// Returns the index of the last op before which `op`, a launch with the index
/// `index`, can be repeated (ScheduledOp::lastPlace). All its outputs have to
/// be buffers of the schedule, and have no contents before, which it might
/// read.
unsigned BlockSchedule::lastPlaceOf(unsigned index, Operation *op) const {
  auto launch = cast<host::LaunchOp>(op);
  for (Value output : launch.getOutputs()) {
    auto allocation = rootOf(output).getDefiningOp<memref::AllocOp>();
    if (!allocation || allocation->getBlock() != &block ||
        !allocation.getType().hasStaticShape() ||
        writes.at(allocation.getResult()).front() != index)
      return 0;
  }
  unsigned last = static_cast<unsigned>(ops.size());
  for (Value input : launch.getInputs()) {
    Value root = rootOf(input);
    auto argument = dyn_cast<BlockArgument>(root);
    bool isVariable =
        argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
    if (!isVariable && !isOnlyRead(root) &&
        !root.getDefiningOp<memref::AllocOp>())
      return 0;
    // An iterator's element is valid until the next one is requested.
    auto found = writes.find(root);
    ArrayRef<unsigned> writers =
        root.getDefiningOp<host::IteratorNextOp>() ? ArrayRef(requests)
        : found == writes.end() ? ArrayRef<unsigned>()
                                : ArrayRef<unsigned>(found->second);
    for (unsigned writer : writers)
      if (writer > index)
        last = std::min(last, writer);
  }
  return last;
}

namespace {

/// Clones views of a buffer as views of another buffer, before the op at which
/// `builder` stands.
class ViewCloner {
public:
  ViewCloner(OpBuilder &builder, IRMapping &copies)
      : builder(builder), copies(copies) {}

  /// Returns `value`, or what it is of the buffer's copy.
  Value get(Value value) {
    if (Value known = copies.lookupOrNull(value))
      return known;
    auto view = value.getDefiningOp<ViewLikeOpInterface>();
    if (!view)
      return value;
    Value source = view.getViewSource();
    if (get(source) == source)
      return value;
    builder.clone(*view, copies);
    return copies.lookup(value);
  }

private:
  OpBuilder &builder;
  IRMapping &copies;
};

} // namespace

Value BlockSchedule::bufferOf(unsigned index) const {
  return memref::AllocOp(allocations[index]);
}

IRMapping BlockSchedule::copiesReadBy(const ScheduledOp &op,
                                      ArrayRef<Value> buffers) const {
  IRMapping copies;
  for (auto [from, to] : llvm::zip(schedule.ops[op.origin].reads, op.reads))
    if (from != to)
      copies.map(bufferOf(from), buffers[to]);
  return copies;
}

/// Makes `user` and the ops in it read `copies` instead of what they map.
static void readCopies(Operation *user, IRMapping copies) {
  if (copies.getValueMap().empty())
    return;
  OpBuilder builder(user);
  ViewCloner views(builder, copies);
  user->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (Operation *view = operand.get().getDefiningOp();
          view && !user->isAncestor(view) &&
          isa<MemRefType>(operand.get().getType()))
        operand.set(views.get(operand.get()));
  });
}

unsigned BlockSchedule::apply(const Schedule &planned) {
  std::vector<Value> buffers(allocations.begin(), allocations.end());
  buffers.resize(planned.buffers.size());
  unsigned numRepetitions = 0;
  // Walk backwards to find the op before which a repetition comes, forwards to
  // find the buffers that it writes.
  std::vector<Operation *> places(planned.ops.size());
  Operation *next = nullptr;
  for (size_t i = planned.ops.size(); i-- > 0; places[i] = next)
    if (!planned.ops[i].isRepetition)
      next = ops[planned.ops[i].origin];
  // Repeat ops before any op's operands change: a repetition is a copy of an op
  // that reads what the block's other ops read at first.
  for (auto [place, op] : llvm::zip(places, planned.ops)) {
    if (!op.isRepetition)
      continue;
    OpBuilder builder(place);
    IRMapping copies = copiesReadBy(op, buffers);
    for (auto [from, to] :
         llvm::zip(schedule.ops[op.origin].writes, op.writes)) {
      buffers[to] = builder.clone(*allocations[from])->getResult(0);
      copies.map(bufferOf(from), buffers[to]);
    }
    ViewCloner views(builder, copies);
    SmallVector<Value> operands;
    for (Value operand : ops[op.origin]->getOperands())
      operands.push_back(views.get(operand));
    builder.clone(*ops[op.origin])->setOperands(operands);
    ++numRepetitions;
  }
  for (const ScheduledOp &op : planned.ops)
    if (!op.isRepetition)
      readCopies(ops[op.origin], copiesReadBy(op, buffers));
  return numRepetitions;
}

} // namespace ingot::hostgen
