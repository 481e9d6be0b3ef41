//===- StagedGEMM.cpp - GEMM operands in shared memory stages -------------===//
// SPDX-License-Identifier: Apache-2.0
//
// How threads copy GEMM operands from global memory to a stage in shared
// memory: the swizzled layout of a stage, the division of loads among threads,
// and rounding.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/StagedGEMM.h"

#include "codegen/PTX/DeviceConstants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ingot::ptx {

std::optional<Precision> StagedGEMM::typeFor(const KernelGEMM &product,
                                             Precision precision) {
  Type factor = product.factorType();
  if (!getElementTypeOrSelf(product.op->getOperands().back().getType()).isF32())
    return std::nullopt;
  if (factor.isF32() && precision != Precision::F32)
    return precision;
  if (factor.isBF16())
    return Precision::BF16;
  return factor.isF16() ? std::optional(Precision::F16) : std::nullopt;
}

StagedGEMM::StagedGEMM(ImplicitLocOpBuilder &builder, KernelGEMM &product,
                       Precision type, int64_t rows, int64_t columns,
                       int64_t rowBytes, int64_t loaders, bool transposes)
    : GEMMTile(builder, product, rows, columns), type(type),
      bytes(type == Precision::TF32 ? 4 : 2), rowBytes(rowBytes),
      depth(rowBytes / bytes), loaders(loaders),
      layouts{layoutOf(0, transposes), layoutOf(1, transposes)},
      stageBytes((rows + columns) * rowBytes) {}

StagedGEMM::OperandLayout StagedGEMM::layoutOf(unsigned factor,
                                               bool transposes) const {
  OperandLayout layout;
  layout.isKMajor = isKMajor(factor);
  layout.width = factor == 0 ? rows : columns;
  layout.isTransposed = transposes && bytes == 4 && !layout.isKMajor;
  layout.inner = layout.isKMajor ? depth : layout.width;
  layout.outer = layout.isKMajor ? layout.width : depth;
  layout.perLoad =
      groupBytes * 8 / product.factorType().getIntOrFloatBitWidth();
  layout.loads = layout.width * depth / layout.perLoad / loaders;
  layout.offset = factor == 0 ? 0 : rows * rowBytes;
  return layout;
}

memref::AllocOp StagedGEMM::makeShared(int64_t size, int64_t alignment) {
  auto memory =
      memref::AllocOp::create(b, MemRefType::get({size}, b.getI8Type()),
                              b.getI64IntegerAttr(alignment));
  Value address = arith::IndexCastOp::create(
      b, b.getI64Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, memory));
  shared = LLVM::AddrSpaceCastOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), sharedSpace),
      LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                               address));
  return memory;
}

Value StagedGEMM::i32(int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), value);
}

Value StagedGEMM::number(Value index) {
  return arith::IndexCastUIOp::create(b, b.getI32Type(), index);
}

Value StagedGEMM::word(Value offset) {
  return LLVM::GEPOp::create(b, shared.getType(), b.getI8Type(), shared,
                             ArrayRef<LLVM::GEPArg>{offset});
}

/// The size, in bytes, of a row in the widest swizzle, which spans all banks.
/// Rows of an MN-major stage have this size, as wgmma requires.
static constexpr int64_t widestSwizzleBytes = 128;

/// Returns the byte offset of a group of 16 bytes in a stage, in the XOR
/// swizzle that `wgmma` descriptors define: a group is stored at its index in
/// the row XOR a function of the row. A warp reads the groups with the same
/// index in several rows at once, and the swizzle puts them into different
/// banks.
Value StagedGEMM::swizzled(const OperandLayout &layout, Value outer,
                           Value group) {
  auto mul = [&](Value value, int64_t by) -> Value {
    return arith::MulIOp::create(b, value, i32(by));
  };
  auto rem = [&](Value value, int64_t by) -> Value {
    return arith::RemUIOp::create(b, value, i32(by));
  };
  auto div = [&](Value value, int64_t by) -> Value {
    return arith::DivUIOp::create(b, value, i32(by));
  };
  auto sum = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(b, x, y);
  };
  Value place;
  if (layout.isStagedKMajor()) {
    // A row of 128 bytes has 8 groups and spans all 32 banks, so the swizzle
    // repeats after 8 rows. A row of 64 bytes has 4 groups and spans half of
    // the banks: each pair of rows has one permutation, and the swizzle repeats
    // after 4 pairs.
    Value turn =
        rowBytes == widestSwizzleBytes ? rem(outer, 8) : rem(div(outer, 2), 4);
    Value turned = arith::XOrIOp::create(b, group, turn);
    place = sum(mul(outer, rowBytes), mul(turned, groupBytes));
  } else {
    // In an MN-major stage of 32-bit elements, a warp reads eight elements from
    // each of four rows at once. So four different permutations of a row's
    // groups are enough.
    constexpr int64_t groups = widestSwizzleBytes / groupBytes;
    Value turn = bytes == 2 ? rem(outer, groups) : mul(rem(outer, 4), 2);
    Value turned = arith::XOrIOp::create(b, rem(group, groups), turn);
    Value block = mul(div(group, groups), depth * widestSwizzleBytes);
    place = sum(sum(block, mul(outer, widestSwizzleBytes)),
                mul(turned, groupBytes));
  }
  return sum(place, i32(layout.offset));
}

//===----------------------------------------------------------------------===//
// Copies of operand tiles from global memory to a stage in shared memory
//===----------------------------------------------------------------------===//

/// Whether each group of 16 bytes of the factor can be read by one vector load.
bool StagedGEMM::readsWhole(unsigned factor) const {
  return canReadGroups(factor, layouts[factor].perLoad);
}

/// Whether the factor's sizes are multiples of the tile's sizes, so that no
/// load needs a bounds check.
bool StagedGEMM::isAllInside(unsigned factor) const {
  auto isWhole = [&](unsigned loop, int64_t tile) {
    int64_t size = product.sizeOf(loop);
    return !ShapedType::isDynamic(size) && size % tile == 0;
  };
  return isWhole(factor == 0 ? product.row : product.column,
                 layouts[factor].width) &&
         isWhole(product.sum(), depth);
}

/// Returns the row and the first column of the thread's group number `i`, in
/// the operand's tile as global memory stores it. Neighbouring threads load
/// neighbouring groups, so that loads are coalesced. If the operand is
/// transposed when it is stored to the stage, a warp loads two groups from each
/// of 16 rows instead, so that its stores spread over all banks.
std::pair<Value, Value> StagedGEMM::divide(const OperandLayout &layout,
                                           int64_t i) {
  Value place = number(add(thread, i * loaders));
  auto divide = [&](Value &rest, int64_t by) -> Value {
    Value low = arith::RemUIOp::create(b, rest, i32(by));
    rest = arith::DivUIOp::create(b, rest, i32(by));
    return low;
  };
  auto combine = [&](Value high, int64_t by, Value low) -> Value {
    return arith::AddIOp::create(b, arith::MulIOp::create(b, high, i32(by)),
                                 low);
  };
  constexpr int64_t groups = 2, outers = 16;
  Value inner, outer;
  if (layout.isTransposed) {
    Value lowInner = divide(place, groups), lowOuter = divide(place, outers);
    Value highInner = divide(place, layout.inner / layout.perLoad / groups);
    inner = combine(highInner, groups, lowInner);
    outer = combine(place, outers, lowOuter);
  } else {
    inner = divide(place, layout.inner / layout.perLoad);
    outer = place;
  }
  return {outer, arith::MulIOp::create(b, inner, i32(layout.perLoad))};
}

StagedGEMM::ThreadTileLoadPosition StagedGEMM::groupAt(unsigned factor,
                                                       int64_t i, Value first) {
  const OperandLayout &layout = layouts[factor];
  auto [outer, inner] = divide(layout, i);
  ThreadTileLoadPosition place;
  place.outer = arith::IndexCastUIOp::create(b, b.getIndexType(), outer);
  place.inner = arith::IndexCastUIOp::create(b, b.getIndexType(), inner);
  place.sum = arith::AddIOp::create(
      b, first, layout.isKMajor ? place.inner : place.outer);
  place.own =
      arith::AddIOp::create(b, factor == 0 ? firstRow : firstColumn,
                            layout.isKMajor ? place.outer : place.inner);
  return place;
}

Value StagedGEMM::isInside(unsigned factor, Value own, Value sum) {
  Value size = sizeOf(factor == 0 ? product.row : product.column);
  return arith::AndIOp::create(b, isBelow(own, size),
                               isBelow(sum, sizeOf(product.sum())));
}

/// Loads the thread's group number `i`. Elements outside of the operand are
/// zeros. Zeros along K add nothing to sums, and the sums of rows or columns
/// outside of the result are not stored.
Value StagedGEMM::loadGroup(unsigned factor, int64_t i, Value first) {
  const OperandLayout &layout = layouts[factor];
  ThreadTileLoadPosition place = groupAt(factor, i, first);
  if (readsWhole(factor) && isAllInside(factor))
    return readGroup(factor, place.own, place.sum);
  if (readsWhole(factor)) {
    // The length of a row is a multiple of the length of a group. So the
    // elements of a group are either all inside or all outside of the operand,
    // and one bounds check is enough.
    Value zero = arith::ConstantOp::create(
        b, b.getZeroAttr(VectorType::get({4}, b.getI32Type())));
    return guarded(isInside(factor, place.own, place.sum), zero,
                   [&] { return readGroup(factor, place.own, place.sum); });
  }
  Type element = product.factorType();
  Type bits = b.getIntegerType(element.getIntOrFloatBitWidth());
  SmallVector<Value> numbers;
  for (int64_t j = 0; j < layout.perLoad; ++j) {
    Value row = layout.isKMajor ? place.own : add(place.own, j);
    Value step = layout.isKMajor ? add(place.sum, j) : place.sum;
    Value zero = arith::ConstantOp::create(b, b.getIntegerAttr(bits, 0));
    numbers.push_back(
        guarded(isInside(factor, row, step), zero, [&]() -> Value {
          Value value = readFactor(factor, row, step);
          return arith::BitcastOp::create(b, bits, value);
        }));
  }
  Value group = vector::FromElementsOp::create(
      b, VectorType::get({layout.perLoad}, bits), numbers);
  return vector::BitCastOp::create(b, VectorType::get({4}, b.getI32Type()),
                                   group);
}

Value StagedGEMM::readGroup(unsigned factor, Value place, Value sum) {
  Value group = readFactor(factor, place, sum, layouts[factor].perLoad);
  return vector::BitCastOp::create(b, VectorType::get({4}, b.getI32Type()),
                                   group);
}

/// Rounds f32 elements to the nearest value of the type that tensor cores
/// multiply. A TF32 value takes one word, and ties are rounded away from zero
/// (cvt.rna). Two 16-bit floats take one word, and ties are rounded to even
/// (cvt.rn). Elements of other types are returned unchanged.
SmallVector<Value> StagedGEMM::pack(Value group) {
  SmallVector<Value> words;
  for (int64_t i = 0; i < 4; ++i)
    words.push_back(vector::ExtractOp::create(b, group, i));
  if (!product.factorType().isF32())
    return words;
  auto convert = [&](StringRef text, StringRef constraints,
                     ArrayRef<Value> numbers) -> Value {
    SmallVector<Value> floats;
    for (Value number : numbers)
      floats.push_back(arith::BitcastOp::create(b, b.getF32Type(), number));
    return LLVM::InlineAsmOp::create(
               b, b.getI32Type(), floats, text, constraints,
               /*has_side_effects=*/false, /*is_align_stack=*/false,
               LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
        .getResult(0);
  };
  if (type == Precision::TF32) {
    for (Value &word : words)
      word = convert("cvt.rna.tf32.f32 $0, $1;", "=r,f", word);
    return words;
  }
  StringRef text = type == Precision::BF16 ? "cvt.rn.bf16x2.f32 $0, $1, $2;"
                                           : "cvt.rn.f16x2.f32 $0, $1, $2;";
  // The conversion writes its first operand to the upper half of the result,
  // and its second operand to the lower half.
  return {convert(text, "=r,f,f", {words[1], words[0]}),
          convert(text, "=r,f,f", {words[3], words[2]})};
}

void StagedGEMM::storeGroup(unsigned factor, int64_t i, Value group,
                            Value stage) {
  const OperandLayout &layout = layouts[factor];
  SmallVector<Value> words = pack(group);
  auto [outer, inner] = divide(layout, i);
  auto store = [&](Value row, Value number, Value value, int64_t alignment) {
    Value offset = arith::MulIOp::create(b, number, i32(bytes));
    Value place = arith::DivUIOp::create(b, offset, i32(groupBytes));
    Value inside = arith::RemUIOp::create(b, offset, i32(groupBytes));
    Value target =
        arith::AddIOp::create(b, swizzled(layout, row, place),
                              arith::AddIOp::create(b, inside, stage));
    LLVM::StoreOp::create(b, value, word(target), alignment);
  };
  if (layout.isTransposed) {
    for (auto [j, word] : llvm::enumerate(words))
      store(arith::AddIOp::create(b, inner, i32(j)), outer, word, bytes);
    return;
  }
  auto type =
      VectorType::get({static_cast<int64_t>(words.size())}, b.getI32Type());
  store(outer, inner, vector::FromElementsOp::create(b, type, words),
        layout.perLoad * bytes);
}

} // namespace ingot::ptx
