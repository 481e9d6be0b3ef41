//===- RankGroup.cpp - Steps of several processes in lock-step ------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/RankGroup.h"

#include "runtime/Session/StopSignals.h"
#include "runtime/Support/ThreadActivity.h"

#include <cstring>
#include <numeric>

using namespace ingot;

std::string RankGroup::nameOf(unsigned rank) const {
  return "rank " + std::to_string(rank) + " (" + hosts[rank] + ")";
}

// Ranks exchange a RankStopVote as 64 bits: the signal, three flags, the flags
// of the rank's observer, and the step. Rank 0 sets the flag `repeats` if all
// ranks have to vote once more before the next step.
static constexpr unsigned signalBits = 8, observedShift = signalBits + 3,
                          stepShift = observedShift + 8;
static constexpr uint64_t stops = 1 << signalBits, ended = stops << 1,
                          repeats = ended << 1;

static uint64_t wordOf(const RankStopVote &word) {
  return static_cast<uint64_t>(word.step) << stepShift |
         (word.inputEnded ? ended : 0) | (word.stops ? stops : 0) |
         static_cast<uint64_t>(word.signal);
}

/// Fails if the votes of the ranks before this step contradict each other.
Status RankGroup::compare(std::span<const uint64_t> words) const {
  auto stepOf = [&](unsigned r) {
    return std::to_string(words[r] >> stepShift);
  };
  // A rank whose input has ended has not completed the last step. So it is one
  // step behind the ranks whose input has not ended.
  for (unsigned r = 1; r < size(); ++r)
    if ((words[r] & ended) != (words[0] & ended)) {
      unsigned shorter = words[0] & ended ? 0 : r, longer = r - shorter;
      return Status(StatusCode::FailedPrecondition,
                    "the input of " + nameOf(shorter) + " has ended at step " +
                        stepOf(shorter) + ", that of " + nameOf(longer) +
                        " has not: all ranks have to read the same data");
    }
  for (unsigned r = 1; r < size(); ++r)
    if (words[r] >> stepShift != words[0] >> stepShift)
      return Status(StatusCode::Internal,
                    nameOf(r) + " is at step " + stepOf(r) + ", but " +
                        nameOf(0) + " at step " + stepOf(0) +
                        ": start all ranks again, with the same checkpoint");
  return Status::ok();
}

/// Returns the votes of all ranks, after the observers have acted on them. If
/// `again` is true on rank 0, all ranks have to vote once more before the next
/// step: rank 0 by another call of vote(), the other ranks during this call.
Expected<std::vector<uint64_t>> RankGroup::vote(const RankStopVote &mine,
                                                bool again) {
  ThreadActivity::ActivityScope activity("waits for other ranks", nullptr);
  std::vector<uint64_t> words(size());
  do {
    uint64_t observed = 0;
    for (RankVoteObserver *observer : observers)
      observed |= observer->flags();
    words[rank()] =
        wordOf(mine) | (again ? repeats : 0) | observed << observedShift;
    setPhase(RankPhase::Waiting);
    INGOT_RETURN_IF_ERROR(
        collective.gather(std::as_writable_bytes(std::span(words)),
                          std::vector<size_t>(size(), sizeof(uint64_t))));
    setPhase(RankPhase::BetweenSteps);
    std::vector<uint8_t> flags;
    for (uint64_t word : words)
      flags.push_back(static_cast<uint8_t>(word >> observedShift));
    for (RankVoteObserver *observer : observers)
      INGOT_RETURN_IF_ERROR(observer->voted(flags));
  } while (!isFirst() && (words[0] & repeats) != 0);
  return words;
}

Status RankGroup::voteBetween() {
  return vote({lastStep()}, /*again=*/true).takeStatus();
}

Status RankGroup::endVotes() {
  return vote({lastStep()}, /*again=*/false).takeStatus();
}

Expected<bool> RankGroup::stopsAny(const RankStopVote &mine) {
  INGOT_ASSIGN_OR_RETURN(std::vector<uint64_t> words,
                         vote(mine, /*again=*/false));
  INGOT_RETURN_IF_ERROR(compare(words));
  bool stopsAny = false;
  for (unsigned r = 0; r < size(); ++r) {
    int signal = static_cast<int>(words[r] & (stops - 1));
    if (signal != 0 && theSignal == 0) {
      theSignal = signal;
      theSignalled = r;
    }
    stopsAny |= (words[r] & stops) != 0 || signal != 0;
  }
  step = mine.step;
  return stopsAny;
}

Expected<std::string> RankGroup::share(std::string text) {
  uint64_t length = text.size();
  INGOT_RETURN_IF_ERROR(
      collective.broadcast(std::as_writable_bytes(std::span(&length, 1)), 0));
  text.resize(length);
  INGOT_RETURN_IF_ERROR(
      collective.broadcast(std::as_writable_bytes(std::span(text)), 0));
  return text;
}

Expected<std::vector<std::string>>
RankGroup::gatherTexts(const std::string &mine) {
  std::vector<size_t> sizes(size()), words(size(), sizeof(size_t));
  sizes[rank()] = mine.size();
  INGOT_RETURN_IF_ERROR(
      collective.gather(std::as_writable_bytes(std::span(sizes)), words));
  std::vector<size_t> offsets(size() + 1);
  std::partial_sum(sizes.begin(), sizes.end(), offsets.begin() + 1);
  std::string all(offsets.back(), '\0');
  mine.copy(all.data() + offsets[rank()], mine.size());
  INGOT_RETURN_IF_ERROR(
      collective.gather(std::as_writable_bytes(std::span(all)), sizes));
  std::vector<std::string> texts;
  for (unsigned r = 0; r < size(); ++r)
    texts.push_back(all.substr(offsets[r], sizes[r]));
  return texts;
}

Status RankGroup::waitForAll() {
  ThreadActivity::ActivityScope activity("waits for other ranks", nullptr);
  setPhase(RankPhase::Waiting);
  std::vector<std::byte> bytes(size());
  INGOT_RETURN_IF_ERROR(
      collective.gather(bytes, std::vector<size_t>(size(), 1)));
  setPhase(RankPhase::BetweenSteps);
  return Status::ok();
}

std::string ingot::packTexts(const std::vector<std::string> &texts) {
  std::string packed;
  for (const std::string &text : texts) {
    uint64_t length = text.size();
    packed.append(reinterpret_cast<const char *>(&length), sizeof length);
    packed += text;
  }
  return packed;
}

Expected<std::vector<std::string>> ingot::unpackTexts(std::string_view packed) {
  std::vector<std::string> texts;
  while (!packed.empty()) {
    uint64_t length = 0;
    if (packed.size() >= sizeof length) {
      std::memcpy(&length, packed.data(), sizeof length);
      packed.remove_prefix(sizeof length);
    } else {
      length = UINT64_MAX;
    }
    if (length > packed.size())
      return Status(StatusCode::DataLoss,
                    "a message from another rank is truncated");
    texts.emplace_back(packed.substr(0, length));
    packed.remove_prefix(length);
  }
  return texts;
}
