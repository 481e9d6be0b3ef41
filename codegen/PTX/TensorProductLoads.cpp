//===- TensorProductLoads.cpp - What tensor cores multiply is brought -----===//
//
// From memory to shared memory, copied or rounded on the way.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/Memory.h"
#include "codegen/PTX/TensorProduct.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace ingot::ptx {

bool TensorProduct::readsWhole(unsigned factor) const {
  return canReadGroups(factor, layouts[factor].perLoad);
}

/// Whether no tile reaches over the factor's end.
bool TensorProduct::isAllInside(unsigned factor) const {
  auto isWhole = [&](unsigned loop, int64_t tile) {
    int64_t size = product.sizeOf(loop);
    return !ShapedType::isDynamic(size) && size % tile == 0;
  };
  return isWhole(factor == 0 ? product.row : product.column,
                 layouts[factor].width) &&
         isWhole(product.sum(), depth);
}

bool TensorProduct::isCopied(unsigned factor) const {
  return !product.factorType().isF32() && readsWhole(factor) &&
         !product.patches[product.factors[factor]].op;
}

/// Neighbours are neighbouring threads'.
TensorProduct::Place TensorProduct::placeOf(unsigned factor, int64_t i,
                                            Value first) {
  const Layout &layout = layouts[factor];
  Place place;
  Value number = add(thread, i * threads);
  Value perRow = at(layout.inner / layout.perLoad);
  place.outer = arith::DivUIOp::create(b, number, perRow);
  place.inner = arith::MulIOp::create(
      b, arith::RemUIOp::create(b, number, perRow), at(layout.perLoad));
  place.sum = arith::AddIOp::create(
      b, first, layout.sumIsInner ? place.inner : place.outer);
  place.own =
      arith::AddIOp::create(b, factor == 0 ? firstRow : firstColumn,
                            layout.sumIsInner ? place.outer : place.inner);
  return place;
}

Value TensorProduct::isInside(unsigned factor, Value own, Value sum) {
  Value size = sizeOf(factor == 0 ? product.row : product.column);
  return arith::AndIOp::create(b, isBelow(own, size),
                               isBelow(sum, sizeOf(product.sum())));
}

void TensorProduct::copy(Value first, Value stage) {
  for (unsigned factor : {0u, 1u})
    if (isCopied(factor))
      for (int64_t i = 0; i < layouts[factor].loads; ++i)
        copyGroup(factor, i, first, stage);
  if (isCopied(0) || isCopied(1))
    NVVM::CpAsyncCommitGroupOp::create(b);
}

void TensorProduct::copyGroup(unsigned factor, int64_t i, Value first,
                              Value stage) {
  const Layout &layout = layouts[factor];
  Place place = placeOf(factor, i, first);
  Value group =
      arith::DivUIOp::create(b, number(place.inner), i32(layout.perLoad));
  Value target = word(arith::AddIOp::create(
      b, swizzled(layout, number(place.outer), group), stage));
  // A group is in one row, whose length is a multiple of it; what lies outside
  // of the factor is zero, and not read.
  Value isRead = isInside(factor, place.own, place.sum);
  Value zero = at(0);
  Value own = arith::SelectOp::create(b, isRead, place.own, zero);
  Value sum = arith::SelectOp::create(b, isRead, place.sum, zero);
  Value length = arith::SelectOp::create(b, isRead, i32(groupBytes), i32(0));
  NVVM::CpAsyncOp::create(b, target,
                          addressOf(factor, indicesOf(factor, own, sum)),
                          groupBytes, NVVM::LoadCacheModifierKind::CG, length);
}

/// The address of an element of a factor that lies there without gaps.
Value TensorProduct::addressOf(unsigned factor, ValueRange indices) {
  Value buffer = this->factor(factor);
  auto type = cast<MemRefType>(buffer.getType());
  Value place = at(0);
  for (auto [dim, index] : llvm::enumerate(indices)) {
    Value size = type.isDynamicDim(dim)
                     ? Value(memref::DimOp::create(b, buffer, dim))
                     : at(type.getDimSize(dim));
    place =
        arith::AddIOp::create(b, arith::MulIOp::create(b, place, size), index);
  }
  auto generic = LLVM::LLVMPointerType::get(b.getContext());
  Value bits = arith::IndexCastOp::create(
      b, b.getI64Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, buffer));
  Value base = LLVM::IntToPtrOp::create(b, generic, bits);
  Value global = LLVM::AddrSpaceCastOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), globalSpace), base);
  return LLVM::GEPOp::create(
      b, global.getType(), b.getI16Type(), global,
      ArrayRef<LLVM::GEPArg>{
          Value(arith::IndexCastOp::create(b, b.getI64Type(), place))});
}

SmallVector<Value> TensorProduct::load(Value first) {
  Type group = VectorType::get({4}, b.getI32Type());
  int64_t count = 0;
  for (unsigned factor : {0u, 1u})
    count += isCopied(factor) ? 0 : layouts[factor].loads;
  if (count == 0)
    return {};
  // The last steps have none behind them.
  auto branch = scf::IfOp::create(b, SmallVector<Type>(count, group),
                                  isBelow(first, sizeOf(product.sum())),
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> groups;
  for (unsigned factor : {0u, 1u})
    for (int64_t i = 0; !isCopied(factor) && i < layouts[factor].loads; ++i)
      groups.push_back(loadGroup(factor, i, first));
  scf::YieldOp::create(b, groups);
  b.setInsertionPointToStart(branch.elseBlock());
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(group));
  scf::YieldOp::create(b, SmallVector<Value>(count, zero));
  return branch.getResults();
}

/// Group `i` of those that the thread loads. What lies outside of the factor is
/// zero.
Value TensorProduct::loadGroup(unsigned factor, int64_t i, Value first) {
  const Layout &layout = layouts[factor];
  Place place = placeOf(factor, i, first);
  if (readsWhole(factor) && isAllInside(factor))
    return readGroup(factor, place.own, place.sum);
  if (readsWhole(factor)) {
    // A group is in one row, whose length is a multiple of it.
    Value zero = arith::ConstantOp::create(
        b, b.getZeroAttr(VectorType::get({4}, b.getI32Type())));
    return guarded(isInside(factor, place.own, place.sum), zero,
                   [&] { return readGroup(factor, place.own, place.sum); });
  }
  Type element = product.factorType();
  Type bits = b.getIntegerType(element.getIntOrFloatBitWidth());
  SmallVector<Value> numbers;
  for (int64_t j = 0; j < layout.perLoad; ++j) {
    Value row = layout.sumIsInner ? place.own : add(place.own, j);
    Value step = layout.sumIsInner ? add(place.sum, j) : place.sum;
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

Value TensorProduct::readGroup(unsigned factor, Value place, Value sum) {
  Value group = readFactor(factor, place, sum, layouts[factor].perLoad);
  return vector::BitCastOp::create(b, VectorType::get({4}, b.getI32Type()),
                                   group);
}

SmallVector<Value> TensorProduct::pack(Value group) {
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
  // The second operand becomes the lower half.
  return {convert(text, "=r,f,f", {words[1], words[0]}),
          convert(text, "=r,f,f", {words[3], words[2]})};
}

void TensorProduct::storeAll(ValueRange loaded, Value stage) {
  for (unsigned factor : {0u, 1u})
    for (int64_t i = 0; !isCopied(factor) && i < layouts[factor].loads; ++i) {
      storeGroup(factor, i, pack(loaded.front()), stage);
      loaded = loaded.drop_front();
    }
}

void TensorProduct::storeGroup(unsigned factor, int64_t i,
                               ArrayRef<Value> words, Value stage) {
  const Layout &layout = layouts[factor];
  Value place = number(add(thread, i * threads));
  Value perRow = i32(layout.inner / layout.perLoad);
  Value outer = arith::DivUIOp::create(b, place, perRow);
  Value inner = arith::MulIOp::create(
      b, arith::RemUIOp::create(b, place, perRow), i32(layout.perLoad));
  auto store = [&](Value row, Value number, Value value, int64_t alignment) {
    Value offset = arith::MulIOp::create(b, number, i32(bytes));
    Value group = arith::DivUIOp::create(b, offset, i32(groupBytes));
    Value inside = arith::RemUIOp::create(b, offset, i32(groupBytes));
    Value target =
        arith::AddIOp::create(b, swizzled(layout, row, group),
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
