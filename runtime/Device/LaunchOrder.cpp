//===- LaunchOrder.cpp - Which launch waits for which ---------------------===//

#include "runtime/Device/LaunchOrder.h"

#include "runtime/Support/DType.h"

#include <algorithm>

namespace ingot {

LaunchDescriber::LaunchDescriber(const ingot_program &program, uint32_t target,
                                 std::span<const KernelPlan> kernels,
                                 void *const *slots,
                                 std::span<const ingot_argument> fixed)
    : program(program), target(target), kernels(kernels), slots(slots) {
  for (const ingot_argument &argument : fixed)
    fixedSlots.insert(argument.slot);
}

/// Whether the launch can be told apart from others by what it touches.
bool LaunchDescriber::touch(OrderedLaunch &launch, uint32_t slot, int64_t size,
                            bool isWritten) {
  if (!fixedSlots.contains(slot)) {
    openSlots.push_back(slot);
    return !isWritten;
  }
  auto begin = reinterpret_cast<uintptr_t>(slots[slot]);
  launch.memory.push_back({begin, begin + size, isWritten});
  return size > 0;
}

OrderedLaunch LaunchDescriber::describe(const ingot_launch &row,
                                        uint32_t index) {
  const ingot_kernel_info &info = program.kernels[row.kernel];
  const ingot_kernel_code &code = info.code[target];
  const KernelPlan &plan = kernels[row.kernel];
  OrderedLaunch launch = {.row = index,
                          .iterations = plan.iterations,
                          .isParallel = plan.isParallel,
                          .isAlone = plan.iterations < 1,
                          .memory = {},
                          .before = {},
                          .after = {}};
  for (uint32_t i = 0; i < info.num_arguments && !launch.isAlone; ++i) {
    const ingot_tensor_spec &spec = info.arguments[i];
    int64_t size = static_cast<int64_t>(dtypeSize(spec.dtype));
    for (uint32_t dim = 0; dim < spec.rank; ++dim)
      launch.isAlone |= spec.dims[dim] < 0 ||
                        __builtin_mul_overflow(size, spec.dims[dim], &size);
    launch.isAlone |= launch.isAlone || !touch(launch, row.arguments + i, size,
                                               i >= info.num_inputs);
  }
  if (code.scratch_size > 0 && !launch.isAlone)
    launch.isAlone = !touch(launch, row.arguments + info.num_arguments,
                            code.scratch_size, /*isWritten=*/true);
  return launch;
}

namespace {

/// Which launch wrote each address last, and which have read it since. Between
/// two borders, addresses are alike.
class Accesses {
public:
  explicit Accesses(std::span<const OrderedLaunch> launches) {
    for (const OrderedLaunch &launch : launches)
      for (const LaunchMemory &memory : launch.memory) {
        borders.push_back(memory.begin);
        borders.push_back(memory.end);
      }
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    pieces.resize(borders.size());
  }

  /// Adds the launches that this access comes behind.
  void find(const LaunchMemory &memory, std::vector<uint32_t> &before) const {
    forEach(memory, [&](size_t i) {
      const Piece &piece = pieces[i];
      if (memory.isWritten && !piece.readers.empty())
        before.insert(before.end(), piece.readers.begin(), piece.readers.end());
      else if (piece.writer)
        before.push_back(piece.writer - 1);
    });
  }

  void add(const LaunchMemory &memory, uint32_t launch) {
    forEach(memory, [&](size_t i) {
      if (memory.isWritten) {
        pieces[i].writer = launch + 1;
        pieces[i].readers.clear();
      } else if (pieces[i].writer != launch + 1) {
        pieces[i].readers.push_back(launch);
      }
    });
  }

private:
  struct Piece {
    uint32_t writer = 0; // one more than its number
    std::vector<uint32_t> readers;
  };

  template <typename Function>
  void forEach(const LaunchMemory &memory, Function function) const {
    size_t i = std::lower_bound(borders.begin(), borders.end(), memory.begin) -
               borders.begin();
    for (; i < borders.size() && borders[i] < memory.end; ++i)
      function(i);
  }

  std::vector<uintptr_t> borders;
  std::vector<Piece> pieces; // from each border to the next
};

} // namespace

void orderLaunches(std::span<OrderedLaunch> launches) {
  Accesses accesses(launches);
  for (uint32_t i = 0; i < launches.size(); ++i) {
    std::vector<uint32_t> &before = launches[i].before;
    for (const LaunchMemory &memory : launches[i].memory)
      accesses.find(memory, before);
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    for (uint32_t j : before)
      launches[j].after.push_back(i);
    // What is written counts last: a launch may read the same.
    for (bool isWritten : {false, true})
      for (const LaunchMemory &memory : launches[i].memory)
        if (memory.isWritten == isWritten)
          accesses.add(memory, i);
  }
}

} // namespace ingot
