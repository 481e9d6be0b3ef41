//===- DeviceConnection.cpp - Connects the devices of ranks ---------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/DeviceConnection.h"

using namespace ingot;

namespace {

/// What a rank tells the others of its device. `problem` is "" if the device
/// can be connected.
struct RankDevice {
  std::string id, library, problem;
};

} // namespace

/// Gathers what all ranks tell of their devices, in the order of ranks.
static Expected<std::vector<RankDevice>> gatherDevices(RankGroup &ranks,
                                                       DeviceSession &device) {
  Expected<DevicePeer> own = device.peer();
  INGOT_ASSIGN_OR_RETURN(
      std::vector<std::string> texts,
      ranks.gatherTexts(
          packTexts(own ? std::vector{own->id, own->library, std::string()}
                        : std::vector{std::string(), std::string(),
                                      own.status().message()})));
  std::vector<RankDevice> devices;
  for (const std::string &text : texts) {
    INGOT_ASSIGN_OR_RETURN(std::vector<std::string> parts, unpackTexts(text));
    devices.push_back({parts[0], parts[1], parts[2]});
  }
  return devices;
}

/// Returns the first reason why the devices cannot be connected, or "".
static std::string findProblem(const RankGroup &ranks,
                               const std::vector<RankDevice> &devices) {
  for (unsigned rank = 0; rank < devices.size(); ++rank) {
    const RankDevice &device = devices[rank];
    if (!device.problem.empty())
      return ranks.nameOf(rank) + ": " + device.problem;
    if (device.library != devices[0].library)
      return ranks.nameOf(rank) + " has " + device.library + ", " +
             ranks.nameOf(0) + " has " + devices[0].library;
    for (unsigned other = 0; other < rank; ++other)
      if (device.id == devices[other].id &&
          ranks.hostOf(rank) == ranks.hostOf(other))
        return ranks.nameOf(other) + " and " + ranks.nameOf(rank) +
               " share a GPU";
  }
  return "";
}

Expected<std::unique_ptr<Collective>>
ingot::connectDevices(RankGroup &ranks, DeviceSession &device,
                      const std::string &way, SessionLogger &logger) {
  if (way == "host" || ranks.size() == 1)
    return std::unique_ptr<Collective>();
  INGOT_ASSIGN_OR_RETURN(std::vector<RankDevice> devices,
                         gatherDevices(ranks, device));
  std::string problem = findProblem(ranks, devices);
  if (problem.empty()) {
    auto connected = device.connect(ranks.engine(), ranks.waitLimits());
    if (connected && ranks.isFirst())
      logger.note("gradients are exchanged between the GPUs by " +
                  devices[0].library);
    // All ranks get the same FailedPrecondition, but not other failures.
    if (connected ||
        connected.status().code() != StatusCode::FailedPrecondition)
      return connected;
    problem = connected.status().message();
  }
  if (way == "nccl")
    return Status(StatusCode::FailedPrecondition,
                  "--exchange-through nccl: " + problem +
                      ": leave the flag out to exchange gradients through the "
                      "memory of the host");
  if (ranks.isFirst())
    logger.note("gradients are exchanged through the memory of the host (" +
                problem + ")");
  return std::unique_ptr<Collective>();
}
