"""The documentation is true: every block of Python in it runs, and the examples are the pages' own
code.

Blocks run as they stand, one page in one namespace; only trainings are cut short and networks are
small.
"""

import json
import re
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path

import pytest

import pairnet
from checks import SMALL
from pairnet import Plan, TARNet, VCNet
from pairnet.methods import methods
from pairnet.model.asked import Asked

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted((ROOT / "docs").glob("*.ipynb"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *NOTEBOOKS]
BRIDGED = ("econml", "dowhy")  # blocks marked so need the package: ```python econml
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
ROUNDS = 3
BRIDGES = {"serving.md": ("onnx", "onnxruntime")}  # what the code of a page needs beside pairnet


def blocks(page: Path, language: str = "python") -> list[str]:
    if page.suffix == ".ipynb":
        cells = json.loads(page.read_text(encoding="utf-8"))["cells"]
        return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def blocks_with(page: Path, package: str) -> list[str]:
    """The blocks of a page that run where a package is installed: its own, and those of all."""
    found = re.findall(
        rf"^```python( {package})?\n(.*?)^```",
        page.read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    return [block for _, block in found] if any(mark for mark, _ in found) else []


WITH_PACKAGES = [
    pytest.param(page, package, id=f"{page.name}-{package}", marks=pytest.mark.bridge(package))
    for page in PAGES
    for package in BRIDGED
    if blocks_with(page, package)
]


@pytest.fixture
def short(monkeypatch, tmp_path):
    """Cut every training short and make networks small."""
    whole = Plan.schedule
    monkeypatch.setattr(Plan, "schedule", lambda *given: whole(*given)._replace(longest=ROUNDS))
    for method in (TARNet, VCNet):
        for place in (
            "pairnet",
            "pairnet.methods.pairnet",
        ):  # what pages import, and what PairNet takes by itself
            monkeypatch.setattr(
                f"{place}.{method.__name__}", partial(method, **SMALL), raising=False
            )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(methods, "_things", dict(methods._things))  # pages may register their own


def paged(page: Path):
    """Return a page as a case of a test, marked with the packages that it needs."""
    needs = BRIDGES.get(page.name)
    return pytest.param(page, marks=[pytest.mark.bridge(*needs)] if needs else [], id=page.name)


@pytest.mark.parametrize("page", [paged(page) for page in PAGES if blocks(page)])
def test_every_block_runs(page, short):
    run(page, blocks(page), UserWarning)


@pytest.mark.parametrize(("page", "package"), WITH_PACKAGES)
def test_every_block_that_needs_another_library_runs(page, package, short):
    run(page, blocks_with(page, package), Warning)


def run(page: Path, every: list[str], ignored: type[Warning]):
    """Run the blocks of a page; notices are for people, and part of what a page shows."""
    names = {"__name__": "page"}
    for block in every:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ignored)
            exec(compile(block, page.name, "exec"), names)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_the_code_of_their_pages(example):
    head, _, body = example.read_text().partition("\n\n")
    assert head.startswith('"""')
    assert f"docs/{example.stem}.md" in head
    assert body == "\n".join(blocks(ROOT / "docs" / f"{example.stem}.md"))


def test_pages_name_each_other_rightly():
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+\.md)[^)]*\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), f"{page.name} points at {target}"


def test_the_reference_has_an_example_of_every_public_name():
    """What a model can be asked, the functions on arrays, and what `pairnet` itself names."""
    pages = sorted((ROOT / "docs").glob("reference_*.md"))
    examples = "\n".join(block for page in pages for block in blocks(page))
    named = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    own = [name for name, kind in vars(pairnet.metrics).items() if callable(kind)]
    own += [name for name, kind in vars(pairnet.policy).items() if callable(kind)]
    functions = [name for name in own if name.islower()]
    asked = [name for name in dir(Asked) if not name.startswith("_") and name in dir(TARNet)]
    for name in {*functions, *asked, "fit", "save", "load", "compare", "model_report", "Plan"}:
        assert re.search(rf"\b{name}\b", examples), f"no example of {name}"
    for name in pairnet.__all__:
        assert re.search(rf"\b{name}\b", named), f"the reference does not name {name}"


def test_the_site_builds_without_warnings(tmp_path):
    pytest.importorskip("sphinx", reason="the docs extra is not installed")
    pytest.importorskip("pydata_sphinx_theme", reason="the docs extra is not installed")
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        str(ROOT / "docs"),
        str(tmp_path),
    ]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert said.returncode == 0, said.stderr
    assert (tmp_path / "discount.html").is_file()
