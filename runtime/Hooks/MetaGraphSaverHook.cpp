//===- MetaGraphSaverHook.cpp - The saver of a program without variables --===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/MetaGraphSaverHook.h"

using namespace ingot;

Status MetaGraphSaverHook::write(const SessionRunContext &context) {
  timer.done(context.globalStep);
  return checkpoints.saveGraph(context.globalStep);
}

Status MetaGraphSaverHook::afterCreateSession(SessionRunContext &context) {
  return write(context);
}

Status MetaGraphSaverHook::afterRun(SessionRunContext &context,
                                    const SessionRunValues &) {
  return timer.isDue(context.globalStep) ? write(context) : Status::ok();
}

Status MetaGraphSaverHook::end(SessionRunContext &context) {
  return context.globalStep == timer.lastStep() ? Status::ok() : write(context);
}
