// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// The parts of `tact particles`.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/inputs/model.h"
#include "apps/options.h"
#include "apps/particles/field.h"
#include "apps/particles/frames.h"
#include "apps/particles/palette.h"
#include "apps/pictures/pictures.h"
#include "apps/query_command.h"
#include "tact/particle_bodies.h"
#include "tact/particle_clumps.h"
#include "tact/particle_grains.h"
#include "tact/particle_ranks.h"

// Generated particle systems, the same on every machine: for `particles`, `verify`, `bench` and the tests.

/// Particles and what holds them. The arrays are from malloc.
typedef struct tact_particle_setup {
    tact_particles_desc desc;
    size_t count;
    float *positions, *velocities, *radii;
    uint8_t* groups;  ///< NULL: all 0
    tact_collider colliders[4];
    uint32_t collider_count;
    tact_model_mesh meshes[2];
    tact_body_pose poses[2];  ///< at first; see tact_particle_setup_move()
    uint32_t mesh_count;
    tact_height_field_desc field;  ///< after the meshes; heights NULL: none; from malloc
    float* heights;
    bool failed;        ///< no memory for a mesh
    float dt;           ///< a step that suits it
    uint32_t substeps;  ///< of the step
} tact_particle_setup;

/// A kind of system.
typedef struct tact_particle_scene {
    const char* name;
    const char* summary;
    void (*fill)(tact_particle_setup* setup, uint64_t seed);
    size_t most;  ///< more than about this many make more contacts than a test is to compare
} tact_particle_scene;

extern const tact_particle_scene tact_particle_scenes[];
extern const size_t tact_particle_scene_count;

/// The scene of this name, or NULL.
const tact_particle_scene* tact_particle_scene_named(const char* name);

bool tact_particle_setup_make(const tact_particle_scene* scene, size_t count, uint64_t seed, tact_particle_setup* setup,
                              tact_problem* problem);
void tact_particle_setup_free(tact_particle_setup* setup);

/// Makes the system that a setup describes.
tact_result tact_particle_setup_create(const tact_particle_setup* setup, tact_context* context,
                                       tact_particles** particles);

/// Moves the system's bodies on to where they are after `steps` steps from the first.
tact_result tact_particle_setup_move(const tact_particle_setup* setup, tact_particles* particles, uint64_t steps);

/// The state as the tool writes it: x y z radius vx vy vz of each, in order of id, from malloc. `*count` rows; NULL
/// with the problem set on failure.
float* tact_particle_rows(tact_particles* particles, tact_context* context, size_t* count, tact_problem* problem);

/// With GRAINS: the orientation as a rotation vector, and the angular velocity.
enum { TACT_TURNING_COLUMNS = 13 };

/// The same with the columns of GRAINS, from the first seven.
float* tact_particle_turning_rows(tact_particles* particles, tact_context* context, const float* rows, size_t count,
                                  tact_problem* problem);

/// The rotation vector, of at most half a turn, of a unit quaternion x y z w; and back.
void tact_rotation_vector(const float quaternion[4], float vector[3]);
void tact_rotation_quaternion(const float vector[3], float quaternion[4]);

// Particle systems as the command line describes them: generated or read from a file, what holds them, how they move.

/// What the command line says. Texts are NULL where an option is not given.
typedef struct tact_particle_choices {
    uint64_t random;  ///< 0: not generated
    const char* load;
    uint64_t seed;
    int response;  ///< a tact_particle_response
    uint64_t substeps;
    const char *dt, *radius, *radii, *density, *domain, *gravity;
    const char *friction, *restitution, *stiffness;
    int law;       ///< of grains, one more than a tact_grain_springs; 0: not given
    bool history;  ///< grains' contacts remember
    const char *rolling, *cohesion, *clump;
    tact_text_list meshes, planes;
    const char* force;          ///< a force program
    tact_text_list parameters;  ///< of it, NAME=VALUE each
    tact_field_choices field;
} tact_particle_choices;

enum { TACT_PLAN_PLANES = 64 };

/// A shape of clumps within the unit sphere. Arrays are from malloc.
typedef struct tact_clump_choice {
    float *positions, *radii;  ///< NULL: no clumps
    uint32_t count;            ///< of spheres
    tact_model_mesh mesh;      ///< to be packed, with so many spheres at most; 0: none is
    uint32_t packed;
    uint64_t seed;  ///< of how they are turned
} tact_clump_choice;

/// Makes the shape that --clump names: pair, tetra, rod:K or a mesh, FILE:K. To be freed also after a failure.
bool tact_clump_choice_make(const char* text, tact_clump_choice* choice, tact_problem* problem);
void tact_clump_choice_free(tact_clump_choice* choice);

/// How meshes were scaled and then moved to where they are.
typedef struct tact_placement {
    float scale, offset[3];
} tact_placement;

/// What a picture of the system needs to know.
typedef struct tact_particle_look {
    tact_aabb bounds;  ///< what is to be seen
    uint32_t floor;    ///< 1: at its lower end
    float fastest;     ///< speed at the end of the scale of colours
    float smallest, largest;
    tact_placement placement;
} tact_particle_look;

/// A system to be made. Arrays are from malloc.
typedef struct tact_particle_plan {
    tact_particles_desc desc;
    tact_particle_material material;
    float density;
    size_t count;
    float *positions, *velocities, *radii;
    float* turning;      ///< rotation vector and angular velocity of each; NULL: all at rest
    tact_grain_law law;  ///< GRAINS
    tact_clump_choice clump;
    tact_collider planes[TACT_PLAN_PLANES];
    uint32_t plane_count;
    tact_model model;  ///< meshes, where they are in the world
    float dt;
    uint32_t substeps;
    tact_particle_look look;
    tact_field field;  ///< one of the field's scenes, and not a pour
    char source[256];
} tact_particle_plan;

/// Works out everything. Files are read, nothing is made yet. The plan is to be freed also after a failure.
bool tact_particle_plan_make(const tact_particle_choices* choices, tact_particle_plan* plan, tact_problem* problem);
/// Memory for the plan's `count` particles.
bool tact_particle_plan_room(tact_particle_plan* plan, tact_problem* problem);
void tact_particle_plan_free(tact_particle_plan* plan);

/// Adds a plan's clumps, one for each of its particles, turned at random.
tact_result tact_clump_choice_add(const tact_particle_plan* plan, tact_particles* particles, tact_context* context);

/// Makes the system. The state is to live on `backend`.
bool tact_particle_plan_create(const tact_particle_plan* plan, tact_context* context, tact_backend backend,
                               tact_particles** particles, tact_problem* problem);

/// Gives a new system the force program that is asked for, or a resumed one's other parameters.
bool tact_particle_program_set(const tact_particle_choices* choices, tact_particles* particles, tact_context* context,
                               tact_problem* problem);

/// Reads meshes and puts them in place: all by one scale and offset. `placement` NULL: as in the files.
bool tact_particle_meshes_read(const tact_text_list* files, tact_model* model, tact_problem* problem);
void tact_particle_meshes_place(tact_model* model, const tact_placement* placement);
/// The box about all finite corners; lower > upper when there are none.
tact_aabb tact_particle_meshes_bounds(const tact_model* model);

/// Particles as rows of x y z radius vx vy vz from the bytes of an array file with seven columns, or four for particles
/// at rest, or 13 of GRAINS, the last six of which then go to *turning, which is else NULL. Both are from malloc, *rows
/// never NULL on success.
bool tact_particle_rows_parse(const void* bytes, size_t size, const char* name, float** rows, float** turning,
                              size_t* count, tact_problem* problem);

/// `count` finite numbers, separated by commas. `what` names the option in messages.
bool tact_floats_parse(const char* what, const char* text, int count, float* values, tact_problem* problem);

/// One number that must be above `low`, or equal to it when `closed`, and at most `high`. Without a text the value
/// stays.
bool tact_float_parse(const char* what, const char* text, float low, bool closed, float high, float* value,
                      tact_problem* problem);

/// What --law takes, one ahead of tact_grain_springs; ended by NULL.
extern const char* const tact_grain_law_names[];

/// The modulus with which two spheres press in as far as with a linear spring (N/m), at a quarter of their radius.
float tact_grain_modulus(float stiffness, float radius);

/// The shear of a law's stiffness: of Poisson's ratio 1/4, and springs whose periods along and across the surface are
/// the same.
float tact_grain_shear(const tact_grain_law* law);

/// How a picture looks at what it shows.
typedef struct tact_picture_view {
    uint32_t width, height;    ///< pixels
    float azimuth, elevation;  ///< of the eye about the middle, degrees
} tact_picture_view;

/// What --size and --camera ask for, or the defaults; either may be NULL.
bool tact_view_parse(const char* size, const char* camera, tact_picture_view* view, tact_problem* problem);

/// A picture's rows of x y z radius vx vy vz for the forces of contacts: beads along their lines, whose speed is up to
/// `fastest`, which is the hardest. From malloc; NULL with the problem set on failure.
float* tact_chain_rows(const tact_contact_force* contacts, size_t count, float smallest, float fastest, size_t* rows,
                       tact_problem* problem);

// A run of a particle system in a file: the system, and how the tool steps and draws it.

typedef struct tact_particle_run_facts {
    float dt;
    uint32_t substeps;
    tact_particle_look look;
} tact_particle_run_facts;

/// Writes the run so that the file is always either as it was or complete, whenever the program is killed. `scene`
/// without bytes: it is of no scene.
bool tact_particle_run_save(const char* path, const tact_particle_run_facts* facts, const tact_field_bytes* scene,
                            tact_particles* particles, tact_context* context, tact_problem* problem);

/// Reads a run and makes its system, whose state is to live on `backend`. The scene's bytes are to be freed also after
/// a failure.
bool tact_particle_run_load(const char* path, tact_context* context, tact_backend backend,
                            tact_particle_run_facts* facts, tact_field_bytes* scene, tact_particles** particles,
                            tact_problem* problem);

/// The same of a system that is spread over ranks, by all of them together.
bool tact_particle_run_save_spread(const char* path, const tact_particle_run_facts* facts,
                                   const tact_field_bytes* scene, tact_particles* particles, tact_context* context,
                                   tact_problem* problem);
bool tact_particle_run_load_spread(const char* path, tact_context* context, tact_ranks* ranks, tact_backend backend,
                                   tact_particle_run_facts* facts, tact_field_bytes* scene, tact_particles** particles,
                                   tact_problem* problem);

/// The first part of that: what the file begins with. `*system` and `*system_size` are the library's bytes in it.
bool tact_particle_run_parse(const void* bytes, size_t size, const char* name, tact_particle_run_facts* facts,
                             tact_field_bytes* scene, const void** system, size_t* system_size, tact_problem* problem);
/// Whether the bytes begin as such a file does.
bool tact_particle_run_is_saved(const void* bytes, size_t size);

// A run of `tact particles`: a system that is stepped, drawn and saved on the way.

typedef struct tact_particle_run_options {
    tact_particle_choices choices;
    uint64_t steps, every, save_every, window_frames;
    bool steps_given;  ///< a window without steps goes on until it is closed
    const char *resume, *save, *out, *contacts;
    const char *frames, *npy, *image, *chains, *size, *camera;
    tact_frame_choices others;  ///< frames for other programs
    int color;                  ///< a tact_particle_color
    bool window;
    tact_picture_view view;
} tact_particle_run_options;

/// Milliseconds of a run.
typedef struct tact_particle_times {
    double build, upload, query, download;
} tact_particle_times;

typedef struct tact_particle_run {
    tact_query_run query;
    int argc;  ///< what followed the command's name
    char** argv;
    tact_particle_run_options options;
    tact_particle_plan plan;
    tact_particle_run_facts facts;
    tact_particles* particles;
    tact_particle_ranks_info* ranks;  ///< with --mpi-report, of each rank
    tact_particles* spread;  ///< with --mpi, while `particles` is a copy of the whole on the first rank; else NULL
    tact_field_run field;
    tact_particle_stage* stage;
    unsigned char* rgb;
    uint64_t first, done, chunk;  ///< the system's step at the start, now, and in the call that runs
    uint64_t last_save;
    uint64_t pictures, arrays;  ///< that were written, of frames
    tact_frame_series series;

    tact_particle_times times;
    float* rows;     ///< x y z radius vx vy vz of each particle at the end
    float* turning;  ///< GRAINS: those with six more columns; else NULL
    size_t count;
    tact_particle_contact* contacts;
    tact_contact_force* forces;  ///< for a file; NULL: none are wanted, or there are none
    size_t contact_count;
    tact_particle_totals totals;
    tact_particles_info info;
} tact_particle_run;

/// Makes the system, or makes it anew.
bool tact_particle_run_start(tact_particle_run* run, tact_problem* problem);

/// Steps until the clock shows `until`.
bool tact_particle_run_steps(tact_particle_run* run, uint64_t until, tact_problem* problem);

/// All steps, with pictures and saving on the way.
bool tact_particle_run_all(tact_particle_run* run, tact_problem* problem);

/// What a run does that a signal stops: saves the state, to where --save says or a file of its own, and prints to
/// standard error how to go on from there. Always false, with the problem set.
bool tact_particle_run_stop(tact_particle_run* run, tact_problem* problem);

/// Saves the run to a file. Over ranks collective.
bool tact_particle_run_keep(tact_particle_run* run, const char* path, tact_problem* problem);

/// Reads the state, lists contacts, measures, and fills the report.
bool tact_particle_run_finish(tact_particle_run* run, tact_problem* problem);

void tact_particle_run_release(tact_particle_run* run);

/// With --mpi-report, what the ranks had and did.
void tact_particle_ranks_print(const tact_particle_run* run);
void tact_particle_ranks_json(const tact_particle_run* run, cJSON* root);

// A window in which a run of `tact particles` is watched while it goes on. Opens its OpenGL context first, so that a
// system that lives in OpenGL is drawn from the buffers it lies in.

/// Opens a window and a context of the library that has adopted its OpenGL context (in place of tact_session_open()).
/// No display, or a tool built without GLFW: exit code 3.
bool tact_particle_window_open(tact_particle_run* run, tact_problem* problem);

/// Steps and draws until the window is closed, or all steps or --window-frames are done.
bool tact_particle_window_run(tact_particle_run* run, tact_problem* problem);

/// Closes it, after the library's context has gone.
void tact_particle_window_close(void);

// Draws particles, meshes and a floor with OpenGL 4.3 in the context that is current.

typedef struct tact_window_drawing tact_window_drawing;

/// What a frame shows.
typedef struct tact_window_frame {
    tact_sphere_view view;
    float distance;  ///< from the eye to the middle of what is looked at
    tact_particle_palette palette;
    const tact_particle_buffers* buffers;  ///< where the particles lie in this OpenGL context; NULL: they are in `rows`
    const float* rows;                     ///< x y z radius vx vy vz, in order of id
    size_t count;
} tact_window_frame;

/// The camera and the light, as the shaders take them.
typedef struct tact_window_light {
    float view[16], projection[16];  ///< by columns; `view` turns and moves, no more
    float sun[3], up[3];             ///< in the eye's space
} tact_window_light;

/// Where the particles of a run are: the buffers in which they lie, or else a copy in `*rows`, from malloc.
bool tact_window_frame_fill(tact_window_frame* frame, tact_particle_run* run, tact_particle_buffers* buffers,
                            float** rows, tact_problem* problem);

bool tact_window_drawing_create(tact_gl_get_proc_address get_proc_address, const tact_model* model,
                                const tact_particle_look* look, tact_window_drawing** drawing, tact_problem* problem);
void tact_window_drawing_destroy(tact_window_drawing* drawing);
void tact_window_drawing_draw(tact_window_drawing* drawing, const tact_window_frame* frame);

/// The particles alone, into what is bound; of the frame only they and their colours are read.
void tact_window_drawing_spheres(tact_window_drawing* drawing, const tact_window_frame* frame,
                                 const tact_window_light* light);

/// What the frame buffer shows, from the top down, 3 * width * height bytes.
void tact_window_drawing_read(tact_window_drawing* drawing, uint32_t width, uint32_t height, unsigned char* rgb);
