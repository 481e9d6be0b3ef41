//===- TargetPolicyOption.h - A policy as an option of passes ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// Passes take a target's policy as one option. Its text lists the fields that
// differ from the defaults, as TargetPolicy.def spells them, and the rewrites
// that are off:
//
//   -ingot-form-fusion-groups="policy={max-patch-depth=2304
//                              without=form-fusion-groups,block-k}"
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_CODEGEN_TARGETPOLICYOPTION_H
#define INGOT_CODEGEN_TARGETPOLICYOPTION_H

#include "codegen/TargetPolicy.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

namespace ingot {

/// Prints the text of a policy, in braces.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              const TargetPolicy &policy);

/// Sets the fields of `policy` that `text` lists.
llvm::Error parsePolicy(llvm::StringRef text, TargetPolicy &policy);

} // namespace ingot

namespace llvm::cl {

template <>
class parser<::ingot::TargetPolicy> final
    : public basic_parser<::ingot::TargetPolicy> {
public:
  using basic_parser::basic_parser;

  /// Returns true on an error, after printing it, as LLVM requires of every
  /// parser of an option.
  bool parse(Option &option, StringRef name, StringRef text,
             ::ingot::TargetPolicy &policy);
  StringRef getValueName() const override { return "{field=value ...}"; }
  void printOptionDiff(const Option &option, const ::ingot::TargetPolicy &,
                       const OptionValue<::ingot::TargetPolicy> &,
                       size_t width) const {
    printOptionNoValue(option, width);
  }
  void anchor() override;
};

} // namespace llvm::cl

#endif // INGOT_CODEGEN_TARGETPOLICYOPTION_H
