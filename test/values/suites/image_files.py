# SPDX-License-Identifier: Apache-2.0
"""Images in files: JPEGs and PNGs that TensorFlow has written, PNGs and BMPs written here."""
import itertools
import struct
import zlib

from suite import *


def picture(height, width, channels, dtype=U8):
    """A slope in each channel, and noise on it."""
    y, x = np.mgrid[0:height, 0:width]
    slopes = [(x * 5 + y * 3 * (c + 1)) % 256 for c in range(channels)]
    noisy = np.stack(slopes, -1) // 2 + rng.randint(0, 128, size=(height, width, channels))
    return np.asarray(noisy * (257 if dtype is U16 else 1), dtype)


def jpeg(pixels, **attributes):
    with tf.init_scope():
        return tf.io.encode_jpeg(pixels, quality=90, **attributes).numpy()


def png(pixels):
    with tf.init_scope():
        return tf.io.encode_png(pixels).numpy()


def noise(size):
    return rng.randint(0, 256, size=size).astype(U8).tobytes()


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def written_png(width, height, depth, color, rows, *chunks, interlaced=0):
    """A PNG of rows as they are stored, each after the number of its filter."""
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + b"".join(chunks) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def small_pngs():
    """Name and bytes: a palette with and without transparency, gray of few bits, gray and alpha, interlaced colors."""
    palette = chunk(b"PLTE", noise(48))
    rows = lambda size, height: b"".join(b"\0" + noise(size) for _ in range(height))
    yield "palette", written_png(6, 4, 4, 3, rows(3, 4), palette)
    yield "transparent", written_png(6, 4, 4, 3, rows(3, 4), palette, chunk(b"tRNS", bytes([0, 77, 255])))
    for depth, size in ((1, 2), (2, 3), (4, 5), (8, 10), (16, 20)):
        yield f"gray{depth}", written_png(10, 3, depth, 0, rows(size, 3))
    yield "gray_alpha", written_png(5, 3, 8, 4, rows(10, 3))
    yield "gray_key", written_png(5, 3, 8, 0, rows(5, 3), chunk(b"tRNS", b"\0\x11"))
    # Of 3 by 3 pixels the first, the last of its row, two of the last row, two of the middle column, the middle row.
    interlaced = b"".join(b"\0" + noise(size) for size in (3, 3, 6, 3, 3, 9))
    yield "interlaced", written_png(3, 3, 8, 2, interlaced, interlaced=1)
    yield "colors16", written_png(4, 3, 16, 2, rows(24, 3))


def bmp(width, height, channels):
    stride = (width * channels + 3) // 4 * 4
    header = b"BM" + struct.pack("<IHHIIiiHH", 54 + stride * abs(height), 0, 0, 54, 40, width, height, 1, 8 * channels)
    return header.ljust(54, b"\0") + noise(stride * abs(height))


def decodes(decode, bytes_):
    """Whether TensorFlow makes an image of it."""
    with tf.init_scope():
        try:
            decode(tf.constant(bytes_))
        except tf.errors.InvalidArgumentError:
            return False
    return True


def image_files():
    suite = Suite("image_files")

    def case(name, bytes_, decode, **options):
        # Its length is fed, so that nothing is folded.
        suite.case(name, lambda end: decode(raw.Substr(input=tf.constant(bytes_), pos=0, len=end)),
                   np.array(len(bytes_), I32), **options)  # fmt: skip

    colors, gray = picture(37, 43, 3), picture(21, 18, 1)
    files = {"colors": jpeg(colors), "full": jpeg(colors, chroma_downsampling=False), "gray": jpeg(gray), "progressive": jpeg(colors, progressive=True)}
    for label, bytes_ in files.items():
        for channels in (0, 1, 3):
            case(f"jpeg_{label}_{channels}", bytes_, lambda b, channels=channels: raw.DecodeJpeg(contents=b, channels=channels))
        for ratio in (2, 4, 8):
            case(f"jpeg_{label}_ratio_{ratio}", bytes_, lambda b, ratio=ratio: raw.DecodeJpeg(contents=b, ratio=ratio))
        case(f"jpeg_{label}_plain", bytes_, lambda b: raw.DecodeJpeg(contents=b, fancy_upscaling=False))
        case(f"jpeg_{label}_accurate", bytes_, lambda b: raw.DecodeJpeg(contents=b, dct_method="INTEGER_ACCURATE"))
        for window in ([0, 0, 5, 4], [9, 17, 12, 1], [3, 2, 18, 16]):
            case(f"jpeg_{label}_window_{'_'.join(map(str, window))}", bytes_, lambda b, window=window: raw.DecodeAndCropJpeg(contents=b, crop_window=window))
        case(f"jpeg_{label}_outside", bytes_, lambda b: raw.DecodeAndCropJpeg(contents=b, crop_window=[30, 0, 9, 9]), fails="Invalid JPEG data")
        for share in (0.3, 0.6, 0.9):
            part = bytes_[: int(len(bytes_) * share)]
            cut = f"jpeg_{label}_cut_{int(share * 10)}"
            case(f"{cut}_whole", part, lambda b: raw.DecodeJpeg(contents=b), fails="Invalid JPEG data")
            for how, options in (("any", {"acceptable_fraction": 0.05}), ("recovered", {"try_recover_truncated": True})):
                # Where the library ends in the middle of a block, some of it is there.
                decode = lambda b, options=options: raw.DecodeJpeg(contents=b, **options)
                case(f"{cut}_{how}", part, decode, **({} if decodes(decode, part) else {"fails": "Invalid JPEG data"}))
        for dtype in (tf.uint8, tf.uint16, tf.float32):
            case(f"image_{label}_{dtype.name}", bytes_, lambda b, dtype=dtype: raw.DecodeImage(contents=b, dtype=dtype))
        case(f"png_of_{label}", bytes_, lambda b: raw.DecodePng(contents=b, dtype=tf.uint16))
    case("jpeg_four", files["colors"], lambda b: raw.DecodePng(contents=b, channels=4), fails="JPEG")
    case("jpeg_no_end", files["colors"][:-2], lambda b: raw.DecodeJpeg(contents=b), fails="Invalid JPEG data")
    pngs = dict(small_pngs())
    for channels in (1, 2, 3, 4):
        for dtype in (U8, U16):
            pngs[f"{channels}x{8 * np.dtype(dtype).itemsize}"] = png(picture(7, 9, channels, dtype))
    for label, bytes_ in pngs.items():
        for channels in (0, 1, 3, 4):
            for dtype in (tf.uint8, tf.uint16):
                case(f"png_{label}_{channels}_{dtype.name}", bytes_, lambda b, channels=channels, dtype=dtype: raw.DecodePng(contents=b, channels=channels, dtype=dtype))
        case(f"image_png_{label}", bytes_, lambda b: raw.DecodeImage(contents=b, dtype=tf.float32))
        case(f"jpeg_of_png_{label}", bytes_, lambda b: raw.DecodeJpeg(contents=b, channels=3))
        case(f"png_{label}_cut", bytes_[:-20], lambda b: raw.DecodePng(contents=b), fails="Invalid PNG")
    case("png_header", pngs["3x8"][:25], lambda b: raw.DecodePng(contents=b), fails="Invalid PNG")
    for width, height, depth in ((5, 3, 3), (4, -3, 3), (7, 2, 4), (3, 3, 1), (6, -2, 4)):
        bytes_ = bmp(width, height, depth)
        label = f"{width}_{height}_{depth}".replace("-", "minus_")
        for channels in (0, 3, 4):
            case(f"bmp_{label}_{channels}", bytes_, lambda b, channels=channels: raw.DecodeBmp(contents=b, channels=channels))
        if height > 0:
            case(f"image_bmp_{label}", bytes_, lambda b: raw.DecodeImage(contents=b, dtype=tf.float32))
        case(f"bmp_{label}_cut", bytes_[:-1], lambda b: raw.DecodeBmp(contents=b), fails="differ by")
    case("bmp_short", b"BM123", lambda b: raw.DecodeBmp(contents=b), fails="bmp content")
    case("nothing", b"", lambda b: raw.DecodeImage(contents=b), fails="empty")
    case("no_format", b"0123456789", lambda b: raw.DecodeImage(contents=b), fails="Unknown image file format")
    whole = suite.file("image.bin", files["colors"])
    suite.case("read_file", lambda at: raw.DecodeJpeg(contents=raw.ReadFile(filename=raw.Substr(input=tf.constant(whole), pos=0, len=at))), np.array(len(whole), I32))
    suite.case("no_file", lambda at: raw.DecodeJpeg(contents=raw.ReadFile(filename=raw.Substr(input=tf.constant(whole), pos=0, len=at))), np.array(5, I32), fails="image")
    suite.write()


def encoded_images():
    """Images written to files: a JPEG's bytes; of a PNG, whose bytes depend on zlib, what is read back."""
    suite = Suite("encoded_images")
    for channels, dtype in itertools.product((1, 2, 3, 4), (U8, U16)):
        for compression in (-1, 0, 9) if channels == 3 else (-1,):
            def png(x, compression=compression, channels=channels, dtype=dtype):
                written = raw.EncodePng(image=x, compression=compression)
                head = raw.DecodeRaw(bytes=raw.Substr(input=written, pos=0, len=33), out_type=U8)
                read = raw.DecodeRaw(bytes=written, out_type=U8)[24:26]  # the bits of a channel, the kind of colors
                return [head, read] if channels == 2 else [head, raw.DecodePng(contents=written, channels=channels, dtype=dtype)]
            suite.case(f"png_{channels}_{short(dtype)}_{str(compression).replace('-', 'minus_')}", png, picture(13, 9, channels, dtype))
    suite.case("png_batch", lambda x: raw.Shape(input=raw.EncodePng(image=x)), np.stack([picture(5, 4, 3)] * 6).reshape(2, 3, 5, 4, 3))
    suite.case("png_batch_of_none", lambda x: raw.Shape(input=raw.EncodePng(image=x)), np.zeros((2, 0, 5, 4, 3), U8))
    suite.case("png_of_second", lambda x: raw.DecodePng(contents=raw.EncodePng(image=x)[1], channels=3), np.stack([picture(5, 4, 3), picture(5, 4, 3)]))
    suite.case("png_empty", lambda x: raw.EncodePng(image=x), np.zeros((0, 4, 3), U8), fails="PNG encoding failed")
    ways = {"plain": {}, "rough": dict(quality=20), "full": dict(chroma_downsampling=False), "tables": dict(optimize_size=True),
        "progressive": dict(progressive=True), "metric": dict(density_unit="cm", x_density=100, y_density=50), "xmp": dict(xmp_metadata="<x/>"),
        "worst": dict(quality=0), "best": dict(quality=100)}  # fmt: skip
    for (way, attributes), channels in itertools.product(ways.items(), (1, 3)):
        if channels == 1 and way not in ("plain", "progressive"):
            continue
        suite.case(f"jpeg_{channels}_{way}", lambda x: raw.DecodeRaw(bytes=raw.EncodeJpeg(image=x, **attributes), out_type=U8), picture(11, 18, channels))
    suite.case("jpeg_format", lambda x: raw.DecodeRaw(bytes=raw.EncodeJpeg(image=x, format="rgb"), out_type=U8), picture(8, 8, 3))
    suite.case("jpeg_empty", lambda x: raw.EncodeJpeg(image=x), np.zeros((4, 0, 3), U8), fails="JPEG encoding failed")
    suite.write()


def found_files():
    """Files that are found, and written and read again; of names, lengths and hashes."""
    suite = Suite("found_files")
    for name in ("match_a1.txt", "match_a2.txt", "match_b1.txt", "match_[1].txt"):
        suite.file(name, name.encode())
    known = lambda names: [raw.StringLength(input=names), raw.StringToHashBucketFast(input=names, num_buckets=2**62)]
    patterns = ("match_a*.txt", "./match_?1.txt", "match_[ab]1.txt", "match_a1.txt", "match_none*", "no_folder/*.txt", "match_\\[*", "match_[[]1].txt",
        "./match_a1.txt", "match_a1.txt/", ".//match_a*", "*/match_a1.txt", "", "match_{a,b}1.txt")  # fmt: skip
    for i, pattern in enumerate(patterns):
        suite.case(f"pattern_{i}", lambda n: known(raw.MatchingFiles(pattern=raw.Substr(input=tf.constant(pattern), pos=0, len=n))), I32(len(pattern)))
    for name, several in {"two": ["match_b*", "match_a*"], "overlap": ["match_a*", "match_*1.txt", "match_a1.txt"], "none": []}.items():
        suite.case(name, lambda n: known(raw.MatchingFiles(pattern=raw.Substr(input=tf.constant(several, tf.string), pos=0, len=n))), I32(20))

    def listed(**options):
        names = tf.data.Dataset.list_files("match_*1.txt", **options)
        iterator = v1.data.make_initializable_iterator(names)
        v1.add_to_collection(INITIALIZERS, iterator.initializer)
        first = known(iterator.get_next())
        with tf.control_dependencies(first):
            return first + known(iterator.get_next())

    suite.case("listed", lambda: listed(shuffle=False))
    suite.case("listed_in_random_order", lambda: listed(seed=7))

    def written(n):
        text = raw.Substr(input=tf.constant("some text"), pos=0, len=n)
        name = raw.StringJoin(inputs=["new_folder/", text, ".txt"])  # fed, so that TensorFlow does not read the file in advance
        with tf.control_dependencies([raw.WriteFile(filename=name, contents=text)]):
            return raw.DecodeRaw(bytes=raw.ReadFile(filename=name), out_type=U8)

    suite.case("written", written, I32(9))
    suite.case("written_again", written, I32(4))
    suite.case("written_nothing", written, I32(0))
    suite.write()


def compressed(indices, bits):
    """The blocks of a GIF's frame: codes of LZW, whose table is made anew only when it has been full for a while."""
    clear, codes = 1 << bits, []
    table, text = {(i,): i for i in range(clear)}, ()

    def put(code, width):
        codes.append((code, width))

    width, next_code = bits + 1, clear + 2
    put(clear, width)
    for i, index in enumerate(indices):
        if text + (index,) in table:
            text += (index,)
            continue
        put(table[text], width)
        if next_code < 4096:
            table[text + (index,)] = next_code
            next_code += 1
            if next_code > 1 << width and width < 12:
                width += 1
        elif i > 4500:
            put(clear, width)
            width, next_code, table = bits + 1, clear + 2, {(i,): i for i in range(clear)}
        text = (index,)
    put(table[text], width)
    put(clear + 1, width)
    number = sum(code << at for (code, _), at in zip(codes, np.cumsum([0] + [w for _, w in codes]).tolist()))
    data = number.to_bytes((sum(w for _, w in codes) + 7) // 8, "little")
    return bytes([bits]) + b"".join(bytes([len(part)]) + part for part in (data[i : i + 255] for i in range(0, len(data), 255))) + b"\0"


def frame(pixels, left=0, top=0, bits=2, transparent=None, palette=None, interlaced=False):
    height, width = pixels.shape
    control = b"" if transparent is None else b"!\xf9\x04" + bytes([1, 0, 0, transparent, 0])
    flags = (0x40 if interlaced else 0) | (0 if palette is None else 0x80 | bits - 1)
    return control + b"," + struct.pack("<HHHHB", left, top, width, height, flags) + (palette or b"") + compressed(pixels.ravel().tolist(), bits)


def gif(*frames, palette=None, bits=2):
    flags = 0 if palette is None else 0x80 | bits - 1
    return b"GIF89a" + struct.pack("<HHBBB", 9, 7, flags, 0, 0) + (palette or b"") + b"!\xfe\x03abc\0" + b"".join(frames) + b";"


def animated_images():
    suite = Suite("animated_images")
    decode = lambda b: raw.DecodeGif(contents=b)

    def case(name, bytes_, function=decode, **options):
        suite.case(name, lambda end: function(raw.Substr(input=tf.constant(bytes_), pos=0, len=end)), np.array(len(bytes_), I32), **options)

    some = lambda height, width, most=4: rng.randint(0, most, size=(height, width))
    colors, own = noise(12), noise(12)
    one = gif(frame(some(7, 9)), palette=colors)
    case("one", one)
    case("several", gif(frame(some(7, 9)), frame(some(3, 4), 2, 1, transparent=1), frame(some(7, 9), transparent=0, palette=own), palette=colors))
    case("small_first", gif(frame(some(3, 4), 2, 1), frame(some(5, 8), 4, 4), palette=colors))
    case("transparent_first", gif(frame(some(7, 9), transparent=2), palette=colors))
    case("interlaced", gif(frame(some(13, 3), interlaced=True), palette=colors))
    # Of many pixels, sums by row and by column are stored.
    sums = lambda b: [tf.reduce_sum(tf.cast(decode(b), tf.int32), axis) for axis in (1, 2)]
    case("full_table", gif(frame(some(65, 80, 256), bits=8, palette=bytes(range(256)) * 3)), sums)
    case("runs", gif(frame(np.repeat(some(6, 4), 9, axis=1)), palette=colors))
    case("no_trailer", one[:-1])
    case("index_outside", gif(frame(np.full((2, 2), 3), bits=2), palette=colors[:6], bits=1), fails="found color index 3 outside of color map range 2")
    case("no_colors", gif(frame(some(2, 2))), fails="missing color map for frame 0")
    case("no_frame", gif(palette=colors), fails="No Image Descriptor")
    case("cut_header", one[:9], fails="Invalid GIF data")
    case("as_png", one, lambda b: raw.DecodePng(contents=b))
    case("as_wide_png", one, lambda b: raw.DecodePng(contents=b, dtype=tf.uint16))
    case("as_jpeg", one, lambda b: raw.DecodeJpeg(contents=b, channels=3))
    several = gif(frame(some(4, 5)), frame(some(4, 5)), palette=colors)
    case("several_as_png", several, lambda b: raw.DecodePng(contents=b), fails="Got 2 frames")
    case("first", several, lambda b: raw.DecodeImage(contents=b, dtype=tf.float32, expand_animations=False))
    case("gray", one, lambda b: raw.DecodeImage(contents=b, channels=1, expand_animations=False), fails="channels must be 0 or 3 for GIF")
    suite.write()


SUITES = [image_files, encoded_images, found_files, animated_images]
