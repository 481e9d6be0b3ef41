//===- SharedMemoryCollective.cpp - Ranks of one machine ------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/SharedMemoryCollective.h"

#include "runtime/Collective/RankPolling.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <sys/random.h>
#include <unistd.h>

using namespace ingot;

/// The first bytes of a rank's control block. The locations of messages follow:
/// for each rank that of an odd call's message, then those of an even call's.
struct SharedMemoryCollective::ControlBlock {
  uint64_t token; // a random number, by which other ranks know the block
  alignas(64) uint64_t calls;
  alignas(64) std::byte locations[];
};

/// Where other ranks find the control block of a rank.
struct SharedMemoryCollective::Greeting {
  int64_t process = 0, descriptor = -1;
  uint64_t token = 0;
};

/// Another rank: its control block, and its files.
class SharedMemoryCollective::Peer {
public:
  explicit Peer(int64_t process) : files(process) {}

  std::optional<SharedFileMapping> control;
  PeerMessageMemory files;
};

/// Returns where a control block has the location of the message that call
/// `call` sends to rank `to`.
static std::byte *locationIn(std::byte *locations, uint64_t call, unsigned to,
                             unsigned ranks) {
  return locations + (call % 2 * ranks + to) * sizeof(SharedMessageLocation);
}

template <typename ControlBlockT>
static std::atomic_ref<uint64_t> callsOf(SharedFileMapping &control) {
  auto *block = reinterpret_cast<ControlBlockT *>(control.data());
  return std::atomic_ref<uint64_t>(block->calls);
}

SharedMemoryCollective::SharedMemoryCollective(CollectiveEngine *below)
    : below(below), limits(below->waitLimits()) {}

SharedMemoryCollective::~SharedMemoryCollective() = default;

size_t SharedMemoryCollective::controlBytes() const {
  return sizeof(ControlBlock) + 2 * size() * sizeof(SharedMessageLocation);
}

/// Creates this rank's control block and its first memory for messages. If that
/// fails, the greeting has no descriptor.
SharedMemoryCollective::Greeting SharedMemoryCollective::greet() {
  Greeting greeting;
  if (!memory.createFirstFile().isOk())
    return greeting;
  auto created = SharedFileMapping::create(controlBytes());
  if (!created || ::getrandom(&greeting.token, sizeof greeting.token, 0) !=
                      static_cast<ssize_t>(sizeof greeting.token))
    return greeting;
  control.emplace(std::move(*created));
  greeting.process = ::getpid();
  greeting.descriptor = control->descriptor();
  std::memcpy(control->data(), &greeting.token, sizeof greeting.token);
  return greeting;
}

/// Maps the control blocks of the other ranks. Returns false if one of them
/// cannot be mapped, because it is on another machine or in another container.
bool SharedMemoryCollective::openPeers(std::span<const Greeting> greetings) {
  for (unsigned r = 0; r < size(); ++r) {
    peers.emplace_back(greetings[r].process);
    if (greetings[r].descriptor < 0)
      return false;
    if (r == rank())
      continue;
    auto opened = SharedFileMapping::open(
        greetings[r].process, greetings[r].descriptor, controlBytes());
    if (!opened || std::memcmp(opened->data(), &greetings[r].token,
                               sizeof greetings[r].token) != 0)
      return false;
    peers.back().control.emplace(std::move(*opened));
  }
  return true;
}

Status
SharedMemoryCollective::connect(std::unique_ptr<CollectiveEngine> &engine) {
  unsigned ranks = engine->size(), rank = engine->rank();
  if (ranks == 1)
    return Status::ok();
  std::unique_ptr<SharedMemoryCollective> shared(
      new SharedMemoryCollective(engine.get()));
  std::vector<Greeting> greetings(ranks);
  greetings[rank] = shared->greet();
  INGOT_RETURN_IF_ERROR(
      engine->gather(std::as_writable_bytes(std::span(greetings)),
                     std::vector<size_t>(ranks, sizeof(Greeting))));
  std::vector<uint8_t> isOpen(ranks);
  isOpen[rank] = shared->openPeers(greetings);
  INGOT_RETURN_IF_ERROR(
      engine->gather(std::as_writable_bytes(std::span(isOpen)),
                     std::vector<size_t>(ranks, sizeof(uint8_t))));
  if (std::find(isOpen.begin(), isOpen.end(), 0) != isOpen.end())
    return Status::ok();
  shared->owned = std::move(engine);
  engine = std::move(shared);
  return Status::ok();
}

/// Waits until a rank has begun the current call.
Status SharedMemoryCollective::waitFor(unsigned peer, RankPolling &polling) {
  constexpr unsigned pollsBetween = 64;
  std::atomic_ref<uint64_t> calls = callsOf<ControlBlock>(*peers[peer].control);
  for (unsigned polls = 1; calls.load(std::memory_order_acquire) < numCalls;
       ++polls) {
    INGOT_RETURN_IF_ERROR(polling.pause());
    // The rank may wait for bytes that this one has sent before.
    if (polls % pollsBetween == 0)
      INGOT_RETURN_IF_ERROR(progress());
  }
  return Status::ok();
}

/// Makes a call: tells the other ranks where this rank's messages are, waits
/// until they have told theirs, and returns these in `received`.
Status SharedMemoryCollective::call(const char *what,
                                    std::span<const SharedMessageLocation> sent,
                                    std::span<Bytes> received) {
  uint64_t number = ++numCalls;
  auto locationsOf = [](SharedFileMapping &block) {
    return reinterpret_cast<ControlBlock *>(block.data())->locations;
  };
  size_t bytes = 0;
  for (unsigned r = 0; r < size(); ++r) {
    std::memcpy(locationIn(locationsOf(*control), number, r, size()), &sent[r],
                sizeof sent[r]);
    bytes += sent[r].size;
  }
  callsOf<ControlBlock>(*control).store(number, std::memory_order_release);
  RankPolling polling(what, bytes, limits, &isAwaited);
  for (unsigned r = 0; r < size(); ++r) {
    if (r == rank())
      continue;
    Peer &peer = peers[r];
    INGOT_RETURN_IF_ERROR(waitFor(r, polling));
    SharedMessageLocation location;
    std::memcpy(&location,
                locationIn(locationsOf(*peer.control), number, rank(), size()),
                sizeof location);
    INGOT_ASSIGN_OR_RETURN(Bytes message, peer.files.map(location));
    if (message.size() != received[r].size())
      return Status(StatusCode::Internal,
                    "shared memory: the ranks disagree about a message's size");
    received[r] = message;
  }
  memory.freedIsUnread();
  return Status::ok();
}

Status SharedMemoryCollective::exchangeInPlace(std::span<const ConstBytes> send,
                                               std::span<Bytes> receive) {
  std::vector<SharedMessageLocation> sent;
  for (unsigned r = 0; r < size(); ++r)
    sent.push_back(memory.locationOf(r == rank() ? ConstBytes() : send[r]));
  return call("exchange", sent, receive);
}

Status SharedMemoryCollective::gather(Bytes all,
                                      std::span<const size_t> sizes) {
  // What fits into few of MPI's own buffers is faster there.
  constexpr size_t smallBytes = 64 << 10;
  if (all.size() < smallBytes)
    return below->gather(all, sizes);
  std::swap(gathered[0], gathered[1]);
  SharedBuffer &own = gathered[0];
  if (own.size < sizes[rank()]) {
    own.size = std::max(sizes[rank()], 2 * own.size);
    own.data = memory.allocate(own.size);
  }
  INGOT_RETURN_IF_ERROR(memory.status());
  size_t begin =
      std::accumulate(sizes.begin(), sizes.begin() + rank(), size_t(0));
  ConstBytes mine = {own.data.get(), sizes[rank()]};
  if (!mine.empty())
    std::memcpy(own.data.get(), all.data() + begin, mine.size());
  return gatherParts(mine, all, sizes, /*copiesMine=*/false);
}

Status SharedMemoryCollective::gatherFrom(ConstBytes mine, Bytes all,
                                          std::span<const size_t> sizes) {
  return gatherParts(mine, all, sizes, /*copiesMine=*/true);
}

/// Copies the parts of all ranks to `all`, from memory that they share. That of
/// this rank is in `mine`; with `copiesMine`, it is not in `all` yet.
Status SharedMemoryCollective::gatherParts(ConstBytes mine, Bytes all,
                                           std::span<const size_t> sizes,
                                           bool copiesMine) {
  std::vector<Bytes> parts;
  size_t offset = 0;
  for (size_t bytes : sizes) {
    parts.push_back(all.subspan(offset, bytes));
    offset += bytes;
  }
  std::vector<Bytes> places = parts;
  std::vector<SharedMessageLocation> sent(size(), memory.locationOf(mine));
  INGOT_RETURN_IF_ERROR(call("gather", sent, parts));
  if (copiesMine && !mine.empty())
    std::memcpy(places[rank()].data(), mine.data(), mine.size());
  // Begin with the next rank, so that not all ranks read the same memory.
  for (unsigned i = 1; i < size(); ++i) {
    unsigned from = (rank() + i) % size();
    if (!parts[from].empty())
      std::memcpy(places[from].data(), parts[from].data(), parts[from].size());
  }
  return Status::ok();
}

Status SharedMemoryCollective::waitForReaders() {
  std::vector<Bytes> received(size());
  return call("exchange", std::vector<SharedMessageLocation>(size()), received);
}
