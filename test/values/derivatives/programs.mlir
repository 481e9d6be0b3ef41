// SPDX-License-Identifier: Apache-2.0
// Ops that no importer makes, or that TensorFlow has otherwise: differentiated by
// their feeds, and held against finite differences (run_derivatives.py).
module {
  ingot.entry @mixture_of_matrices role(other) feeds ["h0", "h1", "w0", "w1", "b"] fetches ["y"] variables [] updates [] {
  ^bb0(%arg0: tensor<5x4xf64>, %arg1: tensor<5x3xf64>, %arg2: tensor<4x2xf64>, %arg3: tensor<3x2xf64>, %arg4: tensor<2xf64>):
    %0 = ingot.mixture(%arg0, %arg1) weights(%arg2, %arg3) bias(%arg4) : (tensor<5x4xf64>, tensor<5x3xf64>, tensor<4x2xf64>, tensor<3x2xf64>, tensor<2xf64>) -> tensor<5x2xf64>
    ingot.return %0 : tensor<5x2xf64>
  }
  ingot.entry @mixture_of_scalars_and_vectors role(other) feeds ["h0", "h1", "w0", "w1"] fetches ["y"] variables [] updates [] {
  ^bb0(%arg0: tensor<5x3xf64>, %arg1: tensor<5x3xf64>, %arg2: tensor<f64>, %arg3: tensor<3xf64>):
    %0 = ingot.mixture(%arg0, %arg1) weights(%arg2, %arg3) : (tensor<5x3xf64>, tensor<5x3xf64>, tensor<f64>, tensor<3xf64>) -> tensor<5x3xf64>
    ingot.return %0 : tensor<5x3xf64>
  }
  ingot.entry @mixture_grad role(other) feeds ["h0", "h1", "h2", "g"] fetches ["w0", "w1", "w2", "b"] variables [] updates [] {
  ^bb0(%arg0: tensor<5x4xf64>, %arg1: tensor<5x3xf64>, %arg2: tensor<5x3xf64>, %arg3: tensor<5x3xf64>):
    %0, %1, %2, %3 = ingot.mixture_grad(%arg0, %arg1, %arg2) of %arg3 {weight_ranks = array<i64: 2, 1, 0>, has_bias = true} : (tensor<5x4xf64>, tensor<5x3xf64>, tensor<5x3xf64>, tensor<5x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<f64>, tensor<3xf64>)
    ingot.return %0, %1, %2, %3 : tensor<4x3xf64>, tensor<3xf64>, tensor<f64>, tensor<3xf64>
  }
  ingot.entry @complexity_penalty role(other) feeds ["w0", "w1", "r0", "r1"] fetches ["p", "n0", "n1"] variables [] updates [] {
  ^bb0(%arg0: tensor<4x3xf64>, %arg1: tensor<f64>, %arg2: tensor<f64>, %arg3: tensor<f64>):
    %0, %1, %2 = ingot.complexity_penalty(%arg0, %arg1) complexities(%arg2, %arg3) {lambda = 0.1, beta = 0.01} : (tensor<4x3xf64>, tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
    ingot.return %0, %1, %2 : tensor<f64>, tensor<f64>, tensor<f64>
  }
  ingot.entry @ema role(other) feeds ["b", "v"] fetches ["a", "n"] variables [] updates [] {
  ^bb0(%arg0: tensor<f64>, %arg1: tensor<f64>):
    %step = ingot.constant dense<3.0> : tensor<f64>
    %0, %1, %2 = ingot.ema %arg0, %step, %arg1 {rate = 0.1} : (tensor<f64>, tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
    ingot.return %0, %1 : tensor<f64>, tensor<f64>
  }
  ingot.entry @select_best role(other) feeds ["l0", "l1", "v0", "v1"] fetches ["v"] variables [] updates [] {
  ^bb0(%arg0: tensor<f64>, %arg1: tensor<f64>, %arg2: tensor<3xf64>, %arg3: tensor<3xf64>):
    %0, %1 = ingot.select_best(%arg0, %arg1) values(%arg2, %arg3) {nan = "first"} : (tensor<f64>, tensor<f64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<i64>, tensor<3xf64>)
    ingot.return %1 : tensor<3xf64>
  }
  ingot.entry @if role(other) feeds ["x", "y"] fetches ["a", "b"] variables [] updates [] {
  ^bb0(%arg0: tensor<4xf64>, %arg1: tensor<f64>):
    %zero = ingot.constant dense<0.0> : tensor<f64>
    %c = ingot.greater %arg1, %zero : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %w = ingot.mul %arg0, %arg1 : (tensor<4xf64>, tensor<f64>) -> tensor<4xf64>
    %0:2 = ingot.if %c : tensor<i1> -> (tensor<4xf64>, tensor<4xf64>) {
      %1 = ingot.exp %w : (tensor<4xf64>) -> tensor<4xf64>
      %2 = ingot.mul %1, %arg0 : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
      ingot.result %2, %arg0 : tensor<4xf64>, tensor<4xf64>
    } else {
      %3 = ingot.square %w : (tensor<4xf64>) -> tensor<4xf64>
      ingot.result %3, %3 : tensor<4xf64>, tensor<4xf64>
    }
    %4 = ingot.add %0#0, %w : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
    ingot.return %4, %0#1 : tensor<4xf64>, tensor<4xf64>
  }
  ingot.entry @softmax_cross_entropy role(other) feeds ["x", "l"] fetches ["y"] variables [] updates [] {
  ^bb0(%arg0: tensor<4x3xf64>, %arg1: tensor<4x3xf64>):
    %0 = ingot.softmax %arg1 : (tensor<4x3xf64>) -> tensor<4x3xf64>
    %1, %2 = ingot.softmax_cross_entropy %arg0, %0 : (tensor<4x3xf64>, tensor<4x3xf64>) -> (tensor<4xf64>, tensor<4x3xf64>)
    ingot.return %1 : tensor<4xf64>
  }
  ingot.entry @batch_norm role(other) feeds ["x", "s", "o"] fetches ["y"] variables [] updates [] {
  ^bb0(%arg0: tensor<2x3x2x3xf64>, %arg1: tensor<3xf64>, %arg2: tensor<3xf64>):
    %none = ingot.constant dense<> : tensor<0xf64>
    %0, %1, %2, %3, %4 = ingot.fused_batch_norm %arg0, %arg1, %arg2, %none, %none : (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>, tensor<0xf64>) -> (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
    ingot.return %0 : tensor<2x3x2x3xf64>
  }
  ingot.entry @batch_norm_grad role(other) feeds ["g", "x", "s"] fetches ["dx", "ds", "do"] variables [] updates [] {
  ^bb0(%arg0: tensor<2x3x2x3xf64>, %arg1: tensor<2x3x2x3xf64>, %arg2: tensor<3xf64>):
    %none = ingot.constant dense<> : tensor<0xf64>
    %zeros = ingot.constant dense<0.0> : tensor<3xf64>
    %0, %1, %2, %3, %4 = ingot.fused_batch_norm %arg1, %arg2, %zeros, %none, %none : (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>, tensor<0xf64>) -> (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
    %5, %6, %7 = ingot.fused_batch_norm_grad %arg0, %arg1, %arg2, %3, %4 : (tensor<2x3x2x3xf64>, tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>)
    ingot.return %5, %6, %7 : tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>
  }
  ingot.entry @patches role(other) feeds ["x"] fetches ["y"] variables [] updates [] {
  ^bb0(%arg0: tensor<2x5x4x3xf64>):
    %0 = ingot.extract_patches %arg0 {window = array<i64: 3, 2>, strides = array<i64: 2, 1>, padding = "SAME"} : (tensor<2x5x4x3xf64>) -> tensor<2x3x4x6x3xf64>
    ingot.return %0 : tensor<2x3x4x6x3xf64>
  }
  ingot.entry @sum_patches role(other) feeds ["p"] fetches ["y"] variables [] updates [] {
  ^bb0(%arg0: tensor<2x3x4x6x3xf64>):
    %0 = ingot.sum_patches %arg0 {size = array<i64: 5, 4>, window = array<i64: 3, 2>, strides = array<i64: 2, 1>, padding = "SAME"} : (tensor<2x3x4x6x3xf64>) -> tensor<2x5x4x3xf64>
    ingot.return %0 : tensor<2x5x4x3xf64>
  }
  ingot.entry @sum_to_shape role(other) feeds ["x"] fetches ["y"] variables [] updates [] {
  ^bb0(%arg0: tensor<4x3xf64>):
    %shape = ingot.constant dense<[4, 1]> : tensor<2xi32>
    %0 = ingot.sum_to_shape %arg0, %shape : (tensor<4x3xf64>, tensor<2xi32>) -> tensor<4x1xf64>
    ingot.return %0 : tensor<4x1xf64>
  }
  ingot.entry @broadcast_against role(other) feeds ["x", "y"] fetches ["z"] variables [] updates [] {
  ^bb0(%arg0: tensor<1x3xf64>, %arg1: tensor<4x3xf64>):
    %0 = ingot.broadcast_against %arg0, %arg1 : (tensor<1x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    %1 = ingot.mul %0, %arg1 : (tensor<4x3xf64>, tensor<4x3xf64>) -> tensor<4x3xf64>
    ingot.return %1 : tensor<4x3xf64>
  }
  ingot.entry @checked_and_printed role(other) feeds ["x"] fetches ["y"] variables [] updates [] {
  ^bb0(%arg0: tensor<3xf64>):
    %0 = ingot.check_numerics %arg0 {message = "x"} : (tensor<3xf64>) -> tensor<3xf64>
    %1 = ingot.print_data %0 {message = "x: ", first_n = 0 : i64} : (tensor<3xf64>) -> tensor<3xf64>
    %2 = ingot.square %1 : (tensor<3xf64>) -> tensor<3xf64>
    ingot.return %2 : tensor<3xf64>
  }
  ingot.entry @ensure_shape role(other) feeds ["x"] fetches ["y"] variables [] updates [] {
  ^bb0(%arg0: tensor<2x3xf64>):
    %0 = ingot.ensure_shape %arg0 {shape = array<i64: -1, 3>} : (tensor<2x3xf64>) -> tensor<2x3xf64>
    %1 = ingot.square %0 : (tensor<2x3xf64>) -> tensor<2x3xf64>
    ingot.return %1 : tensor<2x3xf64>
  }
  ingot.entry @sparse_elements role(other) feeds ["v", "d"] fetches ["o", "f"] variables [] updates [] {
  ^bb0(%arg0: tensor<3xf64>, %arg1: tensor<f64>):
    %indices = ingot.constant dense<[[3, 1], [0, 2], [0, 1]]> : tensor<3x2xi64>
    %shape = ingot.constant dense<[4, 3]> : tensor<2xi64>
    %0, %1 = ingot.sparse_reorder %indices, %arg0, %shape : (tensor<3x2xi64>, tensor<3xf64>, tensor<2xi64>) -> (tensor<3x2xi64>, tensor<3xf64>)
    %2, %3, %4, %5 = ingot.sparse_fill_empty_rows %0, %1, %shape, %arg1 : (tensor<3x2xi64>, tensor<3xf64>, tensor<2xi64>, tensor<f64>) -> (tensor<?x2xi64>, tensor<?xf64>, tensor<4xi1>, tensor<3xi64>)
    %6 = ingot.sparse_to_dense %2, %shape, %3, %arg1 : (tensor<?x2xi64>, tensor<2xi64>, tensor<?xf64>, tensor<f64>) -> tensor<4x3xf64>
    ingot.return %1, %6 : tensor<3xf64>, tensor<4x3xf64>
  }
  ingot.entry @partition_and_stitch role(other) feeds ["x", "z"] fetches ["a", "y"] variables [] updates [] {
  ^bb0(%arg0: tensor<4x3xf64>, %arg1: tensor<2x3xf64>):
    %parts = ingot.constant dense<[1, 0, 1, 1]> : tensor<4xi32>
    %0, %1 = ingot.dynamic_partition %arg0, %parts {num_partitions = 2 : i64} : (tensor<4x3xf64>, tensor<4xi32>) -> (tensor<?x3xf64>, tensor<?x3xf64>)
    %2 = ingot.square %1 : (tensor<?x3xf64>) -> tensor<?x3xf64>
    %i = ingot.constant dense<[0, 3]> : tensor<2xi32>
    %j = ingot.constant dense<[1, 4, 2]> : tensor<3xi32>
    %3 = ingot.dynamic_stitch [%i, %j], [%arg1, %2] : (tensor<2xi32>, tensor<3xi32>, tensor<2x3xf64>, tensor<?x3xf64>) -> tensor<5x3xf64>
    %shape = ingot.constant dense<[1, 3]> : tensor<2xi32>
    %4 = ingot.reshape %0, %shape : (tensor<?x3xf64>, tensor<2xi32>) -> tensor<1x3xf64>
    ingot.return %4, %3 : tensor<1x3xf64>, tensor<5x3xf64>
  }
  ingot.entry @ctc_loss role(other) feeds ["x"] fetches ["y"] variables [] updates [] {
  ^bb0(%arg0: tensor<4x2x3xf64>):
    %indices = ingot.constant dense<[[0, 0], [0, 1], [1, 0]]> : tensor<3x2xi64>
    %labels = ingot.constant dense<[0, 1, 1]> : tensor<3xi32>
    %lengths = ingot.constant dense<[4, 3]> : tensor<2xi32>
    %loss, %gradient = ingot.ctc_loss %arg0, %indices, %labels, %lengths {ctc_merge_repeated = true} : (tensor<4x2x3xf64>, tensor<3x2xi64>, tensor<3xi32>, tensor<2xi32>) -> (tensor<2xf64>, tensor<4x2x3xf64>)
    ingot.return %loss : tensor<2xf64>
  }
}
