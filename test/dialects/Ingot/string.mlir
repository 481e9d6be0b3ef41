// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @strings
func.func @strings(%x: tensor<4xf32>, %s: tensor<4x!ingot.string>, %one: tensor<!ingot.string>, %m: tensor<2x?x!ingot.string>, %at: tensor<i32>) {
  // CHECK: ingot.as_string %{{.*}} {fill = "0", precision = 2 : i64, width = 8 : i64} : (tensor<4xf32>) -> tensor<4x!ingot.string>
  %a = ingot.as_string %x {precision = 2 : i64, width = 8 : i64, fill = "0"} : (tensor<4xf32>) -> tensor<4x!ingot.string>
  // CHECK: ingot.string_join {{.*}} -> tensor<4x!ingot.string>
  %j = ingot.string_join %one, %s, %one {separator = "/"} : (tensor<!ingot.string>, tensor<4x!ingot.string>, tensor<!ingot.string>) -> tensor<4x!ingot.string>
  // CHECK: ingot.string_format {{.*}} -> tensor<!ingot.string>
  %f = ingot.string_format %x {format = "x = {}", placeholder = "{}"} : (tensor<4xf32>) -> tensor<!ingot.string>
  // CHECK: ingot.string_length {{.*}} -> tensor<2x?xi32>
  %n = ingot.string_length %m {unit = "UTF8_CHAR"} : (tensor<2x?x!ingot.string>) -> tensor<2x?xi32>
  // CHECK: ingot.substr {{.*}} -> tensor<4x!ingot.string>
  %p = ingot.substr %s, %at, %at : (tensor<4x!ingot.string>, tensor<i32>, tensor<i32>) -> tensor<4x!ingot.string>
  // CHECK: ingot.string_lower
  %l = ingot.string_lower %s : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
  // CHECK: ingot.string_upper
  %u = ingot.string_upper %s : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
  // CHECK: ingot.string_strip
  %q = ingot.string_strip %s : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
  // CHECK: ingot.string_equal {{.*}} -> tensor<4xi1>
  %e = ingot.string_equal %s, %one : (tensor<4x!ingot.string>, tensor<!ingot.string>) -> tensor<4xi1>
  // CHECK: ingot.string_split {{.*}} -> (tensor<?x2xi64>, tensor<?x!ingot.string>, tensor<2xi64>)
  %i, %v, %w = ingot.string_split %s, %one {maxsplit = 2 : i64} : (tensor<4x!ingot.string>, tensor<!ingot.string>) -> (tensor<?x2xi64>, tensor<?x!ingot.string>, tensor<2xi64>)
  // CHECK: ingot.string_split_any {{.*}} {skip_empty = false}
  %i1, %v1, %w1 = ingot.string_split_any %s, %one {skip_empty = false} : (tensor<4x!ingot.string>, tensor<!ingot.string>) -> (tensor<?x2xi64>, tensor<?x!ingot.string>, tensor<2xi64>)
  // CHECK: ingot.string_to_number {{.*}} -> tensor<4xf64>
  %d = ingot.string_to_number %s {output_type = f64} : (tensor<4x!ingot.string>) -> tensor<4xf64>
  // CHECK: ingot.string_to_hash_bucket %{{.*}} {key = array<i64: 1, 2>, method = "strong", num_buckets = 7 : i64}
  %h = ingot.string_to_hash_bucket %s {method = "strong", num_buckets = 7 : i64, key = array<i64: 1, 2>} : (tensor<4x!ingot.string>) -> tensor<4xi64>
  // CHECK: ingot.decode_raw {{.*}} -> tensor<4x?xi32>
  %r = ingot.decode_raw %s {output_type = i32} : (tensor<4x!ingot.string>) -> tensor<4x?xi32>
  // CHECK: ingot.encode_base64
  %b = ingot.encode_base64 %s {pad = true} : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
  // CHECK: ingot.decode_base64
  %c = ingot.decode_base64 %b : (tensor<4x!ingot.string>) -> tensor<4x!ingot.string>
  // CHECK: ingot.regex_full_match {{.*}} -> tensor<4xi1>
  %g = ingot.regex_full_match %s, %one : (tensor<4x!ingot.string>, tensor<!ingot.string>) -> tensor<4xi1>
  // CHECK: ingot.regex_replace %{{.*}} {replace_global = false}
  %o = ingot.regex_replace %s, %one, %one {replace_global = false} : (tensor<4x!ingot.string>, tensor<!ingot.string>, tensor<!ingot.string>) -> tensor<4x!ingot.string>
  %axes = ingot.constant dense<-1> : tensor<1xi32>
  // CHECK: ingot.reduce_join {{.*}} -> tensor<2x1x!ingot.string>
  %k = ingot.reduce_join %m, %axes {keep_dims = true} : (tensor<2x?x!ingot.string>, tensor<1xi32>) -> tensor<2x1x!ingot.string>
  // CHECK: ingot.decode_csv {{.*}} -> (tensor<4xf32>, tensor<4xi1>)
  %none = ingot.constant dense<> : tensor<0xi1>
  %x0 = ingot.constant dense<0.5> : tensor<1xf32>
  %c0, %c1 = ingot.decode_csv %s, %x0, %none {select_cols = array<i64: 0, 2>} : (tensor<4x!ingot.string>, tensor<1xf32>, tensor<0xi1>) -> (tensor<4xf32>, tensor<4xi1>)
  // CHECK: ingot.parse_features {{.*}} -> (tensor<?x2xi64>, tensor<?x!ingot.string>, tensor<2xi64>, tensor<4x2xf32>, tensor<4x?x3xf32>, tensor<?xi64>, tensor<5xi32>)
  %p0 = ingot.constant dense<0.5> : tensor<2xf32>
  %pf:7 = ingot.parse_features %s, defaults(%p0, %x0) {sparse_keys = ["a"], sparse_types = [!ingot.string], dense_keys = ["b", "c"], dense_shapes = [array<i64: 2>, array<i64: -1, 3>], ragged_keys = ["d"], ragged_types = [i64], split_types = [i32]} : (tensor<4x!ingot.string>, tensor<2xf32>, tensor<1xf32>) -> (tensor<?x2xi64>, tensor<?x!ingot.string>, tensor<2xi64>, tensor<4x2xf32>, tensor<4x?x3xf32>, tensor<?xi64>, tensor<5xi32>)
  // CHECK: ingot.parse_features {{.*}} -> (tensor<?x1xi64>, tensor<?xf32>, tensor<1xi64>, tensor<?xi64>, tensor<0xi64>)
  %qf:5 = ingot.parse_features %one, defaults() {sparse_keys = ["a"], sparse_types = [f32], ragged_keys = ["d"], ragged_types = [i64], split_types = [i64]} : (tensor<!ingot.string>) -> (tensor<?x1xi64>, tensor<?xf32>, tensor<1xi64>, tensor<?xi64>, tensor<0xi64>)
  %m1 = ingot.constant dense<true> : tensor<1xi1>
  // CHECK: ingot.parse_feature_lists {{.*}} -> (tensor<?x3xi64>, tensor<?x!ingot.string>, tensor<3xi64>, tensor<4x?x2xf32>, tensor<4xi64>, tensor<?xi64>, tensor<5xi32>, tensor<?xi32>)
  %pl:8 = ingot.parse_feature_lists %s, %m1 {sparse_keys = ["a"], sparse_types = [!ingot.string], dense_keys = ["b"], dense_types = [f32], dense_shapes = [array<i64: 2>], ragged_keys = ["d"], ragged_types = [i64], split_types = [i32]} : (tensor<4x!ingot.string>, tensor<1xi1>) -> (tensor<?x3xi64>, tensor<?x!ingot.string>, tensor<3xi64>, tensor<4x?x2xf32>, tensor<4xi64>, tensor<?xi64>, tensor<5xi32>, tensor<?xi32>)
  // CHECK: ingot.parse_feature_lists {{.*}} -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x2xf32>, tensor<i64>, tensor<?xi64>, tensor<i64>, tensor<?xi64>)
  %ql:8 = ingot.parse_feature_lists %one, %m1 {sparse_keys = ["a"], sparse_types = [f32], dense_keys = ["b"], dense_types = [f32], dense_shapes = [array<i64: 2>], ragged_keys = ["d"], ragged_types = [i64], split_types = [i64]} : (tensor<!ingot.string>, tensor<1xi1>) -> (tensor<?x2xi64>, tensor<?xf32>, tensor<2xi64>, tensor<?x2xf32>, tensor<i64>, tensor<?xi64>, tensor<i64>, tensor<?xi64>)
  return
}

// CHECK-LABEL: @padded_and_joined(
func.func @padded_and_joined(%s: tensor<4x!ingot.string>, %m: tensor<3x2x!ingot.string>, %ids: tensor<3xi32>, %n: tensor<i32>) {
  // CHECK: ingot.decode_padded_raw {{.*}} -> tensor<4x?xi16>
  %a = ingot.decode_padded_raw %s, %n {output_type = i16} : (tensor<4x!ingot.string>, tensor<i32>) -> tensor<4x?xi16>
  %c8 = ingot.constant dense<8> : tensor<i32>
  // CHECK: ingot.decode_padded_raw {{.*}} -> tensor<4x2xf32>
  %b = ingot.decode_padded_raw %s, %c8 {output_type = f32, little_endian = false} : (tensor<4x!ingot.string>, tensor<i32>) -> tensor<4x2xf32>
  // CHECK: ingot.unsorted_segment_join {{.*}} {separator = "-"} : {{.*}} -> tensor<?x2x!ingot.string>
  %c = ingot.unsorted_segment_join %m, %ids, %n {separator = "-"} : (tensor<3x2x!ingot.string>, tensor<3xi32>, tensor<i32>) -> tensor<?x2x!ingot.string>
  // CHECK: ingot.unsorted_segment_join {{.*}} -> tensor<8x2x!ingot.string>
  %d = ingot.unsorted_segment_join %m, %ids, %c8 : (tensor<3x2x!ingot.string>, tensor<3xi32>, tensor<i32>) -> tensor<8x2x!ingot.string>
  return
}
