//===- NcclCollective.cpp - Moves bytes between GPUs ----------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Collective/NcclCollective.h"

#include "runtime/Collective/RankPolling.h"

#include <algorithm>
#include <array>
#include <vector>

using namespace ingot;

Expected<std::unique_ptr<NcclCollective>>
NcclCollective::start(NcclLibrary library, Collective &host, NcclStream stream,
                      WaitLimits limits) {
  std::unique_ptr<NcclCollective> nccl(new NcclCollective(
      std::move(library), host, std::move(stream), std::move(limits)));
  INGOT_RETURN_IF_ERROR(nccl->connect());
  return nccl;
}

NcclCollective::~NcclCollective() {
  if (comm && stream.enter().isOk())
    library.CommAbort(comm);
}

/// Begins to make the communicator.
Status NcclCollective::begin(const NcclLibrary::UniqueId &id) {
  INGOT_RETURN_IF_ERROR(stream.enter());
  NcclLibrary::Config config;
  config.blocking = 0;
  return check(library.CommInitRankConfig(&comm, static_cast<int>(size()), id,
                                          static_cast<int>(rank()), &config),
               "CommInitRankConfig");
}

/// Returns the failure of the lowest rank that has one, the same on all ranks.
Status NcclCollective::agree(const Status &own) {
  using Text = std::array<char, 512>;
  std::vector<Text> texts(size(), Text());
  own.message().copy(texts[rank()].data(), sizeof(Text) - 1);
  INGOT_RETURN_IF_ERROR(host.gather(std::as_writable_bytes(std::span(texts)),
                                    std::vector<size_t>(size(), sizeof(Text))));
  for (unsigned r = 0; r < size(); ++r)
    if (texts[r][0])
      return Status(StatusCode::FailedPrecondition,
                    "rank " + std::to_string(r) + ": " + texts[r].data());
  return Status::ok();
}

Status NcclCollective::connect() {
  struct {
    int result = NcclLibrary::success;
    NcclLibrary::UniqueId id = {};
  } shared;
  if (rank() == 0)
    shared.result = library.GetUniqueId(&shared.id);
  INGOT_RETURN_IF_ERROR(
      host.broadcast(std::as_writable_bytes(std::span(&shared, 1)), 0));
  Status status = check(shared.result, "GetUniqueId");
  // NCCL refuses at once to begin where a machine lacks what it needs. Ranks
  // that wait for the others in NCCL would learn of it after the time limit
  // only, so they agree before they wait.
  status = agree(status.isOk() ? begin(shared.id) : std::move(status));
  if (status.isOk())
    status = wait("connection of GPUs", /*waitsForStream=*/false);
  return status.isOk() ? status : fail(std::move(status));
}

Status NcclCollective::check(int result, const char *function) const {
  return result == NcclLibrary::success || result == NcclLibrary::inProgress
             ? Status::ok()
             : library.statusOf(result, function, comm);
}

/// Aborts the communicator after a failure, and returns the failure.
Status NcclCollective::fail(Status status) {
  if (comm)
    library.CommAbort(comm);
  comm = nullptr;
  return status;
}

/// Waits until the communicator has accepted the operations of a call and, if
/// `waitsForStream`, until the stream has run them.
Status NcclCollective::wait(const char *what, bool waitsForStream) {
  RankPolling polling(what, /*bytes=*/0, limits);
  while (true) {
    int state = NcclLibrary::success;
    INGOT_RETURN_IF_ERROR(
        check(library.CommGetAsyncError(comm, &state), "CommGetAsyncError"));
    INGOT_RETURN_IF_ERROR(check(state, "CommGetAsyncError"));
    if (state == NcclLibrary::success) {
      if (!waitsForStream)
        return Status::ok();
      INGOT_ASSIGN_OR_RETURN(bool isIdle, stream.isIdle());
      if (isIdle)
        return Status::ok();
    }
    INGOT_RETURN_IF_ERROR(polling.pause());
  }
}

Status NcclCollective::send(ConstBytes bytes, unsigned to) const {
  if (bytes.empty())
    return Status::ok();
  return check(library.Send(bytes.data(), bytes.size(), NcclLibrary::uint8,
                            static_cast<int>(to), comm, stream.handle),
               "Send");
}

Status NcclCollective::receive(Bytes bytes, unsigned from) const {
  if (bytes.empty())
    return Status::ok();
  return check(library.Recv(bytes.data(), bytes.size(), NcclLibrary::uint8,
                            static_cast<int>(from), comm, stream.handle),
               "Recv");
}

/// Runs the operations that `post` posts as one group, and waits for them.
Status NcclCollective::transfer(const char *what,
                                const std::function<Status()> &post) {
  if (!comm)
    return Status(StatusCode::FailedPrecondition,
                  std::string(what) + ": an earlier call of NCCL has failed");
  INGOT_RETURN_IF_ERROR(stream.enter());
  Status status = check(library.GroupStart(), "GroupStart");
  if (status.isOk()) {
    status = post();
    // A group is ended also after a failure, because it belongs to the thread.
    int result = library.GroupEnd();
    if (status.isOk())
      status = check(result, "GroupEnd");
  }
  if (status.isOk())
    status = wait(what, /*waitsForStream=*/true);
  return status.isOk() ? status : fail(std::move(status));
}

Status NcclCollective::exchange(std::span<const ConstBytes> sent,
                                std::span<const Bytes> received) {
  return transfer("exchange", [&] {
    for (unsigned step = 1; step < size(); ++step) {
      unsigned from = (rank() + size() - step) % size(),
               to = (rank() + step) % size();
      INGOT_RETURN_IF_ERROR(receive(received[from], from));
      INGOT_RETURN_IF_ERROR(send(sent[to], to));
    }
    return Status::ok();
  });
}

Status NcclCollective::gather(Bytes all, std::span<const size_t> sizes) {
  size_t begin = 0;
  for (unsigned r = 0; r < rank(); ++r)
    begin += sizes[r];
  ConstBytes mine = all.subspan(begin, sizes[rank()]);
  bool isEqual = std::all_of(sizes.begin(), sizes.end(), [&](size_t bytes) {
    return bytes == sizes.front();
  });
  return transfer("gather", [&] {
    if (isEqual)
      return mine.empty()
                 ? Status::ok()
                 : check(library.AllGather(mine.data(), all.data(), mine.size(),
                                           NcclLibrary::uint8, comm,
                                           stream.handle),
                         "AllGather");
    size_t at = 0;
    for (unsigned r = 0; r < size(); at += sizes[r++]) {
      if (r == rank())
        continue;
      INGOT_RETURN_IF_ERROR(receive(all.subspan(at, sizes[r]), r));
      INGOT_RETURN_IF_ERROR(send(mine, r));
    }
    return Status::ok();
  });
}

Status NcclCollective::broadcast(Bytes bytes, unsigned root) {
  return transfer("broadcast", [&] {
    if (rank() != root)
      return receive(bytes, root);
    for (unsigned r = 0; r < size(); ++r)
      if (r != root)
        INGOT_RETURN_IF_ERROR(send(bytes, r));
    return Status::ok();
  });
}
