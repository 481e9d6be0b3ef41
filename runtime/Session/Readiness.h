//===- Readiness.h - Whether a session may run ------------------*- C++ -*-===//
#ifndef INGOT_RUNTIME_SESSION_READINESS_H
#define INGOT_RUNTIME_SESSION_READINESS_H

#include "runtime/Session/Session.h"

#include <string>

namespace ingot {

/// Runs the program's ready entry of `role` (ready or ready_for_local_init) and
/// returns why the model isn't ready, "" where it is. TensorFlow's rule: it is
/// ready where the entry gives nothing, an int32 or an empty tensor; names that
/// it gives are those of variables without a value. A program without a ready
/// entry is asked for every variable's value. Fails where the entry fails,
/// other than by reading a variable without a value.
Expected<std::string> whyNotReady(Session &session, ingot_role role);

/// The variables without a value and which device of the cluster has them, as
/// the graph says: "w, b on /job:ps/task:0; global_step". "" where there is
/// none.
std::string listUninitialized(Session &session);

} // namespace ingot

#endif // INGOT_RUNTIME_SESSION_READINESS_H
