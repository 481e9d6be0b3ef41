// SPDX-License-Identifier: Apache-2.0
// A program's descriptor, as the runtime reads it.
// RUN: ingotc %s --cpu=x86-64-v2 -o %t
// RUN: %t info --json | %python -m json.tool | FileCheck %s

// The source is the file's name.
// CHECK: "source": "Descriptor.mlir"
// CHECK: "source_sha256": "{{[0-9a-f]+}}"
// CHECK: "compiler": "ingotc 0.1.0, LLVM
// CHECK: "x86-64-v2"

// CHECK: "entries"
// CHECK: "name": "init"
// CHECK: "role": "init"
// CHECK: "feeds": []
// CHECK: "fetches": []
// CHECK: "name": "step"
// CHECK: "role": "step"
// CHECK: "feeds"
// CHECK: "name": "x:0",
// CHECK-NEXT: "dtype": "float32",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: -1,
// CHECK-NEXT: 2
// CHECK: "fetches"
// CHECK: "name": "y:0"
// CHECK: "name": "count:0",
// CHECK-NEXT: "dtype": "int64",
// CHECK-NEXT: "shape": []

// CHECK: "variables"
// CHECK: "name": "hidden1/kernel",
// CHECK-NEXT: "dtype": "float32",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: 4,
// CHECK-NEXT: 2
// CHECK: "bytes": 32,
// CHECK-NEXT: "trainable": true,
// CHECK-NEXT: "local": false,
// CHECK-NEXT: "device": ""
// CHECK: "name": "count",
// CHECK-NEXT: "dtype": "int64",
// CHECK: "bytes": 8,
// CHECK-NEXT: "trainable": false,
// CHECK-NEXT: "local": true,
// CHECK-NEXT: "device": "/cpu:0"

// CHECK: "iterators"
// CHECK: "name": "pairs"
// CHECK: "components"
// CHECK: "dtype": "float32"
// CHECK: "dtype": "bool"

// CHECK: "savers"
// CHECK: "name": "save",
// CHECK-NEXT: "items": 2,
// CHECK-NEXT: "shards": 2
// CHECK: "loss": "y:0"
// CHECK: "global_step": "count"
// CHECK: "kernels"

module attributes {ingot.program = #ingot.program<loss = "y:0", global_step = @count>} {
ingot.variable @"hidden1/kernel" : tensor<4x2xf32> {trainable}
ingot.variable @count : tensor<i64> {local, device = "/cpu:0"}

ingot.iterator @pairs : [tensor<2xf32>, tensor<i1>] {
  %x = ingot.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %y = ingot.constant dense<true> : tensor<i1>
  %0 = ingot.tensor_dataset(%x, %y) : (tensor<2xf32>, tensor<i1>) -> !ingot.dataset<tensor<2xf32>, tensor<i1>>
  ingot.yield %0 : !ingot.dataset<tensor<2xf32>, tensor<i1>>
}

ingot.saver @"save/saver" [#ingot.saved<"k", @"hidden1/kernel", "8 2 0,4:-", 0>, #ingot.saved<"it", @pairs, "", 1>]
    {filename = "model", num_shards = 2 : i32, sharded, max_to_keep = 5 : i32,
     keep_checkpoint_every_n_hours = 10000.0 : f32}

ingot.entry @init role(init) feeds [] fetches [] variables [] updates [@"hidden1/kernel"] {
  %0 = ingot.constant dense<0.5> : tensor<4x2xf32>
  ingot.return %0 : tensor<4x2xf32>
}

ingot.entry @step role(step) feeds ["x:0"] fetches ["y:0", "count:0"] variables [@count] updates [@count] {
^bb0(%count: tensor<i64>, %x: tensor<?x2xf32>):
  %y = ingot.relu %x : (tensor<?x2xf32>) -> tensor<?x2xf32>
  ingot.return %y, %count, %count : tensor<?x2xf32>, tensor<i64>, tensor<i64>
}
}
