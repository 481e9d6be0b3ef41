//===- MemoryAccessTrace.cpp - A function's memory accesses, in order -----===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/MemoryAccessTrace.h"

#include "dialects/Host/HostDialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace ingot::codegen {

/// The attribute (i64) with the number of an op. Each op that accesses memory,
/// and each loop, has this attribute while a pass runs, so that the op can be
/// identified after the pass.
static constexpr StringLiteral numberAttrName = "host.access";
/// The attribute that marks a kernel's grid loop: its iterations are
/// independent of one another.
static constexpr StringLiteral gridAttrName = "host.grid_loop";

static bool isMemory(Value value) {
  return isa<MemRefType, RankedTensorType>(value.getType());
}

/// Whether the trace records `op` as an event: it accesses memory, or returns
/// from the function. Views and `dim` ops are not events, because they access
/// no element. Neither are loops and other ops with regions, but the ops in
/// their bodies are. A linalg op is one event.
static bool isEvent(Operation *op) {
  if (isa<func::ReturnOp>(op))
    return true;
  return llvm::any_of(op->getOperands(), isMemory) &&
         !op->hasTrait<OpTrait::IsTerminator>() &&
         !isa<memref::DimOp, memref::DeallocOp, host::ReleaseOp>(op) &&
         !isa<ViewLikeOpInterface>(op) &&
         (op->getNumRegions() == 0 || isa<linalg::LinalgOp>(op));
}

/// Calls `visit` for each op of the function, in program order, but not for the
/// scalar ops in bodies of linalg ops.
static void forOps(func::FuncOp function,
                   llvm::function_ref<void(Operation *)> visit) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    visit(op);
    return op->getNumRegions() != 0 && isa<linalg::LinalgOp>(op)
               ? WalkResult::skip()
               : WalkResult::advance();
  });
}

void numberAccesses(func::FuncOp function) {
  Builder builder(function.getContext());
  StringAttr name = builder.getStringAttr(numberAttrName);
  int64_t next = 0;
  forOps(function, [&](Operation *op) {
    if (isEvent(op) ||
        (op->getNumRegions() != 0 && isa<LoopLikeOpInterface>(op)))
      op->setDiscardableAttr(name, builder.getI64IntegerAttr(next++));
  });
}

void dropNumbers(func::FuncOp function) {
  auto name = StringAttr::get(function.getContext(), numberAttrName);
  function.walk([&](Operation *op) {
    if (op->getDiscardableAttr(name))
      op->removeDiscardableAttr(name);
  });
}

int64_t numberOf(Operation *op) {
  auto number =
      dyn_cast_or_null<IntegerAttr>(op->getDiscardableAttr(numberAttrName));
  return number ? number.getInt() : -1;
}

static int64_t bytesOf(Type element) {
  return element.isIntOrFloat()
             ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8)
             : 8;
}

/// Sets `place` to the bytes that a view of type `type` covers, as offsets from
/// the start of its buffer. Returns false if shape, strides or offset are
/// dynamic, or a stride is negative.
static bool narrow(MemRefType type, ByteInterval &place) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      ShapedType::isDynamic(offset) || ShapedType::isDynamicShape(strides))
    return false;
  int64_t last = offset;
  for (auto [size, stride] : llvm::zip(type.getShape(), strides)) {
    if (stride < 0)
      return false;
    last += std::max<int64_t>(size - 1, 0) * stride;
  }
  int64_t bytes = bytesOf(type.getElementType());
  bool isEmpty = type.getNumElements() == 0;
  place = {offset * bytes, (isEmpty ? offset : last + 1) * bytes};
  return true;
}

/// Returns the buffer that `view` is a view of, directly or through other
/// views, and a range of the buffer's bytes that includes those of `view`. If
/// `view` has a static layout, the range is exact. Otherwise `view` is made
/// from other views, and the range is that of the nearest of these that has a
/// static layout, or the whole buffer if none has.
static std::pair<Value, ByteInterval> stretchOf(Value view) {
  ByteInterval bytes;
  bool isKnown = false;
  for (;;) {
    Operation *op = view.getDefiningOp();
    bool isAnywhere = isa_and_nonnull<memref::ReinterpretCastOp,
                                      memref::ExtractStridedMetadataOp>(op);
    if (!isKnown && !isAnywhere)
      isKnown = narrow(cast<MemRefType>(view.getType()), bytes);
    auto source = dyn_cast_or_null<ViewLikeOpInterface>(op);
    if (!source || isa<memref::ViewOp>(op))
      return {view, isKnown ? bytes : ByteInterval()};
    view = source.getViewSource();
  }
}

/// Returns the loops and branches around `op`, outermost first.
static SmallVector<EnclosingLoopOrBranch, 2> scopesOf(Operation *op) {
  SmallVector<EnclosingLoopOrBranch, 2> scopes;
  for (; op && !isa<func::FuncOp>(op); op = op->getParentOp()) {
    Operation *parent = op->getParentOp();
    bool isLoop = isa_and_nonnull<LoopLikeOpInterface>(parent);
    if (isLoop || isa_and_nonnull<scf::IfOp>(parent))
      scopes.push_back({parent, isLoop ? numberOf(parent) : -1,
                        op->getParentRegion()->getRegionNumber(), isLoop,
                        isLoop && parent->hasAttr(gridAttrName)});
  }
  std::reverse(scopes.begin(), scopes.end());
  return scopes;
}

/// If `value`, which defines `buffer`, is a range of a block of memory that
/// several buffers share, sets `buffer.shared` to the block and `buffer.place`
/// to the range. Such values are a `host.slice` of an arena, and a
/// `memref.view` of a byte buffer.
static void placeIn(Value value, AccessTraceBuffer &buffer) {
  Operation *op = value.getDefiningOp();
  auto type = dyn_cast<MemRefType>(value.getType());
  ByteInterval own;
  if (!op || !type || !narrow(type, own))
    return;
  if (auto slice = dyn_cast<host::SliceOp>(op)) {
    buffer.shared = slice.getArena().getAsOpaquePointer();
    auto offset = static_cast<int64_t>(slice.getOffset());
    buffer.place = {offset, offset + own.end};
  } else if (auto part = dyn_cast<memref::ViewOp>(op)) {
    Value block = stretchOf(part.getSource()).first;
    buffer.shared = block.getAsOpaquePointer();
    if (std::optional<int64_t> shift = getConstantIntValue(part.getByteShift()))
      buffer.place = {*shift, *shift + own.end};
  }
}

unsigned MemoryAccessTrace::bufferOf(Value value) {
  auto [it, isNew] = numbers.try_emplace(value, buffers.size());
  if (!isNew)
    return it->second;
  AccessTraceBuffer buffer{
      isa<BlockArgument>(value), nullptr, ByteInterval(), {}};
  if (Operation *op = value.getDefiningOp())
    buffer.scopes = scopesOf(op);
  placeIn(value, buffer);
  buffers.push_back(std::move(buffer));
  return it->second;
}

void MemoryAccessTrace::add(TracedOpAccesses &event, OpOperand &operand,
                            bool reads, bool writes) {
  Value view = operand.get();
  if (!isMemory(view) || (!reads && !writes))
    return;
  auto [place, isNew] = places.try_emplace(view);
  if (isNew) {
    auto [buffer, bytes] = isa<MemRefType>(view.getType())
                               ? stretchOf(view)
                               : std::pair(view, ByteInterval());
    place->second = {bufferOf(buffer), bytes};
  }
  auto [buffer, bytes] = place->second;
  MemoryAccess access{&operand, buffer, bytes, reads, writes};
  event.accesses.push_back(access);
}

void MemoryAccessTrace::addResults(TracedOpAccesses &event,
                                   func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (isa<MemRefType>(argument.getType()))
      event.accesses.push_back(
          {nullptr, bufferOf(argument), ByteInterval(), /*reads=*/true, false});
}

void MemoryAccessTrace::addLinalg(TracedOpAccesses &event) {
  auto op = cast<linalg::LinalgOp>(event.op);
  for (OpOperand &operand : op->getOpOperands())
    add(event, operand, op.payloadUsesValueFromOperand(&operand),
        op.isDpsInit(&operand));
  op.getBlock()->walk([&](Operation *inner) {
    if (!isa<memref::DimOp, tensor::DimOp>(inner))
      for (OpOperand &operand : inner->getOpOperands())
        add(event, operand, /*reads=*/true, /*writes=*/false);
  });
}

void MemoryAccessTrace::addEffects(TracedOpAccesses &event) {
  auto op = cast<MemoryEffectOpInterface>(event.op);
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffectsOnValue(operand.get(), effects);
    bool reads = isa<TensorType>(operand.get().getType()), writes = false;
    for (const MemoryEffects::EffectInstance &effect : effects) {
      reads |= isa<MemoryEffects::Read>(effect.getEffect());
      writes |= isa<MemoryEffects::Write>(effect.getEffect());
    }
    // If an op declares no effect on an operand, assume that it both reads and
    // writes the operand, unless the op declares that it has no effects at all.
    bool isOpen = effects.empty() && !op.hasNoEffect();
    add(event, operand, reads || isOpen, writes || isOpen);
  }
}

void MemoryAccessTrace::addAccesses(TracedOpAccesses &event) {
  Operation *op = event.op;
  if (isa<linalg::LinalgOp>(op))
    return addLinalg(event);
  if (auto call = dyn_cast<host::CallOp>(op)) {
    for (OpOperand &input : call.getInputsMutable())
      add(event, input, /*reads=*/true, /*writes=*/false);
    for (OpOperand &output : call.getOutputsMutable())
      add(event, output, /*reads=*/false, /*writes=*/true);
    return;
  }
  auto destination = dyn_cast<DestinationStyleOpInterface>(op);
  if (!destination && !isa_and_nonnull<host::HostDialect>(op->getDialect()) &&
      isa<MemoryEffectOpInterface>(op))
    return addEffects(event);
  for (OpOperand &operand : op->getOpOperands())
    add(event, operand, /*reads=*/true,
        destination && destination.isDpsInit(&operand));
}

/// Whether the op only copies elements from its first operand to its second.
static bool isCopy(Operation *op) {
  if (isa<memref::CopyOp, linalg::CopyOp, linalg::TransposeOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return generic && generic.getNumDpsInputs() == 1 &&
         generic.getNumDpsInits() == 1 &&
         generic.getBlock()->getTerminator()->getOperand(0) ==
             generic.getBlock()->getArgument(0);
}

MemoryAccessTrace::MemoryAccessTrace(func::FuncOp function) {
  forOps(function, [&](Operation *op) {
    if (!isEvent(op))
      return;
    TracedOpAccesses event{op, numberOf(op), isCopy(op), {}, scopesOf(op)};
    if (isa<func::ReturnOp>(op))
      addResults(event, function);
    addAccesses(event);
    event.isCopy &= event.accesses.size() == 2;
    events.push_back(std::move(event));
  });
}

/// Whether the view has all elements of its source, possibly with another shape
/// or type.
static bool isWhole(Operation *view) {
  if (auto slice = dyn_cast<memref::SubViewOp>(view))
    return slice.getType().hasStaticShape() &&
           slice.getSourceType().hasStaticShape() &&
           slice.getType().getNumElements() ==
               slice.getSourceType().getNumElements();
  return isa<memref::CastOp, memref::ExpandShapeOp, memref::CollapseShapeOp,
             memref::ReshapeOp, memref::MemorySpaceCastOp>(view);
}

/// Follows reshapes and casts from `view` back to a value that is neither of
/// these: a subview or a buffer with the same elements as `view`. Returns this
/// value, which is `view` itself if `view` is neither a reshape nor a cast.
static Value partOf(Value view) {
  while (auto op = view.getDefiningOp<ViewLikeOpInterface>()) {
    if (!isWhole(op))
      break;
    view = op.getViewSource();
  }
  return view;
}

/// Whether two views are equal: made by the same ops with equal operands from
/// the same buffer.
static bool areEqual(Value one, Value other) {
  one = partOf(one);
  other = partOf(other);
  if (one == other)
    return true;
  auto a = one.getDefiningOp<ViewLikeOpInterface>();
  auto b = other.getDefiningOp<ViewLikeOpInterface>();
  return a && b && a->getName() == b->getName() &&
         a->getResultTypes() == b->getResultTypes() &&
         a->getPropertiesAsAttribute() == b->getPropertiesAsAttribute() &&
         llvm::equal(a->getOperands().drop_front(),
                     b->getOperands().drop_front()) &&
         areEqual(a.getViewSource(), b.getViewSource());
}

bool covers(Value one, Value other) {
  return !partOf(one).getDefiningOp<ViewLikeOpInterface>() ||
         areEqual(one, other);
}

bool areExclusive(const TracedOpAccesses &one, const TracedOpAccesses &other) {
  for (auto [a, b] : llvm::zip(one.scopes, other.scopes)) {
    if (a.op != b.op)
      return false;
    if (a.region != b.region)
      return !a.isLoop;
  }
  return false;
}

} // namespace ingot::codegen
