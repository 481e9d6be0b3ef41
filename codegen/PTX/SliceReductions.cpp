//===- SliceReductions.cpp - Kernels that combine slices' values ----------===//
// SPDX-License-Identifier: Apache-2.0
//
// The tree over the slices of a batch is walked by the host
// (runtime/Collective/BatchSliceSubtreeSums.cpp), one launch for each pair of
// values. So its order is the same on a device and on the host. The kernels
// themselves combine two values, element by element.
//
//===----------------------------------------------------------------------===//

#include "codegen/PTX/SliceReductions.h"
#include "codegen/PTX/FillPlaceholders.h"

#include "codegen/LLVM/EmitObject.h"
#include "runtime/ABI/SliceReductions.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace ingot::ptx {

static constexpr char declarations[] = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
)";

/// The IR of one kernel, in which sourceOf() replaces the names in < >. <bits>
/// is the integer type of the elements' size. Elements are loaded and stored as
/// integers, so that a value which is only copied keeps its bits.
static constexpr char text[] = R"(
define ptx_kernel void @"<kernel>"(ptr addrspace(1) %to, ptr addrspace(1) %left, ptr addrspace(1) %right, i64 %count) "nvvm.reqntid"="<threads>" {
entry:
  %thread.32 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %block.32 = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks.32 = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %thread = zext i32 %thread.32 to i64
  %block = zext i32 %block.32 to i64
  %blocks = zext i32 %blocks.32 to i64
  %first = mul i64 %block, <threads>
  %begin = add i64 %first, %thread
  %stride = mul i64 %blocks, <threads>
  br label %next

next:
  %i = phi i64 [ %begin, %entry ], [ %i.next, %element ]
  %isEnd = icmp uge i64 %i, %count
  br i1 %isEnd, label %end, label %element

element:
  %left.at = getelementptr <bits>, ptr addrspace(1) %left, i64 %i
  %right.at = getelementptr <bits>, ptr addrspace(1) %right, i64 %i
  %to.at = getelementptr <bits>, ptr addrspace(1) %to, i64 %i
  %a = load <bits>, ptr addrspace(1) %left.at
  %b = load <bits>, ptr addrspace(1) %right.at
<combine>
  store <bits> %<result>, ptr addrspace(1) %to.at
  %i.next = add i64 %i, %stride
  br label %next

end:
  ret void
}
)";

/// The host's threads flush denormal operands and results to zeros of the same
/// sign (runtime/Device/FlushDenormals.h). PTX has an add for f32 that does
/// (add.ftz), but none for f64. So denormals are flushed by integer
/// instructions for both: a number is denormal or zero if the bits of its
/// exponent are zero. They cost no time, as these kernels wait for memory.
static constexpr char flush[] = R"(
  %<x>.exponent = and <bits> %<x>, <exponent>
  %<x>.isDenormal = icmp eq <bits> %<x>.exponent, 0
  %<x>.sign = and <bits> %<x>, <sign>
  %<x>.flushed = select i1 %<x>.isDenormal, <bits> %<x>.sign, <bits> %<x>
)";

static constexpr char floatOperands[] = R"(
  %x = bitcast <bits> %a.flushed to <float>
  %y = bitcast <bits> %b.flushed to <float>
)";
static constexpr char addFloats[] = R"(
  %sum.float = fadd <float> %x, %y
  %sum = bitcast <float> %sum.float to <bits>
)";
/// A NaN in the left operand is kept.
static constexpr char chooseFloat[] = R"(
  %isFirst = fcmp o<order> <float> %x, %y
  %isNaN = fcmp uno <float> %x, %x
  %isLeft = or i1 %isFirst, %isNaN
  %result = select i1 %isLeft, <bits> %a, <bits> %b
)";
static constexpr char addIntegers[] = R"(
  %result = add <bits> %a, %b
)";
static constexpr char chooseInteger[] = R"(
  %isLeft = icmp s<order> <bits> %a, %b
  %result = select i1 %isLeft, <bits> %a, <bits> %b
)";

static std::string flushed(StringRef name) {
  return fillPlaceholders(flush, {{"x", name.str()}});
}

/// Returns the IR that combines the elements %a and %b to %result.
static std::string combine(bool isFloat, ingot_exchange_kind kind) {
  bool isSum = kind == INGOT_EXCHANGE_SUM;
  if (!isFloat)
    return isSum ? addIntegers : chooseInteger;
  std::string operands = flushed("a") + flushed("b") + floatOperands;
  if (!isSum)
    return operands + chooseFloat;
  return operands + addFloats + flushed("sum");
}

static std::string sourceOf(const codegen::SliceReduction &reduction) {
  int32_t dtype = reduction.dtype;
  bool isFloat = dtype == INGOT_FLOAT || dtype == INGOT_DOUBLE;
  bool isWide = dtype == INGOT_DOUBLE || dtype == INGOT_INT64;
  bool isFlushed = isFloat && reduction.kind == INGOT_EXCHANGE_SUM;
  std::string kernel = sliceReductionKernel(dtype, reduction.kind),
              combined = combine(isFloat, reduction.kind),
              threads = std::to_string(INGOT_REDUCTION_THREADS);
  return fillPlaceholders(
      text, {{"combine", combined},
             {"kernel", kernel},
             {"threads", threads},
             {"result", isFlushed ? "sum.flushed" : "result"},
             {"order", reduction.kind == INGOT_EXCHANGE_MAX ? "gt" : "lt"},
             {"bits", isWide ? "i64" : "i32"},
             {"float", isWide ? "double" : "float"},
             {"exponent", isWide ? "9218868437227405312" : "2139095040"},
             {"sign", isWide ? "-9223372036854775808" : "-2147483648"}});
}

std::unique_ptr<Module>
makeSliceReductions(LLVMContext &context,
                    const llvmgen::TargetMachineSpec &machine,
                    ArrayRef<codegen::SliceReduction> reductions) {
  std::string source = declarations;
  for (const codegen::SliceReduction &reduction : reductions)
    source += sourceOf(reduction);
  SMDiagnostic problem;
  std::unique_ptr<Module> module =
      parseAssemblyString(source, problem, context);
  // The IR is a fixed text apart from the choices above: if it cannot be
  // parsed, this is a bug.
  if (!module)
    report_fatal_error("cannot parse the kernels that combine slices: " +
                       problem.getMessage());
  llvmgen::setTarget(*module, machine);
  return module;
}

} // namespace ingot::ptx
