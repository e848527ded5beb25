"""Makes the files of this folder with NumPy. Usage: python3 make.py FOLDER"""
import os
import sys
import zipfile

import numpy as np

folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


def write(name, array, version):
    with open(path(name), "wb") as file:
        np.lib.format.write_array(file, array, version=version)


dtypes = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]


def values(dtype):
    """0 to 5 in two rows; i is minus the real part."""
    x = np.arange(6).reshape(2, 3)
    return (x - 1j * x if np.dtype(dtype).kind == "c" else x).astype(dtype)


for dtype in dtypes:
    np.save(path(dtype + ".npy"), values(dtype))
    if np.dtype(dtype).itemsize > 1:
        np.save(path(dtype + "_big_endian.npy"), values(dtype).astype(np.dtype(dtype).newbyteorder(">")))
x = values("float64")
np.save(path("column_major.npy"), np.asfortranarray(x))
np.save(path("column_major_big_endian.npy"), np.asfortranarray(values(">f4")))
write("version_2.npy", x, (2, 0))
write("version_3.npy", x, (3, 0))
np.save(path("scalar.npy"), np.array(2.5))
np.save(path("empty.npy"), np.empty((3, 0, 2), "int16"))
np.save(path("axes_32.npy"), np.full((1,) * 32, 7, "uint8"))
# The package ml_dtypes makes NumPy write bfloat16 as '<V2'; NumPy itself writes such bytes as '|V2'.
np.save(path("bfloat16_bytes.npy"), np.array([0x3F80, 0xC000, 0x7FC0], "<u2").view("V2"))
with open(path("bfloat16_bytes.npy"), "rb") as plain, open(path("bfloat16.npy"), "wb") as file:
    file.write(plain.read().replace(b"|V2", b"<V2"))

# As NumPy on Python 2 wrote it, and as other programs may: in other words, aligned to nothing.
text = b"{'shape': (2L, 3L), 'descr': '<f8', 'fortran_order': False}\n"
with open(path("python2.npy"), "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + x.tobytes())
text = b'{"descr":"|b1","fortran_order":False,"shape":(4,)}'
with open(path("loose_bools.npy"), "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + bytes([0, 1, 2, 255]))

# What is refused.
np.save(path("refused_text.npy"), np.array(["a", "bcd"]))
np.save(path("refused_bytes.npy"), np.array([b"ab"]))
np.save(path("refused_structured.npy"), np.zeros(2, [("a", "f8"), ("b", "i4")]))
np.save(path("refused_object.npy"), np.array([None, 1], dtype=object), allow_pickle=True)
np.save(path("refused_date.npy"), np.array(["2020-01-01"], dtype="M8[D]"))
np.save(path("refused_longdouble.npy"), np.zeros(2, np.longdouble))
np.save(path("refused_axes_33.npy"), np.zeros((1,) * 33))

arrays = {"x": x, "flags": values("bool"), "folder/z": values("complex64"), "größe": np.array(3)}
np.savez(path("stored.npz"), **arrays)
np.savez_compressed(path("deflated.npz"), **arrays)
zipfile.ZIP64_LIMIT = 0  # as if every figure were beyond 32 bits
zipfile.ZIP_FILECOUNT_LIMIT = 0
np.savez(path("zip64.npz"), **arrays)
