//===- VectorLoopLowering.cpp - A linalg op on buffers as loops -----------===//
// SPDX-License-Identifier: Apache-2.0

#include "codegen/CPU/VectorLoopLowering.h"
#include "codegen/Kernels/KernelAccess.h"
#include "runtime/ABI/Mutants.h"

#include "mlir/Transforms/RegionUtils.h"

#include <numeric>

using namespace mlir;

namespace ingot::cpu {

VectorLoopLowering::VectorLoopLowering(linalg::GenericOp op,
                                       unsigned vectorBits)
    : op(op), builder(op.getLoc(), op), ranges(op.getStaticLoopRanges()) {
  inner = static_cast<int64_t>(ranges.size()) - 1;
  unsigned widest = 8;
  for (Value operand : op->getOperands()) {
    Type element = getElementTypeOrSelf(operand.getType());
    unsigned bits = element.getIntOrFloatBitWidth();
    // A float of 16 bits takes a lane of 32 bits, as it is computed in f32.
    if (isa<FloatType>(element))
      bits = std::max(bits, 32u);
    // `widest`, the bits of the widest element type, determines how many lanes
    // a vector has. If the op computes floats, wider integers, such as indices
    // and labels, must not halve the number of lanes. So integers are ignored
    // as soon as an operand with elements of more than 8 bits has been found.
    if (isa<FloatType>(element) || widest == 8)
      widest = std::max(widest, bits);
  }
  maxLanes = std::max(1u, vectorBits / widest);
  sumLanes = sumLanesOf(op);
  row = inner;
}

SmallVector<Value> VectorLoopLowering::inputsOf(Operation &member) {
  SmallVector<Value> inputs(member.getOperands());
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(member.getRegions(), captured);
  inputs.append(captured.begin(), captured.end());
  return inputs;
}

bool VectorLoopLowering::isDynamic(int64_t dimension) const {
  return ShapedType::isDynamic(ranges[dimension]);
}

Value VectorLoopLowering::boundOf(int64_t dimension) {
  if (!isDynamic(dimension))
    return at(ranges[dimension]);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [index, expression] : llvm::enumerate(map.getResults()))
      if (expression == builder.getAffineDimExpr(dimension))
        return memref::DimOp::create(builder, operand.get(), index);
  }
  llvm_unreachable("every loop of a linalg op has an operand's size");
}

AccessPattern VectorLoopLowering::accessOf(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  AffineExpr dimension = builder.getAffineDimExpr(inner);
  int64_t position = -1;
  for (auto [index, expression] : llvm::enumerate(map.getResults()))
    if (expression == dimension)
      position = index;
    else if (expression.isFunctionOfDim(inner))
      return AccessPattern::Strided;
  if (position < 0)
    return AccessPattern::Invariant;
  auto type = cast<MemRefType>(operand.get().getType());
  auto [strides, offset] = type.getStridesAndOffset();
  return strides[position] == 1 ? AccessPattern::Contiguous
                                : AccessPattern::Strided;
}

bool VectorLoopLowering::canVectorize() {
  // In an elementwise op, lanes are elements of the result, so an output must
  // be contiguous along the innermost dimension. In a reduction, the lanes
  // share an element of the result, so an output must be invariant along this
  // dimension.
  for (OpOperand &operand : op->getOpOperands()) {
    AccessPattern access = accessOf(operand);
    if (access == AccessPattern::Strided)
      return false;
    bool isOutput = op.isDpsInit(&operand);
    if (isOutput && (access == AccessPattern::Invariant) != reduces)
      return false;
  }
  if (reduces)
    for (unsigned output = 0; output < op.getNumDpsInits(); ++output)
      if (!combinerOf(output) || op.getNumDpsInits() != 1)
        return false;
  for (Operation &member : op.getBlock()->without_terminator()) {
    // A load whose address differs between lanes becomes a vector load only if
    // the lanes' addresses are contiguous. Otherwise a gather would be needed,
    // so the loop is not vectorized.
    if (auto load = dyn_cast<memref::LoadOp>(member)) {
      if (!isUniformOrContiguous(load))
        return false;
    } else if (auto draw = dyn_cast<host::RandomBitsOp>(member)) {
      if (!isUniformOrContiguous(draw))
        return false;
    } else if (!isa<linalg::IndexOp>(member) &&
               !OpTrait::hasElementwiseMappableTraits(&member) &&
               !isa<arith::ConstantOp>(member)) {
      return false;
    }
  }
  return true;
}

/// Returns the stride of `value` from lane to lane, if it is provably 0 or 1.
/// Strides are derived through sums, differences and casts of indices. Any
/// other function of an index that differs between lanes has an unknown stride.
std::optional<int64_t> VectorLoopLowering::strideOf(Value value) {
  // An input that changes along the innermost dimension, such as the indices of
  // a gather, has an unknown stride, as it may have any value in each lane.
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == op.getBlock()) {
    OpOperand *operand = op.getMatchingOpOperand(argument);
    return op.isDpsInput(operand) &&
                   accessOf(*operand) == AccessPattern::Invariant
               ? std::optional<int64_t>(0)
               : std::nullopt;
  }
  Operation *definition = value.getDefiningOp();
  if (!definition || definition->getBlock() != op.getBlock())
    return 0;
  if (auto index = dyn_cast<linalg::IndexOp>(definition))
    return static_cast<int64_t>(index.getDim()) == inner ? 1 : 0;
  SmallVector<int64_t> strides;
  for (Value input : inputsOf(*definition)) {
    std::optional<int64_t> stride = strideOf(input);
    if (!stride)
      return std::nullopt;
    strides.push_back(*stride);
  }
  if (isa<arith::IndexCastOp>(definition))
    return strides[0];
  if (isa<arith::AddIOp>(definition) && strides[0] + strides[1] <= 1)
    return strides[0] + strides[1];
  if (isa<arith::SubIOp>(definition) && strides[1] == 0)
    return strides[0];
  if (llvm::all_of(strides, [](int64_t stride) { return stride == 0; }))
    return 0;
  return std::nullopt;
}

bool VectorLoopLowering::isUniformOrContiguous(memref::LoadOp load) {
  for (auto [position, index] : llvm::enumerate(load.getIndices())) {
    std::optional<int64_t> stride = strideOf(index);
    bool isLast = position + 1 == load.getIndices().size();
    if (!stride || (*stride == 1 && !isLast))
      return false;
    if (*stride == 0)
      continue;
    auto [strides, offset] = load.getMemRefType().getStridesAndOffset();
    if (strides.back() != 1)
      return false;
  }
  return true;
}

bool VectorLoopLowering::isUniformOrContiguous(host::RandomBitsOp draw) {
  return strideOf(draw.getKey()) == 0 && strideOf(draw.getLow()) == 0 &&
         strideOf(draw.getHigh()) == 0 && strideOf(draw.getIndex());
}

/// Returns a number that divides `value` in every iteration of the loops around
/// it. A loop's index, for example, is divided by the greatest common divisor
/// of the loop's lower bound and its step.
static int64_t divisorOf(Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant;
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return 1;
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  return loop && loop.getInductionVar() == value
             ? std::gcd(divisorOf(loop.getLowerBound()),
                        divisorOf(loop.getStep()))
             : 1;
}

int64_t VectorLoopLowering::divisorHere(Value value) {
  Operation *definition = value.getDefiningOp();
  if (auto index = dyn_cast_or_null<linalg::IndexOp>(definition))
    return divisorOf(position[index.getDim()]);
  auto of = [&](unsigned operand) {
    return divisorHere(definition->getOperand(operand));
  };
  if (isa_and_nonnull<arith::IndexCastOp>(definition))
    return of(0);
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(definition))
    return std::gcd(of(0), of(1));
  // Divisors are only compared with small powers of two, so they may be limited
  // to `most`, which keeps their product from overflowing.
  constexpr int64_t most = 1 << 20;
  if (isa_and_nonnull<arith::MulIOp>(definition))
    return std::gcd(of(0), most) * std::gcd(of(1), most);
  return divisorOf(value);
}

Value VectorLoopLowering::at(int64_t index) {
  return arith::ConstantIndexOp::create(builder, index);
}

SmallVector<Value> VectorLoopLowering::indicesOf(OpOperand &operand) {
  SmallVector<Value> indices;
  for (AffineExpr expression :
       op.getMatchingIndexingMap(&operand).getResults()) {
    if (auto dimension = dyn_cast<AffineDimExpr>(expression))
      indices.push_back(position[dimension.getPosition()]);
    else
      indices.push_back(at(cast<AffineConstantExpr>(expression).getValue()));
  }
  return indices;
}

void VectorLoopLowering::mapInner() {
  hoistInvariants();
  if (isDynamic(inner)) {
    auto [whole, size] = wholeVectors(vectorizes ? maxLanes : 1);
    if (vectorizes)
      loopOver(at(0), whole, maxLanes, [&] { step(maxLanes); });
    if (INGOT_MUTANT("wrong_loop_bound"))
      size = arith::MaxSIOp::create(
          builder, whole, arith::SubIOp::create(builder, size, at(1)));
    loopOver(vectorizes ? whole : at(0), size, 1, [&] { step(1); });
    return;
  }
  // A static remainder is at most one vector of each smaller power of two, so
  // no loop over single elements is needed. Any split is legal, as the
  // iterations of a parallel dimension are independent.
  int64_t size = ranges[inner], done = 0;
  for (int64_t lanes = vectorizes ? maxLanes : 1; done < size; lanes /= 2) {
    int64_t count = (size - done) / lanes;
    if (lanes == 1 && count > 1) {
      loopOver(at(done), at(size), 1, [&] { step(1); });
      return;
    }
    if (count > 1)
      loopOver(at(done), at(done + count * lanes), lanes, [&] { step(lanes); });
    else if (count == 1) {
      position[inner] = at(done);
      step(lanes);
    }
    done += count * lanes;
  }
}

std::pair<Value, Value> VectorLoopLowering::wholeVectors(int64_t lanes) {
  Value size = boundOf(inner);
  Value rest = arith::RemUIOp::create(builder, size, at(lanes));
  return {arith::SubIOp::create(builder, size, rest), size};
}

void VectorLoopLowering::hoistLoads() {
  DenseSet<Value> written;
  for (OpOperand &init : op.getDpsInitsMutable())
    written.insert(::ingot::kernels::rootOf(init.get()));
  for (auto load : op.getBlock()->getOps<memref::LoadOp>()) {
    MemRefType type = load.getMemRefType();
    // A hoisted load runs even if the loops have no iteration, so it is hoisted
    // only if its indices are provably in bounds.
    bool isInside = llvm::all_of(
        llvm::enumerate(load.getIndices()), [&](const auto &index) {
          std::optional<int64_t> place = getConstantIntValue(index.value());
          return place && *place < type.getDimSize(index.index());
        });
    if (isInside && load.getMemRef().getParentBlock() != op.getBlock() &&
        !written.contains(::ingot::kernels::rootOf(load.getMemRef()))) {
      SmallVector<Value> indices;
      for (Value index : load.getIndices())
        indices.push_back(at(*getConstantIntValue(index)));
      hoistedLoads[load] =
          memref::LoadOp::create(builder, load.getMemRef(), indices);
    }
  }
}

void VectorLoopLowering::step(int64_t lanes) {
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!argument.use_empty())
      mapping.map(argument, load(operand, lanes));
  }
  compute(mapping, lanes, nullptr);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    unsigned output = init.getOperandNumber() - op.getNumDpsInputs();
    Value value = mapping.lookupOrDefault(
        op.getBlock()->getTerminator()->getOperand(output));
    value = widen(value, lanes);
    if (lanes == 1)
      memref::StoreOp::create(builder, value, init.get(), indicesOf(init));
    else
      storeVector(value, init.get(), indicesOf(init));
  }
}

Value VectorLoopLowering::widen(Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, VectorType::get({lanes}, value.getType()), value);
}

void VectorLoopLowering::compute(IRMapping &mapping, int64_t lanes,
                                 Operation *except) {
  for (Operation &member : op.getBlock()->without_terminator()) {
    if (&member == except)
      continue;
    if (Value hoisted = hoistedLoads.lookup(&member)) {
      mapping.map(member.getResult(0), hoisted);
      continue;
    }
    if (auto index = dyn_cast<linalg::IndexOp>(member)) {
      mapping.map(index.getResult(), indexValue(index.getDim(), lanes));
      continue;
    }
    // An op of the body becomes a vector op only if one of its inputs is a
    // vector. Otherwise all lanes have the same inputs, so the op stays scalar.
    bool onVectors = llvm::any_of(inputsOf(member), [&](Value input) {
      return isa<VectorType>(mapping.lookupOrDefault(input).getType());
    });
    if (!onVectors) {
      builder.clone(member, mapping);
      continue;
    }
    if (auto load = dyn_cast<memref::LoadOp>(member)) {
      mapping.map(load.getResult(),
                  areNeighbours() && isUniformOrContiguous(load)
                      ? loadNeighbours(load, mapping, lanes)
                      : gatherPlaces(load, mapping, lanes));
      continue;
    }
    if (auto draw = dyn_cast<host::RandomBitsOp>(member);
        draw && areNeighbours() && isUniformOrContiguous(draw)) {
      mapping.map(draw.getBits(), drawNeighbours(draw, mapping, lanes));
      continue;
    }
    if (!OpTrait::hasElementwiseMappableTraits(&member)) {
      computeLanesAlone(member, mapping, lanes);
      continue;
    }
    OperationState state(member.getLoc(), member.getName());
    for (Value operand : member.getOperands())
      state.operands.push_back(widen(mapping.lookupOrDefault(operand), lanes));
    if (INGOT_MUTANT("swapped_subtraction") && isa<arith::SubFOp>(member))
      std::swap(state.operands[0], state.operands[1]);
    if (INGOT_MUTANT("wrong_on_one_level") && lanes == 8 &&
        isa<arith::MulFOp>(member))
      state.operands[1] = state.operands[0];
    for (Type type : member.getResultTypes())
      state.types.push_back(VectorType::get({lanes}, type));
    state.addAttributes(llvm::to_vector(member.getDiscardableAttrs()));
    state.propertiesAttr = member.getPropertiesAsAttribute();
    Operation *clone = builder.create(state);
    mapping.map(member.getResults(), clone->getResults());
  }
}

} // namespace ingot::cpu
