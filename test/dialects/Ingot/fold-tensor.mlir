// SPDX-License-Identifier: Apache-2.0
// Ops that make, reshape and reduce constants.
// RUN: ingot-opt %s -canonicalize | FileCheck %s

// A filled tensor is one value of any size, whether the dimensions are known
// from a constant or only from the type.
// CHECK-LABEL: @fill
// CHECK-DAG: %[[A:.*]] = ingot.constant dense<7.000000e+00> : tensor<1000x1000x1000xf32>
// CHECK-DAG: %[[B:.*]] = ingot.constant dense<"s"> : tensor<2x!ingot.string>
// CHECK-DAG: %[[C:.*]] = ingot.constant dense<> : tensor<0xf32>
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @fill(%d: tensor<1xi64>) -> (tensor<1000x1000x1000xf32>, tensor<2x!ingot.string>, tensor<0xf32>) {
  %dims = ingot.constant dense<1000> : tensor<3xi32>
  %v = ingot.constant dense<7.0> : tensor<f32>
  %0 = ingot.fill %dims, %v : (tensor<3xi32>, tensor<f32>) -> tensor<1000x1000x1000xf32>
  %s = ingot.constant dense<"s"> : tensor<!ingot.string>
  %1 = ingot.fill %d, %s : (tensor<1xi64>, tensor<!ingot.string>) -> tensor<2x!ingot.string>
  %nothing = ingot.constant dense<0> : tensor<1xi64>
  %2 = ingot.fill %nothing, %v : (tensor<1xi64>, tensor<f32>) -> tensor<0xf32>
  return %0, %1, %2 : tensor<1000x1000x1000xf32>, tensor<2x!ingot.string>, tensor<0xf32>
}

// CHECK-LABEL: @zeros_like_and_shape
// CHECK-DAG: %[[Z:.*]] = ingot.constant dense<0> : tensor<4x2xi64>
// CHECK-DAG: %[[S:.*]] = ingot.constant dense<[4, 2]> : tensor<2xi32>
// CHECK-DAG: %[[E:.*]] = ingot.constant dense<> : tensor<0xi64>
// CHECK: return %[[Z]], %[[S]], %[[E]]
func.func @zeros_like_and_shape(%x: tensor<4x2xi64>, %s: tensor<f32>) -> (tensor<4x2xi64>, tensor<2xi32>, tensor<0xi64>) {
  %0 = ingot.zeros_like %x : (tensor<4x2xi64>) -> tensor<4x2xi64>
  %1 = ingot.shape %x {output_type = i32} : (tensor<4x2xi64>) -> tensor<2xi32>
  %2 = ingot.shape %s {output_type = i64} : (tensor<f32>) -> tensor<0xi64>
  return %0, %1, %2 : tensor<4x2xi64>, tensor<2xi32>, tensor<0xi64>
}

// CHECK-LABEL: @unknown_shapes_stay
// CHECK: ingot.shape
// CHECK: ingot.zeros_like
func.func @unknown_shapes_stay(%x: tensor<?x2xf32>) -> (tensor<2xi32>, tensor<?x2xf32>) {
  %0 = ingot.shape %x {output_type = i32} : (tensor<?x2xf32>) -> tensor<2xi32>
  %1 = ingot.zeros_like %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0, %1 : tensor<2xi32>, tensor<?x2xf32>
}

// CHECK-LABEL: @reshaped
// CHECK-DAG: %[[A:.*]] = ingot.constant dense<{{\[}}[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
// CHECK-DAG: %[[B:.*]] = ingot.constant dense<{{\[}}["a", "b"]]> : tensor<1x2x!ingot.string>
// CHECK-DAG: %[[C:.*]] = ingot.constant dense<["a", "b"]> : tensor<2x!ingot.string>
// CHECK-DAG: %[[D:.*]] = ingot.constant dense_resource<large> : tensor<2xf32>
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @reshaped() -> (tensor<3x2xi32>, tensor<1x2x!ingot.string>, tensor<2x!ingot.string>, tensor<2xf32>) {
  %x = ingot.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %s = ingot.constant dense<[3, -1]> : tensor<2xi32>
  %0 = ingot.reshape %x, %s : (tensor<2x3xi32>, tensor<2xi32>) -> tensor<3x2xi32>
  %names = ingot.constant dense<["a", "b"]> : tensor<2x!ingot.string>
  %axis = ingot.constant dense<0> : tensor<i32>
  %1 = ingot.expand_dims %names, %axis : (tensor<2x!ingot.string>, tensor<i32>) -> tensor<1x2x!ingot.string>
  %2 = ingot.squeeze %1 {dims = array<i64: 0>} : (tensor<1x2x!ingot.string>) -> tensor<2x!ingot.string>
  %r = ingot.constant dense_resource<large> : tensor<1x2xf32>
  %flat = ingot.constant dense<-1> : tensor<1xi32>
  %3 = ingot.reshape %r, %flat : (tensor<1x2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return %0, %1, %2, %3 : tensor<3x2xi32>, tensor<1x2x!ingot.string>, tensor<2x!ingot.string>, tensor<2xf32>
}

// CHECK-LABEL: @tiled_and_transposed
// CHECK-DAG: %[[A:.*]] = ingot.constant dense<{{\[}}[1, 2, 1, 2], [3, 4, 3, 4], [1, 2, 1, 2], [3, 4, 3, 4]]>
// CHECK-DAG: %[[B:.*]] = ingot.constant dense<{{\[\[}}[1, 4], [2, 5], [3, 6]]]> : tensor<1x3x2xi32>
// CHECK-DAG: %[[C:.*]] = ingot.constant dense<{{\[}}["a", "c"], ["b", "d"]]>
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @tiled_and_transposed() -> (tensor<4x4xi32>, tensor<1x3x2xi32>, tensor<2x2x!ingot.string>) {
  %x = ingot.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %m = ingot.constant dense<2> : tensor<2xi32>
  %0 = ingot.tile %x, %m : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<4x4xi32>
  %y = ingot.constant dense<[[[1], [2], [3]], [[4], [5], [6]]]> : tensor<2x3x1xi32>
  %p = ingot.constant dense<[2, 1, 0]> : tensor<3xi32>
  %1 = ingot.transpose %y, %p : (tensor<2x3x1xi32>, tensor<3xi32>) -> tensor<1x3x2xi32>
  %s = ingot.constant dense<[["a", "b"], ["c", "d"]]> : tensor<2x2x!ingot.string>
  %q = ingot.constant dense<[1, 0]> : tensor<2xi32>
  %2 = ingot.transpose %s, %q : (tensor<2x2x!ingot.string>, tensor<2xi32>) -> tensor<2x2x!ingot.string>
  return %0, %1, %2 : tensor<4x4xi32>, tensor<1x3x2xi32>, tensor<2x2x!ingot.string>
}

// The floats are TensorFlow's: it multiplies the step (0.3 * 3 is 0.90000004
// in float32), and does not add it up.
// CHECK-LABEL: @range
// CHECK-DAG: %[[A:.*]] = ingot.constant dense<[5, 3, 1]> : tensor<3xi32>
// CHECK-DAG: %[[B:.*]] = ingot.constant dense<> : tensor<0xi32>
// CHECK-DAG: %[[C:.*]] = ingot.constant dense<[0.000000e+00, 3.000000e-01, 6.000000e-01, 0.900000035]> : tensor<4xf32>
// CHECK: return %[[A]], %[[B]], %[[C]]
func.func @range() -> (tensor<3xi32>, tensor<0xi32>, tensor<4xf32>) {
  %five = ingot.constant dense<5> : tensor<i32>
  %zero = ingot.constant dense<0> : tensor<i32>
  %step = ingot.constant dense<-2> : tensor<i32>
  %0 = ingot.range %five, %zero, %step : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3xi32>
  %1 = ingot.range %zero, %zero, %step : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<0xi32>
  %a = ingot.constant dense<0.0> : tensor<f32>
  %b = ingot.constant dense<1.0> : tensor<f32>
  %c = ingot.constant dense<0.3> : tensor<f32>
  %2 = ingot.range %a, %b, %c : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<3xi32>, tensor<0xi32>, tensor<4xf32>
}

// CHECK-LABEL: @reductions
// CHECK-DAG: %[[SUM:.*]] = ingot.constant dense<[5.000000e+00, 7.000000e+00, 9.000000e+00]> : tensor<3xf32>
// CHECK-DAG: %[[MEAN:.*]] = ingot.constant dense<{{\[}}[2.000000e+00], [5.000000e+00]]> : tensor<2x1xf32>
// CHECK-DAG: %[[PROD:.*]] = ingot.constant dense<7.200000e+02> : tensor<f32>
// CHECK-DAG: %[[MAX:.*]] = ingot.constant dense<[3.000000e+00, 6.000000e+00]> : tensor<2xf32>
// CHECK-DAG: %[[MIN:.*]] = ingot.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
// CHECK: return %[[SUM]], %[[MEAN]], %[[PROD]], %[[MAX]], %[[MIN]]
func.func @reductions() -> (tensor<3xf32>, tensor<2x1xf32>, tensor<f32>, tensor<2xf32>, tensor<3xf32>) {
  %x = ingot.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %first = ingot.constant dense<0> : tensor<i32>
  %last = ingot.constant dense<-1> : tensor<1xi32>
  %both = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %0 = ingot.sum %x, %first : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>
  %1 = ingot.mean %x, %last {keep_dims = true} : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2x1xf32>
  %2 = ingot.prod %x, %both : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<f32>
  %3 = ingot.max %x, %last : (tensor<2x3xf32>, tensor<1xi32>) -> tensor<2xf32>
  %4 = ingot.min %x, %first : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<2x1xf32>, tensor<f32>, tensor<2xf32>, tensor<3xf32>
}

// What TensorFlow gives for no elements, for NaN and for integers' means.
// CHECK-LABEL: @reductions_at_the_edge
// CHECK-DAG: %[[MAX:.*]] = ingot.constant dense<0xFF800000> : tensor<2xf32>
// CHECK-DAG: %[[MIN:.*]] = ingot.constant dense<2147483647> : tensor<2xi32>
// CHECK-DAG: %[[NAN:.*]] = ingot.constant dense<0x7FC00000> : tensor<f32>
// CHECK-DAG: %[[MEAN:.*]] = ingot.constant dense<-1> : tensor<i32>
// CHECK: return %[[MAX]], %[[MIN]], %[[NAN]], %[[MEAN]]
func.func @reductions_at_the_edge() -> (tensor<2xf32>, tensor<2xi32>, tensor<f32>, tensor<i32>) {
  %first = ingot.constant dense<0> : tensor<i32>
  %empty = ingot.constant dense<> : tensor<0x2xf32>
  %none = ingot.constant dense<> : tensor<0x2xi32>
  %nan = ingot.constant dense<[1.0, 0x7FC00000, 2.0]> : tensor<3xf32>
  %x = ingot.constant dense<[-1, -2, 2, -4]> : tensor<4xi32>
  %0 = ingot.max %empty, %first : (tensor<0x2xf32>, tensor<i32>) -> tensor<2xf32>
  %1 = ingot.min %none, %first : (tensor<0x2xi32>, tensor<i32>) -> tensor<2xi32>
  %2 = ingot.max %nan, %first : (tensor<3xf32>, tensor<i32>) -> tensor<f32>
  %3 = ingot.mean %x, %first : (tensor<4xi32>, tensor<i32>) -> tensor<i32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2xi32>, tensor<f32>, tensor<i32>
}

// 65536 times 0.1: added one by one float32 is off by 2e-3 (6553.6 becomes
// 6553.5 or worse); a tree of sums is exact to its last places.
// CHECK-LABEL: @long_sums_stay_accurate
// CHECK: ingot.constant dense<6.553600e+03> : tensor<f32>
func.func @long_sums_stay_accurate() -> tensor<f32> {
  %dims = ingot.constant dense<65536> : tensor<1xi32>
  %tenth = ingot.constant dense<0.1> : tensor<f32>
  %axis = ingot.constant dense<0> : tensor<i32>
  %x = ingot.fill %dims, %tenth : (tensor<1xi32>, tensor<f32>) -> tensor<65536xf32>
  %0 = ingot.sum %x, %axis : (tensor<65536xf32>, tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// tf.raw_ops.StatelessRandomGetKeyCounter of TensorFlow 2.15 on a CPU.
// CHECK-LABEL: @key_and_counter
// CHECK-DAG: %[[K0:.*]] = ingot.constant dense<-8344184508333493989> : tensor<1xi64>
// CHECK-DAG: %[[C0:.*]] = ingot.constant dense<[0, 3221300514992335331]> : tensor<2xi64>
// CHECK-DAG: %[[K1:.*]] = ingot.constant dense<-5233888751438548460> : tensor<1xi64>
// CHECK-DAG: %[[C1:.*]] = ingot.constant dense<[0, -5424309414518083524]> : tensor<2xi64>
// CHECK-DAG: %[[K2:.*]] = ingot.constant dense<-6737749789557104089> : tensor<1xi64>
// CHECK-DAG: %[[C2:.*]] = ingot.constant dense<[0, -8809460980313922802]> : tensor<2xi64>
// CHECK: return %[[K0]], %[[C0]], %[[K1]], %[[C1]], %[[K2]], %[[C2]]
func.func @key_and_counter() -> (tensor<1xi64>, tensor<2xi64>, tensor<1xi64>, tensor<2xi64>, tensor<1xi64>, tensor<2xi64>) {
  %s0 = ingot.constant dense<[554877116, 0]> : tensor<2xi32>
  %k0, %c0 = ingot.stateless_random_get_key_counter %s0 : (tensor<2xi32>) -> (tensor<1xi64>, tensor<2xi64>)
  %s1 = ingot.constant dense<[2147483647, -2147483648]> : tensor<2xi32>
  %k1, %c1 = ingot.stateless_random_get_key_counter %s1 : (tensor<2xi32>) -> (tensor<1xi64>, tensor<2xi64>)
  %s2 = ingot.constant dense<[-5, 1099511627776]> : tensor<2xi64>
  %k2, %c2 = ingot.stateless_random_get_key_counter %s2 : (tensor<2xi64>) -> (tensor<1xi64>, tensor<2xi64>)
  return %k0, %c0, %k1, %c1, %k2, %c2 : tensor<1xi64>, tensor<2xi64>, tensor<1xi64>, tensor<2xi64>, tensor<1xi64>, tensor<2xi64>
}

{-#
  dialect_resources: { builtin: { large: "0x040000000000803F00000040" } }
#-}

// The paddings in the gradient of a slice are joined from two columns.
// CHECK-LABEL: @concat
// CHECK-DAG: %[[COLUMNS:.*]] = ingot.constant dense<{{\[\[}}0, 0], [2, 4]]> : tensor<2x2xi32>
// CHECK-DAG: %[[ROWS:.*]] = ingot.constant dense<{{\[\[}}0], [2], [0], [4]]> : tensor<4x1xi32>
// CHECK: return %[[COLUMNS]], %[[ROWS]]
func.func @concat() -> (tensor<2x2xi32>, tensor<4x1xi32>) {
  %last = ingot.constant dense<-1> : tensor<i32>
  %first = ingot.constant dense<0> : tensor<i32>
  %a = ingot.constant dense<[[0], [2]]> : tensor<2x1xi32>
  %b = ingot.constant dense<[[0], [4]]> : tensor<2x1xi32>
  %0 = ingot.concat %last, %a, %b : (tensor<i32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  %1 = ingot.concat %first, %a, %b : (tensor<i32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<4x1xi32>
  return %0, %1 : tensor<2x2xi32>, tensor<4x1xi32>
}
