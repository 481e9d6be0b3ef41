//===- Nccl.cpp - An NCCL for tests ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0
//
// A libnccl.so.2 between processes on one machine that use the tests' CUDA
// driver. Messages are files. As communicators of NCCL that do not block do,
// functions only begin their work: a communicator is connected, and a group of
// operations is in its stream, only when ncclCommGetAsyncError says so, and
// operations end when the stream is asked for it. The environment tells the
// library what to be:
//   INGOT_NCCL_FOLDER   where messages are stored
//   INGOT_NCCL_FAIL     RANK:FUNCTION:N:ERROR, the N-th call of a function (*:
//                       of any) that fails on a rank, and how
//   INGOT_NCCL_HANG     RANK:N, the first group of a rank that never ends
//   INGOT_NCCL_VERSION  the library's version (21803)
//   INGOT_NCCL_LOG      the file that gets counts of calls and bytes; the rank
//                       is appended to its name
//
//===----------------------------------------------------------------------===//

#include "runtime/Collective/NcclLibrary.h"
#include "test/Cuda/Driver.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using Library = ingot::NcclLibrary;
using Communicator = ingot::NcclCommunicator;

namespace {

enum : int { systemError = 2, invalidArgument = 4, invalidUsage = 5 };

std::string setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// The fields of a text that are separated by colons.
std::vector<std::string> fieldsOf(const std::string &text) {
  std::vector<std::string> fields(1);
  for (char c : text)
    if (c == ':')
      fields.emplace_back();
    else
      fields.back() += c;
  return fields;
}

} // namespace

/// A communicator, which is alive until it is aborted.
struct ingot::NcclCommunicator {
  int rank, ranks;
  std::string folder;
  bool isConnected = false, isAborted = false;
  /// For each pair of ranks, how many messages this rank has sent or received.
  std::map<std::pair<int, int>, uint64_t> messages;

  std::string fileOf(int from, int to) {
    return folder + "/" + std::to_string(from) + "-" + std::to_string(to) +
           "-" + std::to_string(messages[{from, to}]++);
  }
};

namespace {

struct Operation {
  std::shared_ptr<Communicator> comm;
  CUstream stream;
  std::byte *data;
  size_t size;
  bool isSend;
  std::string file;
  bool isDone = false;
};
using Group = std::vector<Operation>;

class Nccl {
public:
  static Nccl &get() {
    static Nccl nccl;
    return nccl;
  }
  ~Nccl();

  /// Counts a call, and returns the result with which it is to fail, or 0.
  int begin(const std::string &function) {
    ++calls[function];
    ++calls["*"];
    std::vector<std::string> fail = fieldsOf(setting("INGOT_NCCL_FAIL"));
    bool fails = fail.size() == 4 && std::stoi(fail[0]) == rank &&
                 (fail[1] == function || fail[1] == "*") &&
                 calls[fail[1]] == std::stoull(fail[2]);
    return fails ? std::stoi(fail[3]) : 0;
  }

  std::shared_ptr<Communicator> find(Library::Comm comm) {
    for (const std::shared_ptr<Communicator> &known : comms)
      if (known.get() == comm)
        return known;
    return nullptr;
  }

  int rank = 0;
  std::map<std::string, uint64_t> calls, counts;
  std::vector<std::shared_ptr<Communicator>> comms;
  int depth = 0;
  Group open; // the operations of the group that is not ended yet
  std::vector<Group> accepted; // groups that are not in their stream yet
  uint64_t numGroups = 0;
};

Nccl::~Nccl() {
  std::string path = setting("INGOT_NCCL_LOG");
  if (path.empty() || calls.empty())
    return;
  std::ofstream log(path + "-" + std::to_string(rank));
  for (const auto &[function, count] : calls)
    log << "called " << function << " " << count << "\n";
  for (const auto &[what, count] : counts)
    log << "counted " << what << " " << count << "\n";
  if (!comms.empty())
    log << "leaked communicator " << comms.size() << "\n";
}

/// Does what it can of an operation: a message that has not come yet is asked
/// for again.
CUresult progress(Operation &operation) {
  if (operation.isSend) {
    std::string temporary = operation.file + "~";
    std::ofstream(temporary, std::ios::binary)
        .write(reinterpret_cast<const char *>(operation.data),
               static_cast<std::streamsize>(operation.size));
    if (std::rename(temporary.c_str(), operation.file.c_str()) != 0)
      return CUDA_ERROR_UNKNOWN;
    operation.isDone = true;
    return CUDA_SUCCESS;
  }
  std::ifstream file(operation.file, std::ios::binary);
  if (!file)
    return CUDA_ERROR_NOT_READY;
  file.read(reinterpret_cast<char *>(operation.data),
            static_cast<std::streamsize>(operation.size));
  if (file.gcount() != static_cast<std::streamsize>(operation.size) ||
      file.peek() != EOF) {
    std::fprintf(stderr, "NCCL of tests: a message has another length\n");
    return CUDA_ERROR_UNKNOWN;
  }
  std::remove(operation.file.c_str());
  operation.isDone = true;
  return CUDA_SUCCESS;
}

CUresult progress(Group &group, bool hangs) {
  CUresult result = hangs ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
  for (Operation &operation : group) {
    if (operation.comm->isAborted)
      return CUDA_SUCCESS;
    if (operation.isDone)
      continue;
    CUresult error = progress(operation);
    if (error == CUDA_ERROR_NOT_READY)
      result = error;
    else if (error)
      return error;
  }
  return result;
}

/// Puts a group into its stream. Fails if its memory is not the driver's, or if
/// the work of another stream on it is not ordered.
int enqueue(Group group) {
  Nccl &nccl = Nccl::get();
  Driver &driver = Driver::get();
  std::lock_guard lock(driver.mutex);
  CUstream stream = group.front().stream;
  for (Operation &operation : group) {
    auto address = reinterpret_cast<CUdeviceptr>(operation.data);
    if (checkWork(stream, address, operation.size) ||
        !driver.isOrdered(stream, operation.data, !operation.isSend, "NCCL"))
      return invalidArgument;
    nccl.counts[operation.isSend ? "bytes sent" : "bytes received"] +=
        operation.size;
  }
  std::vector<std::string> hang = fieldsOf(setting("INGOT_NCCL_HANG"));
  bool hangs = hang.size() == 2 && std::stoi(hang[0]) == nccl.rank &&
               ++nccl.numGroups >= std::stoull(hang[1]);
  stream->work.push_back([group = std::move(group), hangs]() mutable {
    return progress(group, hangs);
  });
  return Library::success;
}

int addOperation(const char *function, Library::Comm comm, int peer,
                 const void *data, size_t count, int type,
                 Library::Stream stream, bool isSend) {
  Nccl &nccl = Nccl::get();
  if (int error = nccl.begin(function))
    return error;
  std::shared_ptr<Communicator> known = nccl.find(comm);
  if (!known || !known->isConnected || type != Library::uint8 || peer < 0 ||
      peer >= known->ranks)
    return invalidArgument;
  if (nccl.depth == 0)
    return invalidUsage; // tests use groups only
  int own = known->rank;
  nccl.open.push_back(
      {known, static_cast<CUstream>(stream),
       static_cast<std::byte *>(const_cast<void *>(data)), count, isSend,
       isSend ? known->fileOf(own, peer) : known->fileOf(peer, own)});
  return Library::success;
}

} // namespace

#define INGOT_NCCL_EXPORT extern "C" __attribute__((visibility("default"))) int

INGOT_NCCL_EXPORT ncclGetVersion(int *version) {
  std::string told = setting("INGOT_NCCL_VERSION");
  *version = told.empty() ? 21803 : std::stoi(told);
  return Library::success;
}

extern "C" __attribute__((visibility("default"))) const char *
ncclGetErrorString(int error) {
  return error == systemError       ? "unhandled system error"
         : error == invalidArgument ? "invalid argument"
         : error == invalidUsage    ? "invalid usage"
                                    : "an error";
}

extern "C" __attribute__((visibility("default"))) const char *
ncclGetLastError(Library::Comm) {
  return "injected or found by the tests' NCCL";
}

INGOT_NCCL_EXPORT ncclGetUniqueId(Library::UniqueId *id) {
  Nccl &nccl = Nccl::get();
  if (int error = nccl.begin("GetUniqueId"))
    return error;
  std::string folder = setting("INGOT_NCCL_FOLDER") + "/" +
                       std::to_string(::getpid()) + "-" +
                       std::to_string(nccl.calls["GetUniqueId"]);
  if (folder.size() >= sizeof(id->bytes) ||
      !std::filesystem::create_directory(folder))
    return systemError;
  std::strcpy(id->bytes, folder.c_str());
  return Library::success;
}

INGOT_NCCL_EXPORT ncclCommInitRankConfig(Library::Comm *comm, int ranks,
                                         Library::UniqueId id, int rank,
                                         Library::Config *config) {
  Nccl &nccl = Nccl::get();
  nccl.rank = rank;
  if (int error = nccl.begin("CommInitRankConfig"))
    return error;
  Library::Config expected;
  if (config->size < sizeof(expected) || config->magic != expected.magic ||
      config->version < Library::oldestVersion || config->blocking != 0 ||
      rank < 0 || rank >= ranks)
    return invalidArgument;
  nccl.comms.push_back(std::make_shared<Communicator>(
      Communicator{rank, ranks, id.bytes, false, false, {}}));
  *comm = nccl.comms.back().get();
  std::ofstream(std::string(id.bytes) + "/rank-" + std::to_string(rank));
  return Library::inProgress;
}

INGOT_NCCL_EXPORT ncclCommGetAsyncError(Library::Comm comm, int *error) {
  Nccl &nccl = Nccl::get();
  if (int failure = nccl.begin("CommGetAsyncError"))
    return failure;
  std::shared_ptr<Communicator> known = nccl.find(comm);
  if (!known)
    return invalidArgument;
  *error = Library::success;
  if (!known->isConnected) {
    for (int rank = 0; rank < known->ranks; ++rank)
      if (!std::filesystem::exists(known->folder + "/rank-" +
                                   std::to_string(rank)))
        *error = Library::inProgress;
    known->isConnected = *error == Library::success;
    return Library::success;
  }
  if (nccl.accepted.empty())
    return Library::success;
  std::vector<Group> groups = std::move(nccl.accepted);
  nccl.accepted.clear();
  *error = Library::inProgress;
  for (Group &group : groups)
    if (int failure = enqueue(std::move(group)))
      *error = failure;
  return Library::success;
}

INGOT_NCCL_EXPORT ncclCommAbort(Library::Comm comm) {
  Nccl &nccl = Nccl::get();
  ++nccl.calls["CommAbort"];
  std::shared_ptr<Communicator> known = nccl.find(comm);
  if (!known)
    return invalidArgument;
  known->isAborted = true;
  std::erase(nccl.comms, known);
  nccl.accepted.clear();
  return Library::success;
}

INGOT_NCCL_EXPORT ncclGroupStart() {
  Nccl &nccl = Nccl::get();
  if (int error = nccl.begin("GroupStart"))
    return error;
  ++nccl.depth;
  return Library::success;
}

INGOT_NCCL_EXPORT ncclGroupEnd() {
  Nccl &nccl = Nccl::get();
  if (nccl.depth == 0)
    return invalidUsage;
  --nccl.depth;
  Group group = std::move(nccl.open);
  nccl.open.clear();
  if (int error = nccl.begin("GroupEnd"))
    return error;
  if (group.empty())
    return Library::success;
  nccl.accepted.push_back(std::move(group));
  return Library::inProgress;
}

INGOT_NCCL_EXPORT ncclSend(const void *data, size_t count, int type, int to,
                           Library::Comm comm, Library::Stream stream) {
  return addOperation("Send", comm, to, data, count, type, stream,
                      /*isSend=*/true);
}

INGOT_NCCL_EXPORT ncclRecv(void *data, size_t count, int type, int from,
                           Library::Comm comm, Library::Stream stream) {
  return addOperation("Recv", comm, from, data, count, type, stream,
                      /*isSend=*/false);
}

INGOT_NCCL_EXPORT ncclAllGather(const void *mine, void *all, size_t count,
                                int type, Library::Comm comm,
                                Library::Stream stream) {
  std::shared_ptr<Communicator> known = Nccl::get().find(comm);
  auto *places = static_cast<std::byte *>(all);
  // Tests gather in place only.
  if (!known || mine != places + static_cast<size_t>(known->rank) * count)
    return invalidArgument;
  for (int rank = 0; rank < known->ranks; ++rank) {
    if (rank == known->rank)
      continue;
    if (int error = addOperation("AllGather", comm, rank, mine, count, type,
                                 stream, /*isSend=*/true))
      return error;
    if (int error = addOperation("AllGather", comm, rank,
                                 places + static_cast<size_t>(rank) * count,
                                 count, type, stream, /*isSend=*/false))
      return error;
  }
  return Library::success;
}
