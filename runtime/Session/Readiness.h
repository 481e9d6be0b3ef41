//===- Readiness.h - Whether a session may run ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SESSION_READINESS_H
#define INGOT_RUNTIME_SESSION_READINESS_H

#include "runtime/Session/Session.h"

#include <string>

namespace ingot {

/// Runs the program's ready entry of `role` (ready or ready_for_local_init) and
/// returns why the model isn't ready, "" if it is. TensorFlow's rule: it is
/// ready where the entry returns nothing, an int32 or an empty tensor; names
/// that it returns are those of variables without a value. Without a ready
/// entry, every variable must have a value. Fails where the entry fails, other
/// than by reading a variable without a value.
Expected<std::string> whyNotReady(Session &session, ingot_role role);

/// The variables without a value and the device of the cluster that the graph
/// places them on: "w, b on /job:ps/task:0; global_step". "" if all have one.
std::string listUninitialized(Session &session);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_READINESS_H
