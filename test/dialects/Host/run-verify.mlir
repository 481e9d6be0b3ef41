// RUN: ingot-opt %s --verify-diagnostics

// (run_c1)
func.func @step(%arena: !llvm.ptr) {
  // expected-error @+1 {{'host.run' op has 2 kernels, 1 argument tables and 2 names}}
  host.run %arena [@a, @b] arguments [0] nodes ["a", "b"]
  return
}
