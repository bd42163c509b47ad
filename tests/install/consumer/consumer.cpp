// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include <tact/tact.hpp>

#include "consumer.c"
