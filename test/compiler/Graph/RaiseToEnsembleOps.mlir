// SPDX-License-Identifier: Apache-2.0
// AdaNet's arithmetic is raised to ensemble ops; similar arithmetic stays, with
// a remark that says why.
// RUN: ingot-opt %s -split-input-file -ingot-raise-to-ensemble-ops=remarks=true -verify-diagnostics | FileCheck %s

ingot.variable @"h/kernel" : tensor<16x8xf32>
ingot.variable @"ensemble/weighted_subnetwork_0/logits/mixture_weight" : tensor<8x3xf32>
ingot.variable @"ensemble/weighted_subnetwork_1/logits/mixture_weight" : tensor<8x3xf32>
ingot.variable @"ensemble/bias" : tensor<3xf32>

// Matrices, a bias, the penalty on them, and all gradients (AN-149, AN-155,
// AN-156).
// CHECK-LABEL: ingot.entry @matrices
// CHECK: ^bb0(%[[K:.*]]: tensor<16x8xf32>, %[[W0:.*]]: tensor<8x3xf32>, %[[W1:.*]]: tensor<8x3xf32>, %[[B:.*]]: tensor<3xf32>, %[[X:.*]]: tensor<4x16xf32>, %[[L:.*]]: tensor<4xi32>):
// CHECK-DAG: %[[R0:.*]] = ingot.constant dense<1.100000e-01>
// CHECK-DAG: %[[R1:.*]] = ingot.constant dense<1.250000e-01>
// CHECK: %[[P:.*]], %[[N:.*]]:2 = ingot.complexity_penalty(%[[W0]], %[[W1]]) complexities(%[[R0]], %[[R1]]) {beta = 0.000000e+00 : f64, lambda = 1.000000e+00 : f64}
// CHECK: %[[H0:.*]] = ingot.relu
// CHECK: %[[H1:.*]] = ingot.tanh
// CHECK: %[[Z:.*]] = ingot.mixture(%[[H0]], %[[H1]]) weights(%[[W0]], %[[W1]]) bias(%[[B]]) :
// CHECK: %{{.*}}, %[[G:.*]] = ingot.sparse_softmax_cross_entropy %[[Z]], %[[L]]
// CHECK: %[[D:.*]]:3 = ingot.mixture_grad(%[[H0]], %[[H1]]) of %[[G]] {has_bias = true, weight_ranks = array<i64: 2, 2>}
// CHECK: ingot.return %{{.*}}, %[[P]], %[[N]]#0, %[[D]]#0, %[[D]]#1, %[[D]]#2
ingot.entry @matrices role(step) feeds ["x:0", "l:0"] fetches ["loss:0", "penalty:0", "norm:0", "d0:0", "d1:0", "db:0"] variables [@"h/kernel", @"ensemble/weighted_subnetwork_0/logits/mixture_weight", @"ensemble/weighted_subnetwork_1/logits/mixture_weight", @"ensemble/bias"] updates [] {
^bb0(%k: tensor<16x8xf32>, %w0: tensor<8x3xf32>, %w1: tensor<8x3xf32>, %b: tensor<3xf32>, %x: tensor<4x16xf32>, %l: tensor<4xi32>):
  %zero = ingot.constant dense<0.0> : tensor<f32>
  %r0 = ingot.constant dense<0.11> : tensor<f32>
  %r1 = ingot.constant dense<0.125> : tensor<f32>
  %rows = ingot.constant dense<0> : tensor<1xi32>
  %all = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %classes = ingot.constant dense<3> : tensor<1xi32>
  %y = ingot.matmul %x, %k : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %h0 = ingot.relu %y : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %h1 = ingot.tanh %y : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %m0 = ingot.matmul %h0, %w0 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %m1 = ingot.matmul %h1, %w1 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %s0 = ingot.add %b, %m0 : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  // expected-remark @+1 {{raised to an ensemble op: a mixture of 2 members with a bias}}
  %z = ingot.add %s0, %m1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %a0 = ingot.abs %w0 : (tensor<8x3xf32>) -> tensor<8x3xf32>
  %n0 = ingot.sum %a0, %all {keep_dims = true} : (tensor<8x3xf32>, tensor<2xi32>) -> tensor<1x1xf32>
  %norm0 = ingot.squeeze %n0 : (tensor<1x1xf32>) -> tensor<f32>
  %t0 = ingot.mul %r0, %norm0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %p0 = ingot.add %zero, %t0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %a1 = ingot.abs %w1 : (tensor<8x3xf32>) -> tensor<8x3xf32>
  %norm1 = ingot.sum %a1, %all : (tensor<8x3xf32>, tensor<2xi32>) -> tensor<f32>
  %t1 = ingot.mul %r1, %norm1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark @+1 {{raised to an ensemble op: the penalty on 2 mixture weights}}
  %p1 = ingot.add %p0, %t1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %loss, %g = ingot.sparse_softmax_cross_entropy %z, %l : (tensor<4x3xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4x3xf32>)
  // expected-remark @+1 {{raised to an ensemble op: the gradients of 2 mixture weights and the bias}}
  %d0 = ingot.matmul %h0, %g {transpose_a = true} : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %d1 = ingot.matmul %h1, %g {transpose_a = true} : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<8x3xf32>
  %sum = ingot.sum %g, %rows {keep_dims = true} : (tensor<4x3xf32>, tensor<1xi32>) -> tensor<1x3xf32>
  %db = ingot.reshape %sum, %classes : (tensor<1x3xf32>, tensor<1xi32>) -> tensor<3xf32>
  ingot.return %loss, %p1, %norm0, %d0, %d1, %db : tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<3xf32>
}

// -----

ingot.variable @"h/kernel" : tensor<16x3xf32>
ingot.variable @w0 : tensor<f32>
ingot.variable @v0 : tensor<f32>
ingot.variable @w1 : tensor<3xf32>
ingot.variable @bias : tensor<3xf32>

// Scalars and vectors; the bias last, and sums of all at once.
// CHECK-LABEL: ingot.entry @scalars
// CHECK: ^bb0(%[[K:.*]]: tensor<16x3xf32>, %[[W0:.*]]: tensor<f32>, %[[W1:.*]]: tensor<3xf32>, %[[B:.*]]: tensor<3xf32>
// CHECK: %[[Z:.*]] = ingot.mixture(%[[H0:.*]], %[[H1:.*]]) weights(%[[W0]], %[[W1]]) bias(%[[B]]) {bias_last = true}
// CHECK: %[[G:.*]] = ingot.sub %[[Z]]
// CHECK: %[[D:.*]]:3 = ingot.mixture_grad(%[[H0]], %[[H1]]) of %[[G]] {has_bias = true, weight_ranks = array<i64: 0, 1>}
// CHECK: ingot.return %[[D]]#0, %[[D]]#1, %[[D]]#2
ingot.entry @scalars role(step) feeds ["x:0", "l:0"] fetches ["d0:0", "d1:0", "db:0"] variables [@"h/kernel", @w0, @w1, @bias] updates [] {
^bb0(%k: tensor<16x3xf32>, %w0: tensor<f32>, %w1: tensor<3xf32>, %b: tensor<3xf32>, %x: tensor<4x16xf32>, %l: tensor<4x3xf32>):
  %rows = ingot.constant dense<0> : tensor<1xi32>
  %all = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %h0 = ingot.matmul %x, %k : (tensor<4x16xf32>, tensor<16x3xf32>) -> tensor<4x3xf32>
  %h1 = ingot.tanh %h0 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %m0 = ingot.mul %h0, %w0 : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %m1 = ingot.mul %w1, %h1 : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %s = ingot.add_n %m0, %m1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  // expected-remark @+1 {{raised to an ensemble op: a mixture of 2 members with a bias}}
  %z = ingot.add %s, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %g = ingot.sub %z, %l : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %e0 = ingot.mul %g, %h0 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  // expected-remark @+1 {{raised to an ensemble op: the gradients of 2 mixture weights and the bias}}
  %d0 = ingot.sum %e0, %all : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<f32>
  %e1 = ingot.mul %h1, %g : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %d1 = ingot.sum %e1, %rows : (tensor<4x3xf32>, tensor<1xi32>) -> tensor<3xf32>
  %db = ingot.bias_add_grad %g : (tensor<4x3xf32>) -> tensor<3xf32>
  ingot.return %d0, %d1, %db : tensor<f32>, tensor<3xf32>, tensor<3xf32>
}

// Complexities computed at run time: lambda and beta are told apart (AN-156).
// Members that differ in them have no penalty of AdaNet's.
// CHECK-LABEL: ingot.entry @factors
// CHECK: ^bb0(%[[K:.*]]: tensor<16x3xf32>, %[[W0:.*]]: tensor<f32>, %[[W1:.*]]: tensor<f32>, %[[X:.*]]: tensor<4x16xf32>, %[[R0:.*]]: tensor<f32>, %[[R1:.*]]: tensor<f32>):
// CHECK: %[[P:.*]], %{{.*}}:2 = ingot.complexity_penalty(%[[W0]], %[[W1]]) complexities(%[[R0]], %[[R1]]) {beta = 6.250000e-02 : f64, lambda = 1.250000e-01 : f64}
// CHECK: ingot.return %{{.*}}, %[[P]], %{{.*}}
ingot.entry @factors role(step) feeds ["x:0", "r0:0", "r1:0"] fetches ["z:0", "p:0", "q:0"] variables [@"h/kernel", @w0, @v0] updates [] {
^bb0(%k: tensor<16x3xf32>, %w0: tensor<f32>, %w1: tensor<f32>, %x: tensor<4x16xf32>, %r0: tensor<f32>, %r1: tensor<f32>):
  %lambda = ingot.constant dense<0.125> : tensor<f32>
  %other = ingot.constant dense<0.25> : tensor<f32>
  %beta = ingot.constant dense<0.0625> : tensor<f32>
  %h0 = ingot.matmul %x, %k : (tensor<4x16xf32>, tensor<16x3xf32>) -> tensor<4x3xf32>
  %h1 = ingot.tanh %h0 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %m0 = ingot.mul %h0, %w0 : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  %m1 = ingot.mul %h1, %w1 : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
  // expected-remark @+1 {{raised to an ensemble op: a mixture of 2 members}}
  %z = ingot.add %m0, %m1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %f0 = ingot.mul %lambda, %r0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %g0 = ingot.add %f0, %beta : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %f1 = ingot.mul %lambda, %r1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %g1 = ingot.add %f1, %beta : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %e1 = ingot.mul %other, %r1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %d1 = ingot.add %e1, %beta : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %n0 = ingot.abs %w0 : (tensor<f32>) -> tensor<f32>
  %n1 = ingot.abs %w1 : (tensor<f32>) -> tensor<f32>
  %t0 = ingot.mul %g0, %n0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t1 = ingot.mul %g1, %n1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark @+1 {{raised to an ensemble op: the penalty on 2 mixture weights}}
  %p = ingot.add %t0, %t1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %o0 = ingot.abs %w0 : (tensor<f32>) -> tensor<f32>
  %o1 = ingot.abs %w1 : (tensor<f32>) -> tensor<f32>
  %u0 = ingot.mul %g0, %o0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %u1 = ingot.mul %d1, %o1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark @+1 {{not raised to an ensemble op: not a complexity penalty: its members differ in lambda or beta}}
  %q = ingot.add %u0, %u1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  ingot.return %z, %p, %q : tensor<4x3xf32>, tensor<f32>, tensor<f32>
}

// -----

ingot.variable @k : tensor<16x8xf32>
ingot.variable @u : tensor<8x8xf32>
ingot.variable @v : tensor<8x8xf32>
ingot.variable @b : tensor<8xf32>

// A recurrent cell adds two matmuls and a bias, too.
// CHECK-LABEL: ingot.entry @recurrent
// CHECK-NOT: ingot.mixture
// CHECK: ingot.return
ingot.entry @recurrent role(step) feeds ["x:0"] fetches ["y:0"] variables [@k, @u, @v, @b] updates [] {
^bb0(%k: tensor<16x8xf32>, %u: tensor<8x8xf32>, %v: tensor<8x8xf32>, %b: tensor<8xf32>, %x: tensor<4x16xf32>):
  %h = ingot.matmul %x, %k : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %i = ingot.relu %h : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = ingot.matmul %h, %u : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %q = ingot.matmul %i, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %s = ingot.add %p, %q : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark @+1 {{not raised to an ensemble op: not a mixture: the sum feeds an activation, like that of a layer}}
  %z = ingot.add %s, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %y = ingot.tanh %z : (tensor<4x8xf32>) -> tensor<4x8xf32>
  ingot.return %y : tensor<4x8xf32>
}

// Members that are trained through their weights are branches of one network.
// CHECK-LABEL: ingot.entry @branches
// CHECK-NOT: ingot.mixture
// CHECK: ingot.return
ingot.entry @branches role(step) feeds ["x:0", "g:0"] fetches ["y:0", "d:0"] variables [@k, @u, @v, @b] updates [] {
^bb0(%k: tensor<16x8xf32>, %u: tensor<8x8xf32>, %v: tensor<8x8xf32>, %b: tensor<8xf32>, %x: tensor<4x16xf32>, %g: tensor<4x8xf32>):
  %h = ingot.matmul %x, %k : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %i = ingot.relu %h : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = ingot.matmul %h, %u : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %q = ingot.matmul %i, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  // expected-remark @+1 {{not raised to an ensemble op: not a mixture: the member weighted by 'u' is trained through the sum}}
  %s = ingot.add %p, %q : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %d = ingot.matmul %g, %u {transpose_b = true} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  ingot.return %s, %d : tensor<4x8xf32>, tensor<4x8xf32>
}

// A linear model weights its input.
// CHECK-LABEL: ingot.entry @linear
// CHECK-NOT: ingot.mixture
// CHECK: ingot.return
ingot.entry @linear role(step) feeds ["x:0"] fetches ["y:0"] variables [@k, @u, @v, @b] updates [] {
^bb0(%k: tensor<16x8xf32>, %u: tensor<8x8xf32>, %v: tensor<8x8xf32>, %b: tensor<8xf32>, %x: tensor<4x8xf32>):
  %y = ingot.square %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = ingot.matmul %x, %u : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %q = ingot.matmul %y, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  // expected-remark @+1 {{not raised to an ensemble op: not a mixture: the operand of 'u' is not computed by a network}}
  %s = ingot.add %p, %q : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  ingot.return %s : tensor<4x8xf32>
}

// A layer has one matmul and a bias.
// CHECK-LABEL: ingot.entry @layer
// CHECK-NOT: ingot.mixture
// CHECK: ingot.return
ingot.entry @layer role(step) feeds ["x:0"] fetches ["y:0"] variables [@k, @u, @v, @b] updates [] {
^bb0(%k: tensor<16x8xf32>, %u: tensor<8x8xf32>, %v: tensor<8x8xf32>, %b: tensor<8xf32>, %x: tensor<4x16xf32>):
  %h = ingot.matmul %x, %k : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %p = ingot.matmul %h, %u : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y = ingot.add %b, %p : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  ingot.return %y : tensor<4x8xf32>
}

// Near misses: a weighted member, or a partial sum, with other uses; and a term
// without a weight.
// CHECK-LABEL: ingot.entry @shared
// CHECK-NOT: ingot.mixture
// CHECK: ingot.return
ingot.entry @shared role(step) feeds ["x:0"] fetches ["y:0", "p:0", "s:0", "t:0"] variables [@k, @u, @v, @b] updates [] {
^bb0(%k: tensor<16x8xf32>, %u: tensor<8x8xf32>, %v: tensor<8x8xf32>, %b: tensor<8xf32>, %x: tensor<4x16xf32>):
  %h = ingot.matmul %x, %k : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %i = ingot.relu %h : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = ingot.matmul %h, %u : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %q = ingot.matmul %i, %v : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  // expected-remark @+1 {{not raised to an ensemble op: not a mixture: a weighted member has other uses}}
  %s = ingot.add %p, %q : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark @+1 {{not raised to an ensemble op: a sum of weighted members has a term that is neither a weighted member nor the bias}}
  %t = ingot.add_n %i, %p, %q : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  ingot.return %s, %p, %s, %t : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// Norms of a layer's weights regularize it.
// CHECK-LABEL: ingot.entry @regularization
// CHECK-NOT: ingot.complexity_penalty
// CHECK: ingot.return
ingot.entry @regularization role(step) feeds [] fetches ["p:0"] variables [@u, @v] updates [] {
^bb0(%u: tensor<8x8xf32>, %v: tensor<8x8xf32>):
  %all = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %r = ingot.constant dense<0.01> : tensor<f32>
  %a = ingot.abs %u : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %n = ingot.sum %a, %all : (tensor<8x8xf32>, tensor<2xi32>) -> tensor<f32>
  %c = ingot.abs %v : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %m = ingot.sum %c, %all : (tensor<8x8xf32>, tensor<2xi32>) -> tensor<f32>
  %s = ingot.mul %r, %n : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %t = ingot.mul %r, %m : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark @+1 {{not raised to an ensemble op: not a complexity penalty: the weights are not those of one mixture, in order}}
  %p = ingot.add %s, %t : (tensor<f32>, tensor<f32>) -> tensor<f32>
  ingot.return %p : tensor<f32>
}

// -----

ingot.variable @biased : tensor<f32>
ingot.variable @step : tensor<f32>
ingot.variable @previous : tensor<f32>

// The average of a loss, and the selection of the best of two, with its loss
// (AN-130, AN-135); the index is in range, so its check is dropped.
// CHECK-LABEL: ingot.entry @best
// CHECK: ^bb0(%[[B:.*]]: tensor<f32>, %[[S:.*]]: tensor<f32>, %[[P:.*]]: tensor<f32>, %[[X:.*]]: tensor<f32>, %[[Y:.*]]: tensor<f32>):
// CHECK: %[[AVERAGE:.*]], %[[BIASED:.*]], %[[STEP:.*]] = ingot.ema %[[B]], %[[S]], %[[X]] {rate = 0.10000000149011612 : f64}
// CHECK: %[[INDEX:.*]], %[[LOSS:.*]] = ingot.select_best(%[[P]], %[[AVERAGE]]) values(%[[Y]], %[[X]]) {nan = "first"}
// CHECK: %[[TRUE:.*]] = arith.constant true
// CHECK: ingot.require %[[TRUE]]
// CHECK: ingot.return %[[INDEX]], %[[LOSS]], %[[BIASED]], %[[STEP]], %[[AVERAGE]]
ingot.entry @best role(step) feeds ["x:0", "y:0"] fetches ["index:0", "loss:0"] variables [@biased, @step, @previous] updates [@biased, @step, @previous] {
^bb0(%b: tensor<f32>, %s: tensor<f32>, %p: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>):
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %axis = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1.0> : tensor<f32>
  %rate = ingot.constant dense<0.1> : tensor<f32>
  %decay = ingot.constant dense<0.9> : tensor<f32>
  %smallest = ingot.constant dense<0xFF800000> : tensor<2xf32>
  %size = ingot.constant dense<1> : tensor<1xi64>
  %scalar = ingot.constant dense<> : tensor<0xi32>
  %distance = ingot.sub %b, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %change = ingot.mul %distance, %rate : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %b1 = ingot.sub %b, %change : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s1 = ingot.add %s, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %power = ingot.pow %decay, %s1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %left = ingot.sub %one, %power : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark @+1 {{raised to an ensemble op: a moving average}}
  %average = ingot.real_div %b1, %left : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %e0 = ingot.expand_dims %p, %axis : (tensor<f32>, tensor<i32>) -> tensor<1xf32>
  %e1 = ingot.expand_dims %average, %axis : (tensor<f32>, tensor<i32>) -> tensor<1xf32>
  %stack = ingot.concat %axis, %e0, %e1 : (tensor<i32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %nan = ingot.is_nan %stack : (tensor<2xf32>) -> tensor<2xi1>
  %clean = ingot.select %nan, %smallest, %stack : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %turned = ingot.neg %clean : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{raised to an ensemble op: the best of 2 candidates, and 1 value of it}}
  %index = ingot.arg_max %turned, %axis {output_type = i64} : (tensor<2xf32>, tensor<i32>) -> tensor<i64>
  %begin = ingot.expand_dims %index, %axis : (tensor<i64>, tensor<i32>) -> tensor<1xi64>
  %first = tensor.extract %begin[%c0] : tensor<1xi64>
  %number = arith.index_cast %first : i64 to index
  %fits = arith.cmpi sle, %number, %c2 : index
  ingot.require %fits, "Expected begin[0] in [0, 2], but got {}"(%number)
  %l0 = ingot.expand_dims %y, %axis : (tensor<f32>, tensor<i32>) -> tensor<1xf32>
  %l1 = ingot.expand_dims %x, %axis : (tensor<f32>, tensor<i32>) -> tensor<1xf32>
  %losses = ingot.concat %axis, %l0, %l1 : (tensor<i32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %taken = ingot.slice %losses, %begin, %size : (tensor<2xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<1xf32>
  %loss = ingot.reshape %taken, %scalar : (tensor<1xf32>, tensor<0xi32>) -> tensor<f32>
  ingot.return %index, %loss, %b1, %s1, %average : tensor<i64>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// Near misses: an average whose bias decays at another rate, and a selection
// for which NaN is the largest number.
// CHECK-LABEL: ingot.entry @others
// CHECK-NOT: ingot.ema
// CHECK-NOT: ingot.select_best
// CHECK: ingot.return
ingot.entry @others role(step) feeds ["x:0", "y:0"] fetches ["index:0", "average:0"] variables [@biased, @step] updates [] {
^bb0(%b: tensor<f32>, %s: tensor<f32>, %x: tensor<f32>, %y: tensor<f32>):
  %axis = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1.0> : tensor<f32>
  %rate = ingot.constant dense<0.1> : tensor<f32>
  %decay = ingot.constant dense<0.99> : tensor<f32>
  %largest = ingot.constant dense<0x7F800000> : tensor<2xf32>
  %distance = ingot.sub %b, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %change = ingot.mul %distance, %rate : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %b1 = ingot.sub %b, %change : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %s1 = ingot.add %s, %one : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %power = ingot.pow %decay, %s1 : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %left = ingot.sub %one, %power : (tensor<f32>, tensor<f32>) -> tensor<f32>
  // expected-remark @+1 {{not raised to an ensemble op: not a moving average: the bias does not decay by 1 - rate}}
  %average = ingot.real_div %b1, %left : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %e0 = ingot.expand_dims %x, %axis : (tensor<f32>, tensor<i32>) -> tensor<1xf32>
  %e1 = ingot.expand_dims %y, %axis : (tensor<f32>, tensor<i32>) -> tensor<1xf32>
  %stack = ingot.concat %axis, %e0, %e1 : (tensor<i32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %nan = ingot.is_nan %stack : (tensor<2xf32>) -> tensor<2xi1>
  %clean = ingot.select %nan, %largest, %stack : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %turned = ingot.neg %clean : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{not raised to an ensemble op: not a selection of the best loss: a loss of NaN is not replaced by -inf}}
  %index = ingot.arg_max %turned, %axis {output_type = i64} : (tensor<2xf32>, tensor<i32>) -> tensor<i64>
  ingot.return %index, %average : tensor<i64>, tensor<f32>
}

// -----

ingot.variable @a : tensor<f32>
ingot.variable @b : tensor<f32>

// The predictions of the best candidate (AN-042), sliced by its index as in
// AdaNet, or gathered; the index is in range. Another list, another axis and
// several axes are not selections of a candidate.
// CHECK-LABEL: ingot.entry @predictions
// CHECK: ^bb0(%[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f32>, %[[X:.*]]: tensor<?x3xf32>, %[[Y:.*]]: tensor<?x3xf32>, %[[U:.*]]: tensor<4xi64>, %[[V:.*]]: tensor<4xi64>):
// CHECK: %[[INDEX:.*]], %[[CHOSEN:.*]]:2 = ingot.select_best(%[[A]], %[[B]]) values(%[[U]], %[[V]], %[[X]], %[[Y]]) {nan = "first"}
// CHECK-NOT: ingot.require_indices
// CHECK: %[[OTHER:.*]] = ingot.gather %{{.*}}, %[[INDEX]]
// CHECK: %[[PART:.*]] = ingot.gather %{{.*}}, %[[INDEX]]
// CHECK: %[[TWO:.*]] = ingot.strided_slice
// CHECK: ingot.return %[[CHOSEN]]#1, %[[CHOSEN]]#0, %[[OTHER]], %[[PART]], %[[TWO]]
ingot.entry @predictions role(other) feeds ["x:0", "y:0", "u:0", "v:0"] fetches ["slice:0", "gather:0", "other:0", "part:0", "two:0"] variables [@a, @b] updates [@a, @b] {
^bb0(%a: tensor<f32>, %b: tensor<f32>, %x: tensor<?x3xf32>, %y: tensor<?x3xf32>, %u: tensor<4xi64>, %v: tensor<4xi64>):
  %axis = ingot.constant dense<0> : tensor<i32>
  %last = ingot.constant dense<1> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i64>
  %ones = ingot.constant dense<1> : tensor<1xi64>
  %two = ingot.constant dense<2> : tensor<i64>
  %sizes = ingot.constant dense<[2, 4]> : tensor<2xi64>
  %smallest = ingot.constant dense<0xFF800000> : tensor<2xf32>
  %e0 = ingot.expand_dims %a, %axis : (tensor<f32>, tensor<i32>) -> tensor<1xf32>
  %e1 = ingot.expand_dims %b, %axis : (tensor<f32>, tensor<i32>) -> tensor<1xf32>
  %stack = ingot.concat %axis, %e0, %e1 : (tensor<i32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %nan = ingot.is_nan %stack : (tensor<2xf32>) -> tensor<2xi1>
  %clean = ingot.select %nan, %smallest, %stack : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %turned = ingot.neg %clean : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark @+1 {{raised to an ensemble op: the best of 2 candidates, and 2 values of it}}
  %index = ingot.arg_max %turned, %axis {output_type = i64} : (tensor<2xf32>, tensor<i32>) -> tensor<i64>
  %x1 = ingot.expand_dims %x, %axis : (tensor<?x3xf32>, tensor<i32>) -> tensor<1x?x3xf32>
  %y1 = ingot.expand_dims %y, %axis : (tensor<?x3xf32>, tensor<i32>) -> tensor<1x?x3xf32>
  %xy = ingot.concat %axis, %x1, %y1 : (tensor<i32>, tensor<1x?x3xf32>, tensor<1x?x3xf32>) -> tensor<2x?x3xf32>
  %begin = ingot.expand_dims %index, %axis : (tensor<i64>, tensor<i32>) -> tensor<1xi64>
  %next = ingot.add %index, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %end = ingot.expand_dims %next, %axis : (tensor<i64>, tensor<i32>) -> tensor<1xi64>
  %slice = ingot.strided_slice %xy, %begin, %end, %ones {shrink_axis_mask = 1 : i64} : (tensor<2x?x3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xf32>
  %u1 = ingot.expand_dims %u, %axis : (tensor<4xi64>, tensor<i32>) -> tensor<1x4xi64>
  %v1 = ingot.expand_dims %v, %axis : (tensor<4xi64>, tensor<i32>) -> tensor<1x4xi64>
  %uv = ingot.concat %axis, %u1, %v1 : (tensor<i32>, tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<2x4xi64>
  ingot.require_indices %index, %sizes {kind = "gather"} : (tensor<i64>, tensor<2xi64>) -> ()
  %gather = ingot.gather %uv, %index, %axis : (tensor<2x4xi64>, tensor<i64>, tensor<i32>) -> tensor<4xi64>
  %uvu = ingot.concat %axis, %u1, %v1, %u1 : (tensor<i32>, tensor<1x4xi64>, tensor<1x4xi64>, tensor<1x4xi64>) -> tensor<3x4xi64>
  %other = ingot.gather %uvu, %index, %axis : (tensor<3x4xi64>, tensor<i64>, tensor<i32>) -> tensor<4xi64>
  %part = ingot.gather %uv, %index, %last : (tensor<2x4xi64>, tensor<i64>, tensor<i32>) -> tensor<2xi64>
  %further = ingot.add %index, %two : (tensor<i64>, tensor<i64>) -> tensor<i64>
  %far = ingot.expand_dims %further, %axis : (tensor<i64>, tensor<i32>) -> tensor<1xi64>
  %both = ingot.strided_slice %uv, %begin, %far, %ones {shrink_axis_mask = 0 : i64} : (tensor<2x4xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x4xi64>
  ingot.return %slice, %gather, %other, %part, %both, %a, %b : tensor<?x3xf32>, tensor<4xi64>, tensor<4xi64>, tensor<2xi64>, tensor<?x4xi64>, tensor<f32>, tensor<f32>
}
