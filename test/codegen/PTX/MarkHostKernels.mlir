// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-ptx-mark-host-kernels | FileCheck %s

// Strings are the host's.

// CHECK: func.func private @strings(tensor<4xi128>, tensor<4xi128>) -> tensor<4xi128>
// CHECK-SAME: host.stays = "it computes on strings or complex128"
// CHECK-NOT: linalg.copy ins(%{{.*}} : tensor<4xi128>)
func.func private @strings(%a: tensor<4xi128>, %o: tensor<4xi128>) -> tensor<4xi128> attributes {host.kernel} {
  %0 = linalg.copy ins(%a : tensor<4xi128>) outs(%o : tensor<4xi128>) -> tensor<4xi128>
  return %0 : tensor<4xi128>
}

// CHECK: func.func private @numbers(%{{.*}}: tensor<4xi64>
// CHECK-NOT: host.stays
// CHECK: linalg.copy
func.func private @numbers(%a: tensor<4xi64>, %o: tensor<4xi64>) -> tensor<4xi64> attributes {host.kernel} {
  %0 = linalg.copy ins(%a : tensor<4xi64>) outs(%o : tensor<4xi64>) -> tensor<4xi64>
  return %0 : tensor<4xi64>
}
