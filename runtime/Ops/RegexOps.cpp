//===- RegexOps.cpp - Regular expressions on strings ----------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Regular expressions are matched by RE2, as in TensorFlow, so patterns have
// the same meaning, and invalid patterns give the same error messages.
//===----------------------------------------------------------------------===//

#include "runtime/Ops/OpKernelContext.h"

#include <re2/re2.h>

using namespace ingot;
using namespace ingot::ops;

static Status checkPattern(const OpKernelContext &op, const RE2 &regex) {
  if (regex.ok())
    return Status::ok();
  return op.invalid("Invalid pattern: " + regex.pattern() +
                    ", error: " + regex.error());
}

INGOT_RUNTIME_OP(regex_full_match) {
  OpInput input = op.input(0);
  RE2 regex(op.input(1).text(0), RE2::Quiet);
  INGOT_RETURN_IF_ERROR(checkPattern(op, regex));
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<bool>(0, input.dims()));
  for (size_t i = 0; i < output.size(); ++i)
    output[i] = RE2::FullMatch(input.text(i), regex);
  return Status::ok();
}

// Implements RegexReplace and StaticRegexReplace. If the rewrite refers to a
// group that the pattern lacks, the text is left unchanged.
INGOT_RUNTIME_OP(regex_replace) {
  OpInput input = op.input(0);
  RE2 regex(op.input(1).text(0), RE2::Quiet);
  INGOT_RETURN_IF_ERROR(checkPattern(op, regex));
  std::string_view rewrite = op.input(2).text(0);
  bool all = op.flag("replace_global", true);
  INGOT_ASSIGN_OR_RETURN(auto output, op.output<ingot_string>(0, input.dims()));
  for (size_t i = 0; i < output.size(); ++i) {
    std::string text(input.text(i));
    if (all)
      RE2::GlobalReplace(&text, regex, rewrite);
    else
      RE2::Replace(&text, regex, rewrite);
    INGOT_ASSIGN_OR_RETURN(output[i], op.string(text));
  }
  return Status::ok();
}
