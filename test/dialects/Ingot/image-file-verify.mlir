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
  // expected-error @+1 {{the contents of an image file must be a scalar}}
  %x = ingot.decode_jpeg %b {} : (tensor<2x!ingot.string>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_jpeg_c2)
func.func @decode_jpeg_c2(%b: tensor<!ingot.string>) {
  // expected-error @+1 {{images of this format cannot be decoded to 4 channels: expected one of 0, 1, 3 (0: as many as the file has)}}
  %x = ingot.decode_jpeg %b {channels = 4 : i64} : (tensor<!ingot.string>) -> tensor<?x?x4xui8>
  return
}

// -----

// (decode_png_c1)
func.func @decode_png_c1(%b: tensor<2x!ingot.string>) {
  // expected-error @+1 {{the contents of an image file must be a scalar}}
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
  // expected-error @+1 {{the contents of an image file must be a scalar}}
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

// (decode_gif_c1)
func.func @decode_gif_c1(%b: tensor<2x!ingot.string>) {
  // expected-error @+1 {{the contents of an image file must be a scalar}}
  %x = ingot.decode_gif %b : (tensor<2x!ingot.string>) -> tensor<?x?x?x3xui8>
  return
}

// -----

// (decode_image_c1)
func.func @decode_image_c1(%b: tensor<2x!ingot.string>) {
  // expected-error @+1 {{the contents of an image file must be a scalar}}
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
  // expected-error @+1 {{dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}, got 'SLOW'}}
  %x = ingot.decode_jpeg %b {dct_method = "SLOW"} : (tensor<!ingot.string>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_and_crop_jpeg_c1)
func.func @decode_and_crop_jpeg_c1(%b: tensor<2x!ingot.string>, %w: tensor<4xi32>) {
  // expected-error @+1 {{the contents of an image file must be a scalar}}
  %x = ingot.decode_and_crop_jpeg %b, %w : (tensor<2x!ingot.string>, tensor<4xi32>) -> tensor<?x?x?xui8>
  return
}

// -----

// (decode_and_crop_jpeg_c2)
func.func @decode_and_crop_jpeg_c2(%b: tensor<!ingot.string>, %w: tensor<3xi32>) {
  // expected-error @+1 {{the crop window must be a vector of four numbers, but has shape [3]}}
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

// -----

// (write_file_c1)
func.func @name_of_written_file(%n: tensor<2x!ingot.string>, %b: tensor<!ingot.string>) {
  // expected-error @+1 {{a file's name must be a scalar}}
  ingot.write_file %n, %b : (tensor<2x!ingot.string>, tensor<!ingot.string>) -> ()
  return
}

// -----

// (write_file_c1)
func.func @contents_of_written_file(%n: tensor<!ingot.string>, %b: tensor<2x!ingot.string>) {
  // expected-error @+1 {{a file's contents must be a scalar}}
  ingot.write_file %n, %b : (tensor<!ingot.string>, tensor<2x!ingot.string>) -> ()
  return
}

// -----

// (matching_files_c1)
func.func @patterns_in_a_matrix(%p: tensor<2x2x!ingot.string>) {
  // expected-error @+1 {{Input patterns tensor must be scalar or vector, but had shape: [2, 2]}}
  %x = ingot.matching_files %p : (tensor<2x2x!ingot.string>) -> tensor<?x!ingot.string>
  return
}

// -----

// (encode_png_c1)
func.func @rank_of_encoded_png(%x: tensor<4x3xui8>) {
  // expected-error @+1 {{image must be at least rank 3, but has shape [4, 3]}}
  %b = ingot.encode_png %x : (tensor<4x3xui8>) -> tensor<!ingot.string>
  return
}

// -----

// (encode_png_c2)
func.func @channels_of_encoded_png(%x: tensor<4x3x5xui8>) {
  // expected-error @+1 {{image must have 1, 2, 3, or 4 channels, got 5}}
  %b = ingot.encode_png %x : (tensor<4x3x5xui8>) -> tensor<!ingot.string>
  return
}

// -----

// (encode_png_c3)
func.func @compression_of_encoded_png(%x: tensor<4x3x3xui8>) {
  // expected-error @+1 {{compression should be in [-1,9], got 10}}
  %b = ingot.encode_png %x {compression = 10 : i64} : (tensor<4x3x3xui8>) -> tensor<!ingot.string>
  return
}

// -----

// (encode_jpeg_c1)
func.func @rank_of_encoded_jpeg(%x: tensor<2x4x3x3xui8>) {
  // expected-error @+1 {{image must be 3-dimensional, but has shape [2, 4, 3, 3]}}
  %b = ingot.encode_jpeg %x : (tensor<2x4x3x3xui8>) -> tensor<!ingot.string>
  return
}

// -----

// (encode_jpeg_c2)
func.func @format_of_encoded_jpeg(%x: tensor<4x3x3xui8>) {
  // expected-error @+1 {{format must be '', grayscale or rgb, got cmyk}}
  %b = ingot.encode_jpeg %x {format = "cmyk"} : (tensor<4x3x3xui8>) -> tensor<!ingot.string>
  return
}

// -----

// (encode_jpeg_c2)
func.func @channels_of_encoded_jpeg(%x: tensor<4x3x1xui8>) {
  // expected-error @+1 {{image must have 3 channels for format 'rgb', but has 1}}
  %b = ingot.encode_jpeg %x {format = "rgb"} : (tensor<4x3x1xui8>) -> tensor<!ingot.string>
  return
}

// -----

// (encode_jpeg_c3)
func.func @quality_of_encoded_jpeg(%x: tensor<4x3x3xui8>) {
  // expected-error @+1 {{quality must be in [0,100], got 101}}
  %b = ingot.encode_jpeg %x {quality = 101 : i64} : (tensor<4x3x3xui8>) -> tensor<!ingot.string>
  return
}

// -----

// (encode_jpeg_c4)
func.func @density_of_encoded_jpeg(%x: tensor<4x3x3xui8>) {
  // expected-error @+1 {{density_unit must be 'in' or 'cm', got mm}}
  %b = ingot.encode_jpeg %x {density_unit = "mm"} : (tensor<4x3x3xui8>) -> tensor<!ingot.string>
  return
}
