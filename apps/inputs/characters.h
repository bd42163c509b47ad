// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Generated models of the characters that meshes have, for benchmarks: what trees find easy in one they find hard in
/// another. The same on every machine.

#include <stdbool.h>

#include "apps/inputs/model.h"

typedef struct tact_character {
    const char* name;
    const char* about;
    /// Makes a model of some 200,000 triangles, `quick`: of some 10,000. One that has instances has many more in them.
    bool (*make)(bool quick, uint64_t seed, tact_model* model, tact_problem* problem);
} tact_character;

enum { TACT_CHARACTERS = 5 };
extern const tact_character tact_characters[TACT_CHARACTERS];

/// Finds one by its name. NULL: there is none.
const tact_character* tact_character_named(const char* name);
