// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bodies that the viewer moves, and their contacts.

#include "apps/view/view.h"

#include <stdlib.h>

#include "apps/pictures/pictures.h"

struct tact_view_bodies {
    tact_context* context;
    tact_query_options query;
    const tact_body_input* input;
    tact_bodies* set;
    tact_pose* poses;
    tact_contacts_stage stage;  ///< of the first step, so that the view stands still
    tact_contact_changes changes;
    uint64_t steps;
    tact_backend backend;
};

/// The contacts of the bodies where they are.
static bool find(tact_view_bodies* b, tact_problem* problem)
{
    size_t count = 0;
    tact_query_report report = {0};
    tact_result result = tact_contacts_find(b->set, &(tact_contacts_work){.count = &count}, &b->query, &report);
    if (result == TACT_INCOMPLETE) result = TACT_OK;  // the set has all of them
    if (result >= 0) result = tact_contacts_changes(b->set, &b->changes);
    b->backend = report.backend;
    return result >= 0 || tact_problem_from_result(problem, result, b->context, "contacts");
}

bool tact_view_bodies_create(tact_context* context, tact_backend backend, const tact_body_input* input,
                             const char* name, tact_view_bodies** bodies, tact_problem* problem)
{
    tact_view_bodies* b = calloc(1, sizeof *b);
    *bodies = b;
    if (!b) return tact_problem_out_of_memory(problem, "the bodies");
    b->context = context;
    b->query.backend = backend;
    b->input = input;
    b->poses = malloc((b->input->count + 1) * sizeof *b->poses);
    if (!b->poses) return tact_problem_out_of_memory(problem, "the bodies");
    tact_body_input_poses(b->input, 0, b->poses);
    b->stage = tact_contacts_stage_of(b->input, b->poses);
    if (!tact_body_input_make_set(b->input, name, context, &b->set, problem)) return false;
    const tact_result result = tact_contacts_follow(b->set, true, 0);
    if (result < 0) return tact_problem_from_result(problem, result, context, "contacts");
    return find(b, problem);
}

void tact_view_bodies_destroy(tact_view_bodies* b)
{
    if (!b) return;
    tact_bodies_destroy(b->set);
    free(b->poses);
    free(b);
}

tact_aabb tact_view_bodies_bounds(const tact_view_bodies* b)
{
    return b->stage.bounds;
}

bool tact_view_bodies_step(tact_view_bodies* b, tact_problem* problem)
{
    tact_body_input_poses(b->input, ++b->steps, b->poses);
    const tact_result result = tact_bodies_move(b->set, NULL, b->poses, b->input->count);
    if (result < 0) return tact_problem_from_result(problem, result, b->context, "moving the bodies");
    return find(b, problem);
}

tact_result tact_view_bodies_show(const tact_view_bodies* b, bool contacts, tact_debug_draw* draw)
{
    const tact_contacts_picture picture = {.input = b->input,
                                           .poses = b->poses,
                                           .set = b->set,
                                           .contacts = b->changes.contacts,
                                           .count = contacts ? b->changes.count : 0,
                                           .changes = contacts && b->steps ? &b->changes : NULL};
    return tact_contacts_draw(draw, &picture, &b->stage);
}

bool tact_view_bodies_finish(const tact_view_bodies* b, tact_view_bodies_info* info, tact_problem* problem)
{
    const size_t room = (b->changes.count + 1) * TACT_CONTACT_MOST_POINTS;
    tact_contact_row* rows = malloc(room * sizeof *rows);
    if (!rows) return tact_problem_out_of_memory(problem, "the contacts");
    const size_t points = tact_contact_rows(b->changes.contacts, b->changes.count, b->poses, rows);
    *info = (tact_view_bodies_info){.count = b->input->count,
                                    .steps = b->steps,
                                    .contacts = points,
                                    .begun = b->changes.begun,
                                    .ended = b->changes.ended_count,
                                    .backend = b->backend,
                                    .digest = tact_digest_of(rows, points * sizeof *rows)};
    free(rows);
    return true;
}
