# SPDX-License-Identifier: Apache-2.0
"""Steps a second of a peer: the median of some windows, one number on a line of its own."""
import statistics
import sys
import time


def report(step, window_seconds, windows, finish=None):
    """step() returns when the step's work is done, or, with finish(), before that: finish() waits for 16 steps."""
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


def arguments():
    """Name of the model, seconds of a window, windows."""
    return sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
