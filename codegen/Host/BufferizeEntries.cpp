//===- BufferizeEntries.cpp - Bufferize entries and functions -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/Passes.h"
#include "runtime/ABI/Mutants.h"

#include "dialects/Host/HostAttributes.h"
#include "runtime/ABI/Tensor.h"

#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

namespace ingot::hostgen {
#define GEN_PASS_DEF_BUFFERIZEENTRIESPASS
#include "codegen/Host/Passes.h.inc"
} // namespace ingot::hostgen

#define DEBUG_TYPE "ingot-host-bufferize-entries"

using namespace mlir;

/// Changes the type of a kernel's declaration from tensors to buffers. The
/// declaration then returns no results, as the kernel writes them to its last
/// arguments.
static void bufferizeDeclaration(func::FuncOp kernel) {
  SmallVector<Type> types;
  for (Type type : kernel.getArgumentTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    types.push_back(
        tensor ? MemRefType::get(tensor.getShape(), tensor.getElementType())
               : type);
  }
  kernel.setType(FunctionType::get(kernel.getContext(), types, {}));
}

/// Replaces each use of a tensor.empty by an alloc_tensor of its own. CSE has
/// merged all equal tensor.empty ops into one. That is correct, but One-Shot
/// Bufferize's analysis takes time cubic in the number of uses of one op.
static void separateDestinations(func::FuncOp function) {
  SmallVector<tensor::EmptyOp> empties;
  function.walk([&](tensor::EmptyOp empty) { empties.push_back(empty); });
  for (tensor::EmptyOp empty : empties) {
    for (OpOperand &use : llvm::make_early_inc_range(empty->getUses())) {
      OpBuilder builder(use.getOwner());
      use.set(bufferization::AllocTensorOp::create(
          builder, empty.getLoc(), empty.getType(), empty.getDynamicSizes()));
    }
    empty.erase();
  }
}

/// Makes the stores of a tensor that is only stored, to several buffers, copies
/// of its buffer. Many variables may start as one tensor, such as zeros, and
/// for each store One-Shot Bufferize's analysis looks at all uses of the
/// tensor. The buffer has no writer but the op that computes the tensor.
static void copyStoredTensors(func::FuncOp function) {
  using Store = bufferization::MaterializeInDestinationOp;
  llvm::SetVector<Value> sources;
  function.walk([&](Store store) { sources.insert(store.getSource()); });
  for (Value source : sources) {
    Operation *def = source.getDefiningOp();
    auto isStore = [](Operation *user) {
      auto store = dyn_cast<Store>(user);
      return store && isa<MemRefType>(store.getDest().getType());
    };
    if (!def || source.hasOneUse() || !llvm::all_of(source.getUsers(), isStore))
      continue;
    SmallVector<Operation *> stores(source.getUsers());
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfter(def);
    auto type = cast<RankedTensorType>(source.getType());
    Value buffer = bufferization::ToBufferOp::create(
        builder, def->getLoc(),
        MemRefType::get(type.getShape(), type.getElementType()), source,
        /*read_only=*/true);
    for (Operation *user : stores) {
      builder.setInsertionPoint(user);
      memref::CopyOp::create(builder, user->getLoc(), buffer,
                             cast<Store>(user).getDest());
      user->erase();
    }
  }
}

/// If `value`, or a reshape of it, is a result of the function, the caller
/// provides the memory for this result as an argument. Returns that memory as a
/// tensor with the type of `value`. Returns null if `value` is no result.
static Value resultMemory(OpBuilder &builder, Value value) {
  for (Operation *user : value.getUsers()) {
    Location loc = user->getLoc();
    if (auto store =
            dyn_cast<bufferization::MaterializeInDestinationOp>(user)) {
      Value memory = store.getDest();
      if (store.getSource() == value && isa<BlockArgument>(memory))
        return bufferization::ToTensorOp::create(builder, loc, value.getType(),
                                                 memory, /*restrict=*/true,
                                                 /*writable=*/true);
    }
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user)) {
      if (Value memory = resultMemory(builder, expand.getResult()))
        return tensor::CollapseShapeOp::create(
            builder, loc, cast<RankedTensorType>(value.getType()), memory,
            expand.getReassociationIndices());
    }
    if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user)) {
      if (Value memory = resultMemory(builder, collapse.getResult()))
        return tensor::ExpandShapeOp::create(
            builder, loc, value.getType(), memory,
            collapse.getReassociationIndices());
    }
  }
  return nullptr;
}

/// Makes the host ops of a dataset's function write their results to the memory
/// that the caller provides, such as rows of a batch, so that no copy is needed
/// afterwards.
static void computeInResults(func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    auto destination = dyn_cast<DestinationStyleOpInterface>(op);
    if (!destination || !isa<host::HostDialect>(op.getDialect()))
      continue;
    OpBuilder builder(&op);
    for (OpOperand &init : destination.getDpsInitsMutable()) {
      auto type = cast<RankedTensorType>(init.get().getType());
      if (!init.get().getDefiningOp<tensor::EmptyOp>() ||
          !type.hasStaticShape())
        continue;
      if (Value memory =
              resultMemory(builder, destination.getTiedOpResult(&init)))
        init.set(memory);
    }
  }
}

/// Returns the last op of `block` that uses `tensor` or a tensor that may alias
/// it: a view, or the result of an op that may write to it in place. Returns
/// null if there is no such op.
static Operation *lastUse(Value tensor, Block &block) {
  Operation *last = nullptr;
  auto add = [&](Operation *op) {
    if (op && (!last || last->isBeforeInBlock(op)))
      last = op;
  };
  for (OpOperand &use : tensor.getUses()) {
    Operation *user = use.getOwner();
    add(block.findAncestorOpInBlock(*user));
    auto destination = dyn_cast<DestinationStyleOpInterface>(user);
    if (destination && destination.isDpsInput(&use))
      continue;
    for (Value result : user->getResults())
      if (isa<TensorType>(result.getType()))
        add(lastUse(result, block));
  }
  return last;
}

/// Whether none of the ops in the range [`first`, `last`) can fail. A variable
/// must be overwritten after all ops that may fail, so that it keeps its old
/// value if the step fails.
static bool cannotFail(Operation *first, Operation *last) {
  for (Operation *op = first; op != last; op = op->getNextNode())
    if (!isa<host::LaunchOp, linalg::FillOp,
             bufferization::MaterializeInDestinationOp,
             bufferization::ToTensorOp>(op) &&
        (op->getNumRegions() > 0 || !isMemoryEffectFree(op)))
      return false;
  return true;
}

/// Whether `function` is the entry that gives variables their first values. If
/// it fails, no run goes on from what the variables had before: so it may
/// overwrite them earlier, and needs no second copy of large ones.
static bool initializes(func::FuncOp function) {
  auto entry = function->getAttrOfType<host::EntryAttr>(host::entryAttrName);
  return entry && entry.getRole() == host::Role::init;
}

/// Whether `op`, a launch or a fill, may write its result directly to the
/// memory to which `store` would copy it, such as a variable. All reads of the
/// memory's old value must come before the op, and no op from there to `store`
/// may fail, unless the entry `initializes` variables.
static bool mayComputeThere(Operation *op,
                            bufferization::MaterializeInDestinationOp store,
                            bool initializes) {
  Block &block = *store->getBlock();
  if (INGOT_MUTANT("lost_control_edge"))
    return op->getBlock() == &block;
  if (op->getBlock() != &block || !(initializes || cannotFail(op, store)))
    return false;
  return llvm::all_of(store.getDest().getUsers(), [&](Operation *user) {
    if (user == store)
      return true;
    auto old = dyn_cast<bufferization::ToTensorOp>(user);
    // A user in another branch has no ancestor op in this block. It can be
    // ignored, as only one of the branches runs.
    Operation *last = old ? lastUse(old.getResult(), block)
                          : block.findAncestorOpInBlock(*user);
    return !last || last->isBeforeInBlock(op);
  });
}

/// Whether `memory` outlives the block, because it is a variable, or a
/// loop-carried value of the scf.while around the block.
static bool isLasting(Value memory, Block &block) {
  auto alloc = memory.getDefiningOp<memref::AllocOp>();
  return isa<BlockArgument>(memory) ||
         (alloc && isa<scf::WhileOp>(block.getParentOp()) &&
          alloc->getBlock() != &block);
}

/// Returns the result of a launch, fill or call that `store` stores, perhaps
/// reshaped. Returns null if another op computes it.
static OpResult storedResult(bufferization::MaterializeInDestinationOp store) {
  Value value = store.getSource();
  while (Operation *reshape = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(reshape) ||
        !value.hasOneUse() || !reshape->getOperand(0).hasOneUse())
      break;
    value = reshape->getOperand(0);
  }
  auto result = dyn_cast<OpResult>(value);
  return result && isa<host::LaunchOp, linalg::FillOp, host::CallOp>(
                       result.getOwner())
             ? result
             : OpResult();
}

/// Returns the operand whose memory an op writes `result` to; null if the
/// runtime allocates that memory.
static OpOperand *destinationOf(OpResult result) {
  if (auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner()))
    return op.getTiedOpOperand(result);
  auto call = cast<host::CallOp>(result.getOwner());
  if (!call.hasOutput(result.getResultNumber()))
    return nullptr;
  unsigned output = 0;
  for (unsigned i = 0; i < result.getResultNumber(); ++i)
    output += call.hasOutput(i);
  return &call.getOutputsMutable()[output];
}

/// Makes the op that computes the value of `store` write it to the store's
/// memory. Returns false if that is not possible: the value is then computed in
/// a temporary, which is copied. Calls, and values that are reshaped, are
/// written there only if the entry `initializes` variables, which may be large.
static bool computeInPlace(bufferization::MaterializeInDestinationOp store,
                           bool initializes) {
  OpResult result = storedResult(store);
  if (!result || !isLasting(store.getDest(), *store->getBlock()))
    return false;
  Operation *op = result.getOwner();
  bool isReshaped = result != store.getSource();
  if ((isReshaped || isa<host::CallOp>(op)) && !initializes)
    return false;
  OpOperand *init = destinationOf(result);
  auto empty =
      init ? init->get().getDefiningOp<tensor::EmptyOp>() : tensor::EmptyOp();
  if (!empty || !empty.getType().hasStaticShape())
    return false;
  if (!mayComputeThere(op, store, initializes)) {
    LLVM_DEBUG(llvm::dbgs() << "copy the result of " << *op
                            << ": the old value is read later, or an op in "
                               "between may fail\n");
    return false;
  }
  OpBuilder builder(op);
  Value memory = isReshaped ? resultMemory(builder, result)
                            : bufferization::ToTensorOp::create(
                                  builder, store.getLoc(), empty.getType(),
                                  store.getDest(), /*restrict=*/true,
                                  /*writable=*/true)
                                  .getResult();
  if (!memory)
    return false;
  init->set(memory);
  LLVM_DEBUG(llvm::dbgs() << "compute the result of " << *op << " in place\n");
  return true;
}

/// Makes launches and fills write the new values of variables, and the
/// loop-carried values of scf.while loops, in place, wherever
/// `mayComputeThere` allows it. Returns the number of values that are written
/// in place.
static unsigned computeInPlace(func::FuncOp function) {
  SmallVector<bufferization::MaterializeInDestinationOp> stores;
  auto collect = [&](Block &block) {
    llvm::append_range(
        stores, block.getOps<bufferization::MaterializeInDestinationOp>());
  };
  collect(function.getBody().front());
  // If the entry was joined with clones (ingot-branch-on-batch-size,
  // ingot-branch-on-one-rank), each branch stores new values of variables.
  function.walk([&](scf::IfOp branch) {
    if (branch->hasAttr(host::fullBatchAttrName) ||
        branch->hasAttr(host::oneRankAttrName))
      for (Region *region : branch.getRegions())
        if (!region->empty())
          collect(region->front());
  });
  function.walk([&](scf::WhileOp loop) { collect(loop.getAfter().front()); });
  bool isFirst = initializes(function);
  return static_cast<unsigned>(llvm::count_if(
      stores, [&](auto store) { return computeInPlace(store, isFirst); }));
}

/// If `memory` is a subview of an allocation that is outside of the loop around
/// `block`, returns this allocation. Otherwise, or if there is no such loop,
/// returns null.
static memref::AllocOp arrayAround(Value memory, Block &block) {
  auto part = memory.getDefiningOp<memref::SubViewOp>();
  auto array = part ? part.getSource().getDefiningOp<memref::AllocOp>()
                    : memref::AllocOp();
  auto loop = block.getParentOp()->getParentOfType<scf::ForOp>();
  if (auto own = dyn_cast<scf::ForOp>(block.getParentOp()))
    loop = own;
  return array && loop && !loop->isAncestor(array) ? array : memref::AllocOp();
}

/// If a launch in a loop computes a value in a temporary, and the value is then
/// stored to a part of an array that is allocated outside of the loop, makes
/// the launch write to that part directly. No op between the launch and the
/// store may use the array. These ops may fail, however, because nothing reads
/// the array if the step fails. Returns the number of values that are written
/// in place.
static unsigned computeInParts(func::FuncOp function) {
  SmallVector<bufferization::MaterializeInDestinationOp> stores;
  function.walk([&](bufferization::MaterializeInDestinationOp store) {
    stores.push_back(store);
  });
  unsigned numInPlace = 0;
  for (bufferization::MaterializeInDestinationOp store : stores) {
    Block &block = *store->getBlock();
    auto launch = store.getSource().getDefiningOp<host::LaunchOp>();
    memref::AllocOp array = arrayAround(store.getDest(), block);
    if (!launch || !array || launch->getBlock() != &block)
      continue;
    bool isFree = llvm::all_of(array->getUsers(), [&](Operation *user) {
      Operation *own = block.findAncestorOpInBlock(*user);
      return !own || own->isBeforeInBlock(launch) ||
             store->isBeforeInBlock(own);
    });
    OpOperand *init = cast<DestinationStyleOpInterface>(launch.getOperation())
                          .getTiedOpOperand(cast<OpResult>(store.getSource()));
    auto empty = init->get().getDefiningOp<tensor::EmptyOp>();
    if (!isFree || !empty || !empty.getType().hasStaticShape())
      continue;
    OpBuilder builder(launch);
    init->set(bufferization::ToTensorOp::create(
        builder, store.getLoc(), empty.getType(), store.getDest(),
        /*restrict=*/true, /*writable=*/true));
    ++numInPlace;
  }
  return numInPlace;
}

/// If a launch's result is inserted into a tensor, such as a row into a matrix,
/// makes the launch write it there directly. Returns the number of such
/// results.
static unsigned computeInRows(func::FuncOp function) {
  unsigned numInRows = 0;
  function.walk([&](tensor::InsertSliceOp insert) {
    auto launch = insert.getSource().getDefiningOp<host::LaunchOp>();
    if (!launch || launch->getBlock() != insert->getBlock())
      return;
    OpOperand *init = cast<DestinationStyleOpInterface>(launch.getOperation())
                          .getTiedOpOperand(cast<OpResult>(insert.getSource()));
    auto isBefore = [&](Value value) {
      Operation *definition = value.getDefiningOp();
      return !definition || definition->getBlock() != launch->getBlock() ||
             definition->isBeforeInBlock(launch);
    };
    if (!init->get().getDefiningOp<tensor::EmptyOp>() ||
        !isBefore(insert.getDest()) ||
        !llvm::all_of(insert.getOffsets(), isBefore))
      return;
    OpBuilder builder(launch);
    init->set(tensor::ExtractSliceOp::create(
        builder, insert.getLoc(), insert.getSourceType(), insert.getDest(),
        insert.getMixedOffsets(), insert.getMixedSizes(),
        insert.getMixedStrides()));
    ++numInRows;
  });
  return numInRows;
}

namespace {
struct BufferizeEntries
    : ::ingot::hostgen::impl::BufferizeEntriesPassBase<BufferizeEntries> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.bufferAlignment = INGOT_ALIGNMENT;
    bufferization::BufferizationState state;
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
      if (function->hasAttr(host::kernelAttrName)) {
        if (function.isExternal())
          bufferizeDeclaration(function);
        continue;
      }
      if (function->hasAttr(host::functionAttrName))
        computeInResults(function);
      else
        numInPlace += computeInPlace(function) + computeInParts(function);
      numInRows += computeInRows(function);
      separateDestinations(function);
      copyStoredTensors(function);
      if (failed(bufferization::runOneShotBufferize(function, options, state)))
        return signalPassFailure();
    }
  }
};
} // namespace
