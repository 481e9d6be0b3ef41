// SPDX-License-Identifier: Apache-2.0
// Shape arithmetic folds, and types are refined by it.
// RUN: ingot-opt %s -ingot-infer-shapes | FileCheck %s

// The shape of a fill is computed: twice the dimensions of another tensor.
// CHECK-LABEL: ingot.entry @folds_shape_arithmetic
ingot.entry @folds_shape_arithmetic role(other) feeds ["x:0", "v:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<4x3xf32>, %v: tensor<f32>):
  %two = ingot.constant dense<2> : tensor<i32>
  %shape = ingot.shape %x {output_type = i32} : (tensor<4x3xf32>) -> tensor<2xi32>
  %twice = ingot.mul %shape, %two : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  // CHECK: %[[TWICE:.*]] = ingot.constant dense<[8, 6]> : tensor<2xi32>
  // CHECK: ingot.fill %[[TWICE]], %{{.*}} -> tensor<8x6xf32>
  // CHECK: ingot.return %{{.*}} : tensor<8x6xf32>
  %y = ingot.fill %twice, %v : (tensor<2xi32>, tensor<f32>) -> tensor<?x?xf32>
  ingot.return %y : tensor<?x?xf32>
}

// Inferred types propagate; known sizes are never forgotten.
// CHECK-LABEL: ingot.entry @refines_onwards
ingot.entry @refines_onwards role(other) feeds ["x:0", "w:0", "u:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>, %u: tensor<?x3xf32>):
  // CHECK: %[[M:.*]] = ingot.matmul {{.*}} -> tensor<4x2xf32>
  %m = ingot.matmul %x, %w : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<?x?xf32>
  // CHECK: ingot.relu %[[M]] : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %y = ingot.relu %m : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: ingot.relu {{.*}} : (tensor<?x3xf32>) -> tensor<5x3xf32>
  %z = ingot.relu %u : (tensor<?x3xf32>) -> tensor<5x3xf32>
  ingot.return %y, %z : tensor<?x?xf32>, tensor<5x3xf32>
}

// A gradient's operands have one shape, which a loop over stacks may hide of one of them.
// CHECK-LABEL: ingot.entry @refines_gradients
ingot.entry @refines_gradients role(other) feeds ["x:0", "g:0"] fetches ["a:0", "b:0", "c:0"] variables [] updates [] {
^bb0(%x: tensor<?x6xf32>, %g: tensor<*xf32>):
  // CHECK: ingot.relu6_grad {{.*}} -> tensor<?x6xf32>
  %a = ingot.relu6_grad %g, %x : (tensor<*xf32>, tensor<?x6xf32>) -> tensor<*xf32>
  // CHECK: ingot.tanh_grad {{.*}} -> tensor<?x6xf32>
  %b = ingot.tanh_grad %x, %g : (tensor<?x6xf32>, tensor<*xf32>) -> tensor<*xf32>
  // CHECK: ingot.relu_grad {{.*}} -> tensor<?x6xf32>
  %c = ingot.relu_grad %g, %x : (tensor<*xf32>, tensor<?x6xf32>) -> tensor<*xf32>
  ingot.return %a, %b, %c : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// The type of a dataset's function follows its results.
// CHECK-LABEL: func.func private @map_function
// CHECK-SAME: -> tensor<2xf32>
func.func private @map_function(%x: tensor<2xf32>) -> tensor<?xf32> {
  %y = ingot.neg %x : (tensor<2xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// A constant condition selects its branch; loop invariants are not
// loop-carried; a loop-carried type is the join over all iterations.
// CHECK-LABEL: ingot.entry @control_flow
// CHECK-NOT: ingot.if
// CHECK: %[[NEG:.*]] = ingot.neg
// CHECK: ingot.while(%{{.*}}, %{{.*}}) : (tensor<4xf32>, tensor<1x3xf32>) -> (tensor<4xf32>, tensor<?x3xf32>)
// CHECK: ^bb0(%{{.*}}: tensor<4xf32>, %{{.*}}: tensor<?x3xf32>):
ingot.entry @control_flow role(other) feeds ["x:0", "y:0", "c:0", "z:0"] fetches ["a:0", "b:0"] variables [] updates [] {
^bb0(%x: tensor<4xf32>, %y: tensor<1x3xf32>, %c: tensor<i1>, %z: tensor<?x3xf32>):
  %true = ingot.constant dense<true> : tensor<i1>
  %0 = ingot.if %true : tensor<i1> -> (tensor<?xf32>) {
    %n = ingot.neg %x : (tensor<4xf32>) -> tensor<4xf32>
    ingot.result %n : tensor<4xf32>
  } else {
    %e = ingot.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    ingot.result %e : tensor<4xf32>
  }
  %r:3 = ingot.while(%0, %y, %x) : (tensor<?xf32>, tensor<1x3xf32>, tensor<4xf32>) -> (tensor<?xf32>, tensor<?x3xf32>, tensor<4xf32>) test {
  ^bb0(%i: tensor<?xf32>, %j: tensor<?x3xf32>, %k: tensor<4xf32>):
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<?xf32>, %j: tensor<?x3xf32>, %k: tensor<4xf32>):
    %n = ingot.add %i, %k : (tensor<?xf32>, tensor<4xf32>) -> tensor<?xf32>
    ingot.result %n, %z, %k : tensor<?xf32>, tensor<?x3xf32>, tensor<4xf32>
  }
  ingot.return %r#0, %r#1 : tensor<?xf32>, tensor<?x3xf32>
}

// A list's pops have the type of its pushes.
// CHECK-LABEL: ingot.entry @lists
// CHECK: ingot.while(%{{.*}}, %{{.*}}) : (tensor<i32>, tensor<!ingot.variant, none>) -> (tensor<i32>, tensor<!ingot.variant, tensor<3xf32>>)
// CHECK: ingot.tensor_list_stack {{.*}} -> tensor<?x3xf32>
ingot.entry @lists role(other) feeds ["x:0", "c:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<3xf32>, %c: tensor<i1>):
  %any = ingot.constant dense<-1> : tensor<i32>
  %l = ingot.tensor_list_empty %any, %any {element_type = f32} : (tensor<i32>, tensor<i32>) -> tensor<!ingot.variant>
  %r:2 = ingot.while(%any, %l) : (tensor<i32>, tensor<!ingot.variant>) -> (tensor<i32>, tensor<!ingot.variant>) test {
  ^bb0(%i: tensor<i32>, %m: tensor<!ingot.variant>):
    ingot.condition %c : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %m: tensor<!ingot.variant>):
    %j = ingot.neg %i : (tensor<i32>) -> tensor<i32>
    %n = ingot.tensor_list_push_back %m, %x : (tensor<!ingot.variant>, tensor<3xf32>) -> tensor<!ingot.variant>
    ingot.result %j, %n : tensor<i32>, tensor<!ingot.variant>
  }
  %y = ingot.tensor_list_stack %r#1, %any {element_type = f32} : (tensor<!ingot.variant>, tensor<i32>) -> tensor<*xf32>
  ingot.return %y : tensor<*xf32>
}

// Reads of arrays and stacks have the join of all writes; so has a stack of
// stacks.
// CHECK-LABEL: ingot.entry @arrays
// CHECK: ingot.tensor_array_read {{.*}} -> tensor<?x3xf32>
// CHECK: ingot.stack_pop {{.*}} -> tensor<!ingot.variant, tensor<2x3xf32>>
// CHECK: ingot.stack_pop {{.*}} -> tensor<2x3xf32>
ingot.entry @arrays role(other) feeds ["x:0", "y:0", "n:0"] fetches ["a:0", "b:0"] variables [] updates [] {
^bb0(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>, %n: tensor<i32>):
  %h = ingot.tensor_array %n {element_type = f32, element_shape = array<i64>, has_shape = false} : (tensor<i32>) -> tensor<!ingot.variant>
  ingot.tensor_array_write %h, %n, %x : (tensor<!ingot.variant>, tensor<i32>, tensor<2x3xf32>) -> ()
  ingot.tensor_array_write %h, %n, %y : (tensor<!ingot.variant>, tensor<i32>, tensor<4x3xf32>) -> ()
  %a = ingot.tensor_array_read %h, %n {element_type = f32} : (tensor<!ingot.variant>, tensor<i32>) -> tensor<*xf32>
  %s = ingot.stack {element_type = f32} : () -> tensor<!ingot.variant>
  %t = ingot.stack {element_type = !ingot.variant} : () -> tensor<!ingot.variant>
  ingot.stack_push %t, %s : (tensor<!ingot.variant>, tensor<!ingot.variant>) -> ()
  ingot.stack_push %s, %x : (tensor<!ingot.variant>, tensor<2x3xf32>) -> ()
  %u = ingot.stack_pop %t {element_type = !ingot.variant} : (tensor<!ingot.variant>) -> tensor<!ingot.variant>
  %b = ingot.stack_pop %u {element_type = f32} : (tensor<!ingot.variant>) -> tensor<*xf32>
  ingot.return %a, %b : tensor<*xf32>, tensor<*xf32>
}

// Branches yield different handles in one place: each is known by its element
// type.
// CHECK-LABEL: ingot.entry @alternatives
// CHECK: ingot.if {{.*}} -> (tensor<!ingot.variant, tuple<tensor<3xf32>, tensor<2xi1>>>)
// CHECK: ingot.optional_get_value {{.*}} -> tensor<3xf32>
// CHECK: ingot.optional_get_value {{.*}} -> tensor<2xi1>
ingot.entry @alternatives role(other) feeds ["x:0", "b:0", "c:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%x: tensor<3xf32>, %b: tensor<2xi1>, %c: tensor<i1>):
  %o = ingot.if %c : tensor<i1> -> (tensor<!ingot.variant>) {
    %0 = ingot.optional_from_value %x : (tensor<3xf32>) -> tensor<!ingot.variant>
    ingot.result %0 : tensor<!ingot.variant>
  } else {
    %0 = ingot.optional_from_value %b : (tensor<2xi1>) -> tensor<!ingot.variant>
    ingot.result %0 : tensor<!ingot.variant>
  }
  %y = ingot.optional_get_value %o {index = 0 : i64, element_type = f32} : (tensor<!ingot.variant>) -> tensor<*xf32>
  %z = ingot.optional_get_value %o {index = 0 : i64, element_type = i1} : (tensor<!ingot.variant>) -> tensor<*xi1>
  ingot.return %y, %z : tensor<*xf32>, tensor<*xi1>
}

// The gradient of a TF1 loop takes axes, permutations and shapes from stacks:
// what is the same in all pushes is known.
// CHECK-LABEL: ingot.entry @popped
// CHECK: ^bb0(%{{.*}}: tensor<?x6xf32>, %[[Y:.*]]: tensor<?x3xf32>):
// CHECK-COUNT-5: ingot.stack_push
// CHECK: %[[AXIS:.*]] = ingot.constant dense<1> : tensor<i32>
// CHECK-NEXT: ingot.stack_pop
// CHECK: ingot.transpose {{.*}} -> tensor<6x?xf32>
// CHECK: ingot.concat %[[AXIS]], {{.*}} -> tensor<6x?xf32>
// Whether the popped size fits is checked later.
// CHECK: %[[SAME:.*]] = ingot.reshape %[[Y]], {{.*}} -> tensor<?x3xf32>
// CHECK: ingot.reshape {{.*}} -> tensor<?x?xf32>
// CHECK: ingot.return %{{.*}}, %[[SAME]], %{{.*}}
ingot.entry @popped role(other) feeds ["x:0", "y:0"] fetches ["a:0", "b:0", "c:0"] variables [] updates [] {
^bb0(%x: tensor<?x6xf32>, %y: tensor<?x3xf32>):
  %axes = ingot.stack {element_type = i32} : () -> tensor<!ingot.variant>
  %orders = ingot.stack {element_type = i32} : () -> tensor<!ingot.variant>
  %shapes = ingot.stack {element_type = i32} : () -> tensor<!ingot.variant>
  %others = ingot.stack {element_type = i32} : () -> tensor<!ingot.variant>
  %one = ingot.constant dense<1> : tensor<i32>
  %order = ingot.constant dense<[1, 0]> : tensor<2xi32>
  %shape = ingot.shape %y {output_type = i32} : (tensor<?x3xf32>) -> tensor<2xi32>
  %other = ingot.shape %x {output_type = i32} : (tensor<?x6xf32>) -> tensor<2xi32>
  ingot.stack_push %axes, %one : (tensor<!ingot.variant>, tensor<i32>) -> ()
  ingot.stack_push %orders, %order : (tensor<!ingot.variant>, tensor<2xi32>) -> ()
  ingot.stack_push %shapes, %shape : (tensor<!ingot.variant>, tensor<2xi32>) -> ()
  ingot.stack_push %others, %shape : (tensor<!ingot.variant>, tensor<2xi32>) -> ()
  ingot.stack_push %others, %other : (tensor<!ingot.variant>, tensor<2xi32>) -> ()
  %axis = ingot.stack_pop %axes {element_type = i32} : (tensor<!ingot.variant>) -> tensor<*xi32>
  %popped = ingot.stack_pop %orders {element_type = i32} : (tensor<!ingot.variant>) -> tensor<*xi32>
  %places = ingot.constant dense<[0, 1]> : tensor<2xi32>
  %column = ingot.expand_dims %popped, %one : (tensor<*xi32>, tensor<i32>) -> tensor<*xi32>
  %inverse = ingot.tensor_scatter %popped, %column, %places {combine = "update"} : (tensor<*xi32>, tensor<*xi32>, tensor<2xi32>) -> tensor<*xi32>
  %t = ingot.transpose %x, %inverse : (tensor<?x6xf32>, tensor<*xi32>) -> tensor<*xf32>
  %a = ingot.concat %axis, %t, %t : (tensor<*xi32>, tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %s = ingot.stack_pop %shapes {element_type = i32} : (tensor<!ingot.variant>) -> tensor<*xi32>
  %b = ingot.reshape %y, %s : (tensor<?x3xf32>, tensor<*xi32>) -> tensor<*xf32>
  %u = ingot.stack_pop %others {element_type = i32} : (tensor<!ingot.variant>) -> tensor<*xi32>
  %c = ingot.reshape %x, %u : (tensor<?x6xf32>, tensor<*xi32>) -> tensor<*xf32>
  ingot.return %a, %b, %c : tensor<*xf32>, tensor<*xf32>, tensor<*xf32>
}

// The operands of an activation's gradient have one shape.
// CHECK-LABEL: ingot.entry @gradient
// CHECK: ingot.elu_grad {{.*}} -> tensor<?x4x1xf32>
ingot.entry @gradient role(other) feeds ["x:0", "g:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%x: tensor<?x?x1xf32>, %g: tensor<?x4x?xf32>):
  %y = ingot.elu_grad %g, %x : (tensor<?x4x?xf32>, tensor<?x?x1xf32>) -> tensor<*xf32>
  ingot.return %y : tensor<*xf32>
}

// A file that is reshaped has as many numbers as the shape, unless the shape is
// fed or something else uses the numbers.
// CHECK-LABEL: ingot.entry @file
// CHECK: ingot.decode_raw {{.*}} -> tensor<6xf32>
// CHECK: ingot.decode_raw {{.*}} -> tensor<?xf32>
// CHECK: ingot.decode_raw {{.*}} -> tensor<?xf32>
ingot.entry @file role(other) feeds ["name:0", "shape:0"] fetches ["x:0", "y:0", "z:0", "numbers:0"] variables [] updates [] {
^bb0(%name: tensor<!ingot.string>, %fed: tensor<2xi32>):
  %shape = ingot.constant dense<[2, 3]> : tensor<2xi32>
  %bytes = ingot.read_file %name : (tensor<!ingot.string>) -> tensor<!ingot.string>
  %0 = ingot.decode_raw %bytes {output_type = f32} : (tensor<!ingot.string>) -> tensor<?xf32>
  %x = ingot.reshape %0, %shape : (tensor<?xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %1 = ingot.decode_raw %bytes {output_type = f32} : (tensor<!ingot.string>) -> tensor<?xf32>
  %y = ingot.reshape %1, %fed : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %2 = ingot.decode_raw %bytes {output_type = f32} : (tensor<!ingot.string>) -> tensor<?xf32>
  %z = ingot.reshape %2, %shape : (tensor<?xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  ingot.return %x, %y, %z, %2 : tensor<2x3xf32>, tensor<?x?xf32>, tensor<2x3xf32>, tensor<?xf32>
}
