# SPDX-License-Identifier: Apache-2.0
"""Fused cells of recurrent networks, as TensorFlow 1 has them."""
from suite import *


def lstm_cells():
    suite = Suite("lstm_cells")
    batch, inputs, cells = 3, 5, 4
    small = lambda *shape: (rng.standard_normal(shape) / 2).astype(F32)
    for peeks in (False, True):
        for clip in (3.0, 0.25, -1.0):
            state = [small(batch, inputs), small(batch, cells), small(batch, cells), small(inputs + cells, 4 * cells),
                     small(cells), small(cells), small(cells), small(4 * cells)]  # fmt: skip
            options = dict(forget_bias=0.75, cell_clip=clip, use_peephole=peeks)
            names = ("x", "cs_prev", "h_prev", "w", "wci", "wcf", "wco", "b")
            forward = lambda *a, options=options: raw.LSTMBlockCell(**dict(zip(names, a)), **options)
            name = f"{'peephole' if peeks else 'plain'}_{clip:g}".replace("-", "minus_").replace(".", "_")
            suite.case(f"forward_{name}", lambda *a, f=forward: list(f(*a)), *state, rtol=1e-5)
            # Gates and functions of the state, and the state as it is.
            kept = [1 / (1 + np.exp(-4 * small(batch, cells))) if i in (0, 2, 3) else np.tanh(small(batch, cells)) for i in range(6)]
            kept = [np.asarray(each, F32) for each in kept]
            backward = lambda *a, peeks=peeks: raw.LSTMBlockCellGrad(
                **dict(zip(names + ("i", "cs", "f", "o", "ci", "co", "cs_grad", "h_grad"), a)), use_peephole=peeks)  # fmt: skip
            suite.case(f"backward_{name}", lambda *a, f=backward: list(f(*a)), *state, *kept[:6], small(batch, cells), small(batch, cells), rtol=1e-5)
    suite.write()


SUITES = [lstm_cells]
