// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// What recorded queries were asked, as files for others.

#include "apps/problem.h"

/// Writes the arrays of query `index` into a folder, which is made where it is missing: query-N-NAME.npy, bytes as
/// query-N-NAME.bin, meshes as query-N-mesh-K.obj.
bool tact_replay_export(const tact_recording* recording, size_t index, const tact_recorded_query* query,
                        const char* folder, tact_problem* problem);
