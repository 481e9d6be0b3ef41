# SPDX-License-Identifier: Apache-2.0
"""Images brought to another size or given other colors, and tensors whose rows are changed in place."""
import itertools

from suite import *

WAYS = (("legacy", {}), ("corners", dict(align_corners=True)), ("centers", dict(half_pixel_centers=True)))
SIZES = ((1, 1), (3, 4), (5, 7), (10, 14), (11, 2), (13, 20))


def resize():
    suite = Suite("resize")
    image = (2, 5, 7, 3)
    for (way, attributes), size in itertools.product(WAYS, SIZES):
        name = f"{way}_{text(size)}"
        sizes = np.array(size, I32)
        for dtype in (F32, F64, np.uint8, I32) if size in ((3, 4), (10, 14)) else (F32,):
            draw = values(image, dtype) if dtype is np.uint8 or dtype is I32 else normal(image, dtype)
            suite.case(f"nearest_{name}_{short(dtype)}", lambda x: raw.ResizeNearestNeighbor(images=x, size=sizes, **attributes), draw)
            # The result is of float32 whatever the image is of, and so is its gradient.
            fed = F32 if dtype is F64 else dtype
            suite.case(f"bilinear_{name}_{short(dtype)}", lambda x: raw.ResizeBilinear(images=raw.Cast(x=x, DstT=dtype), size=sizes, **attributes),
                       draw.astype(fed), rtol=1e-6, atol=1e-6)  # fmt: skip
            suite.case(f"bicubic_{name}_{short(dtype)}", lambda x: raw.ResizeBicubic(images=raw.Cast(x=x, DstT=dtype), size=sizes, **attributes),
                       draw.astype(fed), rtol=1e-6, atol=1e-6 * max(2, float(np.abs(draw).max())))  # fmt: skip
        gradient = (2, *size, 3)
        for dtype in (F32, F64):
            suite.case(f"nearest_grad_{name}_{short(dtype)}", lambda g: raw.ResizeNearestNeighborGrad(grads=g, size=[5, 7], **attributes),
                       normal(gradient, dtype), rtol=1e-6 if dtype is F32 else 1e-14, atol=2e-6 if dtype is F32 else 1e-14)  # fmt: skip
            suite.case(f"bilinear_grad_{name}_{short(dtype)}", lambda g, x: raw.ResizeBilinearGrad(grads=g, original_image=x, **attributes),
                       normal(gradient), normal(image, dtype), rtol=1e-6, atol=4e-6)  # fmt: skip
            suite.case(f"bicubic_grad_{name}_{short(dtype)}", lambda g, x: raw.ResizeBicubicGrad(grads=g, original_image=x, **attributes),
                       normal(gradient), normal(image, dtype), rtol=1e-6, atol=4e-6)  # fmt: skip
    for op, size in itertools.product(("ResizeBicubic", "ResizeBilinear", "ResizeNearestNeighbor"), ([0, 3], [3, -2])):
        suite.case(f"{op}_{text(size).replace('-', 'minus_')}", lambda x, s: getattr(raw, op)(images=x, size=s), normal(image), np.array(size, I32),
                   fails="output dimensions must be positive")  # fmt: skip
    for way, attributes in WAYS:  # sizes whose quotients are no floats
        for size in ((29, 31), (7, 6), (3, 100)):
            name = f"{way}_{text(size)}"
            sizes = np.array(size, I32)
            suite.case(f"wide_nearest_{name}", lambda x: raw.ResizeNearestNeighbor(images=x, size=sizes, **attributes), normal((1, 23, 49, 1)))
            suite.case(f"wide_bicubic_{name}", lambda x: raw.ResizeBicubic(images=x, size=sizes, **attributes), normal((1, 23, 49, 1)),
                       rtol=1e-6, atol=4e-6)  # fmt: skip
            suite.case(f"wide_bilinear_{name}", lambda x: raw.ResizeBilinear(images=x, size=sizes, **attributes), normal((1, 23, 49, 1)),
                       rtol=1e-6, atol=4e-6)  # fmt: skip
    suite.write()


def resized_pixels():
    """Bilinear, of one pixel and of several vectors of them, of one color and of three."""
    suite = Suite("resized_pixels")
    sizes = {"grown": ((1, 1), (3, 4)), "row": ((1, 9), (5, 3)), "shrunk": ((35, 17), (15, 11)), "wide": ((5, 17), (6, 41))}
    for (way, attributes), (name, (image, size)), channels in itertools.product(WAYS, sizes.items(), (1, 3)):
        for dtype in (F32, U8):
            x = values((2, *image, channels), dtype) if dtype is U8 else normal((2, *image, channels), dtype)
            # What follows on the pixels is part of the same kernel.
            suite.case(f"{way}_{name}_{channels}_{short(dtype)}", lambda x: (raw.ResizeBilinear(images=x, size=size, **attributes) - 2.0) * 0.5,
                       x, rtol=1e-6, atol=1e-6 * max(2, float(np.abs(x).max())))  # fmt: skip
    suite.write()


def colors():
    suite = Suite("colors")
    contrast = lambda x, f: raw.AdjustContrastv2(images=x, contrast_factor=f)
    for shape in ((5, 7, 3), (2, 4, 6, 1), (2, 2, 3, 5, 4), (2, 32, 32, 3)):
        for factor in (0.0, 0.5, 1.75):
            suite.case(f"contrast_{text(shape)}_{text([factor]).replace('.', '_')}", contrast, normal(shape), F32(factor), rtol=2e-6, atol=1e-6)
    # Gray, black and white; all orders of channels and ties among them; hues at the ends of the six sectors.
    some = np.array(list(itertools.product((0.0, 0.25, 1.0), repeat=3)), F32).reshape(3, 9, 3)
    uniform = lambda dtype, *shape: np.asarray(rng.uniform(size=shape), dtype)
    hues = np.array([[[h / 6, s, 0.75] for s in (0.0, 0.5, 1.0)] for h in range(7)], F32)
    for name, image in (("some", some), ("random", uniform(F32, 2, 4, 5, 3)), ("vivid", 3 * uniform(F32, 4, 5, 3) - 1)):
        suite.case(f"to_hsv_{name}", lambda x: raw.RGBToHSV(images=x), image, rtol=1e-6, atol=1e-6)
        suite.case(f"to_rgb_{name}", lambda x: raw.HSVToRGB(images=x), image, rtol=1e-6, atol=1e-6)
        for change in (-0.7, 0.0, 0.25, 1.0):
            at = text([change]).replace(".", "_")
            suite.case(f"hue_{name}_{at}", lambda x, d: raw.AdjustHue(images=x, delta=d), image, F32(change), rtol=2e-6, atol=1e-6)
            suite.case(f"saturation_{name}_{at}", lambda x, s: raw.AdjustSaturation(images=x, scale=s), image, F32(2 * change), rtol=2e-6, atol=4e-6)
    suite.case("to_rgb_hues", lambda x: raw.HSVToRGB(images=x), hues, rtol=1e-6, atol=1e-6)
    suite.case("to_hsv_f64", lambda x: raw.RGBToHSV(images=x), uniform(F64, 3, 3, 3), rtol=1e-14, atol=1e-14)
    suite.case("to_rgb_f64", lambda x: raw.HSVToRGB(images=x), uniform(F64, 3, 3, 3), rtol=1e-14, atol=1e-14)
    suite.write()


def patches():
    suite = Suite("patches")
    for padding, window, strides, rates in itertools.product(("SAME", "VALID"), ((2, 3), (4, 4)), ((1, 1), (3, 2)), ((1, 1), (2, 1))):
        name = "_".join([padding, *map(text, (window, strides, rates))])
        for dtype in (F32, I64) if rates == (1, 1) else (F32,):
            suite.case(f"{name}_{short(dtype)}", lambda x: raw.ExtractImagePatches(images=x, ksizes=[1, *window, 1], strides=[1, *strides, 1],
                       rates=[1, *rates, 1], padding=padding), values((2, 9, 8, 3), dtype))  # fmt: skip
    suite.write()


def in_place():
    suite = Suite("in_place")
    rows = np.array([2, 0, 2], I32)
    for op in (raw.InplaceUpdate, raw.InplaceAdd, raw.InplaceSub):
        for dtype in (F32, F64, I32, I64):
            # Of rows that are named twice, the last one stays.
            suite.case(f"{op.__name__}_{short(dtype)}", lambda x, v, op=op: op(x=raw.Identity(input=x) + x, i=rows, v=v),
                       values((4, 3), dtype), values((3, 3), dtype))  # fmt: skip
    suite.case("Empty", lambda x: raw.Empty(shape=[2, 3], dtype=F32, init=True) + x, normal((2, 3)))
    suite.write()


SUITES = [resize, resized_pixels, colors, patches, in_place]
