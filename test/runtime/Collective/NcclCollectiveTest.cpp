//===- NcclCollectiveTest.cpp - Moves bytes between GPUs ------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// Ranks are threads with an NCCL of their own, whose GPUs have their memory on
// the host. Calls only begin their work, as those of NCCL do.
//
//===----------------------------------------------------------------------===//

#include "runtime/Collective/NcclCollective.h"

#include "FakeCollective.h"

#include <atomic>
#include <cstring>
#include <deque>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <random>
#include <set>

using namespace ingot;

namespace {

constexpr int systemError = 2;

struct Operation {
  bool isSend;
  std::byte *data;
  size_t size;
  int peer;
  bool isDone = false;
};

/// The messages between ranks, and what tests ask for.
struct World {
  std::mutex mutex;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> messages;
  std::set<int> connected;
  std::atomic<int> communicators = 0; // that are not aborted
  /// Whether ranks that wait for others give up after their time limit.
  std::atomic<bool> isHopeless = true;
  int failingRank = -1, failingCall = 0, silentRank = -1, lostRank = -1;
};
World *world = nullptr;

thread_local int theRank = 0, numCalls = 0;
thread_local bool isInGroup = false;
thread_local std::vector<Operation> group;

/// Counts a call; returns whether it has to fail.
bool fails() {
  return ++numCalls == world->failingCall && theRank == world->failingRank;
}

} // namespace

/// The communicator of a rank, with the operations in its GPU's stream.
struct ingot::NcclCommunicator {
  int rank, ranks;
  bool isConnected = false;
  std::vector<Operation> accepted, stream;

  /// Runs what can be run of the stream's operations; returns whether all is
  /// done.
  bool isIdle() {
    std::lock_guard lock(world->mutex);
    bool isDone = rank != world->silentRank || stream.empty();
    for (Operation &operation : stream) {
      if (operation.isDone)
        continue;
      if (operation.isSend) {
        if (rank != world->silentRank)
          world->messages[{rank, operation.peer}].emplace_back(
              operation.data, operation.data + operation.size);
        operation.isDone = true;
        continue;
      }
      auto &waiting = world->messages[{operation.peer, rank}];
      if (waiting.empty()) {
        isDone = false;
        continue;
      }
      EXPECT_EQ(waiting.front().size(), operation.size);
      std::copy(waiting.front().begin(), waiting.front().end(), operation.data);
      waiting.pop_front();
      operation.isDone = true;
    }
    if (isDone)
      stream.clear();
    return isDone;
  }
};

namespace {

int post(bool isSend, const void *data, size_t size, int peer) {
  EXPECT_TRUE(isInGroup);
  if (fails())
    return systemError;
  group.push_back(
      {isSend, static_cast<std::byte *>(const_cast<void *>(data)), size, peer});
  return NcclLibrary::success;
}

NcclLibrary fakeLibrary() {
  using Library = NcclLibrary;
  Library nccl;
  nccl.version = "NCCL of a test";
  nccl.GetErrorString = [](int) { return "system error"; };
  nccl.GetLastError = [](Library::Comm) { return "of a test"; };
  nccl.GetUniqueId = [](Library::UniqueId *) {
    return fails() ? systemError : int(Library::success);
  };
  nccl.CommInitRankConfig = [](Library::Comm *comm, int ranks,
                               Library::UniqueId, int rank,
                               Library::Config *config) {
    if (fails())
      return systemError;
    EXPECT_EQ(config->blocking, 0);
    *comm = new NcclCommunicator{rank, ranks, false, {}, {}};
    ++world->communicators;
    std::lock_guard lock(world->mutex);
    if (rank != world->lostRank)
      world->connected.insert(rank);
    return int(Library::inProgress);
  };
  nccl.CommGetAsyncError = [](Library::Comm comm, int *error) {
    std::lock_guard lock(world->mutex);
    *error = Library::success;
    if (!comm->isConnected) {
      comm->isConnected =
          world->connected.size() == static_cast<size_t>(comm->ranks);
      if (!comm->isConnected)
        *error = Library::inProgress;
    } else if (!comm->accepted.empty()) {
      comm->stream = std::move(comm->accepted);
      comm->accepted.clear();
      *error = Library::inProgress;
    }
    return int(Library::success);
  };
  nccl.CommAbort = [](Library::Comm comm) {
    delete comm;
    --world->communicators;
    return int(Library::success);
  };
  nccl.GroupStart = [] {
    isInGroup = true;
    return fails() ? systemError : int(Library::success);
  };
  nccl.Send = [](const void *data, size_t count, int, int to, Library::Comm,
                 Library::Stream) { return post(true, data, count, to); };
  nccl.Recv = [](void *data, size_t count, int, int from, Library::Comm,
                 Library::Stream) { return post(false, data, count, from); };
  nccl.AllGather = [](const void *mine, void *all, size_t count, int,
                      Library::Comm comm, Library::Stream) {
    for (int rank = 0; rank < comm->ranks; ++rank) {
      if (rank == comm->rank)
        continue;
      auto *place =
          static_cast<std::byte *>(all) + static_cast<size_t>(rank) * count;
      if (post(true, mine, count, rank) || post(false, place, count, rank))
        return systemError;
    }
    return int(Library::success);
  };
  return nccl;
}

/// Connects a rank. The stream finds the communicator when it has one.
Expected<std::unique_ptr<NcclCollective>> connect(Collective &host,
                                                  double seconds = 60) {
  theRank = static_cast<int>(host.rank());
  numCalls = 0;
  isInGroup = false;
  group.clear();
  static thread_local NcclLibrary::Comm comm;
  comm = nullptr;
  NcclLibrary library = fakeLibrary();
  // The group of a thread belongs to the only communicator of the thread.
  static auto init = library.CommInitRankConfig;
  library.CommInitRankConfig = [](NcclLibrary::Comm *made, int ranks,
                                  NcclLibrary::UniqueId id, int rank,
                                  NcclLibrary::Config *config) {
    int result = init(made, ranks, id, rank, config);
    comm = *made;
    return result;
  };
  library.GroupEnd = [] {
    isInGroup = false;
    std::vector<Operation> ended = std::move(group);
    group.clear();
    if (fails())
      return systemError;
    comm->accepted = std::move(ended);
    return int(NcclLibrary::inProgress);
  };
  NcclStream stream;
  stream.enter = [] { return Status::ok(); };
  stream.isIdle = []() -> Expected<bool> { return comm->isIdle(); };
  WaitLimits limits;
  limits.seconds = seconds;
  limits.takesLonger = [] { return !world->isHopeless; };
  limits.timedOut = [](const char *what) {
    return Status(StatusCode::DeadlineExceeded, std::string("late: ") + what);
  };
  return NcclCollective::start(library, host, stream, limits);
}

/// The bytes that rank `from` sends to rank `to`; some messages are empty.
std::vector<std::byte> message(unsigned from, unsigned to) {
  std::vector<std::byte> bytes((from * 7 + to * 3) % 5 * 100);
  std::mt19937 random(from * 100 + to);
  for (std::byte &byte : bytes)
    byte = static_cast<std::byte>(random());
  return bytes;
}

Status exchangeAll(Collective &collective) {
  std::vector<std::vector<std::byte>> sent, received;
  std::vector<Collective::ConstBytes> send;
  std::vector<Collective::Bytes> receive;
  for (unsigned r = 0; r < collective.size(); ++r) {
    sent.push_back(message(collective.rank(), r));
    received.emplace_back(message(r, collective.rank()).size());
  }
  for (unsigned r = 0; r < collective.size(); ++r) {
    send.emplace_back(sent[r]);
    receive.emplace_back(received[r]);
  }
  INGOT_RETURN_IF_ERROR(collective.exchange(send, receive));
  for (unsigned r = 0; r < collective.size(); ++r)
    if (r != collective.rank())
      EXPECT_EQ(received[r], message(r, collective.rank()));
  return Status::ok();
}

/// Gathers `most` bytes of each rank or, unless `isEqual`, fewer of some.
Status gatherAll(Collective &collective, bool isEqual) {
  std::vector<size_t> sizes;
  std::vector<std::byte> expected, all;
  for (unsigned r = 0; r < collective.size(); ++r) {
    sizes.push_back(isEqual ? 64 : 64 * (r % 3));
    for (size_t i = 0; i < sizes[r]; ++i) {
      expected.push_back(static_cast<std::byte>(r + 1));
      all.push_back(static_cast<std::byte>(r == collective.rank() ? r + 1 : 0));
    }
  }
  INGOT_RETURN_IF_ERROR(collective.gather(all, sizes));
  EXPECT_EQ(all, expected);
  return Status::ok();
}

Status useAll(Collective &collective) {
  INGOT_RETURN_IF_ERROR(exchangeAll(collective));
  for (bool isEqual : {false, true})
    INGOT_RETURN_IF_ERROR(gatherAll(collective, isEqual));
  std::array<std::byte, 4> text = {};
  if (collective.rank() == 0)
    text.fill(std::byte(9));
  INGOT_RETURN_IF_ERROR(collective.broadcast(text, 0));
  EXPECT_EQ(text[3], std::byte(9));
  return Status::ok();
}

class NcclCollectiveTest : public testing::Test {
protected:
  void SetUp() override { world = &own; }
  void TearDown() override { EXPECT_EQ(own.communicators, 0); }
  World own;
};

} // namespace

TEST_F(NcclCollectiveTest, bytes_arrive_on_any_number_of_ranks) {
  for (unsigned ranks : {1u, 2u, 3u, 5u}) {
    own.connected.clear();
    FakeCollectives all(ranks);
    auto statuses = all.run([&](Collective &host) {
      INGOT_ASSIGN_OR_RETURN(auto nccl, connect(host));
      EXPECT_EQ(nccl->size(), ranks);
      for (int i = 0; i < 3; ++i)
        INGOT_RETURN_IF_ERROR(useAll(*nccl));
      // Ranks vote after a step, before they disconnect.
      std::vector<size_t> sizes(ranks, 0);
      return host.gather({}, sizes);
    });
    for (const Status &status : statuses)
      EXPECT_TRUE(status.isOk()) << status.message();
  }
}

/// Each call of a rank fails once. That rank says which; the others, whose
/// launcher would end them, notice it after the time limit at the latest. No
/// communicator is left, so that nothing waits in a GPU.
TEST_F(NcclCollectiveTest, each_failing_call_is_named) {
  for (int failingRank : {0, 1})
    for (int call = 1;; ++call) {
      own.connected.clear();
      own.messages.clear();
      own.failingRank = failingRank;
      own.failingCall = call;
      own.isHopeless = false;
      FakeCollectives all(2);
      int made = 0;
      auto statuses = all.run([&](Collective &host) {
        auto nccl = connect(host, /*seconds=*/0.03);
        Status status = nccl ? useAll(**nccl) : nccl.takeStatus();
        if (static_cast<int>(host.rank()) == failingRank)
          made = numCalls;
        if (!status.isOk())
          own.isHopeless = true;
        return status;
      });
      EXPECT_EQ(own.communicators, 0);
      if (made < call) { // there are fewer calls
        EXPECT_GT(call, 10);
        break;
      }
      const std::string &message =
          statuses[static_cast<size_t>(failingRank)].message();
      EXPECT_NE(message.find("nccl"), std::string::npos) << call << message;
      EXPECT_NE(message.find(" failed: system error (of a test)"),
                std::string::npos)
          << call << message;
    }
}

TEST_F(NcclCollectiveTest, a_rank_that_does_not_answer_is_a_failure_in_time) {
  own.silentRank = 1;
  own.isHopeless = false;
  FakeCollectives all(3);
  auto statuses = all.run([&](Collective &host) {
    INGOT_ASSIGN_OR_RETURN(auto nccl, connect(host, /*seconds=*/0.05));
    own.isHopeless = true;
    Status status = exchangeAll(*nccl);
    // Nothing is tried again.
    EXPECT_NE(exchangeAll(*nccl).message().find("an earlier call"),
              std::string::npos);
    return status;
  });
  for (const Status &status : statuses)
    EXPECT_EQ(status.message(), "late: exchange");
}

TEST_F(NcclCollectiveTest, a_rank_that_never_connects_is_a_failure_in_time) {
  own.lostRank = 1;
  FakeCollectives all(2);
  auto statuses = all.run([&](Collective &host) {
    auto nccl = connect(host, /*seconds=*/0.05);
    return nccl ? Status::ok() : nccl.takeStatus();
  });
  for (const Status &status : statuses)
    EXPECT_EQ(status.message(), "late: connection of GPUs");
}

/// So that they may do without NCCL.
TEST_F(NcclCollectiveTest, what_a_rank_is_refused_all_know) {
  for (int failingRank : {0, 1, 2}) {
    own.connected.clear();
    own.failingRank = failingRank;
    own.failingCall = failingRank == 0 ? 2 : 1; // CommInitRankConfig
    FakeCollectives all(3);
    auto statuses = all.run([&](Collective &host) {
      auto nccl = connect(host);
      return nccl ? Status::ok() : nccl.takeStatus();
    });
    for (const Status &status : statuses) {
      EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
      EXPECT_EQ(status.message(),
                "rank " + std::to_string(failingRank) +
                    ": ncclCommInitRankConfig failed: system error (of a "
                    "test)");
    }
  }
}

TEST(NcclLibraryTest, libraries_that_cannot_be_used_are_refused_by_name) {
  auto messageOf = [](const char *name) {
    Expected<NcclLibrary> library = NcclLibrary::load(name);
    EXPECT_FALSE(library);
    return library ? "" : library.status().message();
  };
  EXPECT_NE(messageOf("libno-nccl.so").find("cannot load libno-nccl.so ("),
            std::string::npos);
  EXPECT_EQ(messageOf("libm.so.6"), "libm.so.6 lacks function ncclGetVersion");
  EXPECT_EQ(messageOf(INGOT_LACKING_NCCL),
            INGOT_LACKING_NCCL " lacks function ncclCommInitRankConfig");
  EXPECT_EQ(messageOf(INGOT_OLD_NCCL), INGOT_OLD_NCCL
            " is NCCL 2.13.4; this program needs NCCL 2.14.0 or newer");
}
