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

/// How much of each stream's work, by number, is known to be done; streams by
/// their own numbers.
using Clock = std::map<uint64_t, uint64_t>;

/// Work of a stream is done only when something waits for it, so that a missing
/// wait shows.
struct CUstream_st {
  explicit CUstream_st(uint64_t number) : number(number) {}
  uint64_t number;
  std::deque<std::function<CUresult()>> work;
  Clock before; // what is done when the next work begins
};

struct CUevent_st {
  CUstream stream = nullptr;
  std::shared_ptr<bool> isDone; // of the last record; null: none yet
  Clock before;
};

struct CUfunc_st {
  ingot::emulator::Kernel kernel;
  std::string name;
  const uint32_t *parameterSizes; // ended by 0
  uint8_t *shared;
  size_t sharedBytes;
  uint8_t *dynamic;
  int mostDynamic; // bytes, as launches were allowed to ask for
  bool takesLargeClusters = false;
};

struct CUmod_st {
  void *library = nullptr;
  std::map<std::string, CUfunc_st> functions;
};

struct CUctx_st {};

/// A launch with its parameters' values.
struct KernelCall {
  CUfunction function;
  ingot::emulator::Shape grid, block;
  size_t dynamicBytes;
  std::vector<std::vector<uint8_t>> parameters;
  bool startsEarly = false;
  bool together = false, isCluster = false;
  /// Of a copy: instead of all of the above.
  std::optional<CUDA_MEMCPY3D> copy = std::nullopt;

  static KernelCall make(CUfunction function, ingot::emulator::Shape grid,
                         ingot::emulator::Shape block, size_t dynamicBytes,
                         void **values);
  CUresult run();
  /// Of all memory that it may use (Driver::isOrdered).
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

/// All state of the driver, guarded by one lock.
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

  /// From now on the `number`-th call of `function` fails.
  void fail(const std::string &function, uint64_t number, CUresult error);
  /// Counts other things than calls.
  void count(const std::string &what, uint64_t number) {
    counts[what] += number;
  }
  uint64_t countOf(const std::string &what) { return counts[what]; }
  /// The most that there was of it at a time.
  void reach(const std::string &what, uint64_t number) {
    counts[what] = std::max(counts[what], number);
  }
  uint64_t callsOf(const std::string &function) {
    return function == "*" ? allCalls : calls[function];
  }

  /// A call of `function` begins: whether it is to fail.
  CUresult begin(const char *function);

  /// The device is lost from now on, where `error` is of that kind.
  CUresult remember(CUresult error);

  /// Objects that the program has to free, by kind.
  std::map<std::string, std::map<const void *, size_t>> live;
  template <typename T> T *own(const char *kind, T *object, size_t size = 1) {
    live[kind][object] = size;
    return object;
  }
  /// False if it does not exist, or was freed before.
  bool disown(const char *kind, const void *object) {
    return live[kind].erase(object) != 0;
  }
  bool has(const char *kind, const void *object) {
    return live[kind].contains(object);
  }
  /// Aborts with a message if the program still has objects when its context
  /// is destroyed: NVIDIA's driver crashes when they are destroyed later.
  void checkNothingIsLeft();
  /// Whether all bytes lie in one allocation.
  bool covers(const char *kind, const void *data, size_t size);

  /// Does a stream's work until `isDone` or all of it.
  CUresult work(CUstream stream, const bool *isDone = nullptr);
  CUresult workAll();

  /// Work of a stream uses memory: false, told by a message, where another
  /// stream's work does that nothing orders before it (Order.cpp). Memory is
  /// looked at allocation by allocation.
  bool isOrdered(CUstream stream, const void *memory, bool isWritten,
                 const char *what);
  /// The host has waited, or a stream will.
  void waited(const Clock &clock);
  static void merge(Clock &clock, const Clock &other);

private:
  Driver();

  std::map<std::string, uint64_t> calls, counts;
  uint64_t allCalls = 0;
  std::string failing;
  uint64_t failingCall = 0;
  CUresult failure = CUDA_SUCCESS;
  CUresult lost = CUDA_SUCCESS;
  Clock host; // what the program has waited for
  /// By allocation: each stream's last work that reads it, and that writes it.
  struct Uses {
    Clock reads, writes;
  };
  std::map<const void *, Uses> uses;

public:
  void forget(const void *memory) { uses.erase(memory); }
};

} // namespace ingot::cuda

using namespace ingot::cuda;

/// Whether a stream can be told to work on `size` bytes of the device's memory:
/// both have to be there.
CUresult checkWork(CUstream stream, CUdeviceptr address, size_t size);

/// Whether a kernel can be launched in this shape.
CUresult checkLaunch(const ingot::emulator::Shape &grid,
                     const ingot::emulator::Shape &block, CUfunction function,
                     unsigned dynamicBytes);

/// Opens the body of each of the driver's functions.
#define INGOT_BEGIN(function)                                                  \
  Driver &driver = Driver::get();                                              \
  std::lock_guard lock(driver.mutex);                                          \
  if (CUresult error = driver.begin(#function))                                \
  return error

#define INGOT_EXPORT extern "C" __attribute__((visibility("default"))) CUresult

#endif // INGOT_TEST_CUDA_DRIVER_H
