// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (read_file_c1)
func.func @read_file_c1(%n: tensor<2x!ingot.string>) {
  // expected-error @+1 {{a file's name must be a scalar}}
  %x = ingot.read_file %n : (tensor<2x!ingot.string>) -> tensor<!ingot.string>
  return
}

// -----

// (decode_jpeg_c1)
func.func @decode_jpeg_c1(%b: tensor<2x!ingot.string>) {
  // expected-error @+1 {{an image's file must be a scalar}}
  %x = ingot.decode_jpeg %b {} : (tensor<2x!ingot.string>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_jpeg_c2)
func.func @decode_jpeg_c2(%b: tensor<!ingot.string>) {
  // expected-error @+1 {{images of this format cannot be decoded to 4 channels}}
  %x = ingot.decode_jpeg %b {channels = 4 : i64} : (tensor<!ingot.string>) -> tensor<?x?x4xui8>
  return
}

// -----

// (decode_png_c1)
func.func @decode_png_c1(%b: tensor<2x!ingot.string>) {
  // expected-error @+1 {{an image's file must be a scalar}}
  %x = ingot.decode_png %b {output_type = ui8} : (tensor<2x!ingot.string>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_png_c2)
func.func @decode_png_c2(%b: tensor<!ingot.string>) {
  // expected-error @+1 {{images of this format cannot be decoded to 2 channels}}
  %x = ingot.decode_png %b {channels = 2 : i64, output_type = ui8} : (tensor<!ingot.string>) -> tensor<?x?x2xui8>
  return
}

// -----

// (decode_bmp_c1)
func.func @decode_bmp_c1(%b: tensor<2x!ingot.string>) {
  // expected-error @+1 {{an image's file must be a scalar}}
  %x = ingot.decode_bmp %b {} : (tensor<2x!ingot.string>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_bmp_c2)
func.func @decode_bmp_c2(%b: tensor<!ingot.string>) {
  // expected-error @+1 {{images of this format cannot be decoded to 1 channels}}
  %x = ingot.decode_bmp %b {channels = 1 : i64} : (tensor<!ingot.string>) -> tensor<?x?x1xui8>
  return
}

// -----

// (decode_image_c1)
func.func @decode_image_c1(%b: tensor<2x!ingot.string>) {
  // expected-error @+1 {{an image's file must be a scalar}}
  %x = ingot.decode_image %b {output_type = ui8} : (tensor<2x!ingot.string>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_image_c2)
func.func @decode_image_c2(%b: tensor<!ingot.string>) {
  // expected-error @+1 {{images of this format cannot be decoded to 2 channels}}
  %x = ingot.decode_image %b {channels = 2 : i64, output_type = ui8} : (tensor<!ingot.string>) -> tensor<?x?x2xui8>
  return
}

// -----

// (decode_jpeg_c3)
func.func @decode_jpeg_c3(%b: tensor<!ingot.string>) {
  // expected-error @+1 {{ratio must be 1, 2, 4, or 8, got 3}}
  %x = ingot.decode_jpeg %b {ratio = 3 : i64} : (tensor<!ingot.string>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_jpeg_c4)
func.func @decode_jpeg_c4(%b: tensor<!ingot.string>) {
  // expected-error @+1 {{dct_method must be one of}}
  %x = ingot.decode_jpeg %b {dct_method = "SLOW"} : (tensor<!ingot.string>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_and_crop_jpeg_c1)
func.func @decode_and_crop_jpeg_c1(%b: tensor<2x!ingot.string>, %w: tensor<4xi32>) {
  // expected-error @+1 {{an image's file must be a scalar}}
  %x = ingot.decode_and_crop_jpeg %b, %w : (tensor<2x!ingot.string>, tensor<4xi32>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_and_crop_jpeg_c2)
func.func @decode_and_crop_jpeg_c2(%b: tensor<!ingot.string>, %w: tensor<3xi32>) {
  // expected-error @+1 {{a window must have four numbers, but has shape [3]}}
  %x = ingot.decode_and_crop_jpeg %b, %w : (tensor<!ingot.string>, tensor<3xi32>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_and_crop_jpeg_c3)
func.func @decode_and_crop_jpeg_c3(%b: tensor<!ingot.string>, %w: tensor<4xi32>) {
  // expected-error @+1 {{ratio must be 1, 2, 4, or 8, got 16}}
  %x = ingot.decode_and_crop_jpeg %b, %w {ratio = 16 : i64} : (tensor<!ingot.string>, tensor<4xi32>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_png_c3)
func.func @decode_png_c3(%b: tensor<!ingot.string>) {
  // expected-error @+1 {{pixels of a PNG are uint8 or uint16, not 'f32'}}
  %x = ingot.decode_png %b {output_type = f32} : (tensor<!ingot.string>) -> tensor<?x?x?xf32>
  return
}

// -----

// (decode_image_c3)
func.func @decode_image_c3(%b: tensor<!ingot.string>) {
  // expected-error @+1 {{pixels of an image are uint8, uint16 or float32, not 'i32'}}
  %x = ingot.decode_image %b {output_type = i32} : (tensor<!ingot.string>) -> tensor<?x?x?xi32>
  return
}
