//===- AnnotateEntryMemoryAccesses.cpp - Memory that entries access -------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/Host/HostAccesses.h"
#include "codegen/Host/Passes.h"
#include "runtime/ABI/Launch.h"
#include "runtime/ABI/Mutants.h"

#include "dialects/Host/HostAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Debug.h"

#include <map>
#include <optional>
#include <tuple>

namespace ingot::hostgen {
#define GEN_PASS_DEF_ANNOTATEENTRYMEMORYACCESSESPASS
#include "codegen/Host/Passes.h.inc"

std::optional<int64_t> bytesOf(mlir::MemRefType type) {
  mlir::Type element = type.getElementType();
  if (!type.hasStaticShape() || !(element.isIntOrFloat() || element.isIndex()))
    return std::nullopt;
  int64_t bits = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  return type.getNumElements() * llvm::divideCeil(bits, 8);
}
} // namespace ingot::hostgen

#define DEBUG_TYPE "ingot-host-annotate-entry-memory-accesses"

using namespace mlir;
using ::ingot::hostgen::bytesOf;

/// Returns a buffer's size as text for remarks, such as "16 bytes".
static std::string sizeText(Value buffer) {
  std::optional<int64_t> bytes = bytesOf(cast<MemRefType>(buffer.getType()));
  return bytes ? std::to_string(*bytes) + " bytes" : "bytes of dynamic size";
}

static std::string nodeText(Operation *op) {
  auto name = op->getLoc()->findInstanceOf<NameLoc>();
  return name ? ("'" + name.getName().getValue() + "'").str() : "the entry";
}

namespace {

/// Finds the ranges of the arena and of variables that the host code of one
/// entry reads or writes itself, without a kernel (`host.memory`). Also
/// collects the remarks that describe the copies between host and device.
class HostAccessCollector {
public:
  explicit HostAccessCollector(func::FuncOp function) : function(function) {
    arenaBytes =
        function->getAttrOfType<IntegerAttr>(host::arenaAttrName).getInt();
    entry = function->getAttrOfType<host::EntryAttr>(host::entryAttrName);
    isOnDevice = function->hasAttr(::ingot::hostgen::onDeviceAttrName);
  }

  DenseI64ArrayAttr find() {
    function.walk([&](Operation *op) { look(op); });
    if (isUnknown) {
      LLVM_DEBUG(llvm::dbgs()
                 << function.getName()
                 << " may access any byte of its memory on the host\n");
      addAll();
    }
    if (isOnDevice && !isUnknown)
      markBuffersForKernels();
    SmallVector<int64_t> numbers;
    for (auto [memory, isWritten] : ranges) {
      auto [kind, number, size] = memory;
      numbers.append({kind, isWritten, number, size});
    }
    if (isOnDevice)
      function->setAttr(
          ::ingot::hostgen::copiesAttrName,
          ArrayAttr::get(function.getContext(), copies.getArrayRef()));
    return Builder(function.getContext()).getDenseI64ArrayAttr(numbers);
  }

private:
  /// Records the memory that an op of the entry point's host code reads or
  /// writes.
  void look(Operation *op) {
    if (auto argument = dyn_cast<host::SetArgumentOp>(op))
      noteUpload(argument.getBuffer());
    // host.run and host.set_argument only pass addresses on, so they do not
    // access the memory themselves; kernels do.
    if (isa<host::RunOp, host::SetArgumentOp, host::ReleaseOp, func::FuncOp>(
            op) ||
        (isOnDevice && leaveToRuntime(op)))
      return;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (effects && effects.hasNoEffect())
      return;
    Value exchanged = isOnDevice ? exchangedBy(op) : Value();
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()) || operand == exchanged)
        continue;
      SmallVector<MemoryEffects::EffectInstance> found;
      if (effects)
        effects.getEffectsOnValue(operand, found);
      bool isOnlyRead =
          !found.empty() && llvm::all_of(found, [](const auto &effect) {
            return isa<MemoryEffects::Read>(effect.getEffect());
          });
      touch(operand, !isOnlyRead);
      if (isOnDevice && isComputed(operand))
        note(nodeText(op) + (isOnlyRead ? " reads " : " uses ") +
             sizeText(operand) +
             (isOnlyRead
                  ? ": copied to the host after the kernels that compute them"
                  : ": copied to the host after the kernels that compute them, "
                    "and to the device before those that read them"));
    }
  }

  /// Returns true if `op` is a summary, or a copy of static size. These ops do
  /// not count as accesses on the host, because the runtime executes them. The
  /// runtime brings a summary's value to the host when the summary is written,
  /// and makes a copy on the side, host or device, that has the newest bytes.
  /// Marks such a copy as `host.copied_there`.
  bool leaveToRuntime(Operation *op) {
    if (auto summary = dyn_cast<host::ScalarSummaryOp>(op)) {
      note("summary '" + summary.getTag().str() + "', " +
           sizeText(summary.getValue()) +
           ": copied to the host in steps whose summaries are written");
      return true;
    }
    auto copy = dyn_cast<memref::CopyOp>(op);
    if (!copy || !bytesOf(cast<MemRefType>(copy.getSource().getType())))
      return false;
    copy->setAttr(::ingot::hostgen::copiedThereAttrName,
                  UnitAttr::get(op->getContext()));
    auto target = dyn_cast<BlockArgument>(copy.getTarget());
    if (auto index = attributeOf(target, host::fetchAttrName))
      note("fetch " + nameIn(entry.getFetches(), index) + ", " +
           sizeText(target) + ": copied to the host when it is read");
    return true;
  }

  /// Returns the value of a slice that `op` passes to the runtime, or the
  /// memory for the combined value of all slices. The runtime finds or writes
  /// the newest bytes, on the host or on the device, so such a value does not
  /// count as accessed on the host. Returns null for other ops.
  static Value exchangedBy(Operation *op) {
    auto call = dyn_cast<host::CallOp>(op);
    if (!call)
      return {};
    StringRef callee = call.getCallee();
    if (callee == "ingot_op_exchange_add" ||
        callee == "ingot_op_exchange_finish_in_place")
      return call.getInputs()[1];
    if (callee == "ingot_op_exchange_finish" && !call.getOutputs().empty())
      return call.getOutputs()[0];
    return {};
  }

  /// Whether a kernel may have computed the contents of `buffer`: it is part of
  /// the arena, or a variable.
  bool isComputed(Value buffer) {
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    return buffer.getDefiningOp<host::SliceOp>() ||
           attributeOf(dyn_cast<BlockArgument>(buffer), host::variableAttrName);
  }

  IntegerAttr attributeOf(BlockArgument argument, StringRef name) {
    if (!argument || argument.getOwner() != &function.getBody().front())
      return {};
    return function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(),
                                                  name);
  }

  static std::string nameIn(ArrayAttr names, IntegerAttr index) {
    auto number = static_cast<size_t>(index.getInt());
    auto name = number < names.size() ? dyn_cast<StringAttr>(names[number])
                                      : StringAttr();
    return name ? ("'" + name.getValue() + "'").str() : std::to_string(number);
  }

  /// If `buffer`, an argument of a kernel, is a feed or an iterator's element,
  /// adds a remark that it is copied to the device.
  void noteUpload(Value buffer) {
    if (!isOnDevice)
      return;
    if (auto next = buffer.getDefiningOp<host::IteratorNextOp>())
      note("component " +
           std::to_string(cast<OpResult>(buffer).getResultNumber()) +
           " of iterator " + std::to_string(next.getIterator()) + ", " +
           sizeText(buffer) + ": copied to the device");
    else if (auto feed = attributeOf(dyn_cast<BlockArgument>(buffer),
                                     host::feedAttrName))
      note("feed " + nameIn(entry.getFeeds(), feed) + ", " + sizeText(buffer) +
           ": copied to the device");
  }

  void note(const std::string &text) {
    copies.insert(StringAttr::get(function.getContext(), text));
  }

  /// Records that the entry point's host code reads, or writes (`isWritten`),
  /// the range of the arena or the variable that `buffer` is a view of.
  void touch(Value buffer, bool isWritten) {
    while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
      buffer = view.getViewSource();
    if (auto slice = buffer.getDefiningOp<host::SliceOp>()) {
      auto type = cast<MemRefType>(slice.getBuffer().getType());
      if (auto bytes = bytesOf(type))
        add(INGOT_ARGUMENT_ARENA, slice.getOffset(), *bytes, isWritten);
      else
        isUnknown = true;
      return;
    }
    if (auto allocation = buffer.getDefiningOp<host::AllocateOp>())
      touchedBuffers.insert(allocation);
    auto argument = dyn_cast<BlockArgument>(buffer);
    if (!argument) {
      // A value that is neither a slice of the arena nor an argument is usually
      // memory outside of the arena, such as a constant, or memory that the
      // runtime allocated. But the result of a select, or of an op with
      // regions, may be any buffer, so it is unknown which memory is accessed.
      isUnknown |= buffer.getDefiningOp()->getNumRegions() != 0 ||
                   isa<arith::SelectOp>(buffer.getDefiningOp());
      return;
    }
    if (argument.getOwner() != &function.getBody().front()) {
      isUnknown = true;
      return;
    }
    addArgument(argument, isWritten);
  }

  /// Marks host.allocate and host.release of each buffer of dynamic size that
  /// the entry point's host code does not access, so that the buffer's contents
  /// stay on the device.
  void markBuffersForKernels() {
    auto unit = UnitAttr::get(function.getContext());
    function.walk([&](host::AllocateOp allocation) {
      if (touchedBuffers.contains(allocation))
        return;
      allocation->setAttr(::ingot::hostgen::forKernelsAttrName, unit);
      for (Operation *user : allocation.getBuffer().getUsers())
        if (isa<host::ReleaseOp>(user))
          user->setAttr(::ingot::hostgen::forKernelsAttrName, unit);
    });
  }

  void add(int64_t kind, int64_t number, int64_t size, bool isWritten) {
    if (!INGOT_MUTANT("stale_device_copy"))
      ranges[{kind, number, size}] |= isWritten;
  }

  /// Records an access to an argument of the entry point's function if it is a
  /// variable or a fetched tensor.
  void addArgument(BlockArgument argument, bool isWritten) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      return;
    int64_t size = bytesOf(type).value_or(0);
    if (auto number = attributeOf(argument, host::variableAttrName))
      add(INGOT_ARGUMENT_VARIABLE, number.getInt(), size, isWritten);
    else if (auto fetch = attributeOf(argument, host::fetchAttrName))
      add(INGOT_ARGUMENT_FETCH, fetch.getInt(), size, isWritten);
  }

  /// Records that the whole arena, all variables and all fetches are read and
  /// written. Called if an access could not be traced to a buffer.
  void addAll() {
    add(INGOT_ARGUMENT_ARENA, 0, arenaBytes, true);
    for (BlockArgument argument : function.getArguments())
      addArgument(argument, true);
  }

  func::FuncOp function;
  int64_t arenaBytes;
  bool isUnknown = false;
  host::EntryAttr entry;
  bool isOnDevice = false;
  llvm::SetVector<Attribute> copies;    // texts of remarks on copies
  DenseSet<Operation *> touchedBuffers; // allocations of dynamic size
  /// The ranges of memory that the entry point's host code accesses. The key is
  /// the range's kind (INGOT_ARGUMENT_*), its offset in the arena or the index
  /// of the variable or fetched tensor, and its size in bytes. The value is
  /// true if the range is written.
  std::map<std::tuple<int64_t, int64_t, int64_t>, bool> ranges;
};

struct AnnotateEntryMemoryAccesses
    : ::ingot::hostgen::impl::AnnotateEntryMemoryAccessesPassBase<
          AnnotateEntryMemoryAccesses> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function->hasAttr(host::arenaAttrName)) {
        DenseI64ArrayAttr ranges = HostAccessCollector(function).find();
        constexpr size_t numbersOfRange = 4;
        numRanges += ranges.size() / numbersOfRange;
        function->setAttr(::ingot::hostgen::hostMemoryAttrName, ranges);
      }
  }
};

} // namespace
