// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --verify-diagnostics

// (run_c1)
func.func @step(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op has 2 kernels, 1 argument tables and 2 node names, but each kernel needs one argument table and one node name}}
  host.run %arena [@a, @b] arguments [0] nodes ["a", "b"]
  return
}

// -----

// (run_c2)
func.func @too_many(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op groups 3 kernels by 'members', but only 2 of the listed kernels are left}}
  host.run %arena [@a, @a] arguments [0, 8] nodes ["a", "b"] members [3]
  return
}

// -----

// (run_c2)
func.func @none(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op groups 0 kernels by 'members', but only 1 of the listed kernels are left}}
  host.run %arena [@a] arguments [0] nodes ["a"] members [0, 1]
  return
}

// -----

// (run_c2)
func.func @different(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op has a batched launch whose members have different kernels, but all members must have the same one}}
  host.run %arena [@a, @b] arguments [0, 8] nodes ["a", "b"] members [2]
  return
}

// -----

// (run_c2)
func.func @too_few(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op lists 1 kernels more than 'members' counts: its counts must add up to the number of kernels}}
  host.run %arena [@a, @a, @a] arguments [0, 8, 16] nodes ["a", "b", "c"] members [2]
  return
}
