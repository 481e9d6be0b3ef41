//===- CheckInputPipelinesResumable.cpp - Reject what cannot resume -------===//
// SPDX-License-Identifier: Apache-2.0
//
// A checkpoint stores the position of a pipeline as a few numbers; on resume,
// buffered elements are recomputed from the inputs of their datasets
// (docs/iterator-state.md). The compiler rejects pipelines whose recomputed
// elements could differ from the buffered ones.
//
//===----------------------------------------------------------------------===//

#include "compiler/Graph/InputPipelineVariableReads.h"
#include "compiler/Graph/Passes.h"

#include "dialects/Ingot/IR/DatasetOps.h"
#include "dialects/Ingot/IR/InputOps.h"
#include "dialects/Ingot/IR/IteratorOps.h"
#include "dialects/Ingot/IR/ProgramOps.h"
#include "dialects/Ingot/IR/RandomOps.h"
#include "dialects/Ingot/IR/StateOps.h"
#include "dialects/Ingot/IR/Traits.h"
#include "runtime/ABI/Dataset.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/SaveAndRestore.h"

namespace ingot::graph {
#define GEN_PASS_DEF_CHECKINPUTPIPELINESRESUMABLEPASS
#include "compiler/Graph/Passes.h.inc"
} // namespace ingot::graph

using namespace mlir;
using namespace mlir::ingot;
using ::ingot::graph::isProgramVariable;

/// Returns the variables that change while a pipeline runs. Assignments in
/// entries that initialize or restore variables do not count, because these
/// entries run before the first element is drawn.
static llvm::DenseSet<StringAttr> changingVariables(ModuleOp program) {
  llvm::DenseSet<StringAttr> changing;
  for (auto entry : program.getOps<EntryOp>()) {
    if (llvm::is_contained(
            {Role::init, Role::local_init, Role::save, Role::restore},
            entry.getRole()))
      continue;
    entry.walk([&](AssignOp assign) {
      changing.insert(assign.getVariableAttr().getAttr());
    });
  }
  return changing;
}

namespace {

/// Checks the datasets of one pipeline, from the last one, whose elements the
/// iterator returns, to the sources.
class ResumabilityChecker {
public:
  ResumabilityChecker(const SymbolTable &symbols,
                      const llvm::DenseSet<StringAttr> &changing)
      : symbols(symbols), changing(changing) {}

  LogicalResult run(IteratorOp iterator) {
    visit(
        cast<YieldOp>(iterator.getBody().front().getTerminator()).getDataset(),
        0);
    return success(isFine);
  }

private:
  InFlightDiagnostic refuse(Operation *op) {
    isFine = false;
    return op->emitError();
  }

  void visit(Value dataset, unsigned depth) {
    Operation *op = dataset.getDefiningOp();
    if (!op) // a block argument: the dataset is a window, passed to a function
      return;
    if (depth > INGOT_MAX_DATASET_DEPTH || ++numVisits > INGOT_MAX_DATASETS) {
      if (numVisits <= INGOT_MAX_DATASETS + 1)
        refuse(op) << "the pipeline is too large: it may have at most "
                   << INGOT_MAX_DATASETS << " datasets, nested at most "
                   << INGOT_MAX_DATASET_DEPTH << " deep";
      numVisits = INGOT_MAX_DATASETS + 1;
      return;
    }
    checkShuffle(op);
    checkFunction(op);
    bool readsOnce = op->hasTrait<trait::ReadsElementsOnce>();
    {
      llvm::SaveAndRestore replayed(isReplayed,
                                    isReplayed || (interleaves && !readsOnce));
      // On resume, a dataset may read its input again, to recompute the
      // elements that it had buffered. Reading the input again also calls the
      // functions of maps upstream again. Two kinds of datasets never read
      // their input again: those with the trait ReadsElementsOnce, and
      // prefetch, which does not read ahead if functions upstream read
      // variables. `remaker` is the dataset nearest to the iterator that may
      // read its input again.
      llvm::SaveAndRestore again(
          remaker,
          remaker || readsOnce || isa<PrefetchDatasetOp>(op) ? remaker : op);
      for (Value operand : op->getOperands())
        if (isa<DatasetType>(operand.getType()))
          visit(operand, depth + 1);
    }
    if (op->getNumRegions() == 0)
      return;
    bool takesTurns = isa<InterleaveDatasetOp>(op);
    interleaves += takesTurns;
    visit(cast<YieldOp>(op->getRegion(0).front().getTerminator()).getDataset(),
          depth + 1);
    interleaves -= takesTurns;
  }

  /// Rejects a shuffle with reshuffle_each_iteration that two datasets read. In
  /// TensorFlow, both would draw the seeds of their epochs from one stream, so
  /// the order of elements would depend on which of them happens to begin an
  /// epoch first.
  void checkShuffle(Operation *op) {
    auto shuffle = dyn_cast<ShuffleDatasetOp>(op);
    if (shuffle && shuffle.getReshuffleEachIteration() && ++visits[op] == 2)
      refuse(op) << "a shuffle with reshuffle_each_iteration has two "
                    "consumers: give each consumer its own shuffle";
  }

  void checkFunction(Operation *op) {
    auto name = op->getAttrOfType<FlatSymbolRefAttr>("function");
    auto function =
        name ? symbols.lookup<func::FuncOp>(name.getAttr()) : func::FuncOp();
    if (!function)
      return;
    bool draws = false;
    function.walk([&](Operation *inner) {
      if (auto assign = dyn_cast<AssignOp>(inner)) {
        if (isProgramVariable(symbols, assign.getVariableAttr().getAttr()))
          refuse(assign) << "dataset function assigns variable '"
                         << assign.getVariable()
                         << "'; only steps may assign variables";
        else
          draws = true;
      } else if (auto read = dyn_cast<ReadOp>(inner)) {
        checkRead(read);
      }
    });
    if (draws && isReplayed)
      refuse(op)
          << "dataset function draws random numbers within an interleave, "
             "upstream of a dataset that buffers or rereads elements; "
             "move the function after the interleave";
  }

  void checkRead(ReadOp read) {
    StringAttr variable = read.getVariableAttr().getAttr();
    if (!remaker || !isProgramVariable(symbols, variable) ||
        !changing.contains(variable))
      return;
    InFlightDiagnostic error =
        refuse(read)
        << "dataset function reads variable '" << read.getVariable()
        << "', which the program assigns: elements recomputed on resume would "
           "depend on its new value; read the variable downstream of the "
           "dataset that recomputes elements";
    error.attachNote(remaker->getLoc())
        << "elements of this dataset are recomputed on resume";
  }

  const SymbolTable &symbols;
  const llvm::DenseSet<StringAttr> &changing;
  DenseMap<Operation *, unsigned> visits;
  unsigned numVisits = 0;
  unsigned interleaves = 0; // number of interleaves around the current dataset
  // whether the dataset is within an interleave and upstream of a dataset
  // that reads its input again on resume
  bool isReplayed = false;
  // the dataset downstream that recomputes elements on resume
  Operation *remaker = nullptr;
  bool isFine = true;
};

struct CheckInputPipelinesResumable
    : ::ingot::graph::impl::CheckInputPipelinesResumablePassBase<
          CheckInputPipelinesResumable> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::DenseSet<StringAttr> changing = changingVariables(getOperation());
    for (auto iterator : getOperation().getOps<IteratorOp>())
      if (failed(ResumabilityChecker(symbols, changing).run(iterator)))
        signalPassFailure();
  }
};
} // namespace
