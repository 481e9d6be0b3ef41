// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --ingot-host-elide-tensor-list-element-copies | FileCheck %s

func.func private @k(memref<4xf32>) attributes {host.kernel}
func.func private @next(memref<4xf32>, memref<4xf32>) attributes {host.kernel}

// An element that a launch computes for a list is allocated in the run's memory,
// before all launches; others may read it as well.
// CHECK-LABEL: func.func @kept(
// CHECK: scf.if
// CHECK-NEXT: %[[X:.*]] = host.allocate() : memref<4xf32>
// CHECK: host.launch @k outs(%[[X]] : memref<4xf32>)
// CHECK: host.launch @next ins(%[[X]] : memref<4xf32>)
// CHECK: host.call "ingot_op_tensor_list_push_back" node "push" options {kept = true} ins(%{{.*}}, %[[X]] :
// CHECK: memref.copy %[[X]], %{{.*}}
func.func @kept(%list: memref<i64>, %more: i1, %out: memref<4xf32>) {
  %longer = memref.alloc() : memref<i64>
  scf.if %more {
    %y = memref.alloc() : memref<4xf32>
    %x = memref.alloc() : memref<4xf32>
    host.launch @k outs(%x : memref<4xf32>)
    host.launch @next ins(%x : memref<4xf32>) outs(%y : memref<4xf32>)
    host.call "ingot_op_tensor_list_push_back" node "push" options {} ins(%list, %x : memref<i64>, memref<4xf32>) dtypes [21, 1] outs(%longer : memref<i64>) to [21] {static_results = array<i1: true>}
    memref.copy %x, %out : memref<4xf32> to memref<4xf32>
  }
  return
}

// Buffers that are written again, by other ops than launches, or outside of the
// block, which may run often, are copied.
// CHECK-LABEL: func.func @copied(
// CHECK-NOT: host.allocate
// CHECK-NOT: kept
// CHECK: return
func.func @copied(%list: memref<i64>, %more: i1, %in: memref<4xf32>) {
  %longer = memref.alloc() : memref<i64>
  %again = memref.alloc() : memref<4xf32>
  host.launch @k outs(%again : memref<4xf32>)
  host.call "ingot_op_stack_push" node "again" options {} ins(%list, %again : memref<i64>, memref<4xf32>) dtypes [21, 1] to []
  host.launch @k outs(%again : memref<4xf32>)
  %copy = memref.alloc() : memref<4xf32>
  memref.copy %in, %copy : memref<4xf32> to memref<4xf32>
  host.call "ingot_op_stack_push" node "copy" options {} ins(%list, %copy : memref<i64>, memref<4xf32>) dtypes [21, 1] to []
  host.call "ingot_op_stack_push" node "in" options {} ins(%list, %in : memref<i64>, memref<4xf32>) dtypes [21, 1] to []
  %outside = memref.alloc() : memref<4xf32>
  scf.if %more {
    host.launch @k outs(%outside : memref<4xf32>)
    host.call "ingot_op_tensor_list_push_back" node "push" options {} ins(%list, %outside : memref<i64>, memref<4xf32>) dtypes [21, 1] outs(%longer : memref<i64>) to [21] {static_results = array<i1: true>}
  }
  return
}

// A device has memory of its own.
// CHECK-LABEL: func.func @device(
// CHECK-NOT: host.allocate
// CHECK: return
func.func @device(%stack: memref<i64>) attributes {host.on_device} {
  %x = memref.alloc() : memref<4xf32>
  host.launch @k outs(%x : memref<4xf32>)
  host.call "ingot_op_stack_push" node "push" options {} ins(%stack, %x : memref<i64>, memref<4xf32>) dtypes [21, 1] to []
  return
}

// A constant does not change, and neither does an element lent by another list; a
// global that is a variable may change.
memref.global "private" constant @zeros : memref<4xf32> = dense<0.0>
memref.global "private" @changes : memref<4xf32> = dense<0.0>
// CHECK-LABEL: func.func @stays(
// CHECK: node "constant" options {kept = true}
// CHECK: %[[X:.*]] = host.call "ingot_op_tensor_list_get_item"
// CHECK: node "lent" options {kept = true} ins(%{{.*}}, %[[X]] :
// CHECK: node "global" options {}
func.func @stays(%list: memref<i64>, %i: memref<i32>, %shape: memref<1xi32>) {
  %zeros = memref.get_global @zeros : memref<4xf32>
  %changes = memref.get_global @changes : memref<4xf32>
  host.call "ingot_op_stack_push" node "constant" options {} ins(%list, %zeros : memref<i64>, memref<4xf32>) dtypes [21, 1] to []
  %x = host.call "ingot_op_tensor_list_get_item" node "get" options {element_type = 1 : i64, lent = true} ins(%list, %i, %shape : memref<i64>, memref<i32>, memref<1xi32>) dtypes [21, 3, 3] to [1] -> memref<4xf32>
  host.call "ingot_op_stack_push" node "lent" options {} ins(%list, %x : memref<i64>, memref<4xf32>) dtypes [21, 1] to []
  host.call "ingot_op_stack_push" node "global" options {} ins(%list, %changes : memref<i64>, memref<4xf32>) dtypes [21, 1] to []
  return
}
