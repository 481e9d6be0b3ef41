// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --ingot-cpu-tile-im2col="patch-elements=4096" --canonicalize --cse | FileCheck %s
// RUN: ingot-opt %s --split-input-file --ingot-cpu-tile-im2col="patch-elements=288" --canonicalize --cse | FileCheck %s --check-prefix=SMALL

#patches = affine_map<(n, h, w, t, c) -> (n, h, w, t, c)>
#a = affine_map<(m, n, k) -> (m, k)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// 56 patches of 72 elements would fit: of images of 6 by 6, one at a time. No
// tensor of all patches is left.

// CHECK-LABEL: func.func private @rows
// CHECK-NOT:  2x6x6x9x8
// CHECK:      scf.for %[[I:.*]] = %{{.*}} to %c72 step %c36 iter_args
// CHECK:        %[[N:.*]] = arith.divui %[[I]], %c36
// CHECK:        %[[P:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<1x6x6x9x8xf32>)
// CHECK:          linalg.index
// CHECK-NOT:      affine.apply
// CHECK:          tensor.extract %arg0
// CHECK:        %[[A:.*]] = tensor.collapse_shape %[[P]] {{.*}} into tensor<36x72xf32>
// CHECK:        linalg.generic {{.*}} ins(%[[A]], {{.*}} : tensor<36x72xf32>, tensor<72x16xf32>)
// CHECK:        linalg.generic {{.*}} outs({{.*}} : tensor<36x16xf32>)
// CHECK:          arith.negf
// CHECK:      } {host.grid_loop}

// Of four, a part of a row that divides it.
// SMALL-LABEL: func.func private @rows
// SMALL:       scf.for %{{.*}} = %{{.*}} to %c72 step %c3 iter_args
// SMALL:         linalg.generic {{.*}} outs({{.*}} : tensor<1x1x3x9x8xf32>)
func.func private @rows(%x: tensor<2x6x6x8xf32>, %w: tensor<72x16xf32>, %out: tensor<72x16xf32>) -> tensor<72x16xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<2x6x6x9x8xf32>
  %p = linalg.generic {indexing_maps = [#patches], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<2x6x6x9x8xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %h = linalg.index 1 : index
    %v = linalg.index 2 : index
    %t = linalg.index 3 : index
    %ch = linalg.index 4 : index
    %r = arith.divui %t, %c3 : index
    %row = arith.addi %h, %r : index
    %element = tensor.extract %x[%n, %row, %v, %ch] : tensor<2x6x6x8xf32>
    linalg.yield %element : f32
  } -> tensor<2x6x6x9x8xf32>
  %m = tensor.collapse_shape %p [[0, 1, 2], [3, 4]] : tensor<2x6x6x9x8xf32> into tensor<72x72xf32>
  %f0 = tensor.empty() : tensor<72x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%f0 : tensor<72x16xf32>) -> tensor<72x16xf32>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m, %w : tensor<72x72xf32>, tensor<72x16xf32>) outs(%f : tensor<72x16xf32>) {
  ^bb0(%i: f32, %j: f32, %s: f32):
    %q = arith.mulf %i, %j : f32
    %z = arith.addf %s, %q : f32
    linalg.yield %z : f32
  } -> tensor<72x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<72x16xf32>) outs(%out : tensor<72x16xf32>) {
  ^bb0(%i: f32, %o: f32):
    %z = arith.negf %i : f32
    linalg.yield %z : f32
  } -> tensor<72x16xf32>
  return %r : tensor<72x16xf32>
}

// -----

#patches = affine_map<(n, h, w, t, c) -> (n, h, w, t, c)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// The sum over all patches: a tap's eight channels are a block, whose sum goes
// over images, in their order.

// SMALL-LABEL: func.func private @sum
// SMALL-NOT:  2x6x6x9x8
// SMALL:      scf.for %[[I:.*]] = %{{.*}} to %c72 step %c8 iter_args
// SMALL:        linalg.fill {{.*}} tensor<8x16xf32>
// SMALL:        scf.for %[[K:.*]] = %{{.*}} to %c72 step %c36 iter_args
// SMALL:          arith.divui %[[I]], %c8
// SMALL:          %[[P:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<1x6x6x1x8xf32>)
// SMALL:          %[[A:.*]] = tensor.collapse_shape %[[P]] {{.*}} into tensor<36x8xf32>
// SMALL:          linalg.generic {{.*}} ins(%[[A]], {{.*}} : tensor<36x8xf32>, tensor<36x16xf32>)
// SMALL:      } {host.grid_loop}
func.func private @sum(%x: tensor<2x6x6x8xf32>, %dy: tensor<72x16xf32>, %out: tensor<72x16xf32>) -> tensor<72x16xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x6x6x9x8xf32>
  %p = linalg.generic {indexing_maps = [#patches], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<2x6x6x9x8xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %h = linalg.index 1 : index
    %v = linalg.index 2 : index
    %t = linalg.index 3 : index
    %ch = linalg.index 4 : index
    %row = arith.addi %h, %t : index
    %element = tensor.extract %x[%n, %row, %v, %ch] : tensor<2x6x6x8xf32>
    linalg.yield %element : f32
  } -> tensor<2x6x6x9x8xf32>
  %m = tensor.collapse_shape %p [[0, 1, 2], [3, 4]] : tensor<2x6x6x9x8xf32> into tensor<72x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<72x16xf32>) -> tensor<72x16xf32>
  %y = linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m, %dy : tensor<72x72xf32>, tensor<72x16xf32>) outs(%f : tensor<72x16xf32>) {
  ^bb0(%i: f32, %j: f32, %s: f32):
    %q = arith.mulf %i, %j : f32
    %z = arith.addf %s, %q : f32
    linalg.yield %z : f32
  } -> tensor<72x16xf32>
  return %y : tensor<72x16xf32>
}

// -----

#patches = affine_map<(n, h, w, t, c) -> (n, h, w, t, c)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// However many images there are, a block is a part of one, and of a known size:
// the grid ends where the result does.

// CHECK-LABEL: func.func private @any_number
// CHECK:      %[[M:.*]] = tensor.dim %arg3, %{{.*}} : tensor<?x16xf32>
// CHECK:      scf.for %[[I:.*]] = %{{.*}} to %[[M]] step %c36 iter_args
// CHECK:        linalg.generic {{.*}} outs({{.*}} : tensor<1x6x6x9x8xf32>)
// CHECK:        linalg.generic {{.*}} : tensor<36x72xf32>, tensor<72x16xf32>)
// CHECK-NOT:  x?
// CHECK:      } {host.grid_loop}
func.func private @any_number(%x: tensor<?x6x6x8xf32>, %w: tensor<72x16xf32>, %shape: tensor<2xindex>, %out: tensor<?x16xf32>) -> tensor<?x16xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %images = tensor.dim %x, %c0 : tensor<?x6x6x8xf32>
  %e = tensor.empty(%images) : tensor<?x6x6x9x8xf32>
  %p = linalg.generic {indexing_maps = [#patches], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<?x6x6x9x8xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %h = linalg.index 1 : index
    %v = linalg.index 2 : index
    %ch = linalg.index 4 : index
    %element = tensor.extract %x[%n, %h, %v, %ch] : tensor<?x6x6x8xf32>
    linalg.yield %element : f32
  } -> tensor<?x6x6x9x8xf32>
  %m = tensor.reshape %p(%shape) : (tensor<?x6x6x9x8xf32>, tensor<2xindex>) -> tensor<?x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m, %w : tensor<?x72xf32>, tensor<72x16xf32>) outs(%f : tensor<?x16xf32>) {
  ^bb0(%i: f32, %j: f32, %s: f32):
    %q = arith.mulf %i, %j : f32
    %z = arith.addf %s, %q : f32
    linalg.yield %z : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

#patches = affine_map<(n, h, w, t, c) -> (n, h, w, t, c)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// A window of 3x3 that sees a row and a column of padding: images of 6 by 6
// are copied with it, rows that they do not have being 0, and their patches are an
// affine copy of that. Of a row of taps all elements are neighbours.

// CHECK-LABEL: func.func private @seen
// CHECK:      scf.for %[[I:.*]] = %{{.*}} to %c576 step %c144 iter_args
// CHECK:        %[[FLAT:.*]] = tensor.collapse_shape %arg0 {{.*}} into tensor<16x6x48xf32>
// CHECK:        linalg.fill {{.*}} : tensor<4x8x8xf32>)
// CHECK:        %[[BEFORE:.*]] = tensor.insert_slice {{.*}}[0, 0, 0] [4, 8, 8]
// CHECK:        linalg.fill {{.*}} : tensor<4x8x8xf32>)
// CHECK:        %[[PADDED:.*]] = tensor.insert_slice %{{.*}} into %[[BEFORE]][0, 0, 56] [4, 8, 8]
// CHECK:        %[[INSIDE:.*]] = tensor.extract_slice %[[PADDED]][0, 0, 8] [4, 8, 48]
// CHECK:        %[[COPY:.*]] = linalg.generic {{.*}} outs(%[[INSIDE]] : tensor<4x8x48xf32>)
// CHECK:          arith.cmpi ult, %{{.*}}, %c6
// CHECK:          tensor.extract %[[FLAT]]
// CHECK:        %[[ROWS:.*]] = tensor.insert_slice %[[COPY]] into %[[PADDED]][0, 0, 8]
// CHECK:        %[[P:.*]] = linalg.generic {{.*}} ins(%[[ROWS]] : tensor<4x8x64xf32>) outs({{.*}} : tensor<4x6x6x3x24xf32>)
// CHECK-NEXT:   ^bb0(%[[IN:.*]]: f32, %{{.*}}: f32):
// CHECK-NEXT:     linalg.yield %[[IN]]
// CHECK:        %[[A:.*]] = tensor.collapse_shape %[[P]] {{\[\[}}0, 1, 2], [3, 4]] : {{.*}} into tensor<144x72xf32>
// CHECK:        linalg.generic {{.*}} ins(%[[A]], {{.*}} : tensor<144x72xf32>, tensor<72x16xf32>)
// CHECK:      } {host.grid_loop}
func.func private @seen(%x: tensor<16x6x6x8xf32>, %w: tensor<72x16xf32>, %out: tensor<576x16xf32>) -> tensor<576x16xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<16x6x6x9x8xf32>
  %p = linalg.generic {indexing_maps = [#patches], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<16x6x6x9x8xf32>) attrs = {host.window = array<i64: 3, 1, 1, 1, 3, 1, 1, 1>} {
  ^bb0(%o: f32):
    %element = tensor.extract %x[%c0, %c0, %c0, %c0] : tensor<16x6x6x8xf32>
    linalg.yield %element : f32
  } -> tensor<16x6x6x9x8xf32>
  %m = tensor.collapse_shape %p [[0, 1, 2], [3, 4]] : tensor<16x6x6x9x8xf32> into tensor<576x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<576x16xf32>) -> tensor<576x16xf32>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m, %w : tensor<576x72xf32>, tensor<72x16xf32>) outs(%f : tensor<576x16xf32>) {
  ^bb0(%i: f32, %j: f32, %s: f32):
    %q = arith.mulf %i, %j : f32
    %z = arith.addf %s, %q : f32
    linalg.yield %z : f32
  } -> tensor<576x16xf32>
  return %y : tensor<576x16xf32>
}

// -----

#patches = affine_map<(n, h, w, t, c) -> (n, h, w, t, c)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// With N = 3, neighbours in a row of an image fill vectors better: the image rows
// are transposed, and the GEMM has im2col as its second operand. The result is
// transposed back.

// CHECK-LABEL: func.func private @turned_seen
// CHECK:      scf.for %[[I:.*]] = %{{.*}} to %c576 step %c144 iter_args
// CHECK:        %[[SUMS:.*]] = linalg.fill {{.*}} tensor<3x144xf32>
// CHECK:        %[[ROWS:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0], [1], [2, 3]] output_shape [4, 8, 8, 8]
// CHECK:        %[[T:.*]] = linalg.transpose ins(%[[ROWS]] : tensor<4x8x8x8xf32>) {{.*}} permutation = [0, 1, 3, 2]
// CHECK:        %[[P:.*]] = linalg.generic {{.*}} ins(%[[T]] : {{.*}}) outs({{.*}} : tensor<3x3x8x4x6x6xf32>)
// CHECK:        %[[A:.*]] = tensor.collapse_shape %[[P]] {{\[\[}}0, 1, 2], [3, 4, 5]] : {{.*}} into tensor<72x144xf32>
// CHECK:        %[[Y:.*]] = linalg.generic {{.*}} ins(%{{.*}}, %[[A]] : tensor<72x3xf32>, tensor<72x144xf32>) outs(%[[SUMS]] :
// CHECK:        linalg.transpose ins(%[[Y]] : tensor<3x144xf32>) outs(%{{.*}} : tensor<144x3xf32>) permutation = [1, 0]
// CHECK:      } {host.grid_loop}
func.func private @turned_seen(%x: tensor<16x6x6x8xf32>, %w: tensor<72x3xf32>, %out: tensor<576x3xf32>) -> tensor<576x3xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<16x6x6x9x8xf32>
  %p = linalg.generic {indexing_maps = [#patches], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<16x6x6x9x8xf32>) attrs = {host.window = array<i64: 3, 1, 1, 1, 3, 1, 1, 1>} {
  ^bb0(%o: f32):
    %element = tensor.extract %x[%c0, %c0, %c0, %c0] : tensor<16x6x6x8xf32>
    linalg.yield %element : f32
  } -> tensor<16x6x6x9x8xf32>
  %m = tensor.collapse_shape %p [[0, 1, 2], [3, 4]] : tensor<16x6x6x9x8xf32> into tensor<576x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<576x3xf32>) -> tensor<576x3xf32>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m, %w : tensor<576x72xf32>, tensor<72x3xf32>) outs(%f : tensor<576x3xf32>) {
  ^bb0(%i: f32, %j: f32, %s: f32):
    %q = arith.mulf %i, %j : f32
    %z = arith.addf %s, %q : f32
    linalg.yield %z : f32
  } -> tensor<576x3xf32>
  return %y : tensor<576x3xf32>
}

// -----

#patches = affine_map<(n, h, w, t, c) -> (n, h, w, t, c)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Where K is patches, an iteration takes a part of a row of taps: 12 of 24
// elements here. Windows with stride 2 and without padding read the images in
// place.

// CHECK-LABEL: func.func private @sum_seen
// CHECK:      scf.for %[[I:.*]] = %{{.*}} to %c72 step %c12 iter_args
// CHECK:        scf.for %[[K:.*]] = %{{.*}} to %c128 step %c64 iter_args
// CHECK:          %[[TAPS:.*]] = arith.divui %[[I]], %c24
// CHECK:          %[[ROWS:.*]] = tensor.extract_slice %{{.*}}[%{{.*}}, %{{.*}}, 0] [4, 7, 72] [1, 1, 1] : tensor<8x9x72xf32>
// CHECK-NOT:      linalg.fill
// CHECK:          %[[P:.*]] = linalg.generic {{.*}} ins(%[[ROWS]] : {{.*}} outs({{.*}} : tensor<4x4x4x1x24xf32>)
// CHECK:          %[[M:.*]] = tensor.collapse_shape %[[P]]
// CHECK:          %[[FROM:.*]] = arith.remui %[[I]], %c24
// CHECK:          %[[A:.*]] = tensor.extract_slice %[[M]][0, %[[FROM]]] [64, 12]
// CHECK:          linalg.generic {{.*}} ins(%[[A]], {{.*}} : tensor<64x12xf32>, tensor<64x16xf32>)
// CHECK:      } {host.grid_loop}
func.func private @sum_seen(%x: tensor<8x9x9x8xf32>, %dy: tensor<128x16xf32>, %out: tensor<72x16xf32>) -> tensor<72x16xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<8x4x4x9x8xf32>
  %p = linalg.generic {indexing_maps = [#patches], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<8x4x4x9x8xf32>) attrs = {host.window = array<i64: 3, 2, 1, 0, 3, 2, 1, 0>} {
  ^bb0(%o: f32):
    %element = tensor.extract %x[%c0, %c0, %c0, %c0] : tensor<8x9x9x8xf32>
    linalg.yield %element : f32
  } -> tensor<8x4x4x9x8xf32>
  %m = tensor.collapse_shape %p [[0, 1, 2], [3, 4]] : tensor<8x4x4x9x8xf32> into tensor<128x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<72x16xf32>) -> tensor<72x16xf32>
  %y = linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m, %dy : tensor<128x72xf32>, tensor<128x16xf32>) outs(%f : tensor<72x16xf32>) {
  ^bb0(%i: f32, %j: f32, %s: f32):
    %q = arith.mulf %i, %j : f32
    %z = arith.addf %s, %q : f32
    linalg.yield %z : f32
  } -> tensor<72x16xf32>
  return %y : tensor<72x16xf32>
}

// -----

#patches = affine_map<(n, h, w, t, c) -> (n, h, w, t, c)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// With twelve columns, vectors would be three quarters full: rows and columns
// change places, and vectors hold eight elements of a row of taps. The result is
// transposed when the sum is complete.

// CHECK-LABEL: func.func private @turned
// CHECK:      scf.for %[[I:.*]] = %{{.*}} to %c72 step %c8 iter_args
// CHECK:        %[[OWN:.*]] = tensor.empty() : tensor<12x8xf32>
// CHECK:        %[[ZEROS:.*]] = linalg.fill {{.*}} outs(%[[OWN]]
// CHECK:        %[[SUMS:.*]] = scf.for %[[K:.*]] = %{{.*}} to %c128 step %c64 iter_args(%{{.*}} = %[[ZEROS]])
// CHECK:          %[[M:.*]] = tensor.extract_slice %{{.*}}[0, %{{.*}}] [64, 8] [1, 1] : tensor<64x24xf32>
// CHECK:          linalg.generic {{.*}} ins(%{{.*}}, %[[M]] : tensor<64x12xf32>, tensor<64x8xf32>) outs({{.*}} : tensor<12x8xf32>)
// CHECK:        linalg.transpose ins(%[[SUMS]] : tensor<12x8xf32>) outs(%{{.*}} : tensor<8x12xf32>) permutation = [1, 0]
// CHECK:      } {host.grid_loop}
func.func private @turned(%x: tensor<8x9x9x8xf32>, %dy: tensor<128x12xf32>, %out: tensor<72x12xf32>) -> tensor<72x12xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %e = tensor.empty() : tensor<8x4x4x9x8xf32>
  %p = linalg.generic {indexing_maps = [#patches], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<8x4x4x9x8xf32>) attrs = {host.window = array<i64: 3, 2, 1, 0, 3, 2, 1, 0>} {
  ^bb0(%o: f32):
    %element = tensor.extract %x[%c0, %c0, %c0, %c0] : tensor<8x9x9x8xf32>
    linalg.yield %element : f32
  } -> tensor<8x4x4x9x8xf32>
  %m = tensor.collapse_shape %p [[0, 1, 2], [3, 4]] : tensor<8x4x4x9x8xf32> into tensor<128x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<72x12xf32>) -> tensor<72x12xf32>
  %y = linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m, %dy : tensor<128x72xf32>, tensor<128x12xf32>) outs(%f : tensor<72x12xf32>) {
  ^bb0(%i: f32, %j: f32, %s: f32):
    %q = arith.mulf %i, %j : f32
    %z = arith.addf %s, %q : f32
    linalg.yield %z : f32
  } -> tensor<72x12xf32>
  return %y : tensor<72x12xf32>
}

// -----

#patches = affine_map<(n, h, w, t, c) -> (n, h, w, t, c)>
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// With dynamic image sizes a block is 48 patches, which may span images; all of
// it is computed, in a buffer of its own, and only the valid rows of the last
// block are copied to the result.

// CHECK-LABEL: func.func private @unknown_sizes
// CHECK-NOT:  tensor<?x?x?x9x8xf32>
// CHECK:      scf.for %[[I:.*]] = %c0 to %[[ALL:.*]] step %c48 iter_args(%[[OUT:.*]] = %arg2)
// CHECK:        %[[P:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<48x9x8xf32>)
// CHECK:          %[[R:.*]] = arith.addi %[[I]], %{{.*}}
// CHECK:          %[[NUMBER:.*]] = arith.minui %[[R]], %{{.*}}
// CHECK:          arith.remui %[[NUMBER]]
// CHECK:          tensor.extract %arg0
// CHECK:        %[[A:.*]] = tensor.collapse_shape %[[P]] {{.*}} into tensor<48x72xf32>
// CHECK:        %[[Y:.*]] = linalg.generic {{.*}} ins(%[[A]], {{.*}} : tensor<48x72xf32>, tensor<72x16xf32>)
// CHECK:        %[[SIZE:.*]] = affine.min #{{.*}}(%[[I]])[%[[ALL]]]
// CHECK:        %[[PART:.*]] = tensor.extract_slice %[[Y]][0, 0] [%[[SIZE]], 16]
// CHECK:        tensor.insert_slice %[[PART]] into %[[OUT]][%[[I]], 0] [%[[SIZE]], 16]
// CHECK:      } {host.grid_loop}
func.func private @unknown_sizes(%x: tensor<?x?x?x8xf32>, %w: tensor<72x16xf32>, %out: tensor<?x16xf32>) -> tensor<?x16xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c72 = arith.constant 72 : index
  %images = tensor.dim %x, %c0 : tensor<?x?x?x8xf32>
  %height = tensor.dim %x, %c1 : tensor<?x?x?x8xf32>
  %width = tensor.dim %x, %c2 : tensor<?x?x?x8xf32>
  %e = tensor.empty(%images, %height, %width) : tensor<?x?x?x9x8xf32>
  %p = linalg.generic {indexing_maps = [#patches], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<?x?x?x9x8xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %h = linalg.index 1 : index
    %v = linalg.index 2 : index
    %t = linalg.index 3 : index
    %ch = linalg.index 4 : index
    %r = arith.divui %t, %c3 : index
    %below = arith.addi %h, %r : index
    %row = arith.minui %below, %h : index
    %element = tensor.extract %x[%n, %row, %v, %ch] : tensor<?x?x?x8xf32>
    linalg.yield %element : f32
  } -> tensor<?x?x?x9x8xf32>
  %some = arith.muli %images, %height : index
  %rows = arith.muli %some, %width : index
  %shape = tensor.from_elements %rows, %c72 : tensor<2xindex>
  %m = tensor.reshape %p(%shape) : (tensor<?x?x?x9x8xf32>, tensor<2xindex>) -> tensor<?x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m, %w : tensor<?x72xf32>, tensor<72x16xf32>) outs(%f : tensor<?x16xf32>) {
  ^bb0(%i: f32, %j: f32, %s: f32):
    %q = arith.mulf %i, %j : f32
    %z = arith.addf %s, %q : f32
    linalg.yield %z : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

// -----

#patches = affine_map<(n, h, w, t, c) -> (n, h, w, t, c)>
#at = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>

// Where K is patches, it is blocked, with one tap for each iteration of the grid;
// the last block is shorter.

// CHECK-LABEL: func.func private @sum_of_unknown_sizes
// CHECK:      scf.for %[[G:.*]] = %c0 to %c72 step %c8
// CHECK:        scf.for %[[I:.*]] = %c0 to %[[ALL:.*]] step %c240
// CHECK:          %[[SIZE:.*]] = affine.min #{{.*}}(%[[I]])[%[[ALL]]]
// CHECK:          %[[P:.*]] = linalg.generic {{.*}} outs({{.*}} : tensor<240x1x8xf32>)
// CHECK:          %[[M:.*]] = tensor.collapse_shape %[[P]] {{.*}} into tensor<240x8xf32>
// CHECK:          %[[A:.*]] = tensor.extract_slice %[[M]][0, 0] [%[[SIZE]], 8]
// CHECK:          linalg.generic {{.*}} ins(%[[A]], {{.*}} : tensor<?x8xf32>, tensor<?x16xf32>)
// CHECK:      } {host.grid_loop}
func.func private @sum_of_unknown_sizes(%x: tensor<?x?x?x8xf32>, %dy: tensor<?x16xf32>, %out: tensor<72x16xf32>) -> tensor<72x16xf32> attributes {host.kernel} {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c72 = arith.constant 72 : index
  %images = tensor.dim %x, %c0 : tensor<?x?x?x8xf32>
  %height = tensor.dim %x, %c1 : tensor<?x?x?x8xf32>
  %width = tensor.dim %x, %c2 : tensor<?x?x?x8xf32>
  %e = tensor.empty(%images, %height, %width) : tensor<?x?x?x9x8xf32>
  %p = linalg.generic {indexing_maps = [#patches], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<?x?x?x9x8xf32>) {
  ^bb0(%o: f32):
    %n = linalg.index 0 : index
    %h = linalg.index 1 : index
    %v = linalg.index 2 : index
    %t = linalg.index 3 : index
    %ch = linalg.index 4 : index
    %r = arith.divui %t, %c3 : index
    %below = arith.addi %h, %r : index
    %row = arith.minui %below, %h : index
    %element = tensor.extract %x[%n, %row, %v, %ch] : tensor<?x?x?x8xf32>
    linalg.yield %element : f32
  } -> tensor<?x?x?x9x8xf32>
  %some = arith.muli %images, %height : index
  %rows = arith.muli %some, %width : index
  %shape = tensor.from_elements %rows, %c72 : tensor<2xindex>
  %m = tensor.reshape %p(%shape) : (tensor<?x?x?x9x8xf32>, tensor<2xindex>) -> tensor<?x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%out : tensor<72x16xf32>) -> tensor<72x16xf32>
  %y = linalg.generic {indexing_maps = [#at, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]} ins(%m, %dy : tensor<?x72xf32>, tensor<?x16xf32>) outs(%f : tensor<72x16xf32>) {
  ^bb0(%i: f32, %j: f32, %s: f32):
    %q = arith.mulf %i, %j : f32
    %z = arith.addf %s, %q : f32
    linalg.yield %z : f32
  } -> tensor<72x16xf32>
  return %y : tensor<72x16xf32>
}
