# SPDX-License-Identifier: Apache-2.0
"""Steps a second of a peer: the median of some windows, one number on a line of its own."""
import json
import statistics
import sys
import time


def report(step, window_seconds, windows, finish=None):
    """step() returns when the step's work is done, or, with finish(), before that: finish() waits for 16 steps."""
    if windows == 0:
        return on_demand(step, window_seconds)
    together = 16 if finish else 1
    finish = finish or (lambda: None)
    for _ in range(5):
        step()
    finish()
    rates = []
    for _ in range(windows):
        start, steps = time.perf_counter(), 0
        while time.perf_counter() - start < window_seconds:
            for _ in range(together):
                step()
                steps += 1
            finish()
        rates.append(steps / (time.perf_counter() - start))
    print(statistics.median(rates))


def on_demand(step, window_seconds, warm_up=20):
    """Prints the losses of the first steps, which step() returns, then a window's steps a second for each line that comes in."""
    print(json.dumps([float(step()) for _ in range(warm_up)]), flush=True)
    for _ in sys.stdin:
        start, steps = time.perf_counter(), 0
        while (taken := time.perf_counter() - start) < window_seconds or not steps:
            step()
            steps += 1
        print(steps / taken, flush=True)


def arguments():
    """Name of the model, seconds of a window, windows."""
    return sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
