// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Embree was not found when building.
#include "apps/peers/rays.h"

bool tact_embree_have(void)
{
    return false;
}

const tact_embree_form* tact_embree_forms(size_t* count)
{
    *count = 0;
    return NULL;
}

bool tact_embree_open(const tact_model* model, const tact_embree_desc* desc, tact_embree** embree,
                      tact_problem* problem)
{
    (void)model;
    (void)desc;
    *embree = NULL;
    return tact_problem_set(problem, "Embree was not built into this program");
}

void tact_embree_close(tact_embree* embree)
{
    (void)embree;
}

tact_embree_facts tact_embree_get_facts(const tact_embree* embree)
{
    (void)embree;
    return (tact_embree_facts){0};
}

int tact_embree_threads(const tact_embree* embree)
{
    (void)embree;
    return 0;
}

void tact_embree_closest(const tact_embree* embree, const tact_embree_form* form, const tact_ray* rays, size_t count,
                         tact_hit* hits)
{
    (void)embree, (void)form, (void)rays, (void)count, (void)hits;
}

void tact_embree_each(const tact_embree* embree, const tact_ray* rays, size_t count, tact_hit* hits)
{
    (void)embree, (void)rays, (void)count, (void)hits;
}

void tact_embree_any(const tact_embree* embree, const tact_embree_form* form, const tact_ray* rays, size_t count,
                     uint8_t* hits)
{
    (void)embree, (void)form, (void)rays, (void)count, (void)hits;
}
