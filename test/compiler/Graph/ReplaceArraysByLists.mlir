// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -split-input-file -ingot-replace-arrays-by-lists | FileCheck %s

// The rows of %x are an array that a loop reads, and a loop writes another one,
// which is gathered.
// CHECK-LABEL: ingot.entry @scan
// CHECK-NOT: tensor_array
// CHECK: %[[IN:.*]] = ingot.tensor_list_from_tensor %{{.*}}, %{{.*}} : (tensor<5x16xf32>, tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
// CHECK: %[[OUT:.*]] = ingot.tensor_list_reserve %{{.*}}, %{{.*}} {element_type = f32}
// CHECK: %[[A:.*]]:3 = ingot.while(%{{.*}}, %{{.*}}, %[[OUT]])
// CHECK: body
// CHECK: ^bb0(%[[I:.*]]: tensor<i32>, %[[H:.*]]: tensor<16xf32>, %[[L:.*]]: tensor<!ingot.variant, tensor<16xf32>>):
// CHECK: %[[R:.*]] = ingot.tensor_list_get_item %[[IN]], %[[I]], %{{.*}} {element_type = f32}
// CHECK: %[[M:.*]] = ingot.mul %[[H]], %[[R]]
// CHECK: %[[N:.*]] = ingot.tensor_list_set_item %[[L]], %[[I]], %[[M]]
// CHECK: ingot.result %{{.*}}, %[[M]], %[[N]]
// CHECK: ingot.tensor_list_stack %[[A]]#2, %{{.*}} {element_type = f32, num_elements = 5 : i64}
ingot.entry @scan role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16xf32>, %w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %in = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  ingot.tensor_array_scatter %in, %all, %x : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>, tensor<5x16xf32>) -> ()
  %out = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %r = ingot.tensor_array_read %in, %i {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> tensor<16xf32>
    %m = ingot.mul %h, %r : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ingot.tensor_array_write %out, %i, %m : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %m : tensor<i32>, tensor<16xf32>
  }
  %y = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y : tensor<5x16xf32>
}

// -----

// So are the arrays of their gradients. The second loop takes the index from a
// stack on which the first loop has pushed its counter.
// CHECK-LABEL: ingot.entry @gradients
// CHECK-NOT: tensor_array
// CHECK: ingot.tensor_list_from_tensor
// CHECK: ingot.while
// CHECK: ingot.tensor_list_get_item
// CHECK: ingot.tensor_list_set_item
// CHECK: %[[Y:.*]] = ingot.tensor_list_stack
// CHECK: %[[DY:.*]] = ingot.tensor_list_from_tensor %[[Y]]
// CHECK: %[[DX:.*]] = ingot.tensor_list_reserve
// CHECK: %[[B:.*]]:3 = ingot.while(%{{.*}}, %{{.*}}, %[[DX]])
// CHECK: %[[K:.*]] = ingot.stack_pop
// CHECK: %[[G:.*]] = ingot.tensor_list_get_item %[[DY]], %[[K]]
// CHECK: ingot.tensor_list_set_item %{{.*}}, %[[K]], %[[G]]
// CHECK: ingot.tensor_list_stack %[[B]]#2
ingot.entry @gradients role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16xf32>, %w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %in = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  ingot.tensor_array_scatter %in, %all, %x : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>, tensor<5x16xf32>) -> ()
  %out = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %s = ingot.stack {element_type = i32} : () -> tensor<!ingot.variant, tensor<i32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %r = ingot.tensor_array_read %in, %i {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> tensor<16xf32>
    %m = ingot.mul %h, %r : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    ingot.tensor_array_write %out, %i, %m : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.stack_push %s, %i : (tensor<!ingot.variant, tensor<i32>>, tensor<i32>) -> ()
    ingot.result %j, %m : tensor<i32>, tensor<16xf32>
  }
  %y = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  %go = ingot.tensor_array_grad %out {source = "gradients"} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<!ingot.variant, tensor<16xf32>>
  ingot.tensor_array_scatter %go, %all, %y : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>, tensor<5x16xf32>) -> ()
  %b:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %gr = ingot.tensor_array_grad %out {source = "gradients"} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<!ingot.variant, tensor<16xf32>>
    %gi = ingot.tensor_array_grad %in {source = "gradients"} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<!ingot.variant, tensor<16xf32>>
    %k = ingot.stack_pop %s {element_type = i32} : (tensor<!ingot.variant, tensor<i32>>) -> tensor<i32>
    %r = ingot.tensor_array_read %gr, %k {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> tensor<16xf32>
    ingot.tensor_array_write %gi, %k, %r : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %h : tensor<i32>, tensor<16xf32>
  }
  %gg = ingot.tensor_array_grad %in {source = "gradients"} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<!ingot.variant, tensor<16xf32>>
  %z = ingot.tensor_array_gather %gg, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %z : tensor<5x16xf32>
}

// -----

// Each iteration writes the first element, which fails at run time.
// CHECK-LABEL: ingot.entry @one_element
// CHECK: ingot.tensor_array
// CHECK-NOT: tensor_list
ingot.entry @one_element role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16xf32>, %w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %out = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.tensor_array_write %out, %zero, %h : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %h : tensor<i32>, tensor<16xf32>
  }
  %y = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y : tensor<5x16xf32>
}

// -----

// The last element is not written.
// CHECK-LABEL: ingot.entry @fewer_iterations
// CHECK: ingot.tensor_array
// CHECK-NOT: tensor_list
ingot.entry @fewer_iterations role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16xf32>, %w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %out = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.tensor_array_write %out, %i, %h : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %h : tensor<i32>, tensor<16xf32>
  }
  %y = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y : tensor<5x16xf32>
}

// -----

// Gradients that are written twice are added up.
// CHECK-LABEL: ingot.entry @written_twice
// CHECK: ingot.tensor_array
// CHECK-NOT: tensor_list
ingot.entry @written_twice role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16xf32>, %w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %in = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  ingot.tensor_array_scatter %in, %all, %x : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>, tensor<5x16xf32>) -> ()
  %g = ingot.tensor_array_grad %in {source = "gradients"} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<!ingot.variant, tensor<16xf32>>
  ingot.tensor_array_scatter %g, %all, %x : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>, tensor<5x16xf32>) -> ()
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %gi = ingot.tensor_array_grad %in {source = "gradients"} : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<!ingot.variant, tensor<16xf32>>
    %r = ingot.tensor_array_read %in, %i {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> tensor<16xf32>
    ingot.tensor_array_write %gi, %i, %r : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %h : tensor<i32>, tensor<16xf32>
  }
  %y = ingot.tensor_array_gather %g, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y : tensor<5x16xf32>
}

// -----

// The rows are scattered in another order.
// CHECK-LABEL: ingot.entry @other_order
// CHECK: ingot.tensor_array
// CHECK-NOT: tensor_list
ingot.entry @other_order role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16xf32>, %w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %mixed = ingot.constant dense<[1, 0, 2, 3, 4]> : tensor<5xi32>
  %in = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  ingot.tensor_array_scatter %in, %mixed, %x : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>, tensor<5x16xf32>) -> ()
  %y = ingot.tensor_array_gather %in, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y : tensor<5x16xf32>
}

// -----

// An iteration reads what it has written.
// CHECK-LABEL: ingot.entry @in_one_loop
// CHECK: ingot.tensor_array
// CHECK-NOT: tensor_list
ingot.entry @in_one_loop role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16xf32>, %w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %shape = ingot.constant dense<[5, 16]> : tensor<2xi32>
  %out = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.tensor_array_write %out, %i, %h : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    %r = ingot.tensor_array_read %out, %i {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> tensor<16xf32>
    ingot.result %j, %r : tensor<i32>, tensor<16xf32>
  }
  %y = ingot.broadcast_to %a#1, %shape : (tensor<16xf32>, tensor<2xi32>) -> tensor<5x16xf32>
  ingot.return %y : tensor<5x16xf32>
}

// -----

// The array was made for rows of another size, which fails at run time.
// CHECK-LABEL: ingot.entry @other_shape
// CHECK: ingot.tensor_array
// CHECK-NOT: tensor_list
ingot.entry @other_shape role(step) feeds ["x:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<5x16xf32>, %w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %in = ingot.tensor_array %five {element_shape = array<i64: 8>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  ingot.tensor_array_scatter %in, %all, %x : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>, tensor<5x16xf32>) -> ()
  %y = ingot.tensor_array_gather %in, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y : tensor<5x16xf32>
}

// -----

// A loop of at most five iterations writes an array. Its other elements are zeros,
// as the list's are, whose shape is stated.
// CHECK-LABEL: ingot.entry @bounded
// CHECK-NOT: tensor_array
// CHECK: %[[SHAPE:.*]] = ingot.constant dense<16> : tensor<1xi64>
// CHECK: ingot.tensor_list_reserve %[[SHAPE]], %{{.*}} {element_type = f32}
// CHECK: ingot.tensor_list_set_item
// CHECK: ingot.tensor_list_stack %{{.*}}, %{{.*}} {element_type = f32, num_elements = 5 : i64}
ingot.entry @bounded role(step) feeds ["w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %out = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.tensor_array_write %out, %i, %h : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %h : tensor<i32>, tensor<16xf32>
  }
  %y0 = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y0 : tensor<5x16xf32>
}

// -----

// Without an iteration the shape of elements would not be known.
// CHECK-LABEL: ingot.entry @zero_iterations
// CHECK: ingot.tensor_array
// CHECK-NOT: tensor_list
ingot.entry @zero_iterations role(step) feeds ["w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %out = ingot.tensor_array %five {element_shape = array<i64: -1>, element_type = f32, has_shape = true, identical_element_shapes = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.tensor_array_write %out, %i, %h : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %h : tensor<i32>, tensor<16xf32>
  }
  %y0 = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y0 : tensor<5x16xf32>
}

// -----

// There is at least one iteration, and all elements have its shape.
// CHECK-LABEL: ingot.entry @one_iteration
// CHECK-NOT: tensor_array
// CHECK: %[[SHAPE:.*]] = ingot.constant dense<16> : tensor<1xi64>
// CHECK: ingot.tensor_list_reserve %[[SHAPE]], %{{.*}} {element_type = f32}
// CHECK: ingot.tensor_list_set_item
// CHECK: ingot.tensor_list_stack %{{.*}}, %{{.*}} {element_type = f32, num_elements = 5 : i64}
ingot.entry @one_iteration role(step) feeds ["w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %most = ingot.maximum %one, %n : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %bound = ingot.minimum %five, %most : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %out = ingot.tensor_array %five {element_shape = array<i64: -1>, element_type = f32, has_shape = true, identical_element_shapes = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.tensor_array_write %out, %i, %h : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %h : tensor<i32>, tensor<16xf32>
  }
  %y0 = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y0 : tensor<5x16xf32>
}

// -----

// Elements that are not written have no shape.
// CHECK-LABEL: ingot.entry @own_shapes
// CHECK: ingot.tensor_array
// CHECK-NOT: tensor_list
ingot.entry @own_shapes role(step) feeds ["w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %most = ingot.maximum %one, %n : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %bound = ingot.minimum %five, %most : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %out = ingot.tensor_array %five {element_shape = array<i64: -1>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %bound : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.tensor_array_write %out, %i, %h : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %h : tensor<i32>, tensor<16xf32>
  }
  %y0 = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y0 : tensor<5x16xf32>
}

// -----

// The last iteration of five would write the first element, others leave it.
// CHECK-LABEL: ingot.entry @not_by_counter
// CHECK: ingot.tensor_array
// CHECK-NOT: tensor_list
ingot.entry @not_by_counter role(step) feeds ["w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %four = ingot.constant dense<4> : tensor<i32>
  %out = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %k = ingot.sub %four, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.tensor_array_write %out, %k, %h : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %h : tensor<i32>, tensor<16xf32>
  }
  %y0 = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y0 : tensor<5x16xf32>
}

// -----

// Two ops read all elements.
// CHECK-LABEL: ingot.entry @two_readers
// CHECK: ingot.tensor_array
// CHECK-NOT: tensor_list
ingot.entry @two_readers role(step) feeds ["w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %out = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.tensor_array_write %out, %i, %h : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %h : tensor<i32>, tensor<16xf32>
  }
  %y0 = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  %y1 = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  %y = ingot.add %y0, %y1 : (tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x16xf32>
  ingot.return %y : tensor<5x16xf32>
}

// -----

// Nothing keeps iterations from writing beyond the end.
// CHECK-LABEL: ingot.entry @unbounded
// CHECK: ingot.tensor_array
// CHECK-NOT: tensor_list
ingot.entry @unbounded role(step) feeds ["w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %all = ingot.constant dense<[0, 1, 2, 3, 4]> : tensor<5xi32>
  %out = ingot.tensor_array %five {element_shape = array<i64: 16>, element_type = f32, has_shape = true} : (tensor<i32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %a:2 = ingot.while(%zero, %w) : (tensor<i32>, tensor<16xf32>) -> (tensor<i32>, tensor<16xf32>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>):
    %j = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.tensor_array_write %out, %i, %h : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> ()
    ingot.result %j, %h : tensor<i32>, tensor<16xf32>
  }
  %y0 = ingot.tensor_array_gather %out, %all {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<5xi32>) -> tensor<5x16xf32>
  ingot.return %y0 : tensor<5x16xf32>
}
