// RUN: ingot-opt %s --split-input-file --ingot-cpu-tile-patches="patch-elements=4096" --canonicalize --cse | FileCheck %s
// RUN: ingot-opt %s --split-input-file --ingot-cpu-tile-patches="patch-elements=288" --canonicalize --cse | FileCheck %s --check-prefix=SMALL

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
