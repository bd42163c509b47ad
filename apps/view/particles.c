// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/view/view.h"

#include <math.h>
#include <stdlib.h>

#include "apps/particles/particles.h"

struct tact_view_particles {
    tact_particle_run run;  ///< its session and its list of files are others'
    tact_window_drawing* drawing;
};

bool tact_view_particles_create(const tact_session* session, const tact_common_options* common,
                                const tact_text_list* files, uint64_t count, tact_gl_get_proc_address get_proc_address,
                                tact_view_particles** particles, tact_problem* problem)
{
    static const tact_model no_meshes = {0};  // the viewer draws them
    tact_view_particles* p = calloc(1, sizeof *p);
    *particles = p;
    if (!p) return tact_problem_out_of_memory(problem, "the particles");
    tact_particle_run* run = &p->run;
    run->query.session = *session;
    run->query.common = *common;
    run->options.window = true;
    // Positions take four substeps a frame; springs as many as are stable, which may be a hundred.
    run->options.choices = (tact_particle_choices){
        .random = count, .seed = common->seed, .response = TACT_RESPONSE_POSITION, .meshes = *files};
    if (!tact_particle_plan_make(&run->options.choices, &run->plan, problem)) return false;
    const float scale = run->plan.look.placement.scale;
    if (!(scale > 0.0f && 1.0f / scale > 0.0f) || !isfinite(scale) || !isfinite(1.0f / scale)) {
        return tact_problem_set(problem, "--particles: the meshes are too large or too small for them");
    }
    return tact_particle_run_start(run, problem) &&
           tact_window_drawing_create(get_proc_address, &no_meshes, &run->plan.look, &p->drawing, problem);
}

void tact_view_particles_destroy(tact_view_particles* p)
{
    if (!p) return;
    tact_window_drawing_destroy(p->drawing);
    p->run.query.session = (tact_session){0};
    p->run.options.choices.meshes = (tact_text_list){0};
    tact_particle_run_release(&p->run);
    free(p);
}

tact_aabb tact_view_particles_walls(const tact_view_particles* p)
{
    const tact_particle_look* l = &p->run.plan.look;
    tact_aabb box = l->bounds;
    float *lower = &box.lower.x, *upper = &box.upper.x;
    for (int i = 0; i < 3; ++i) {
        lower[i] = (lower[i] - l->placement.offset[i]) / l->placement.scale;
        upper[i] = (upper[i] - l->placement.offset[i]) / l->placement.scale;
    }
    return box;
}

bool tact_view_particles_step(tact_view_particles* p, tact_problem* problem)
{
    return tact_particle_run_steps(&p->run, p->run.done + 1, problem);
}

/// The viewer's camera in the space of the particles, which is the world of the files scaled and moved.
static void camera_of(const tact_placement* at, const tact_view_look* look, float view[16], float projection[16])
{
    const float* axes[3] = {look->right, look->up, look->back};
    const float* m = look->view.world_to_clip;
    double eye[3];
    for (int i = 0; i < 3; ++i)
        eye[i] = (double)look->eye[i] * (double)at->scale + (double)at->offset[i];
    for (int r = 0; r < 3; ++r) {
        double moved = 0.0;
        for (int c = 0; c < 3; ++c) {
            view[4 * c + r] = axes[r][c];
            moved -= (double)axes[r][c] * eye[c];
        }
        view[4 * r + 3] = 0.0f;
        view[12 + r] = (float)moved;
    }
    view[15] = 1.0f;
    // From the eye's space back to the world, and from there as everything else goes.
    for (int r = 0; r < 4; ++r) {
        double moved = (double)m[12 + r];
        for (int c = 0; c < 3; ++c) {
            double turned = 0.0;
            for (int k = 0; k < 3; ++k)
                turned += (double)m[4 * k + r] * (double)axes[c][k];
            projection[4 * c + r] = (float)(turned / (double)at->scale);
            moved += (double)m[4 * c + r] * (double)look->eye[c];
        }
        projection[12 + r] = (float)moved;
    }
}

bool tact_view_particles_draw(tact_view_particles* p, const tact_view_look* look, tact_problem* problem)
{
    const tact_particle_look* l = &p->run.plan.look;
    tact_window_frame f = {.palette = {TACT_COLOR_ID, 0.5f * l->fastest, l->smallest, l->largest, 0}};
    tact_particle_buffers buffers;
    float* rows = NULL;
    tact_window_light s = {.sun = {-0.404f, 0.597f, 0.693f},  // the viewer's, over the left shoulder
                           .up = {look->right[1], look->up[1], look->back[1]}};
    camera_of(&l->placement, look, s.view, s.projection);
    if (!tact_window_frame_fill(&f, &p->run, &buffers, &rows, problem)) return false;
    tact_window_drawing_spheres(p->drawing, &f, &s);
    free(rows);
    return true;
}

bool tact_view_particles_finish(tact_view_particles* p, tact_view_particles_info* info, tact_problem* problem)
{
    if (!tact_particle_run_finish(&p->run, problem)) return false;
    const tact_query_run* query = &p->run.query;
    *info = (tact_view_particles_info){p->run.count, p->run.done, p->run.info.backend,
                                       tact_digest_of(query->answer, query->answer_bytes)};
    return true;
}
