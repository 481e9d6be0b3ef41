//===- HoistIteratorNextAboveAssignments.cpp - Draws elements first -------===//
// SPDX-License-Identifier: Apache-2.0

#include "compiler/Graph/InputPipelineVariableReads.h"
#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/CheckpointOps.h"
#include "dialects/Ingot/IR/ControlOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/TableOps.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

namespace ingot::graph {
#define GEN_PASS_DEF_HOISTITERATORNEXTABOVEASSIGNMENTSPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

#define DEBUG_TYPE "ingot-hoist-iterator-next-above-assignments"

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::InputPipelineVariableReads;

/// Whether `op`, or an op in its regions, has one of the types `Ops`.
template <typename... Ops> static bool holds(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<Ops...>(inner) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether `op`, or an op in its regions, assigns a variable or changes a
/// lookup table.
static bool changesState(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isa<AssignOp>(inner) || getChangedTable(inner)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an attribute of `op`, or of an op in its regions, refers to
/// `variable`.
static bool mentions(Operation *op, FlatSymbolRefAttr variable) {
  return op
      ->walk([&](Operation *inner) {
        bool found = inner->getAttrDictionary()
                         .walk([&](FlatSymbolRefAttr symbol) {
                           return symbol == variable ? WalkResult::interrupt()
                                                     : WalkResult::advance();
                         })
                         .wasInterrupted();
        return found ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

static bool assigns(Operation *op, FlatSymbolRefAttr variable) {
  return op
      ->walk([&](AssignOp assign) {
        return assign.getVariableAttr() == variable ? WalkResult::interrupt()
                                                    : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether the op can run earlier because it has no side effects other than on
/// iterators.
static bool mayRunEarlier(Operation *op) {
  return !op->walk([](Operation *inner) {
              return isa<ReadOp, IteratorNextOp, IteratorMakeOp>(inner) ||
                             isMemoryEffectFree(inner) ||
                             inner->hasTrait<
                                 OpTrait::HasRecursiveMemoryEffects>()
                         ? WalkResult::advance()
                         : WalkResult::interrupt();
            }).wasInterrupted();
}

namespace {

/// Reorders one block, so that iterator_next ops come before assignments of
/// variables. It is the block of an entry, or of a branch or loop in an entry.
class IteratorNextHoister {
public:
  /// The counts that the pass reports as its statistics.
  struct HoistingCounts {
    unsigned hoisted = 0, delayed = 0;
  };

  IteratorNextHoister(Block &block, const InputPipelineVariableReads &pipelines,
                      HoistingCounts &counts)
      : block(block), pipelines(pipelines), counts(counts) {}

  /// Rejects a loop that draws elements and changes lookup tables. Variables
  /// are assigned only when the loop ends, but a table changes at once: if the
  /// input ended during the loop, the tables would keep the changes of the
  /// earlier iterations.
  static LogicalResult checkTables(Operation *loop, IteratorNextOp next) {
    Operation *change = nullptr;
    loop->walk([&](Operation *op) {
      if (getChangedTable(op))
        change = op;
    });
    if (!change)
      return success();
    InFlightDiagnostic error =
        next->emitError()
        << "a loop with IteratorGetNext must not change a lookup table: if the "
           "input ended during the loop, the table would keep the changes of "
           "earlier iterations; call IteratorGetNext once per run of an entry";
    error.attachNote(change->getLoc()) << "changed here";
    return failure();
  }

  /// Rejects a loop or an initializer that assigns a variable which the
  /// pipelines of its iterator_next ops read. An assignment in a loop takes
  /// effect when the loop ends, and any other one when the entry ends, so the
  /// iterator_next ops would see the old values.
  static LogicalResult checkLoop(Operation *op,
                                 const InputPipelineVariableReads &pipelines) {
    if (!isa<WhileOp, EntryOp>(op))
      return success();
    LogicalResult result = success();
    op->walk([&](IteratorNextOp next) {
      if (isa<WhileOp>(op) && succeeded(result))
        result = checkTables(op, next);
      pipelines.visitReads(next, [&](StringAttr name) {
        auto variable = FlatSymbolRefAttr::get(name);
        if (failed(result) || !assigns(op, variable))
          return;
        next->emitError() << "the iterator's dataset functions read variable '"
                          << name.getValue()
                          << "', which this loop or initializer assigns: "
                             "elements would still be computed from the old "
                             "value; call IteratorGetNext once per run of an "
                             "entry";
        result = failure();
      });
    });
    return result;
  }

  LogicalResult run() {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!holds<IteratorNextOp, IteratorMakeOp>(&op)) {
        if (holds<SaveOp, SaveTensorsOp>(&op))
          // This op saves the positions of iterators, so later iterator_next
          // ops must stay after it.
          last = &op;
        continue;
      }
      // Do not move an op whose regions contain both iterator_next and
      // assignments. Instead, schedule the blocks in its regions.
      bool isMoved = mayRunEarlier(&op) && hoist(&op);
      if (holds<IteratorNextOp>(&op) && failed(checkBefore(&op)))
        return failure();
      if (isMoved)
        continue;
      if (failed(checkLoop(&op, pipelines)))
        return failure();
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          if (failed(IteratorNextHoister(inner, pipelines, counts).run()))
            return failure();
    }
    return checkSaves();
  }

private:
  bool isBeforeLast(Operation *op) const {
    return last && (op == last || op->isBeforeInBlock(last));
  }

  /// Returns whether an op after `last` (a field) and before `end` assigns
  /// `variable`. If so, an iterator_next at `end` that reads `variable` must
  /// not move to `last`, as it would read the old value.
  bool isAssignedBefore(FlatSymbolRefAttr variable, Operation *end) const {
    Block::iterator begin =
        last ? std::next(last->getIterator()) : block.begin();
    return llvm::any_of(llvm::make_range(begin, end->getIterator()),
                        [&](Operation &op) { return assigns(&op, variable); });
  }

  /// Returns whether `op` can move right after the op `last` (a field), because
  /// it would still read the same values of variables there. Adds `op` and the
  /// ops that compute its operands, which must move with it, to `moved`,
  /// producers first.
  bool collect(Operation *op, llvm::SetVector<Operation *> &moved) const {
    bool isSame = !op->walk([&](ReadOp read) {
                       return isAssignedBefore(read.getVariableAttr(), op)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     }).wasInterrupted();
    pipelines.visitReads(op, [&](StringAttr variable) {
      isSame &= !isAssignedBefore(FlatSymbolRefAttr::get(variable), op);
    });
    if (!isSame)
      return false;
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    for (Value value : used) {
      Operation *source = value.getDefiningOp();
      if (!source || source->getBlock() != &block || isBeforeLast(source) ||
          moved.contains(source))
        continue;
      if (!isa<ReadOp>(source) && !isMemoryEffectFree(source))
        return false;
      if (!collect(source, moved))
        return false;
    }
    moved.insert(op); // appended after the ops that compute its operands
    return true;
  }

  bool hoist(Operation *op) {
    llvm::SetVector<Operation *> moved;
    if (!collect(op, moved)) {
      LLVM_DEBUG(llvm::dbgs()
                 << "cannot hoist " << op->getName() << " at " << op->getLoc()
                 << ": an earlier op assigns a variable that it "
                    "reads, or has side effects\n");
      return false;
    }
    LLVM_DEBUG(llvm::dbgs()
               << "hoist " << op->getName() << " at " << op->getLoc()
               << " and its operands, " << moved.size() << " ops\n");
    counts.hoisted += moved.size();
    for (Operation *each : moved) {
      if (last)
        each->moveAfter(last);
      else
        each->moveBefore(&block, block.begin());
      last = each;
    }
    return true;
  }

  /// Handles the assignments before `request`, an op that contains an
  /// iterator_next and cannot move. An assignment moves after `request` if no
  /// op up to and including `request` reads its variable. Any other assignment,
  /// or a change of a lookup table, is an error.
  LogicalResult checkBefore(Operation *request) {
    SmallVector<Operation *> before;
    for (Operation &op :
         llvm::make_range(block.begin(), request->getIterator()))
      if (changesState(&op))
        before.push_back(&op);
    for (Operation *op : llvm::reverse(before)) {
      auto assign = dyn_cast<AssignOp>(op);
      bool canWait =
          assign &&
          llvm::none_of(llvm::make_range(std::next(op->getIterator()),
                                         std::next(request->getIterator())),
                        [&](Operation &other) {
                          return mentions(&other, assign.getVariableAttr()) ||
                                 pipelines.reads(
                                     &other,
                                     assign.getVariableAttr().getAttr()) ||
                                 holds<SaveOp, SaveTensorsOp>(&other);
                        });
      if (!canWait)
        return refuse(request, op);
      LLVM_DEBUG(llvm::dbgs()
                 << "delay the assignment of " << assign.getVariable() << '\n');
      op->moveAfter(request);
      ++counts.delayed;
    }
    return success();
  }

  static LogicalResult refuse(Operation *request, Operation *change) {
    InFlightDiagnostic error =
        request->emitError()
        << "a variable or lookup table is updated before IteratorGetNext, and "
           "the two cannot be reordered: at the end of the input, the step "
           "would stop after only this update; add a control dependency of "
           "the update on IteratorGetNext";
    error.attachNote(change->getLoc())
        << "updated here, before IteratorGetNext";
    return error;
  }

  /// Rejects a step that writes a checkpoint after its first iterator_next and
  /// before its last assignment or change of a lookup table: the checkpoint
  /// would have the new positions of iterators, but old variables or tables.
  LogicalResult checkSaves() {
    Operation *save = nullptr;
    bool isAsked = false;
    for (Operation &op : block) {
      if (save && changesState(&op)) {
        InFlightDiagnostic error =
            save->emitError()
            << "a checkpoint is written in the middle of a step, after "
               "IteratorGetNext and before the step's last update of a "
               "variable or lookup table; add control dependencies of the save "
               "on all updates";
        error.attachNote(op.getLoc()) << "updated here after the checkpoint";
        return error;
      }
      isAsked |= holds<IteratorNextOp>(&op);
      if (isAsked && holds<SaveOp, SaveTensorsOp>(&op))
        save = &op;
    }
    return success();
  }

  Block &block;
  const InputPipelineVariableReads &pipelines;
  HoistingCounts &counts;
  /// The next iterator_next op is moved to right after this op.
  Operation *last = nullptr;
};

struct HoistIteratorNextAboveAssignments
    : ::ingot::graph::impl::HoistIteratorNextAboveAssignmentsPassBase<
          HoistIteratorNextAboveAssignments> {
  void runOnOperation() override {
    InputPipelineVariableReads pipelines(getOperation());
    IteratorNextHoister::HoistingCounts counts;
    for (auto entry : getOperation().getOps<EntryOp>()) {
      if (!holds<IteratorNextOp>(entry))
        continue;
      // Entries that initialize, save or restore a program's state are not
      // steps.
      bool isStep = !llvm::is_contained(
          {Role::init, Role::local_init, Role::save, Role::restore},
          entry.getRole());
      if (failed(isStep ? IteratorNextHoister(entry.getBody().front(),
                                              pipelines, counts)
                              .run()
                        : IteratorNextHoister::checkLoop(entry, pipelines)))
        signalPassFailure();
    }
    numHoisted += counts.hoisted;
    numDelayed += counts.delayed;
  }
};
} // namespace
