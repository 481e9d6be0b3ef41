//===- Driver.h - State of the tests' CUDA driver ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The driver is told by the environment what to be:
//   INGOT_EMULATED_KERNELS  the folder with shared objects of images
//   INGOT_CUDA_FAIL         FUNCTION:N:ERROR, the N-th call of a function (*:
//                           of any) that fails, and how
//   INGOT_CUDA_DEVICES      how many GPUs there are (1)
//   INGOT_CUDA_VERSION      the driver's version (12000)
//   INGOT_CUDA_CAPABILITY   the GPU's compute capability (80: 8.0)
//   INGOT_CUDA_MEMORY       bytes that the GPU has (4 GiB)
//   INGOT_CUDA_LOG          the file that gets counts of calls and of what was
//                           never given back
//   INGOT_CUDA_COSTS        the file that gets the costs of kernels compiled
//                           with --costs: JSON if it ends with .json, else a
//                           table
//   INGOT_CUDA_REVERSED     blocks run from the last to the first
//   INGOT_CUDA_TOGETHER     how many blocks run at once (4); 0: the GPU has no
//                           launches of that kind
//   INGOT_CUDA_CLUSTER      how many blocks are a cluster at most (16)
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TEST_CUDA_DRIVER_H
#define INGOT_TEST_CUDA_DRIVER_H

#include "runtime/Device/CudaTypes.h"
#include "test/Emulator/Emulator.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ingot::cuda {

/// A vector clock: for each stream, by its number, how many pieces of its work
/// are known to be done.
using Clock = std::map<uint64_t, uint64_t>;

/// A stream's work is done only when something waits for it, so that a missing
/// wait shows in the results.
struct CUstream_st {
  explicit CUstream_st(uint64_t number) : number(number) {}
  uint64_t number;
  std::deque<std::function<CUresult()>> work;
  Clock before; // the work known to be done before the stream's next piece
};

struct CUevent_st {
  CUstream stream = nullptr;
  /// Whether the stream has reached the last record; null: no record.
  std::shared_ptr<bool> isDone;
  Clock before;
};

struct CUfunc_st {
  ingot::emulator::Kernel kernel;
  std::string name;
  const uint32_t *parameterSizes; // the sizes end with a 0
  uint8_t *shared;
  size_t sharedBytes;
  uint8_t *dynamic;
  int mostDynamic; // the largest dynamic shared memory allowed, in bytes
  /// Of kernels compiled with --costs, else null.
  const ingot::emulator::KernelResources *resources = nullptr;
  bool takesLargeClusters = false;
};

struct CUmod_st {
  void *library = nullptr;
  std::map<std::string, CUfunc_st> functions;
};

struct CUctx_st {};

/// A launch of a kernel with the values of its parameters, or a copy.
struct KernelCall {
  CUfunction function;
  ingot::emulator::Shape grid, block;
  size_t dynamicBytes;
  std::vector<std::vector<uint8_t>> parameters;
  bool startsEarly = false;
  bool together = false, isCluster = false;
  /// If set, the call is this copy, and the members above are not used.
  std::optional<CUDA_MEMCPY3D> copy = std::nullopt;

  static KernelCall make(CUfunction function, ingot::emulator::Shape grid,
                         ingot::emulator::Shape block, size_t dynamicBytes,
                         void **values);
  CUresult run();
  /// Returns whether Driver::isOrdered() holds for all memory that this call on
  /// `stream` may use.
  bool isOrdered(CUstream stream) const;
};

struct CUgraphNode_st {
  KernelCall call;
  std::vector<CUgraphNode_st *> before;
};

struct CUgraph_st {
  std::deque<CUgraphNode_st> nodes;
};

struct CUgraphExec_st {
  std::vector<KernelCall> calls;
};

/// All state of the tests' CUDA driver, guarded by `mutex`.
class Driver {
public:
  static Driver &get();
  ~Driver();

  std::recursive_mutex mutex;
  int deviceCount = 1, version = 12000, capability = 80;
  uint64_t memory = uint64_t(4) << 30;
  bool isReversed = false;
  int multiprocessors = 2, together = 4, cluster = 16;
  uint64_t numStreams = 0;
  std::string kernelFolder;

  /// Makes the `number`-th call of `function` from now on fail with `error`.
  void fail(const std::string &function, uint64_t number, CUresult error);
  /// Adds `number` to the counter `what`, which counts something else than
  /// calls.
  void count(const std::string &what, uint64_t number) {
    counts[what] += number;
  }
  uint64_t countOf(const std::string &what) { return counts[what]; }
  /// Raises the counter `what` to `number` if it is smaller: it keeps a
  /// maximum.
  void reach(const std::string &what, uint64_t number) {
    counts[what] = std::max(counts[what], number);
  }
  uint64_t callsOf(const std::string &function) {
    return function == "*" ? allCalls : calls[function];
  }

  /// Counts a call of `function`. Returns the error with which the call is to
  /// fail, or CUDA_SUCCESS.
  CUresult begin(const char *function);

  /// If `error` is one after which a device is lost, all later calls fail with
  /// it. Returns `error`.
  CUresult remember(CUresult error);

  /// The objects that the program has to free, with their sizes, by kind.
  std::map<std::string, std::map<const void *, size_t>> live;
  template <typename T> T *own(const char *kind, T *object, size_t size = 1) {
    live[kind][object] = size;
    return object;
  }
  /// Removes an object from `live`. Returns false if it is not there: it does
  /// not exist, or was freed before.
  bool disown(const char *kind, const void *object) {
    return live[kind].erase(object) != 0;
  }
  bool has(const char *kind, const void *object) {
    return live[kind].contains(object);
  }
  /// Aborts with a message if the program still has objects when its context
  /// is destroyed: NVIDIA's driver crashes when they are destroyed later.
  void checkNothingIsLeft();
  /// Whether the `size` bytes from `data` on lie in one object of this kind.
  bool covers(const char *kind, const void *data, size_t size);

  /// Does the work of `stream` until *isDone is true; if `isDone` is null, all
  /// of its work. Work that returns CUDA_ERROR_NOT_READY, as it depends on
  /// another process, is tried again; without `waits`, this function then
  /// returns that error.
  CUresult work(CUstream stream, const bool *isDone = nullptr,
                bool waits = true);
  CUresult workAll();

  /// Checks the order in which streams use `memory`: false, with a message, if
  /// another stream uses the same allocation, one of the two writes it, and
  /// nothing orders the two uses (Order.cpp).
  bool isOrdered(CUstream stream, const void *memory, bool isWritten,
                 const char *what);
  /// Notes that the host has waited for all work in `clock`.
  void waited(const Clock &clock);
  static void merge(Clock &clock, const Clock &other);

private:
  Driver();
  void writeLog();
  void writeCosts();

  std::map<std::string, uint64_t> calls, counts;
  uint64_t allCalls = 0;
  std::string failing;
  uint64_t failingCall = 0;
  CUresult failure = CUDA_SUCCESS;
  CUresult lost = CUDA_SUCCESS;
  Clock host; // the work that the host has waited for
  /// For one allocation: the last work of each stream that reads it, and the
  /// last that writes it.
  struct Uses {
    Clock reads, writes;
  };
  std::map<const void *, Uses> uses;

public:
  void forget(const void *memory) { uses.erase(memory); }
};

} // namespace ingot::cuda

using namespace ingot::cuda;

/// Whether `stream` exists, and the `size` bytes of device memory from
/// `address` on are allocated: otherwise returns an error.
CUresult checkWork(CUstream stream, CUdeviceptr address, size_t size);

/// Whether `function` can be launched with this grid, block and dynamic shared
/// memory: otherwise returns an error.
CUresult checkLaunch(const ingot::emulator::Shape &grid,
                     const ingot::emulator::Shape &block, CUfunction function,
                     unsigned dynamicBytes);

/// Starts each function of the driver: takes the lock, and fails if a test has
/// asked for it.
#define INGOT_BEGIN(function)                                                  \
  Driver &driver = Driver::get();                                              \
  std::lock_guard lock(driver.mutex);                                          \
  if (CUresult error = driver.begin(#function))                                \
  return error

#define INGOT_EXPORT extern "C" __attribute__((visibility("default"))) CUresult

#endif // INGOT_TEST_CUDA_DRIVER_H
