// SPDX-License-Identifier: Apache-2.0
// CPUs that compute 512 bits as two halves have a level of their own, for GEMMs
// whose register tile depends on it: 48 columns are fast on units of 512 bits,
// 32 on halves. All other kernels use their code of the level below.

// RUN: ingotc %s --emit=obj --cpu=x86-64-v4,x86-64-v4-fp256 -o %t.o
// RUN: llvm-objdump --disassemble-symbols=layer.x86-64-v4 --no-show-raw-insn --no-leading-addr %t.o | grep -v 'layer\|int3' > %t.v4
// RUN: llvm-objdump --disassemble-symbols=layer.x86-64-v4-fp256 --no-show-raw-insn --no-leading-addr %t.o | grep -v 'layer\|int3' > %t.fp256
// RUN: not diff -q %t.v4 %t.fp256
// RUN: llvm-objdump --disassemble-symbols=activation.x86-64-v4 --no-show-raw-insn --no-leading-addr %t.o | grep -v 'activation\|int3' > %t.v4
// RUN: llvm-objdump --disassemble-symbols=activation.x86-64-v4-fp256 --no-show-raw-insn --no-leading-addr %t.o | grep -v 'activation\|int3' | diff - %t.v4

ingot.entry @layers role(other) feeds ["a:0", "b:0", "x:0"] fetches ["c:0", "y:0"] variables [] updates [] {
^bb0(%a: tensor<128x784xf32>, %b: tensor<784x512xf32>, %x: tensor<1000000xf32>):
  %c = ingot.matmul %a, %b : (tensor<128x784xf32>, tensor<784x512xf32>) -> tensor<128x512xf32> loc("layer")
  %y = ingot.tanh %x : (tensor<1000000xf32>) -> tensor<1000000xf32> loc("activation")
  ingot.return %c, %y : tensor<128x512xf32>, tensor<1000000xf32>
}
