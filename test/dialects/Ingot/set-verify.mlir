// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (where_c1)
func.func @where_of_known_rank(%mask: tensor<*xi1>) {
  // expected-error @+1 {{the rank of its input is not known}}
  %p = ingot.where %mask : (tensor<*xi1>) -> tensor<?x2xi64>
  return
}
