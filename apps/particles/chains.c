// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// A picture of the forces of contacts: each line between two centres is a string of beads, the thicker and the further
// along the scale of colours the harder the contact presses.

#include <math.h>
#include <stdlib.h>

#include "apps/particles/particles.h"

/// Beads of the hardest contacts by the smallest radius, of the softest that is drawn, and how far apart they are by
/// their own radius.
#define THICKEST 0.35f
#define THINNEST 0.03f
#define APART 0.4f
/// Forces of this many times the mean, and more, are hardest.
#define HARDEST 5.0

static float pressing(const tact_contact_force* c)
{
    const float* n = c->contact.normal;
    return -(c->force[0] * n[0] + c->force[1] * n[1] + c->force[2] * n[2]);
}

static double mean_of(const tact_contact_force* contacts, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; ++i)
        sum += fmax((double)pressing(&contacts[i]), 0.0);
    return count ? sum / (double)count : 0.0;
}

/// How many beads a contact has, 0 where it hardly presses; their radius.
static size_t beads_of(const tact_contact_force* c, double mean, float smallest, float* share, float* radius)
{
    const double part = mean > 0.0 ? (double)pressing(c) / (HARDEST * mean) : 0.0;
    *share = (float)fmin(part, 1.0);
    *radius = THICKEST * smallest * *share;
    if (!(*radius >= THINNEST * smallest)) return 0;
    return 2 + (size_t)((c->arm + c->other_arm) / (APART * *radius));
}

float* tact_chain_rows(const tact_contact_force* contacts, size_t count, float smallest, float fastest, size_t* rows,
                       tact_problem* problem)
{
    const double mean = mean_of(contacts, count);
    float share, radius;
    *rows = 0;
    for (size_t i = 0; i < count; ++i)
        *rows += beads_of(&contacts[i], mean, smallest, &share, &radius);
    float* all = malloc((*rows + 1) * 7 * sizeof *all);
    if (!all) {
        tact_problem_out_of_memory(problem, "a picture");
        return NULL;
    }
    float* row = all;
    for (size_t i = 0; i < count; ++i) {
        const tact_contact_force* c = &contacts[i];
        const size_t beads = beads_of(c, mean, smallest, &share, &radius);
        for (size_t k = 0; k < beads; ++k, row += 7) {
            // From the first centre on; the place of the contact is an arm from there.
            const float way = (c->arm + c->other_arm) * (float)k / (float)(beads - 1) - c->arm;
            for (int j = 0; j < 3; ++j) {
                row[j] = c->contact.point[j] + way * c->contact.normal[j];
                row[4 + j] = 0.0f;
            }
            row[3] = radius;
            row[4] = share * fastest;
        }
    }
    return all;
}
