//===- PolicyOption.td - A policy as an option of passes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The command-line option that gives a pass the policy of a target
// (TargetPolicy.h), such as the limits for fusion.
//
//===----------------------------------------------------------------------===//

#ifndef INGOT_CODEGEN_POLICYOPTION_TD
#define INGOT_CODEGEN_POLICYOPTION_TD

include "mlir/Pass/PassBase.td"

def Ingot_PolicyOption
    : Option<"policy", "policy", "::ingot::TargetPolicy", "::ingot::TargetPolicy()",
             "Fields of the target's policy that differ from the defaults (codegen/TargetPolicy.def)">;

#endif // INGOT_CODEGEN_POLICYOPTION_TD
