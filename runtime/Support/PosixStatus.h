//===- PosixStatus.h - Errors of the system as Status -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
#ifndef INGOT_RUNTIME_SUPPORT_POSIXSTATUS_H
#define INGOT_RUNTIME_SUPPORT_POSIXSTATUS_H

#include "runtime/Support/Status.h"

#include <string>

namespace ingot {

/// Returns a failure "cannot WHAT 'PATH': ..." that ends in the description of
/// `error`, an errno.
Status posixFailure(int error, const char *what, const std::string &path);

} // namespace ingot

#endif // INGOT_RUNTIME_SUPPORT_POSIXSTATUS_H
