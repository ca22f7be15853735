"""Checks PNGs without a library: FILE:WxH:CANVAS. The size is right, the canvas colour is there,
and so are enough others (text has many shades, an empty frame has one). With - for CANVAS it is not
decoded: the size is right, and there are more bytes than an empty frame has (under 1 kB; the barest scene takes 47 kB)."""
import struct
import sys
import zlib


def read(path):
    data = open(path, "rb").read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path + " is no PNG"
    return data


def pixels(path):
    data = read(path)
    at, parts, size = 8, [], None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 2), "not 8 bit RGB"
            size = (width, height)
        elif kind == b"IDAT":
            parts.append(body)
        at += length + 12
    raw, stride = zlib.decompress(b"".join(parts)), size[0] * 3
    rows, before = [], bytes(stride)
    for y in range(size[1]):
        start = y * (stride + 1)
        mode, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            a = line[i - 3] if i >= 3 else 0
            b, c = before[i], before[i - 3] if i >= 3 else 0
            if mode == 1:
                add = a
            elif mode == 2:
                add = b
            elif mode == 3:
                add = (a + b) // 2
            elif mode == 4:
                pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                add = a if pa <= pb and pa <= pc else b if pb <= pc else c
            else:
                add = 0
            line[i] = (line[i] + add) & 255
        before = bytes(line)
        rows.append(before)
    return size, rows


for argument in sys.argv[1:]:
    path, wanted, canvas = argument.rsplit(":", 2)
    if canvas == "-":
        data = read(path)
        size = "%dx%d" % struct.unpack(">II", data[16:24])
        assert size == wanted, "%s is %s, not %s" % (path, size, wanted)
        assert len(data) > 20000, "%s has %d bytes: nothing was drawn" % (path, len(data))
        continue
    size, rows = pixels(path)
    assert "%dx%d" % size == wanted, "%s is %dx%d, not %s" % (path, *size, wanted)
    count = {}
    for row in rows:
        for i in range(0, len(row), 3):
            count[row[i:i + 3]] = count.get(row[i:i + 3], 0) + 1
    assert len(count) > 150, "%s has %d colours: nothing was drawn" % (path, len(count))
    share = count.get(bytes.fromhex(canvas), 0) / (size[0] * size[1])
    assert share > 0.02, "%s: only %.3f of it is canvas #%s" % (path, share, canvas)
    assert share < 0.7, "%s is nearly empty" % path
