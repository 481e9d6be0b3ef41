//===- DeviceMirror.cpp - A session's memory and kernels on a device
//--------===//

#include "runtime/Session/DeviceMirror.h"

#include "runtime/Session/Context.h"
#include "runtime/Session/Program.h"

#include <algorithm>

using namespace ingot;

Expected<std::unique_ptr<DeviceSession>>
DeviceMirror::create(ingot_context &context, std::unique_ptr<Device> device) {
  std::unique_ptr<DeviceMirror> mirror(new DeviceMirror(context, *device));
  mirror->device = std::move(device);
  INGOT_ASSIGN_OR_RETURN(mirror->variables,
                         DeviceMemory::allocate(*mirror->device,
                                                context.storage.size(),
                                                "the variables"));
  mirror->state.assign(context.variables.size(), Newer::host);
  return std::unique_ptr<DeviceSession>(std::move(mirror));
}

/// What an entry's code touches, as the descriptor lists it.
Expected<DeviceMirror::Mirror *>
DeviceMirror::mirrorOf(const ingot_entry &entry) {
  if (auto found = mirrors.find(&entry); found != mirrors.end())
    return &found->second;
  Mirror made;
  made.arenaSize = entry.arena_size;
  INGOT_ASSIGN_OR_RETURN(
      made.arena, DeviceMemory::allocate(*device, entry.arena_size,
                                         "temporaries of entry '" +
                                             std::string(entry.name) + "'"));
  for (uint32_t i = 0; i < entry.num_host_memory; ++i) {
    const ingot_host_memory &memory = entry.host_memory[i];
    auto number = static_cast<uint64_t>(memory.number);
    if (memory.kind == INGOT_ARGUMENT_VARIABLE) {
      made.readHere.push_back(static_cast<uint32_t>(number));
      if (memory.is_written)
        made.writtenHere.push_back(static_cast<uint32_t>(number));
    } else {
      made.touched.push_back({number,
                              number + static_cast<uint64_t>(memory.size),
                              memory.is_written != 0});
    }
  }
  return &mirrors.emplace(&entry, std::move(made)).first->second;
}

Status DeviceMirror::begin(const ingot_entry &entry) {
  if (failure.isOk()) {
    Expected<Mirror *> found = mirrorOf(entry);
    if (!found)
      return failure = found.takeStatus();
    mirror = *found;
    mirror->computed.clear();
    for (uint32_t variable : mirror->readHere)
      INGOT_RETURN_IF_ERROR(readVariable(variable));
  }
  return failure;
}

void DeviceMirror::end() {
  if (mirror && failure.isOk())
    for (uint32_t variable : mirror->writtenHere)
      wroteVariable(variable);
  mirror = nullptr;
}

void DeviceMirror::run(uint8_t *runArena, std::span<const ingot_launch> rows,
                       bool showsAll, const RunOnHost &runOnHost) {
  if (!failure.isOk())
    return;
  arena = runArena;
  downloadsAll = showsAll;
  // The host's own code may have run since.
  for (uint32_t variable : mirror->writtenHere)
    wroteVariable(variable);
  batch = Batch();
  failure = runRows(rows, runOnHost);
}

Status DeviceMirror::runRows(std::span<const ingot_launch> rows,
                             const RunOnHost &runOnHost) {
  for (const ingot_launch &row : rows) {
    if (kernels[row.kernel].entry) {
      INGOT_RETURN_IF_ERROR(add(row));
      continue;
    }
    INGOT_RETURN_IF_ERROR(flush());
    INGOT_RETURN_IF_ERROR(prepareForHost(row));
    runOnHost(row);
    noteHostResults(row);
  }
  return flush();
}

Status DeviceMirror::flush() {
  INGOT_RETURN_IF_ERROR(device->launch(batch.launches));
  if (!batch.downloads.empty())
    INGOT_RETURN_IF_ERROR(device->download(batch.downloads));
  batch = Batch();
  return Status::ok();
}

/// Calls `visit` with each argument of a row: its slot, its bytes, whether the
/// kernel computes it. Returns the slot behind the last one.
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

/// Whether a copy holds a part of what the row takes and not all of it: both
/// have to meet on the host.
bool DeviceMirror::takesParts(const ingot_launch &row) const {
  auto *slots = reinterpret_cast<void *const *>(arena);
  bool found = false;
  forEachArgument(context.program->kernels[row.kernel], kernels[row.kernel],
                  row, slots, [&](uint32_t slot, uint64_t size, bool) {
                    auto begin = reinterpret_cast<uintptr_t>(slots[slot]);
                    for (const Foreign &foreign : batch.foreign)
                      found |=
                          begin < foreign.end && foreign.begin < begin + size &&
                          (begin < foreign.begin || foreign.end < begin + size);
                  });
  return found;
}

Status DeviceMirror::add(const ingot_launch &row) {
  if (takesParts(row))
    INGOT_RETURN_IF_ERROR(flush());
  const ingot_kernel_info &info = context.program->kernels[row.kernel];
  const ingot_device_kernel &kernel = kernels[row.kernel];
  auto *slots = reinterpret_cast<void *const *>(arena);
  DeviceLaunch launch = {
      row.kernel, context.program->nodes + row.node, 0, {}, {}};
  Status status;
  uint32_t next = row.arguments;
  uint32_t behind = forEachArgument(
      info, kernel, row, slots,
      [&](uint32_t slot, uint64_t size, bool isOutput) {
        for (; next < slot; ++next) // sizes of the one before
          launch.parameters.push_back(reinterpret_cast<uintptr_t>(slots[next]));
        next = slot + 1;
        if (!status.isOk())
          return;
        Expected<DeviceAddress> address = place(slot, size, isOutput);
        if (!address) {
          status = address.takeStatus();
          return;
        }
        launch.parameters.push_back(*address);
        launch.memory.push_back({*address, *address + size, isOutput});
      });
  INGOT_RETURN_IF_ERROR(std::move(status));
  for (; next < behind; ++next)
    launch.parameters.push_back(reinterpret_cast<uintptr_t>(slots[next]));
  if (kernel.scratch_size > 0) {
    DeviceAddress scratch =
        mirror->arena.address() +
        static_cast<uint64_t>(static_cast<uint8_t *>(slots[behind]) - arena);
    launch.parameters.push_back(scratch);
    launch.memory.push_back(
        {scratch, scratch + static_cast<uint64_t>(kernel.scratch_size), true});
  }
  int64_t range = kernel.grid_base;
  for (uint32_t i = 0; i < kernel.num_terms; ++i)
    range +=
        kernel.terms[i].coefficient *
        reinterpret_cast<intptr_t>(slots[row.arguments + kernel.terms[i].slot]);
  launch.blocks = range <= 0 ? 0 : (range - 1) / kernel.grid_step + 1;
  batch.launches.push_back(std::move(launch));
  return Status::ok();
}

/// Where what a slot points to lies on the device, with what it is to hold.
Expected<DeviceAddress> DeviceMirror::place(uint32_t slot, uint64_t size,
                                            bool isOutput) {
  if (size == 0)
    return mirror->arena.address();
  auto *address =
      static_cast<uint8_t *>(reinterpret_cast<void **>(arena)[slot]);
  uint64_t offset = static_cast<uint64_t>(address - arena);
  if (offset < mirror->arenaSize) {
    INGOT_RETURN_IF_ERROR(placeInArena(offset, size, isOutput));
    if (isOutput && downloadsAll && size > 0)
      batch.downloads.push_back(
          {address, mirror->arena.address() + offset, size});
    return mirror->arena.address() + offset;
  }
  offset = static_cast<uint64_t>(address - context.storage.data());
  if (offset < context.storage.size()) {
    int64_t variable = variableAt(address);
    INGOT_RETURN_IF_ERROR(
        placeVariable(static_cast<uint32_t>(variable), isOutput));
    return variables.address() + offset;
  }
  return placeElsewhere(slot, size, isOutput);
}

static bool covers(const std::vector<ByteRange> &ranges, uint64_t begin,
                   uint64_t end) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const ByteRange &range) {
    return range.begin <= begin && end <= range.end;
  });
}

Status DeviceMirror::placeInArena(uint64_t offset, uint64_t size,
                                  bool isOutput) {
  for (const ByteRange &range : mirror->touched) {
    uint64_t begin = std::max(offset, range.begin),
             end = std::min(offset + size, range.end);
    if (begin >= end)
      continue;
    DeviceAddress there = mirror->arena.address() + begin;
    if (range.isWritten && !covers(batch.produced, begin, end)) {
      Upload copy = {there, arena + begin, end - begin};
      INGOT_RETURN_IF_ERROR(device->upload({&copy, 1}));
    }
    if (isOutput)
      batch.downloads.push_back({arena + begin, there, end - begin});
  }
  if (isOutput) {
    batch.produced.push_back({offset, offset + size, false});
    mirror->computed.push_back({offset, offset + size, false});
  }
  return Status::ok();
}

int64_t DeviceMirror::variableAt(const void *address) const {
  auto next = std::upper_bound(context.variables.begin(),
                               context.variables.end(), address);
  return next - context.variables.begin() - 1;
}

Status DeviceMirror::placeVariable(uint32_t variable, bool isOutput) {
  auto *data = static_cast<uint8_t *>(context.variables[variable]);
  uint64_t offset = static_cast<uint64_t>(data - context.storage.data());
  uint64_t size = context.program->variables[variable].byte_size;
  DeviceAddress there = variables.address() + offset;
  if (state[variable] == Newer::host) {
    Upload copy = {there, data, size};
    INGOT_RETURN_IF_ERROR(device->upload({&copy, 1}));
    state[variable] = Newer::none;
  }
  if (!isOutput)
    return Status::ok();
  state[variable] = Newer::device;
  if (downloadsAll ||
      std::find(mirror->readHere.begin(), mirror->readHere.end(), variable) !=
          mirror->readHere.end()) {
    batch.downloads.push_back({data, there, size});
    state[variable] = Newer::none;
  }
  return Status::ok();
}

/// Feeds, elements of iterators, constants, and memory that the entry has
/// asked the runtime for.
Expected<DeviceAddress>
DeviceMirror::placeElsewhere(uint32_t slot, uint64_t size, bool isOutput) {
  void *data = reinterpret_cast<void **>(arena)[slot];
  if (auto found = constants.find(data);
      found != constants.end() && found->second.size() >= size)
    return found->second.address();
  const ingot_entry &entry = *context.schedules->entry;
  const ingot_argument *fixed =
      std::find_if(entry.arguments, entry.arguments + entry.num_arguments,
                   [&](const ingot_argument &argument) {
                     return argument.slot == slot &&
                            argument.kind == INGOT_ARGUMENT_CONSTANT;
                   });
  if (fixed != entry.arguments + entry.num_arguments) {
    INGOT_ASSIGN_OR_RETURN(DeviceMemory copy,
                           DeviceMemory::allocate(*device, size, "constants"));
    Upload up = {copy.address(), data, size};
    INGOT_RETURN_IF_ERROR(device->upload({&up, 1}));
    return (constants[data] = std::move(copy)).address();
  }
  auto begin = reinterpret_cast<uintptr_t>(data);
  for (const Foreign &foreign : batch.foreign) {
    if (begin + size <= foreign.begin || foreign.end <= begin)
      continue;
    if (isOutput)
      batch.downloads.push_back(
          {data, foreign.place + (begin - foreign.begin), size});
    return foreign.place + (begin - foreign.begin);
  }
  DeviceMemory &copy = mirror->copies[slot];
  if (copy.size() < size || copy.address() == 0) {
    copy = DeviceMemory();
    INGOT_ASSIGN_OR_RETURN(
        copy, DeviceMemory::allocate(*device, size, "feeds and elements"));
  }
  Upload up = {copy.address(), data, size};
  INGOT_RETURN_IF_ERROR(device->upload({&up, 1}));
  if (isOutput)
    batch.downloads.push_back({data, copy.address(), size});
  batch.foreign.push_back({begin, begin + size, copy.address()});
  return copy.address();
}

/// From the first kernel on that runs on the host, all of the arena is the
/// host's as well: what it has written goes up, what was computed comes down.
Status DeviceMirror::share() {
  if (mirror->isShared)
    return Status::ok();
  for (const ByteRange &range : mirror->touched) {
    Upload copy = {mirror->arena.address() + range.begin, arena + range.begin,
                   range.end - range.begin};
    if (range.isWritten)
      INGOT_RETURN_IF_ERROR(device->upload({&copy, 1}));
  }
  std::vector<Download> downloads;
  for (const ByteRange &range : mirror->computed)
    downloads.push_back({arena + range.begin,
                         mirror->arena.address() + range.begin,
                         range.end - range.begin});
  INGOT_RETURN_IF_ERROR(device->download(downloads));
  mirror->touched = {{0, mirror->arenaSize, true}};
  mirror->isShared = true;
  return Status::ok();
}

Status DeviceMirror::prepareForHost(const ingot_launch &row) {
  INGOT_RETURN_IF_ERROR(share());
  const ingot_kernel_info &info = context.program->kernels[row.kernel];
  auto *slots = reinterpret_cast<void *const *>(arena);
  Status status;
  forEachArgument(
      info, kernels[row.kernel], row, slots,
      [&](uint32_t slot, uint64_t, bool) {
        uint64_t offset = static_cast<uint64_t>(
            static_cast<uint8_t *>(slots[slot]) - context.storage.data());
        if (status.isOk() && offset < context.storage.size())
          status = readVariable(static_cast<uint32_t>(variableAt(slots[slot])));
      });
  return status;
}

void DeviceMirror::noteHostResults(const ingot_launch &row) {
  const ingot_kernel_info &info = context.program->kernels[row.kernel];
  auto *slots = reinterpret_cast<void *const *>(arena);
  forEachArgument(
      info, kernels[row.kernel], row, slots,
      [&](uint32_t slot, uint64_t, bool isOutput) {
        uint64_t offset = static_cast<uint64_t>(
            static_cast<uint8_t *>(slots[slot]) - context.storage.data());
        if (isOutput && offset < context.storage.size())
          wroteVariable(static_cast<uint32_t>(variableAt(slots[slot])));
      });
}

Status DeviceMirror::readVariable(uint32_t variable) {
  if (state[variable] != Newer::device || !failure.isOk())
    return failure;
  auto *data = static_cast<uint8_t *>(context.variables[variable]);
  Download copy = {data,
                   variables.address() +
                       static_cast<uint64_t>(data - context.storage.data()),
                   context.program->variables[variable].byte_size};
  failure = device->download({&copy, 1});
  if (failure.isOk())
    state[variable] = Newer::none;
  return failure;
}

Status DeviceMirror::readVariables() {
  std::vector<Download> copies;
  for (uint32_t i = 0; i < state.size(); ++i) {
    auto *data = static_cast<uint8_t *>(context.variables[i]);
    if (state[i] == Newer::device)
      copies.push_back(
          {data,
           variables.address() +
               static_cast<uint64_t>(data - context.storage.data()),
           context.program->variables[i].byte_size});
  }
  if (failure.isOk() && !copies.empty())
    failure = device->download(copies);
  if (failure.isOk())
    for (Newer &newer : state)
      newer = newer == Newer::device ? Newer::none : newer;
  return failure;
}
