// SPDX-License-Identifier: Apache-2.0
// A program with GEMMs of bfloat16 operands has code of one more level, which multiplies pairs
// (AVX512-BF16); all other kernels use their code of x86-64-v4 there.

// RUN: ingotc %s --emit=obj -o %t.o
// RUN: llvm-objdump --disassemble-symbols=fused_product.x86-64-v4-bf16 --no-show-raw-insn %t.o | FileCheck %s --check-prefix=PAIRS
// RUN: llvm-objdump --disassemble-symbols=fused_product.x86-64-v4 --no-show-raw-insn %t.o | FileCheck %s --check-prefix=SINGLE
// PAIRS: vpermt2w
// PAIRS: vdpbf16ps {{.*}}%zmm
// PAIRS-NOT: vfmadd
// SINGLE-NOT: vdpbf16ps
// SINGLE: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// RUN: llvm-objdump --disassemble-symbols=activation.x86-64-v4 --no-show-raw-insn --no-leading-addr %t.o | grep -v 'activation\|int3' > %t.v4
// RUN: llvm-objdump --disassemble-symbols=activation.x86-64-v4-bf16 --no-show-raw-insn --no-leading-addr %t.o | grep -v 'activation\|int3' | diff - %t.v4

// A program without such GEMMs has no such level; GEMMs of other floats do not
// count.

// RUN: sed 's/bf16/f16/g' %s > %t.f16.mlir
// RUN: ingotc %t.f16.mlir --emit=obj -o %t.f16.o
// RUN: llvm-objdump -t %t.f16.o | FileCheck %s --check-prefix=F16 --implicit-check-not=x86-64-v4-bf16
// F16: fused_product.x86-64-v4

ingot.entry @products role(other) feeds ["a:0", "b:0", "x:0"] fetches ["c:0", "y:0"] variables [] updates [] {
^bb0(%a: tensor<96x64xbf16>, %b: tensor<64x128xbf16>, %x: tensor<1000000xf32>):
  %c = ingot.matmul %a, %b : (tensor<96x64xbf16>, tensor<64x128xbf16>) -> tensor<96x128xbf16> loc("product")
  %y = ingot.tanh %x : (tensor<1000000xf32>) -> tensor<1000000xf32> loc("activation")
  ingot.return %c, %y : tensor<96x128xbf16>, tensor<1000000xf32>
}
