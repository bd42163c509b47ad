# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
from typing import Any

ffi: Any
VERSION: str
constants: dict[str, Any]
