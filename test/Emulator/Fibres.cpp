//===- Fibres.cpp - Threads of a block take turns -------------------------===//
// SPDX-License-Identifier: Apache-2.0

#include "test/Emulator/Block.h"

#include <cstdlib>
#include <sys/mman.h>

namespace ingot::emulator {

Block block;

/// Pushes the registers that a function must preserve, stores the stack pointer
/// in *save, and goes on with the stack at `load`.
extern "C" void ingot_emu_switch(void **save, void *load);
asm(R"(
  .text
  .globl ingot_emu_switch
  .hidden ingot_emu_switch
  .type ingot_emu_switch, @function
ingot_emu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size ingot_emu_switch, .-ingot_emu_switch
)");

static constexpr size_t stackBytes = 128 * 1024;
/// Stacks begin at different offsets: with the same offset they would compete
/// for the same lines of the caches.
static constexpr size_t stackColours = 128, colourBytes = 256;
static void *scheduler; // the scheduler's stack pointer while a fibre runs
static void **parameters;

static uint8_t *newStack() {
  void *stack = mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stack == MAP_FAILED)
    abort();
  return static_cast<uint8_t *>(stack);
}

static uint8_t *stackOf(size_t number) {
  static std::vector<uint8_t *> stacks;
  while (stacks.size() <= number)
    stacks.push_back(newStack());
  return stacks[number];
}

static void runThread() {
  block.launch->kernel(parameters);
  finishCopies(0);
  block.running->isDone = true;
  block.hasProgress = true;
  ingot_emu_switch(&block.running->stack, scheduler);
  abort(); // a finished fibre is never resumed
}

/// Does deferred asynchronous work, one piece each time it is resumed.
static void runLate() {
  while (true) {
    doLateWork();
    ingot_emu_switch(&block.running->stack, scheduler);
  }
}

/// Prepares a fibre that runs `function` on the stack that ends at `end`.
static void prepare(Thread &thread, uint8_t *end, void (*function)()) {
  auto *top = reinterpret_cast<void **>(end);
  // On entry to a function, the stack pointer is 8 bytes off a multiple of 16.
  *--top = nullptr;
  *--top = reinterpret_cast<void *>(function);
  for (int i = 0; i < 6; ++i)
    *--top = nullptr;
  thread.stack = top;
  thread.hasWaited = false;
}

void waitFor(const uint64_t *gate, uint64_t closed, const std::string &where) {
  Thread &thread = *block.running;
  if (*gate != closed)
    return;
  thread.gate = gate;
  thread.closed = closed;
  thread.waitsAt = where;
  ingot_emu_switch(&thread.stack, scheduler);
}

static std::string shapeText(const Shape &shape) {
  return "(" + std::to_string(shape.x) + ", " + std::to_string(shape.y) + ", " +
         std::to_string(shape.z) + ")";
}

void blame(const Thread &thread, const std::string &what) {
  block.fault = "kernel '" + block.launch->name + "', block " +
                shapeText(block.place) + ", thread " + shapeText(thread.place) +
                ": " + what;
}

void fail(const std::string &what) {
  Thread &thread = *block.running;
  blame(thread, what);
  ingot_emu_switch(&thread.stack, scheduler);
  abort(); // a finished fibre is never resumed
}

/// Describes a deadlock: which thread waits, and for which others.
std::string describeDeadlock() {
  const Thread *waiting = nullptr, *ended = nullptr, *other = nullptr;
  for (const Thread &thread : block.threads) {
    if (thread.isDone)
      ended = ended ? ended : &thread;
    else if (!waiting)
      waiting = &thread;
    else if (thread.waitsAt != waiting->waitsAt)
      other = other ? other : &thread;
  }
  std::string text = "kernel '" + block.launch->name + "', block " +
                     shapeText(block.place) + ", thread " +
                     shapeText(waiting->place) + " waits for ever at " +
                     waiting->waitsAt;
  if (other)
    text +=
        ": thread " + shapeText(other->place) + " waits at " + other->waitsAt;
  if (ended)
    text += ": thread " + shapeText(ended->place) + " has ended";
  return text;
}

void prepareBlock(const Launch &launch, size_t firstStack) {
  uint32_t number = 0;
  block.warps.assign((launch.block.count() + warpSize - 1) / warpSize, Warp());
  block.barriers.fill(Barrier());
  block.hasClocks = false;
  block.counted.clear();
  block.late.clear();
  endTensorMemory(); // of a block that a fault has ended
  block.threads.clear();
  block.threads.reserve(launch.block.count());
  for (uint32_t z = 0; z < launch.block.z; ++z)
    for (uint32_t y = 0; y < launch.block.y; ++y)
      for (uint32_t x = 0; x < launch.block.x; ++x) {
        Thread &thread = block.threads.emplace_back();
        thread.number = number++;
        thread.place = {x, y, z};
        size_t stack = firstStack + thread.number;
        prepare(thread,
                stackOf(stack) + stackBytes -
                    stack % stackColours * colourBytes,
                runThread);
      }
  block.engine = Thread();
  block.engine.number = number;
  // One stack is enough: interleaved blocks defer no asynchronous work.
  static uint8_t *engineStack = newStack();
  prepare(block.engine, engineStack + stackBytes, runLate);
  beginBlock();
}

bool runOn() {
  size_t left = 0;
  for (const Thread &thread : block.threads)
    left += !thread.isDone;
  bool runs = true;
  while (left != 0 && (runs || !block.late.empty())) {
    if (!runs) {
      block.running = &block.engine;
      ingot_emu_switch(&scheduler, block.engine.stack);
      if (!block.fault.empty())
        return false;
    }
    runs = false;
    for (Thread &thread : block.threads) {
      if (thread.isDone || (thread.gate && *thread.gate == thread.closed))
        continue;
      thread.gate = nullptr;
      block.running = &thread;
      bool wasLooking = thread.isLooking;
      thread.isLooking = false;
      runs = true;
      ingot_emu_switch(&scheduler, thread.stack);
      if (!block.fault.empty())
        return false;
      left -= thread.isDone;
      block.hasProgress |= !(wasLooking && thread.isLooking);
    }
  }
  if (left == 0)
    endBlock();
  return left == 0 && block.fault.empty();
}

void placeBlock(const Launch &launch, uint64_t number) {
  block.place.x = number % launch.grid.x;
  block.place.y = number / launch.grid.x % launch.grid.y;
  block.place.z = number / launch.grid.x / launch.grid.y;
}

static void runBlocks(const Launch &launch) {
  uint64_t blocks = launch.grid.count();
  for (uint64_t i = 0; i < blocks && block.fault.empty(); ++i) {
    placeBlock(launch, launch.reversed ? blocks - 1 - i : i);
    prepareBlock(launch, 0);
    if (!runOn() && block.fault.empty())
      block.fault = describeDeadlock();
  }
}

std::string run(const Launch &launch, void **values) {
  block.launch = &launch;
  block.fault.clear();
  parameters = values;
  beginCosts(launch);
  if (launch.together)
    runOnPool(launch);
  else
    runBlocks(launch);
  endCosts();
  return block.fault;
}

} // namespace ingot::emulator
