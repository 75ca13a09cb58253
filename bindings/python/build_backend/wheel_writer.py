"""Builds the wheel of this folder with the standard library alone (PEP 517 and 660).

The package is pure Python, so a wheel is a zip file of its files and of four files about
them.  What they say is read from pyproject.toml.  With a folder of shared libraries, as
tools/wheel.sh has, these are in the wheel, too, which is then for this kind of machine.
"""

from __future__ import annotations

import base64
import hashlib
import io
import os
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path

PACKAGE = "nln"
PURE = "py3-none-any"
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same bytes from the same files, whenever they are zipped
WHEEL = "Wheel-Version: 1.0\nGenerator: nln\nRoot-Is-Purelib: {pure}\nTag: {tag}\n"


def _project() -> dict:
    with open("pyproject.toml", "rb") as file:
        return tomllib.load(file)["project"]


def _stem(project: dict) -> str:
    return f"{project['name']}-{project['version']}"


def _metadata(project: dict) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"License: {project['license']['text']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"Requires-Python: {project['requires-python']}",
        "Description-Content-Type: text/markdown",
    ]
    lines += [f"Classifier: {text}" for text in project["classifiers"]]
    lines += [f"Requires-Dist: {need}" for need in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {need}; extra == "{extra}"' for need in needs]
    return "\n".join(lines) + "\n\n" + Path(project["readme"]).read_text(encoding="utf-8")


def _package_files() -> list[Path]:
    found = sorted(Path(PACKAGE).rglob("*"))
    return [path for path in found if path.suffix == ".py" or path.name == "py.typed"]


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _platform_tag() -> str:
    return "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")


def _write_wheel(folder: str, contents: dict[str, bytes], tag: str = PURE) -> str:
    project = _project()
    info = f"{_stem(project)}.dist-info"
    contents[f"{info}/METADATA"] = _metadata(project).encode()
    pure = "true" if tag == PURE else "false"
    contents[f"{info}/WHEEL"] = WHEEL.format(tag=tag, pure=pure).encode()
    record = [f"{name},sha256={_digest(c)},{len(c)}" for name, c in contents.items()]
    contents[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    name = f"{_stem(project)}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in contents.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, content)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    contents = {str(p): p.read_bytes() for p in _package_files()}
    libraries = (config_settings or {}).get("libraries")
    if not libraries:
        return _write_wheel(wheel_directory, contents)
    contents |= {f"{PACKAGE}/{p.name}": p.read_bytes() for p in sorted(Path(libraries).iterdir())}
    return _write_wheel(wheel_directory, contents, _platform_tag())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel with nothing but the way to this folder."""
    return _write_wheel(wheel_directory, {f"{PACKAGE}.pth": f"{os.getcwd()}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    name = f"{_stem(project)}.tar.gz"
    files = ["pyproject.toml", project["readme"], *map(str, Path("build_backend").glob("*.py"))]
    about = _metadata(project).encode()
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as archive:
        for path in [*files, *map(str, _package_files())]:
            archive.add(path, f"{_stem(project)}/{path}")
        entry = tarfile.TarInfo(f"{_stem(project)}/PKG-INFO")
        entry.size = len(about)
        archive.addfile(entry, io.BytesIO(about))
    return name
