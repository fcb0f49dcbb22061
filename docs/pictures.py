"""Makes the pictures of reports that the pages show; `make docs` runs it before it builds these.

The model is that of report.md. A picture is what Chromium shows; without Chromium the pictures stay
as they are.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
SCREEN = (1200, 860)
PARTS = {"How effects differ": ("effects", 860), "Who gains most": ("gains", 690)}
MAIN = (300, 1120)  # where the text of a page is, from left to right


def main() -> None:
    """Make every picture, or say why none can be made."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        print("No Chromium: the pictures stay as they are.")
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        model = model_of(DOCS / "report.md")
        pages = {"report": (model.report("report.html"), SCREEN)} | parts_of(model)
        for name, (page, size) in pages.items():
            page.write(f"{name}.html")
            take(browser, Path(folder, f"{name}.html"), DOCS / f"{name}.png", size)
            if name != "report":
                cut(DOCS / f"{name}.png")


def model_of(page: Path) -> Any:
    """Return the model that the first block of a page makes."""
    names: dict[str, Any] = {"__name__": "page"}
    block = re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(block, page.name, "exec"), names)
    return names["model"]


def parts_of(model: Any) -> dict[str, tuple[Any, tuple[int, int]]]:
    """Return some parts of the report as pages of their own, unfolded."""
    from pairnet.report.document import Document
    from pairnet.report.model.page import findings

    pages = {}
    for part in findings(model).parts:
        if part.title in PARTS:
            name, height = PARTS[part.title]
            page = Document(part.title, part.finding)
            page.section("", *part.blocks)
            pages[name] = page, (SCREEN[0], height)
    return pages


def take(browser: str, page: Path, picture: Path, size: tuple[int, int]) -> None:
    """Take a picture of the top of a page."""
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    options += ["--disable-background-networking", f"--user-data-dir={page.parent / 'browser'}"]
    options += [f"--window-size={size[0]},{size[1]}", f"--screenshot={picture}"]
    made = subprocess.run([browser, *options, page.as_uri()], capture_output=True, timeout=120)
    if made.returncode != 0:
        sys.exit(f"{browser} made no picture of {page.name}.")
    print(f"{picture.name}: {picture.stat().st_size / 2**10:.0f} KiB")


def cut(picture: Path) -> None:
    """Leave the contents of a page out of a picture."""
    from PIL import Image

    with Image.open(picture) as whole:
        part = whole.crop((MAIN[0], 0, MAIN[1], whole.height)).convert("P", colors=64)
    part.save(picture, optimize=True)


if __name__ == "__main__":
    main()
