# SPDX-License-Identifier: Apache-2.0
"""GFLOP/s of MKL's product of two matrices of float32, one number a line for each call.
Usage: mkl_product.py LIBRARY THREADS SECONDS FORM ROWS DEPTH COLUMNS

LIBRARY is a path of libmkl_rt, as the package `mkl` brings it; FORM says which operand is transposed: NN, NT, TN.
"""
import ctypes
import sys
import time

ROW_MAJOR, PLAIN, TRANSPOSED = 101, 111, 112
# MKL_THREADING_SEQUENTIAL and MKL_THREADING_GNU: Intel's own runtime is a package apart.
SEQUENTIAL, WITH_GNU_OPENMP = 1, 3


def matrix(rows, columns):
    made = (ctypes.c_float * (rows * columns))()
    for place in range(len(made)):
        made[place] = place % 7 * 0.25
    return made


def main():
    library, threads, seconds, form, *sizes = sys.argv[1:]
    rows, depth, columns = (int(size) for size in sizes)
    mkl = ctypes.CDLL(library)
    mkl.MKL_Set_Threading_Layer(SEQUENTIAL if threads == "1" else WITH_GNU_OPENMP)
    mkl.MKL_Set_Num_Threads(int(threads))
    left, right, result = matrix(rows, depth), matrix(depth, columns), matrix(rows, columns)
    order = [TRANSPOSED if letter == "T" else PLAIN for letter in form]
    one, none = ctypes.c_float(1), ctypes.c_float(0)
    # How far apart the rows of each lie.
    leads = [rows if form[0] == "T" else depth, depth if form[1] == "T" else columns, columns]

    def product():
        mkl.cblas_sgemm(
            ROW_MAJOR, *order, rows, columns, depth, one, left, leads[0], right, leads[1], none, result, leads[2]
        )

    for _ in range(3):
        product()
    end = time.perf_counter() + float(seconds)
    while (start := time.perf_counter()) < end:
        product()
        print(2 * rows * depth * columns / (time.perf_counter() - start) / 1e9)


if __name__ == "__main__":
    main()
