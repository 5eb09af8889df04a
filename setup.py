import sys
from pathlib import Path

from setuptools import find_packages, setup

PACKAGE = "manip_dynamics"


def shared_files(*folders: str) -> list[tuple[str, list[str]]]:
    """Return all files in the folders as data_files, with the same tree under share/."""
    by_folder: dict[str, list[str]] = {}
    for folder in folders:
        for path in sorted(Path(folder).rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                by_folder.setdefault(f"share/{PACKAGE}/{path.parent}", []).append(str(path))
    return sorted(by_folder.items())


def data_of_the_package() -> list[str]:
    """Return the files of the package that are not modules, relative to the package."""
    files = (path for path in Path(PACKAGE).rglob("*") if path.is_file())
    return [
        str(path.relative_to(PACKAGE))
        for path in sorted(files)
        if path.suffix not in (".py", ".pyc")
    ]


setup(
    name=PACKAGE,
    version="0.1.0",
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    package_data={PACKAGE: data_of_the_package()},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
        *shared_files("config", "launch", "urdf"),
        # A wheel puts the console scripts on the PATH itself.
        *([] if "bdist_wheel" in sys.argv else [("bin", [f"bin/{PACKAGE}"])]),
    ],
    python_requires=">=3.10",
    install_requires=[
        "setuptools", "numpy", "scipy", "PyYAML", "urdf-parser-py", "argcomplete", "tqdm"],
    extras_require={"plot": ["matplotlib"], "test": ["pytest", "hypothesis", "pin"]},
    zip_safe=False,
    maintainer="manip_dynamics maintainers",
    maintainer_email="maintainers@example.com",
    description="Fewest-operations dynamics of serial manipulators for ROS 2",
    license="Apache-2.0",
    entry_points={
        "console_scripts": [
            "manip_dynamics = manip_dynamics.cli.main:main",
            "dynamics_node = manip_dynamics.nodes.dynamics_node:main",
            "simulator_node = manip_dynamics.nodes.simulator_node:main",
        ],
    },
)
