//===- Program.cpp - Reading a compiled program's descriptor --------------===//
// SPDX-License-Identifier: Apache-2.0

#include "runtime/Session/Program.h"

using namespace ingot;

static Status broken(const std::string &what) {
  return Status(StatusCode::Internal,
                "the program's descriptor is inconsistent: " + what);
}

/// Checks the magic number, then the version, then the size of the descriptor.
/// A later field is read only if the earlier ones are right, since it may be at
/// another offset otherwise.
static Status checkVersion(const ingot_program &program) {
  if (program.magic != INGOT_PROGRAM_MAGIC)
    return Status(StatusCode::FailedPrecondition,
                  "not an Ingot program: its descriptor has no magic number");
  if (program.abi_version != INGOT_ABI_VERSION)
    return Status(StatusCode::FailedPrecondition,
                  "the program was compiled for ABI version " +
                      std::to_string(program.abi_version) +
                      ", this runtime has version " +
                      std::to_string(INGOT_ABI_VERSION) +
                      ": compile the graph again with this Ingot");
  if (program.struct_size != sizeof(ingot_program))
    return Status(StatusCode::FailedPrecondition,
                  "the program's descriptor has " +
                      std::to_string(program.struct_size) +
                      " bytes where this runtime expects " +
                      std::to_string(sizeof(ingot_program)) +
                      ": compile the graph again with this Ingot");
  return Status::ok();
}

static Status checkVariables(const ingot_program &program) {
  for (uint32_t i = 0; i < program.num_variables; ++i) {
    const ingot_variable &variable = program.variables[i];
    int64_t bytes = byteSizeOf(variable.spec);
    if (bytes < 0 || static_cast<uint64_t>(bytes) != variable.byte_size)
      return broken("variable '" + std::string(variable.spec.name) + "', " +
                    typeText(variable.spec) + ", has " +
                    std::to_string(variable.byte_size) + " bytes, expected " +
                    std::to_string(bytes));
  }
  if (program.global_step >= static_cast<int64_t>(program.num_variables))
    return broken("the global step is variable " +
                  std::to_string(program.global_step) +
                  ", but variables are numbered from 0, and their count is " +
                  std::to_string(program.num_variables));
  if (program.global_step >= 0) {
    const ingot_tensor_spec &spec = program.variables[program.global_step].spec;
    if ((spec.dtype != INGOT_INT64 && spec.dtype != INGOT_INT32) ||
        elementCountOf(spec) != 1)
      return broken("expected an integer scalar as global step, but '" +
                    std::string(spec.name) + "' is " + typeText(spec));
  }
  return Status::ok();
}

/// Checks the fields of an entry that only some roles have: `of`, the entry to
/// which it belongs; `member`, the member or ensemble that it is for; and, for
/// an entry that only one of several processes runs, `place`, the process's
/// index, and `num_places`, their number. Each must be set if the role requires
/// it, and only then.
static Status checkRole(const ingot_program &program,
                        const ingot_entry &entry) {
  std::string name = "entry '" + std::string(entry.name) + "'";
  const EntryRole *role = findEntryRole(entry.role);
  if (!role)
    return broken(name + " has the unknown role " + std::to_string(entry.role));
  name += std::string(", of role ") + role->text + ",";
  bool hasOwner = role->of != INGOT_ROLE_NONE;
  if (entry.of != -1 &&
      (entry.of < 0 || entry.of >= static_cast<int64_t>(program.num_entries)))
    return broken(name + " belongs to entry " + std::to_string(entry.of) +
                  ", but entries are numbered from 0, and their count is " +
                  std::to_string(program.num_entries));
  if (hasOwner != (entry.of >= 0) ||
      (hasOwner &&
       program.entries[entry.of].role != static_cast<uint32_t>(role->of)))
    return broken(
        name + " belongs to " +
        (entry.of < 0 ? "no entry"
                      : "the wrong entry, number " + std::to_string(entry.of)));
  bool hasMember = entry.member && *entry.member;
  if (hasMember != (role->subject == INGOT_SUBJECT_MEMBER))
    return broken(name + (hasMember ? " is for" : " is not for") +
                  " a member or ensemble");
  if (role->subject != INGOT_SUBJECT_PLACE)
    return entry.place == 0 && entry.num_places == 0
               ? Status::ok()
               : broken(name + " must not be for one of several processes");
  if (entry.num_places < 2 || entry.num_places > INGOT_MOST_PLACES ||
      entry.place >= entry.num_places ||
      entry.num_places !=
          findEntry(program, INGOT_ROLE_PLACED_STEP)->num_places)
    return broken(name + " is for process " + std::to_string(entry.place) +
                  " of " + std::to_string(entry.num_places) +
                  ": processes are numbered from 0, their count is 2 to " +
                  std::to_string(INGOT_MOST_PLACES) +
                  ", and all such entries must have the same count");
  return Status::ok();
}

static Status checkEntries(const ingot_program &program) {
  for (uint32_t i = 0; i < program.num_entries; ++i) {
    const ingot_entry &entry = program.entries[i];
    if (!entry.run)
      return broken("entry '" + std::string(entry.name) + "' has no code");
    INGOT_RETURN_IF_ERROR(checkRole(program, entry));
    for (uint32_t j = 0; j < entry.num_assigned; ++j)
      if (entry.assigned[j] >= program.num_variables)
        return broken(
            "entry '" + std::string(entry.name) + "' assigns variable " +
            std::to_string(entry.assigned[j]) +
            ", but variables are numbered from 0, and their count is " +
            std::to_string(program.num_variables));
    for (uint32_t j = 0; j < entry.num_changed_tables; ++j)
      if (entry.changed_tables[j] >= program.num_lookup_tables)
        return broken("entry '" + std::string(entry.name) +
                      "' changes lookup table " +
                      std::to_string(entry.changed_tables[j]) +
                      ", but tables are numbered from 0, and their count is " +
                      std::to_string(program.num_lookup_tables));
    for (uint32_t j = 0; j < entry.num_iterators; ++j)
      if (entry.iterators[j] >= program.num_iterators)
        return broken(
            "entry '" + std::string(entry.name) + "' draws from iterator " +
            std::to_string(entry.iterators[j]) +
            ", but iterators are numbered from 0, and their count is " +
            std::to_string(program.num_iterators));
  }
  if (program.prediction < -1 ||
      program.prediction >= static_cast<int64_t>(program.num_entries))
    return broken(
        "it predicts by entry " + std::to_string(program.prediction) +
        ", but entries are numbered from 0 (-1: none), and their count is " +
        std::to_string(program.num_entries));
  return Status::ok();
}

static Status checkKernels(const ingot_program &program) {
  for (uint32_t i = 0; i < program.num_kernels; ++i) {
    const ingot_kernel_info &kernel = program.kernels[i];
    for (uint32_t target = 0; target < program.num_targets; ++target)
      if (!kernel.code[target].run || kernel.code[target].grid_step <= 0)
        return broken("kernel '" + std::string(kernel.name) +
                      "' has no code or no grid for " +
                      program.targets[target]);
  }
  return Status::ok();
}

/// Returns true if the TMA tensor maps of a kernel are valid: the slots with a
/// buffer's dynamic sizes follow directly after the slot with its address, as
/// launches assume.
static bool areMapsValid(const ingot_device_kernel &kernel) {
  for (uint32_t i = 0; i < kernel.num_maps; ++i) {
    const ingot_device_map &map = kernel.maps[i];
    for (uint32_t j = 0; j < map.num_dims; ++j)
      if (map.dims[j].size < 0 && (map.dims[j].slot <= map.slot ||
                                   map.dims[j].slot > map.slot + map.num_dims))
        return false;
  }
  return true;
}

static Status checkImage(const ingot_program &program,
                         const ingot_device_image &image) {
  if (!image.bytes || image.num_kernels != program.num_kernels)
    return broken("its image for " + std::string(image.arch) + " has " +
                  (image.bytes ? "code and " : "no code and ") +
                  std::to_string(image.num_kernels) +
                  " kernels, expected code and " +
                  std::to_string(program.num_kernels));
  for (uint32_t kernel = 0; kernel < image.num_kernels; ++kernel)
    if (image.kernels[kernel].grid_step <= 0 ||
        image.kernels[kernel].num_element_sizes !=
            program.kernels[kernel].num_arguments ||
        !areMapsValid(image.kernels[kernel]))
      return broken("kernel '" + std::string(program.kernels[kernel].name) +
                    "' has no grid or no arguments for " + image.arch);
  return Status::ok();
}

static Status checkDevices(const ingot_program &program) {
  if (program.default_device > program.num_devices)
    return broken("it runs on device " +
                  std::to_string(program.default_device - 1) +
                  ", but devices are numbered from 0, and their count is " +
                  std::to_string(program.num_devices));
  for (uint32_t i = 0; i < program.num_devices; ++i) {
    const ingot_device &device = program.devices[i];
    if (!device.code || device.num_images == 0)
      return broken("device '" + std::string(device.name) + "' has no code");
    for (uint32_t j = 0; j < device.num_images; ++j)
      INGOT_RETURN_IF_ERROR(checkImage(program, device.images[j]));
  }
  return Status::ok();
}

/// Checks that the values of lookup tables are scalars or vectors.
static Status checkTables(const ingot_program &program) {
  for (uint32_t i = 0; i < program.num_lookup_tables; ++i) {
    const ingot_tensor_spec &value = program.lookup_tables[i].value;
    if (value.rank > 1 || (value.rank == 1 && value.dims[0] < 0))
      return broken("values of table '" +
                    std::string(program.lookup_tables[i].name) +
                    "' are neither scalars nor vectors");
  }
  return Status::ok();
}

/// Checks that each item of a saver is exactly one of variable, iterator, table
/// and constant, and that its indices exist.
static Status checkSavers(const ingot_program &program) {
  for (uint32_t i = 0; i < program.num_savers; ++i) {
    const ingot_saver &saver = program.savers[i];
    for (uint32_t j = 0; j < saver.num_items; ++j) {
      const ingot_saved_item &item = saver.items[j];
      bool variable = item.variable >= 0, iterator = item.iterator >= 0;
      bool table = item.lookup_table >= 0;
      bool constant = item.constant.data != nullptr;
      if (variable + iterator + table + constant != 1 ||
          item.lookup_table >=
              static_cast<int64_t>(program.num_lookup_tables) ||
          item.table_values > 1 ||
          item.variable >= static_cast<int64_t>(program.num_variables) ||
          item.iterator >= static_cast<int64_t>(program.num_iterators) ||
          item.shard >= saver.num_shards)
        return broken("expected one variable, iterator, table or constant in "
                      "item '" +
                      std::string(item.key) + "' of saver '" +
                      std::string(saver.name) + "'");
    }
  }
  return Status::ok();
}

Status ingot::checkProgram(const ingot_program &program) {
  INGOT_RETURN_IF_ERROR(checkVersion(program));
  if (program.num_targets == 0)
    return broken("it has no code for any CPU level");
  INGOT_RETURN_IF_ERROR(checkVariables(program));
  INGOT_RETURN_IF_ERROR(checkEntries(program));
  INGOT_RETURN_IF_ERROR(checkKernels(program));
  INGOT_RETURN_IF_ERROR(checkDevices(program));
  INGOT_RETURN_IF_ERROR(checkTables(program));
  INGOT_RETURN_IF_ERROR(checkSavers(program));
  for (uint32_t i = 0; i < program.num_iterators; ++i)
    if (program.iterators[i].dataset >= program.num_datasets)
      return broken("iterator '" + std::string(program.iterators[i].name) +
                    "' is over dataset " +
                    std::to_string(program.iterators[i].dataset) +
                    ", but datasets are numbered from 0, and their count is " +
                    std::to_string(program.num_datasets));
  for (uint32_t i = 0; i < program.num_alternatives; ++i)
    if (program.alternatives[i].iterator >= program.num_iterators ||
        program.alternatives[i].dataset >= program.num_datasets)
      return broken("alternative " + std::to_string(i) + " makes iterator " +
                    std::to_string(program.alternatives[i].iterator) +
                    " over dataset " +
                    std::to_string(program.alternatives[i].dataset) +
                    ", but both are numbered from 0, and their counts are " +
                    std::to_string(program.num_iterators) + " and " +
                    std::to_string(program.num_datasets));
  return Status::ok();
}

Expected<uint32_t> ingot::chooseTarget(const ingot_program &program,
                                       bool (*supports)(std::string_view)) {
  for (uint32_t i = program.num_targets; i-- > 0;)
    if (supports(program.targets[i]))
      return i;
  return Status(
      StatusCode::Unavailable,
      "this program needs a CPU of level " + std::string(program.targets[0]) +
          ", which this machine lacks: compile it with a lower --cpu");
}

const ingot_entry *ingot::findEntry(const ingot_program &program,
                                    ingot_role role) {
  for (uint32_t i = 0; i < program.num_entries; ++i)
    if (program.entries[i].role == role)
      return &program.entries[i];
  return nullptr;
}

const ingot_entry *ingot::findEntry(const ingot_program &program,
                                    ingot_role role, const ingot_entry &owner) {
  for (uint32_t i = 0; i < program.num_entries; ++i) {
    const ingot_entry &entry = program.entries[i];
    if (entry.role == role && entry.of >= 0 &&
        &program.entries[entry.of] == &owner)
      return &entry;
  }
  return nullptr;
}

const ingot_entry *ingot::findEntry(const ingot_program &program,
                                    ingot_role role, std::string_view member) {
  for (uint32_t i = 0; i < program.num_entries; ++i) {
    const ingot_entry &entry = program.entries[i];
    if (entry.role == role && entry.member && entry.member == member)
      return &entry;
  }
  return nullptr;
}

const ingot_entry *ingot::findEntry(const ingot_program &program,
                                    std::string_view name) {
  for (uint32_t i = 0; i < program.num_entries; ++i)
    if (program.entries[i].name == name)
      return &program.entries[i];
  return nullptr;
}

int ingot::findTensor(std::span<const ingot_tensor_spec> specs,
                      std::string_view name) {
  for (size_t i = 0; i < specs.size(); ++i)
    if (specs[i].name == name)
      return static_cast<int>(i);
  for (size_t i = 0; i < specs.size(); ++i)
    if (specs[i].name == std::string(name) + ":0")
      return static_cast<int>(i);
  return -1;
}

int ingot::findStepFetch(const ingot_program &program, const ingot_entry &step,
                         std::string_view name) {
  int index = findTensor(fetchesOf(step), name);
  if (index < 0 && name == "loss" && program.loss)
    index = findTensor(fetchesOf(step), program.loss);
  return index;
}

std::span<const ingot_tensor_spec> ingot::feedsOf(const ingot_entry &entry) {
  return {entry.feeds, entry.num_feeds};
}

std::span<const ingot_tensor_spec> ingot::fetchesOf(const ingot_entry &entry) {
  return {entry.fetches, entry.num_fetches};
}

const char *ingot::roleName(uint32_t role) {
  const EntryRole *row = findEntryRole(role);
  return row ? row->text : "other";
}
