// SPDX-License-Identifier: Apache-2.0
// The K loops of GEMMs with few columns keep their accumulators in registers
// with AVX2: one vector for each row, also if the columns are no whole vector,
// and sums that replace the accumulators. Broadcasts that an FMA overwrites
// would need as many registers again.

// RUN: ingotc %s --emit=obj --cpu=x86-64-v3 -o %t.o
// RUN: llvm-objdump --disassemble-symbols=eight.x86-64-v3 --no-show-raw-insn %t.o > %t.eight
// RUN: FileCheck %s --input-file=%t.eight --implicit-check-not='(%%rsp)'
// RUN: llvm-objdump --disassemble-symbols=seven.x86-64-v3 --no-show-raw-insn %t.o > %t.seven
// RUN: FileCheck %s --input-file=%t.seven --check-prefix=SEVEN --implicit-check-not='(%%rsp)'

// CHECK-COUNT-12: vfmadd231ps {{.*}}%ymm
// SEVEN: vmaskmovps ({{.*}}), %ymm{{[0-9]+}}, %ymm
// SEVEN-COUNT-7: vfmadd{{[0-9]+}}ps {{.*}}%ymm

ingot.entry @layers role(other) feeds ["x:0", "a:0", "b:0"] fetches ["c:0", "d:0"] variables [] updates [] {
^bb0(%x: tensor<512x512xf32>, %a: tensor<512x8xf32>, %b: tensor<512x7xf32>):
  %c = ingot.matmul %x, %a : (tensor<512x512xf32>, tensor<512x8xf32>) -> tensor<512x8xf32> loc("eight")
  %d = ingot.matmul %x, %b : (tensor<512x512xf32>, tensor<512x7xf32>) -> tensor<512x7xf32> loc("seven")
  ingot.return %c, %d : tensor<512x8xf32>, tensor<512x7xf32>
}
