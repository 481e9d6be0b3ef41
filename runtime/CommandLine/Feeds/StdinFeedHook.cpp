//===- StdinFeedHook.cpp - Feeds from standard input ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/CommandLine/Feeds/FeedFiles.h"
#include "runtime/Formats/Npy.h"
#include "runtime/Input/ByteStream.h"
#include "runtime/Session/Program.h"
#include "runtime/Session/StopSignals.h"

#include <algorithm>
#include <charconv>

using namespace ingot;

static constexpr const char *standardInput = "/dev/stdin";

struct StdinFeedHook::Stream {
  std::unique_ptr<input::ByteStream> bytes;
};

StdinFeedHook::StdinFeedHook(FileSystem &fileSystem, const ingot_entry &entry,
                             std::span<const std::string> given)
    : fileSystem(fileSystem) {
  for (const ingot_tensor_spec &spec : feedsOf(entry))
    if (std::none_of(given.begin(), given.end(), [&](const std::string &name) {
          return findTensor({&spec, 1}, name) == 0;
        }))
      specs.push_back(spec);
  frame.resize(specs.size());
}

StdinFeedHook::~StdinFeedHook() = default;

Expected<bool> StdinFeedHook::read() {
  if (!stream) {
    stream = std::make_unique<Stream>();
    INGOT_ASSIGN_OR_RETURN(
        stream->bytes, input::ByteStream::open(
                           fileSystem, standardInput, input::Compression::None,
                           1 << 20, [] { return StopSignals::caught() != 0; }));
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    auto value = readNpyFrame(*stream->bytes, specs[i], frame[i]);
    if (!value)
      return value.takeStatus().withContext(
          "frame " + std::to_string(skipped + taken + 1) +
          " of standard input");
    if (!*value && i == 0)
      return false;
    if (!*value)
      return Status(StatusCode::DataLoss,
                    "standard input ends in the middle of frame " +
                        std::to_string(skipped + taken + 1) + ": '" +
                        specs[i].name + "' is missing");
  }
  return true;
}

Status StdinFeedHook::beforeRun(SessionRunContext &, SessionRunArgs &request) {
  for (; skipped < 0; ++skipped) {
    INGOT_ASSIGN_OR_RETURN(bool more, read());
    if (!more)
      return Status(
          StatusCode::OutOfRange,
          "standard input ended within the frames that the checkpoint has "
          "already consumed: a resumed run must be given all frames again");
  }
  if (!hasFrame) {
    INGOT_ASSIGN_OR_RETURN(hasFrame, read());
  }
  if (!hasFrame)
    return Status(StatusCode::OutOfRange, "standard input has ended");
  for (size_t i = 0; i < specs.size(); ++i)
    request.feeds.push_back({specs[i].name, frame[i].tensor()});
  return Status::ok();
}

Status StdinFeedHook::afterRun(SessionRunContext &, const SessionRunValues &) {
  hasFrame = false;
  ++taken;
  return Status::ok();
}

Expected<std::string> StdinFeedHook::saveState() {
  return std::to_string(taken);
}

Status StdinFeedHook::restoreState(std::string_view state) {
  int64_t frames = 0;
  auto [end, error] =
      std::from_chars(state.data(), state.data() + state.size(), frames);
  if (error != std::errc() || end != state.data() + state.size() || frames < 0)
    return Status(
        StatusCode::DataLoss,
        "the checkpoint is damaged: its number of consumed frames (--feed @-) "
        "must be an integer, but is '" +
            std::string(state) + "'");
  // A session may be restored in a process that has already read some frames.
  // If the checkpoint needs these again, fail: a pipe cannot be read twice.
  if (frames < taken)
    return Status(StatusCode::FailedPrecondition,
                  "the checkpoint has consumed " + std::to_string(frames) +
                      " frames, but this run has already read " +
                      std::to_string(taken) +
                      " from standard input: restart the run, and the program "
                      "that writes to its standard input");
  skipped = taken - frames;
  taken = frames;
  return Status::ok();
}
