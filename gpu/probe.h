// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

#include "gpu/device.h"

/// Compares the device's arithmetic with the CPU's, chooses the variants of division and square root that kernels are
/// built with from now on, and forgets what was built before. The device must have been entered. A probe that cannot
/// run is told by probe->ran and a line in the log.
void tact_probe_run(tact_device* device, tact_probe* probe);

/// One comparison with the variants as they are: fills `operations`, `exact` and `flushes_subnormals`.
tact_result tact_probe_measure(tact_device* device, tact_probe* probe);

/// Whether + - * and comparisons are the CPU's but for subnormal numbers.
bool tact_probe_plain_exact(const tact_probe* probe);
