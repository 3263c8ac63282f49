#!/usr/bin/env python3
"""Makes the Debian package from the build tree, unpacks it, and uses what is in it.

usage: package_test.py SOURCE BUILD
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PYTHON = sys.executable
CODE = ("import numpy as np, dynacc\n@dynacc.compile\ndef f(a): return np.sqrt(a * a + 1) - a\n"
        "print(f(np.arange(3.0)).sum(), dynacc.stats()['entries_hit'], dynacc.__version__)")


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=250, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def make(config, folder, name):
    """Uncompressed would be quicker; gzip is the quickest that CPack has."""
    run("cpack", "-G", "DEB", "--config", config, "-B", folder, "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip", cwd=folder)
    return next(folder.glob(f"{name}_*.deb"))


def fields_of(package):
    return dict(re.findall(r"^ ?(\S+): (.*)$", run("dpkg-deb", "-f", package), re.M))


def use_server(source, config, folder, version, launcher):
    """The package of dynacc-serve, whose server is asked by the example's client."""
    package = make(config, folder, "dynacc-serve")
    fields = fields_of(package)
    assert (fields["Package"], fields["Version"]) == ("dynacc-serve", version), fields
    assert "libprometheus-cpp" in fields["Depends"] and "python" not in fields["Depends"], fields
    files = set(re.findall(r" \./(\S+[^/\n])$", run("dpkg-deb", "-c", package), re.M))
    others = set(re.findall(r" \./(\S+[^/\n])$", run("dpkg-deb", "-c", next(folder.glob("dynacc_*.deb"))), re.M))
    assert files and not files & others, files & others
    root = folder / "server"
    run("dpkg-deb", "-x", package, root)
    models = folder / "models"
    run(launcher, root / "usr/share/doc/dynacc-serve/examples/make_models.py", models)
    shutil.rmtree(models / "sort")  # it is in Python
    sys.path.insert(0, str(source / "tests" / "serve"))
    from server import Server
    with Server(root / "usr/bin/dynacc-serve", models=models) as server:
        server.wait_until_ready()
        maps = pathlib.Path(f"/proc/{server.process.pid}/maps").read_text()
        assert str(root / "usr/lib/dynacc-serve/libdynacc_program.so") in maps, maps
        answer = server.json("POST", "/v2/models/gpt/generate", {"tokens": [5, 17, 30]})
        assert answer[0] == 200 and len(answer[1]["tokens"]) == 16, answer
        assert server.terminate() == 0


def main():
    source, build = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    version = re.search(r"project\(dynacc VERSION ([\d.]+)", (source / "CMakeLists.txt").read_text()).group(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name).resolve()
        package = make(build / "CPackConfig.cmake", folder, "dynacc")
        fields = fields_of(package)
        assert (fields["Package"], fields["Version"], fields["Architecture"]) == ("dynacc", version, "amd64"), fields
        for needed in (pathlib.Path(PYTHON).name, "libabsl", f"lib{pathlib.Path(PYTHON).name}", "libc6"):
            assert needed in fields["Depends"], fields
        root = folder / "root"
        run("dpkg-deb", "-x", package, root)
        launcher, modules = root / "usr/bin/dynacc-python", next(root.glob("usr/lib/python3.*/dist-packages"))
        cache = {"DYNACC_CACHE_DIR": str(folder / "cache"), "DYNACC_TIER_UP": "0"}
        expected = run(launcher, "-c", CODE, env=cache)
        assert re.fullmatch(rf"[\d.]+ 1 {version}\n", expected), expected
        assert run(PYTHON, "-c", CODE, env=cache | {"PYTHONPATH": str(modules)}) == expected
        config = (root / "usr/lib/pkgconfig/dynacc.pc").read_text()
        assert config.startswith("prefix=/usr\n") and f"Version: {version}\n" in config, config
        assert list(root.glob("usr/lib/cmake/dynacc/dynaccConfig.cmake")) and list(root.glob("usr/lib/libdynacc_embed.so.0"))
        assert not list(root.rglob("bin/python*")), "the interpreter is Debian's own"
        if (build / "CPackServeConfig.cmake").exists():
            use_server(source, build / "CPackServeConfig.cmake", folder, version, launcher)
    print("packaged, unpacked and ran")


if __name__ == "__main__":
    main()
