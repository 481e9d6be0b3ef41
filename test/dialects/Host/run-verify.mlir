// SPDX-License-Identifier: Apache-2.0
// RUN: ingot-opt %s --split-input-file --verify-diagnostics

// (run_c1)
func.func @step(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op has 2 kernels, 1 argument tables and 2 names}}
  host.run %arena [@a, @b] arguments [0] nodes ["a", "b"]
  return
}

// -----

// (run_c2)
func.func @too_many(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op has a launch of 3 kernels, but only 2 are left}}
  host.run %arena [@a, @a] arguments [0, 8] nodes ["a", "b"] members [3]
  return
}

// -----

// (run_c2)
func.func @none(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op has a launch of 0 kernels, but only 1 are left}}
  host.run %arena [@a] arguments [0] nodes ["a"] members [0, 1]
  return
}

// -----

// (run_c2)
func.func @different(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op has a batched launch whose members have different kernels}}
  host.run %arena [@a, @b] arguments [0, 8] nodes ["a", "b"] members [2]
  return
}

// -----

// (run_c2)
func.func @too_few(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op lists 1 kernels more than the counts in 'members' add up to}}
  host.run %arena [@a, @a, @a] arguments [0, 8, 16] nodes ["a", "b", "c"] members [2]
  return
}
