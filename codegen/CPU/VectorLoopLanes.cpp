//===- VectorLoopLanes.cpp - The lanes of a loop's vectors ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Computes which element of a row each lane of a vector has, and loads operands
// into the lanes. An operand whose elements are not contiguous in memory is
// loaded lane by lane. Even then, the body of the op is computed on vectors: a
// copy of the body for each lane would multiply the size of the kernel and its
// compile time.
//
//===----------------------------------------------------------------------===//

#include "codegen/CPU/VectorLoopLowering.h"
#include "runtime/ABI/Mutants.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace ingot::cpu {

int64_t VectorLoopLowering::sizeOfRow() const {
  int64_t size = 1;
  for (int64_t dimension = row; dimension <= inner; ++dimension) {
    if (isDynamic(dimension))
      return ShapedType::kDynamic;
    size *= ranges[dimension];
  }
  return size;
}

std::pair<Value, Value> VectorLoopLowering::boundsOfRow(int64_t lanes) {
  if (int64_t size = sizeOfRow(); !ShapedType::isDynamic(size))
    return {at(size), at(size / lanes * lanes)};
  Value size = boundOf(row);
  for (int64_t dimension = row + 1; dimension <= inner; ++dimension)
    size = arith::MulIOp::create(builder, size, boundOf(dimension));
  Value rest = arith::RemUIOp::create(builder, size, at(lanes));
  return {size, arith::SubIOp::create(builder, size, rest)};
}

void VectorLoopLowering::moveInRow(Value index) {
  for (int64_t dimension = inner; dimension > row; --dimension) {
    Value size = boundOf(dimension);
    position[dimension] = arith::RemUIOp::create(builder, index, size);
    index = arith::DivUIOp::create(builder, index, size);
  }
  position[row] = index;
}

void VectorLoopLowering::moveLanes(Value index, int64_t lanes) {
  lanePositions.clear();
  // `index` is a multiple of `lanes`. If the size of the innermost loop is also
  // a multiple of `lanes`, all lanes are in the same iteration of the enclosing
  // loops, and one position is enough. Otherwise each lane needs a position of
  // its own.
  bool crosses = lanes > 1 && row != inner &&
                 (isDynamic(inner) || ranges[inner] % lanes != 0);
  for (int64_t lane = 0; crosses && lane < lanes; ++lane) {
    moveInRow(arith::AddIOp::create(builder, index, at(lane)));
    lanePositions.push_back(position);
  }
  moveInRow(index);
}

SmallVector<Value> VectorLoopLowering::positionOf(int64_t lane) {
  if (!areNeighbours())
    return lanePositions[lane];
  SmallVector<Value> place = position;
  place[inner] = arith::AddIOp::create(builder, place[inner], at(lane));
  return place;
}

void VectorLoopLowering::hoistInvariants() {
  for (int64_t dimension = row; dimension <= inner; ++dimension)
    position[dimension] = at(0);
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (llvm::none_of(llvm::seq(row, inner + 1), [&](int64_t dimension) {
          return map.isFunctionOfDim(dimension);
        }))
      hoisted[operand->getOperandNumber()] = loadElement(*operand);
  }
}

Value VectorLoopLowering::loadElement(OpOperand &operand) {
  if (!isa<MemRefType>(operand.get().getType()))
    return operand.get();
  return memref::LoadOp::create(builder, operand.get(), indicesOf(operand));
}

Value VectorLoopLowering::load(OpOperand &operand, int64_t lanes) {
  if (Value value = hoisted.lookup(operand.getOperandNumber()))
    return value;
  if (lanes == 1)
    return loadElement(operand);
  AccessPattern access = accessOf(operand);
  if (areNeighbours() && access == AccessPattern::Invariant)
    return loadElement(operand);
  if (areNeighbours() && access == AccessPattern::Contiguous)
    return loadVector(operand.get(), indicesOf(operand), lanes);
  SmallVector<SmallVector<Value>> places;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    llvm::SaveAndRestore here(position, positionOf(lane));
    places.push_back(indicesOf(operand));
  }
  return gather(operand.get(), places);
}

/// Casts a buffer of booleans to a buffer of bytes: a boolean is a byte in
/// memory, and a bit in a vector.
static Value bytesOf(ImplicitLocOpBuilder &builder, Value buffer) {
  MemRefType type = MemRefType::Builder(cast<MemRefType>(buffer.getType()))
                        .setElementType(builder.getI8Type());
  return UnrealizedConversionCastOp::create(builder, type, buffer).getResult(0);
}

/// Converts a vector of bytes that are booleans to one of bits.
static Value bitsOf(ImplicitLocOpBuilder &builder, Value bytes) {
  Value zeros =
      arith::ConstantOp::create(builder, builder.getZeroAttr(bytes.getType()));
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::ne, bytes, zeros);
}

Value VectorLoopLowering::loadVector(Value buffer, ValueRange indices,
                                     int64_t lanes) {
  Type element = getElementTypeOrSelf(buffer.getType());
  if (!element.isInteger(1))
    return vector::LoadOp::create(builder, VectorType::get({lanes}, element),
                                  buffer, indices);
  auto type = VectorType::get({lanes}, builder.getI8Type());
  return bitsOf(builder, vector::LoadOp::create(
                             builder, type, bytesOf(builder, buffer), indices));
}

void VectorLoopLowering::storeVector(Value value, Value buffer,
                                     ValueRange indices) {
  auto type = cast<VectorType>(value.getType());
  if (type.getElementType().isInteger(1)) {
    value =
        arith::ExtUIOp::create(builder, type.clone(builder.getI8Type()), value);
    buffer = bytesOf(builder, buffer);
  }
  vector::StoreOp::create(builder, value, buffer, indices);
}

Value VectorLoopLowering::fromElements(ArrayRef<Value> elements) {
  auto type = VectorType::get({static_cast<int64_t>(elements.size())},
                              elements.front().getType());
  return vector::FromElementsOp::create(builder, type, elements);
}

Value VectorLoopLowering::gather(Value buffer,
                                 ArrayRef<SmallVector<Value>> places) {
  bool areBooleans = getElementTypeOrSelf(buffer.getType()).isInteger(1);
  if (areBooleans)
    buffer = bytesOf(builder, buffer);
  SmallVector<Value> elements;
  for (ArrayRef<Value> place : places)
    elements.push_back(memref::LoadOp::create(builder, buffer, place));
  Value gathered = fromElements(elements);
  return areBooleans ? bitsOf(builder, gathered) : gathered;
}

Value VectorLoopLowering::gatherPlaces(memref::LoadOp load, IRMapping &mapping,
                                       int64_t lanes) {
  SmallVector<SmallVector<Value>> places(lanes);
  for (auto [lane, place] : llvm::enumerate(places))
    for (Value index : load.getIndices()) {
      Value value = mapping.lookupOrDefault(index);
      if (isa<VectorType>(value.getType()))
        value = vector::ExtractOp::create(builder, value,
                                          static_cast<int64_t>(lane));
      place.push_back(value);
    }
  return gather(mapping.lookupOrDefault(load.getMemRef()), places);
}

void VectorLoopLowering::computeLanesAlone(Operation &member,
                                           IRMapping &mapping, int64_t lanes) {
  SmallVector<Value> start;
  for (Type type : member.getResultTypes())
    start.push_back(arith::ConstantOp::create(
        builder, builder.getZeroAttr(VectorType::get({lanes}, type))));
  auto loop = scf::ForOp::create(builder, at(0), at(lanes), at(1), start);
  mapping.map(member.getResults(), loop.getResults());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  Value lane = loop.getInductionVar();
  IRMapping alone;
  for (Value input : inputsOf(member)) {
    Value value = mapping.lookupOrDefault(input);
    if (isa<VectorType>(value.getType()))
      value = vector::ExtractOp::create(builder, value, lane);
    alone.map(input, value);
  }
  SmallVector<Value> results;
  for (auto [result, into] :
       llvm::zip(builder.clone(member, alone)->getResults(),
                 loop.getRegionIterArgs()))
    results.push_back(vector::InsertOp::create(builder, result, into, lane));
  scf::YieldOp::create(builder, results);
}

Value VectorLoopLowering::loadNeighbours(memref::LoadOp load,
                                         IRMapping &mapping, int64_t lanes) {
  SmallVector<Value> indices;
  for (Value index : load.getIndices()) {
    Value value = mapping.lookupOrDefault(index);
    if (isa<VectorType>(value.getType()))
      value = vector::ExtractOp::create(builder, value, 0);
    indices.push_back(value);
  }
  return loadVector(mapping.lookupOrDefault(load.getMemRef()), indices, lanes);
}

Value VectorLoopLowering::drawNeighbours(host::RandomBitsOp draw,
                                         IRMapping &mapping, int64_t lanes) {
  // The generator produces whole blocks of numbers (Philox: four numbers of 32
  // bits). If a block has more numbers than the vector has lanes, draw a whole
  // block and drop the numbers that are not needed.
  int64_t each = draw.numbersOfBlock(), count = std::max(lanes, each);
  Value first = vector::ExtractOp::create(
      builder, mapping.lookupOrDefault(draw.getIndex()), 0);
  if (INGOT_MUTANT("random_number_of_a_neighbour"))
    first = arith::AddIOp::create(
        builder, first,
        arith::ConstantOp::create(
            builder, builder.getIntegerAttr(first.getType(), each)));
  auto type = VectorType::get({count}, draw.getType());
  Value bits = host::RandomBitsOp::create(
      builder, type, mapping.lookupOrDefault(draw.getKey()),
      mapping.lookupOrDefault(draw.getLow()),
      mapping.lookupOrDefault(draw.getHigh()), first,
      /*aligned=*/divisorHere(draw.getIndex()) % each == 0);
  if (count == lanes)
    return bits;
  auto kept = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  return vector::ShuffleOp::create(builder, bits, bits, kept);
}

Value VectorLoopLowering::indexValue(uint64_t dimension, int64_t lanes) {
  Value start = position[dimension];
  auto loop = static_cast<int64_t>(dimension);
  if (lanes == 1 || loop < row || (areNeighbours() && loop != inner))
    return start;
  if (!areNeighbours()) {
    SmallVector<Value> indices;
    for (ArrayRef<Value> place : lanePositions)
      indices.push_back(place[dimension]);
    return fromElements(indices);
  }
  auto type = VectorType::get({lanes}, builder.getIndexType());
  SmallVector<Attribute> offsets;
  for (int64_t lane = 0; lane < lanes; ++lane)
    offsets.push_back(builder.getIndexAttr(lane));
  Value steps =
      arith::ConstantOp::create(builder, DenseElementsAttr::get(type, offsets));
  return arith::AddIOp::create(
      builder, vector::BroadcastOp::create(builder, type, start), steps);
}

} // namespace ingot::cpu
