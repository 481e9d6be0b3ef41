//===- CoherentDeviceSession.cpp - A session's kernels on a device --------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/CoherentDeviceSession.h"

#include "runtime/Session/Context.h"
#include "runtime/Session/Program.h"
#include "runtime/Support/DType.h"

#include <algorithm>

using namespace ingot;

Expected<std::unique_ptr<DeviceSession>>
CoherentDeviceSession::create(ingot_context &context,
                              std::unique_ptr<Device> device) {
  std::unique_ptr<CoherentDeviceSession> mirror(
      new CoherentDeviceSession(context, *device));
  mirror->device = std::move(device);
  INGOT_ASSIGN_OR_RETURN(mirror->variables,
                         DeviceMemory::allocate(*mirror->device,
                                                context.storage.size(),
                                                "the variables"));
  mirror->state.assign(context.variables.size(), NewerSide::host);
  return std::unique_ptr<DeviceSession>(std::move(mirror));
}

/// Returns the device memory of `entry`, which is allocated when the entry runs
/// for the first time. Records which variables and arena ranges are accessed by
/// the entry's host code, the code between launches that always runs on the
/// CPU. The program's descriptor lists them.
Expected<CoherentDeviceSession::EntryDeviceMemory *>
CoherentDeviceSession::mirrorOf(const ingot_entry &entry) {
  if (auto found = mirrors.find(&entry); found != mirrors.end())
    return &found->second;
  EntryDeviceMemory made;
  made.arenaSize = entry.arena_size;
  INGOT_ASSIGN_OR_RETURN(
      made.arena, DeviceMemory::allocate(*device, entry.arena_size,
                                         "temporaries of entry '" +
                                             std::string(entry.name) + "'"));
  for (uint32_t i = 0; i < entry.num_host_memory; ++i) {
    const ingot_host_memory &memory = entry.host_memory[i];
    auto number = static_cast<uint64_t>(memory.number);
    if (memory.kind == INGOT_ARGUMENT_VARIABLE) {
      made.readByHost.push_back(static_cast<uint32_t>(number));
      if (memory.is_written)
        made.writtenByHost.push_back(static_cast<uint32_t>(number));
    } else if (memory.kind == INGOT_ARGUMENT_FETCH) {
      made.accessesFetches = true;
    } else {
      made.touched.push_back(
          {{number, number + static_cast<uint64_t>(memory.size)},
           memory.is_written != 0});
    }
  }
  return &mirrors.emplace(&entry, std::move(made)).first->second;
}

/// Drops the device copies of fetches whose BoundEntryPoint was destroyed. In
/// the meantime, the host may have allocated other memory at their addresses.
Status CoherentDeviceSession::dropUnownedFetches() {
  auto isUnowned = [](const auto &known) {
    return known.second.owner.expired();
  };
  if (std::none_of(allFetches.begin(), allFetches.end(), isUnowned))
    return Status::ok();
  // Start the pending copies first, since they may use the device memory that
  // is freed here.
  INGOT_RETURN_IF_ERROR(launchPending());
  std::erase_if(allFetches, isUnowned);
  return Status::ok();
}

Status CoherentDeviceSession::begin(const ingot_entry &entry,
                                    std::span<uint8_t> runArena,
                                    const FetchBuffer &fetches) {
  if (!failure.isOk())
    return failure;
  Expected<EntryDeviceMemory *> found = mirrorOf(entry);
  if (!found)
    return failure = found.takeStatus();
  mirror = *found;
  arena = runArena.data();
  newerOnHost.clear();
  newerOnDevice.clear();
  held.clear();
  while (!kept.empty())
    forget(kept.begin()->second.host);
  INGOT_RETURN_IF_ERROR(dropUnownedFetches());
  if (!fetches.bytes.empty()) {
    HostMirroredDeviceBlock &results = allFetches[fetches.bytes.data()];
    results.newer.clear();
    results.newerOnHost.clear();
    results.host = fetches.bytes.data();
    results.size = fetches.bytes.size();
    results.owner = fetches.owner;
    results.isTouched = mirror->accessesFetches;
  }
  for (uint32_t variable : mirror->readByHost)
    INGOT_RETURN_IF_ERROR(readVariable(variable));
  return Status::ok();
}

void CoherentDeviceSession::end() {
  if (mirror && failure.isOk())
    for (uint32_t variable : mirror->writtenByHost)
      wroteVariable(variable);
  mirror = nullptr;
  arena = nullptr;
}

void CoherentDeviceSession::hold(std::span<const ingot_tensor> tensors) {
  for (const ingot_tensor &tensor : tensors) {
    uint64_t size = dtypeSize(tensor.dtype);
    for (uint32_t dim = 0; dim < tensor.rank; ++dim)
      size *= static_cast<uint64_t>(tensor.dims[dim]);
    auto begin = reinterpret_cast<uintptr_t>(tensor.data);
    std::erase_if(held, [&](const MirroredHostRange &known) {
      return known.begin < begin + size && begin < known.end;
    });
    if (size > 0)
      held.push_back({begin, begin + size, 0});
  }
}

void CoherentDeviceSession::keep(void *data, uint64_t size) {
  if (size == 0)
    return;
  HostMirroredDeviceBlock &block = kept[static_cast<uint8_t *>(data)];
  block.host = static_cast<uint8_t *>(data);
  block.size = size;
}

void CoherentDeviceSession::forget(void *data) {
  auto found = kept.find(static_cast<uint8_t *>(data));
  if (found == kept.end())
    return;
  // The block's device memory can be reused at once. The device runs launches
  // in order, so launches that use the memory for this block end before later
  // launches begin. Copies in `pendingCopies` have not been passed to the
  // device, and so have no place in this order: if one of them uses the memory,
  // pass them first.
  const DeviceMemory &memory = found->second.memory;
  auto usesIt = [&](const DeviceLaunch &copy) {
    return std::any_of(copy.memory.begin(), copy.memory.end(),
                       [&](const AccessedDeviceRange &range) {
                         return range.begin <
                                    memory.address() + memory.size() &&
                                memory.address() < range.end;
                       });
  };
  if (failure.isOk() &&
      std::any_of(pendingCopies.begin(), pendingCopies.end(), usesIt))
    failure = launchPending();
  if (memory.size() > 0)
    freeMemory.push_back(std::move(found->second.memory));
  kept.erase(found);
}

void CoherentDeviceSession::run(std::span<const ingot_launch> rows,
                                bool showsAll, const RunOnHost &runOnHost) {
  if (!failure.isOk())
    return;
  downloadsAll = showsAll;
  // The entry's host code (the code between launches, which runs on the CPU)
  // does not report its writes. So assume that, since the last launches, it has
  // written all memory that it may write.
  for (uint32_t variable : mirror->writtenByHost)
    wroteVariable(variable);
  for (const HostAccessedArenaRange &touched : mirror->touched)
    if (touched.isWritten) {
      newerOnHost.add(touched.range);
      newerOnDevice.remove(touched.range);
    }
  batch = QueuedLaunches();
  batch.launches = std::move(pendingCopies);
  pendingCopies.clear();
  failure = runRows(rows, runOnHost);
}

/// Runs launches in order. Launches with device code are collected in `batch`,
/// which is passed to the device later. Any other launch runs on the host; if
/// it needs results of the batch, the batch runs first.
Status CoherentDeviceSession::runRows(std::span<const ingot_launch> rows,
                                      const RunOnHost &runOnHost) {
  for (const ingot_launch &row : rows) {
    bool isCounter = counts(row);
    // The batch grows until the host needs a result of its launches, or until a
    // further launch needs an upload that must wait for them
    // (readsPartOfCopy(), hasHazard()).
    if (kernels[row.kernel].entry && !isCounter) {
      if (readsPartOfCopy(row) || hasHazard(row))
        INGOT_RETURN_IF_ERROR(flush());
      INGOT_RETURN_IF_ERROR(add(row));
      continue;
    }
    if (needsFlush(row, isCounter))
      INGOT_RETURN_IF_ERROR(flush());
    else if (!isCounter)
      INGOT_RETURN_IF_ERROR(startLaunches());
    INGOT_RETURN_IF_ERROR(prepareForHost(row, isCounter));
    runOnHost(row);
    noteHostResults(row);
  }
  return flush();
}

/// Passes the launches of the batch to the device without waiting for them, so
/// that the device computes while the host runs the next launch. The caller has
/// checked that the next launch does not depend on the batch.
Status CoherentDeviceSession::startLaunches() {
  INGOT_RETURN_IF_ERROR(device->launch(batch.launches));
  batch.launches.clear();
  return Status::ok();
}

Status CoherentDeviceSession::flush() {
  INGOT_RETURN_IF_ERROR(device->launch(batch.launches));
  if (!batch.downloads.empty())
    INGOT_RETURN_IF_ERROR(device->download(batch.downloads));
  batch = QueuedLaunches();
  return Status::ok();
}

/// Calls `visit(slot, bytes, isOutput)` for each argument of a launch. The
/// argument's address is in word `slot` of the arena, which begins with the
/// argument table. Returns the slot after the last argument.
template <typename Visit>
static uint32_t forEachArgument(const ingot_kernel_info &info,
                                const ingot_device_kernel &kernel,
                                const ingot_launch &row, void *const *slots,
                                Visit visit) {
  uint32_t slot = row.arguments;
  for (uint32_t i = 0; i < info.num_arguments; ++i) {
    const ingot_tensor_spec &spec = info.arguments[i];
    uint32_t first = slot++;
    int64_t elements = 1;
    for (uint32_t dim = 0; dim < spec.rank; ++dim)
      elements *= spec.dims[dim] >= 0
                      ? spec.dims[dim]
                      : reinterpret_cast<intptr_t>(slots[slot++]);
    visit(first, static_cast<uint64_t>(elements) * kernel.element_sizes[i],
          i >= info.num_inputs);
  }
  return slot;
}

/// Returns true if an argument's bytes must be current on the host before a
/// launch runs there. This includes most outputs, because a launch may write
/// only a part of an output. Only a launch on scalars (`isCounter`) writes its
/// whole output, so its outputs in the arena need not be current.
static bool isRead(bool isInArena, bool isOutput, bool isCounter) {
  return !(isInArena && isOutput && isCounter);
}

/// Returns true if a launch should run on the host although it has device code:
/// if all its arguments are integer or boolean scalars and the host has their
/// current values. Examples are the update of the global step and the condition
/// of a counted loop. The host reads their results, so running them on the
/// device would only add copies.
bool CoherentDeviceSession::counts(const ingot_launch &row) const {
  const ingot_kernel_info &info = context.program->kernels[row.kernel];
  const ingot_device_kernel &kernel = kernels[row.kernel];
  bool counts = true;
  for (uint32_t i = 0; i < info.num_arguments; ++i)
    counts &= info.arguments[i].rank == 0 &&
              (info.arguments[i].dtype == INGOT_INT32 ||
               info.arguments[i].dtype == INGOT_INT64 ||
               info.arguments[i].dtype == INGOT_BOOL);
  if (!counts)
    return false;
  auto *slots = reinterpret_cast<void *const *>(arena);
  forEachArgument(info, kernel, row, slots,
                  [&](uint32_t slot, uint64_t size, bool isOutput) {
                    ResolvedHostAddress place = find(slots[slot], size);
                    if (isRead(place.kind == ResolvedHostAddress::inArena,
                               isOutput,
                               /*isCounter=*/true))
                      counts &= !isNewerOnDevice(place);
                  });
  return counts;
}

/// Returns true if a launch on the host depends on launches in `batch`, which
/// are collected for the device but have not run yet: if it reads their
/// results, or writes memory that they read. The batch must then run first.
bool CoherentDeviceSession::needsFlush(const ingot_launch &row,
                                       bool isCounter) const {
  auto *slots = reinterpret_cast<void *const *>(arena);
  bool found = false;
  forEachArgument(context.program->kernels[row.kernel], kernels[row.kernel],
                  row, slots, [&](uint32_t slot, uint64_t size, bool isOutput) {
                    auto *data = static_cast<uint8_t *>(slots[slot]);
                    for (const DeviceToHostCopy &download : batch.downloads) {
                      auto *to = static_cast<uint8_t *>(download.to);
                      found |= data < to + download.size && to < data + size;
                    }
                    ResolvedHostAddress place = find(data, size);
                    if (place.kind == ResolvedHostAddress::elsewhere)
                      found |= !batch.foreign.empty();
                    else if (isRead(place.kind == ResolvedHostAddress::inArena,
                                    isOutput, isCounter))
                      found |= isNewerOnDevice(place);
                  });
  return found;
}

/// `batch.foreign` lists ranges of host memory, such as feeds, that launches of
/// the batch use through copies on the device and may change there. Returns
/// true if an operand of this launch overlaps such a range without lying inside
/// it. The batch must then run first: after that, the host has all current
/// bytes of the operand, and can upload it as a whole.
bool CoherentDeviceSession::readsPartOfCopy(const ingot_launch &row) const {
  auto *slots = reinterpret_cast<void *const *>(arena);
  bool found = false;
  forEachArgument(context.program->kernels[row.kernel], kernels[row.kernel],
                  row, slots, [&](uint32_t slot, uint64_t size, bool) {
                    auto begin = reinterpret_cast<uintptr_t>(slots[slot]);
                    for (const MirroredHostRange &foreign : batch.foreign)
                      found |=
                          begin < foreign.end && foreign.begin < begin + size &&
                          (begin < foreign.begin || foreign.end < begin + size);
                  });
  return found;
}

/// Returns true if the launch needs an upload into memory that the batch's
/// launches still have to read or write (WAR and WAW hazards).
bool CoherentDeviceSession::hasHazard(const ingot_launch &row) const {
  if (batch.launches.empty())
    return false;
  auto *slots = reinterpret_cast<void *const *>(arena);
  bool found = false;
  forEachArgument(context.program->kernels[row.kernel], kernels[row.kernel],
                  row, slots, [&](uint32_t slot, uint64_t size, bool) {
                    ResolvedHostAddress place = find(slots[slot], size);
                    bool goesUp =
                        (place.kind == ResolvedHostAddress::inArena &&
                         newerOnHost.overlaps(place.range)) ||
                        (place.kind == ResolvedHostAddress::inVariable &&
                         state[place.variable] == NewerSide::host) ||
                        (place.kind == ResolvedHostAddress::inBlock &&
                         (place.block->isTouched ||
                          place.block->newerOnHost.overlaps(place.range)));
                    if (!goesUp || found)
                      return;
                    for (const DeviceLaunch &launch : batch.launches)
                      for (const AccessedDeviceRange &memory : launch.memory)
                        found |= memory.begin < place.address + size &&
                                 place.address < memory.end;
                  });
  return found;
}

static int64_t sumOf(const ingot_grid_term *terms, uint32_t count,
                     const ingot_launch &row, void *const *slots) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < count; ++i)
    sum += terms[i].coefficient *
           reinterpret_cast<intptr_t>(slots[row.arguments + terms[i].slot]);
  return sum;
}

/// Adds a launch to the batch of launches for the device. Makes its operands
/// available on the device, and computes its parameters, grid size and scratch
/// memory from the argument slots.
Status CoherentDeviceSession::add(const ingot_launch &row) {
  const ingot_kernel_info &info = context.program->kernels[row.kernel];
  const ingot_device_kernel &kernel = kernels[row.kernel];
  auto *slots = reinterpret_cast<void *const *>(arena);
  auto scratchBytes = static_cast<uint64_t>(
      kernel.scratch_size +
      sumOf(kernel.scratch_terms, kernel.num_scratch_terms, row, slots));
  if (kernel.num_scratch_terms > 0)
    INGOT_RETURN_IF_ERROR(
        provideScratch(scratchBytes, context.program->nodes + row.node));
  DeviceLaunch launch = {
      row.kernel, context.program->nodes + row.node, 0, {}, {}};
  Status status;
  uint32_t next = row.arguments;
  uint32_t endSlot = forEachArgument(
      info, kernel, row, slots,
      [&](uint32_t slot, uint64_t size, bool isOutput) {
        // In the argument table, the slots after an argument's address hold its
        // dynamic sizes. They are parameters of the device's kernel, too.
        for (; next < slot; ++next)
          launch.parameters.push_back(reinterpret_cast<uintptr_t>(slots[next]));
        next = slot + 1;
        if (!status.isOk())
          return;
        Expected<DeviceAddress> address = provide(slot, size, isOutput);
        if (!address) {
          status = address.takeStatus();
          return;
        }
        launch.parameters.push_back(*address);
        launch.memory.push_back({*address, *address + size, isOutput});
      });
  INGOT_RETURN_IF_ERROR(std::move(status));
  for (; next < endSlot; ++next)
    launch.parameters.push_back(reinterpret_cast<uintptr_t>(slots[next]));
  if (scratchBytes > 0) {
    DeviceAddress place =
        kernel.num_scratch_terms > 0
            ? scratch.address()
            : mirror->arena.address() +
                  static_cast<uint64_t>(static_cast<uint8_t *>(slots[endSlot]) -
                                        arena);
    launch.parameters.push_back(place);
    launch.memory.push_back({place, place + scratchBytes, true});
  }
  int64_t range =
      kernel.grid_base + sumOf(kernel.terms, kernel.num_terms, row, slots);
  launch.blocks = range <= 0 ? 0 : (range - 1) / kernel.grid_step + 1;
  batch.launches.push_back(std::move(launch));
  return Status::ok();
}

Status CoherentDeviceSession::prepareForHost(const ingot_launch &row,
                                             bool isCounter) {
  auto *slots = reinterpret_cast<void *const *>(arena);
  Status status;
  forEachArgument(context.program->kernels[row.kernel], kernels[row.kernel],
                  row, slots, [&](uint32_t slot, uint64_t size, bool isOutput) {
                    ResolvedHostAddress place = find(slots[slot], size);
                    if (status.isOk() &&
                        isRead(place.kind == ResolvedHostAddress::inArena,
                               isOutput, isCounter))
                      status = read(place, slots[slot]);
                  });
  return status;
}

void CoherentDeviceSession::noteHostResults(const ingot_launch &row) {
  auto *slots = reinterpret_cast<void *const *>(arena);
  forEachArgument(context.program->kernels[row.kernel], kernels[row.kernel],
                  row, slots, [&](uint32_t slot, uint64_t size, bool isOutput) {
                    if (isOutput)
                      noteWritten(find(slots[slot], size));
                  });
}
