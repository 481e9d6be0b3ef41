// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (slice_region_c1)
func.func @slice_region_c1(%x: tensor<8xf32>) {
  // expected-error @+1 {{has 1 slices, expected 2 to 65536}}
  %0 = ingot.slice_region(%x) slices 1 cuts [0] exchanges ["gather"] joins [0] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%rows: tensor<8xf32>):
    ingot.result %rows : tensor<8xf32>
  }
  return
}

// -----

// (slice_region_c1)
func.func @slice_region_c1_most(%x: tensor<8xf32>) {
  // expected-error @+1 {{has 65537 slices, expected 2 to 65536}}
  %0 = ingot.slice_region(%x) slices 65537 cuts [0] exchanges ["gather"] joins [0] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%rows: tensor<?xf32>):
    ingot.result %rows : tensor<?xf32>
  }
  return
}

// -----

// (slice_region_c2)
func.func @slice_region_c2(%x: tensor<8xf32>) {
  // expected-error @+1 {{must have the same number of inputs, cuts and region arguments, but has 1, 2 and 1}}
  %0 = ingot.slice_region(%x) slices 4 cuts [0, 0] exchanges ["gather"] joins [0] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%rows: tensor<2xf32>):
    ingot.result %rows : tensor<2xf32>
  }
  return
}

// -----

// (slice_region_c2)
func.func @slice_region_c2_dimension(%x: tensor<8xf32>) {
  // expected-error @+1 {{cannot cut 'tensor<8xf32>' along dimension 1: expected a ranked tensor with this dimension}}
  %0 = ingot.slice_region(%x) slices 4 cuts [1] exchanges ["gather"] joins [0] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%rows: tensor<2xf32>):
    ingot.result %rows : tensor<2xf32>
  }
  return
}

// -----

// (slice_region_c3)
func.func @slice_region_c3(%x: tensor<8xf32>) {
  // expected-error @+1 {{must have the same number of results, exchanges, joins and yielded values, but has 1, 1, 2 and 1}}
  %0 = ingot.slice_region(%x) slices 4 cuts [0] exchanges ["gather"] joins [0, 0] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%rows: tensor<2xf32>):
    ingot.result %rows : tensor<2xf32>
  }
  return
}

// -----

// (slice_region_c4)
func.func @slice_region_c4(%x: tensor<8xf32>) {
  // expected-error @+1 {{'mean' is not a kind of exchange: ExchangeKinds.def lists all kinds}}
  %0 = ingot.slice_region(%x) slices 4 cuts [0] exchanges ["mean"] joins [0] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%rows: tensor<2xf32>):
    ingot.result %rows : tensor<2xf32>
  }
  return
}

// -----

// (slice_region_c5)
func.func @slice_region_c5(%x: tensor<8x3xf32>) {
  // expected-error @+1 {{has argument type 'tensor<2x4xf32>' for input type 'tensor<8x3xf32>': only the size of dimension 0, which is cut, may differ}}
  %0 = ingot.slice_region(%x) slices 4 cuts [0] exchanges ["gather"] joins [0] : (tensor<8x3xf32>) -> tensor<8x4xf32> {
  ^bb0(%rows: tensor<2x4xf32>):
    ingot.result %rows : tensor<2x4xf32>
  }
  return
}

// -----

// (slice_region_c6)
func.func @slice_region_c6(%x: tensor<8x3xf32>) {
  // expected-error @+1 {{yields type 'tensor<2x3xf32>' for result type 'tensor<8x3xf32>' with exchange 'sum': the types must be numeric and match}}
  %0 = ingot.slice_region(%x) slices 4 cuts [0] exchanges ["sum"] joins [0] : (tensor<8x3xf32>) -> tensor<8x3xf32> {
  ^bb0(%rows: tensor<2x3xf32>):
    ingot.result %rows : tensor<2x3xf32>
  }
  return
}

// -----

// (slice_region_c6)
func.func @slice_region_c6_gather(%x: tensor<3x8xf32>) {
  // expected-error @+1 {{can only gather along dimension 0, not 1}}
  %0 = ingot.slice_region(%x) slices 4 cuts [1] exchanges ["gather"] joins [1] : (tensor<3x8xf32>) -> tensor<3x8xf32> {
  ^bb0(%columns: tensor<3x2xf32>):
    ingot.result %columns : tensor<3x2xf32>
  }
  return
}

// -----

// (slice_region_c7)
func.func @slice_region_c7(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has a result of exchange 'keep' that is used by 'func.return', but only ingot.slice_region may use it}}
  %0 = ingot.slice_region(%x) slices 4 cuts [0] exchanges ["keep"] joins [0] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%rows: tensor<2xf32>):
    ingot.result %rows : tensor<2xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// (slice_region_c7)
func.func @slice_region_c7_scatter(%x: tensor<4x8xf32>, %y: tensor<32xf32>) -> tensor<32xf32> {
  %flat = ingot.constant dense<32> : tensor<1xi32>
  // expected-error @+1 {{scatters a sum in 2 parts, but an ingot.slice_region with 4 slices reads it}}
  %0 = ingot.slice_region(%x) slices 2 cuts [0] exchanges ["reduce_scatter"] joins [2] : (tensor<4x8xf32>) -> tensor<2x16xf32> {
  ^bb0(%rows: tensor<2x8xf32>):
    %1 = ingot.constant dense<1.0> : tensor<2x16xf32>
    ingot.result %1 : tensor<2x16xf32>
  }
  %2 = ingot.reshape %0, %flat : (tensor<2x16xf32>, tensor<1xi32>) -> tensor<32xf32>
  %3 = ingot.slice_region(%2, %y) slices 4 cuts [0, 0] exchanges ["gather_in_place"] joins [1] : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    ingot.result %a : tensor<8xf32>
  }
  return %3 : tensor<32xf32>
}

// -----

// (slice_region_c7)
func.func @slice_region_c7_scattered_elsewhere(%x: tensor<8xf32>) -> tensor<2xf32> {
  %shape = ingot.constant dense<2> : tensor<1xi32>
  // expected-error @+1 {{has a result of exchange 'reduce_scatter' that is used by 'func.return', but only ingot.slice_region may use it}}
  %0 = ingot.slice_region(%x) slices 4 cuts [0] exchanges ["reduce_scatter"] joins [4] : (tensor<8xf32>) -> tensor<2xf32> {
  ^bb0(%rows: tensor<2xf32>):
    ingot.result %rows : tensor<2xf32>
  }
  %1 = ingot.reshape %0, %shape : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// (slice_region_c8)
func.func @slice_region_c8(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{has a result of type 'tensor<8xf32>' and exchange 'keep_in_place' that cannot replace input 1: they must have the same type, and the input must be cut along dimension 0 in equal parts of static size}}
  %0 = ingot.slice_region(%x) slices 4 cuts [0] exchanges ["keep_in_place"] joins [1] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%rows: tensor<2xf32>):
    ingot.result %rows : tensor<2xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// (slice_region_c8)
func.func @slice_region_c8_twice(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error @+1 {{replaces input 0 by two results}}
  %0:2 = ingot.slice_region(%x) slices 4 cuts [0] exchanges ["keep_in_place", "gather_in_place"] joins [0, 0] : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%rows: tensor<2xf32>):
    ingot.result %rows, %rows : tensor<2xf32>, tensor<2xf32>
  }
  return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
}
