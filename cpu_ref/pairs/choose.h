// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include "cpu_ref/pairs/pairs.h"

/// The method with the least expected time for the job, and why in `reason`.
tact_pairs_method tact_pairs_choose(const tact_pairs_job* job, char* reason, size_t size);
