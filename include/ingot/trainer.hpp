//===- ingot/trainer.hpp - A trainer in your C++ program --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0
//
// The class Trainer wraps the C functions of ingot/trainer.h, for C++17 and
// later. It throws no exceptions of its own. What ingot/trainer.h says about
// errors, ownership and threads is also true for this header.
//
//   #include "foo.h" // made by ingotc train.meta --emit=lib -o libfoo.a
//   #include <ingot/trainer.hpp>
//
//   ingot::Trainer trainer;
//   ingot::Result result = trainer.open(foo_library(), "run");
//   while (result)
//     result = trainer.step({ingot::feed("x", pixels, {32, 784})});
//   if (!result.hasEnded())
//     std::fprintf(stderr, "%s\n", result.message().c_str());
//
//===----------------------------------------------------------------------===//
#ifndef INGOT_TRAINER_HPP
#define INGOT_TRAINER_HPP

#include "ingot/trainer.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ingot {

/// The result of a call. It converts to true if the call has succeeded.
class [[nodiscard]] Result {
public:
  Result() = default;
  Result(int32_t code, const char *message)
      : theCode(code), theMessage(code == INGOT_TRAINER_OK ? "" : message) {}

  explicit operator bool() const { return theCode == INGOT_TRAINER_OK; }
  /// Returns whether no step was trained because the run has ended: --max-steps
  /// is reached, or the data has ended. This is not an error.
  bool hasEnded() const { return theCode == INGOT_TRAINER_END; }
  int32_t code() const { return theCode; }
  /// Returns the error message: what is wrong, where, and what was expected. ""
  /// after a success.
  const std::string &message() const { return theMessage; }

private:
  int32_t theCode = INGOT_TRAINER_OK;
  std::string theMessage;
};

namespace detail {
template <typename T> constexpr int32_t dtypeOf() {
  if constexpr (std::is_same_v<T, float>)
    return INGOT_TRAINER_FLOAT;
  else if constexpr (std::is_same_v<T, double>)
    return INGOT_TRAINER_DOUBLE;
  else if constexpr (std::is_same_v<T, bool>)
    return INGOT_TRAINER_BOOL;
  else if constexpr (std::is_same_v<T, ingot_trainer_string>)
    return INGOT_TRAINER_STRING;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return sizeof(T) == 1   ? INGOT_TRAINER_INT8
           : sizeof(T) == 2 ? INGOT_TRAINER_INT16
           : sizeof(T) == 4 ? INGOT_TRAINER_INT32
                            : INGOT_TRAINER_INT64;
  else if constexpr (std::is_integral_v<T>)
    return sizeof(T) == 1   ? INGOT_TRAINER_UINT8
           : sizeof(T) == 2 ? INGOT_TRAINER_UINT16
           : sizeof(T) == 4 ? INGOT_TRAINER_UINT32
                            : INGOT_TRAINER_UINT64;
  else
    return 0;
}
} // namespace detail

/// A tensor to pass to a trainer. The caller owns its elements, which must stay
/// valid during the call. A scalar, the shape, and the addresses of strings are
/// copied.
class Feed {
public:
  Feed(std::string name, int32_t dtype, const void *data, uint64_t size,
       std::vector<int64_t> dims)
      : theName(std::move(name)), theType(dtype), theData(data), theSize(size),
        theDims(std::move(dims)) {}

  /// Makes a scalar, whose value is copied.
  template <typename T>
  Feed(std::string name, const T &value)
      : Feed(std::move(name), detail::dtypeOf<T>(), nullptr, sizeof(T), {}) {
    static_assert(detail::dtypeOf<T>() != 0, "no tensor has such elements");
    const char *bytes = reinterpret_cast<const char *>(&value);
    theCopy.assign(bytes, bytes + sizeof(T));
  }

  /// Makes a tensor of strings. Their bytes are not copied.
  Feed(std::string name, const std::vector<std::string> &texts,
       std::vector<int64_t> dims)
      : Feed(std::move(name), INGOT_TRAINER_STRING, nullptr,
             texts.size() * sizeof(ingot_trainer_string), std::move(dims)) {
    for (const std::string &text : texts) {
      ingot_trainer_string element = {text.data(), text.size()};
      const char *bytes = reinterpret_cast<const char *>(&element);
      theCopy.insert(theCopy.end(), bytes, bytes + sizeof(element));
    }
  }

  /// Returns the tensor as a struct of the C interface, which is valid as long
  /// as this object.
  ingot_trainer_tensor tensor() const {
    return {theName.c_str(),
            theType,
            static_cast<uint32_t>(theDims.size()),
            theDims.data(),
            theCopy.empty() ? theData : theCopy.data(),
            theSize};
  }

private:
  std::string theName;
  int32_t theType;
  const void *theData;
  uint64_t theSize;
  std::vector<int64_t> theDims;
  std::vector<char> theCopy;
};

/// Makes a tensor of shape `dims` from `values`, which are not copied. For
/// elements of type bool, half or bfloat16, use the constructor of Feed.
template <typename T>
Feed feed(std::string name, const std::vector<T> &values,
          std::vector<int64_t> dims) {
  static_assert(!std::is_same_v<T, bool>,
                "std::vector<bool> has no bools in memory: give bytes to Feed");
  static_assert(detail::dtypeOf<T>() != 0, "no tensor has such elements");
  return Feed(std::move(name), detail::dtypeOf<T>(), values.data(),
              values.size() * sizeof(T), std::move(dims));
}

inline Feed feed(std::string name, const std::vector<std::string> &texts,
                 std::vector<int64_t> dims) {
  return Feed(std::move(name), texts, std::move(dims));
}

/// Makes a scalar, whose value is copied.
template <typename T> Feed feed(std::string name, const T &value) {
  return Feed(std::move(name), value);
}

/// A tensor that a trainer returns and owns. It is valid until the next call
/// that runs, changes, restores or closes the trainer.
class Tensor {
public:
  Tensor() = default;
  explicit Tensor(const ingot_trainer_tensor &value) : tensor(value) {}

  const char *name() const { return tensor.name ? tensor.name : ""; }
  int32_t dtype() const { return tensor.dtype; }
  std::vector<int64_t> dims() const {
    return tensor.dims
               ? std::vector<int64_t>(tensor.dims, tensor.dims + tensor.rank)
               : std::vector<int64_t>();
  }
  const void *bytes() const { return tensor.data; }
  uint64_t sizeInBytes() const { return tensor.size; }

  /// Return the elements and their number. If they are not of type T, the
  /// pointer is null and the number is 0.
  template <typename T> const T *data() const {
    return tensor.dtype == detail::dtypeOf<T>()
               ? static_cast<const T *>(tensor.data)
               : nullptr;
  }
  template <typename T> size_t size() const {
    return data<T>() ? static_cast<size_t>(tensor.size / sizeof(T)) : 0;
  }
  template <typename T> std::vector<T> values() const {
    const T *first = data<T>();
    return first ? std::vector<T>(first, first + size<T>()) : std::vector<T>();
  }

  /// Returns the elements of a tensor of strings, or an empty vector for any
  /// other tensor.
  std::vector<std::string> texts() const {
    std::vector<std::string> result;
    const auto *first = data<ingot_trainer_string>();
    for (size_t i = 0; i < size<ingot_trainer_string>(); ++i)
      result.emplace_back(first[i].size == 0 ? "" : first[i].data,
                          static_cast<size_t>(first[i].size));
    return result;
  }

private:
  ingot_trainer_tensor tensor = {};
};

class Trainer;

/// The options to open a trainer with (see ingot_trainer_options).
struct TrainerOptions {
  std::string modelDir;
  std::vector<std::string> flags = {}; ///< "--save-checkpoints-steps=100"
  bool readOnly = false;
  ingot_trainer_log log = nullptr;
  void *logState = nullptr;
  /// Gives variables of a new model their first values (ingot_trainer_init): it
  /// may run entries, and read and write variables. Opening fails with the
  /// result that it returns.
  std::function<Result(Trainer &)> initFn = nullptr;
};

/// A trainer, which may be open or not. It can be moved, but not copied. The
/// destructor closes the trainer without saving it.
class Trainer {
public:
  Trainer() = default;
  ~Trainer() { close(); }
  Trainer(Trainer &&other) noexcept { swap(other); }
  Trainer &operator=(Trainer &&other) noexcept {
    if (this != &other) {
      close();
      swap(other);
    }
    return *this;
  }
  Trainer(const Trainer &) = delete;
  Trainer &operator=(const Trainer &) = delete;

  Result open(const ingot_trainer_library *library,
              const TrainerOptions &options) {
    return openWith(options, [&](const ingot_trainer_options &given,
                                 char *message, size_t size) {
      return ingot_trainer_open(library, &given, &handle, message, size);
    });
  }
  Result open(const ingot_trainer_library *library, std::string modelDir) {
    TrainerOptions options;
    options.modelDir = std::move(modelDir);
    return open(library, options);
  }

  /// Opens the trainer from a checkpoint only (ingot_trainer_recover()).
  /// `initialized` is true if one was restored and made the model ready.
  Result recover(const ingot_trainer_library *library,
                 const TrainerOptions &options, bool &initialized) {
    int32_t flag = 0;
    Result result = openWith(options, [&](const ingot_trainer_options &given,
                                          char *message, size_t size) {
      return ingot_trainer_recover(library, &given, &handle, &flag, message,
                                   size);
    });
    initialized = flag != 0;
    return result;
  }

  void close() {
    ingot_trainer_close(handle);
    handle = nullptr;
  }
  bool isOpen() const { return handle != nullptr; }
  /// Returns the C handle, which the functions of a library's generated header
  /// take as their argument, or null if no trainer is open.
  ingot_trainer *get() const { return handle; }

  int64_t globalStep() const { return ingot_trainer_global_step(handle); }

  /// Trains one step. If the run has ended, no step is trained, and
  /// Result::hasEnded() is true.
  Result step(const std::vector<Feed> &feeds = {}) {
    std::vector<ingot_trainer_tensor> tensors = tensorsOf(feeds);
    return resultOf(ingot_trainer_step(handle, tensors.data(), tensors.size()));
  }
  Result run(const std::string &entry, const std::vector<Feed> &feeds = {}) {
    std::vector<ingot_trainer_tensor> tensors = tensorsOf(feeds);
    return resultOf(ingot_trainer_run(handle, entry.c_str(), tensors.data(),
                                      tensors.size()));
  }
  Result fetch(const std::string &name, Tensor &value) {
    ingot_trainer_tensor tensor = {};
    int32_t code = ingot_trainer_fetch(handle, name.c_str(), &tensor);
    value = Tensor(tensor);
    return resultOf(code);
  }
  Result read(const std::string &variable, Tensor &value) {
    ingot_trainer_tensor tensor = {};
    int32_t code = ingot_trainer_read(handle, variable.c_str(), &tensor);
    value = Tensor(tensor);
    return resultOf(code);
  }
  /// Sets the variable that has the name of `value`.
  Result write(const Feed &value) {
    ingot_trainer_tensor tensor = value.tensor();
    return resultOf(ingot_trainer_write(handle, &tensor));
  }
  Result save() { return resultOf(ingot_trainer_save(handle)); }
  /// Restores a checkpoint, or if `checkpoint` is "", the newest one in the
  /// model directory.
  Result restore(const std::string &checkpoint = "") {
    return resultOf(ingot_trainer_restore(
        handle, checkpoint.empty() ? nullptr : checkpoint.c_str()));
  }
  Result evaluate(std::vector<std::pair<std::string, double>> &metrics,
                  int64_t batches = -1, const std::string &entry = "") {
    const ingot_trainer_metric *found = nullptr;
    size_t count = 0;
    int32_t code =
        ingot_trainer_evaluate(handle, entry.empty() ? nullptr : entry.c_str(),
                               batches, &found, &count);
    metrics.clear();
    for (size_t i = 0; i < count; ++i)
      metrics.emplace_back(found[i].name, found[i].value);
    return resultOf(code);
  }

private:
  /// The init function, and the message of its failure.
  struct Init {
    std::function<Result(Trainer &)> function;
    std::string message;
  };
  static int32_t callInit(ingot_trainer *handle, void *state) {
    Init &init = *static_cast<Init *>(state);
    Trainer lent;
    lent.handle = handle;
    Result result = init.function(lent);
    lent.handle = nullptr; // so that ~Trainer() does not close the trainer
    init.message = result.message();
    return result.code();
  }

  /// Calls `function`, which opens a trainer, with the C struct of `options`.
  template <typename FunctionT>
  Result openWith(const TrainerOptions &options, FunctionT function) {
    close();
    std::vector<const char *> flags;
    for (const std::string &flag : options.flags)
      flags.push_back(flag.c_str());
    init.reset();
    ingot_trainer_options given = INGOT_TRAINER_OPTIONS;
    given.read_only = options.readOnly;
    given.model_dir =
        options.modelDir.empty() ? nullptr : options.modelDir.c_str();
    given.flags = flags.data();
    given.num_flags = flags.size();
    given.log = options.log;
    given.log_state = options.logState;
    if (options.initFn) {
      init.reset(new Init{options.initFn, ""});
      given.init_fn = callInit;
      given.init_state = init.get();
    }
    char message[4096] = "";
    int32_t code = function(given, message, sizeof(message));
    return Result(code, init && !init->message.empty() ? init->message.c_str()
                                                       : message);
  }

  void swap(Trainer &other) noexcept {
    std::swap(handle, other.handle);
    std::swap(init, other.init);
  }
  Result resultOf(int32_t code) const {
    return Result(code,
                  code == INGOT_TRAINER_OK ? "" : ingot_trainer_error(handle));
  }
  static std::vector<ingot_trainer_tensor>
  tensorsOf(const std::vector<Feed> &feeds) {
    std::vector<ingot_trainer_tensor> tensors;
    for (const Feed &feed : feeds)
      tensors.push_back(feed.tensor());
    return tensors;
  }

  ingot_trainer *handle = nullptr;
  std::unique_ptr<Init> init;
};

} // namespace ingot

#endif // INGOT_TRAINER_HPP
