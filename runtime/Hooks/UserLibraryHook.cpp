//===- UserLibraryHook.cpp - A hook in a shared library of the user's -----===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Hooks/UserLibraryHook.h"

#include "runtime/Hooks/HookHostImage.h"
#include "runtime/Session/StopSignals.h"
#include "runtime/Support/DType.h"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ingot;

static Status systemError(const std::string &what) {
  return Status(StatusCode::Internal, what + ": " + std::strerror(errno));
}

static StatusCode statusCode(int32_t code) {
  return code > 0 && code <= 15 ? static_cast<StatusCode>(code)
                                : StatusCode::Unknown;
}

/// Writes the executable of the host process, which the trainer contains, to a
/// file in memory. Returns its descriptor, which the caller closes.
static Expected<int> openHost() {
  int file = ::memfd_create("ingot-hook-host", MFD_CLOEXEC);
  if (file < 0)
    return systemError("cannot create a file in memory for the helper program "
                       "that runs the hook");
  const char *data = ingot_hook_host;
  while (data != ingot_hook_host_end) {
    ssize_t done =
        ::write(file, data, static_cast<size_t>(ingot_hook_host_end - data));
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0) {
      Status status =
          systemError("cannot write the helper program that runs the hook");
      ::close(file);
      return status;
    }
    data += done;
  }
  return file;
}

/// Starts the host process. One end of a socket pair becomes its descriptor
/// INGOT_WIRE_DESCRIPTOR. Between fork and exec only async-signal-safe
/// functions are called, because other threads of the trainer may hold locks
/// when the process forks.
Status UserLibraryHook::start() {
  INGOT_ASSIGN_OR_RETURN(int host, openHost());
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    ::close(host);
    return systemError(
        "cannot create a socket for the process that runs the hook library");
  }
  process = ::fork();
  if (process == 0) {
    // Makes the host process ignore stop signals such as SIGINT, which a
    // terminal sends to it too: the trainer decides when the run ends, and
    // tells the host.
    for (int signal : signalsToStop)
      (void)std::signal(signal, SIG_IGN);
    (void)std::signal(SIGPIPE, SIG_DFL);
    (void)std::signal(SIGXFSZ, SIG_DFL);
    // Asks Linux to send SIGPWR to this process, the host of the hook, when the
    // trainer dies. The host would also see its socket close, but only after
    // the callback that is running returns. If that callback hangs, the handler
    // of SIGPWR (HookHost.c) ends the host after 5 s.
    ::prctl(PR_SET_PDEATHSIG, SIGPWR);
    // Duplicates both descriptors to higher numbers first, so that dup2 to
    // INGOT_WIRE_DESCRIPTOR closes neither.
    int end = ::fcntl(ends[1], F_DUPFD_CLOEXEC, INGOT_WIRE_DESCRIPTOR + 1);
    int image = ::fcntl(host, F_DUPFD_CLOEXEC, INGOT_WIRE_DESCRIPTOR + 1);
    char *argv[] = {const_cast<char *>("ingot-hook-host"), nullptr};
    if (end >= 0 && image >= 0 && ::dup2(end, INGOT_WIRE_DESCRIPTOR) >= 0)
      ::fexecve(image, argv, environ);
    ::_exit(127);
  }
  ::close(host);
  ::close(ends[1]);
  socket = ends[0];
  if (process < 0)
    return systemError("cannot start the process that runs the hook library");
  return Status::ok();
}

Expected<std::unique_ptr<UserLibraryHook>>
UserLibraryHook::load(const std::string &path, const std::string &arguments,
                      SessionLogger &reporter) {
  std::unique_ptr<UserLibraryHook> hook(new UserLibraryHook(path, reporter));
  auto *frame = static_cast<ingot_wire *>(std::calloc(1, sizeof(ingot_wire)));
  if (!frame)
    return Status(StatusCode::ResourceExhausted,
                  "out of memory: the messages of hook '" + path + "' need " +
                      std::to_string(sizeof(ingot_wire)) + " bytes");
  hook->frame = {frame, [](ingot_wire *frame) {
                   std::free(frame->data);
                   std::free(frame);
                 }};
  hook->theName = path;
  INGOT_RETURN_IF_ERROR(hook->start());
  std::string file = path;
  if (path.find('/') == std::string::npos && ::access(path.c_str(), F_OK) == 0)
    file = "./" + path;
  hook->startFrame(INGOT_WIRE_LOAD, 0);
  ingot_wire_put_bytes(frame, file.data(), file.size());
  ingot_wire_put_bytes(frame, arguments.data(), arguments.size());
  INGOT_RETURN_IF_ERROR(hook->call("ingot_hook_create", nullptr));
  if (hook->isGivenUp)
    return Status(StatusCode::Cancelled,
                  "stopped while creating hook '" + path + "'");
  uint64_t size;
  const char *name = ingot_wire_get_bytes(frame, &size);
  hook->theName.assign(name ? name : "", size);
  hook->thePriority = static_cast<HookPriority>(ingot_wire_get_u32(frame));
  hook->listens = ingot_wire_get_u32(frame) != 0;
  return hook;
}

UserLibraryHook::~UserLibraryHook() { stopProcess(5); }

void UserLibraryHook::stopProcess(double seconds) {
  if (socket >= 0)
    ::close(socket);
  socket = -1;
  // Gives the library's destroy() up to `seconds` to finish before the process
  // is killed.
  for (double waited = 0; process > 0 && waited < seconds; waited += 0.001) {
    if (::waitpid(process, nullptr, WNOHANG) != 0)
      process = -1;
    else
      ::usleep(1000);
  }
  if (process > 0) {
    ::kill(process, SIGKILL);
    ::waitpid(process, nullptr, 0);
    process = -1;
  }
}

void UserLibraryHook::startFrame(uint32_t callback, int64_t step,
                                 uint32_t flags) {
  lastStep = step;
  ingot_wire_clear(frame.get());
  ingot_wire_put_u32(frame.get(), callback);
  ingot_wire_put_i64(frame.get(), step);
  ingot_wire_put_u32(frame.get(), flags);
}

void UserLibraryHook::startFrame(uint32_t callback,
                                 const SessionRunContext &context) {
  startFrame(callback, context.globalStep,
             INGOT_WIRE_IN_SESSION |
                 (context.restored ? INGOT_WIRE_RESTORED : 0u) |
                 (context.coordinator.shouldStop() ? INGOT_WIRE_STOPPING : 0u));
}

/// Returns an error that says how the host process has ended during `callback`:
/// by which signal, or with which exit code.
Status UserLibraryHook::died(const char *callback) {
  std::string how = "ended";
  int status = 0;
  if (process > 0 && ::waitpid(process, &status, 0) == process) {
    process = -1;
    if (WIFSIGNALED(status))
      how = "was ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
            ::strsignal(WTERMSIG(status)) + ")";
    else
      how = "exited with code " + std::to_string(WEXITSTATUS(status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
      how = "could not be started: this machine needs glibc's dynamic loader "
            "for hooks";
  }
  return Status(StatusCode::Internal,
                "hook '" + path + "': its process " + how + " in " + callback);
}

/// Waits for a reply of the host process. Returns false if a stop signal has
/// arrived and the reply does not come within 10 s: a hook that hangs must not
/// prevent the model from being saved.
bool UserLibraryHook::waitForReply() {
  constexpr int look = 100, patience = 10000; // milliseconds
  pollfd reply = {socket, POLLIN, 0};
  for (int waited = 0; waited < patience;
       waited += StopSignals::caught() != 0 ? look : 0)
    if (::poll(&reply, 1, look) > 0)
      return true;
  return false;
}

/// Sends the request in `frame` to the host process and waits for the reply.
/// Meanwhile, runs entries that the process requests. Reads those fields of the
/// reply that all callbacks have in common; the caller reads the further fields
/// of replies to `callback`.
Status UserLibraryHook::call(const char *callback, SessionRunContext *context) {
  while (!isGivenUp) {
    INGOT_RETURN_IF_ERROR(exchange(callback, context));
    if (isGivenUp || ingot_wire_get_u32(frame.get()) != INGOT_WIRE_RUN_ENTRY)
      break;
    answerRunEntry(context);
  }
  if (isGivenUp) {
    ingot_wire_clear(frame.get());
    return Status::ok();
  }
  auto code = static_cast<int32_t>(ingot_wire_get_u32(frame.get()));
  uint64_t size;
  const char *text = ingot_wire_get_bytes(frame.get(), &size);
  std::string message(text ? text : "", size);
  readStop(context);
  if (code == 0)
    return Status::ok();
  if (message.empty())
    message = std::string(callback) + " returned " + std::to_string(code);
  return Status(statusCode(code), "hook '" + path + "': " + message);
}

/// Reads from a reply of the host process whether the user's hook requests a
/// stop. If so, makes the run stop.
void UserLibraryHook::readStop(SessionRunContext *context) {
  uint32_t stop = ingot_wire_get_u32(frame.get());
  auto code = static_cast<int32_t>(ingot_wire_get_u32(frame.get()));
  uint64_t size;
  const char *text = ingot_wire_get_bytes(frame.get(), &size);
  if (!context)
    return;
  if (stop & INGOT_WIRE_STOP)
    context->requestStop();
  if (stop & INGOT_WIRE_COORDINATOR_STOP)
    context->coordinator.requestStop(
        code == 0 ? Status::ok()
                  : Status(statusCode(code),
                           "hook '" + path +
                               "': " + std::string(text ? text : "", size)));
}

/// Sends the message `frame` to the host process and receives its next message.
/// If the run is to stop and no message arrives in time, kills the process and
/// sets `isGivenUp`.
Status UserLibraryHook::exchange(const char *callback,
                                 SessionRunContext *context) {
  bool sent = socket >= 0 && ingot_wire_send(socket, frame.get());
  if (sent && !waitForReply()) {
    reporter.warning(
        "hook '" + path + "': " + callback +
        " did not return within 10 s of the signal, so its process was killed");
    isGivenUp = true;
    stopProcess(0);
    return Status::ok();
  }
  if (!sent || !ingot_wire_receive(socket, frame.get())) {
    if (frame->failed)
      return Status(StatusCode::ResourceExhausted,
                    "hook '" + path + "': out of memory in " + callback);
    return died(callback);
  }
  return Status::ok();
}

/// Reads a request of the host process to run an entry, and runs the entry.
Expected<const BoundEntryPoint *>
UserLibraryHook::runEntry(SessionRunContext &context) {
  Session &session = context.session;
  uint64_t size;
  const char *text = ingot_wire_get_bytes(frame.get(), &size);
  std::string name(text ? text : "", size);
  const ingot_entry *entry = findEntry(session.program(), name);
  if (!entry)
    return Status(StatusCode::InvalidArgument,
                  "no entry '" + name +
                      "': run 'PROGRAM info' to list the entries");
  if (observesOnly && changesState(*entry))
    return Status(StatusCode::FailedPrecondition,
                  "entry '" + name +
                      "' changes variables, which a hook cannot do if several "
                      "ranks train: only rank 0 has the hook");
  auto found = runnable.find(entry);
  if (found == runnable.end()) {
    INGOT_ASSIGN_OR_RETURN(BoundEntryPoint bound, session.bind(*entry));
    INGOT_ASSIGN_OR_RETURN(FeedDefaults defaults,
                           FeedDefaults::compute(session, *entry));
    found = runnable
                .emplace(entry, EntryPointWithFeedDefaults{std::move(bound),
                                                           std::move(defaults)})
                .first;
  }
  std::vector<ingot_tensor> tensors(entry->num_feeds);
  for (size_t i = 0; i < tensors.size(); ++i)
    if (const ingot_tensor *value = found->second.defaults.find(i))
      tensors[i] = *value;
  std::deque<UserHookFeed> given;
  uint32_t count = ingot_wire_get_u32(frame.get());
  for (uint32_t i = 0; i < count && !frame->failed; ++i) {
    UserHookFeed &feed = given.emplace_back();
    INGOT_ASSIGN_OR_RETURN(ingot_tensor tensor, readTensor(feed));
    int index = findTensor(feedsOf(*entry), feed.name);
    if (index < 0)
      return Status(StatusCode::InvalidArgument,
                    "'" + feed.name + "' is not a feed of entry '" + name +
                        "': run 'PROGRAM info' to list its feeds");
    tensors[static_cast<size_t>(index)] = tensor;
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].dtype == 0)
      return Status(StatusCode::InvalidArgument,
                    "entry '" + name + "' needs a feed for '" +
                        entry->feeds[i].name + "' " +
                        typeText(entry->feeds[i]));
  INGOT_RETURN_IF_ERROR(session.run(found->second.entry, tensors)
                            .withContext("entry '" + name + "'"));
  if (changesState(*entry))
    context.stateChanged = true;
  return &found->second.entry;
}

/// Writes the answer to the library's call of value() (ingot/hook.h): the
/// requested name, and the tensor.
static void putValue(ingot_wire *wire, std::string_view asked,
                     const ingot_tensor_spec &spec, const void *data) {
  ingot_wire_put_bytes(wire, asked.data(), asked.size());
  ingot_wire_put_bytes(wire, spec.name, std::strlen(spec.name));
  ingot_wire_put_u32(wire, static_cast<uint32_t>(spec.dtype));
  ingot_wire_put_u32(wire, spec.rank);
  for (uint32_t dim = 0; dim < spec.rank; ++dim)
    ingot_wire_put_i64(wire, spec.dims[dim]);
  int64_t count = elementCountOf(spec);
  if (spec.dtype == INGOT_STRING) {
    auto *strings = static_cast<const ingot_string *>(data);
    ingot_wire_put_i64(wire, count);
    for (int64_t i = 0; i < count; ++i)
      ingot_wire_put_bytes(wire, strings[i].data, strings[i].size);
  } else {
    ingot_wire_put_bytes(wire, data,
                         static_cast<uint64_t>(count) * dtypeSize(spec.dtype));
  }
}

/// Runs the entry that the host process requests in `frame`, and writes the
/// answer to `frame`.
void UserLibraryHook::answerRunEntry(SessionRunContext *context) {
  ingot_wire *wire = frame.get();
  Expected<const BoundEntryPoint *> bound =
      context ? runEntry(*context)
              : Status(StatusCode::FailedPrecondition,
                       "run_entry() was called when no session exists: call it "
                       "from after_create_session() or a later callback");
  Status status = bound ? context->session.deviceStatus() : bound.takeStatus();
  ingot_wire_clear(wire);
  ingot_wire_put_u32(wire, static_cast<uint32_t>(status.code()));
  ingot_wire_put_bytes(wire, status.message().data(), status.message().size());
  if (!status.isOk())
    return;
  const BoundEntryPoint &entry = **bound;
  ingot_wire_put_u32(wire, static_cast<uint32_t>(entry.fetches().size()));
  for (size_t i = 0; i < entry.fetches().size(); ++i) {
    std::string_view node = entry.fetches()[i].name; // "sum" finds "sum:0", too
    if (node.ends_with(":0"))
      node.remove_suffix(2);
    putValue(wire, node, entry.fetchSpec(i), entry.fetch(i));
  }
}

Status UserLibraryHook::begin(Session &) {
  startFrame(INGOT_WIRE_BEGIN, 0);
  return call("begin", nullptr);
}

Status UserLibraryHook::afterCreateSession(SessionRunContext &context) {
  runnable.clear();
  startFrame(INGOT_WIRE_AFTER_CREATE_SESSION, context);
  return call("after_create_session", &context);
}

/// Reads the next tensor in `frame`, which the user's library wants to feed.
/// Stores its name, shape and elements in `feed`; the result refers to them.
Expected<ingot_tensor> UserLibraryHook::readTensor(UserHookFeed &feed) {
  ingot_wire *wire = frame.get();
  uint64_t size;
  const char *name = ingot_wire_get_bytes(wire, &size);
  feed.name.assign(name ? name : "", size);
  auto dtype = static_cast<int32_t>(ingot_wire_get_u32(wire));
  uint32_t rank = ingot_wire_get_u32(wire);
  for (uint32_t dim = 0; dim < rank && !wire->failed; ++dim)
    feed.dims.push_back(ingot_wire_get_i64(wire));
  int64_t count = ingot_wire_count(static_cast<uint32_t>(feed.dims.size()),
                                   feed.dims.data());
  auto broken = [&] {
    ingot_tensor_spec spec = {};
    spec.dtype = dtype;
    spec.rank = static_cast<uint32_t>(feed.dims.size());
    spec.dims = feed.dims.data();
    return Status(StatusCode::InvalidArgument,
                  "hook '" + path + "' feeds '" + feed.name +
                      "' with an invalid tensor of " + typeText(spec) +
                      ": expected strings or elements of fixed size, "
                      "dimensions of 0 or more, and data for all elements");
  };
  if (wire->failed || count < 0)
    return broken();
  if (dtype == INGOT_STRING) {
    if (ingot_wire_get_i64(wire) != count)
      return broken();
    for (int64_t i = 0; i < count && !wire->failed; ++i) {
      const char *text = ingot_wire_get_bytes(wire, &size);
      feed.strings.emplace_back(text ? text : "", size);
    }
    size = feed.strings.size() * sizeof(ingot_string);
  }
  const char *data = nullptr;
  if (dtype != INGOT_STRING) {
    data = ingot_wire_get_bytes(wire, &size);
    if (!data || dtypeSize(dtype) == 0 ||
        size != static_cast<uint64_t>(count) * dtypeSize(dtype))
      return broken();
  }
  INGOT_ASSIGN_OR_RETURN(feed.data,
                         AlignedBuffer::allocate(size, "a hook's feeds"));
  if (data && size > 0)
    std::memcpy(feed.data.data(), data, size);
  for (size_t i = 0; i < feed.strings.size(); ++i)
    reinterpret_cast<ingot_string *>(feed.data.data())[i] = {
        feed.strings[i].data(), feed.strings[i].size()};
  if (wire->failed)
    return broken();
  return ingot_tensor{feed.data.data(), feed.dims.data(),
                      static_cast<uint32_t>(feed.dims.size()), dtype};
}

Status UserLibraryHook::beforeRun(SessionRunContext &context,
                                  SessionRunArgs &request) {
  startFrame(INGOT_WIRE_BEFORE_RUN, context);
  Status status = call("before_run", &context);
  // OutOfRange asks to end training before this step. That is an error here:
  // the other ranks have begun the step already, and this rank cannot stop
  // them.
  if (observesOnly && status.code() == StatusCode::OutOfRange)
    return Status(
        StatusCode::FailedPrecondition,
        "hook '" + path +
            "' ends training before a step, which it cannot do if "
            "several ranks train: only rank 0 has the hook; return "
            "INGOT_HOOK_OUT_OF_RANGE from after_run, or request a stop");
  INGOT_RETURN_IF_ERROR(std::move(status));
  fetches.clear();
  fed.clear();
  if (isGivenUp)
    return Status::ok();
  uint32_t count = ingot_wire_get_u32(frame.get());
  for (uint32_t i = 0; i < count && !frame->failed; ++i) {
    uint64_t size;
    const char *name = ingot_wire_get_bytes(frame.get(), &size);
    fetches.emplace_back(name ? name : "", size);
  }
  request.fetches.insert(request.fetches.end(), fetches.begin(), fetches.end());
  count = ingot_wire_get_u32(frame.get());
  for (uint32_t i = 0; i < count && !frame->failed; ++i) {
    UserHookFeed &feed = fed.emplace_back();
    INGOT_ASSIGN_OR_RETURN(ingot_tensor tensor, readTensor(feed));
    if (observesOnly)
      return Status(StatusCode::FailedPrecondition,
                    "hook '" + path + "' feeds '" + feed.name +
                        "', which it cannot do if several ranks train: only "
                        "rank 0 has the hook; give all ranks the feed with "
                        "--feed");
    request.feeds.push_back({feed.name, tensor});
  }
  return Status::ok();
}

Status UserLibraryHook::afterRun(SessionRunContext &context,
                                 const SessionRunValues &values) {
  ingot_wire *wire = frame.get();
  startFrame(INGOT_WIRE_AFTER_RUN, context);
  ingot_wire_put_u32(wire, static_cast<uint32_t>(fetches.size()));
  for (const std::string &name : fetches) {
    // findStepFetch() succeeds, as the loop has checked that all requested
    // fetches exist.
    auto index = static_cast<size_t>(
        findStepFetch(context.session.program(), values.step.entry(), name));
    putValue(wire, name, values.step.fetchSpec(index),
             values.step.fetch(index));
  }
  Status status = call("after_run", &context);
  if (!observesOnly || status.code() != StatusCode::OutOfRange)
    return status;
  // All ranks have completed this step. The vote before the next step makes the
  // other ranks stop, too.
  context.requestStop();
  return Status::ok();
}

Status UserLibraryHook::end(SessionRunContext &context) {
  startFrame(INGOT_WIRE_END, context);
  return call("end", &context);
}

Expected<std::string> UserLibraryHook::saveState() {
  startFrame(INGOT_WIRE_SAVE_STATE, lastStep);
  INGOT_RETURN_IF_ERROR(call("save_state", nullptr));
  uint64_t size;
  const char *state = ingot_wire_get_bytes(frame.get(), &size);
  return std::string(state ? state : "", size);
}

Status UserLibraryHook::restoreState(std::string_view state) {
  startFrame(INGOT_WIRE_RESTORE_STATE, lastStep, INGOT_WIRE_RESTORED);
  ingot_wire_put_bytes(frame.get(), state.data(), state.size());
  return call("restore_state", nullptr);
}

/// A checkpoint saver's listener that forwards each call to the library.
class UserLibraryHook::Listener final : public CheckpointSaverListener {
public:
  explicit Listener(UserLibraryHook &hook) : hook(hook) {}

  Status begin(Session &) override {
    hook.startFrame(INGOT_WIRE_SAVER_BEGIN, 0);
    return hook.call("saver_begin", nullptr);
  }
  Status beforeSave(SessionRunContext &context, int64_t step) override {
    return tell("before_save", INGOT_WIRE_BEFORE_SAVE, context, step);
  }
  Status afterSave(SessionRunContext &context, int64_t step,
                   const std::string &prefix) override {
    return tell("after_save", INGOT_WIRE_AFTER_SAVE, context, step, prefix);
  }
  Status end(SessionRunContext &context, int64_t step) override {
    return tell("saver_end", INGOT_WIRE_SAVER_END, context, step);
  }

private:
  Status tell(const char *callback, uint32_t number, SessionRunContext &context,
              int64_t step, const std::string &prefix = "") {
    hook.startFrame(number, context);
    ingot_wire_put_i64(hook.frame.get(), step);
    if (number == INGOT_WIRE_AFTER_SAVE)
      ingot_wire_put_bytes(hook.frame.get(), prefix.data(), prefix.size());
    return hook.call(callback, &context);
  }

  UserLibraryHook &hook;
};

std::shared_ptr<CheckpointSaverListener> UserLibraryHook::makeListener() {
  return listens ? std::make_shared<Listener>(*this) : nullptr;
}
