// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s | ingot-opt | FileCheck %s

// CHECK-LABEL: @read
func.func @read(%name: tensor<!ingot.string>) {
  // CHECK: ingot.read_file %{{.*}} : (tensor<!ingot.string>) -> tensor<!ingot.string>
  %bytes = ingot.read_file %name : (tensor<!ingot.string>) -> tensor<!ingot.string>
  return
}

// CHECK-LABEL: @decode
func.func @decode(%bytes: tensor<!ingot.string>, %any: tensor<*x!ingot.string>, %window: tensor<4xi32>) {
  // CHECK: ingot.decode_jpeg %{{.*}} : (tensor<!ingot.string>) -> tensor<?x?x?xui8>
  %a = ingot.decode_jpeg %bytes : (tensor<!ingot.string>) -> tensor<?x?x?xui8>
  // CHECK: ingot.decode_jpeg %{{.*}} {acceptable_fraction = 5.000000e-01 : f32, channels = 3 : i64, dct_method = "INTEGER_ACCURATE", ratio = 8 : i64} : (tensor<*x!ingot.string>) -> tensor<?x?x3xui8>
  %b = ingot.decode_jpeg %any {acceptable_fraction = 0.5 : f32, channels = 3 : i64, dct_method = "INTEGER_ACCURATE", ratio = 8 : i64} : (tensor<*x!ingot.string>) -> tensor<?x?x3xui8>
  // CHECK: ingot.decode_and_crop_jpeg %{{.*}}, %{{.*}} {channels = 1 : i64} : (tensor<!ingot.string>, tensor<4xi32>) -> tensor<?x?x1xui8>
  %c = ingot.decode_and_crop_jpeg %bytes, %window {channels = 1 : i64} : (tensor<!ingot.string>, tensor<4xi32>) -> tensor<?x?x1xui8>
  // CHECK: ingot.decode_png %{{.*}} {channels = 4 : i64, output_type = ui16} : (tensor<!ingot.string>) -> tensor<?x?x4xui16>
  %d = ingot.decode_png %bytes {channels = 4 : i64, output_type = ui16} : (tensor<!ingot.string>) -> tensor<?x?x4xui16>
  // CHECK: ingot.decode_bmp %{{.*}} : (tensor<!ingot.string>) -> tensor<?x?x?xui8>
  %e = ingot.decode_bmp %bytes : (tensor<!ingot.string>) -> tensor<?x?x?xui8>
  // CHECK: ingot.decode_gif %{{.*}} : (tensor<!ingot.string>) -> tensor<?x?x?x3xui8>
  %g = ingot.decode_gif %bytes : (tensor<!ingot.string>) -> tensor<?x?x?x3xui8>
  // CHECK: ingot.decode_image %{{.*}} {channels = 3 : i64, output_type = f32} : (tensor<!ingot.string>) -> tensor<?x?x3xf32>
  %f = ingot.decode_image %bytes {channels = 3 : i64, output_type = f32} : (tensor<!ingot.string>) -> tensor<?x?x3xf32>
  return
}

// CHECK-LABEL: @files
func.func @files(%name: tensor<!ingot.string>, %patterns: tensor<2x!ingot.string>) {
  // CHECK: ingot.write_file %{{.*}}, %{{.*}} : (tensor<!ingot.string>, tensor<!ingot.string>) -> ()
  ingot.write_file %name, %name : (tensor<!ingot.string>, tensor<!ingot.string>) -> ()
  // CHECK: ingot.matching_files %{{.*}} : (tensor<2x!ingot.string>) -> tensor<?x!ingot.string>
  %a = ingot.matching_files %patterns : (tensor<2x!ingot.string>) -> tensor<?x!ingot.string>
  return
}

// CHECK-LABEL: @encode
func.func @encode(%x: tensor<8x6x3xui8>, %batch: tensor<?x2x8x6x?xui16>, %any: tensor<*xui8>) {
  // CHECK: ingot.encode_png %{{.*}} : (tensor<8x6x3xui8>) -> tensor<!ingot.string>
  %a = ingot.encode_png %x : (tensor<8x6x3xui8>) -> tensor<!ingot.string>
  // CHECK: ingot.encode_png %{{.*}} {compression = 9 : i64} : (tensor<?x2x8x6x?xui16>) -> tensor<?x2x!ingot.string>
  %b = ingot.encode_png %batch {compression = 9 : i64} : (tensor<?x2x8x6x?xui16>) -> tensor<?x2x!ingot.string>
  // CHECK: ingot.encode_png %{{.*}} : (tensor<*xui8>) -> tensor<*x!ingot.string>
  %c = ingot.encode_png %any : (tensor<*xui8>) -> tensor<*x!ingot.string>
  // CHECK: ingot.encode_jpeg %{{.*}} {format = "rgb", quality = 90 : i64} : (tensor<8x6x3xui8>) -> tensor<!ingot.string>
  %d = ingot.encode_jpeg %x {format = "rgb", quality = 90 : i64} : (tensor<8x6x3xui8>) -> tensor<!ingot.string>
  // CHECK: ingot.encode_jpeg %{{.*}} : (tensor<*xui8>) -> tensor<!ingot.string>
  %e = ingot.encode_jpeg %any : (tensor<*xui8>) -> tensor<!ingot.string>
  return
}
