//===- ModelReadiness.h - Whether the model is ready to run -----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_MODELREADINESS_H
#define INGOT_RUNTIME_SESSION_MODELREADINESS_H

#include "runtime/Session/Session.h"
#include "runtime/Session/SessionLogger.h"

#include <string>

namespace ingot {

/// Runs the program's entry of role ready or ready_for_local_init (`role`), and
/// returns why the model is not ready, or "" if it is. As in TensorFlow, the
/// model is ready if each fetch of the entry is an int32 or has no elements;
/// the elements of a string fetch are names of variables without a value. If
/// the program has no such entry, every variable must have a value. If the
/// entry fails for another reason than reading a variable without a value,
/// warns as TensorFlow does and returns the error.
Expected<std::string> whyNotReady(Session &session, ingot_role role,
                                  SessionLogger &reporter);

/// Lists the variables without a value, grouped by the device on which the
/// graph places them: "w, b on /job:ps/task:0; global_step". Returns "" if
/// every variable has a value. Local variables are left out.
std::string listUninitialized(Session &session);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_MODELREADINESS_H
