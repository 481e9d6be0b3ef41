//===- ParallelMapDataset.cpp - Calls a function on several threads -------===//
// SPDX-License-Identifier: Apache-2.0
//
// ParallelMapDataset: a thread reads the input some elements ahead, and others
// call the map's function on these elements, as does the consumer's thread
// while it waits. The results come in the input's order. Elements and states
// are those of a map that calls its function on one element after the other:
//
// - A state has the input's position after the element that the consumer took
//   last.
// - A function that draws random numbers moves the positions of its random ops.
//   Each call starts from the positions that it would have if all calls before
//   it moved them as far as the latest one did. If they did not, the call is
//   repeated when its element is taken.
//
// The first calls are made in order. As handing elements from thread to thread
// takes time, too, a thread makes a group of successive calls at a time: more
// of them, the less time the first calls took. Threads are started only if a
// group of a moderate size takes long.
//===----------------------------------------------------------------------===//
#include "runtime/ABI/Program.h"
#include "runtime/Device/ThreadPool.h"
#include "runtime/Input/CapturedFunction.h"
#include "runtime/Input/DatasetOp.h"
#include "runtime/Input/MapDataset.h"
#include "runtime/Input/ParseExampleFunction.h"
#include "runtime/Input/SingleInputIterator.h"
#include "runtime/Support/Thread.h"
#include "runtime/Support/ThreadActivity.h"
#include "runtime/Support/ThreadStopRequest.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

namespace ingot::input {

namespace {

/// The positions and seeds of a function's random ops.
using RandomWords = std::vector<uint64_t>;

/// The call of a map's function on one element.
struct MapCall {
  enum class Stage { Waiting, Running, Done } stage = Stage::Done;
  Element input, result;
  bool end = false;       // the input has ended: there is no call
  bool hasFailed = false; // the input has failed: there is no call
  Status status;
  RandomWords before, after; // the random state before and after the call
  NodeState position;        // the input's position after the element
  std::string origin;        // DatasetIterator::describeLatest() of the element
};

class ParallelMapIterator final : public SingleInputIterator {
public:
  ParallelMapIterator(std::unique_ptr<DatasetIterator> input,
                      CapturedFunction function, const DatasetContext &context,
                      unsigned width)
      : SingleInputIterator(std::move(input)), function(std::move(function)),
        preserveCardinality(preservesCardinality(context)),
        name(context.name()), node(context.dataset().node),
        options(context.env().options), width(width) {}

  ~ParallelMapIterator() override {
    stop();
    // Threads of the input obey requests to the thread that read it.
    input.reset();
  }

  Status start() override {
    // Reading ahead has moved state that outlives a pass (PrefetchIterator).
    bool wasReading = isReading;
    drain();
    if (wasReading)
      INGOT_RETURN_IF_ERROR(input->restore(consumed));
    return input->start();
  }

  Status next(Element &element, bool &end) override {
    if (!isParallel())
      return callInOrder(element, end);
    startReading();
    return take(waitForFirst(), element, end);
  }

  Status skip(uint64_t count, uint64_t &skipped) override {
    return isReading || function.draws() ? DatasetIterator::skip(count, skipped)
                                         : input->skip(count, skipped);
  }

  void save(NodeState &state) const override {
    function.save(state);
    if (isReading)
      *state.add_inputs() = consumed;
    else
      input->save(*state.add_inputs());
  }
  void update(NodeState &state) const override {
    DatasetIterator::update(state);
  }

  Status restore(const NodeState &state) override {
    drain();
    INGOT_RETURN_IF_ERROR(function.restore(state));
    return restoreInput(*input, state);
  }

  std::string describeLatest() const override {
    return isReading ? latestOrigin : input->describeLatest();
  }

private:
  MapCall &at(uint64_t number) { return calls[number % calls.size()]; }

  //===--------------------------------------------------------------------===//
  // Calls in order
  //===--------------------------------------------------------------------===//

  Status callInOrder(Element &element, bool &end) {
    INGOT_RETURN_IF_ERROR(input->next(element, end));
    if (end)
      return Status::ok();
    RandomWords before = function.randomWords();
    auto begin = std::chrono::steady_clock::now();
    Status status = function.run(element);
    shortestCall = std::min<std::chrono::nanoseconds>(
        shortestCall, std::chrono::steady_clock::now() - begin);
    if (!status.isOk())
      return describeMapFailure(std::move(status), preserveCardinality, name,
                                input->describeLatest(), end);
    learnAdvance(before, function.randomWords());
    ++numCallsInOrder;
    if (!isInOrder)
      largestElement = std::max(largestElement, bytesOf(element));
    return Status::ok();
  }

  static size_t bytesOf(const Element &element) {
    size_t bytes = 0;
    for (const Tensor &tensor : element)
      bytes += tensor.footprint();
    return bytes;
  }

  /// Learns how far a call moves the positions of random ops.
  void learnAdvance(const RandomWords &before, const RandomWords &after) {
    advance.resize(before.size());
    for (size_t i = 0; i < before.size(); ++i)
      advance[i] = after[i] - before[i];
  }

  /// Returns the number of calls that a thread makes at a time; 0: one thread
  /// makes all calls, as groups would take too little time or too much memory.
  unsigned chooseGroup() const {
    constexpr uint64_t largestGroup = 40, mostBytes = 1 << 20;
    if (options.parallelCallGroup)
      return options.parallelCallGroup;
    if (shortestCall >= options.minParallelCallTime)
      return 1;
    uint64_t needed = options.minParallelCallTime /
                          std::max(shortestCall, std::chrono::nanoseconds(1)) +
                      1;
    bool isSmall = needed <= mostBytes / std::max<size_t>(largestElement, 1);
    return needed <= largestGroup && isSmall ? static_cast<unsigned>(needed)
                                             : 0;
  }

  /// Whether calls are made on several threads, which are started when some
  /// calls have been made in order.
  bool isParallel() {
    constexpr unsigned fewLongCalls = 4, fewCalls = 32;
    if (!threads.empty())
      return true;
    bool areLong = shortestCall >= options.minParallelCallTime;
    if (isInOrder || numCallsInOrder < (areLong ? fewLongCalls : fewCalls))
      return false;
    group = chooseGroup();
    isInOrder = group == 0;
    if (!isInOrder)
      startThreads();
    return !isInOrder;
  }

  void startThreads() {
    // Enough calls that a thread finds some while the consumer takes the first.
    calls.resize(2 * size_t(width) * group);
    helper.emplace(function.clone());
    threadStop.inherit();
    for (unsigned i = 1; i < width; ++i) {
      functions.push_back(std::make_unique<CapturedFunction>(function.clone()));
      auto started = Thread::start(
          "map", [this, own = functions.back().get()] { run(*own); });
      if (!started)
        break;
      threads.push_back(std::move(*started));
    }
    isInOrder = threads.empty();
  }

  //===--------------------------------------------------------------------===//
  // Calls on threads
  //===--------------------------------------------------------------------===//

  /// Starts the thread that reads the input, unless it has been started since
  /// the input was started, restored, or ended.
  void startReading() {
    if (isReading)
      return;
    consumed.Clear();
    input->save(consumed);
    predicted = function.randomWords();
    isReading = true;
    readerStop.inherit();
    if (auto started = Thread::start("read-ahead", [this] { readAhead(); }))
      reader = std::move(*started);
    else
      readOne(); // and stop reading when it is taken
  }

  /// Ends the thread that reads the input. If it waits for a file, makes it,
  /// and threads of the input, give up that wait.
  void stopReading() {
    if (reader.joinable()) {
      {
        std::lock_guard<std::mutex> lock(mutex);
        stopsReading = true;
      }
      readerStop.request();
      released.notify_all();
      reader.join();
      readerStop.clear();
    }
    stopsReading = isReading = false;
  }

  /// The function of the thread that reads: reads elements while calls are
  /// free, until the input ends or fails.
  void readAhead() {
    ThreadStopRequest::StopRequestScope scope(readerStop);
    for (bool goesOn = true; goesOn;) {
      {
        ThreadActivity::ActivityScope activity("is ahead for", node);
        std::unique_lock<std::mutex> lock(mutex);
        released.wait(lock, [this] { return stopsReading || hasFreeGroup(); });
        if (stopsReading)
          return;
      }
      for (unsigned i = 0; i < group && goesOn; ++i)
        goesOn = readOne();
    }
  }

  /// Whether the thread that reads may use as many calls as make a group.
  bool hasFreeGroup() const {
    return calls.size() - (numRead - first) >= group;
  }

  /// Reads the input's next element. Returns false at the input's end, after a
  /// failure, or if reading is to stop.
  bool readOne() {
    ThreadActivity::ActivityScope activity("reads ahead for", node);
    MapCall &call = at(numRead); // which no other thread uses
    call.end = false;
    call.status = input->next(call.input, call.end);
    call.hasFailed = !call.status.isOk();
    bool isCall = !call.end && !call.hasFailed;
    if (!call.hasFailed)
      input->update(call.position);
    call.origin = input->describeLatest();
    bool hasGroup, isAwaited, goesOn;
    {
      std::lock_guard<std::mutex> lock(mutex);
      call.before = predicted;
      if (isCall)
        for (size_t i = 0; i < predicted.size(); ++i)
          predicted[i] += advance[i];
      call.stage = isCall ? MapCall::Stage::Waiting : MapCall::Stage::Done;
      ++numRead;
      hasGroup = hasUnclaimedGroup();
      isAwaited = hasGroup || awaitsInput;
      goesOn = isCall && !stopsReading;
    }
    if (hasGroup)
      read.notify_one();
    if (isAwaited)
      changed.notify_one();
    return goesOn;
  }

  /// Whether a thread other than the consumer's finds a group of calls.
  bool hasUnclaimedGroup() const { return numRead - numClaimed >= group; }

  /// The numbers of successive calls that one thread makes: `begin` and those
  /// after it, below `end`.
  struct ClaimedCalls {
    uint64_t begin, end;
  };

  /// Returns up to a group of calls that wait for a thread. `mutex` must be
  /// locked.
  ClaimedCalls claim() {
    auto isWaiting = [this](uint64_t number) {
      return at(number).stage == MapCall::Stage::Waiting;
    };
    while (numClaimed < numRead && !isWaiting(numClaimed))
      ++numClaimed;
    ClaimedCalls claimed{numClaimed, numClaimed};
    while (numClaimed < numRead && numClaimed - claimed.begin < group &&
           isWaiting(numClaimed))
      at(numClaimed++).stage = MapCall::Stage::Running;
    claimed.end = numClaimed;
    return claimed;
  }

  static void makeCall(CapturedFunction &own, MapCall &call) {
    NoPoolScope scope;
    call.result = call.input;
    own.setRandomWords(call.before);
    call.status = own.run(call.result);
    call.after = own.randomWords();
  }

  void makeClaimed(CapturedFunction &own, ClaimedCalls claimed,
                   std::unique_lock<std::mutex> &lock) {
    lock.unlock();
    for (uint64_t i = claimed.begin; i < claimed.end; ++i)
      makeCall(own, at(i));
    lock.lock();
    for (uint64_t i = claimed.begin; i < claimed.end; ++i)
      at(i).stage = MapCall::Stage::Done;
    changed.notify_one();
  }

  /// Returns the first call when it is done. Makes it, or others while another
  /// thread makes it. The first one does not wait until a group is complete,
  /// because the input may take long.
  MapCall &waitForFirst() {
    MapCall &call = at(first);
    std::unique_lock<std::mutex> lock(mutex);
    auto isAt = [&](MapCall::Stage stage) {
      return first != numRead && call.stage == stage;
    };
    while (!isAt(MapCall::Stage::Done)) {
      awaitsInput = !isAt(MapCall::Stage::Running);
      ClaimedCalls others{};
      if (awaitsInput || hasUnclaimedGroup())
        others = claim();
      if (others.begin != others.end)
        makeClaimed(*helper, others, lock);
      else
        changed.wait(lock);
    }
    awaitsInput = false;
    return call;
  }

  Status take(MapCall &call, Element &element, bool &end) {
    end = call.end;
    bool isCall = !call.end && !call.hasFailed;
    if (isCall && call.before != function.randomWords()) {
      call.before = function.randomWords();
      makeCall(*helper, call);
    }
    latestOrigin = call.origin;
    Status status = std::move(call.status);
    if (!call.hasFailed)
      consumed.Swap(&call.position);
    call.input.clear();
    if (isCall && status.isOk()) {
      function.setRandomWords(call.after);
      element.swap(call.result);
    }
    release(call, isCall && status.isOk());
    // The thread ends with its input or at a failure, but the input may be
    // asked again.
    if (!isCall || !reader.joinable()) {
      reader.join();
      isReading = false;
    }
    if (isCall && !status.isOk())
      return describeMapFailure(std::move(status), preserveCardinality, name,
                                latestOrigin, end);
    return status;
  }

  /// Lets the thread that reads use the first call, which has been taken, for
  /// another element. `isDone`: the call has drawn its random numbers.
  void release(const MapCall &call, bool isDone) {
    bool hasGroup;
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (isDone)
        learnAdvance(call.before, call.after);
      ++first;
      hasGroup = hasFreeGroup();
    }
    if (hasGroup)
      released.notify_one();
  }

  /// The function of a thread that calls the map's function.
  void run(CapturedFunction &own) {
    ThreadStopRequest::StopRequestScope scope(threadStop);
    std::unique_lock<std::mutex> lock(mutex);
    while (!isStopping) {
      if (hasUnclaimedGroup()) {
        ThreadActivity::ActivityScope activity("maps for", node);
        makeClaimed(own, claim(), lock);
        continue;
      }
      ThreadActivity::ActivityScope activity("is ahead for", node);
      read.wait(lock);
    }
  }

  /// Forgets the elements that were read ahead.
  void drain() {
    stopReading();
    std::unique_lock<std::mutex> lock(mutex);
    numClaimed = numRead;
    changed.wait(lock, [this] {
      return std::none_of(calls.begin(), calls.end(), [](const MapCall &call) {
        return call.stage == MapCall::Stage::Running;
      });
    });
    first = numRead;
    for (MapCall &call : calls) {
      call.stage = MapCall::Stage::Done;
      call.input.clear();
      call.result.clear();
      // The input's states may be updated until it is started or restored.
      call.position.Clear();
    }
  }

  void stop() {
    stopReading();
    {
      std::lock_guard<std::mutex> lock(mutex);
      isStopping = true;
      numClaimed = numRead;
    }
    threadStop.request();
    read.notify_all();
    for (Thread &thread : threads)
      thread.join();
  }

  CapturedFunction function; // has the random state
  bool preserveCardinality;
  std::string name;
  const char *node;
  const InputPipelineOptions &options;
  /// The shortest of the first calls: other work of the machine only adds time.
  std::chrono::nanoseconds shortestCall = std::chrono::hours(1);
  size_t largestElement = 0; // the bytes of the largest of their results
  unsigned numCallsInOrder = 0, width;
  unsigned group = 1;     // the number of calls that a thread makes at a time
  bool isInOrder = false; // whether one thread makes all calls

  std::optional<CapturedFunction> helper; // for calls of the consumer's thread
  std::vector<std::unique_ptr<CapturedFunction>> functions; // of threads
  /// Whether the input is read ahead: it belongs to the thread that reads it.
  bool isReading = false;
  NodeState consumed;       // the input's position after the latest element
  std::string latestOrigin; // describeLatest() while the input is read ahead

  ThreadStopRequest threadStop, readerStop;
  Thread reader;
  std::vector<Thread> threads; // which call the function
  std::mutex mutex;            // guards stages of calls and the fields below
  /// What the consumer waits for: calls that are done, or that it can make.
  std::condition_variable changed;
  /// What the threads that call wait for, and the thread that reads.
  std::condition_variable read, released;
  bool isStopping = false, stopsReading = false;
  bool awaitsInput = false; // the consumer waits until the first call is read
  RandomWords advance;      // how far the latest call moved positions
  RandomWords predicted;    // the random state before the next call to be read
  std::vector<MapCall> calls; // a ring, by the number of the element
  /// The numbers of the first element that the consumer has not taken, of the
  /// first one whose call no thread has claimed, and of the next one to be
  /// read. Only the consumer changes the first, and only the thread that reads
  /// the last.
  uint64_t first = 0, numClaimed = 0, numRead = 0;
};

} // namespace

/// Returns how many threads may call the map's function; 1 if calls must be
/// made in order, or a batch calls the function.
static Expected<unsigned> widthOf(const DatasetContext &context) {
  IteratorContext &environment = context.env();
  const ingot_function &function =
      environment.program.functions[context.dataset().function];
  if (context.isDeferred() || context.isInBody() || environment.exchanges ||
      function.num_variables != 0 || onlyParses(function))
    return 1u;
  INGOT_ASSIGN_OR_RETURN(int64_t calls, context.integer(0));
  unsigned cores = environment.options.parallelCalls != 0
                       ? environment.options.parallelCalls
                       : availableCores();
  // A negative number of calls leaves the choice to the runtime.
  return calls <= 0 ? cores
                    : static_cast<unsigned>(std::min<int64_t>(calls, cores));
}

static Expected<std::unique_ptr<DatasetIterator>>
makeParallelMapDataset(const DatasetContext &context) {
  INGOT_ASSIGN_OR_RETURN(unsigned width, widthOf(context));
  if (width <= 1)
    return makeMapDataset(context);
  INGOT_ASSIGN_OR_RETURN(Element captured, context.variadicOperands());
  INGOT_ASSIGN_OR_RETURN(
      CapturedFunction function,
      CapturedFunction::create(context, std::move(captured)));
  INGOT_ASSIGN_OR_RETURN(auto input, context.makeInput(0));
  return {std::make_unique<ParallelMapIterator>(
      std::move(input), std::move(function), context, width)};
}

static constexpr DatasetOperandConstraint parallelOperands[] = {

    {"num_parallel_calls", INGOT_INT64, 0, false}};
INGOT_DATASET(parallel_map_dataset) = {
    .make = makeParallelMapDataset,
    .variadic = true,
    .operands = parallelOperands,
    .function = DatasetFunctionKind::Compiled,
    .traits = ReadsElementsOnce | Maps | CallsInParallel | Exchanges};

} // namespace ingot::input
