// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Prints the constants that the proofs (*.gappa) are about, as the code has them: a line NAME VALUE HALF each, of
// hexadecimal floats. cmake/CheckProof.cmake puts them into the proofs.
#include <stdio.h>

#include "cpu_ref/geometry/predicates_internal.h"
#include "gpu/filter/view.h"
#include "kernels/filter_layout.h"
#include "kernels/particle_contact.h"
#include "kernels/particle_grid.h"
#include "kernels/ray_triangle.h"
#include "kernels/triangle_overlap.h"

static void print(const char* name, double value)
{
    printf("%s %a %a\n", name, value, 0.5 * value);
}

#define PRINT(constant) print(#constant, (double)(constant))

int main(void)
{
    PRINT(TACT_SLACK);
    PRINT(TACT_INSTANCE_SLACK);
    PRINT(TACT_PAD_SIDE);
    PRINT(TACT_PAD_ULP);
    PRINT(TACT_TREE_SLACK);
    PRINT(TACT_TREE_INSTANCE_SLACK);
    PRINT(TACT_TREE_GROWTH);
    PRINT(TACT_TREE_INSTANCE_GROWTH);
    PRINT(TACT_TREE_TINY);
    PRINT(TACT_BOUND_ORIENT2D);
    PRINT(TACT_BOUND_ORIENT3D);
    PRINT(TACT_OVERLAP_RELATIVE);
    PRINT(TACT_OVERLAP_ABSOLUTE);
    PRINT(TACT_OVERLAP_SCALE_LEAST);
    PRINT(TACT_FILTER_TURN_ULPS);
    PRINT(TACT_FILTER_PLACE_ULPS);
    PRINT(TACT_FILTER_PLACE_MORE);
    PRINT(TACT_FILTER_WIDE);
    PRINT(TACT_FILTER_MINOR_ULPS);
    PRINT(TACT_CELL_LIMIT);
    print("WAY_MARGIN", 1.0 - (double)TACT_WAY_SHARE);
    print("CELL_SLACK", (double)TACT_CELL_SLACK - 1.0);
    return 0;
}
