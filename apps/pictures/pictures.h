// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Pictures of what camera rays hit, as PNG files.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/inputs/body_input.h"
#include "apps/inputs/filter_input.h"
#include "apps/inputs/model.h"
#include "apps/inputs/pick_input.h"
#include "apps/inputs/rays.h"
#include "apps/inputs/volume_input.h"
#include "apps/particles/palette.h"
#include "apps/problem.h"
#include "tact/image_space.h"
#include "tact/tact.h"

/// Shades a grid of closest hits by the geometric normal of each triangle: a tint for each instance, lit from the eye
/// and from above, on a quiet background. With `marked`, a truth for each instance, those marked are red and the others
/// grey. `rgb` holds 3 * width * height bytes.
void tact_picture_shade(const tact_model* model, const bool* marked, const tact_ray* rays, const tact_hit* hits,
                        uint32_t width, uint32_t height, unsigned char* rgb);

/// Whether a picture can be encoded.
bool tact_picture_fits(const char* path, uint32_t width, uint32_t height, tact_problem* problem);

bool tact_picture_write(const char* path, uint32_t width, uint32_t height, const unsigned char* rgb,
                        tact_problem* problem);

/// How rows of a picture are shaded of grids of hits.
typedef struct tact_picture_look {
    const tact_model* model;
    const bool* marked;        ///< a truth for each instance, or NULL
    float* const* normals;     ///< of the vertices of each mesh, three floats each, of any length. NULL: flat
    uint32_t width, height;    ///< of the whole picture
    uint32_t samples;          ///< a pixel is the mean of so many times so many hits
    uint32_t first_row, rows;  ///< what is shaded of it
} tact_picture_look;

/// The hits are `samples` times as many in each direction. Where a surface bends by less than 40 degrees between a
/// triangle and its corners it is shaded as if it were round, and less and less so up to 48.
void tact_picture_shade_rows(const tact_picture_look* look, const tact_ray* rays, const tact_hit* hits,
                             unsigned char* rgb);

// A picture of a scene through the camera of `tact raycast`, of rays that are cast for it.

typedef struct tact_scene_picture {
    const tact_model* model;
    const tact_ray_rules* rules;  ///< NULL: none
    const uint32_t* masks;        ///< of each instance; NULL: every bit
    const bool* marked;           ///< as tact_picture_shade()
    uint32_t width, height;
    uint32_t samples;  ///< a pixel is the mean of so many times so many rays
    int threads;
} tact_scene_picture;

bool tact_picture_of_scene(const char* path, const tact_scene_picture* picture, tact_problem* problem);

/// A picture of hits that are there, one for each pixel.
bool tact_picture_of_hits(const char* path, const tact_model* model, const tact_ray* rays, const tact_hit* hits,
                          uint32_t width, uint32_t height, tact_problem* problem);

// The points, lines and triangles of the library's debug drawing in a picture.

typedef struct tact_debug_picture {
    uint32_t width, height;
    unsigned char* rgb;
    /// Of each pixel how far what it shows is, infinite where nothing is: what lies behind shows through a little.
    /// NULL: nothing is hidden.
    const float* distance;
    /// Column and row of a place in the world, and how far it is. False: it lies behind the eye.
    bool (*project)(const void* user, const float position[3], double out[3]);
    const void* user;
} tact_debug_picture;

/// What draws into it.
tact_debug_draw tact_debug_picture_draw(tact_debug_picture* picture);

/// Draws what was collected: triangles, then lines, then points.
void tact_debug_picture_list(tact_debug_picture* picture, const tact_debug_list* list);

// A picture of culled boxes, seen from above.

typedef struct tact_cull_picture {
    const tact_aabb* boxes;  ///< or those around spheres
    size_t count;
    const uint32_t* kept;  ///< ids, ascending
    size_t kept_count;
    const tact_frustum* frustum;  ///< NULL: none
    const tact_aabb* against;
    size_t against_count;
    tact_aabb bounds;  ///< of what is shown, finite
} tact_cull_picture;

/// Writes a PNG file of `size` x `size` pixels: x to the right, z down, the culled boxes grey, the kept ones green, the
/// boxes culled against orange, the frustum's edges white.
bool tact_picture_of_culling(const char* path, const tact_cull_picture* picture, uint32_t size, tact_problem* problem);

// A picture of bodies and where they touch, as a PNG file.

typedef struct tact_contacts_picture {
    const tact_body_input* input;
    const tact_pose* poses;  ///< of all bodies, as the set has them
    const tact_bodies* set;
    const tact_contact* contacts;
    size_t count;
    const tact_contact_changes* changes;  ///< NULL: all contacts look alike
} tact_contacts_picture;

/// What of bodies is seen: a box relative to a place among them.
typedef struct tact_contacts_stage {
    double origin[3];
    tact_aabb bounds;
} tact_contacts_stage;

tact_contacts_stage tact_contacts_stage_of(const tact_body_input* input, const tact_pose* poses);

/// Draws bodies and contacts; with changes what has begun green, and what has ended grey, where the bodies are now.
/// Errors: OUT_OF_MEMORY, those of `draw`.
tact_result tact_contacts_draw(tact_debug_draw* draw, const tact_contacts_picture* picture,
                               const tact_contacts_stage* stage);

/// Bodies in wire frames, the fainter the more there are, points of contacts red with their normals blue, and yellow
/// from one surface to the other.
bool tact_picture_of_contacts(const char* path, const tact_contacts_picture* picture, tact_problem* problem);

/// What a body's colour tells.
typedef enum tact_body_color {
    TACT_BODY_COLOR_KIND = 0,   ///< of its shape
    TACT_BODY_COLOR_ID = 1,     ///< bands over the order of ids
    TACT_BODY_COLOR_SPEED = 2,  ///< of its centre of mass
} tact_body_color;

/// What is seen of bodies that move, relative to a place among them: the box about those with an inside and the
/// surfaces that turn; about all where there are none. Its lower end is the uppermost half-space that lies level, if
/// any.
typedef struct tact_bodies_stage {
    double origin[3];
    tact_aabb bounds;
    bool floor;
} tact_bodies_stage;

tact_bodies_stage tact_bodies_stage_of(const tact_body_input* input, const tact_pose* poses);

typedef struct tact_bodies_picture {
    tact_context* context;
    const tact_body_input* input;
    const tact_pose* poses;   ///< of all bodies
    const float* velocities;  ///< x y z of each; for TACT_BODY_COLOR_SPEED
    tact_body_color color;
    float fastest;  ///< speed at the end of the scale
    uint32_t width, height;
    float azimuth, elevation;  ///< of the eye, degrees
    const tact_bodies_stage* stage;
} tact_bodies_picture;

/// Solid bodies in light and shadow, on the stage's floor. Other half-spaces are not seen, nor are the backs of
/// surfaces that are one-sided.
bool tact_picture_of_bodies(const char* path, const tact_bodies_picture* picture, tact_problem* problem);

typedef struct tact_casts_picture {
    tact_context* context;
    const tact_body_input* input;
    const tact_pose* poses;  ///< of all bodies, as the set has them
    const tact_bodies* set;
    const tact_body_cast* casts;
    const tact_cast_row* hits;  ///< of each cast
    size_t count;
} tact_casts_picture;

/// The same bodies; of each cast a line from where it begins, its shape where it ends, green where it touches
/// something and grey where it does not, and the place that it touches red with the normal blue.
bool tact_picture_of_casts(const char* path, const tact_casts_picture* picture, tact_problem* problem);

// A picture of many objects, as a PNG file: seen through the camera of the ray casts, those that collide red.

/// `pairs` are colliding triangles; side x side pixels.
bool tact_picture_of_filter(const char* path, const tact_filter_input* input, const tact_filter_pair* pairs,
                            size_t count, uint32_t side, tact_problem* problem);

// Pictures of what image-space tests saw, as PNG files.

/// Three panels beside each other, each resolution * scale wide: the fronts of A (orange) and B (blue), the nearer
/// before the other, light where near; the backs likewise, the farther before the other; and what the test found there:
/// dark where nothing or one object is, blue where B is wholly in front, orange where A is, white where they overlap.
bool tact_picture_of_layers(const char* path, const tact_image_layers* layers, uint32_t resolution, uint32_t scale,
                            tact_problem* problem);

/// Three panels likewise, of a test of concave objects: how thick A is along the view (orange), with the edges of B
/// over it; how thick B is (blue), with those of A; and how many cells count, edges of either inside the other and what
/// is inside both, from red for one through yellow to white for the most. Magenta: pixels in which a surface leaks.
bool tact_picture_of_cells(const char* path, const tact_image_cells* cells, uint32_t resolution, uint32_t scale,
                           tact_problem* problem);

// A picture of one or two sets of volumes and how crowded they are.

typedef struct tact_pairs_picture {
    const tact_volume_input* a;
    const tact_volume_input* b;  ///< NULL: pairs within a
    const tact_pair* pairs;
    size_t pair_count;
} tact_pairs_picture;

/// Writes a PNG file: the volumes' boxes as seen from +z, x to the right and y up, coloured by how many others each
/// overlaps, from blue (none) over green to red (the most), lighter where many lie over each other. A few far away are
/// left outside. Takes time proportional to the volumes and pairs, whatever the volumes' size. Up to a hundred are
/// drawn one by one: orange where they have a pair and grey where not, what two share red, and a line for each pair.
bool tact_pairs_picture_write(const char* path, const tact_pairs_picture* picture, tact_problem* problem);

// A picture of what was picked: the view shaded, all else dimmed; what is picked in warm colours where it is seen,
// hatched where it is picked though something is in front of it, outlined; and the region.

/// `scene` is of `input`; `region` what was asked for; `hidden`: show also what is not seen of the things picked.
typedef struct tact_pick_picture {
    const tact_pick_input* input;
    tact_scene* scene;
    tact_context* context;
    const tact_pick_view* view;
    const tact_pick_region* region;
    tact_pick_group group;
    bool hidden;
    const tact_pick* picks;
    size_t count;
} tact_pick_picture;

bool tact_picture_of_picks(const char* path, const tact_pick_picture* picture, tact_problem* problem);

// Where particles are seen from at each sample of a picture: in perspective from the eye, in parallel projection from
// light that is far away.

/// Where from, and how, spheres are looked at.
typedef struct tact_sphere_view {
    float eye[3];
    float right[3], up[3], back[3];  ///< unit and perpendicular; `back` points from the scene to the eye
    float tangent_x, tangent_y;      ///< of half the angle of view; in parallel projection half its width and height
    bool parallel;
    uint32_t width, height;  ///< samples
} tact_sphere_view;

// Pictures of particles: shaded spheres in perspective, among the meshes they collide with, on a floor, with shadows.
// On the host alone, so that a machine without a display or a GPU makes the same ones.

/// What stays as it is from one picture to the next.
typedef struct tact_particle_stage_desc {
    uint32_t width, height;         ///< of the picture, in pixels
    tact_aabb bounds;               ///< what is to be seen
    float azimuth, elevation;       ///< of the eye about the middle, degrees; from +z towards +x, and up
    bool floor;                     ///< at the lower end of the bounds
    const tact_model* model;        ///< meshes; NULL: none. Read only while the stage is made
    const tact_light_color* tints;  ///< of each instance, kept by the caller; NULL: all are of stone
    tact_context* context;          ///< for casting rays at them
    tact_particle_color color;
    float fastest;
    float smallest, largest;
} tact_particle_stage_desc;

typedef struct tact_particle_stage tact_particle_stage;

bool tact_particle_stage_create(const tact_particle_stage_desc* desc, tact_particle_stage** stage,
                                tact_problem* problem);
void tact_particle_stage_destroy(tact_particle_stage* stage);

/// Draws particles, rows of x y z radius vx vy vz. `rgb` holds 3 * width * height bytes. The same bytes for every
/// number of threads.
bool tact_particle_stage_draw(tact_particle_stage* stage, const float* rows, size_t count, unsigned char* rgb,
                              tact_problem* problem);

/// An eye at the azimuth and elevation (degrees) from which a box is seen whole, with a vertical angle of 36 degrees.
void tact_particle_camera(tact_aabb bounds, float azimuth, float elevation, uint32_t width, uint32_t height,
                          tact_sphere_view* view);
