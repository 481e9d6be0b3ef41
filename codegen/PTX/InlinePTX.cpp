//===- InlinePTX.cpp - PTX instructions as inline assembly ----------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Emits PTX instructions as inline assembly. The texts are in the syntax of the
// PTX ISA. In them, $0, $1 and so on are operands. A constraint says which
// registers an operand may be in: "r" i32, "l" i64 or pointer, "f" f32, "n"
// constant.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/InlinePTX.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace ingot::ptx {

/// Emits inline assembly that must not be moved or removed. Returns its result,
/// or null if it has none.
static Value emitAssembly(ImplicitLocOpBuilder &b, TypeRange result,
                          StringRef text, StringRef constraints,
                          ValueRange operands) {
  auto op = LLVM::InlineAsmOp::create(
      b, result, operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  return result.empty() ? Value() : op.getResult(0);
}

void emitText(ImplicitLocOpBuilder &b, StringRef text, StringRef constraints,
              ValueRange operands) {
  std::string all = constraints.str();
  all += all.empty() ? "~{memory}" : ",~{memory}";
  emitAssembly(b, TypeRange(), text, all, operands);
}

static Value i32(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), value);
}

static Value i64(ImplicitLocOpBuilder &b, uint64_t value) {
  return arith::ConstantIntOp::create(b, b.getI64Type(),
                                      static_cast<int64_t>(value));
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

void initBarrier(ImplicitLocOpBuilder &b, Value barrier, int64_t arrivals) {
  emitText(b, "mbarrier.init.shared::cta.b64 [$0], $1;", "l,n",
           {barrier, i32(b, arrivals)});
}

void publishBarriers(ImplicitLocOpBuilder &b) {
  emitText(b, "fence.mbarrier_init.release.cluster;");
  fenceForTensorCores(b);
}

void arrive(ImplicitLocOpBuilder &b, Value barrier) {
  emitText(b, "mbarrier.arrive.shared::cta.b64 _, [$0];", "l", barrier);
}

void arriveAndExpect(ImplicitLocOpBuilder &b, Value barrier, int64_t bytes) {
  emitText(b, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", "l,r",
           {barrier, i32(b, bytes)});
}

void waitFor(ImplicitLocOpBuilder &b, Value barrier, Value parity) {
  emitText(b,
           "{ .reg .pred p; again: mbarrier.try_wait.parity.shared::cta.b64 p, "
           "[$0], $1; @!p bra again; }",
           "l,r", {barrier, parity});
}

void copyBox(ImplicitLocOpBuilder &b, Value to, Value map, Value barrier,
             ValueRange place) {
  std::string indices, constraints = "l,l,l";
  for (size_t i = 0; i < place.size(); ++i) {
    indices += (i ? ", $" : "$") + std::to_string(i + 3);
    constraints += ",r";
  }
  SmallVector<Value> operands = {to, map, barrier};
  llvm::append_range(operands, place);
  emitText(b,
           llvm::formatv("cp.async.bulk.tensor.{0}d.shared::cluster.global."
                         "tile.mbarrier::complete_tx::bytes [$0], [$1, "
                         "{{{1}}], [$2];",
                         place.size(), indices)
               .str(),
           constraints, operands);
}

void fenceForTensorCores(ImplicitLocOpBuilder &b) {
  emitText(b, "fence.proxy.async.shared::cta;");
}

Value electLane(ImplicitLocOpBuilder &b) {
  Value isElected = emitAssembly(
      b, b.getI32Type(),
      "{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.b32 $0, 1, 0, p; }",
      "=r", {});
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, isElected,
                               i32(b, 0));
}

void giveRegisters(ImplicitLocOpBuilder &b, int64_t left) {
  emitText(b, "setmaxnreg.dec.sync.aligned.u32 $0;", "n", i32(b, left));
}

void takeRegisters(ImplicitLocOpBuilder &b, int64_t all) {
  emitText(b, "setmaxnreg.inc.sync.aligned.u32 $0;", "n", i32(b, all));
}

//===----------------------------------------------------------------------===//
// Warpgroups (wgmma)
//===----------------------------------------------------------------------===//

/// Encodes a matrix descriptor. The PTX ISA describes its fields in the
/// sections "Asynchronous warpgroup level matrix instructions" and "Tensor Core
/// 5th Generation Instructions". The address and the strides are in units of 16
/// bytes.
Value describeShared(ImplicitLocOpBuilder &b, MatrixDescriptorKind format,
                     Value address, int64_t blocks, int64_t eights,
                     int64_t swizzle) {
  Value bits = LLVM::PtrToIntOp::create(b, b.getI64Type(), address);
  Value low = arith::ShRUIOp::create(
      b, arith::AndIOp::create(b, bits, i64(b, 0x3ffff)), i64(b, 4));
  uint64_t rest = static_cast<uint64_t>(blocks / 16) << 16 |
                  static_cast<uint64_t>(eights / 16) << 32;
  rest |= format == MatrixDescriptorKind::Warpgroup
              ? uint64_t(128 / swizzle) << 62
              : uint64_t(1) << 46 | uint64_t(2) << 61;
  return arith::OrIOp::create(b, low, i64(b, rest));
}

void beginGroup(ImplicitLocOpBuilder &b) {
  emitText(b, "wgmma.fence.sync.aligned;");
}

void endGroup(ImplicitLocOpBuilder &b) {
  emitText(b, "wgmma.commit_group.sync.aligned;");
}

/// Returns the inline assembly constraints and the struct type of the results
/// of an instruction that updates `count` f32 registers in place: each is both
/// an operand and a result.
static std::pair<std::string, LLVM::LLVMStructType>
throughRegisters(ImplicitLocOpBuilder &b, size_t count) {
  std::string outputs, inputs;
  for (size_t i = 0; i < count; ++i) {
    outputs += i ? ",=f" : "=f";
    inputs += "," + std::to_string(i);
  }
  return {outputs + inputs,
          LLVM::LLVMStructType::getLiteral(
              b.getContext(), SmallVector<Type>(count, b.getF32Type()))};
}

/// Extracts all fields of the struct `results` into `values`.
static void extractAll(ImplicitLocOpBuilder &b, Value results,
                       MutableArrayRef<Value> values) {
  for (auto [i, value] : llvm::enumerate(values))
    value = LLVM::ExtractValueOp::create(b, results, i);
}

/// Returns the list "$0, $1, ..." of the first `count` operands, as PTX writes
/// them.
static std::string registerList(size_t count) {
  std::string registers;
  for (size_t i = 0; i < count; ++i)
    registers += (i ? ", $" : "$") + std::to_string(i);
  return registers;
}

void multiplyGroup(ImplicitLocOpBuilder &b, Precision type,
                   MutableArrayRef<Value> sums, Value first, Value second,
                   const bool isMNMajor[2]) {
  size_t count = sums.size();
  int64_t bytes = type == Precision::TF32 ? 4 : 2;
  std::string shape = llvm::formatv("m64n{0}k{1}", count * 2, 32 / bytes);
  // In wgmma.mma_async, the predicate p (true) means that the product is added
  // to the sums, and the factors 1 mean that neither operand is negated.
  std::string flags = "p, 1, 1";
  if (bytes == 2)
    for (unsigned factor : {0u, 1u})
      flags += isMNMajor[factor] ? ", 1" : ", 0";
  // The assembly text numbers results and operands in one sequence: each sum
  // takes two numbers, as it is a result as well as an operand, and the
  // operands' descriptors follow.
  std::string text = llvm::formatv(
      "{{ .reg .pred p; setp.ne.b32 p, 1, 0; "
      "wgmma.mma_async.sync.aligned.{0}.f32.{1}.{1} {{{2}}, ${3}, ${4}, {5}; }",
      shape, nameOf(type), registerList(count), 2 * count, 2 * count + 1,
      flags);
  auto [constraints, structure] = throughRegisters(b, count);
  SmallVector<Value> operands(sums);
  operands.append({first, second});
  extractAll(b,
             emitAssembly(b, structure, text, constraints + ",l,l", operands),
             sums);
}

void waitForGroups(ImplicitLocOpBuilder &b, int64_t left,
                   MutableArrayRef<Value> sums) {
  std::string text = llvm::formatv("wgmma.wait_group.sync.aligned {0};", left);
  if (sums.empty())
    return emitText(b, text);
  auto [constraints, structure] = throughRegisters(b, sums.size());
  extractAll(b,
             emitAssembly(b, structure, text, constraints + ",~{memory}", sums),
             sums);
}

//===----------------------------------------------------------------------===//
// Tensor memory (tcgen05)
//===----------------------------------------------------------------------===//

void allocateColumns(ImplicitLocOpBuilder &b, Value to, int64_t columns) {
  emitText(b,
           "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [$0], $1;",
           "l,r", {to, i32(b, columns)});
  emitText(b, "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
}

void freeColumns(ImplicitLocOpBuilder &b, Value address, int64_t columns) {
  emitText(b, "tcgen05.dealloc.cta_group::1.sync.aligned.b32 $0, $1;", "r,r",
           {address, i32(b, columns)});
}

/// Encodes the instruction descriptor of tcgen05.mma; the PTX ISA describes its
/// fields in the section "Instruction descriptor". They are the type of the
/// sums (f32), the types of the operands, whether each operand is MN-major,
/// the number of columns in units of 8, and the number of rows in units of
/// 16.
uint32_t describeProduct(Precision type, int64_t columns,
                         const bool isMNMajor[2]) {
  uint32_t number = type == Precision::TF32   ? 2
                    : type == Precision::BF16 ? 1
                                              : 0;
  constexpr uint32_t rows = 128;
  return 1u << 4 | number << 7 | number << 10 | uint32_t(isMNMajor[0]) << 15 |
         uint32_t(isMNMajor[1]) << 16 |
         static_cast<uint32_t>(columns / 8) << 17 | rows / 16 << 24;
}

void multiplyInto(ImplicitLocOpBuilder &b, Precision type, Value target,
                  Value first, Value second, uint32_t descriptor, Value adds) {
  emitText(b,
           llvm::formatv("{{ .reg .pred p; setp.ne.b32 p, $4, 0; "
                         "tcgen05.mma.cta_group::1.kind::{0} [$0], $1, $2, $3, "
                         "p; }",
                         type == Precision::TF32 ? "tf32" : "f16")
               .str(),
           "r,l,l,r,r", {target, first, second, i32(b, descriptor), adds});
}

void commitTo(ImplicitLocOpBuilder &b, Value barrier) {
  emitText(b,
           "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
           "b64 [$0];",
           "l", barrier);
}

void fenceBeforeSync(ImplicitLocOpBuilder &b) {
  emitText(b, "tcgen05.fence::before_thread_sync;");
}

void fenceAfterSync(ImplicitLocOpBuilder &b) {
  emitText(b, "tcgen05.fence::after_thread_sync;");
}

SmallVector<Value> loadColumns(ImplicitLocOpBuilder &b, Value address) {
  // The text contains tcgen05.wait::ld as well as the load, so that no use of
  // the loaded values can be scheduled before the wait.
  std::string text =
      llvm::formatv("tcgen05.ld.sync.aligned.32x32b.x{0}.b32 {{{1}}, [${0}]; "
                    "tcgen05.wait::ld.sync.aligned;",
                    columnsOfLoad, registerList(columnsOfLoad));
  auto [constraints, structure] = throughRegisters(b, columnsOfLoad);
  // The constraint of each output is "=f,", which has 3 characters.
  std::string outputs = constraints.substr(0, 3 * columnsOfLoad);
  SmallVector<Value> values(columnsOfLoad);
  extractAll(b, emitAssembly(b, structure, text, outputs + "r", address),
             values);
  return values;
}

} // namespace ingot::ptx
