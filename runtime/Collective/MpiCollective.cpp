//===- MpiCollective.cpp - Ranks that an MPI launcher started -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/MpiCollective.h"

#include "runtime/Collective/RankPolling.h"
#include "runtime/Collective/SharedMemoryCollective.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

using namespace ingot;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

MpiCollective::MpiCollective(MpiLibrary library,
                             CollectiveEngineOptions options)
    : theLibrary(std::move(library)), options(std::move(options)),
      limits{this->options.timeoutSeconds, this->options.takesLonger,
             [this](const char *what) { return timedOut(what); }} {}

MpiCollective::~MpiCollective() {
  stops = true;
  ++given;
  given.notify_one();
  thread.join();
}

Expected<std::unique_ptr<MpiCollective>>
MpiCollective::start(MpiLibrary library, CollectiveEngineOptions options) {
  std::unique_ptr<MpiCollective> mpi(
      new MpiCollective(std::move(library), std::move(options)));
  INGOT_ASSIGN_OR_RETURN(
      mpi->thread, Thread::start("exchange", [&mpi = *mpi] { mpi.serve(); }));
  INGOT_RETURN_IF_ERROR(mpi->runOnThread([&] { return mpi->init(); }));
  return mpi;
}

Status MpiCollective::init() {
  int provided = 0, number = 0;
  const MpiLibrary::MpiAbiConstants &constants = theLibrary.constants;
  INGOT_RETURN_IF_ERROR(check(
      theLibrary.Init_thread(nullptr, nullptr, constants.serialized, &provided),
      "Init_thread"));
  isSerialized = provided >= constants.serialized;
  if (provided < constants.funneled)
    return Status(
        StatusCode::FailedPrecondition,
        theLibrary.version() +
            " does not support programs with threads (MPI_THREAD_FUNNELED): "
            "name another library with --mpi-library");
  INGOT_RETURN_IF_ERROR(check(
      theLibrary.Comm_set_errhandler(constants.world, constants.errorsReturn),
      "Comm_set_errhandler"));
  INGOT_RETURN_IF_ERROR(
      check(theLibrary.Comm_rank(constants.world, &number), "Comm_rank"));
  theRank = static_cast<unsigned>(number);
  INGOT_RETURN_IF_ERROR(
      check(theLibrary.Comm_size(constants.world, &number), "Comm_size"));
  theSize = static_cast<unsigned>(number);
  return Status::ok();
}

Status MpiCollective::finalize() {
  // MPI requires that MPI_Finalize is called by the thread that called
  // MPI_Init_thread.
  return runOnThread(
      [this] { return check(theLibrary.Finalize(), "Finalize"); });
}

//===----------------------------------------------------------------------===//
// The exchange thread
//===----------------------------------------------------------------------===//

/// The main loop of the exchange thread: runs the jobs that runOnThread()
/// passes to it.
void MpiCollective::serve() {
  for (uint32_t last = 0;;) {
    given.wait(last);
    if (abortCode != 0) {
      // Another thread that is in an MPI call holds `calling`, so wait for the
      // end of this call. That thread also sees `abortCode`, and may abort
      // first.
      std::lock_guard lock(calling);
      abortNow();
    }
    if (stops)
      return;
    last = given;
    result = (*job)();
    done = last;
    done.notify_one();
  }
}

/// Runs a job that calls MPI, and returns its result. If MPI permits calls by
/// any thread, one at a time, the job runs on the calling thread, which saves
/// two context switches.
Status MpiCollective::run(const std::function<Status()> &calls) {
  if (!isSerialized)
    return runOnThread(calls);
  std::lock_guard lock(calling);
  return calls();
}

/// Runs a job on the exchange thread, waits for it, and returns its result.
Status MpiCollective::runOnThread(const std::function<Status()> &calls) {
  job = &calls;
  uint32_t number = ++given;
  given.notify_one();
  for (uint32_t seen = done; seen != number; seen = done)
    done.wait(seen);
  return std::move(result);
}

void MpiCollective::abortNow() {
  theLibrary.Abort(theLibrary.constants.world, abortCode);
  // Some libraries return from MPI_Abort without ending the process.
  std::_Exit(abortCode);
}

void MpiCollective::endAll(int exitCode) {
  std::fflush(nullptr);
  // Give the launcher time to read the output of this process: it may drop
  // output that is still unread when the process ends.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  abortCode = exitCode;
  ++given;
  given.notify_one();
  // The exchange thread ends the process. But that thread may be in an MPI call
  // that never returns, so end the process here after five seconds.
  std::this_thread::sleep_for(std::chrono::seconds(5));
  std::_Exit(exitCode);
}

void MpiCollective::waitForErrorsOfLowerRanks() {
  letLowerRanksSpeak(theRank);
  if (theRank == 0 || !hasTimedOut)
    return;
  // After a timeout, let rank 0 report it, which ends this process. Rank 0 runs
  // into the same timeout, but up to a whole time limit later if it was busy
  // when this rank began to wait. This function returns if rank 0 itself is the
  // rank that does not answer.
  Clock::time_point start = Clock::now();
  while (options.isFirstRankAlive && options.isFirstRankAlive() &&
         secondsSince(start) < options.timeoutSeconds)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void MpiCollective::abort(const Status &why) {
  waitForErrorsOfLowerRanks();
  std::fprintf(stderr, "error: rank %u of %u on %s: %s\n", theRank, theSize,
               options.host.c_str(), why.message().c_str());
  endAll(1);
}

Status MpiCollective::check(int error, const char *function) const {
  return error == 0 ? Status::ok() : theLibrary.statusOf(error, function);
}

/// Returns the address at which the next request of the current call is stored.
void *MpiCollective::nextRequest() {
  size_t size = theLibrary.constants.requestBytes;
  requests.resize((numRequests + 1) * size);
  return requests.data() + numRequests++ * size;
}

/// Calls `post(offset, count)` for each message of a transfer. A message has at
/// most `piece` bytes.
template <typename PostT>
static Status inPieces(size_t bytes, size_t piece, PostT post) {
  for (size_t at = 0; at < bytes; at += piece)
    INGOT_RETURN_IF_ERROR(
        post(at, static_cast<int>(std::min(bytes - at, piece))));
  return Status::ok();
}

/// All messages have the same tag, as MPI keeps the order of messages between
/// two ranks.
static constexpr int theTag = 1;

Status MpiCollective::postSends(ConstBytes bytes, unsigned to) {
  const MpiLibrary::MpiAbiConstants &constants = theLibrary.constants;
  return inPieces(bytes.size(), pieceBytes, [&](size_t at, int count) {
    return check(theLibrary.Isend(bytes.data() + at, count, constants.byte,
                                  static_cast<int>(to), theTag, constants.world,
                                  nextRequest()),
                 "Isend");
  });
}

Status MpiCollective::postReceives(Bytes bytes, unsigned from) {
  const MpiLibrary::MpiAbiConstants &constants = theLibrary.constants;
  return inPieces(bytes.size(), pieceBytes, [&](size_t at, int count) {
    return check(theLibrary.Irecv(bytes.data() + at, count, constants.byte,
                                  static_cast<int>(from), theTag,
                                  constants.world, nextRequest()),
                 "Irecv");
  });
}

Status MpiCollective::postBroadcasts(Bytes bytes, unsigned root) {
  const MpiLibrary::MpiAbiConstants &constants = theLibrary.constants;
  return inPieces(bytes.size(), pieceBytes, [&](size_t at, int count) {
    return check(theLibrary.Ibcast(bytes.data() + at, count, constants.byte,
                                   static_cast<int>(root), constants.world,
                                   nextRequest()),
                 "Ibcast");
  });
}

/// Waits for the requests of a call that transfers about `bytes` bytes. Most
/// MPI libraries make progress only while they are polled.
Status MpiCollective::wait(const char *what, size_t bytes) {
  RankPolling polling(what, bytes, limits, &isAwaited);
  while (true) {
    int isDone = 0;
    INGOT_RETURN_IF_ERROR(
        check(theLibrary.Testall(static_cast<int>(numRequests), requests.data(),
                                 &isDone, theLibrary.constants.statusesIgnore),
              "Testall"));
    if (isDone) {
      numRequests = 0;
      return Status::ok();
    }
    if (abortCode != 0)
      abortNow();
    INGOT_RETURN_IF_ERROR(polling.pause());
  }
}

Status MpiCollective::progress() {
  return run([this] {
    int found = 0;
    alignas(std::max_align_t) std::byte status[256]; // larger than MPI_Status
    return check(theLibrary.Iprobe(static_cast<int>(theRank), theTag,
                                   theLibrary.constants.world, &found, status),
                 "Iprobe");
  });
}

Status MpiCollective::timedOut(const char *what) {
  hasTimedOut = true;
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", options.timeoutSeconds);
  std::string late = options.whoIsLate ? options.whoIsLate() : "";
  return Status(StatusCode::DeadlineExceeded,
                "other ranks did not answer within " + std::string(seconds) +
                    " s (" + what + ")" + (late.empty() ? "" : ": " + late));
}

//===----------------------------------------------------------------------===//
// The operations of a Collective
//===----------------------------------------------------------------------===//

Status MpiCollective::exchange(std::span<const ConstBytes> send,
                               std::span<const Bytes> receive) {
  return run([&] {
    size_t bytes = 0;
    // Each rank sends to the next higher rank first, so that not all ranks send
    // to the same rank at once.
    for (unsigned step = 1; step < theSize; ++step) {
      unsigned from = (theRank + theSize - step) % theSize;
      INGOT_RETURN_IF_ERROR(postReceives(receive[from], from));
      bytes += receive[from].size();
    }
    for (unsigned step = 1; step < theSize; ++step) {
      unsigned to = (theRank + step) % theSize;
      INGOT_RETURN_IF_ERROR(postSends(send[to], to));
      bytes += send[to].size();
    }
    return wait("exchange", bytes);
  });
}

Status MpiCollective::gather(Bytes all, std::span<const size_t> sizes) {
  if (theSize == 1)
    return Status::ok();
  return run([&] {
    if (all.size() >= 2 * pieceBytes) {
      // The total may exceed the int offsets of MPI_Allgatherv, so broadcast
      // each rank's bytes separately.
      size_t offset = 0;
      for (unsigned root = 0; root < theSize; ++root) {
        INGOT_RETURN_IF_ERROR(
            postBroadcasts(all.subspan(offset, sizes[root]), root));
        offset += sizes[root];
      }
      return wait("gather", all.size());
    }
    std::vector<int> counts, offsets;
    int offset = 0;
    for (size_t size : sizes) {
      counts.push_back(static_cast<int>(size));
      offsets.push_back(offset);
      offset += counts.back();
    }
    const MpiLibrary::MpiAbiConstants &constants = theLibrary.constants;
    INGOT_RETURN_IF_ERROR(check(
        theLibrary.Iallgatherv(constants.inPlace, 0, constants.byte, all.data(),
                               counts.data(), offsets.data(), constants.byte,
                               constants.world, nextRequest()),
        "Iallgatherv"));
    return wait("gather", all.size());
  });
}

Status MpiCollective::broadcast(Bytes bytes, unsigned root) {
  if (theSize == 1)
    return Status::ok();
  return run([&] {
    INGOT_RETURN_IF_ERROR(postBroadcasts(bytes, root));
    return wait("broadcast", bytes.size());
  });
}

static Expected<std::unique_ptr<CollectiveEngine>>
startMpi(const CollectiveEngineOptions &options) {
  INGOT_ASSIGN_OR_RETURN(
      MpiLibrary library,
      MpiLibrary::load(
          MpiLibrary::candidates(options.library, [](const char *name) {
            return static_cast<const char *>(std::getenv(name));
          })));
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<CollectiveEngine> engine,
                         MpiCollective::start(std::move(library), options));
  return engine;
}

extern "C" const CollectiveEngineFactory ingot_engine_mpi;
constinit const CollectiveEngineFactory ingot_engine_mpi = {
    startMpi, SharedMemoryCollective::connect};
