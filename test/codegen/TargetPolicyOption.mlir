// SPDX-License-Identifier: Apache-2.0
// A target's policy as an option of passes: its text, and errors in it.
// RUN: ingot-opt %s --dump-pass-pipeline "-ingot-materialize-transposes=policy={hoists-transposes=true max-patch-depth=64 k-blocking-min-depth=512 fuses-epilogues=true without=block-k,form-fusion-groups}" 2>&1 | FileCheck %s
// RUN: not ingot-opt %s "-ingot-materialize-transposes=policy={max-patch-depths=64}" 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not ingot-opt %s "-ingot-materialize-transposes=policy={max-patch-depth=many}" 2>&1 | FileCheck %s --check-prefix=VALUE
// RUN: not ingot-opt %s "-ingot-materialize-transposes=policy={without=pad-pictures}" 2>&1 | FileCheck %s --check-prefix=REWRITE

// Fields with the defaults' values are not printed.
// CHECK: ingot-materialize-transposes{policy={max-patch-depth=64 hoists-transposes=true k-blocking-min-depth=512 without={{form-fusion-groups,block-k|block-k,form-fusion-groups}}}}
// FIELD: expected field=value, with a field and a value of codegen/TargetPolicy.def, but got 'max-patch-depths=64'
// VALUE: expected field=value, with a field and a value of codegen/TargetPolicy.def, but got 'max-patch-depth=many'
// REWRITE: expected field=value, with a field and a value of codegen/TargetPolicy.def, but got 'without=pad-pictures'
module {}
