//===- Session.cpp - A program with its state, ready to run entries -------===//

#include "runtime/Session/Session.h"

#include "runtime/Device/Parallel.h"
#include "runtime/Support/ErrorSlot.h"

using namespace ingot;

Expected<std::unique_ptr<Session>>
Session::create(const ingot_program &program, const SessionOptions &options) {
  INGOT_RETURN_IF_ERROR(checkProgram(program));
  INGOT_ASSIGN_OR_RETURN(uint32_t target, chooseTarget(program));
  unsigned threads = options.threads;
  if (threads == 0)
    threads = program.default_threads;
  if (threads == 0)
    threads = availableCores();
  std::unique_ptr<Session> session(new Session());
  INGOT_ASSIGN_OR_RETURN(session->theContext,
                         createContext(program, target, threads,
                                       *options.fileSystem,
                                       options.dataDirectory));
  return session;
}

static Status unknownShape(const ingot_entry &entry, const char *what,
                           const ingot_tensor_spec &spec) {
  return Status(StatusCode::Unimplemented,
                std::string(what) + " '" + spec.name + "' of entry '" +
                    entry.name + "' is " + typeText(spec) +
                    ": only tensors whose shape is known when the graph is "
                    "compiled can be passed (ingotc --batch)");
}

Expected<BoundEntry> Session::bind(const ingot_entry &entry) {
  for (const ingot_tensor_spec &feed : feedsOf(entry))
    if (byteSizeOf(feed) < 0)
      return unknownShape(entry, "feed", feed);
  BoundEntry bound;
  bound.theEntry = &entry;
  INGOT_ASSIGN_OR_RETURN(
      bound.arena,
      AlignedBuffer::allocate(entry.arena_size, "an entry's temporaries"));
  std::vector<uint64_t> offsets;
  uint64_t total = 0;
  for (const ingot_tensor_spec &fetch : fetchesOf(entry)) {
    int64_t bytes = byteSizeOf(fetch);
    if (bytes < 0 || static_cast<uint64_t>(bytes) > INT64_MAX / 2 - total)
      return unknownShape(entry, "fetch", fetch);
    offsets.push_back(total);
    total += (static_cast<uint64_t>(bytes) + INGOT_ALIGNMENT - 1) /
             INGOT_ALIGNMENT * INGOT_ALIGNMENT;
  }
  INGOT_ASSIGN_OR_RETURN(bound.fetchStorage,
                         AlignedBuffer::allocate(total, "an entry's fetches"));
  for (uint64_t offset : offsets)
    bound.fetchAddresses.push_back(bound.fetchStorage.data() + offset);
  return bound;
}

Status Session::run(BoundEntry &bound, std::span<const void *const> feeds,
                    SummaryCollector *summaries) {
  ingot_context &context = *theContext;
  const ingot_entry &entry = bound.entry();
  context.summaries = summaries;
  RunMemory::Scope scope(context.memory);
  int32_t code = entry.run[context.target](
      &context, bound.arena.data(), context.variables.data(), feeds.data(),
      bound.fetchAddresses.data());
  context.summaries = nullptr;
  INGOT_RETURN_IF_ERROR(takeError(code));
  for (uint32_t i = 0; i < entry.num_assigned; ++i)
    context.initialized[entry.assigned[i]] = true;
  if (entry.role == INGOT_ROLE_STEP)
    ++countedSteps;
  return Status::ok();
}

Status Session::runOnce(const ingot_entry &entry) {
  if (entry.num_feeds != 0)
    return Status(StatusCode::Unimplemented,
                  "entry '" + std::string(entry.name) + "' needs feed '" +
                      entry.feeds[0].name + "'");
  INGOT_ASSIGN_OR_RETURN(BoundEntry bound, bind(entry));
  return run(bound).withContext("entry '" + std::string(entry.name) + "'");
}

int64_t Session::globalStep() const {
  int32_t index = theContext->program->global_step;
  if (index < 0)
    return countedSteps;
  const void *data = theContext->variables[index];
  return program().variables[index].spec.dtype == INGOT_INT64
             ? *static_cast<const int64_t *>(data)
             : *static_cast<const int32_t *>(data);
}
