//===- MpiCollective.cpp - Ranks that an MPI launcher started -------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/MpiCollective.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sched.h>

using namespace ingot;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

MpiCollective::MpiCollective(MpiLibrary library, EngineOptions options)
    : theLibrary(std::move(library)), options(std::move(options)) {
  thread = std::thread([this] { serve(); });
}

MpiCollective::~MpiCollective() {
  stops = true;
  ++given;
  given.notify_one();
  thread.join();
}

Expected<std::unique_ptr<MpiCollective>>
MpiCollective::start(MpiLibrary library, EngineOptions options) {
  std::unique_ptr<MpiCollective> mpi(
      new MpiCollective(std::move(library), std::move(options)));
  INGOT_RETURN_IF_ERROR(mpi->run([&] { return mpi->init(); }));
  return mpi;
}

Status MpiCollective::init() {
  int provided = 0, number = 0;
  const MpiLibrary::Constants &constants = theLibrary.constants;
  INGOT_RETURN_IF_ERROR(check(
      theLibrary.Init_thread(nullptr, nullptr, constants.funneled, &provided),
      "Init_thread"));
  if (provided < constants.funneled)
    return Status(StatusCode::FailedPrecondition,
                  theLibrary.version() +
                      " does not support programs with threads "
                      "(MPI_THREAD_FUNNELED)");
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
  return run([this] { return check(theLibrary.Finalize(), "Finalize"); });
}

//===----------------------------------------------------------------------===//
// The exchange thread
//===----------------------------------------------------------------------===//

/// Does the jobs that run() gives.
void MpiCollective::serve() {
  for (uint32_t last = 0;;) {
    given.wait(last);
    if (abortCode != 0)
      abortNow();
    if (stops)
      return;
    last = given;
    result = (*job)();
    done = last;
    done.notify_one();
  }
}

/// Has the exchange thread do a job, and returns its result.
Status MpiCollective::run(const std::function<Status()> &todo) {
  job = &todo;
  uint32_t number = ++given;
  given.notify_one();
  for (uint32_t seen = done; seen != number; seen = done)
    done.wait(seen);
  return std::move(result);
}

void MpiCollective::abortNow() {
  theLibrary.Abort(theLibrary.constants.world, abortCode);
  // A library whose Abort returns has not ended the process.
  std::_Exit(abortCode);
}

void MpiCollective::letLowerRanksSpeak() {
  // The launcher ends processes by SIGTERM, which must not be a request to stop
  // any more.
  for (int signal : {SIGINT, SIGTERM, SIGHUP})
    (void)std::signal(signal, SIG_DFL);
  // What endAll() takes, and launchers to act.
  constexpr unsigned milliseconds = 750, most = 8;
  std::this_thread::sleep_for(
      std::chrono::milliseconds(milliseconds * std::min(theRank, most)));
}

void MpiCollective::endAll(int exitCode) {
  std::fflush(nullptr);
  // Launchers read what this process has said, but may drop what they have not
  // read by the time that it ends.
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  abortCode = exitCode;
  ++given;
  given.notify_one();
  // The thread may be in a call that does not return.
  std::this_thread::sleep_for(std::chrono::seconds(5));
  std::_Exit(exitCode);
}

void MpiCollective::abort(const Status &why) {
  letLowerRanksSpeak();
  std::fprintf(stderr, "error: rank %u of %u on %s: %s\n", theRank, theSize,
               options.host.c_str(), why.message().c_str());
  endAll(1);
}

Status MpiCollective::check(int error, const char *function) const {
  return error == 0 ? Status::ok() : theLibrary.statusOf(error, function);
}

/// Returns where the next request of this call is stored.
void *MpiCollective::nextRequest() {
  size_t size = theLibrary.constants.requestBytes;
  requests.resize((numRequests + 1) * size);
  return requests.data() + numRequests++ * size;
}

/// Calls `post(offset, count)` for each message of at most `piece` bytes.
template <typename PostT>
static Status inPieces(size_t bytes, size_t piece, PostT post) {
  for (size_t at = 0; at < bytes; at += piece)
    INGOT_RETURN_IF_ERROR(
        post(at, static_cast<int>(std::min(bytes - at, piece))));
  return Status::ok();
}

/// All messages have one tag: those from one rank to another stay in order.
static constexpr int theTag = 1;

Status MpiCollective::postSends(ConstBytes bytes, unsigned to) {
  const MpiLibrary::Constants &constants = theLibrary.constants;
  return inPieces(bytes.size(), pieceBytes, [&](size_t at, int count) {
    return check(theLibrary.Isend(bytes.data() + at, count, constants.byte,
                                  static_cast<int>(to), theTag, constants.world,
                                  nextRequest()),
                 "Isend");
  });
}

Status MpiCollective::postReceives(Bytes bytes, unsigned from) {
  const MpiLibrary::Constants &constants = theLibrary.constants;
  return inPieces(bytes.size(), pieceBytes, [&](size_t at, int count) {
    return check(theLibrary.Irecv(bytes.data() + at, count, constants.byte,
                                  static_cast<int>(from), theTag,
                                  constants.world, nextRequest()),
                 "Irecv");
  });
}

Status MpiCollective::postBroadcasts(Bytes bytes, unsigned root) {
  const MpiLibrary::Constants &constants = theLibrary.constants;
  return inPieces(bytes.size(), pieceBytes, [&](size_t at, int count) {
    return check(theLibrary.Ibcast(bytes.data() + at, count, constants.byte,
                                   static_cast<int>(root), constants.world,
                                   nextRequest()),
                 "Ibcast");
  });
}

/// Waits for the requests of a call, which moves about so many bytes. Most
/// libraries move them only while they are asked whether they are done.
Status MpiCollective::wait(const char *what, size_t bytes) {
  constexpr unsigned spins = 100;
  // Short waits yield the core; longer ones sleep, but not while a transfer may
  // be going on at 100 MB/s or more.
  const double secondsAwake = 0.02 + static_cast<double>(bytes) * 1e-8;
  Clock::time_point start = Clock::now();
  for (unsigned tries = 0;; ++tries) {
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
    if (tries < spins)
      continue;
    double seconds = secondsSince(start);
    if (seconds > options.timeoutSeconds) {
      if (!options.takesLonger || !options.takesLonger())
        return timedOut(what);
      start = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(secondsAwake));
    }
    if (seconds < secondsAwake)
      ::sched_yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
}

Status MpiCollective::timedOut(const char *what) const {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", options.timeoutSeconds);
  std::string late = options.whoIsLate ? options.whoIsLate() : "";
  return Status(StatusCode::DeadlineExceeded,
                "other ranks did not answer within " + std::string(seconds) +
                    " s (" + what + ")" + (late.empty() ? "" : ": " + late));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Status MpiCollective::exchange(std::span<const ConstBytes> send,
                               std::span<const Bytes> receive) {
  return run([&] {
    size_t bytes = 0;
    // Each rank begins with the next one, so that not all send to the same.
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
      // Offsets are ints, so each rank's part is a message of its own.
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
    const MpiLibrary::Constants &constants = theLibrary.constants;
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

static Expected<std::unique_ptr<Engine>>
startMpi(const EngineOptions &options) {
  INGOT_ASSIGN_OR_RETURN(
      MpiLibrary library,
      MpiLibrary::load(
          MpiLibrary::candidates(options.library, [](const char *name) {
            return static_cast<const char *>(std::getenv(name));
          })));
  INGOT_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine,
                         MpiCollective::start(std::move(library), options));
  return engine;
}

extern "C" const EngineFunctions ingot_engine_mpi;
constinit const EngineFunctions ingot_engine_mpi = {startMpi};
