// RUN: ingot-opt %s -split-input-file -verify-diagnostics

// (require_c1)
func.func @places(%ok: i1, %n: index) {
  // expected-error @+1 {{its text has 2 places for 1 numbers}}
  ingot.require %ok, "[{}] vs. [{}]" (%n)
  return
}
