"""A real browser without a window: what a page looks like from inside, after its scripts have run."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from html import unescape
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
_FOUND = re.compile(r'data-probe="([^"]*)"')


def find_browser() -> str:
    """Return the browser, or skip the test where there is none."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(_NAMES)} is installed")
    return found


def opened(page: Path, *, width: int = 1280, is_dark: bool = False) -> str:
    """Return the document as it stands after the page was opened."""
    with tempfile.TemporaryDirectory() as profile:
        command = [
            find_browser(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            f"--user-data-dir={profile}",
            f"--window-size={width},1000",
            f"--blink-settings=preferredColorScheme={0 if is_dark else 1}",
            "--virtual-time-budget=3000",
            "--dump-dom",
            page.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, encoding="utf-8")
    assert "<html" in done.stdout, done.stderr[-2000:]
    return done.stdout


def probed(page: Path, script: str, *, width: int = 1280, is_dark: bool = False) -> Any:
    """Return what a script sees in the page: the value of its expression. The page's own policy is taken out for it."""
    open_page = _POLICY.sub("", page.read_text(encoding="utf-8"))
    assert open_page != page.read_text(encoding="utf-8")
    probe = f"<script>document.documentElement.dataset.probe = JSON.stringify((function () {{ {script} }})());</script>"
    copy = page.with_name("probe.html")
    # After everything that belongs to the page.
    copy.write_text(open_page.replace("</body></html>", f"{probe}</body></html>"), encoding="utf-8")
    found = _FOUND.search(opened(copy, width=width, is_dark=is_dark))
    assert found, "the probe did not run"
    return json.loads(unescape(found.group(1)))
