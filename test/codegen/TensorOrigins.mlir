// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-test-bufferize --verify-diagnostics -o /dev/null

// The buffer of a tensor holds its elements, not those of another tensor.

func.func @values(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.negf ins(%x : tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  return %x, %r : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @moved(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<8xf32>
  %g = tensor.empty() : tensor<8xf32>
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  // expected-error @below {{reads a buffer that another op has overwritten, in 'moved' after pass 'ingot-test-bufferize'}}
  %r = linalg.negf {test.name = "first"} ins(%x : tensor<8xf32>) outs(%f : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.log {test.before = "first"} ins(%r : tensor<8xf32>) outs(%x : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.add ins(%r, %y : tensor<8xf32>, tensor<8xf32>) outs(%g : tensor<8xf32>) -> tensor<8xf32>
  return %s : tensor<8xf32>
}

// -----

// A loop's tensor comes from before the loop, or from the iteration before.

func.func @loop(%a: tensor<8xf32>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<8xf32>
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%t = %x) -> tensor<8xf32> {
    %y = linalg.negf ins(%t : tensor<8xf32>) outs(%t : tensor<8xf32>) -> tensor<8xf32>
    scf.yield %y : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// A copy has the elements of what it was copied from.

func.func @copied(%a: tensor<8xf32>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %f = tensor.empty() : tensor<2xf32>
  %x = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %part = tensor.extract_slice %x[2] [2] [1] : tensor<8xf32> to tensor<2xf32>
  %copy = bufferization.alloc_tensor() copy(%part) : tensor<2xf32>
  %r = linalg.negf ins(%copy : tensor<2xf32>) outs(%f : tensor<2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// -----

// Two parts of a buffer are written one after the other. Together they hide
// what another op has written before, so reading a row of both is no error.

func.func @joined(%a: tensor<8x4xf32>, %b: tensor<8x2xf32>, %o: tensor<4xf32>) -> (tensor<8x4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<8x4xf32>
  %f = tensor.empty() : tensor<8x4xf32>
  %x = linalg.exp ins(%a : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %y = linalg.negf ins(%x : tensor<8x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  %left = tensor.extract_slice %e[0, 0] [8, 2] [1, 1] : tensor<8x4xf32> to tensor<8x2xf32>
  %p = linalg.copy ins(%b : tensor<8x2xf32>) outs(%left : tensor<8x2xf32>) -> tensor<8x2xf32>
  %half = tensor.insert_slice %p into %e[0, 0] [8, 2] [1, 1] : tensor<8x2xf32> into tensor<8x4xf32>
  %right = tensor.extract_slice %half[0, 2] [8, 2] [1, 1] : tensor<8x4xf32> to tensor<8x2xf32>
  %q = linalg.copy ins(%b : tensor<8x2xf32>) outs(%right : tensor<8x2xf32>) -> tensor<8x2xf32>
  %both = tensor.insert_slice %q into %half[0, 2] [8, 2] [1, 1] : tensor<8x2xf32> into tensor<8x4xf32>
  %sum = scf.for %i = %c0 to %c8 step %c1 iter_args(%s = %o) -> tensor<4xf32> {
    %row = tensor.extract_slice %both[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<4xf32>
    %t = linalg.add ins(%row, %s : tensor<4xf32>, tensor<4xf32>) outs(%s : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  }
  return %y, %sum : tensor<8x4xf32>, tensor<4xf32>
}
