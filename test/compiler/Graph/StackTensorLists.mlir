// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s -ingot-stack-tensor-lists="policy={bytes-of-list-rows=64}" | FileCheck %s
// RUN: ingot-opt %s -ingot-stack-tensor-lists="policy={bytes-of-list-rows=64} max-bytes=400" | FileCheck %s --check-prefix=SMALL

// A loop and its gradient: a value that the body computes becomes a row; rows
// of its input, invariants and the counter are not stored.
// CHECK-LABEL: ingot.entry @keeps
// CHECK: ^bb0(%[[X:.*]]: tensor<5x16xf32>, %[[W:.*]]: tensor<16xf32>):
// CHECK: %[[ROOM:.*]] = ingot.rows_empty : tensor<5x16xf32>
// CHECK: %[[F:.*]]:3 = ingot.while(%{{.*}}, %{{.*}}, %[[ROOM]])
// CHECK: body
// CHECK: ^bb0(%[[I:.*]]: tensor<i32>, %[[H:.*]]: tensor<16xf32>, %[[ROWS:.*]]: tensor<5x16xf32>):
// CHECK-NOT: tensor_list
// CHECK: %[[ITEM:.*]] = ingot.rows_get %[[X]], %[[I]] : (tensor<5x16xf32>, tensor<i32>) -> tensor<16xf32>
// CHECK: %[[E:.*]] = ingot.mul %[[ITEM]]
// CHECK: ingot.rows_set %[[ROWS]], %[[I]], %[[E]] : (tensor<5x16xf32>
// CHECK: ingot.while
// CHECK: body
// CHECK: ^bb0(%[[K:.*]]: tensor<i32>, %{{.*}}: tensor<16xf32>, %{{.*}}: tensor<i32>):
// CHECK-DAG: ingot.rows_get %[[F]]#2, %[[K]] {from_end}
// CHECK-DAG: ingot.rows_get %[[X]], %[[K]] {from_end}
// CHECK-DAG: ingot.sub %{{.*}}, %[[K]] : (tensor<i32>, tensor<i32>) -> tensor<i32>
// CHECK-NOT: tensor_list
// CHECK: ingot.return
ingot.entry @keeps role(step) feeds ["x:0", "w:0"] fetches ["y:0", "n:0"] variables [] updates [] {
^bb0(%x: tensor<5x16xf32>, %w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %any = ingot.constant dense<-1> : tensor<i32>
  %shape = ingot.constant dense<[16]> : tensor<1xi32>
  %scalar = ingot.constant dense<> : tensor<0xi32>
  %in = ingot.tensor_list_from_tensor %x, %shape : (tensor<5x16xf32>, tensor<1xi32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %floats = ingot.tensor_list_empty %shape, %any {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %ints = ingot.tensor_list_empty %scalar, %five {element_type = i32} : (tensor<0xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %f:6 = ingot.while(%zero, %w, %floats, %floats, %floats, %ints) : (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, none>, tensor<!ingot.variant, none>, tensor<!ingot.variant, none>, tensor<!ingot.variant, none>) -> (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<i32>>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>, %a: tensor<!ingot.variant, tensor<16xf32>>, %b: tensor<!ingot.variant, tensor<16xf32>>, %c: tensor<!ingot.variant, tensor<16xf32>>, %d: tensor<!ingot.variant, tensor<i32>>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>, %a: tensor<!ingot.variant, tensor<16xf32>>, %b: tensor<!ingot.variant, tensor<16xf32>>, %c: tensor<!ingot.variant, tensor<16xf32>>, %d: tensor<!ingot.variant, tensor<i32>>):
    %item = ingot.tensor_list_get_item %in, %i, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<1xi32>) -> tensor<16xf32>
    %e = ingot.mul %item, %h : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %a1 = ingot.tensor_list_push_back %a, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %b1 = ingot.tensor_list_push_back %b, %item : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %c1 = ingot.tensor_list_push_back %c, %w : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %d1 = ingot.tensor_list_push_back %d, %i : (tensor<!ingot.variant, tensor<i32>>, tensor<i32>) -> tensor<!ingot.variant, tensor<i32>>
    ingot.result %next, %e, %a1, %b1, %c1, %d1 : tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<i32>>
  }
  %g:7 = ingot.while(%zero, %f#1, %f#2, %f#3, %f#4, %f#5, %zero) : (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<i32>>, tensor<i32>) -> (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<i32>>, tensor<i32>) test {
  ^bb0(%k: tensor<i32>, %s: tensor<16xf32>, %a: tensor<!ingot.variant, tensor<16xf32>>, %b: tensor<!ingot.variant, tensor<16xf32>>, %c: tensor<!ingot.variant, tensor<16xf32>>, %d: tensor<!ingot.variant, tensor<i32>>, %n: tensor<i32>):
    %less = ingot.less %k, %f#0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%k: tensor<i32>, %s: tensor<16xf32>, %a: tensor<!ingot.variant, tensor<16xf32>>, %b: tensor<!ingot.variant, tensor<16xf32>>, %c: tensor<!ingot.variant, tensor<16xf32>>, %d: tensor<!ingot.variant, tensor<i32>>, %n: tensor<i32>):
    %a1, %at = ingot.tensor_list_pop_back %a, %any {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>)
    %b1, %bt = ingot.tensor_list_pop_back %b, %any {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>)
    %c1, %ct = ingot.tensor_list_pop_back %c, %any {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>)
    %d1, %dt = ingot.tensor_list_pop_back %d, %any {element_type = i32} : (tensor<!ingot.variant, tensor<i32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<i32>>, tensor<i32>)
    %p = ingot.mul %at, %bt : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %q = ingot.mul %p, %ct : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %t = ingot.add %s, %q : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %m = ingot.mul %dt, %n : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %next = ingot.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %t, %a1, %b1, %c1, %d1, %m : tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<i32>>, tensor<i32>
  }
  ingot.return %g#1, %g#6 : tensor<16xf32>, tensor<i32>
}

// A list that a loop writes and that is stacked after it is one tensor, whose
// dynamic size becomes static.
// CHECK-LABEL: ingot.entry @writes
// CHECK: %[[F:.*]]:2 = ingot.while
// CHECK: ingot.rows_set %{{.*}}, %{{.*}}, %{{.*}} : (tensor<5x16xf32>, tensor<i32>, tensor<16xf32>) -> tensor<5x16xf32>
// CHECK: ingot.exp %[[F]]#1 : (tensor<5x16xf32>) -> tensor<5x16xf32>
ingot.entry @writes role(step) feeds ["w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %shape = ingot.constant dense<[16]> : tensor<1xi32>
  %room = ingot.tensor_list_reserve %shape, %five {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %f:2 = ingot.while(%zero, %room) : (tensor<i32>, tensor<!ingot.variant, none>) -> (tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>) test {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %c = ingot.cast %i {dst = f32} : (tensor<i32>) -> tensor<f32>
    %e = ingot.mul %w, %c : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    %m = ingot.tensor_list_set_item %l, %i, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %m : tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>
  }
  %s = ingot.tensor_list_stack %f#1, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<1xi32>) -> tensor<?x16xf32>
  %y = ingot.exp %s : (tensor<?x16xf32>) -> tensor<?x16xf32>
  ingot.return %y : tensor<?x16xf32>
}

// Rows without a tensor's alignment stay in a list, and so do lists of a loop
// that the end of input may leave.
// CHECK-LABEL: ingot.entry @stays
// CHECK-NOT: rows
// CHECK: ingot.return
ingot.entry @stays role(step) feeds ["w:0", "v:0", "n:0"] fetches ["y:0", "z:0"] variables [] updates [] {
^bb0(%w: tensor<3xf32>, %v: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %shape = ingot.constant dense<[-1]> : tensor<1xi32>
  %short = ingot.tensor_list_reserve %shape, %five {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %f:2 = ingot.while(%zero, %short) : (tensor<i32>, tensor<!ingot.variant, none>) -> (tensor<i32>, tensor<!ingot.variant, tensor<3xf32>>) test {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<3xf32>>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<3xf32>>):
    %c = ingot.cast %i {dst = f32} : (tensor<i32>) -> tensor<f32>
    %e = ingot.mul %w, %c : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
    %m = ingot.tensor_list_set_item %l, %i, %e : (tensor<!ingot.variant, tensor<3xf32>>, tensor<i32>, tensor<3xf32>) -> tensor<!ingot.variant, tensor<3xf32>>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %m : tensor<i32>, tensor<!ingot.variant, tensor<3xf32>>
  }
  %y = ingot.tensor_list_stack %f#1, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<3xf32>>, tensor<1xi32>) -> tensor<?x3xf32>
  %room = ingot.tensor_list_reserve %shape, %n {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %g:2 = ingot.while(%zero, %room) : (tensor<i32>, tensor<!ingot.variant, none>) -> (tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>) test {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %c = ingot.cast %i {dst = f32} : (tensor<i32>) -> tensor<f32>
    %e = ingot.mul %v, %c : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    %m = ingot.tensor_list_set_item %l, %i, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %m : tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>
  }
  %z = ingot.tensor_list_stack %g#1, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<1xi32>) -> tensor<?x16xf32>
  ingot.return %y, %z : tensor<?x3xf32>, tensor<?x16xf32>
}

// Gradients of two reads of the same row in an iteration are added.
// CHECK-LABEL: ingot.entry @adds
// CHECK: %[[D:.*]] = ingot.mul
// CHECK: %[[E:.*]] = ingot.exp %[[D]]
// CHECK: %[[SUM:.*]] = ingot.add %[[D]], %[[E]]
// CHECK: ingot.rows_set %{{.*}}, %{{.*}}, %[[SUM]] :
ingot.entry @adds role(step) feeds ["v:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%v: tensor<5x16xf32>, %w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %shape = ingot.constant dense<[16]> : tensor<1xi32>
  %list = ingot.tensor_list_from_tensor %v, %shape : (tensor<5x16xf32>, tensor<1xi32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %zeros = ingot.variant_zeros %list : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<!ingot.variant, tensor<16xf32>>
  %f:2 = ingot.while(%zero, %zeros) : (tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>) -> (tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>) test {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %c = ingot.cast %i {dst = f32} : (tensor<i32>) -> tensor<f32>
    %d = ingot.mul %w, %c : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    %e = ingot.exp %d : (tensor<16xf32>) -> tensor<16xf32>
    %back = ingot.sub %four, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %room = ingot.tensor_list_reserve %shape, %five {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
    %a = ingot.tensor_list_set_item %room, %i, %d : (tensor<!ingot.variant, none>, tensor<i32>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %b = ingot.tensor_list_set_item %room, %i, %e : (tensor<!ingot.variant, none>, tensor<i32>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %m = ingot.variant_add %l, %a, %b : (tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>) -> tensor<!ingot.variant, tensor<16xf32>>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %m : tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>
  }
  %y = ingot.tensor_list_stack %f#1, %shape {element_type = f32, num_elements = 5 : i64} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<1xi32>) -> tensor<5x16xf32>
  ingot.return %y : tensor<5x16xf32>
}

// Rows that two iterations add to stay in a list.
// CHECK-LABEL: ingot.entry @meets
// CHECK-NOT: rows
// CHECK: ingot.variant_add
// CHECK-NOT: rows
// CHECK: ingot.return
ingot.entry @meets role(step) feeds ["v:0", "w:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%v: tensor<5x16xf32>, %w: tensor<16xf32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %four = ingot.constant dense<4> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %shape = ingot.constant dense<[16]> : tensor<1xi32>
  %list = ingot.tensor_list_from_tensor %v, %shape : (tensor<5x16xf32>, tensor<1xi32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %zeros = ingot.variant_zeros %list : (tensor<!ingot.variant, tensor<16xf32>>) -> tensor<!ingot.variant, tensor<16xf32>>
  %f:2 = ingot.while(%zero, %zeros) : (tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>) -> (tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>) test {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %less = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %c = ingot.cast %i {dst = f32} : (tensor<i32>) -> tensor<f32>
    %d = ingot.mul %w, %c : (tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    %e = ingot.exp %d : (tensor<16xf32>) -> tensor<16xf32>
    %back = ingot.sub %four, %i : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %room = ingot.tensor_list_reserve %shape, %five {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
    %a = ingot.tensor_list_set_item %room, %i, %d : (tensor<!ingot.variant, none>, tensor<i32>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %b = ingot.tensor_list_set_item %room, %back, %e : (tensor<!ingot.variant, none>, tensor<i32>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %m = ingot.variant_add %l, %a, %b : (tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>) -> tensor<!ingot.variant, tensor<16xf32>>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %m : tensor<i32>, tensor<!ingot.variant, tensor<16xf32>>
  }
  %y = ingot.tensor_list_stack %f#1, %shape {element_type = f32, num_elements = 5 : i64} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<1xi32>) -> tensor<5x16xf32>
  ingot.return %y : tensor<5x16xf32>
}

// A loop of at most five iterations, and its gradient of as many. A row that the
// first one does not write is zeros where all are read; where the second one
// reads rows, by its reverse counter, it does not read others. Booleans are
// computed again.
// CHECK-LABEL: ingot.entry @bounded
// CHECK: ^bb0(%[[X:.*]]: tensor<5x16xf32>, %{{.*}}: tensor<16xf32>, %[[LENGTHS:.*]]: tensor<16xi32>, %{{.*}}: tensor<i32>):
// CHECK-DAG: %[[ZEROS:.*]] = ingot.constant dense<0.000000e+00> : tensor<5x16xf32>
// CHECK-DAG: %[[ROOM:.*]] = ingot.rows_empty : tensor<5x16xf32>
// CHECK: %[[F:.*]]:4 = ingot.while(%{{.*}}, %{{.*}}, %[[ROOM]], %[[ZEROS]])
// CHECK: body
// CHECK: ^bb0(%[[I:.*]]: tensor<i32>, %{{.*}}: tensor<16xf32>, %[[ROWS:.*]]: tensor<5x16xf32>, %[[OUT:.*]]: tensor<5x16xf32>):
// CHECK-DAG: ingot.rows_get %[[X]], %[[I]] :
// CHECK-DAG: ingot.rows_set %[[ROWS]], %[[I]], %{{.*}} :
// CHECK-DAG: ingot.rows_set %[[OUT]], %[[I]], %{{.*}} :
// CHECK: ingot.while
// CHECK: body
// CHECK: ^bb0(%{{.*}}: tensor<i32>, %{{.*}}: tensor<16xf32>, %[[R:.*]]: tensor<i32>, %[[Q:.*]]: tensor<i32>):
// CHECK-DAG: ingot.rows_get %[[F]]#2, %[[R]] :
// CHECK-DAG: ingot.rows_get %[[X]], %[[R]] :
// CHECK-DAG: ingot.greater_equal %[[R]], %[[LENGTHS]]
// CHECK-DAG: ingot.mul %[[Q]], %[[R]]
// CHECK: ingot.return %{{.*}}, %{{.*}}, %[[F]]#3

// Without room for another tensor there is a list.
// SMALL-LABEL: ingot.entry @bounded
// SMALL-COUNT-1: ingot.rows_set
// SMALL-NOT: ingot.rows_set
// SMALL: ingot.tensor_list_stack
ingot.entry @bounded role(step) feeds ["x:0", "w:0", "l:0", "n:0"] fetches ["y:0", "z:0", "o:0"] variables [] updates [] {
^bb0(%x: tensor<5x16xf32>, %w: tensor<16xf32>, %lengths: tensor<16xi32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %any = ingot.constant dense<-1> : tensor<i32>
  %shape = ingot.constant dense<[16]> : tensor<1xi32>
  %scalar = ingot.constant dense<> : tensor<0xi32>
  %in = ingot.tensor_list_from_tensor %x, %shape : (tensor<5x16xf32>, tensor<1xi32>) -> tensor<!ingot.variant, tensor<16xf32>>
  %floats = ingot.tensor_list_empty %shape, %any {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %ints = ingot.tensor_list_empty %scalar, %any {element_type = i32} : (tensor<0xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %bools = ingot.tensor_list_empty %shape, %any {element_type = i1} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %out = ingot.tensor_list_reserve %shape, %five {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %f:7 = ingot.while(%zero, %w, %floats, %floats, %ints, %bools, %out) : (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, none>, tensor<!ingot.variant, none>, tensor<!ingot.variant, none>, tensor<!ingot.variant, none>, tensor<!ingot.variant, none>) -> (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<i32>>, tensor<!ingot.variant, tensor<16xi1>>, tensor<!ingot.variant, tensor<16xf32>>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>, %a: tensor<!ingot.variant, tensor<16xf32>>, %b: tensor<!ingot.variant, tensor<16xf32>>, %c: tensor<!ingot.variant, tensor<i32>>, %d: tensor<!ingot.variant, tensor<16xi1>>, %o: tensor<!ingot.variant, tensor<16xf32>>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>, %a: tensor<!ingot.variant, tensor<16xf32>>, %b: tensor<!ingot.variant, tensor<16xf32>>, %c: tensor<!ingot.variant, tensor<i32>>, %d: tensor<!ingot.variant, tensor<16xi1>>, %o: tensor<!ingot.variant, tensor<16xf32>>):
    %item = ingot.tensor_list_get_item %in, %i, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<1xi32>) -> tensor<16xf32>
    %ends = ingot.greater_equal %i, %lengths : (tensor<i32>, tensor<16xi32>) -> tensor<16xi1>
    %e = ingot.mul %item, %h : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %g = ingot.select %ends, %h, %e : (tensor<16xi1>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %a1 = ingot.tensor_list_push_back %a, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %b1 = ingot.tensor_list_push_back %b, %item : (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    %c1 = ingot.tensor_list_push_back %c, %i : (tensor<!ingot.variant, tensor<i32>>, tensor<i32>) -> tensor<!ingot.variant, tensor<i32>>
    %d1 = ingot.tensor_list_push_back %d, %ends : (tensor<!ingot.variant, tensor<16xi1>>, tensor<16xi1>) -> tensor<!ingot.variant, tensor<16xi1>>
    %o1 = ingot.tensor_list_set_item %o, %i, %g : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    ingot.result %next, %g, %a1, %b1, %c1, %d1, %o1 : tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<i32>>, tensor<!ingot.variant, tensor<16xi1>>, tensor<!ingot.variant, tensor<16xf32>>
  }
  %y = ingot.tensor_list_stack %f#6, %shape {element_type = f32, num_elements = 5 : i64} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<1xi32>) -> tensor<5x16xf32>
  %last = ingot.sub %f#0, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
  %g:8 = ingot.while(%zero, %f#1, %f#2, %f#3, %f#4, %f#5, %last, %one) : (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<i32>>, tensor<!ingot.variant, tensor<16xi1>>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<i32>>, tensor<!ingot.variant, tensor<16xi1>>, tensor<i32>, tensor<i32>) test {
  ^bb0(%k: tensor<i32>, %s: tensor<16xf32>, %a: tensor<!ingot.variant, tensor<16xf32>>, %b: tensor<!ingot.variant, tensor<16xf32>>, %c: tensor<!ingot.variant, tensor<i32>>, %d: tensor<!ingot.variant, tensor<16xi1>>, %r: tensor<i32>, %q: tensor<i32>):
    %less = ingot.less %k, %f#0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    ingot.condition %less : tensor<i1>
  } body {
  ^bb0(%k: tensor<i32>, %s: tensor<16xf32>, %a: tensor<!ingot.variant, tensor<16xf32>>, %b: tensor<!ingot.variant, tensor<16xf32>>, %c: tensor<!ingot.variant, tensor<i32>>, %d: tensor<!ingot.variant, tensor<16xi1>>, %r: tensor<i32>, %q: tensor<i32>):
    %a1, %at = ingot.tensor_list_pop_back %a, %any {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>)
    %b1, %bt = ingot.tensor_list_pop_back %b, %any {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<16xf32>>, tensor<16xf32>)
    %c1, %ct = ingot.tensor_list_pop_back %c, %any {element_type = i32} : (tensor<!ingot.variant, tensor<i32>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<i32>>, tensor<i32>)
    %d1, %dt = ingot.tensor_list_pop_back %d, %any {element_type = i1} : (tensor<!ingot.variant, tensor<16xi1>>, tensor<i32>) -> (tensor<!ingot.variant, tensor<16xi1>>, tensor<16xi1>)
    %p = ingot.mul %at, %bt : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %t = ingot.select %dt, %s, %p : (tensor<16xi1>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    %m = ingot.mul %q, %ct : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %next = ingot.add %k, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %before = ingot.sub %r, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    ingot.result %next, %t, %a1, %b1, %c1, %d1, %before, %m : tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<16xf32>>, tensor<!ingot.variant, tensor<i32>>, tensor<!ingot.variant, tensor<16xi1>>, tensor<i32>, tensor<i32>
  }
  ingot.return %g#1, %g#7, %y : tensor<16xf32>, tensor<i32>, tensor<5x16xf32>
}

// Without an iteration the shape of elements would not be known, so the list
// stays, and its op fails.
// CHECK-LABEL: ingot.entry @unknown_shape
// CHECK-NOT: rows
// CHECK: ingot.tensor_list_stack
ingot.entry @unknown_shape role(step) feeds ["w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %shape = ingot.constant dense<[-1]> : tensor<1xi32>
  %room = ingot.tensor_list_reserve %shape, %five {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %f:3 = ingot.while(%zero, %w, %room) : (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, none>) -> (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %e = ingot.exp %h : (tensor<16xf32>) -> tensor<16xf32>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %m = ingot.tensor_list_set_item %l, %i, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    ingot.result %next, %e, %m : tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>
  }
  %y = ingot.tensor_list_stack %f#2, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<1xi32>) -> tensor<?x16xf32>
  ingot.return %y : tensor<?x16xf32>
}

// The only element is the state of the loop if it has an iteration.
// CHECK-LABEL: ingot.entry @only_element
// CHECK: ingot.tensor_list_set_item
// CHECK: %[[Y:.*]] = ingot.tensor_list_stack
// CHECK: ingot.return %[[Y]]
ingot.entry @only_element role(step) feeds ["w:0", "n:0"] fetches ["y:0"] variables [] updates [] {
^bb0(%w: tensor<16xf32>, %n: tensor<i32>):
  %zero = ingot.constant dense<0> : tensor<i32>
  %one = ingot.constant dense<1> : tensor<i32>
  %five = ingot.constant dense<5> : tensor<i32>
  %shape = ingot.constant dense<[16]> : tensor<1xi32>
  %room = ingot.tensor_list_reserve %shape, %one {element_type = f32} : (tensor<1xi32>, tensor<i32>) -> tensor<!ingot.variant, none>
  %f:3 = ingot.while(%zero, %w, %room) : (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, none>) -> (tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>) test {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %more = ingot.less %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %less = ingot.less %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %both = ingot.logical_and %more, %less : (tensor<i1>, tensor<i1>) -> tensor<i1>
    ingot.condition %both : tensor<i1>
  } body {
  ^bb0(%i: tensor<i32>, %h: tensor<16xf32>, %l: tensor<!ingot.variant, tensor<16xf32>>):
    %e = ingot.exp %h : (tensor<16xf32>) -> tensor<16xf32>
    %next = ingot.add %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %m = ingot.tensor_list_set_item %l, %zero, %e : (tensor<!ingot.variant, tensor<16xf32>>, tensor<i32>, tensor<16xf32>) -> tensor<!ingot.variant, tensor<16xf32>>
    ingot.result %next, %e, %m : tensor<i32>, tensor<16xf32>, tensor<!ingot.variant, tensor<16xf32>>
  }
  %y = ingot.tensor_list_stack %f#2, %shape {element_type = f32} : (tensor<!ingot.variant, tensor<16xf32>>, tensor<1xi32>) -> tensor<?x16xf32>
  ingot.return %y : tensor<?x16xf32>
}
