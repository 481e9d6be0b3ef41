//===- AdaNetSummariesHook.cpp - Curves of members and candidates ---------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/AdaNet/AdaNetSummariesHook.h"

#include "proto/Event.pb.h"
#include "runtime/Session/Session.h"
#include "runtime/Summary/EventFiles.h"
#include "runtime/Summary/Histogram.h"
#include "runtime/Support/DType.h"
#include "runtime/Support/Numeric.h"

#include <cmath>

using namespace ingot;
using namespace ingot::adanet;

static bool consume(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<SummaryName> adanet::parseSummaryName(std::string_view fetch) {
  SummaryName name;
  if (fetch.find(':') != std::string_view::npos)
    return std::nullopt;
  if (!consume(fetch, "./")) {
    bool isMember = fetch.starts_with("subnetwork/");
    if (!isMember && !fetch.starts_with("ensemble/"))
      return std::nullopt;
    size_t owner = fetch.find('/') + 1, end = fetch.find('/', owner);
    if (end == std::string_view::npos || end == owner)
      return std::nullopt;
    // The folder's name comes from the graph, which may be hostile: ".." would
    // lead out of the model directory.
    std::string_view folder = fetch.substr(owner, end - owner);
    if (folder == "." || folder == "..")
      return std::nullopt;
    name.folder = fetch.substr(0, end);
    fetch.remove_prefix(end + 1);
  }
  name.tag = fetch;
  return name.tag.empty() ? std::nullopt : std::optional(std::move(name));
}

AdaNetSummariesHook::AdaNetSummariesHook(FileSystem &fileSystem,
                                         std::string modelDirectory,
                                         std::function<double()> clock,
                                         SecondOrStepTimer timer,
                                         std::function<EventWriter *()> events,
                                         const ingot_entry &step)
    : fileSystem(fileSystem), modelDirectory(std::move(modelDirectory)),
      clock(std::move(clock)), timer(std::move(timer)),
      events(std::move(events)) {
  std::span<const ingot_tensor_spec> fetches = fetchesOf(step);
  for (size_t i = 0; i < fetches.size(); ++i) {
    auto name = parseSummaryName(fetches[i].name);
    if (name && isNumeric(fetches[i].dtype))
      summaries.emplace(i, std::move(*name));
  }
}

void AdaNetSummariesHook::leaveOut(std::string_view prefix) {
  std::erase_if(summaries, [&](const auto &summary) {
    return summary.second.folder.starts_with(prefix);
  });
}

// Removes points that a killed run wrote to the event files after its last
// checkpoint. The resumed run repeats the steps after that checkpoint, and so
// writes these points again.
Status AdaNetSummariesHook::afterCreateSession(SessionRunContext &context) {
  writers.clear();
  for (const auto &[fetch, summary] : summaries)
    if (!summary.folder.empty())
      INGOT_RETURN_IF_ERROR(dropEventsAfter(fileSystem, pathOf(summary.folder),
                                            context.globalStep - 1));
  return Status::ok();
}

Status AdaNetSummariesHook::beforeRun(SessionRunContext &context,
                                      SessionRunArgs &request) {
  dueAt = timer.isDue(context.globalStep + 1) ? context.globalStep : -1;
  return Status::ok();
}

Expected<EventWriter *> AdaNetSummariesHook::writerOf(const std::string &folder,
                                                      int64_t step) {
  if (folder.empty())
    return events();
  std::unique_ptr<EventWriter> &writer = writers[folder];
  if (!writer) {
    INGOT_ASSIGN_OR_RETURN(
        writer, EventWriter::create(fileSystem, pathOf(folder), clock));
    INGOT_RETURN_IF_ERROR(writer->addStart(step));
  }
  return writer.get();
}

/// Makes a histogram of a tensor's elements. NaN and infinite elements are left
/// out.
static SummaryValue histogramOf(const std::string &tag,
                                const ingot_tensor_spec &spec,
                                const void *data) {
  size_t count = 1;
  for (uint32_t i = 0; i < spec.rank; ++i)
    count *= static_cast<size_t>(spec.dims[i]);
  Histogram histogram;
  for (size_t i = 0; i < count; ++i) {
    double number =
        elementAsDouble(spec.dtype, static_cast<const char *>(data) +
                                        i * dtypeSize(spec.dtype));
    if (std::isfinite(number))
      histogram.add(number);
  }
  proto::Summary::Value value;
  value.set_tag(tag);
  histogram.write(*value.mutable_histo());
  return {-1, value.SerializeAsString()};
}

Status AdaNetSummariesHook::afterRun(SessionRunContext &context,
                                     const SessionRunValues &values) {
  if (dueAt < 0)
    return Status::ok();
  timer.done(context.globalStep);
  std::map<std::string, EventFileSummaries> folders;
  for (const auto &[fetch, summary] : summaries) {
    const ingot_tensor_spec &spec = values.step.fetches()[fetch];
    const void *data = values.step.fetch(fetch);
    EventFileSummaries &points = folders[summary.folder];
    if (spec.rank != 0) {
      points.values.push_back(histogramOf(summary.tag, spec, data));
      continue;
    }
    auto value = static_cast<float>(elementAsDouble(spec.dtype, data));
    // The fraction of a mixture weight is 0/0 if all weights are 0 (AN-164). It
    // is written as 0 instead of NaN.
    if (std::isnan(value) &&
        summary.tag.starts_with("mixture_weight_fractions"))
      value = 0;
    points.scalars.push_back({summary.tag, value});
  }
  for (const auto &[folder, points] : folders) {
    INGOT_ASSIGN_OR_RETURN(EventWriter * writer, writerOf(folder, dueAt));
    if (!points.scalars.empty())
      INGOT_RETURN_IF_ERROR(writer->addScalars(dueAt, points.scalars));
    INGOT_RETURN_IF_ERROR(writer->addValues(dueAt, points.values));
  }
  return Status::ok();
}
