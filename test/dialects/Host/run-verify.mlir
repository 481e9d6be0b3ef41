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
  // expected-error @+1 {{'host.run' op 'members' must add up to the number of kernels, 2, but adds up to 3 or more}}
  host.run %arena [@a, @a] arguments [0, 8] nodes ["a", "b"] members [3]
  return
}

// -----

// (run_c2)
func.func @none(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op 'members' must list positive numbers of kernels, but lists 0}}
  host.run %arena [@a] arguments [0] nodes ["a"] members [0, 1]
  return
}

// -----

// (run_c2)
func.func @different(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op requires all members of a batched launch to run the same kernel}}
  host.run %arena [@a, @b] arguments [0, 8] nodes ["a", "b"] members [2]
  return
}

// -----

// (run_c2)
func.func @too_few(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op 'members' must add up to the number of kernels, 3, but adds up to 2}}
  host.run %arena [@a, @a, @a] arguments [0, 8, 16] nodes ["a", "b", "c"] members [2]
  return
}
