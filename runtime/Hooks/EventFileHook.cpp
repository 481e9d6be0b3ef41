//===- EventFileHook.cpp - The event file of a run ------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/EventFileHook.h"

#include "runtime/Summary/EventFiles.h"

using namespace ingot;

Status EventFileHook::afterCreateSession(SessionRunContext &context) {
  INGOT_RETURN_IF_ERROR(
      dropEventsAfter(fileSystem, directory, context.globalStep));
  INGOT_ASSIGN_OR_RETURN(writer,
                         EventWriter::create(fileSystem, directory, clock));
  if (metaGraph) {
    INGOT_ASSIGN_OR_RETURN(std::string graph, metaGraph());
    if (!graph.empty())
      INGOT_RETURN_IF_ERROR(writer->addMetaGraph(graph));
  }
  return writer->addStart(context.globalStep + 1);
}
