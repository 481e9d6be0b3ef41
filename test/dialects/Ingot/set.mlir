// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @where
func.func @where(%mask: tensor<4x3xi1>) {
  // CHECK: ingot.where %{{.*}} : (tensor<4x3xi1>) -> tensor<?x2xi64>
  %p = ingot.where %mask : (tensor<4x3xi1>) -> tensor<?x2xi64>
  return
}
