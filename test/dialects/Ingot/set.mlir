// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @where
func.func @where(%mask: tensor<4x3xi1>) {
  // CHECK: ingot.where %{{.*}} : (tensor<4x3xi1>) -> tensor<?x2xi64>
  %p = ingot.where %mask : (tensor<4x3xi1>) -> tensor<?x2xi64>
  return
}

// CHECK-LABEL: @unique
func.func @unique(%ids: tensor<8xi64>, %rows: tensor<4x3xf32>, %any: tensor<*x!ingot.string>) {
  // CHECK: ingot.unique %{{.*}} {output_type = i64} : (tensor<8xi64>) -> (tensor<?xi64>, tensor<8xi64>, tensor<?xi64>)
  %y0, %p0, %c0 = ingot.unique %ids {output_type = i64} : (tensor<8xi64>) -> (tensor<?xi64>, tensor<8xi64>, tensor<?xi64>)
  // CHECK: ingot.unique %{{.*}} {axis = -2 : i64, output_type = i32} : (tensor<4x3xf32>) -> (tensor<?x3xf32>, tensor<4xi32>, tensor<?xi32>)
  %y1, %p1, %c1 = ingot.unique %rows {axis = -2 : i64, output_type = i32} : (tensor<4x3xf32>) -> (tensor<?x3xf32>, tensor<4xi32>, tensor<?xi32>)
  // CHECK: ingot.unique %{{.*}} : (tensor<*x!ingot.string>) -> (tensor<?x!ingot.string>, tensor<?xi32>, tensor<?xi32>)
  %y2, %p2, %c2 = ingot.unique %any {output_type = i32} : (tensor<*x!ingot.string>) -> (tensor<?x!ingot.string>, tensor<?xi32>, tensor<?xi32>)
  return
}

// CHECK-LABEL: @list_diff
func.func @list_diff(%x: tensor<6xi32>, %y: tensor<?xi32>) {
  // CHECK: ingot.list_diff %{{.*}}, %{{.*}} {output_type = i32} : (tensor<6xi32>, tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  %d, %at = ingot.list_diff %x, %y {output_type = i32} : (tensor<6xi32>, tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>)
  return
}

// CHECK-LABEL: @partition
func.func @partition(%x: tensor<5x2x3xf32>, %p: tensor<5x2xi32>) {
  // CHECK: ingot.dynamic_partition %{{.*}}, %{{.*}} {num_partitions = 2 : i64} : (tensor<5x2x3xf32>, tensor<5x2xi32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  %a, %b = ingot.dynamic_partition %x, %p {num_partitions = 2 : i64} : (tensor<5x2x3xf32>, tensor<5x2xi32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)
  return
}

// CHECK-LABEL: @stitch
func.func @stitch(%i: tensor<2xi32>, %a: tensor<2x4xf32>, %b: tensor<4xf32>) {
  %five = ingot.constant dense<5> : tensor<i32>
  %two = ingot.constant dense<[2, 3]> : tensor<2xi32>
  // CHECK: ingot.dynamic_stitch[%{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : (tensor<2xi32>, tensor<i32>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  %y0 = ingot.dynamic_stitch [%i, %five], [%a, %b] : (tensor<2xi32>, tensor<i32>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>
  // CHECK: ingot.dynamic_stitch{{.*}} -> tensor<6x4xf32>
  %y1 = ingot.dynamic_stitch [%two, %five], [%a, %b] : (tensor<2xi32>, tensor<i32>, tensor<2x4xf32>, tensor<4xf32>) -> tensor<6x4xf32>
  return
}

// CHECK-LABEL: @set_operation
func.func @set_operation(%a: tensor<2x3xi64>, %b: tensor<2x5xi64>, %i: tensor<?x2xi64>, %v: tensor<?xi64>, %s: tensor<2xi64>) {
  // CHECK: ingot.set_operation %{{.*}}, %{{.*}} {set_operation = "union"} : (tensor<2x3xi64>, tensor<2x5xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
  %i0, %v0, %s0 = ingot.set_operation %a, %b {set_operation = "union"} : (tensor<2x3xi64>, tensor<2x5xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
  %i1, %v1, %s1 = ingot.set_operation %a, %i, %v, %s {set_operation = "a-b"} : (tensor<2x3xi64>, tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
  // CHECK: ingot.set_operation {{.*}} {set_operation = "intersection", validate_indices = false}
  %i2, %v2, %s2 = ingot.set_operation %i, %v, %s, %i, %v, %s {set_operation = "intersection", validate_indices = false} : (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>, tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>) -> (tensor<?x2xi64>, tensor<?xi64>, tensor<2xi64>)
  return
}

// CHECK-LABEL: @bounds
func.func @bounds(%s: tensor<2x8xf32>, %v: tensor<2x?xf32>) {
  // CHECK: ingot.lower_bound %{{.*}}, %{{.*}} {output_type = i32} : (tensor<2x8xf32>, tensor<2x?xf32>) -> tensor<2x?xi32>
  %0 = ingot.lower_bound %s, %v {output_type = i32} : (tensor<2x8xf32>, tensor<2x?xf32>) -> tensor<2x?xi32>
  // CHECK: ingot.upper_bound %{{.*}}, %{{.*}} {output_type = i64} : (tensor<2x8xf32>, tensor<2x?xf32>) -> tensor<2x?xi64>
  %1 = ingot.upper_bound %s, %v {output_type = i64} : (tensor<2x8xf32>, tensor<2x?xf32>) -> tensor<2x?xi64>
  return
}

// CHECK-LABEL: @non_max_suppression
func.func @non_max_suppression(%b: tensor<?x4xf32>, %s: tensor<?xf32>, %c: tensor<i32>, %f: tensor<f32>) {
  // CHECK: ingot.non_max_suppression {{.*}} {pad_to_max_output_size = true} : {{.*}} -> (tensor<?xi32>, tensor<?xf32>, tensor<i32>)
  %0, %1, %2 = ingot.non_max_suppression %b, %s, %c, %f, %f, %f {pad_to_max_output_size = true} : (tensor<?x4xf32>, tensor<?xf32>, tensor<i32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<?xi32>, tensor<?xf32>, tensor<i32>)
  return
}

// CHECK-LABEL: @string_ngrams
func.func @string_ngrams(%x: tensor<?x!ingot.string>, %s: tensor<5xi32>) {
  // CHECK: ingot.string_ngrams {{.*}} {left_pad = "<", ngram_widths = array<i64: 2, 3>, pad_width = -1 : i64, right_pad = ">", separator = " "} : {{.*}} -> (tensor<?x!ingot.string>, tensor<5xi32>)
  %y, %e = ingot.string_ngrams %x, %s {separator = " ", ngram_widths = array<i64: 2, 3>, left_pad = "<", right_pad = ">", pad_width = -1 : i64} : (tensor<?x!ingot.string>, tensor<5xi32>) -> (tensor<?x!ingot.string>, tensor<5xi32>)
  return
}

// CHECK-LABEL: @ragged_range
func.func @ragged_range(%a: tensor<4xf32>, %b: tensor<?xf32>, %c: tensor<f32>, %d: tensor<*xf32>) {
  // CHECK: ingot.ragged_range {{.*}} {splits_type = i64} : {{.*}} -> (tensor<5xi64>, tensor<?xf32>)
  %s0, %y0 = ingot.ragged_range %b, %a, %c {splits_type = i64} : (tensor<?xf32>, tensor<4xf32>, tensor<f32>) -> (tensor<5xi64>, tensor<?xf32>)
  // CHECK: ingot.ragged_range {{.*}} {splits_type = i32} : {{.*}} -> (tensor<2xi32>, tensor<?xf32>)
  %s1, %y1 = ingot.ragged_range %c, %c, %c {splits_type = i32} : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<2xi32>, tensor<?xf32>)
  // CHECK: ingot.ragged_range {{.*}} -> (tensor<?xi64>, tensor<?xf32>)
  %s2, %y2 = ingot.ragged_range %c, %d, %c {splits_type = i64} : (tensor<f32>, tensor<*xf32>, tensor<f32>) -> (tensor<?xi64>, tensor<?xf32>)
  return
}

// CHECK-LABEL: @unicode
func.func @unicode(%x: tensor<2x2x!ingot.string>, %any: tensor<?x!ingot.string>, %s: tensor<5xi64>) {
  // CHECK: ingot.unicode_transcode {{.*}} {errors = "ignore", input_encoding = "ISO-8859-1", output_encoding = "UTF-16-BE", replacement_char = 63 : i64} : {{.*}} -> tensor<2x2x!ingot.string>
  %t = ingot.unicode_transcode %x {input_encoding = "ISO-8859-1", output_encoding = "UTF-16-BE", errors = "ignore", replacement_char = 63 : i64} : (tensor<2x2x!ingot.string>) -> tensor<2x2x!ingot.string>
  // CHECK: ingot.unicode_decode {{.*}} -> (tensor<5xi32>, tensor<?xi32>, tensor<?xi64>)
  %d, %y, %b = ingot.unicode_decode %x {input_encoding = "UTF-8", errors = "replace", replacement_char = 65533 : i64, splits_type = i32} : (tensor<2x2x!ingot.string>) -> (tensor<5xi32>, tensor<?xi32>, tensor<?xi64>)
  // CHECK: ingot.unicode_decode {{.*}} {{.*}}replace_control_characters = true{{.*}} -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi64>)
  %d2, %y2, %b2 = ingot.unicode_decode %any {input_encoding = "UTF-8", errors = "replace", replacement_char = 65533 : i64, replace_control_characters = true, splits_type = i64} : (tensor<?x!ingot.string>) -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi64>)
  // CHECK: ingot.unicode_encode {{.*}} -> tensor<4x!ingot.string>
  %e = ingot.unicode_encode %y, %s {output_encoding = "UTF-8", errors = "replace", replacement_char = 65533 : i64} : (tensor<?xi32>, tensor<5xi64>) -> tensor<4x!ingot.string>
  return
}
