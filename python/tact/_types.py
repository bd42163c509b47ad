# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Types for type checkers; not imported when programs run."""
from __future__ import annotations

from typing import Any, Callable, TypedDict

from ._core import Report


class Options(TypedDict, total=False):
    """The keywords that every query takes (tact.Query)."""

    backend: str
    threads: int
    shadow: bool
    fallback: bool
    progress: Callable[[float], Any] | None
    report: Report | None
