# SPDX-License-Identifier: Apache-2.0
"""Steps a second of a peer: the median of some windows, one number on a line of its own."""
import statistics
import sys
import time


def report(step, window_seconds, windows):
    """step() returns when the step's work is done."""
    for _ in range(5):
        step()
    rates = []
    for _ in range(windows):
        start, steps = time.perf_counter(), 0
        while time.perf_counter() - start < window_seconds:
            step()
            steps += 1
        rates.append(steps / (time.perf_counter() - start))
    print(statistics.median(rates))


def arguments():
    """Name of the model, seconds of a window, windows."""
    return sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
