"""Files between NumPy and Tandem, both ways. Usage: python3 numpy_files.py PROGRAM
Exit code 77 without NumPy."""
import os
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
except ImportError:
    print("SKIPPED: python3 has no NumPy")
    sys.exit(77)

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]
SHAPES = [(), (0,), (1,), (7,), (3, 0, 2), (1, 1), (5, 1), (1, 5), (4, 3), (2, 3, 4), (100_000,), (300, 500)]
program = sys.argv[1]
random = np.random.RandomState(1)
commands, checks, failures = [], [], []


def make_arrays():
    for dtype in DTYPES:
        for shape in SHAPES:
            size = int(np.prod(shape)) * np.dtype(dtype).itemsize
            x = np.frombuffer(random.bytes(size), "u1").copy()
            x = (x & 1).view("?") if dtype == "?" else x.view(dtype)
            yield x.reshape(shape)


arrays = list(make_arrays())


def expect(what, condition):
    if not condition:
        failures.append(what)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def identical(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def add(form, source, target, check):
    commands.append(f"{form} {source} {target}\n")
    checks.append(check)


def add_npy(folder):
    """NumPy's files come back byte for byte; other forms of the same array become NumPy's file of it."""
    for i, x in enumerate(arrays):
        forms = {"plain": x, "columns": np.asfortranarray(x), "big": x.astype(x.dtype.newbyteorder(">")),
                 "strided": np.repeat(x, 2, axis=-1)[..., ::2] if x.ndim else x}
        for name, y in forms.items():
            source = f"{folder}/{i}_{name}.npy"
            np.save(source, y)
            expected = f"{folder}/{i}_{name}_expected.npy"
            np.save(expected, y.astype(x.dtype, order="A"))
            for form in ("npy", "mapped"):
                target = f"{folder}/{i}_{name}_{form}.npy"
                add(form, source, target, lambda e=expected, t=target: expect(t, content(e) == content(t)))
        for version in ((1, 0), (2, 0), (3, 0)):
            source, target = f"{folder}/{i}_{version[0]}.npy", f"{folder}/{i}_{version[0]}_copy.npy"
            with open(source, "wb") as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                np.lib.format.write_array(file, x, version=version)
            add("npy", source, target, lambda x=x, t=target: expect(t, identical(np.load(t), x)))


def add_npz(folder):
    everything = {f"array {i}/é": x for i, x in enumerate(arrays)}
    for save in (np.savez, np.savez_compressed):
        source = f"{folder}/{save.__name__}.npz"
        save(source, **everything)
        for form in ("stored", "deflated"):
            target = f"{folder}/{save.__name__}_{form}.npz"

            def check(target=target):
                with np.load(target) as file:
                    expect(target, list(file.files) == list(everything))
                    for name, x in everything.items():
                        expect(target + name, identical(file[name], x))

            add(form, source, target, check)


def add_text(folder):
    for i, x in enumerate(arrays):
        if x.ndim not in (1, 2) or x.size > 1000 or x.size == 0:
            continue
        source, text, copy = f"{folder}/{i}_plain.npy", f"{folder}/{i}.txt", f"{folder}/{i}_from_text.npy"
        expected = f"{folder}/{i}_numpy.txt"
        np.savetxt(expected, x)
        add("to_text", source, text, lambda e=expected, t=text: expect(t, content(e) == content(t)))
        if x.dtype.kind != "c":
            add("from_text", text, copy,
                lambda e=expected, c=copy: expect(c, identical(np.load(c), np.loadtxt(e, ndmin=2))))


with tempfile.TemporaryDirectory() as folder:
    with np.errstate(all="ignore"):
        add_npy(folder)
        add_npz(folder)
        add_text(folder)
        subprocess.run([program], input="".join(commands), text=True, check=True)
        for check in checks:
            check()
print(f"NumPy {np.__version__}: {len(commands)} files, {len(failures)} failures")
for failure in failures[:20]:
    print("differs: " + os.path.basename(failure))
sys.exit(1 if failures else 0)
