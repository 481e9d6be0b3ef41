// SPDX-License-Identifier: Apache-2.0
// Constant data in an artifact: bytes of strings, elements of every width,
// expanded splats, and the options of ops that the runtime runs.
// RUN: ingotc %s --cpu=x86-64-v2 -o %t
// RUN: %t run constants | FileCheck %s
// RUN: %t run options --feed "x:0=[0.5,-2]" | FileCheck %s --check-prefix=OPTIONS
// RUN: %t run twice | FileCheck %s --check-prefix=TWICE

// CHECK: strings:0 = ["","a\"b","c\u0000d"]
// CHECK-NEXT: bools:0 = [true,false,true]
// CHECK-NEXT: splat:0 = [7,7,7,7]
// CHECK-NEXT: small:0 = [-1,2]
// CHECK-NEXT: large:0 = [-9223372036854775808,9223372036854775807]
ingot.entry @constants role(other) feeds [] fetches ["strings:0", "bools:0", "splat:0", "small:0", "large:0"] variables [] updates [] {
  %0 = ingot.constant dense<["", "a\22b", "c\00d"]> : tensor<3x!ingot.string>
  %1 = ingot.constant dense<[true, false, true]> : tensor<3xi1>
  %2 = ingot.constant dense<7> : tensor<4xi32>
  %3 = ingot.constant dense<[-1, 2]> : tensor<2xi8>
  %4 = ingot.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>
  ingot.return %0, %1, %2, %3, %4 : tensor<3x!ingot.string>, tensor<3xi1>, tensor<4xi32>, tensor<2xi8>, tensor<2xi64>
}

// Numbers and a string among the options of one op, strings alone in
// another's.
// OPTIONS: a:0 = ["00000.50","-0002.00"]
// OPTIONS-NEXT: f:0 = "x = [0.5 -2]"
ingot.entry @options role(other) feeds ["x:0"] fetches ["a:0", "f:0"] variables [] updates [] {
^bb0(%x: tensor<2xf32>):
  %0 = ingot.as_string %x {precision = 2 : i64, width = 8 : i64, fill = "0"} : (tensor<2xf32>) -> tensor<2x!ingot.string>
  %1 = ingot.string_format %x {format = "x = {}", placeholder = "{}"} : (tensor<2xf32>) -> tensor<!ingot.string>
  ingot.return %0, %1 : tensor<2x!ingot.string>, tensor<!ingot.string>
}

// Equal bytes of other types are not each other's.
// TWICE: i:0 = [1065353216]
// TWICE-NEXT: f:0 = [1]
ingot.entry @twice role(other) feeds [] fetches ["i:0", "f:0"] variables [] updates [] {
  %0 = ingot.constant dense<1065353216> : tensor<1xi32>
  %1 = ingot.constant dense<1.0> : tensor<1xf32>
  ingot.return %0, %1 : tensor<1xi32>, tensor<1xf32>
}
